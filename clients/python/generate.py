"""Generate the models and operations of the client from the OpenAPI document.

Usage: python generate.py openapi.json [src/gaji_client]
"""

import json
import keyword
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Schema = Mapping[str, Any]

HEADING = '"""{}\n\nGenerated from the OpenAPI document by generate.py. Do not edit.\n"""\n\n'
MODEL_IMPORTS = "from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, final\n"
OPERATION_IMPORTS = """from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, MutableMapping
from typing import Any, TypedDict, Unpack
from urllib.parse import quote

from gaji_client import models
from gaji_client.changes import Changes
"""
OPTIONS = '''
class RequestOptions(TypedDict, total=False):
    """Options that every operation takes."""

    idempotency_key: str
    """The key of a write. Default: a random one, which is the same in all attempts."""
    if_match: str
    """The `ETag` of the record. If the record has changed since, PreconditionFailedError is raised."""
    accept: str
    """The media type of the response, for reports as files."""
    timeout_s: float
    response_headers: MutableMapping[str, str]
    """Gets the headers of the response, by their names in lower case."""
'''
SYNC_BASE = '''

class Operations:
    """The operations of the API."""

    def _call(self, method: str, path: str, options: RequestOptions, **parts: Any) -> Any:
        raise NotImplementedError

    def _iterate(self, path: str, query: Mapping[str, Any], options: RequestOptions) -> Iterator[Any]:
        raise NotImplementedError

    def _list_changes(self, path: str, query: Mapping[str, Any], options: RequestOptions) -> Changes[Any]:
        raise NotImplementedError
'''
ASYNC_BASE = '''

class AsyncOperations:
    """The operations of the API."""

    async def _call(self, method: str, path: str, options: RequestOptions, **parts: Any) -> Any:
        raise NotImplementedError

    def _iterate(self, path: str, query: Mapping[str, Any], options: RequestOptions) -> AsyncIterator[Any]:
        raise NotImplementedError

    async def _list_changes(self, path: str, query: Mapping[str, Any], options: RequestOptions) -> Changes[Any]:
        raise NotImplementedError
'''
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
JSON = "application/json"
PAGE, PER_PAGE, UPDATED_SINCE = "page", "per_page", "updated_since"
CHANGE_PARAMETERS = (UPDATED_SINCE, PER_PAGE, "fields", "format")
DELETED = {"$ref": "#/components/schemas/DeletedRecord"}
LIST_ENVELOPE, CHANGE_ENVELOPE = "ListEnvelope", "ChangeEnvelope"
"""The elements of a list, and those of a list of changes, which can be deleted records."""


