#: environment: data
#: artifact: letter.docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
#: wall_time: 30s
import docx

document = docx.Document()
document.add_heading("Report", 1)
document.add_paragraph("Sales grew.")
table = document.add_table(rows=1, cols=2)
table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
document.save("letter.docx")
print([p.text for p in docx.Document("letter.docx").paragraphs])
