#: environment: data
#: file: page.html
#: wall_time: 30s
from bs4 import BeautifulSoup
from lxml import html

with open("page.html", encoding="utf-8") as file:
    text = file.read()
soup = BeautifulSoup(text, "html.parser")
print(soup.title.string, [a["href"] for a in soup.select("ul.menu a[href]")])
for row in soup.find("table", id="prices").find_all("tr")[1:]:
    name, price = (cell.get_text(strip=True) for cell in row.find_all("td"))
    print(name, float(price.lstrip("€").replace(",", ".")))
tree = html.fromstring(text)
print(tree.xpath("//table//tr[td]/td[1]/text()"), tree.xpath("count(//a)"), len(soup.find_all(string=lambda s: "Größe" in s)))
