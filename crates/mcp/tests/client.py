"""Drives the MCP server with the official Python SDK, as a host does."""

import asyncio
import base64
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PLOT = """
import matplotlib.pyplot as plt, pandas as pd
frame = pd.read_csv('sales.csv')
frame.plot(x='month', y='sales')
plt.show()
frame.describe().to_csv('summary.csv')
frame['sales'].sum()
"""


def text_of(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


async def input_is_typed(_context, _parameters):
    from mcp import types

    return types.ElicitResult(action="accept", content={"line": "Ada"})


async def main(program):
    parameters = StdioServerParameters(command=program, args=["mcp"])
    async with stdio_client(parameters) as (reader, writer):
        async with ClientSession(reader, writer, elicitation_callback=input_is_typed) as client:
            await client.initialize()
            await check(client)


async def check(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert {"execute_python", "rewind_session", "read_session_file"} <= set(tools), tools
    assert "network" in tools["execute_python"].description

    async def run(code, **more):
        return await client.call_tool("execute_python", {"code": code, **more})

    result = await run("print('hello')\n6 * 7")
    assert "hello" in text_of(result) and "42" in text_of(result), result

    result = await run(PLOT, files=[{"path": "sales.csv", "text": "month,sales\n1,10\n2,32\n"}])
    kinds = [block.type for block in result.content]
    assert kinds == ["text", "image", "resource_link"], kinds
    assert base64.b64decode(result.content[1].data).startswith(b"\x89PNG")
    assert "42" in text_of(result)
    link = result.content[2]
    assert str(link.uri) in {str(found.uri) for found in (await client.list_resources()).resources}
    contents = (await client.read_resource(link.uri)).contents[0]
    assert contents.text.startswith(",month,sales"), contents

    result = await run("import os\nos.system('rm -rf /')")
    assert "os.system" in text_of(result) and "line 2" in text_of(result), text_of(result)
    assert "shutil.rmtree" in text_of(result)

    await run("x = 41", session="main")
    result = await run("x += 1\nos._exit(1)\nimport os", session="main")
    result = await run("import os\nx = 0\nos._exit(1)", session="main")
    assert "undone" in text_of(result), text_of(result)
    result = await run("print(x)", session="main")
    assert "42" in text_of(result), text_of(result)
    await client.call_tool("rewind_session", {"session": "main"})
    file = {"path": "note.txt", "text": "kept"}
    await client.call_tool("write_session_file", {"session": "main", "file": file})
    listed = await client.call_tool("list_session_files", {"session": "main"})
    assert "note.txt (4 bytes)" in text_of(listed)
    read = await client.call_tool("read_session_file", {"session": "main", "path": "note.txt"})
    assert text_of(read) == "kept"

    result = await run("print('hello', input('Who? '))")
    assert "hello Ada" in text_of(result), text_of(result)

    seen = []

    async def progress(done, _total, _message):
        seen.append(done)

    slow = {"code": "import time\ntime.sleep(0.5)"}
    await client.call_tool("execute_python", slow, progress_callback=progress)
    assert len(seen) > 2, seen

    result = await run("while True: pass", timeout_seconds=0.5)
    assert "timeout" in text_of(result), text_of(result)
    result = await run("", session="main")
    assert "is empty" in text_of(result), result
    print("the Python SDK drives every tool")


asyncio.run(main(sys.argv[1]))
