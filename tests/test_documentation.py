"""The documentation is correct: its requests work, and its links, commands and paths exist."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer

from gaji.cli.main import app
from gaji.core.settings import Settings
from tests.demo.demo_company import TODAY, create_demo_company
from tests.support.json_pattern import mismatches, parse_pattern
from tests.support.markdown import MarkdownPage
from tests.support.running import Member, running_service

ROOT = Path(__file__).parents[1]
README = MarkdownPage(ROOT / "README.md")
PAGES = [MarkdownPage(path) for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])]
SERVER = "http://127.0.0.1:8000"
DEMO_SEED = 1
"""Of the company that `make run` loads."""
SOURCE_PATH = re.compile(r"(src|tests|deploy|requirements|bench|torture)/[\w./-]*\w")
"""A file or folder of the repository."""
METHOD_AND_PATH = re.compile(r"((?:GET|POST|PUT|PATCH|DELETE)(?:\|[A-Z]+)*) (/[^\s?]+)(?:\?\S*)?")


@pytest.fixture(scope="module")
def member(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Member]:
    """The user of the demo company, on a running server. The requests of the README need no payroll."""
    today = {"GAJI_TODAY": TODAY.isoformat()}
    with (
        create_demo_company(settings, DEMO_SEED, employees=1, months=0) as company,
        running_service(settings, tmp_path_factory.mktemp("demo"), today, ["--no-worker"]) as service,
    ):
        yield Member(service, company.demo.email, company.demo.api_key)


def page_name(page: MarkdownPage) -> str:
    return str(page.path.relative_to(ROOT))


def documented_requests() -> list[tuple[str, str]]:
    """Return the curl commands of the README, each with the response below it."""
    blocks = README.code_blocks("Your first requests")
    commands = [index for index, block in enumerate(blocks) if block.startswith("curl ")]
    return [(blocks[index], blocks[index + 1]) for index in commands]


def run_curl(command: str, member: Member) -> httpx.Response:
    """Send the request of a curl command to the demo server, with the options that the README uses."""
    # shlex does not join continued lines.
    line = command.replace("\\\n", " ").replace("$GAJI_KEY", member.key).replace(SERVER, member.service.url)
    curl, *arguments = shlex.split(line)
    assert curl == "curl"
    headers: dict[str, str] = {}
    body: bytes | None = None
    urls = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument == "-H":
            name, value = next(remaining).split(": ", 1)
            headers[name] = value
        elif argument == "-d":
            body = next(remaining).encode()
        else:
            urls.append(argument)
    [url] = urls
    return member.service.http.request("GET" if body is None else "POST", url, headers=headers, content=body)


def test_the_requests_of_the_readme_return_what_it_shows(member: Member) -> None:
    requests = documented_requests()
    assert len(requests) >= 4
    for command, shown in requests:
        pattern = parse_pattern(shown)
        response = run_curl(command, member)
        expected_status = 422 if "errors" in pattern else 200
        assert response.status_code == expected_status, response.text
        assert list(mismatches(pattern, response.json())) == [], command


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_point_to_existing_files_and_headings(page: MarkdownPage) -> None:
    assert [problem for target in page.links if (problem := link_problem(page, target))] == []


def link_problem(page: MarkdownPage, target: str) -> str | None:
    """Return what is wrong with a relative link."""
    if re.match(r"[a-z]+:", target):
        return None
    name, _, anchor = target.partition("#")
    path = page.path.parent / name if name else page.path
    if not path.exists():
        return f"{target}: the file does not exist"
    if anchor and anchor not in MarkdownPage(path).anchors:
        return f"{target}: the heading does not exist"
    return None


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_files_that_pages_name_exist(page: MarkdownPage) -> None:
    named = [span for span in page.code_spans if SOURCE_PATH.fullmatch(span)]
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_and_their_options_exist(page: MarkdownPage) -> None:
    lines = [line for block in page.code_blocks() for line in block.splitlines()]
    commands = [text for text in (*page.code_spans, *lines) if re.match(r"(\.venv/bin/)?gaji ", text)]
    assert [problem for command in commands if (problem := command_problem(command))] == []


def test_operating_names_every_command() -> None:
    spans = MarkdownPage(ROOT / "docs" / "operating.md").code_spans
    assert [name for name in command_names() if not any(f"{span} ".startswith(f"gaji {name} ") for span in spans)] == []


def command_problem(text: str) -> str | None:
    """Return what is wrong with a documented command, such as `gaji key create --email E [--client ID]…`."""
    words = re.sub(r"[\[\]…]", " ", text).split()[1:]
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        if words[0] not in command.commands:
            return f"{text}: there is no command {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    unknown = [word for word in words if word.startswith("-") and word not in known | {"-"}]  # standard output
    if unknown:
        return f"{text}: there is no option {', '.join(unknown)}"
    takes_argument = any(parameter.param_type_name == "argument" for parameter in command.params)
    if words and not words[0].startswith("-") and not takes_argument:
        return f"{text}: the command takes no argument"
    return None


def command_names() -> list[str]:
    """Return the commands and the subcommands, such as `key create`."""
    root: Any = typer.main.get_command(app)
    names = []
    for name, command in root.commands.items():
        subcommands = getattr(command, "commands", None)
        names += [name] if subcommands is None else [f"{name} {subcommand}" for subcommand in subcommands]
    return names


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_api_paths_exist(member: Member, page: MarkdownPage) -> None:
    document = member.service.http.get(f"{member.service.url}/openapi.json").json()
    operations = {
        (method.upper(), re.sub(r"\{\w+\}", ":", path))
        for path, methods in document["paths"].items()
        for method in methods
    }
    named = [match for span in page.code_spans if (match := METHOD_AND_PATH.fullmatch(span))]
    unknown = [
        match[0]
        for match in named
        for method in match[1].split("|")
        if (method, re.sub(r":\w+", ":", match[2].removeprefix("/v1"))) not in operations
    ]
    assert unknown == []


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ('{"id": 4, …}', {"id": 4, "name": "Night shift"}),
        ('[… {"item": "sdl"} …]', [{"item": "cpf"}, {"item": "sdl", "amount": "1.00"}]),
        ("[…]", []),
        ('"The Act …"', "The Act of 1953"),
    ],
)
def test_a_response_matches_the_shown_one(pattern: str, value: Any) -> None:
    assert list(mismatches(parse_pattern(pattern), value)) == []


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ('{"id": 4, …}', {"id": 5}),
        ('{"id": 4, …}', {"name": "Night shift"}),
        ('[… {"item": "sdl"} …]', [{"item": "cpf"}]),
        ("[1, 2]", [1, 2, 3]),
        ('"The Act …"', "An Act"),
    ],
)
def test_a_different_response_does_not_match(pattern: str, value: Any) -> None:
    assert list(mismatches(parse_pattern(pattern), value)) != []


@pytest.mark.parametrize(
    "text", ["gaji fly", "gaji key make", "gaji serve --fast", "gaji migrate NOW", "gaji key list --mail E"]
)
def test_the_check_finds_unknown_commands(text: str) -> None:
    assert command_problem(text) is not None


@pytest.mark.parametrize("target", ["missing.md", "docs/operating.md#no-such-heading", "#no-such-heading"])
def test_the_check_finds_broken_links(target: str) -> None:
    assert link_problem(README, target) is not None
