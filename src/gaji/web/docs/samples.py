"""Requests and answers as they may look, made of the examples in the schemas."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from gaji.core.validation import JsonSchema
from gaji.web.docs.shapes import MOST_DEPTH, Shapes

ORIGIN = "http://127.0.0.1:8000"
"""Stands for scheme and host in the pages until a request says where it found the service."""
BY_FORMAT = {"date": "2026-03-31", "date-time": "2026-03-31T09:00:00.000000+08:00", "email": "tan@example.com"}
BY_TYPE: Mapping[str, Any] = {"boolean": True, "number": 1, "integer": 1, "string": "text", "array": [], "object": {}}
ONE_LINE = 48
"""As many characters of a body fit on a line of the request."""
IN_A_PATH = {"list_name": "gender"}


def sample(shapes: Shapes, schema: JsonSchema, *, needed_only: bool = False, depth: int = 0) -> Any:
    """A value of this schema; only with what is required, if that is wished."""
    schema = shapes.resolved(schema)
    if not needed_only or "properties" not in schema:
        for given in (schema.get("example"), *schema.get("examples", ())):
            if given is not None:
                return given
    if "properties" in schema and depth <= MOST_DEPTH:
        wanted = schema.get("required", ()) if needed_only else schema["properties"]
        return {
            name: sample(shapes, schema["properties"][name], needed_only=needed_only, depth=depth + 1)
            for name in wanted
        }
    if schema.get("default") is not None:
        return schema["default"]
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    for alternative in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        return sample(shapes, alternative, needed_only=needed_only, depth=depth + 1)
    if isinstance(schema.get("items"), dict) and depth <= MOST_DEPTH:
        return [sample(shapes, schema["items"], needed_only=needed_only, depth=depth + 1)]
    return _plain(schema)


def small_body(shapes: Shapes, schema: JsonSchema) -> Any:
    """The smallest body that does something: what is required, or else the first attribute with an example."""
    schema = shapes.resolved(schema)
    needed = sample(shapes, schema, needed_only=True)
    if needed or not isinstance(needed, dict):
        return needed
    whole = sample(shapes, schema)
    properties = schema.get("properties", {})
    named = [name for name in properties if properties[name].get("examples") or "example" in properties[name]]
    return {name: whole[name] for name in (named or list(whole))[:1]}


def curl(method: str, path: str, parameters: Sequence[Mapping[str, Any]], body: Any, *, saves_file: bool) -> str:
    """A line for the shell that makes the request, with the key in $GAJI_KEY."""
    samples = {one["name"]: _parameter_sample(one) for one in parameters}
    filled = re.sub(r"{(\w+)}", lambda match: quote(str(samples.get(match[1], 1)), safe=""), path)
    query = {one["name"]: samples[one["name"]] for one in parameters if one["in"] == "query" and one.get("required")}
    address = f"{ORIGIN}/v1{filled}" + (f"?{urlencode(query)}" if query else "")
    words = ["curl", *(["-X", method] if method != "GET" else []), *(["-OJ"] if saves_file else [])]
    lines = [" ".join([*words, shlex.quote(address)]), '-H "Authorization: $GAJI_KEY"']
    if body is not None:
        lines += ["-H 'Content-Type: application/json'", "-d " + shlex.quote(_short_json(body))]
    return " \\\n  ".join(lines)


def _short_json(body: Any) -> str:
    """On one line if it fits there."""
    encoded = msgspec.json.encode(body)
    return (encoded if len(encoded) <= ONE_LINE else msgspec.json.format(encoded, indent=2)).decode()


def _parameter_sample(parameter: Mapping[str, Any]) -> Any:
    schema = parameter["schema"]
    for given in (parameter.get("example"), *schema.get("examples", ()), *schema.get("enum", ())):
        if given is not None:
            return given
    return IN_A_PATH.get(parameter["name"], _plain(schema))


def _plain(schema: JsonSchema) -> Any:
    if schema.get("format") in BY_FORMAT:
        return BY_FORMAT[schema["format"]]
    given = schema.get("type", "object")
    name = given if isinstance(given, str) else given[0]
    if name in ("integer", "number"):
        return max(1, schema.get("minimum", 1))
    return BY_TYPE.get(name)
