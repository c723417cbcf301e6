#: environment: data
#: artifact: plot.pdf application/pdf
#: wall_time: 30s
import matplotlib.pyplot as plt
from pypdf import PdfReader, PdfWriter

plt.text(0.1, 0.5, "Quarterly report")
plt.savefig("plot.pdf")
plt.close()
reader = PdfReader("plot.pdf")
print(len(reader.pages), "Quarterly" in reader.pages[0].extract_text())
writer = PdfWriter()
writer.add_blank_page(200, 100)
print(len(writer.pages))
