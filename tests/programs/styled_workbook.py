#: environment: data
#: artifact: budget.xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
#: wall_time: 30s
from openpyxl import Workbook, load_workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter

book = Workbook()
sheet = book.active
sheet.title = "Budget"
rows = [("Item", "Plan", "Spent"), ("Rent", 1200, 1200), ("Food", 400, 455.5), ("Fun ✓", 150, 80)]
for row in rows:
    sheet.append(row)
for cell in sheet[1]:
    cell.font, cell.fill = Font(bold=True, color="FFFFFF"), PatternFill("solid", fgColor="4472C4")
sheet["B6"] = "=SUM(B2:B4)"
sheet.column_dimensions[get_column_letter(1)].width = 20
chart = BarChart()
chart.add_data(Reference(sheet, min_col=2, max_col=3, min_row=1, max_row=4), titles_from_data=True)
sheet.add_chart(chart, "E2")
book.create_sheet("Notes").merge_cells("A1:C1")
book.save("budget.xlsx")

again = load_workbook("budget.xlsx")
print(again.sheetnames, [c.value for c in again["Budget"]["A"]][:4], again["Budget"]["B6"].value)
print(again["Budget"]["A1"].font.bold, sum(r[0] for r in again["Budget"].iter_rows(2, 4, 3, 3, values_only=True)))
