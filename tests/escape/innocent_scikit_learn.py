#: title: scikit-learn forest, k-means, gradient boosting
#: breaks: measured: joblib/loky runs lscpu (vfork) once per process to count physical cores
#: check: no-block
#: status: ok
#: environment: data
#: wall_time: 30s
from sklearn import datasets, ensemble, cluster
X, y = datasets.load_iris(return_X_y=True)
print(ensemble.RandomForestClassifier(10, n_jobs=2).fit(X, y).score(X, y) > 0.9, ensemble.HistGradientBoostingClassifier(max_iter=5).fit(X, y).score(X, y) > 0.9, cluster.KMeans(3, n_init=2).fit(X).n_iter_ > 0)
