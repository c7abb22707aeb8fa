"""`gaji mcp`: the process, its settings and its documentation."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from gaji.cli.main import serve_mcp
from gaji.core.settings import SettingsError
from gaji.integrations.mcp.api_client import ApiConnection
from gaji.integrations.mcp.server import serve
from tests.integrations.mcp.mcp_client import McpClient
from tests.support.company import Company
from tests.support.markdown import MarkdownPage

DOCUMENTATION = MarkdownPage(Path(__file__).parents[3] / "docs/mcp.md")


def test_the_documented_configuration_starts_the_server(company: Company) -> None:
    company.hire()
    [configuration] = [json.loads(block) for block in DOCUMENTATION.code_blocks() if block.startswith("{")]
    server = configuration["mcpServers"]["gaji"]
    assert (server["command"], server["env"].keys()) == ("/opt/gaji/.venv/bin/gaji", {"GAJI_URL", "GAJI_KEY"})
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "gaji.cli.main", *server["args"]],
        env={**os.environ, "GAJI_URL": f"{company.member.service.url}/", "GAJI_KEY": company.member.key},
    )

    async def count_people() -> int:
        async with Client(parameters) as client:
            result = await client.call_tool("find_people", {"client_id": company.id})
            assert result.structured_content is not None
            return int(result.structured_content["total"])

    assert asyncio.run(count_people()) == 1


def test_the_documentation_lists_every_tool(company: Company) -> None:
    spans = set(DOCUMENTATION.code_spans)
    assert [name for name in McpClient(company.member).tools() if name not in spans] == []


def test_an_argument_that_a_tool_does_not_have_is_rejected(company: Company) -> None:
    company.hire()
    client = McpClient(company.member)
    error = client.error("find_people", client_id=company.id, words="nobody")
    assert error == "find_people has no argument words; use client_id, search, state, limit"
    assert {tool.input_schema["additionalProperties"] for tool in client.tools().values()} == {False}


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({}, "GAJI_KEY must be an API key"),
        ({"GAJI_KEY": "k", "GAJI_URL": "payroll.example"}, "GAJI_URL must start with http"),
        (
            {"GAJI_KEY": "k", "GAJI_URL": "http://127.0.0.1:1"},
            "^http://127.0.0.1:1 cannot be used: Gaji did not respond",
        ),
    ],
)
def test_it_says_what_is_wrong_with_the_settings(environment: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        serve(environment)


def test_a_key_that_is_not_valid_is_refused(company: Company) -> None:
    with pytest.raises(SettingsError, match="API key"):
        serve({"GAJI_KEY": "wrong", "GAJI_URL": company.member.service.url})


def test_the_default_address_is_that_of_make_run() -> None:
    assert ApiConnection.from_environment({"GAJI_KEY": "k"}) == ApiConnection("http://127.0.0.1:8000", "k")


def test_without_the_extra_it_names_the_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gaji.integrations.mcp.server", None)
    with pytest.raises(SettingsError, match=r"needs the extra gaji\[mcp\]"):
        serve_mcp()
