"""Reports as files: the same rows as JSON, as CSV and as a spreadsheet, each written a piece at a time."""

import tempfile
from collections.abc import Callable, Mapping
from typing import IO, Protocol

from gaji.tabular.csv_writer import CsvRows
from gaji.tabular.json_writer import JsonRows
from gaji.tabular.xlsx_writer import Spreadsheet

MOST_IN_MEMORY = 1024 * 1024
"""Bytes of a report; a larger one is laid on disk, in a file without a name that is gone with the process."""


class RowWriter(Protocol):
    """Writes the rows of a report to a file."""

    async def write(self, rows: str) -> None:
        """Write some: JSON objects with commas between them, at least one."""

    async def end(self) -> None:
        """Write what comes after the last."""


JSON = "application/json"
CSV = "text/csv"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

WRITERS: Mapping[str, Callable[[IO[bytes], list[str]], RowWriter]] = {
    JSON: JsonRows,
    CSV: CsvRows,
    XLSX: Spreadsheet,
}
"""By media type; each is given the file and the keys of rows in their order."""
EXTENSIONS = {CSV: "csv", XLSX: "xlsx"}


def new_file() -> IO[bytes]:
    """A file for a report."""
    return tempfile.SpooledTemporaryFile(MOST_IN_MEMORY)


def wanted(accepted: str) -> str:
    """The media type that a caller asks for with these words; JSON where none of ours is named.

    >>> wanted("text/html, text/csv;q=0.9, application/json;q=0.2")
    'text/csv'
    >>> wanted("*/*")
    'application/json'
    """
    named = {}
    for one in accepted.lower().split(","):
        media_type, _, parameters = one.partition(";")
        named[media_type.strip()] = _weight(parameters)
    ours = [(named[media_type], media_type == JSON, media_type) for media_type in WRITERS if named.get(media_type)]
    return max(ours, default=(0, True, JSON))[2]


def _weight(parameters: str) -> float:
    for one in parameters.split(";"):
        name, _, value = one.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0
    return 1
