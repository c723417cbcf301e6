#: environment: base
import asyncio


async def producer(queue, n):
    for i in range(n):
        await asyncio.sleep(0)
        await queue.put(i)
    await queue.put(None)


async def consumer(queue):
    total = 0
    while (item := await queue.get()) is not None:
        total += item
    return total


async def limited(n, gate):
    async with gate:
        await asyncio.sleep(0.01)
        return n


async def main():
    queue, gate = asyncio.Queue(2), asyncio.Semaphore(2)
    _, total = await asyncio.gather(producer(queue, 10), consumer(queue))
    print("total", total)
    print(await asyncio.gather(*(limited(n, gate) for n in range(5))))
    try:
        await asyncio.wait_for(asyncio.sleep(10), timeout=0.05)
    except asyncio.TimeoutError:
        print("too slow")
    task = asyncio.create_task(asyncio.sleep(10))
    await asyncio.sleep(0)
    task.cancel()
    results = await asyncio.gather(task, return_exceptions=True)
    print(type(results[0]).__name__)


asyncio.run(main())
