#: environment: data
#: wall_time: 30s
import regex

print(regex.findall(r"\p{Han}+|\p{Hangul}+|\p{Cyrillic}+", "abc 漢字 한국어 привет"))
print(regex.sub(r"(?r)\d", "#", "a1b2", count=1))
