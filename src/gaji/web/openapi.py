"""The OpenAPI 3.1 document, derived from the declared operations."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec

from gaji import __version__
from gaji.core.errors import ERROR_CODES, PROBLEMS, GajiError
from gaji.core.field_types import JsonSchema, pascal_case
from gaji.core.json_schemas import IDENTIFIER, TIMESTAMP, WARNINGS
from gaji.web.openapi_components import NamedSchemas, singular
from gaji.web.operations import JSON, REPLAYED, RULES_VERSION, Operation, is_identifier
from gaji.web.problems import PROBLEM_JSON, encode_problem, sample_error
from gaji.web.updated_since import NEXT_CURSOR

DEFAULT_ORIGIN = "http://127.0.0.1:8000"
"""The scheme and host in the document and in examples by default."""
TAGS: Mapping[str, str] = tomllib.loads((Path(__file__).parent / "tags.toml").read_text())
"""The descriptions of the groups of operations."""
SAMPLE_REQUEST_ID = "5f2c1d0e9b8a7c6d5e4f3a2b"
COMMON_STATUSES = (401, 404, 422, 429, 500, 503)
BODY_STATUSES = (400, 413, 415)
WRITE_STATUSES = (403, 409)
RATE_LIMIT_HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
PROBLEM_HEADERS = {
    401: ("WWW-Authenticate",),
    405: ("Allow",),
    409: ("Retry-After",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}
"""Headers that only problems with this status have."""


def document(operations: Sequence[Operation], origin: str = DEFAULT_ORIGIN) -> dict[str, Any]:
    """Return the OpenAPI document, with a named schema for every resource, body and enumeration."""
    inline = inline_document(operations, origin)
    names = NamedSchemas()
    for operation in operations:
        if operation.has_changes:
            media = inline["paths"][operation.path]["get"]["responses"]["200"]["content"][JSON]
            media["schema"] = _with_deleted_records(media["schema"])
    paths = {
        path: {method: _with_names(operation, names) for method, operation in methods.items()}
        for path, methods in inline["paths"].items()
    }
    for title, schema in inline["components"]["schemas"].items():
        names.add(schema, title)
    components = {**inline["components"], "schemas": dict(sorted(names.schemas.items()))}
    return {**inline, "paths": paths, "components": components}


def inline_document(operations: Sequence[Operation], origin: str = DEFAULT_ORIGIN) -> dict[str, Any]:
    """Return the OpenAPI document with each schema where it is used. The reference page is made from it."""
    paths: dict[str, dict[str, Any]] = {}
    single_reads = {operation.path for operation in operations if operation.has_entity_tag}
    for operation in operations:
        is_conditional = operation.writes and operation.path in single_reads
        entry = _operation(operation, dict(_links(operation, operations)), is_conditional=is_conditional)
        paths.setdefault(operation.path, {})[operation.method.lower()] = entry
    tags = list(dict.fromkeys(operation.tag for operation in operations))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gaji",
            "version": __version__,
            "summary": "Singapore payroll",
            "license": {"name": "Apache 2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
            "description": (
                "Payroll of one or more clients (companies) in Singapore. Send your API key in the Authorization "
                "header, with or without Bearer. Lists contain all elements unless you send page or per_page."
            ),
        },
        "servers": [{"url": f"{origin}/v1"}, {"url": f"{origin}/api/v1", "description": "Alias of /v1."}],
        "security": [{"apiKey": []}],
        "tags": [{"name": tag, "description": TAGS[tag]} for tag in tags],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "apiKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "The API key, with or without Bearer.",
                }
            },
            "schemas": {"Problem": _problem_schema()},
            "responses": {str(error.status): _problem_response(error.status) for error in PROBLEMS},
            "headers": HEADERS,
            "parameters": {"IdempotencyKey": IDEMPOTENCY_KEY, "IfMatch": IF_MATCH, "IfNoneMatch": IF_NONE_MATCH},
        },
    }


def _with_names(operation: dict[str, Any], names: NamedSchemas) -> dict[str, Any]:
    """Return an operation whose schemas are references to named schemas."""
    name = pascal_case(operation["operationId"])
    named = dict(operation)
    if "requestBody" in operation:
        body = operation["requestBody"]
        named["requestBody"] = {**body, "content": _named_content(body["content"], f"{name}Request", names)}
    named["responses"] = {
        status: {**response, "content": _named_content(response["content"], f"{name}Response", names)}
        if "content" in response
        else response
        for status, response in operation["responses"].items()
    }
    named["parameters"] = [
        {**parameter, "schema": names.add(parameter["schema"], f"{name}_{parameter['name']}")}
        if "schema" in parameter
        else parameter
        for parameter in operation["parameters"]
    ]
    return named


def _named_content(content: Mapping[str, Any], name: str, names: NamedSchemas) -> dict[str, Any]:
    return {media_type: {**media, "schema": names.add(media["schema"], name)} for media_type, media in content.items()}


def _links(operation: Operation, operations: Sequence[Operation]) -> Iterator[tuple[str, Any]]:
    """Yield links from the response to a create to the operations on the new record."""
    returns_id = "id" in (operation.response_schema or {}).get("properties", {})
    if operation.method != "POST" or not returns_id:
        return
    collection = operation.path.rpartition("/")[2]
    for other in operations:
        if match := re.fullmatch(rf"/{collection}/{{(\w+)}}(/\w+)?", other.path):
            is_action = other.method == "POST" and other.body_schema is None
            if match[2] is None or is_action:
                yield other.name, {"operationId": other.name, "parameters": {match[1]: "$response.body#/id"}}


def _operation(operation: Operation, links: Mapping[str, Any], *, is_conditional: bool) -> dict[str, Any]:
    statuses = sorted(
        {
            *COMMON_STATUSES,
            *operation.error_statuses,
            *(WRITE_STATUSES if operation.writes else ()),
            *((412,) if is_conditional else ()),
            *(BODY_STATUSES if operation.body_schema is not None else ()),
        }
    )
    entry: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": _parameters(operation, is_conditional=is_conditional),
        "responses": {
            "200": {
                "description": SPARSE_SUCCESS if operation.record_form else "Success",
                "headers": _headers(operation),
                "content": _content(operation),
                **({"links": links} if links else {}),
            },
            **_pending_responses(operation),
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in statuses},
        },
    }
    if operation.body_schema is not None:
        example = operation.body_example or _example_from_schema(operation.body_schema)
        body = {"schema": operation.body_schema, "example": example}
        entry["requestBody"] = {"required": True, "content": dict.fromkeys(operation.body_media_types or (JSON,), body)}
    return entry


def _content(operation: Operation) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if operation.response_schema is not None:
        schema = operation.response_schema
        example = next(iter(schema.get("examples", ())), None) if operation.example is None else operation.example
        content[JSON] = {"schema": schema, "example": example}
    return {**content, **{media_type: {"schema": FILE} for media_type in operation.file_types}}


def _with_deleted_records(schema: JsonSchema) -> JsonSchema:
    """Return the schema of a list whose elements can be deleted records, because the list has `updated_since`."""
    element = schema["items"]
    if element.get("additionalProperties") is not False:
        return {**schema, "items": _or_deleted(element)}
    [(resource, record)] = element["properties"].items()
    title = f"{pascal_case(record.get('title', resource))}ListEnvelope"
    return {**schema, "items": {**element, "title": title, "properties": {resource: _or_deleted(record)}}}


def _or_deleted(record: JsonSchema) -> JsonSchema:
    # Generated clients try the alternatives in this order.
    return {"oneOf": [record, DELETED_RECORD]}


def _pending_responses(operation: Operation) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    if operation.pending_when:
        content = {JSON: {"schema": operation.pending_schema or PENDING}}
        responses["202"] = {"description": operation.pending_when, "headers": _headers(operation), "content": content}
    if operation.no_content_when:
        headers = _headers(operation) | _header_references(["Retry-After"])
        responses["204"] = {"description": operation.no_content_when, "headers": headers}
    if operation.has_entity_tag:
        description = "The record has not changed since the response with the ETag in `If-None-Match`."
        responses["304"] = {"description": description, "headers": _headers(operation)}
    return responses


def _example_from_schema(schema: JsonSchema) -> Any:
    """Return an example of a body, from the attributes that have an example."""
    if "examples" in schema:
        return schema["examples"][0]
    children = {name: _example_from_schema(child) for name, child in schema.get("properties", {}).items()}
    return {name: child for name, child in children.items() if child is not None} or None


def _parameters(operation: Operation, *, is_conditional: bool) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = []
    for name in re.findall(r"{(\w+)}", operation.path):
        schema, description = _path_schema(operation, name), _path_description(operation.path, name)
        parameter = {"name": name, "in": "path", "required": True, "schema": schema, "description": description}
        parameters.append(parameter | _example(PATH_EXAMPLES, name))
    for query in operation.query_parameters.values():
        schema = query.type.json_schema()
        parameter = {"name": query.name, "in": "query", "schema": schema, "description": query.description}
        parameters.append(parameter | _example(operation.query_example, query.name))
    if operation.writes:
        parameters.append({"$ref": "#/components/parameters/IdempotencyKey"})
    if is_conditional:
        parameters.append({"$ref": "#/components/parameters/IfMatch"})
    if operation.has_entity_tag:
        parameters.append({"$ref": "#/components/parameters/IfNoneMatch"})
    return parameters


def _example(examples: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {"example": examples[name]} if name in examples else {}


def _path_description(path: str, name: str) -> str:
    if name in PATH_DESCRIPTIONS:
        return PATH_DESCRIPTIONS[name]
    collection = path.partition(f"/{{{name}}}")[0].rpartition("/")[2]
    return f"ID of the {singular(collection).replace('_', ' ')}."


def _path_schema(operation: Operation, name: str) -> JsonSchema:
    if name in operation.path_schemas:
        return operation.path_schemas[name]
    if name in operation.path_types:
        return operation.path_types[name].json_schema()
    return {"type": "integer", "minimum": 1} if is_identifier(name) else {"type": "string", "minLength": 1}


def _headers(operation: Operation) -> dict[str, Any]:
    names = ["X-Request-Id", *RATE_LIMIT_HEADERS]
    if operation.paged:
        names += ["X-Total-Count", "Link"]
    if operation.has_changes:
        names.append(NEXT_CURSOR)
    if operation.has_rules_version:
        names.append(RULES_VERSION)
    if operation.file_types:
        names.append("Content-Disposition")
    if operation.writes:
        names.append(REPLAYED)
    if operation.has_entity_tag:
        names.append("ETag")
    names += operation.headers
    return _header_references(names)


def _header_references(names: Sequence[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _problem_response(status: int) -> dict[str, Any]:
    kinds = [error for error in PROBLEMS if error.status == status]
    description = " ".join((error.__doc__ or "").strip() for error in kinds)
    names = ["X-Request-Id", *RATE_LIMIT_HEADERS, *PROBLEM_HEADERS.get(status, ()), REPLAYED]
    return {
        "description": f"{HTTPStatus(status).phrase}: {description}",
        "headers": _header_references(names),
        "content": {
            PROBLEM_JSON: {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {error.kind: {"summary": error.title, "value": _problem_example(error)} for error in kinds},
            }
        },
    }


def _problem_example(error: type[GajiError]) -> Any:
    return msgspec.json.decode(encode_problem(sample_error(error), "", SAMPLE_REQUEST_ID))


def _problem_schema() -> JsonSchema:
    return {
        "type": "object",
        "title": "Problem",
        "description": "The body of every response with status 400 and above (RFC 9457).",
        "required": ["type", "title", "status", "detail", "message", "request_id"],
        "properties": {
            "type": {
                "type": "string",
                "format": "uri-reference",
                "description": "Address of a page about this kind of problem. Relative unless the operator configured "
                "a public address. The last segment identifies the kind.",
            },
            "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": {"type": "string"},
            "message": {
                "type": "string",
                "description": "What went wrong and how to fix it. Same text as `detail`.",
            },
            "errors": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "A message for each invalid attribute, by its dotted path.",
            },
            "error_details": {
                "type": "array",
                "items": _error_detail_schema(),
                "description": "The same errors for programs: with a stable code and the parameters of the message.",
            },
            "warnings": WARNINGS,
            "request_id": {"type": "string"},
        },
    }


def _error_detail_schema() -> JsonSchema:
    """Return the schema of one error in a problem document, with all error codes of the application."""
    templates = {code: ERROR_CODES[code].template for code in sorted(ERROR_CODES)}
    return {
        "type": "object",
        "title": "ErrorDetail",
        "required": ["path", "code", "message", "params"],
        "properties": {
            "path": {"type": "string", "description": "Dotted path of the attribute, such as `bank_account.bank_id`."},
            "attribute": {
                "type": "string",
                "description": "The attribute, if the path is that of several, such as a cell.",
            },
            "value": {"type": "string", "description": "The value of the cell, for errors of a workbook."},
            "code": {
                "type": "string",
                "enum": list(templates),
                "x-enumDescriptions": templates,
                "description": "Error code. Codes are stable; new versions may add codes.",
            },
            "message": {"type": "string", "description": "The message, as in `errors`."},
            "params": {
                "type": "object",
                "additionalProperties": True,
                "description": "The values in the message, by name.",
            },
        },
    }


HEADERS: dict[str, Any] = {
    name: {"description": description, "schema": {"type": kind}}
    for name, kind, description in (
        ("X-Request-Id", "string", "ID of the request in the log."),
        ("X-RateLimit-Limit", "integer", "Requests per minute that this key is limited to."),
        ("X-RateLimit-Remaining", "integer", "Requests left in the current minute."),
        ("X-RateLimit-Reset", "integer", "End of the current minute, in seconds since 1970."),
        ("X-Total-Count", "integer", "Total number of elements, if a page was requested."),
        (NEXT_CURSOR, "string", "The cursor after the changes of this response, if `updated_since` was sent."),
        ("Link", "string", "Addresses of the first, previous, next and last page."),
        (RULES_VERSION, "string", "Versions of the statutory parameters that the amounts were calculated with."),
        ("Retry-After", "integer", "Seconds to wait before the next attempt."),
        ("Content-Disposition", "string", "The name of the file."),
        ("Vary", "string", "The request headers that decide the media type."),
        ("WWW-Authenticate", "string", "How to authenticate."),
        ("Allow", "string", "The methods that the path supports."),
        ("ETag", "string", "Identifies this version of the record, for `If-None-Match` and `If-Match`."),
        (REPLAYED, "string", "`true` if this is the stored response to an earlier request with the same key."),
        ("X-Report-State", "string", "`queued` or `running`."),
        ("X-Report-Rows", "integer", "The number of rows so far."),
    )
}

PATH_DESCRIPTIONS = {
    "report": "ID of the report.",
    "uuid": "The `uuid` that the operation that started the task returned.",
    "name": "Name of the file, from the list of files.",
    "month": "Month, such as 2026-03.",
    "valid_from": "First day of the dated change.",
    "external_id": "The `external_id` of the record.",
    "list_name": "Name of the list.",
}
"""Descriptions of the path parameters that are not IDs of records."""
PATH_EXAMPLES = {"uuid": "5a0f3c52-9f0e-4c39-8a55-0c2f1f0d7b6e", "external_id": "HR-1"}

SPARSE_SUCCESS = (
    "Success. With `fields`, each record has only the attributes that were selected and `id`, "
    "also if its schema requires others."
)

FILE: JsonSchema = {"type": "string", "format": "binary"}

DELETED_RECORD: JsonSchema = {
    "type": "object",
    "title": "DeletedRecord",
    "description": "A record that was deleted. Only in lists with `updated_since`.",
    "required": ["id", "deleted", "deleted_at"],
    "properties": {"id": IDENTIFIER, "deleted": {"type": "boolean", "const": True}, "deleted_at": TIMESTAMP},
    "additionalProperties": False,
}

PENDING: JsonSchema = {
    "type": "object",
    "title": "CalculationPending",
    "required": ["message"],
    "properties": {"message": {"type": "string"}},
    "examples": [{"message": "Some payslips are still being calculated; try again shortly"}],
}

IDEMPOTENCY_KEY: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A repeated request with the same key returns the first response, for 24 hours.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}

IF_MATCH: dict[str, Any] = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The `ETag` of the record. If the record has changed since, the response is a 412.",
    "schema": {"type": "string", "minLength": 1},
}

IF_NONE_MATCH: dict[str, Any] = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The `ETag` of an earlier response. If the record has not changed since, the response is a 304.",
    "schema": {"type": "string", "minLength": 1},
}
