#: environment: base
#: stdin: 3\n10 20\n5 5\n7 -2\nextra ligne é\n
import sys

for _ in range(int(input())):
    a, b = map(int, input().split())
    print(a + b)
while True:
    try:
        print("then", input())
    except EOFError:
        print("end")
        break
print(sys.stdin.read() == "", list(sys.stdin))
