"""The official Python client against a server, in both eras: `official_client.py URL KEY`. It needs the package `mcp`.

A program of its own: the event loop of the client stays out of the tests' process.
"""

from __future__ import annotations

import sys

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

PROMISE = "The bridge is half built; the north pier comes next."


async def main(url: str, key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    for mode, version in (("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28"), ("auto", "2026-07-28")):
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            assert client.protocol_version == version, (mode, client.protocol_version)
            tools = (await client.list_tools()).tools
            assert len(tools) > 20, len(tools)
            made = await client.call_tool("revell_payload_promise", {"content": PROMISE})
            assert not made.is_error
            refused = await client.call_tool("revell_remember", {"type": "nonsense"})
            assert refused.is_error
            assert refused.structured_content["code"] == "invalid_input"
            boot = await client.call_tool("revell_boot", {"channel": "session_start"})
            assert PROMISE in boot.content[0].text
            assert (await client.call_tool("revell_payload_list", {})).structured_content["total"] == 0
            found = await client.call_tool("revell_recall", {"query": "north pier"})
            assert found.structured_content["total_matched"] > 0
            read = await client.read_resource("revell://boot/preview")
            assert read.contents[0].text
            prompts = (await client.list_prompts()).prompts
            assert {prompt.name for prompt in prompts} == {"start_of_session", "before_compaction"}
            assert (await client.get_prompt("before_compaction")).messages
            print(f"official client, {mode}: {len(tools)} tools at {version}")


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:3])
