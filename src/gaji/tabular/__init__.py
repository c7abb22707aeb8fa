"""Tabular files: the same rows as JSON, CSV or a spreadsheet, written in chunks."""

from collections.abc import Callable, Mapping
from typing import IO, Protocol

from gaji.tabular.csv_writer import CsvRowWriter
from gaji.tabular.json_writer import JsonRowWriter
from gaji.tabular.xlsx_writer import XlsxRowWriter


class RowWriter(Protocol):
    """Writes rows to a file."""

    async def write(self, rows: str) -> None:
        """Write at least one row. Rows are JSON objects separated by commas."""

    async def finish(self) -> None:
        """Write everything that follows the last row."""


JSON = "application/json"
CSV = "text/csv"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

WRITERS: Mapping[str, Callable[[IO[bytes], list[str]], RowWriter]] = {
    JSON: JsonRowWriter,
    CSV: CsvRowWriter,
    XLSX: XlsxRowWriter,
}
"""By media type. Each takes the file and the keys of the rows in order."""
EXTENSIONS = {CSV: "csv", XLSX: "xlsx"}


def negotiate_media_type(accept: str) -> str:
    """Return the supported media type that an Accept header prefers. Default: JSON.

    >>> negotiate_media_type("text/html, text/csv;q=0.9, application/json;q=0.2")
    'text/csv'
    >>> negotiate_media_type("*/*")
    'application/json'
    """
    weights = {}
    for media_range in accept.lower().split(","):
        media_type, _, parameters = media_range.partition(";")
        weights[media_type.strip()] = _weight(parameters)
    supported = [
        (weights[media_type], media_type == JSON, media_type) for media_type in WRITERS if weights.get(media_type)
    ]
    return max(supported, default=(0, True, JSON))[2]


def _weight(parameters: str) -> float:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0
    return 1
