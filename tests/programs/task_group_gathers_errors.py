#: environment: base
#: python: 3.11+
import asyncio


async def work(n):
    await asyncio.sleep(0)
    if n % 2:
        raise ValueError(n)
    return n


async def main():
    try:
        async with asyncio.TaskGroup() as group:
            for n in range(4):
                group.create_task(work(n))
    except* ValueError as group:
        print(sorted(error.args[0] for error in group.exceptions))


asyncio.run(main())
