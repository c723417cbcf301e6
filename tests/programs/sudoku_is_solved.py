#: environment: base
#: value: True
grid = """
53..7.... 6..195... .98....6. 8...6...3 4..8.3..1
7...2...6 .6....28. ...419..5 ....8..79
""".split()
board = [[int(c) if c != "." else 0 for c in row] for row in grid]


def fits(row, col, digit):
    if digit in board[row] or any(line[col] == digit for line in board):
        return False
    top, left = row // 3 * 3, col // 3 * 3
    return all(board[r][c] != digit for r in range(top, top + 3) for c in range(left, left + 3))


def solve():
    for row in range(9):
        for col in range(9):
            if board[row][col] == 0:
                for digit in range(1, 10):
                    if fits(row, col, digit):
                        board[row][col] = digit
                        if solve():
                            return True
                        board[row][col] = 0
                return False
    return True


solved = solve()
for line in board:
    print("".join(map(str, line)))
solved
