#: environment: base
#: artifact: out.csv text/csv
#: artifact: out.json application/json
import csv, json

rows = [{"name": "Zoë", "n": 1}, {"name": "李", "n": 2}]
with open("out.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, ["name", "n"])
    writer.writeheader()
    writer.writerows(rows)
with open("out.csv", encoding="utf-8") as file:
    print(list(csv.DictReader(file)))
with open("out.json", "w", encoding="utf-8") as file:
    json.dump(rows, file, ensure_ascii=False)
print(json.loads('{"a": [1, 2.5, null, true, "\\u00e9"]}'))
