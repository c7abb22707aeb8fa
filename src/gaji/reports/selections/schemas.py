"""The attributes of saved selections."""

from collections.abc import Mapping, Sequence

import msgspec

from gaji.core.field_types import Text
from gaji.core.validation import Attribute, Schema

Parameters = Mapping[str, Sequence[str]]
"""Values by parameter of the report, as in a query string."""
PERIOD_PARAMETERS = frozenset({"start_date", "end_date", "date", "period_offset", "year", "month"})
"""Parameters that say which time a report is about."""


class SelectionInput(msgspec.Struct, frozen=True, kw_only=True):
    """The attributes that a user enters."""

    name: str


class ReportSelection(msgspec.Struct, frozen=True, kw_only=True):
    """A saved selection."""

    id: int
    report: str
    name: str
    parameters: dict[str, list[str]]


SELECTION = Schema(
    "selection",
    (Attribute("name", Text(min_length=1, max_length=60), "Name, unique for the report.", required=True),),
    struct=SelectionInput,
)
