"""The data of the PDF with everything that is held about an employee."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gaji.privacy.tables import FURTHER_SECTIONS, PERSONAL_TABLES

MAX_ROWS = 400
"""Rows of a section in the PDF. The JSON file has all."""
MAX_LENGTH = 300
"""Characters of a value in the PDF."""
ABBREVIATIONS = frozenset({"id", "nric", "fin", "ic", "cpf", "sdl", "pr"})
SECTIONS = {table.name: (table.title, table.columns) for table in PERSONAL_TABLES} | FURTHER_SECTIONS
SECTIONS["cpf_submissions"] = ("CPF submissions", ("month", "file_name", "member"))


def pdf_context(data: Mapping[str, Any], employee_name: str) -> dict[str, Any]:
    """Return the data of the template from the JSON form of the export."""
    records: Mapping[str, list[dict[str, Any]]] = data["records"]
    [employee] = records["employees"]
    return {
        "employer": data["client"]["name"],
        "name": employee_name,
        "exported_at": data["exported_at"][:16].replace("T", " "),
        "masked": data["identifiers_masked"],
        "facts": [
            {"name": _caption(name), "value": _text(value)}
            for name, value in employee.items()
            if value not in (None, "", {}, [])
        ],
        "sections": [_section(name, rows) for name, rows in records.items() if name != "employees" and rows],
        "left_out": [SECTIONS[entry["records"]][0] for entry in data["left_out"]],
    }


def _section(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    title, columns = SECTIONS[name]
    return {
        "title": title,
        "columns": [_caption(column) for column in columns],
        "rows": [[_text(row.get(column)) for column in columns] for row in rows[-MAX_ROWS:]],
        "more": max(0, len(rows) - MAX_ROWS),
    }


def _caption(name: str) -> str:
    """Return an attribute as a caption.

    >>> _caption("start_date"), _caption("cpf_employee")
    ('Start date', 'CPF employee')
    """
    first, *others = (word.upper() if word in ABBREVIATIONS else word for word in name.split("_"))
    return " ".join([first[:1].upper() + first[1:], *others])


def _text(value: Any) -> str:
    """Return a value as the PDF prints it.

    >>> _text(None), _text(True), _text({"days": 1})
    ('', 'yes', '{"days":1}')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…"
