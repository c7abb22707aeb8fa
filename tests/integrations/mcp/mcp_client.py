"""An MCP client that calls the tools of the MCP server, in memory."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx
from mcp import Client
from mcp_types import CallToolResult, TextContent, Tool

from gaji.integrations.mcp.api_client import ApiClient
from gaji.integrations.mcp.confirmations import Confirmations
from gaji.integrations.mcp.server import build_server, can_write
from tests.support.running import Member

Result = TypeVar("Result")


@dataclass(frozen=True)
class McpClient:
    """Calls tools with the key of a member. Tokens are valid between its calls."""

    member: Member
    confirmations: Confirmations = field(default_factory=Confirmations)

    def tools(self) -> dict[str, Tool]:
        """Return the tools by name."""

        async def list_tools(client: Client) -> dict[str, Tool]:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

        return asyncio.run(self._connect(list_tools))

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured result of a tool that succeeds. The client checks it against the output schema."""
        result = self._call(name, arguments)
        assert not result.is_error, _text(result)
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def error(self, name: str, **arguments: Any) -> str:
        """Return the error of a tool, without the words that the SDK puts before it."""
        result = self._call(name, arguments)
        assert result.is_error, result.structured_content
        return _text(result).removeprefix(f"Error executing tool {name}: ")

    def _call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        return asyncio.run(self._connect(lambda client: client.call_tool(name, arguments)))

    async def _connect(self, use: Callable[[Client], Awaitable[Result]]) -> Result:
        url, headers = f"{self.member.service.url}/v1", {"Authorization": self.member.key}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60, verify=False) as http:  # noqa: S501
            api = ApiClient(http)
            server = build_server(api, self.confirmations, writable=await can_write(api))
            async with Client(server) as client:
                return await use(client)


def _text(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text
