"""GET /docs, /docs/<tag>, /docs/constants and /problems/<kind>"""

import html
import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from typing import Any

import httpx
import msgspec
import pytest
from markupsafe import escape

from gaji.app import OPERATIONS
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import PROBLEMS, GajiError
from gaji.web import openapi
from gaji.web.docs import problem_pages, reference, rendering, samples
from gaji.web.docs.month import IDS, MONTH
from gaji.web.operations import Operation
from gaji.web.problems import PROBLEM_TEXTS
from tests.support.running import Member, Service

DOCUMENT = openapi.inline_document(OPERATIONS)
REFERENCE = reference.reference_pages(DOCUMENT)
PAGE = "".join(REFERENCE.values())
EVERY_PAGE = {
    **REFERENCE,
    "/docs/constants": reference.constants_page(),
    **{f"/problems/{kind}": page for kind, page in problem_pages.problem_pages().items()},
}
VOID = ("meta", "link", "img", "br", "input")
NAMES = {operation.name for operation in OPERATIONS}
READABLE = 4.5
"""The minimum contrast of text in WCAG AA."""


class Elements(HTMLParser):
    """The elements of a page with their attributes, and mismatched tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.mismatched: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.mismatched.append(tag)

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _, attributes in self.found if attribute in attributes]


@cache
def elements_of(path: str) -> Elements:
    """Return the elements of a page, parsed once."""
    return Elements(EVERY_PAGE[path])


@pytest.fixture(params=sorted(EVERY_PAGE))
def elements(request: pytest.FixtureRequest) -> Elements:
    """The elements of each page."""
    return elements_of(request.param)


def test_it_works(service: Service) -> None:
    response = httpx.get(f"{service.url}/docs")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "A month, step by step" in response.text


@pytest.mark.parametrize("path", sorted(EVERY_PAGE))
def test_every_page_is_served_under_a_strict_policy(service: Service, path: str) -> None:
    response = httpx.get(service.url + path)
    assert response.status_code == 200
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "style-src 'self';" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"


def test_every_link_to_this_host_leads_somewhere(service: Service) -> None:
    links = {link for path in EVERY_PAGE for name in ("href", "src") for link in elements_of(path).values(name)}
    targets = {link.partition("#")[0] for link in links} - {""}
    with httpx.Client(base_url=service.url) as http:
        assert {target: http.get(target).status_code for target in targets} == dict.fromkeys(targets, 200)


def test_the_stylesheet_and_the_icon_have_their_types(service: Service) -> None:
    assert httpx.get(service.url + rendering.STYLESHEET_PATH).headers["content-type"] == "text/css; charset=utf-8"
    assert httpx.get(service.url + rendering.ICON_PATH).headers["content-type"] == "image/svg+xml"


def test_examples_do_not_show_the_host_of_the_request(service: Service) -> None:
    response = httpx.get(f"{service.url}/docs", headers={"Host": "evil.example:8443"})
    assert f"curl {service.url}/v1/clients" in response.text
    assert "evil.example" not in response.text


def test_examples_show_the_configured_address() -> None:
    page = reference.with_origin(PAGE, "https://payroll.example.com")
    assert "curl https://payroll.example.com/v1/clients" in page
    assert "127.0.0.1" not in page


def test_an_unknown_kind_of_problem_is_a_404(service: Service) -> None:
    response = httpx.get(f"{service.url}/problems/nonsense")
    assert response.status_code == 404
    assert "nonsense" in response.json()["message"]


def test_the_type_of_a_real_problem_leads_to_its_page(service: Service) -> None:
    problem = httpx.get(f"{service.url}/v1/clients").json()
    page = httpx.get(service.url + problem["type"])
    assert page.status_code == 200
    assert problem["title"] in page.text


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_is_on_the_page_of_its_tag(operation: Operation) -> None:
    [path] = [path for path in REFERENCE if operation.name in elements_of(path).values("id")]
    assert elements_of(path).values("id").count(operation.name) == 1
    assert f"#{operation.name}" in elements_of(path).values("href")
    assert f"{path}#{operation.name}" in elements_of("/docs").values("href")
    text = PAGE[PAGE.index(f'id="{operation.name}"') :]
    text = text[: text.index("</article>")]
    assert f'">{operation.method}</span>' in text
    assert str(rendering.route(operation.path)) in text
    for name in (operation.body_schema or {}).get("properties", {}):
        assert f"<code>{name}</code>" in text
    for status in DOCUMENT["paths"][operation.path][operation.method.lower()]["responses"]:
        assert f">{status}</" in text


def test_every_tag_is_in_the_navigation() -> None:
    start = REFERENCE["/docs"]
    navigation = start[: start.index("</nav>\n<main")]
    assert [tag for tag in DOCUMENT["tags"] if f'">{tag["name"]}</a>' not in navigation] == []


def test_the_curl_lines_work(service: Service, account: Member) -> None:
    text = httpx.get(f"{service.url}/docs/clients").text
    section = text[text.index('id="create_client"') :]
    line = html.unescape(re.sub(r"</?i>", "", section[section.index("curl") : section.index("</pre>")]))
    assert '"Authorization: $GAJI_KEY"' in line
    body = re.search(r"-d '(.*)'", line, re.DOTALL)
    assert body is not None
    address = re.search(r"http://[^/]+(/\S+)", line)
    assert address is not None
    headers = {"Authorization": account.key, "Content-Type": "application/json"}
    assert httpx.post(service.url + address[1], headers=headers, content=body[1]).status_code == 200


@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each.writes], ids=lambda each: each.name)
def test_sample_requests_have_the_examples_that_the_server_accepts(operation: Operation) -> None:
    """`test_openapi.py` sends each of these examples to the server."""
    content = DOCUMENT["paths"][operation.path][operation.method.lower()].get("requestBody", {}).get("content", {})
    if "application/json" in content:
        example = content["application/json"]["example"]
        shown = f'<template class="body">{escape(samples.indented_json(example))}</template>'
        text = PAGE[PAGE.index(f'<article class="operation" id="{operation.name}"') :]
        assert shown in text[: text.index("</article>")]


def test_there_is_no_inline_script_or_style(elements: Elements) -> None:
    assert not {tag for tag, _ in elements.found} & {"style", "iframe", "object", "form"}
    assert [attributes["src"].partition("?")[0] for tag, attributes in elements.found if tag == "script"] == [
        rendering.SCRIPT_PATH
    ]
    names = {name for _, attributes in elements.found for name in attributes}
    assert not {name for name in names if name == "style" or name.startswith("on")}


def test_nothing_points_to_another_host(elements: Elements) -> None:
    for name in ("href", "src"):
        assert [link for link in elements.values(name) if not re.match(r"[/#](?!/)", link)] == []
    assert b"url(" not in rendering.STYLESHEET
    assert b"@import" not in rendering.STYLESHEET


def test_ids_are_unique_and_anchors_exist(elements: Elements) -> None:
    ids = elements.values("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in elements.values("href") if link.startswith("#")} <= set(ids)


def test_every_tag_is_closed(elements: Elements) -> None:
    assert elements.mismatched == []
    assert elements.open == []


def test_texts_of_the_document_are_escaped() -> None:
    bad = '<b>bold</b> & "quoted" \'`<i>`'
    document = _document({"type": "object", "title": bad, "properties": {bad: _sample_schema(bad)}}, bad)
    for page in reference.reference_pages(document).values():
        elements = Elements(page)
        assert "<b>bold" not in page
        assert "&lt;b&gt;bold&lt;/b&gt; &amp; " in page
        assert elements.mismatched == []
        assert elements.open == []


def test_long_lists_are_shortened_and_linked() -> None:
    assert 'href="/docs/constants#bank_id">/constants/bank_id</a>' in PAGE
    row = PAGE[PAGE.index("<code>7047</code>") :][:300]
    assert f"and {len(CONSTANT_LISTS['bank_id']) - 3} more" in row


def test_a_nested_attribute_is_indented_under_its_parent() -> None:
    text = PAGE[PAGE.index('id="create_client"') :]
    rows = re.findall(r'<tr role="row" class="d(\d)">\s*<td role="cell"><code>(\w+)</code>( <em>required</em>)?', text)
    names = [name for _, name, _ in rows]
    at = names.index("bank_account")
    assert rows[at] == ("0", "bank_account", "")
    assert rows[at + 1] == ("1", "bank_id", " <em>required</em>")


def test_an_object_is_described_once_and_linked_to() -> None:
    assert PAGE.count('id="object-client"') == 1
    assert PAGE.count('href="/docs/clients#object-client"') >= 2


def test_schemas_other_than_plain_objects_are_shown() -> None:
    schema = {
        "type": "object",
        "properties": {
            "amounts": {"type": "object", "additionalProperties": {"type": "string"}},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"line_no": {"type": "integer"}}}},
            "either": {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            "problem": {"$ref": "#/components/schemas/Problem"},
            "day": {"type": ["string", "null"], "format": "date"},
            "itself": {"$ref": "#/components/schemas/Itself"},
        },
    }
    document = _document(schema, "Everything")
    itself = {"type": "object", "properties": {"child": {"$ref": "#/components/schemas/Itself"}}}
    document["components"] = {"schemas": DOCUMENT["components"]["schemas"] | {"Itself": itself}}
    page = "".join(reference.reference_pages(document).values())
    for text in ("object of strings", "array of objects", "string or integer or null", "date or null", "line_no"):
        assert text in page
    assert 'href="/docs/everything#object-problem">Problem</a>' in page


def test_pages_stay_small_when_the_interface_has_grown() -> None:
    """Ninety operations, and an element of forty attributes in a third of them."""
    texts = {f"attribute_{i}": _sample_schema("What it is for, in a sentence of usual length.") for i in range(40)}
    element = {"type": "object", "title": "Employee", "properties": texts}
    paths = {f"/things/{i}": _document(element, f"Thing {i}")["paths"]["/things"] for i in range(90)}
    for i, methods in enumerate(paths.values()):
        methods["post"] = {**methods["post"], "operationId": f"create_thing_{i}", "tags": [f"Tag {i // 5}"]}
        if i % 3:
            del methods["post"]["requestBody"]
    tags = [{"name": f"Tag {i}"} for i in range(18)]
    pages = reference.reference_pages(_document(element, "Much") | {"paths": paths, "tags": tags})
    assert sum(page.count('<article class="operation" id="create_thing_') for page in pages.values()) == 90
    assert max(len(page.encode()) for page in pages.values()) < 300_000
    assert max(len(page.encode()) for page in REFERENCE.values()) < 400_000


def test_the_search_finds_operations_objects_and_attributes(service: Service) -> None:
    entries = httpx.get(f"{service.url}/docs/search.json").json()
    urls = {entry["url"] for entry in entries}
    assert {f"{path}#{name}" for path in REFERENCE for name in elements_of(path).values("id") if name in NAMES} <= urls
    [employee] = [entry for entry in entries if entry["title"] == "Employee"]
    assert "birthdate" in employee["text"]
    for url in urls:
        path, _, anchor = url.partition("#")
        assert not anchor or anchor in elements_of(path).values("id")


def test_the_month_on_the_start_page_can_be_run(service: Service, account: Member) -> None:
    ids: dict[str, str] = {}

    def with_ids(text: str) -> str:
        return re.sub(r"\$([A-Z_]+_ID)", lambda match: ids[match[1]], text)

    for step in MONTH:
        assert str(rendering.shell(step.curl)) in REFERENCE["/docs"]
        content = with_ids(msgspec.json.encode(step.body).decode()) if step.body is not None else None
        response = account.call(step.method, with_ids(step.path), content=content)
        assert response.status_code == 200, response.text
        if step.keeps_id:
            ids[step.keeps_id] = str(response.json()["id"])
    assert set(ids) == set(IDS)
    assert response.json()[0]["filing"]["month"] == "2026-01"


def test_variables_of_the_month_are_replaced_by_the_shell() -> None:
    environment = {"GAJI_KEY": "key", **{name: str(number) for number, name in enumerate(IDS, 7)}}
    for step in MONTH:
        script = step.curl.replace("curl", "printf '%s\\n'", 1)
        lines = subprocess.run(["sh", "-c", script], env=environment, capture_output=True, text=True, check=True).stdout
        assert "$" not in lines
        if step.body is not None:
            assert isinstance(json.loads(lines[lines.index("-d\n") + 3 :]), dict)


@pytest.mark.parametrize("error", PROBLEMS, ids=lambda error: error.kind)
def test_every_kind_of_problem_has_its_page(error: type[GajiError]) -> None:
    page = problem_pages.problem_page(error)
    assert f"<h1>{error.title}</h1>" in page
    assert f">{error.status}</span>" in page
    for heading in ("When it happens", "What to do", "Example"):
        assert heading in page
    assert f"/problems/{error.kind}" in page
    assert f'href="/problems/{error.kind}"' in PAGE


def test_there_are_texts_for_exactly_the_known_kinds() -> None:
    assert set(PROBLEM_TEXTS) == {error.kind for error in PROBLEMS}


def test_every_data_list_is_readable_without_a_key() -> None:
    page = EVERY_PAGE["/docs/constants"]
    for name, entries in CONSTANT_LISTS.items():
        text = page[page.index(f'<section class="list" id="{name}">') :]
        assert text[: text.index("</section>")].count("<dt>") == len(entries)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_text_is_readable_on_what_is_behind_it(theme: str) -> None:
    colours = _colours(theme)
    weak = {
        (ink, behind): round(contrast, 2)
        for ink, behind in _pairs()
        if (contrast := _contrast(colours[ink], colours[behind])) < READABLE
    }
    assert weak == {}


def _sample_schema(description: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": 100, "description": description, "examples": [description]}


def _document(schema: dict[str, Any], words: str) -> dict[str, Any]:
    """Return a document with one operation whose body and response have this schema."""
    content = {"application/json": {"schema": schema}}
    operation = {
        "operationId": "create_thing",
        "tags": [words],
        "summary": words,
        "description": words,
        "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}, "description": words}],
        "requestBody": {"content": content},
        "responses": {
            "200": {
                "description": words,
                "content": {
                    "application/json": {"schema": {"type": "object", "properties": {"thing": schema}}},
                },
            }
        },
    }
    return {
        "info": {"title": words, "summary": words, "version": "1"},
        "tags": [{"name": words, "description": words}],
        "paths": {"/things": {"post": operation}},
    }


def _pairs() -> Iterator[tuple[str, str]]:
    for ink in ("ink", "quiet", "accent", "need"):
        yield ink, "paper"
    for ink in ("ink", "quiet"):
        yield ink, "panel"
    for ink in ("accent", "get", "post", "change", "delete"):
        yield ink, f"{ink}-soft"
        yield ink, "paper"
    for ink in ("code-ink", "code-quiet", "code-key", "code-text", "code-literal"):
        yield ink, "code"


def _colours(theme: str) -> dict[str, str]:
    blocks = re.findall(r":root \{(.*?)\}", rendering.STYLESHEET.decode(), re.DOTALL)
    light, dark, on_paper = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", block)) for block in blocks)
    return {"light": light, "dark": light | dark, "print": light | on_paper}[theme]


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
