"""The pages for people who read the API's documentation: plain HTML, no script, nothing from elsewhere.

They are made once, from the OpenAPI document, the data lists and the kinds of problem.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from importlib import resources
from typing import Any

import msgspec

from gaji.core.constants import LISTS
from gaji.core.errors import PROBLEMS, GajiError, ValidationError
from gaji.web import problems
from gaji.web.operations import JSON
from gaji.web.docs import render, samples
from gaji.web.docs.samples import ORIGIN
from gaji.web.docs.shapes import Row, Shape, Shapes

SAMPLE_REQUEST_ID = "5f2c1d0e9b8a7c6d5e4f3a2b"
METHODS = ("get", "post", "put", "patch", "delete")
PARAMETER_PLACES = (("path", "Path"), ("query", "Query"), ("header", "Headers"))
PLAIN_ORIGIN = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+")
PROBLEM_OF_STATUS = {str(error.status): error for error in PROBLEMS}


@dataclass(frozen=True)
class Answered:
    """What an operation answers when it succeeds."""

    status: str
    phrase: str
    description: str
    media_type: str | None
    shape: Shape | None
    example: Any
    headers: Sequence[tuple[str, str]]
    """Headers that not every operation sends, each with what it says."""


@dataclass(frozen=True)
class Described:
    """One operation as the page shows it."""

    id: str
    title: str
    method: str
    path: str
    summary: str
    description: str
    deprecated: bool
    parameters: Sequence[tuple[str, Sequence[Row]]]
    body: Shape | None
    body_example: Any
    answers: Sequence[Answered]
    problems: Sequence[type[GajiError]]
    curl: str


@dataclass(frozen=True)
class Section:
    """The operations under one tag, and the objects that they are the first to use."""

    name: str
    anchor: str
    description: str
    operations: Sequence[Described]
    objects: Mapping[str, Shape]


def page(document: dict[str, Any]) -> str:
    """The whole reference on one page."""
    return render(
        "reference.html",
        info=document["info"],
        sections=_sections(document),
        problems=PROBLEMS,
        problem_example=_problem_document(ValidationError),
        first=samples.curl("GET", "/clients", (), None, saves_file=False),
    )


def constants_page() -> str:
    """Every data list with its values, for those who have no key at hand."""
    return render("constants.html", lists=dict(sorted(LISTS.items())))


def problem_page(error: type[GajiError]) -> str:
    """What one kind of problem means."""
    words = PROBLEM_WORDS[error.kind]
    return render(
        "problem.html",
        error=error,
        words=words,
        phrase=HTTPStatus(error.status).phrase,
        headers=_sample_of(error).headers | words.get("headers", {}),
        document=_problem_document(error),
        problems=PROBLEMS,
    )


def problem_pages() -> dict[str, str]:
    """The page of every kind of problem, by its kind."""
    return {error.kind: problem_page(error) for error in PROBLEMS}


def addressed(page: str, origin: str) -> str:
    """The page with the scheme and host in its examples that the reader found the service at.

    A Host header that is anything but a plain host is not repeated.
    """
    return page.replace(ORIGIN, origin) if PLAIN_ORIGIN.fullmatch(origin) else page


PROBLEM_WORDS: dict[str, dict[str, Any]] = tomllib.loads(
    resources.files("gaji.web.docs").joinpath("problems.toml").read_text()
)
"""For each kind of problem: what it means, when it happens, what to do, and a message as it may be."""


def _sample_of(error: type[GajiError]) -> GajiError:
    words = PROBLEM_WORDS[error.kind]
    return ValidationError(words["errors"]) if error is ValidationError else error(words["message"])


def _problem_document(error: type[GajiError]) -> Any:
    return msgspec.json.decode(problems.encode_problem(_sample_of(error), ORIGIN, SAMPLE_REQUEST_ID))


def _sections(document: Mapping[str, Any]) -> list[Section]:
    lists = {name: tuple(entry.value for entry in entries) for name, entries in LISTS.items()}
    shapes = Shapes(document, lists)
    described = list(_operations(document))
    everywhere = set.intersection(*(_header_names(operation) for _, _, operation in described)) if described else set()
    sections = []
    for tag in document["tags"]:
        mine = [one for one in described if tag["name"] in one[2]["tags"]]
        titles = [title for _, _, operation in mine for title in _collect(shapes, operation)]
        operations = [_described(shapes, *one, everywhere) for one in mine]
        objects = {title: shapes.shape(shapes.objects[title]) for title in titles}
        anchor = re.sub(r"\W+", "-", tag["name"].lower()).strip("-")
        sections.append(Section(tag["name"], anchor, tag.get("description", ""), operations, objects))
    return sections


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                yield method.upper(), path, methods[method]


def _successes(operation: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            yield status, answer


def _header_names(operation: Mapping[str, Any]) -> set[str]:
    return {name for _, answer in _successes(operation) for name in answer.get("headers", {})}


def _collect(shapes: Shapes, operation: Mapping[str, Any]) -> list[str]:
    found = []
    for _, answer in _successes(operation):
        for content in answer.get("content", {}).values():
            found += shapes.collect_objects(content.get("schema", {}))
    return found


def _described(shapes: Shapes, method: str, path: str, operation: Mapping[str, Any], everywhere: set[str]) -> Described:
    parameters = [_parameter(shapes, one) for one in operation.get("parameters", ())]
    body = operation.get("requestBody", {}).get("content", {}).get(JSON)
    answers = [_answered(shapes, status, answer, everywhere) for status, answer in _successes(operation)]
    saves_file = any(one.media_type not in (None, JSON) for one in answers)
    small = samples.small_body(shapes, body["schema"]) if body else None
    return Described(
        id=operation["operationId"],
        title=operation["operationId"].replace("_", " ").capitalize(),
        method=method,
        path=path,
        summary=operation.get("summary", ""),
        description=operation.get("description", ""),
        deprecated=operation.get("deprecated", False),
        parameters=[
            (caption, rows)
            for place, caption in PARAMETER_PLACES
            if (rows := [shapes.parameter(one) for one in parameters if one["in"] == place])
        ],
        body=shapes.shape(body["schema"]) if body else None,
        body_example=_example(shapes, body) if body else None,
        answers=answers,
        problems=[PROBLEM_OF_STATUS[status] for status in operation["responses"] if status in PROBLEM_OF_STATUS],
        curl=samples.curl(method, path, parameters, small, saves_file=saves_file),
    )


def _parameter(shapes: Shapes, parameter: dict[str, Any]) -> dict[str, Any]:
    parameter = shapes.resolved(parameter)
    if parameter["in"] == "path" and "description" not in parameter and parameter["name"].endswith("_id"):
        noun = parameter["name"].removesuffix("_id").replace("_", " ")
        return {**parameter, "description": f"Which {noun}: its `id`."}
    return parameter


def _answered(shapes: Shapes, status: str, answer: Mapping[str, Any], everywhere: set[str]) -> Answered:
    contents: dict[str, dict[str, Any]] = answer.get("content", {})
    media_type = next(iter(contents), None)
    content = contents[media_type] if media_type else {}
    headers = [
        (name, shapes.resolved(header).get("description", ""))
        for name, header in answer.get("headers", {}).items()
        if name not in everywhere
    ]
    schema = content.get("schema") if media_type == JSON else None
    return Answered(
        status=status,
        phrase=HTTPStatus(int(status)).phrase,
        description=answer.get("description", ""),
        media_type=media_type,
        shape=shapes.shape(schema) if schema else None,
        example=_example(shapes, content) if schema else None,
        headers=headers,
    )


def _example(shapes: Shapes, content: Mapping[str, Any]) -> Any:
    return content["example"] if "example" in content else samples.sample(shapes, content["schema"])