def generate(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the generated modules by file name."""
    models = [_model(name, schema) for name, schema in document["components"]["schemas"].items()]
    heading = HEADING.format("Models: the resources, bodies and responses of the API.")
    operations = [
        (path, method.upper(), operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    parts = [HEADING.format("Operations of the API, as methods."), OPERATION_IMPORTS, OPTIONS]
    for base, is_async in ((SYNC_BASE, False), (ASYNC_BASE, True)):
        parts.append(base)
        for operation in operations:
            parts += _methods(*operation, is_async=is_async)
    return {"models.py": heading + MODEL_IMPORTS + "".join(models), "operations.py": "".join(parts)}


def _model(name: str, schema: Schema) -> str:
    """Return the definition of a named schema: a typed dictionary, or an alias."""
    if name.endswith(LIST_ENVELOPE):
        records = {key: _without_deleted(child) for key, child in schema["properties"].items()}
        changes = _definition(name.removesuffix(LIST_ENVELOPE) + CHANGE_ENVELOPE, schema)
        return _definition(name, {**schema, "properties": records}) + changes
    return _definition(name, schema)


def _definition(name: str, schema: Schema) -> str:
    properties, required = schema.get("properties", {}), set(schema.get("required", ()))
    if not properties or schema.get("additionalProperties"):
        return f'\n{name}: TypeAlias = "{_type(schema).replace(chr(34), chr(39))}"\n'
    types = {
        key: _type(child) if key in required else f"NotRequired[{_type(child)}]" for key, child in properties.items()
    }
    if all(_is_name(key) for key in types):
        lines = [f'    {key}: "{text.replace(chr(34), chr(39))}"\n' for key, text in types.items()]
        # Final, so that type checkers distinguish the alternatives of a union by their keys.
        return f"\n\n@final\nclass {name}(TypedDict):\n" + "".join(lines) + "\n"
    items = "".join(f'        {key!r}: "{text.replace(chr(34), chr(39))}",\n' for key, text in types.items())
    return f'\n{name} = TypedDict(\n    "{name}",\n    {{\n{items}    }},\n)\n'


def _without_deleted(schema: Schema) -> Schema:
    """Return the schema of an element of a list that has no deleted records."""
    records = [option for option in schema.get("oneOf", ()) if option != DELETED]
    return records[0] if DELETED in schema.get("oneOf", ()) and len(records) == 1 else schema


def _type(schema: Schema, prefix: str = "") -> str:
    """Return the Python type of a schema as text. References get a prefix."""
    if "$ref" in schema:
        return prefix + str(schema["$ref"]).rpartition("/")[2]
    for keyword_name in ("anyOf", "oneOf"):
        if keyword_name in schema:
            return _union(_type(option, prefix) for option in schema[keyword_name])
    if "enum" in schema:
        return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]" if not prefix else "str"
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    kinds = schema.get("type", ())
    return _union(_type_of_kind(kind, schema, prefix) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _type_of_kind(kind: str, schema: Schema, prefix: str) -> str:
    if kind == "array":
        elements = schema.get("prefixItems") or [schema.get("items", {})]
        return f"list[{_union(_type(element, prefix) for element in elements)}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        has_values = isinstance(values, dict) and not schema.get("properties")
        return f"dict[str, {_type(values, prefix) if has_values and values else 'Any'}]"
    return TYPES[kind]


def _union(types: Iterator[str]) -> str:
    names = list(dict.fromkeys(types))
    return "Any" if not names or "Any" in names else " | ".join(names)


def _methods(path: str, method: str, operation: Mapping[str, Any], *, is_async: bool) -> Iterator[str]:
    """Yield the method of an operation and, for a list, those that iterate over all pages and list changes."""
    parameters = [parameter for parameter in operation["parameters"] if "$ref" not in parameter]
    in_path = [parameter for parameter in parameters if parameter["in"] == "path"]
    all_in_query = [parameter for parameter in parameters if parameter["in"] == "query"]
    in_query = [parameter for parameter in all_in_query if parameter["name"] != UPDATED_SINCE]
    arguments, parts = _body(operation)
    names = [*(_argument(parameter) for parameter in in_path), *arguments]
    if in_query:
        parts.insert(0, f"query={_query(in_query)}")
        names += ["*", *(f"{_argument(parameter)} | None = None" for parameter in in_query)]
    result = _result_type(operation)
    signature = ", ".join(["self", *names, "**options: Unpack[RequestOptions]"])
    define, wait = ("async def", "await ") if is_async else ("def", "")
    call = ", ".join([f'"{method}"', _path(path), "options", *parts])
    yield (
        f"\n    {define} {operation['operationId']}({signature}) -> {result}:\n"
        f"        {_docstring(operation, in_query)}\n"
        f"        result: {result} = {wait}self._call({call})\n        return result\n"
    )
    if {PAGE, PER_PAGE} <= {parameter["name"] for parameter in in_query}:
        yield _iterator(path, operation, in_path, in_query, is_async=is_async)
    if in_query != all_in_query:
        yield _changes(path, operation, in_path, all_in_query, is_async=is_async)


def _iterator(
    path: str, operation: Mapping[str, Any], in_path: Sequence[Schema], in_query: Sequence[Schema], *, is_async: bool
) -> str:
    filters = [parameter for parameter in in_query if parameter["name"] != PAGE]
    names = [*(_argument(parameter) for parameter in in_path), "*"]
    names += [f"{_argument(parameter)} | None = None" for parameter in filters]
    element = _type(_without_deleted(_list_element(operation)), "models.")
    kind = "AsyncIterator" if is_async else "Iterator"
    name = f"iterate_{operation['operationId'].removeprefix('list_')}"
    return (
        f"\n    def {name}({', '.join(['self', *names, '**options: Unpack[RequestOptions]'])}) -> {kind}[{element}]:\n"
        f'        """{operation["summary"]} Requests page after page."""\n'
        f"        return self._iterate({_path(path)}, {_query(filters)}, options)\n"
    )


def _changes(
    path: str, operation: Mapping[str, Any], in_path: Sequence[Schema], in_query: Sequence[Schema], *, is_async: bool
) -> str:
    """Return the method that lists the changes of a list."""
    optional = [item for item in in_query if item["name"] in CHANGE_PARAMETERS and item["name"] != UPDATED_SINCE]
    names = [*(_argument(parameter) for parameter in in_path), f"{UPDATED_SINCE}: str", "*"]
    names += [f"{_argument(parameter)} | None = None" for parameter in optional]
    element = _type(_list_element(operation), "models.").replace(LIST_ENVELOPE, CHANGE_ENVELOPE)
    define, wait = ("async def", "await ") if is_async else ("def", "")
    name = f"list_changed_{operation['operationId'].removeprefix('list_')}"
    signature = ", ".join(["self", *names, "**options: Unpack[RequestOptions]"])
    query = f'{{"{UPDATED_SINCE}": {UPDATED_SINCE}, {_query(optional)[1:]}'
    return (
        f"\n    {define} {name}({signature}) -> Changes[{element}]:\n"
        f'        """{operation["summary"]} Only those that changed since an instant or a cursor."""\n'
        f"        return {wait}self._list_changes({_path(path)}, {query}, options)\n"
    )


def _list_element(operation: Mapping[str, Any]) -> Schema:
    schema: Schema = operation["responses"]["200"]["content"][JSON]["schema"]["items"]
    return schema


def _body(operation: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the arguments of a method for the body of an operation, and the parts of the request."""
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return [], []
    if JSON in content:
        return [f"body: {_type(content[JSON]['schema'], 'models.')}"], ["body=body"]
    return ["content: bytes", f'media_type: str = "{next(iter(content))}"'], ["content=content, media_type=media_type"]


def _result_type(operation: Mapping[str, Any]) -> str:
    responses = operation["responses"]
    content = responses["200"]["content"]
    name = _type(_without_deleted_elements(content[JSON]["schema"]), "models.") if JSON in content else "bytes"
    if "202" in responses:
        pending = responses["202"]["content"][JSON]["schema"]
        name = f"{name} | {_type(pending, 'models.')}"
    return f"{name} | None" if "204" in responses else name


def _without_deleted_elements(schema: Schema) -> Schema:
    return {**schema, "items": _without_deleted(schema["items"])} if "items" in schema else schema


def _argument(parameter: Schema) -> str:
    return f"{_name(parameter['name'])}: {_type(parameter['schema'], 'models.')}"


def _query(parameters: Sequence[Schema]) -> str:
    items = ", ".join(f'"{parameter["name"]}": {_name(parameter["name"])}' for parameter in parameters)
    return f"{{{items}}}"


def _path(path: str) -> str:
    text = re.sub(r"{(\w+)}", lambda match: f"{{quote(str({_name(match[1])}), safe='')}}", path)
    return f'f"{text}"' if text != path else f'"{path}"'


def _name(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name.replace("-", "_")


def _is_name(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)


def _docstring(operation: Mapping[str, Any], parameters: Sequence[Schema]) -> str:
    lines = [f"        {_name(parameter['name'])}: {parameter['description']}" for parameter in parameters]
    if not lines:
        return f'"""{operation["summary"]}"""'
    return f'"""{operation["summary"]}\n\n' + "\n".join(lines).replace("\\", "\\\\") + '\n        """'


def main() -> None:
    """Write the generated modules."""
    source, *folder = sys.argv[1:]
    target = Path(folder[0]) if folder else Path(__file__).parent / "src/gaji_client"
    for name, text in generate(json.loads(Path(source).read_text())).items():
        (target / name).write_text(text)


if __name__ == "__main__":
    main()
