#: environment: base
#: file: orders.json
#: file: dates.csv
#: artifact: orders.json application/json
import json

with open("orders.json", encoding="utf-8") as file:
    orders = json.load(file)
for order in orders:
    order["total"] = round(sum(line["price"] * line["quantity"] for line in order["lines"]), 2)
with open("orders.json", "w", encoding="utf-8") as file:
    json.dump(orders, file, indent=2, ensure_ascii=False)
with open("dates.csv", encoding="utf-8") as file:
    print(sum(1 for _ in file) - 1, "rows left as they were")
print({order["customer"]: order["total"] for order in orders})
