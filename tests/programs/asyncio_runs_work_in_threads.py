#: environment: base
import asyncio, time

def slow(n):
    time.sleep(0.05)
    return n + 1

async def main():
    loop = asyncio.get_running_loop()
    return await asyncio.gather(*(loop.run_in_executor(None, slow, n) for n in range(4)))

print(asyncio.run(main()))
