"""The OpenAPI 3.1 document, derived from the declared operations."""

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from gaji import __version__
from gaji.core.errors import PROBLEMS, GajiError, ValidationError
from gaji.core.validation import JsonSchema
from gaji.web.operations import JSON, RULES_VERSION, Operation, QueryParameter, is_identifier
from gaji.web.problems import PROBLEM_JSON

EVERY_OPERATION = (401, 404, 429, 500, 503)
WITH_A_BODY = (400, 413, 415)
WITH_IDEMPOTENCY = (409, 422)
PAGING = (
    QueryParameter("page", {"type": "integer", "minimum": 1, "maximum": 10**9}, "Page to answer, from 1."),
    QueryParameter("per_page", {"type": "integer", "minimum": 1, "maximum": 1000}, "Elements on a page."),
)


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """The whole document."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    tags = list(dict.fromkeys(operation.tag for operation in operations))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gaji",
            "version": __version__,
            "summary": "Singapore payroll",
            "description": (
                "Payroll of one or more clients (companies) in Singapore. Send your API key in the Authorization "
                "header, without a scheme word. Lists are complete arrays; page and per_page opt in to paging."
            ),
        },
        "servers": [{"url": "/v1"}, {"url": "/api/v1", "description": "The same, under its other name."}],
        "security": [{"apiKey": []}],
        "tags": [{"name": tag} for tag in tags],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "apiKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "The bare API key.",
                }
            },
            "schemas": {"Problem": PROBLEM},
            "responses": {str(error.status): _problem_response(error) for error in PROBLEMS},
            "headers": HEADERS,
            "parameters": {"IdempotencyKey": IDEMPOTENCY_KEY},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    statuses = sorted(
        {
            *EVERY_OPERATION,
            *operation.statuses,
            *((403, *WITH_IDEMPOTENCY) if operation.writes else ()),
            *(WITH_A_BODY if operation.takes is not None else ()),
            *((422,) if operation.paged else ()),
        }
    )
    described: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": {
            "200": {
                "description": "Success",
                "headers": _headers(operation),
                "content": _content(operation),
            },
            **_not_yet(operation),
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in statuses},
        },
    }
    if operation.takes is not None:
        body = {"schema": operation.takes, "example": _body_example(operation.takes)}
        described["requestBody"] = {"required": True, "content": {operation.takes_file or JSON: body}}
    return described


def _content(operation: Operation) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if operation.answers is not None:
        content[JSON] = {"schema": operation.answers}
        if operation.example is not None:
            content[JSON]["example"] = operation.example
    return {**content, **{media_type: {"schema": FILE} for media_type in operation.files}}


def _not_yet(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if operation.not_yet:
        content = {JSON: {"schema": NOT_YET}}
        found["202"] = {"description": operation.not_yet, "headers": _headers(operation), "content": content}
    if operation.nothing_yet:
        headers = {**_headers(operation), "Retry-After": {"$ref": "#/components/headers/Retry-After"}}
        found["204"] = {"description": operation.nothing_yet, "headers": headers}
    return found


def _body_example(schema: JsonSchema) -> Any:
    """A body as it may look, made of the attributes that have an example."""
    if "examples" in schema:
        return schema["examples"][0]
    children = {name: _body_example(child) for name, child in schema.get("properties", {}).items()}
    return {name: child for name, child in children.items() if child is not None} or None


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in re.findall(r"{(\w+)}", operation.path):
        schema: JsonSchema = (
            {"type": "integer", "minimum": 1} if is_identifier(name) else {"type": "string", "minLength": 1}
        )
        found.append({"name": name, "in": "path", "required": True, "schema": schema})
    for one in (*operation.query, *(PAGING if operation.paged else ())):
        found.append({"name": one.name, "in": "query", "schema": one.schema, "description": one.description})
    if operation.writes:
        found.append({"$ref": "#/components/parameters/IdempotencyKey"})
    return found


def _headers(operation: Operation) -> dict[str, Any]:
    names = ["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]
    if operation.paged:
        names += ["X-Total-Count", "Link"]
    if operation.by_rules:
        names.append(RULES_VERSION)
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _problem_response(error: type[GajiError]) -> dict[str, Any]:
    sample = error.title
    example: dict[str, Any] = {
        "type": f"http://127.0.0.1:8000/problems/{error.kind}",
        "title": error.title,
        "status": error.status,
        "detail": sample,
        "message": sample,
        "request_id": "5f2c1d0e9b8a7c6d5e4f3a2b",
    }
    if error is ValidationError:
        errors = {
            "bank_account.branch_code": "must be exactly 3 characters",
            "name": "is required",
        }
        text = "2 attributes are not valid"
        example |= {"detail": text, "message": text, "errors": errors}
    return {
        "description": f"{HTTPStatus(error.status).phrase}: {(error.__doc__ or '').strip()}",
        "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}},
    }


PROBLEM: JsonSchema = {
    "type": "object",
    "title": "Problem",
    "description": "The form of every answer of 400 and above (RFC 9457).",
    "required": ["type", "title", "status", "detail", "message", "request_id"],
    "properties": {
        "type": {
            "type": "string",
            "format": "uri",
            "description": "Address of a page about this kind of problem.",
        },
        "title": {"type": "string"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string"},
        "message": {
            "type": "string",
            "description": "What is wrong and what to do; the same text as detail.",
        },
        "errors": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "What is wrong with each attribute, by its dotted path.",
        },
        "request_id": {"type": "string"},
    },
}

HEADERS: dict[str, Any] = {
    name: {"description": description, "schema": {"type": kind}}
    for name, kind, description in (
        ("X-Request-Id", "string", "Names this request in the log."),
        ("X-RateLimit-Limit", "integer", "Requests a minute for this key."),
        ("X-RateLimit-Remaining", "integer", "How many are left in the running minute."),
        ("X-RateLimit-Reset", "integer", "When the minute ends, in seconds since 1970."),
        ("X-Total-Count", "integer", "Elements in all, when a page was asked for."),
        ("Link", "string", "Addresses of the first, previous, next and last page."),
        (RULES_VERSION, "string", "The sets of the law's figures that amounts were calculated with."),
        ("Retry-After", "integer", "After so many seconds it is worth asking again."),
    )
}

FILE: JsonSchema = {"type": "string", "format": "binary"}

NOT_YET: JsonSchema = {
    "type": "object",
    "title": "NotYet",
    "required": ["message"],
    "properties": {"message": {"type": "string"}},
    "examples": [{"message": "Some payslips still wait for calculation; please try again shortly"}],
}

IDEMPOTENCY_KEY: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key with the same request within 24 hours repeats the first answer.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
