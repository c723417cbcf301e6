#: environment: base
import html
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

root = ET.fromstring("<list><item id='1'>one</item><item id='2'>two</item></list>")
print([(item.get("id"), item.text) for item in root.iter("item")], html.escape("<a & b>"))

class Links(HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag == "a":
            print(dict(attributes)["href"])

Links().feed("<p>see <a href='x.html'>x</a> and <a href='y.html'>y</a></p>")
