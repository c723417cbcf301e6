#: title: HTML and script in output
#: breaks: stdout, stderr, error text, file names and event arguments are text nodes; a CSP forbids inline script
#: severity: critical
#: status: exception
#: exception: ValueError
print("<script>document.title='XSS-RAN'</script><img src=x onerror=\"document.title='XSS-RAN'\"><svg onload=alert(1)></textarea></pre><iframe srcdoc='x'>")
raise ValueError("<b onmouseover=alert(1)>x</b>")
