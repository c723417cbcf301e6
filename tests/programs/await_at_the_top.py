#: environment: base
#: value: 'done'
import asyncio

async def numbers():
    for n in range(3):
        await asyncio.sleep(0)
        yield n

async for n in numbers():
    print(n)
queue = asyncio.Queue()
await queue.put("done")
await queue.get()
