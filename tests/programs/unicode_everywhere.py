#: environment: base
#: artifact: 数据-é.txt text/plain
import unicodedata

größe = 3
名前 = "山田"
print(größe, 名前, "👩‍🚀", unicodedata.normalize("NFC", "e\u0301") == "é", "ﬁ".casefold())
with open("数据-é.txt", "w", encoding="utf-8") as file:
    file.write("héllo ✓")
print(open("数据-é.txt", encoding="utf-8").read())
