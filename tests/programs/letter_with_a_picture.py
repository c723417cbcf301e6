#: environment: data
#: artifact: report.docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
#: wall_time: 30s
import io

import docx
import matplotlib.pyplot as plt
from docx.shared import Inches, Pt

fig, ax = plt.subplots(figsize=(3, 2))
ax.bar(["Q1", "Q2"], [3, 5])
picture = io.BytesIO()
fig.savefig(picture, format="png")
plt.close(fig)
picture.seek(0)

document = docx.Document()
document.add_heading("Quartalsbericht – Überblick", level=0)
run = document.add_paragraph("Sales rose by ", style="List Bullet").add_run("66 %")
run.bold, run.font.size = True, Pt(14)
document.add_picture(picture, width=Inches(3))
document.save("report.docx")
again = docx.Document("report.docx")
print([p.text for p in again.paragraphs if p.text], len(again.inline_shapes), again.paragraphs[1].runs[1].bold)
