#: environment: base
#: stdin: Ada\n36\n
name = input("name? ")
age = int(input("age? "))
print(f"\n{name} is {age}")
