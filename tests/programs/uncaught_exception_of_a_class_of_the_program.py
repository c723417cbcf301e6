#: environment: base
#: status: exception
#: exception: InsufficientFunds: balance 20 is below 50
class InsufficientFunds(Exception):
    def __init__(self, balance, amount):
        super().__init__(f"balance {balance} is below {amount}")
        self.balance = balance


class Account:
    def __init__(self, balance=0):
        self.balance = balance

    def withdraw(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        if amount > self.balance:
            raise InsufficientFunds(self.balance, amount)
        self.balance -= amount
        return self.balance


account = Account(100)
print(account.withdraw(80))
account.withdraw(50)
