#: environment: data
#: artifact: chart.html text/html
#: wall_time: 60s
#: cpu_time: 60s
import json
import plotly.graph_objects as go

figure = go.Figure(go.Bar(x=["a", "b"], y=[1, 3]))
figure.update_layout(title="bars")
figure.write_html("chart.html", include_plotlyjs="cdn")
print(json.loads(figure.to_json())["data"][0]["x"])
