"""Sparse fields: `fields=id,number` limits the records of a response to some of their attributes."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import msgspec

from gaji.core.field_types import JsonSchema
from gaji.web.query_parameters import CommaSeparated, QueryParameter

ID = "id"
"""The attribute that every record keeps."""
DELETED_AT = "deleted_at"
"""The attribute that only deleted records have. They stay complete."""

Attributes = dict[str, msgspec.Raw]


@dataclass(frozen=True)
class RecordForm:
    """How a response contains its records: one or a list, and each wrapped in the name of its resource or not."""

    is_list: bool
    is_wrapped: bool
    attributes: tuple[str, ...]

    @property
    def parameter(self) -> QueryParameter:
        """The query parameter that selects attributes."""
        return QueryParameter(
            "fields",
            CommaSeparated(self.attributes),
            "Only these attributes of each record, separated by commas. `id` is always returned. Default: all.",
            repeatable=True,
        )

    def select(self, body: bytes, names: Collection[str]) -> bytes:
        """Return a body whose records have only these attributes, in their usual order."""
        selected_names = {*names, ID}
        content = msgspec.json.decode(body, type=self._type)
        elements = content if self.is_list else [content]
        selected = [self._select(element, selected_names) for element in elements]
        return msgspec.json.encode(selected if self.is_list else selected[0])

    def _select(self, element: Any, selected_names: set[str]) -> Any:
        if self.is_wrapped:
            return {resource: _only(record, selected_names) for resource, record in element.items()}
        return _only(element, selected_names)

    @property
    def _type(self) -> Any:
        element = dict[str, Attributes] if self.is_wrapped else Attributes
        return list[element] if self.is_list else element  # type: ignore[valid-type]


def record_form(schema: JsonSchema | None) -> RecordForm | None:
    """Return the form of the records in a response, or None if it has no records with named attributes.

    >>> employee = {"type": "object", "properties": {"id": {}, "number": {}}}
    >>> wrapped = {"type": "object", "properties": {"employee": employee}, "additionalProperties": False}
    >>> record_form({"type": "array", "items": wrapped})
    RecordForm(is_list=True, is_wrapped=True, attributes=('id', 'number'))
    """
    is_list = schema is not None and schema.get("type") == "array"
    element = (schema or {}).get("items", {}) if is_list else schema or {}
    is_wrapped = element.get("additionalProperties") is False and len(element.get("properties", ())) == 1
    record = next(iter(element["properties"].values())) if is_wrapped else element
    variants = record.get("anyOf", [record])
    attributes = tuple(dict.fromkeys(name for variant in variants for name in variant.get("properties", ())))
    return RecordForm(is_list, is_wrapped, attributes) if attributes else None


def _only(record: Attributes, selected_names: set[str]) -> Attributes:
    if DELETED_AT in record:
        return record
    return {name: value for name, value in record.items() if name in selected_names}
