"""Sample requests and responses, built from the examples in the schemas."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from gaji.core.field_types import JsonSchema
from gaji.web.docs.schema_tables import MAX_DEPTH, SchemaTables
from gaji.web.openapi import DEFAULT_ORIGIN

SAMPLE_BY_FORMAT = {"date": "2026-03-31", "date-time": "2026-03-31T09:00:00.000000+08:00", "email": "tan@example.com"}
SAMPLE_BY_TYPE: Mapping[str, Any] = {
    "boolean": True,
    "number": 1,
    "integer": 1,
    "string": "text",
    "array": [],
    "object": {},
}
MAX_INLINE_JSON = 48
"""Longer bodies are shown on several lines."""
PATH_SAMPLES = {"list_name": "gender"}
FILE_NAMES = {"image/png": "logo.png", "application/pdf": "certificate.pdf"}
"""The names of uploaded files, by media type. Others are workbooks."""


def sample(tables: SchemaTables, schema: JsonSchema, *, depth: int = 0) -> Any:
    """Return a value that matches the schema."""
    schema = tables.resolve(schema)
    for example in (schema.get("example"), *schema.get("examples", ())):
        if example is not None:
            return example
    if "properties" in schema and depth <= MAX_DEPTH:
        return {name: sample(tables, child, depth=depth + 1) for name, child in schema["properties"].items()}
    if schema.get("default") is not None:
        return schema["default"]
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    for alternative in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        return sample(tables, alternative, depth=depth + 1)
    if isinstance(schema.get("items"), dict) and depth <= MAX_DEPTH:
        return [sample(tables, schema["items"], depth=depth + 1)]
    return _plain_sample(schema)


def curl(
    method: str,
    path: str,
    parameters: Sequence[Mapping[str, Any]],
    body: Any,
    *,
    saves_file: bool,
    upload_type: str | None = None,
) -> str:
    """Return a curl command that makes the request, with the key in $GAJI_KEY.

    `upload_type` is the media type of a body that is a file.
    """
    values = {parameter["name"]: parameter_sample(parameter) for parameter in parameters}
    concrete_path = re.sub(r"{(\w+)}", lambda match: quote(str(values.get(match[1], 1)), safe=""), path)
    query = {parameter["name"]: values[parameter["name"]] for parameter in parameters if needs_value(parameter)}
    url = f"{DEFAULT_ORIGIN}/v1{concrete_path}" + (f"?{urlencode(query)}" if query else "")
    words = ["curl", *(["-X", method] if method != "GET" else []), *(["-OJ"] if saves_file else [])]
    lines = [" ".join([*words, shlex.quote(url)]), '-H "Authorization: $GAJI_KEY"']
    if body is not None:
        lines += ["-H 'Content-Type: application/json'", "-d " + shlex.quote(_compact_json(body))]
    if upload_type is not None:
        file_name = FILE_NAMES.get(upload_type, "employees.xlsx")
        lines += [f"-H 'Content-Type: {upload_type}'", f"--data-binary @{file_name}"]
    return " \\\n  ".join(lines)


def indented_json(value: Any) -> str:
    """Return a value as JSON on several lines."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _compact_json(body: Any) -> str:
    """Return the body as JSON, on one line if it is short."""
    encoded = msgspec.json.encode(body)
    return (encoded if len(encoded) <= MAX_INLINE_JSON else msgspec.json.format(encoded, indent=2)).decode()


def needs_value(parameter: Mapping[str, Any]) -> bool:
    """Return whether a sample request has this query parameter."""
    return parameter["in"] == "query" and (parameter.get("required", False) or "example" in parameter)


def parameter_sample(parameter: Mapping[str, Any]) -> Any:
    """Return a value of a parameter."""
    schema = parameter["schema"]
    for example in (parameter.get("example"), *schema.get("examples", ()), *schema.get("enum", ())):
        if example is not None:
            return example
    return PATH_SAMPLES.get(parameter["name"], _plain_sample(schema))


def _plain_sample(schema: JsonSchema) -> Any:
    if schema.get("format") in SAMPLE_BY_FORMAT:
        return SAMPLE_BY_FORMAT[schema["format"]]
    declared = schema.get("type", "object")
    type_name = declared if isinstance(declared, str) else declared[0]
    if type_name in ("integer", "number"):
        return max(1, schema.get("minimum", 1))
    return SAMPLE_BY_TYPE.get(type_name)
