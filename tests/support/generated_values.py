"""Random values for the JSON schemas of our OpenAPI document, and mutations that make them invalid.

Generators for any schema need tens of milliseconds for a request. This one knows only the keywords that our document
uses, and raises an error for others.
"""

import copy
import re._constants as regex  # type: ignore[import-not-found]
import re._parser as regex_parser  # type: ignore[import-not-found]
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from random import Random
from typing import Any
from uuid import UUID

Schema = Mapping[str, Any]

KEYWORDS_OF_OBJECTS = {"properties", "required", "additionalProperties", "propertyNames", "maxProperties"}
KEYWORDS_OF_ARRAYS = {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"}
KEYWORDS_OF_VALUES = {"minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "pattern", "format"}
KEYWORDS_OF_ALL = {"type", "$ref", "enum", "const", "anyOf", "allOf", "not"}
ANNOTATIONS = {"title", "description", "example", "examples", "x-enumDescriptions"}
KEYWORDS = KEYWORDS_OF_OBJECTS | KEYWORDS_OF_ARRAYS | KEYWORDS_OF_VALUES | KEYWORDS_OF_ALL | ANNOTATIONS
MAX_DEPTH = 6
MAX_ELEMENTS = 3
MAX_CHARACTERS = 12
FIRST_DAY = date(2024, 1, 1)
DAYS = 4 * 365
ALPHABET = "abcxyzABC019 -_.,'/&\u00e9\u00fc\u4e2d\u0bb0\u06f3\U0001f600"
"""Characters of valid strings, some of them outside of ASCII and of the first plane."""
ODD_NUMBERS = (0, -1, 1, 0.1, -0.0, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**30, 1e308)
ODD_CHARACTERS = ("\x00", "\x1b", "\u202e", "\ufeff", "\ud800", "\u0663", "\U0010ffff", "%", "{0}", "'", '"', "\\")
ODD_TEXTS = ("", " ", "0", "-1", "1e5", "NaN", "null", "%s", "<script>", "=1+1", "x" * 300, "\U0001f600" * 5000)
ODD_NAMES = ("../../etc/passwd", "'; DROP TABLE employees; --", "1.005", "-0.01", "999999999999.99", "1e1000000")
ODD_DATES = ("2026-02-30", "0000-00-00", "9999-12-31", "0001-01-01", "2026-01-01T00:00:00Z")
ODD_CONTAINERS: tuple[Any, ...] = ([], {}, [[]], [{}], {"": ""}, {"id": 1}, [None], list(range(600)))
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False),
    *ODD_NUMBERS,
    *ODD_CHARACTERS,
    *ODD_TEXTS,
    *ODD_NAMES,
    *ODD_DATES,
    *ODD_CONTAINERS,
)
"""In the place of valid values."""


