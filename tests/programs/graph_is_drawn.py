#: environment: data
#: displays: image/png
#: wall_time: 30s
import matplotlib.pyplot as plt
import networkx as nx

graph = nx.DiGraph([("shop", "cart"), ("cart", "pay"), ("shop", "help"), ("help", "cart")])
print(list(nx.topological_sort(graph)), nx.has_path(graph, "help", "pay"), dict(graph.out_degree())["shop"])
print([round(v, 2) for v in nx.betweenness_centrality(graph).values()], nx.density(graph).__round__(3))
nx.draw(graph, pos=nx.spring_layout(graph, seed=1), with_labels=True, node_color="lightblue")
plt.show()
