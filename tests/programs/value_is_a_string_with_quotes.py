#: environment: base
#: value: "it's ünïcode\n"
text = "it's ünïcode\n"
text
# A comment after the last expression changes nothing.
