#: title: pretend to be another type
#: breaks: wrapper must use type(), not isinstance(), and exact C-level conversions
#: severity: medium
#: status: ok
class S(str):
    def __str__(self): return self
    def encode(self, *a): raise SystemExit(0)
    def __len__(self): return -1
    @property
    def __class__(self): return dict
S("x")
