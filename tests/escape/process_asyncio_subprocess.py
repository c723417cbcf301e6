#: title: asyncio subprocess
#: breaks: uses a child watcher thread
#: severity: high
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import asyncio
async def m():
    p = await asyncio.create_subprocess_shell("echo ESCAPED", stdout=-1); print(await p.communicate())
asyncio.run(m())
