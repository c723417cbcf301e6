#: environment: data
#: artifact: model.joblib application/octet-stream
#: wall_time: 60s
#: cpu_time: 60s
#: memory: 512MiB
import joblib
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, confusion_matrix, r2_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

rng = np.random.default_rng(0)
df = pd.DataFrame({"age": rng.integers(18, 80, 300), "plan": rng.choice(["free", "pro"], 300)})
df["stays"] = ((df["age"] > 45) & (df["plan"] == "pro")).astype(int)
features = ColumnTransformer([("number", StandardScaler(), ["age"]), ("kind", OneHotEncoder(), ["plan"])])
train, test = train_test_split(df, test_size=0.25, random_state=0, stratify=df["stays"])
search = GridSearchCV(make_pipeline(features, LogisticRegression()), {"logisticregression__C": [0.1, 10]}, cv=3)
search.fit(train[["age", "plan"]], train["stays"])
guess = search.predict(test[["age", "plan"]])
print(accuracy_score(test["stays"], guess) > 0.85, int(confusion_matrix(test["stays"], guess).sum()))
joblib.dump(search.best_estimator_, "model.joblib")
print((joblib.load("model.joblib").predict(test[["age", "plan"]]) == guess).all())
X = rng.normal(size=(100, 3))
line = LinearRegression().fit(X, X @ [1.0, 2.0, 3.0] + 4)
print(line.coef_.round(6).tolist(), round(float(line.intercept_), 6), round(r2_score(X @ [1, 2, 3] + 4, line.predict(X)), 6))
print(PCA(2).fit_transform(X).shape)
