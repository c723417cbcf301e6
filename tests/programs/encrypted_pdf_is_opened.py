#: environment: data
#: artifact: secret.pdf application/pdf
#: wall_time: 30s
from pypdf import PdfReader, PdfWriter

writer = PdfWriter()
writer.add_blank_page(width=200, height=300)
writer.add_blank_page(width=300, height=200)
writer.add_metadata({"/Title": "Secret plan", "/Author": "Ann"})
writer.encrypt("open sesame", algorithm="RC4-128")
with open("secret.pdf", "wb") as file:
    writer.write(file)

reader = PdfReader("secret.pdf")
print(reader.is_encrypted, int(reader.decrypt("wrong")), int(reader.decrypt("open sesame")) > 0)
print(len(reader.pages), reader.metadata.title, [float(page.mediabox.width) for page in reader.pages])
merged = PdfWriter()
merged.append(reader, pages=(1, 2))
print(len(merged.pages), repr(reader.pages[0].extract_text()))
