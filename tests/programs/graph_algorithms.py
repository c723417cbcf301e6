#: environment: data
#: wall_time: 30s
import networkx as nx

graph = nx.Graph()
graph.add_weighted_edges_from([("a", "b", 1), ("b", "c", 2), ("a", "c", 5), ("c", "d", 1)])
print(nx.shortest_path(graph, "a", "d", weight="weight"), nx.is_connected(graph))
print(round(nx.pagerank(graph)["c"], 2))
