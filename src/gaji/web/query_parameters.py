"""Query parameters: declared for each operation, and validated before its handler runs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gaji.core.error_codes import DUPLICATE, NOT_ALLOWED
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import MAX_ID, Boolean, DateType, FieldType, JsonSchema
from gaji.core.validation import MAX_NAME_LENGTH, suggest

MAX_UNKNOWN_PARAMETERS = 100
"""Unknown parameters that an error lists."""

UNKNOWN_PARAMETER = ErrorCode("unknown_parameter", "is not a query parameter of this operation; use {allowed}")
MAX_IDS = 1000
ID_LIST = re.compile(r"\s*[0-9]{1,30}\s*(,\s*[0-9]{1,30}\s*)*")
"""IDs may have leading zeros. Whether they are too large is checked afterwards."""
NOT_IDS = ErrorCode("not_ids", "must be 1 to {maximum:,} IDs, separated by commas")
NO_PARAMETERS = ErrorCode("no_parameters", "is not allowed, because this operation has no query parameters")


@dataclass(frozen=True)
class QueryParameter:
    """A query parameter of an operation."""

    name: str
    type: FieldType
    description: str
    repeatable: bool = False
    """Whether the parameter may appear several times. Its values are then joined by commas."""


@dataclass(frozen=True)
class CommaSeparated:
    """Names that are separated by commas, each once. Without `allowed`, all names are accepted."""

    allowed: Sequence[str] = ()

    def parse(self, value: object, path: str, errors: Errors) -> list[str]:
        names = list(dict.fromkeys(name.strip() for name in str(value).split(",") if name.strip()))
        if self.allowed and not set(names) <= set(self.allowed):
            errors.add(path, NOT_ALLOWED, allowed=self.allowed)
        return names

    def json_schema(self) -> JsonSchema:
        return {"type": "string"}


@dataclass(frozen=True)
class Flag(Boolean):
    """`true` or `false` in a query, where libraries also write `True` and `False`."""

    def parse(self, value: object, path: str, errors: Errors) -> bool | None:
        return super().parse(str(value).lower(), path, errors)

    def json_schema(self) -> JsonSchema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class IdFilter:
    """IDs that are separated by commas."""

    def parse(self, value: object, path: str, errors: Errors) -> list[int] | None:
        text = str(value)
        if ID_LIST.fullmatch(text) and text.count(",") < MAX_IDS:
            ids = [int(number) for number in text.split(",")]
            if min(ids) > 0 and max(ids) <= MAX_ID:
                return ids
        errors.add(path, NOT_IDS, maximum=MAX_IDS)
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "string", "pattern": "^[1-9][0-9]{0,17}(,[1-9][0-9]{0,17})*$"}


IDS = QueryParameter(
    "ids",
    IdFilter(),
    f"Only the records with these IDs, at most {MAX_IDS:,}, separated by commas. Unknown IDs are left out.",
    repeatable=True,
)


def date_range(attribute: str) -> tuple[QueryParameter, QueryParameter]:
    """Return the parameters `from` and `to`, which limit a list to records with a date in a range."""
    return (
        QueryParameter("from", DateType(), f"The first {attribute}. Default: no limit."),
        QueryParameter("to", DateType(), f"The last {attribute}. Default: no limit."),
    )


def parse_query(
    declared: Mapping[str, QueryParameter], query: Mapping[str, Sequence[str]], errors: Errors
) -> dict[str, Any]:
    """Return the value of each valid parameter in the query. Adds an error for each that is unknown or not valid."""
    values: dict[str, Any] = {}
    unknown: list[str] = []
    for name, texts in query.items():
        parameter = declared.get(name)
        if parameter is None:
            unknown.append(name)
        elif len(texts) > 1 and not parameter.repeatable:
            errors.add(name, DUPLICATE)
        else:
            value = parameter.type.parse(",".join(texts), name, errors)
            if name not in errors:
                values[name] = value
    for name in unknown[:MAX_UNKNOWN_PARAMETERS]:
        _add_unknown(name, list(declared), errors)
    return values


def _add_unknown(name: str, allowed: Sequence[str], errors: Errors) -> None:
    path = name[:MAX_NAME_LENGTH]
    if allowed:
        suggestion = suggest(name, allowed) if path == name else None
        errors.add(path, UNKNOWN_PARAMETER, allowed=allowed, suggestion=suggestion)
    else:
        errors.add(path, NO_PARAMETERS)
