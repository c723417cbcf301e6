#: environment: base
import sqlite3
import statistics

db = sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES)
db.row_factory = sqlite3.Row
db.create_function("shout", 1, lambda s: s.upper() + "!")


class Median:
    def __init__(self):
        self.values = []

    def step(self, value):
        self.values.append(value)

    def finalize(self):
        return statistics.median(self.values)


db.create_aggregate("median", 1, Median)
db.executescript("""
    create table city (id integer primary key, name text not null unique, people integer);
    create index by_people on city (people);
    insert into city (name, people) values ('Zürich', 430), ('København', 660), ('Kraków', 800);
""")
row = db.execute("select shout(name) as loud, people from city order by people desc limit 1").fetchone()
print(row["loud"], row.keys(), db.execute("select median(people) from city").fetchone()[0])
try:
    with db:
        db.execute("insert into city (name) values ('Oslo')")
        db.execute("insert into city (name) values ('Oslo')")
except sqlite3.IntegrityError as error:
    print(error, db.execute("select count(*) from city").fetchone()[0])
print([tuple(r) for r in db.execute("with recursive n(i) as (select 1 union all select i * 2 from n where i < 50) select i from n")])
