#: environment: base
def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))

print(sum(n for n in range(1000) if is_prime(n)))
