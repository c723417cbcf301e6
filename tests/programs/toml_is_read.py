#: environment: base
#: python: 3.11+
import tomllib

settings = tomllib.loads('title = "Demo"\n[owner]\nborn = 1979-05-27\nscores = [1, 2.5]\n')
print(settings["title"], settings["owner"]["born"].year, settings["owner"]["scores"])
