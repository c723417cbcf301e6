#: environment: data
#: value_mime: application/vnd.plotly.v1+json
#: wall_time: 60s
#: cpu_time: 60s
import plotly.express as px

figure = px.scatter(x=[1, 2, 3], y=[2, 4, 8], title="growth")
print(len(figure.data), figure.layout.title.text)
figure
