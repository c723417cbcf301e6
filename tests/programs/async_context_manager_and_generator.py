#: environment: base
#: value: [0, 1, 4]
import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def connection(name):
    print("open", name)
    try:
        yield name
    finally:
        print("close", name)


async def squares(n):
    try:
        for i in range(n):
            await asyncio.sleep(0)
            yield i * i
    finally:
        print("generator done")


async with connection("db") as name:
    print("use", name)
[n async for n in squares(3)]
