#: environment: base
#: artifact: отчёт 📊.txt text/plain
import os
import re
import sys
import unicodedata

π = 3.14159
class Été:
    def été(self): return "summer"

family = "👨‍👩‍👧‍👦"
print(round(π, 2), Été().été(), len(family), "e\u0301" == "é", unicodedata.name("√"))
print("straße".upper(), "İ".lower().encode(), "ǅ".istitle(), "١٢٣".isdigit(), int("١٢٣"))
print("שלום", "مرحبا", "नमस्ते", "한글", "日本語", "🇨🇭", sep="|")
print(sorted(["zebra", "äpfel", "apfel"]), "\N{SNOWMAN}", "a\u200db".isprintable(), re.findall(r"\w+", "naïve Ωmega_1"))
with open("отчёт 📊.txt", "w", encoding="utf-8") as file:
    print("содержание", file=file)
print(os.listdir("."), ascii("日"), sys.getfilesystemencoding(), "\ud83d".encode("utf-8", "surrogatepass"))
