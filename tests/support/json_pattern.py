"""JSON with ellipses, as documentation shows it: `{"id": 4, …}`, `[… {"item": "sdl"} …]`, `"The Act …"`."""

import json
import re
from collections.abc import Iterator
from typing import Any

ELLIPSIS = "…"
TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[\[\]{}:,]|…|[^\s\[\]{}:,…"]+)')


def parse_pattern(text: str) -> Any:
    """Return the value of the text. An ellipsis in an array is an element; elsewhere it is left out."""
    tokens = TOKEN.findall(text)
    value, rest = _parse_value(tokens)
    if rest:
        raise ValueError(f"unexpected {rest[0]} after the value")
    return value


def mismatches(pattern: Any, value: Any, path: str = "") -> Iterator[str]:
    """Yield the differences. A value may have more members, and an array with an ellipsis more elements."""
    if isinstance(pattern, dict) and isinstance(value, dict):
        for name, member in pattern.items():
            if name in value:
                yield from mismatches(member, value[name], f"{path}.{name}")
            else:
                yield f"{path}.{name} is missing"
    elif isinstance(pattern, list) and isinstance(value, list):
        yield from _array_mismatches(pattern, value, path)
    elif isinstance(pattern, str) and isinstance(value, str) and pattern.endswith(ELLIPSIS):
        if not value.startswith(pattern.removesuffix(ELLIPSIS).rstrip()):
            yield f"{path} is {value!r}, which does not start as {pattern!r}"
    elif pattern != value:
        yield f"{path} is {value!r}, not {pattern!r}"


def _array_mismatches(pattern: list[Any], value: list[Any], path: str) -> Iterator[str]:
    expected = [element for element in pattern if element != ELLIPSIS]
    if len(expected) == len(pattern):
        if len(pattern) != len(value):
            yield f"{path} has {len(value)} elements, not {len(pattern)}"
        for index, (element, actual) in enumerate(zip(pattern, value, strict=False)):
            yield from mismatches(element, actual, f"{path}.{index}")
        return
    for element in expected:
        if not any(not list(mismatches(element, actual)) for actual in value):
            yield f"{path} has no element {element!r}"


def _parse_value(tokens: list[str]) -> tuple[Any, list[str]]:
    first, rest = tokens[0], tokens[1:]
    if first == "{":
        return _parse_object(rest)
    if first == "[":
        return _parse_array(rest)
    return (ELLIPSIS if first == ELLIPSIS else json.loads(first)), rest


def _parse_object(tokens: list[str]) -> tuple[dict[str, Any], list[str]]:
    members: dict[str, Any] = {}
    while tokens[0] != "}":
        if tokens[0] in (",", ELLIPSIS):
            tokens = tokens[1:]
            continue
        name, colon = tokens[:2]
        if colon != ":":
            raise ValueError(f"unexpected {colon} after {name}")
        members[json.loads(name)], tokens = _parse_value(tokens[2:])
    return members, tokens[1:]


def _parse_array(tokens: list[str]) -> tuple[list[Any], list[str]]:
    elements = []
    while tokens[0] != "]":
        if tokens[0] == ",":
            tokens = tokens[1:]
            continue
        element, tokens = _parse_value(tokens)
        elements.append(element)
    return elements, tokens[1:]
