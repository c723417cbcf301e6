#: title: lone surrogates in text
#: breaks: the wrapper's own error path must not fail with it
#: severity: low
#: status: ok
print("\ud800 lone")
