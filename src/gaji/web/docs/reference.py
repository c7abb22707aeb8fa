"""The API reference, built from the OpenAPI document: a start page and a page for each tag. Also the constants."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec

from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import PROBLEMS, GajiError, ValidationError
from gaji.web.docs import samples
from gaji.web.docs.month import MONTH
from gaji.web.docs.problem_pages import problem_document
from gaji.web.docs.rendering import render
from gaji.web.docs.schema_tables import AttributeRow, SchemaTable, SchemaTables
from gaji.web.openapi import DEFAULT_ORIGIN
from gaji.web.operations import JSON

START_PATH = "/docs"
ANCHORS = {"Constants": "constant-lists"}
"""The last path segments of pages that do not follow from the tag. `/docs/constants` has the values themselves."""
METHODS = ("get", "post", "put", "patch", "delete")
PARAMETER_LOCATIONS = (("path", "Path"), ("query", "Query"), ("header", "Headers"))

OperationItem = tuple[str, str, Mapping[str, Any]]
"""Method, path and OpenAPI operation."""


@dataclass(frozen=True)
class ResponseEntry:
    """A successful response of an operation."""

    status: str
    phrase: str
    description: str
    media_type: str | None
    table: SchemaTable | None
    example: Any
    headers: Sequence[tuple[str, str]]
    """Names and descriptions of the headers that not every operation sends."""


@dataclass(frozen=True)
class OperationEntry:
    """An operation, as the page shows it."""

    id: str
    title: str
    method: str
    path: str
    summary: str
    description: str
    deprecated: bool
    parameters: Sequence[tuple[str, Sequence[AttributeRow]]]
    body: SchemaTable | None
    body_example: str
    """The body of the sample request as JSON, empty if it has none."""
    responses: Sequence[ResponseEntry]
    problems: Sequence[type[GajiError]]
    curl: str
    takes_file: bool


@dataclass(frozen=True)
class ReferenceSection:
    """The operations with one tag, and the objects that appear here first."""

    name: str
    anchor: str
    description: str
    operations: Sequence[OperationEntry]
    objects: Mapping[str, SchemaTable]

    @property
    def path(self) -> str:
        """The path of its page."""
        return f"{START_PATH}/{self.anchor}"


def reference_pages(document: dict[str, Any]) -> dict[str, str]:
    """Return the pages of the reference by path."""
    sections = _sections(document)
    common = {
        "info": document["info"],
        "sections": sections,
        "object_urls": {
            title: f"{section.path}#{_object_anchor(title)}" for section in sections for title in section.objects
        },
    }
    start = render(
        "start.html",
        **common,
        section=None,
        problems=PROBLEMS,
        problem_example=problem_document(ValidationError),
        first_request=samples.curl("GET", "/clients", (), None, saves_file=False),
        month=MONTH,
    )
    return {START_PATH: start} | {
        section.path: render("section.html", **common, section=section, object_anchor=_object_anchor)
        for section in sections
    }


def search_index(document: dict[str, Any]) -> bytes:
    """Return what the search of the pages looks through, as JSON: operations, objects and their attributes."""
    entries: list[dict[str, str]] = []
    for section in _sections(document):
        entries.append({"title": section.name, "text": section.description, "url": section.path})
        entries += [
            {
                "title": operation.title,
                "method": operation.method,
                "text": f"{operation.path} {operation.summary}",
                "url": f"{section.path}#{operation.id}",
            }
            for operation in section.operations
        ]
        entries += [
            {
                "title": title,
                "text": " ".join(row.name for row in table.rows),
                "url": f"{section.path}#{_object_anchor(title)}",
            }
            for title, table in section.objects.items()
        ]
    return msgspec.json.encode(entries)


def constants_page() -> str:
    """Return the page with every list of constants and its values."""
    return render("constants.html", lists=dict(sorted(CONSTANT_LISTS.items())))


def with_origin(page: str, origin: str) -> str:
    """Return the page with the scheme and host of the server in its examples."""
    return page.replace(DEFAULT_ORIGIN, origin)


def _sections(document: Mapping[str, Any]) -> list[ReferenceSection]:
    lists = {name: tuple(entry.value for entry in entries) for name, entries in CONSTANT_LISTS.items()}
    tables = SchemaTables(document, lists)
    items = list(_operations(document))
    common_headers = set.intersection(*(_header_names(operation) for _, _, operation in items)) if items else set()
    sections = []
    for tag in document["tags"]:
        tagged = [item for item in items if tag["name"] in item[2]["tags"]]
        titles = [title for _, _, operation in tagged for title in _collect_objects(tables, operation)]
        operations = [_operation_entry(tables, item, common_headers) for item in tagged]
        objects = {title: tables.table(tables.objects[title]) for title in titles}
        anchor = ANCHORS.get(tag["name"]) or re.sub(r"\W+", "-", tag["name"].lower()).strip("-")
        sections.append(ReferenceSection(tag["name"], anchor, tag.get("description", ""), operations, objects))
    return sections


def _object_anchor(title: str) -> str:
    return f"object-{title.lower()}"


def _operations(document: Mapping[str, Any]) -> Iterator[OperationItem]:
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                yield method.upper(), path, methods[method]


def _successes(operation: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for status, response in operation["responses"].items():
        if status.startswith(("2", "3")):
            yield status, response


def _header_names(operation: Mapping[str, Any]) -> set[str]:
    return {name for _, response in _successes(operation) for name in response.get("headers", {})}


def _collect_objects(tables: SchemaTables, operation: Mapping[str, Any]) -> list[str]:
    titles = []
    for _, response in _successes(operation):
        for content in response.get("content", {}).values():
            titles += tables.collect_objects(content.get("schema", {}))
    return titles


def _operation_entry(tables: SchemaTables, item: OperationItem, common_headers: set[str]) -> OperationEntry:
    method, path, operation = item
    parameters = [tables.resolve(parameter) for parameter in operation.get("parameters", ())]
    contents = operation.get("requestBody", {}).get("content", {})
    body = contents.get(JSON)
    upload_type = next(iter(contents), None) if body is None else None
    responses = [
        _response_entry(tables, status, response, common_headers) for status, response in _successes(operation)
    ]
    saves_file = any(response.media_type not in (None, JSON) for response in responses)
    body_example = _example(tables, body) if body else None
    return OperationEntry(
        id=operation["operationId"],
        title=operation["operationId"].replace("_", " ").capitalize(),
        method=method,
        path=path,
        summary=operation.get("summary", ""),
        description=operation.get("description", ""),
        deprecated=operation.get("deprecated", False),
        parameters=_parameter_tables(tables, parameters),
        body=tables.table(body["schema"]) if body else None,
        body_example="" if body_example is None else samples.indented_json(body_example),
        responses=responses,
        problems=[error for error in PROBLEMS if str(error.status) in operation["responses"]],
        curl=samples.curl(method, path, parameters, body_example, saves_file=saves_file, upload_type=upload_type),
        takes_file=upload_type is not None,
    )


def _parameter_tables(
    tables: SchemaTables, parameters: Sequence[dict[str, Any]]
) -> list[tuple[str, Sequence[AttributeRow]]]:
    captioned: list[tuple[str, Sequence[AttributeRow]]] = []
    for location, caption in PARAMETER_LOCATIONS:
        if rows := [tables.parameter_row(parameter) for parameter in parameters if parameter["in"] == location]:
            captioned.append((caption, rows))
    return captioned


def _response_entry(
    tables: SchemaTables, status: str, response: Mapping[str, Any], common_headers: set[str]
) -> ResponseEntry:
    contents: dict[str, dict[str, Any]] = response.get("content", {})
    media_type = next(iter(contents), None)
    content = contents[media_type] if media_type else {}
    headers = [
        (name, tables.resolve(header).get("description", ""))
        for name, header in response.get("headers", {}).items()
        if name not in common_headers
    ]
    schema = content.get("schema") if media_type == JSON else None
    return ResponseEntry(
        status=status,
        phrase=HTTPStatus(int(status)).phrase,
        description=response.get("description", ""),
        media_type=media_type,
        table=tables.table(schema) if schema else None,
        example=_example(tables, content) if schema else None,
        headers=headers,
    )


def _example(tables: SchemaTables, content: Mapping[str, Any]) -> Any:
    return content["example"] if "example" in content else samples.sample(tables, content["schema"])
