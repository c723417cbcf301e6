#: environment: data
#: artifact: a.xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
#: artifact: b.xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
#: wall_time: 30s
import openpyxl
import pandas as pd

frame = pd.DataFrame({"name": ["Zoë", "李"], "n": [1, 2]})
frame.to_excel("a.xlsx", index=False)
with pd.ExcelWriter("b.xlsx", engine="xlsxwriter") as writer:
    frame.to_excel(writer, sheet_name="data", index=False)
    writer.sheets["data"].write_formula("D1", "=SUM(B2:B3)")
print(pd.read_excel("a.xlsx")["n"].sum(), openpyxl.load_workbook("b.xlsx")["data"]["D1"].value)
