#: environment: base
import email
import mimetypes
from email.message import EmailMessage
from email.policy import default
from email.utils import parseaddr

message = EmailMessage()
message["Subject"] = "Ihre Größe ✓"
message["From"], message["To"] = "Zoë <zoe@example.org>", "bob@example.com"
message.set_content("Plain text\n")
message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="data.csv")
again = email.message_from_bytes(bytes(message), policy=default)
print(again["subject"], parseaddr(str(again["from"]))[1], again.is_multipart())
print([part.get_filename() for part in again.iter_attachments()], mimetypes.guess_type("x.png")[0])
