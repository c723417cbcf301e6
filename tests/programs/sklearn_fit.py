#: environment: data
#: wall_time: 60s
#: cpu_time: 60s
#: memory: 512MiB
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split

x, y = load_iris(return_X_y=True)
train_x, test_x, train_y, test_y = train_test_split(x, y, random_state=0)
forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(train_x, train_y)
print(forest.score(test_x, test_y) > 0.9, cross_val_score(LogisticRegression(max_iter=500), x, y).mean() > 0.9)
print(KMeans(3, n_init=2, random_state=0).fit(x).cluster_centers_.shape)
