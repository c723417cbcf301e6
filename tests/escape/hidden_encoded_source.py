#: title: encoded source
#: breaks: the analyser may miss it: the run must still be contained and the event reported at run time
#: severity: medium
#: check: flag-dynamic
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import base64, zlib, codecs
exec(base64.b64decode("aW1wb3J0IG9zOyBvcy5zeXN0ZW0oJ2VjaG8gRVNDQVBFRCcp"))
exec(codecs.decode("vzcbeg bf; bf.flfgrz('rpub RFPNCRQ')", "rot13"))
