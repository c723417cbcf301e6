#: environment: base
import asyncio

async def double(n):
    await asyncio.sleep(0.01 * (3 - n))
    return 2 * n

async def main():
    return await asyncio.gather(*(double(n) for n in range(3)))

print(asyncio.run(main()))