@dataclass(frozen=True)
class ValueGenerator:
    """Random values for schemas."""

    random: Random
    schemas: Mapping[str, Schema]
    """The named schemas of the document."""
    ids: Mapping[str, Any]
    """Existing records. Properties with these names refer to them in half of all values."""

    def create(self, schema: Schema, depth: int = 0) -> Any:
        """Return a value that is valid, except for conditions between several properties."""
        schema = self._resolved(schema)
        assert schema.keys() <= KEYWORDS, schema.keys() - KEYWORDS
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        if "anyOf" in schema:
            return self.create(self.random.choice(schema["anyOf"]), depth)
        examples = schema.get("examples")
        if examples and self.random.random() < 0.3:
            return copy.deepcopy(self.random.choice(examples))
        return self._of_type(self._type(schema, depth), schema, depth)

    def mutate(self, value: Any) -> Any:
        """Return a copy of a value in which one to four parts are replaced, removed or added."""
        holder = [copy.deepcopy(value)]
        for _ in range(self.random.randint(1, 4)):
            self._mutate_part(holder)
        return holder[0]

    def odd_value(self) -> Any:
        """Return a value that few schemas allow."""
        return copy.deepcopy(self.random.choice(ODD_VALUES))

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def _type(self, schema: Schema, depth: int) -> str:
        types = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(types, str):
            return types
        return "null" if "null" in types and depth > MAX_DEPTH else str(self.random.choice(types))

    def _of_type(self, name: str, schema: Schema, depth: int) -> Any:
        creators: dict[str, Callable[[Schema, int], Any]] = {
            "null": lambda _schema, _depth: None,
            "boolean": lambda _schema, _depth: self.random.random() < 0.5,
            "integer": self._integer,
            "number": self._number,
            "string": self._string,
            "array": self._array,
            "object": self._object,
        }
        return creators[name](schema, depth)

    def _integer(self, schema: Schema, _depth: int) -> int:
        low: int = schema.get("minimum", schema.get("exclusiveMinimum", -10) + 1)
        high: int = schema.get("maximum", max(low, 1) + 10**6)
        return self.random.choice(
            [low, high, self.random.randint(low, high), min(high, low + self.random.randint(0, 20))]
        )

    def _number(self, schema: Schema, _depth: int) -> float:
        low, high = schema.get("minimum", 0), schema.get("maximum", 10**6)
        number: float = self.random.choice([low, high, round(self.random.uniform(low, high), 2)])
        return float(max(number, schema.get("exclusiveMinimum", number - 1) + 0.01))

    def _string(self, schema: Schema, _depth: int) -> str:
        if text := self._formatted(schema.get("format")):
            return text
        low, high = schema.get("minLength", 0), schema.get("maxLength", MAX_CHARACTERS)
        if "pattern" in schema:
            text = self._matching(parse_pattern(schema["pattern"]))
            return text.ljust(low, "x")[:high]
        length = self.random.choice(
            [low, min(high, 2000), self.random.randint(low, max(low, min(high, MAX_CHARACTERS)))]
        )
        return "".join(self.random.choices(ALPHABET, k=length))

    def _formatted(self, name: str | None) -> str | None:
        day = FIRST_DAY + timedelta(days=self.random.randrange(DAYS))
        match name:
            case "date":
                return day.isoformat()
            case "date-time":
                return datetime(day.year, day.month, day.day, tzinfo=UTC).isoformat()
            case "uuid":
                return str(UUID(int=self.random.getrandbits(128), version=4))
            case "binary":
                return "".join(self.random.choices(ALPHABET, k=MAX_CHARACTERS))
        return None

    def _matching(self, parts: Any) -> str:
        """Return a string that matches a parsed regular expression."""
        return "".join(self._matching_part(kind, detail) for kind, detail in parts)

    def _matching_part(self, kind: Any, detail: Any) -> str:
        if kind is regex.LITERAL:
            return chr(detail)
        if kind is regex.AT:
            return ""
        if kind is regex.IN:
            return self.random.choice(_characters(tuple(detail)))
        if kind is regex.SUBPATTERN:
            return self._matching(detail[3])
        if kind is regex.BRANCH:
            return self._matching(self.random.choice(detail[1]))
        assert kind is regex.MAX_REPEAT, kind
        low, high, part = detail
        return "".join(self._matching(part) for _ in range(self.random.randint(low, min(high, low + MAX_CHARACTERS))))

    def _array(self, schema: Schema, depth: int) -> list[Any]:
        if "prefixItems" in schema:
            return [self.create(item, depth + 1) for item in schema["prefixItems"]]
        low = schema.get("minItems", 0)
        high = 0 if depth > MAX_DEPTH else min(schema.get("maxItems", MAX_ELEMENTS), low + MAX_ELEMENTS)
        items = schema.get("items", {})
        return [self.create(items, depth + 1) for _ in range(self.random.randint(low, max(low, high)))]

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        required, share = schema.get("required", ()), self.random.choice([0, 0.2, 0.6])
        value = {
            name: self._property(name, child, depth + 1)
            for name, child in schema.get("properties", {}).items()
            if name in required or (depth <= MAX_DEPTH and self.random.random() < share)
        }
        more = schema.get("additionalProperties")
        if isinstance(more, Mapping) and depth <= MAX_DEPTH:
            names = [self._string({"minLength": 1}, 0) for _ in range(self.random.randint(0, 2))]
            value |= {name: self.create(more, depth + 1) for name in names}
        return value

    def _property(self, name: str, schema: Schema, depth: int) -> Any:
        if name == "url":
            return "https://receiver.invalid/"  # Events must not leave this machine.
        if name in self.ids and self.random.random() < 0.5:
            return self.ids[name]
        return self.create(schema, depth)

    def _mutate_part(self, holder: list[Any]) -> None:
        parent, key = self.random.choice(_places(holder))
        action = self.random.choice(["replace", "replace", "remove", "add", "wrap"])
        if action == "remove" and parent is not holder:
            del parent[key]
        elif action == "add" and isinstance(parent[key], dict):
            parent[key][self.random.choice(["id", "client_id", "x", "", "\u202e"])] = self.odd_value()
        elif action == "add" and isinstance(parent[key], list):
            parent[key].append(copy.deepcopy(parent[key][0]) if parent[key] else self.odd_value())
        elif action == "wrap":
            parent[key] = [parent[key]]
        else:
            parent[key] = self.odd_value()


@cache
def parse_pattern(pattern: str) -> Any:
    """Return the parts of a regular expression."""
    return regex_parser.parse(pattern)


@cache
def _characters(choices: Any) -> list[str]:
    """Return the printable ASCII characters of a set such as [^a-z]."""
    return [character for character in map(chr, range(32, 127)) if _is_in(character, choices)]


def _is_in(character: str, choices: Any) -> bool:
    """Whether a set of characters such as [^a-z] contains a character."""
    negated = choices[0][0] is regex.NEGATE
    return bool(any(_is_choice(character, kind, detail) for kind, detail in choices[negated:]) is not negated)


def _is_choice(character: str, kind: Any, detail: Any) -> bool:
    if kind is regex.LITERAL:
        return bool(ord(character) == detail)
    if kind is regex.RANGE:
        return bool(detail[0] <= ord(character) <= detail[1])
    assert kind is regex.CATEGORY, kind
    return character.isdigit() if detail is regex.CATEGORY_DIGIT else character.isspace()


def _places(holder: list[Any]) -> list[tuple[Any, Any]]:
    """Return every part of a JSON value, as its parent and its key in it."""
    places: list[tuple[Any, Any]] = [(holder, 0)]
    for parent, key in places:
        value = parent[key]
        children = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        places.extend((value, child) for child in list(children)[:50])
    return places
