#: environment: base
#: artifact: shop.db application/vnd.sqlite3
import sqlite3

with sqlite3.connect("shop.db") as db:
    db.execute("create table orders (item text, price real)")
    db.executemany("insert into orders values (?, ?)", [("pen", 1.5), ("book", 12.0), ("pen", 1.75)])
    rows = db.execute("select item, sum(price) from orders group by item order by item").fetchall()
print(rows)
db.close()
