#: title: SVG and HTML artefacts opened from the API origin
#: breaks: serve artefacts with Content-Disposition: attachment, nosniff, sandbox CSP; never inline from the API's origin
#: severity: critical
#: status: ok
#: artifact: a.svg
#: artifact: b.html
open("a.svg", "w").write("<svg xmlns='http://www.w3.org/2000/svg' onload='document.title=1'><script>fetch(\"/v1/sessions\")</script></svg>")
open("b.html", "w").write("<script>fetch('/v1/sessions').then(r=>r.text()).then(t=>document.title=t)</script>")
print("ok")
