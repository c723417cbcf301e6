#: environment: data
#: wall_time: 30s
from bs4 import BeautifulSoup
from lxml import etree

soup = BeautifulSoup("<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "lxml")
print([cell.text for cell in soup.find_all("td")])
print(etree.fromstring("<r><a k='v'/></r>").xpath("//a/@k"))
