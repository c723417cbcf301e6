#: environment: base
#: value: <Badge>
#: value_mime: text/html
#: displays: text/markdown
class Badge:
    def __repr__(self):
        return "<Badge>"

    def _repr_html_(self):
        return "<b>badge</b>"

class Note:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/markdown": "**note**"}

display(Note())
Badge()
