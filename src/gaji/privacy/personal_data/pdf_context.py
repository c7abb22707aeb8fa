"""The data of the PDF with everything that is held about an employee: values as people read them."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import Any

import msgspec

from gaji.audit.hidden_columns import HIDDEN_COLUMNS
from gaji.core.clock import SINGAPORE
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.providers import Provider
from gaji.documents.ezpay.submission import PAYMENT_KINDS
from gaji.documents.ezpay.supplements import SubmittedMember
from gaji.documents.tax_certificates.boxes import AMOUNT_CAPTIONS
from gaji.engine.money import decimal_text, format_dollars, to_cents
from gaji.privacy.personal_data.record_forms import PER_UNIT
from gaji.privacy.tables import FURTHER_SECTIONS, PERSONAL_TABLES

MAX_ROWS = 400
"""Rows of a section in the PDF. The JSON file has all."""
MAX_LENGTH = 2000
"""Characters of a value in the PDF."""
MAX_WORD = 24
"""Longer words can be broken anywhere, so that they fit into a column."""
MAX_WEIGHT = 8
BREAK = "\u200b"
"""A place where a line may be broken."""
CONSTANTS = {
    **{name: {str(entry.value): entry.name for entry in entries} for name, entries in CONSTANT_LISTS.items()},
    "citizenship": {str(entry.value): entry.name for entry in CONSTANT_LISTS["child_citizenship"]},
    "relationship": {str(entry.value): entry.name for entry in CONSTANT_LISTS["child_relationship"]},
    "category": {str(entry.value): entry.name for entry in CONSTANT_LISTS["benefit_category"]},
    "plan": {str(entry.value): entry.name for entry in CONSTANT_LISTS["share_plan"]},
    "treatment": {str(entry.value): entry.name for entry in CONSTANT_LISTS["retro_treatment"]},
    "recipient": {str(entry.value): entry.name for entry in CONSTANT_LISTS["release_recipient"]},
    "media_type": {"application/pdf": "PDF", "image/png": "PNG", "image/jpeg": "JPEG"},
}
"""The names of codes, by attribute."""
AMOUNTS = frozenset(column for table in PERSONAL_TABLES for column in table.amounts) | {
    *("fixed_amount", "daily_rate", "hourly_rate", "instalment", "ordinary_wages", "additional_wages"),
}
CODES = frozenset(
    {"status", "kind", "type", "state", "role", "method", "short_name", "pay_type", "schedule", "part_of_day"}
)
"""Attributes whose values have a label."""
CAPTIONS = {
    "at": "Date and time",
    "bank_id": "Bank",
    "country_code": "Country",
    "ir8a": "Form IR8A",
    "physical_address": "Home address",
    "pr_cpf_rates": "CPF rates as PR",
    "address_type": "Kind",
    "created_at": "Recorded",
    "decided_at": "Decided",
    "last_at": "Last time",
    "last_seen_at": "Last used",
    "last_used_at": "Last used",
    "occurred_at": "Date and time",
    "payslip_id": "Payslip",
    "profile_id": "Profile",
    "size_bytes": "Size",
    "media_type": "File",
    "split_id": "Journal split",
    "user_id": "User",
    "type": "What",
    "short_name": "What",
    "inputs_history": "Values",
    "inputs": "Values",
    "action": "What changed",
    "changes": "Details",
    "count": "Times",
    "path": "What",
    "address": "Address",
    "id": "Number",
}
INTERNAL = frozenset(
    {
        *("id", "employee_id", "client_id", "metadata", "searched", "updated_at", "name_format", "history"),
        *("place", "row_id", "deleted", "calculation_def_id"),
    }
)
"""Attributes that mean nothing to the employee."""
NOT_IN_CHANGES = HIDDEN_COLUMNS | INTERNAL | {"differences"}
"""Columns that are left out of changes. The differences of corrections are nested figures in cents."""
IDENTIFIERS = frozenset({"external_id"})
"""Attributes that end like a reference to a record, but are values."""
PAYMENT_NAMES = {kind.code: kind.name for kind in PAYMENT_KINDS}
ADDRESS, CUSTOM_FIELDS = "physical_address", "custom_fields"
ACTIONS = {"insert": "added", "update": "changed", "delete": "deleted"}
PATH_PREFIXES = frozenset({"", "v1", "api", "own", "companies", "clients", "employees"})
DAY = re.compile(r"\d{4}-\d\d-\d\d")
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
MONTH = re.compile(r"\d{4}-\d\d")
LONG_WORD = re.compile(rf"\S{{{MAX_WORD + 1},}}")
SECTIONS = {table.name: (table.title, table.columns) for table in PERSONAL_TABLES} | FURTHER_SECTIONS
SECTIONS["cpf_submissions"] = (
    "CPF submissions",
    ("month", "ordinary_wages", "additional_wages", "contributions", "file_name"),
)
TITLES = {name: title for name, (title, _) in SECTIONS.items()}

Names = Mapping[str, Mapping[str, str]]
"""The names of records, by the attribute that refers to them and by ID."""

find_label: Provider[[str], str] = Provider("find_label")
"""Returns the console's label of an attribute."""


def pdf_context(data: Mapping[str, Any], employee_name: str, names: Names) -> dict[str, Any]:
    """Return the data of the template from the JSON form of the export."""
    records: Mapping[str, list[dict[str, Any]]] = data["records"]
    [employee] = records["employees"]
    facts = [
        {"name": _caption(name), "value": _wrapped(_text(name, value, names))}
        for name, value in employee.items()
        if name not in INTERNAL and value not in (None, "", {}, []) and _applies(name, employee)
    ]
    tables = {name: _stated_rows(name, rows) for name, rows in records.items() if name != "employees"}
    sections = [_section(name, rows, names) for name, rows in tables.items() if rows]
    return {
        "employer": data["client"]["name"],
        "name": employee_name,
        "exported_at": _timestamp(data["exported_at"]),
        "masked": data["identifiers_masked"],
        "facts": sorted((fact for fact in facts if fact["value"]), key=lambda fact: fact["name"]),
        "sections": sections,
        "left_out": [TITLES[entry["records"]] for entry in data["left_out"]],
    }


def _applies(name: str, employee: Mapping[str, Any]) -> bool:
    """Return whether an attribute means something for the employee: CPF rates as PR only for one who is or was a PR."""
    return name != "pr_cpf_rates" or employee.get("legal_status") == "PR" or bool(employee.get("pr_date"))


def _stated_rows(name: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of a section that state something. Working hours that were never changed have no values."""
    return [row for row in rows if row["inputs_history"]] if name == "inherited_calculations" else rows


def _section(name: str, rows: list[dict[str, Any]], names: Names) -> dict[str, Any]:
    title, columns = SECTIONS[name]
    if name == "audit_log":
        rows = [_row_with_changes(row, names) for row in rows]
    elif name == "cpf_submissions":
        rows = [_row_with_contributions(row) for row in rows]
    elif name in ("tax_certificates", "tax_certificate_versions"):
        rows = [_row_with_income(row) for row in rows]
    cells = [[_wrapped(_text(column, row.get(column), names)) for column in columns] for row in rows[-MAX_ROWS:]]
    filled = [index for index in range(len(columns)) if any(row[index] for row in cells)]
    return {
        "title": title,
        "columns": [_caption(columns[index]) for index in filled],
        "widths": [_weight([row[index] for row in cells]) for index in filled],
        "amounts": [columns[index] in AMOUNTS for index in filled],
        "rows": [[row[index] for index in filled] for row in cells],
        "more": max(0, len(rows) - MAX_ROWS),
    }


def _weight(cells: Sequence[str]) -> int:
    """Return the share of the width that a column needs, by its longest text."""
    return min(MAX_WEIGHT, 2 + max(map(len, cells), default=0) // 12)


def _row_with_changes(row: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """Return an entry of the audit log in words: which record changed, and what of it."""
    table, _, action = str(row.get("action", "")).partition(".")
    title = TITLES.get(table) or find_label(table)
    before, after = (_audited_record(table, row.get(side) or {}) for side in ("before", "after"))
    return {
        **row,
        "action": f"{title}: {ACTIONS.get(action, find_label(action).lower())}",
        "changes": _changes_text(before, after, names),
    }


def _row_with_contributions(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a CPF submission with the wages and contributions of its member, which are stored as an array."""
    member = msgspec.convert(row["member"], SubmittedMember)
    amounts = member.amounts.items()
    contributions = (f"{PAYMENT_NAMES.get(code, code)}: {format_dollars(cents)}" for code, cents in amounts)
    return {
        **row,
        "month": str(row["month"])[: len("2026-01")],
        "ordinary_wages": decimal_text(member.ordinary_cents),
        "additional_wages": decimal_text(member.additional_cents),
        "contributions": "; ".join(contributions),
    }


def _row_with_income(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tax certificate with the amounts of its boxes."""
    amounts = row["content"].get("figures", {}).get("amounts", {})
    income = (f"{AMOUNT_CAPTIONS.get(key, key)}: {format_dollars(cents)}" for key, cents in amounts.items())
    return {**row, "income": "; ".join(income)}


def _audited_record(table: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record of the audit log, which has stored units, with dollars, days and hours."""
    amounts = next((entry.amounts for entry in PERSONAL_TABLES if entry.name == table), ())
    audited: dict[str, Any] = {}
    for name, value in record.items():
        if name in NOT_IN_CHANGES:
            continue
        if name in amounts and isinstance(value, int):
            audited[name] = decimal_text(value)
        elif "milli" in name and isinstance(value, int):
            audited[name.replace("milli", "")] = f"{value / PER_UNIT:g}"
        else:
            audited[name] = value
    return audited


def _changes_text(before: Mapping[str, Any], after: Mapping[str, Any], names: Names) -> str:
    texts = []
    for name in {**before, **after}:
        if name.endswith(("_at", "_sealed", "_lookup", "_hash")):
            continue
        old, new = (_text(name, values.get(name), names) for values in (before, after))
        caption, is_change = _caption(name.removesuffix("_masked")), bool(before and after)
        if is_change and old != new:
            texts.append(f"{caption}: {old or 'empty'} → {new or 'empty'}")
        elif not is_change and (new or old) not in ("", "No") and _applies(name, before or after):
            texts.append(f"{caption}: {new or old}")
    return "; ".join(texts)


def _caption(name: str) -> str:
    return CAPTIONS.get(name) or find_label(name.removesuffix("_input"))


def _text(name: str, value: Any, names: Names) -> str:
    """Return a value as people read it. Objects become `label: value` pairs, and unknown references nothing."""
    if value is None or value == "":
        return ""
    if name == "details" and isinstance(value, str):
        with suppress(msgspec.DecodeError):
            value = msgspec.json.decode(value)
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if name == "ir8a" and isinstance(value, Mapping):
        return "; ".join(
            f"Box {box}: {format_dollars(cents)}" for box, cents in value.items() if isinstance(cents, int)
        )
    if name == CUSTOM_FIELDS and isinstance(value, Mapping):
        return _custom_fields(value, names)
    if isinstance(value, Mapping):
        parts = _readable_parts(name, value)
        pairs = [(key, _text(key, entry, names)) for key, entry in parts.items() if key not in INTERNAL]
        meaningful = [(key, text) for key, text in pairs if text not in ("", "No")]
        return "; ".join(f"{_part_caption(key)}: {text}" if key else text for key, text in meaningful)
    if name == "dates" and isinstance(value, list):
        return "; ".join(_leave_date(entry, names) for entry in value)
    if isinstance(value, list | tuple):
        return "; ".join(filter(None, (_text(name, entry, names) for entry in value)))
    return _scalar_text(name, str(value), names)


def _custom_fields(values: Mapping[str, Any], names: Names) -> str:
    """Return custom fields by name. The value of a dropdown is the name of its option."""
    texts = []
    for field_id, value in values.items():
        options = names.get(f"{CUSTOM_FIELDS}.{field_id}", {})
        text = options.get(str(value)) or _text("", value, names)
        texts.append(f"{names.get(CUSTOM_FIELDS, {}).get(field_id, 'Custom field')}: {text}")
    return "; ".join(texts)


def _leave_date(entry: Mapping[str, Any], names: Names) -> str:
    """Return a date of a leave request, its type, and the hours if it is not a whole day."""
    parts = _readable_parts("dates", entry)
    texts = [_text(key, parts.get(key), names) for key in ("date", "type_id", "hours")]
    return ", ".join(filter(None, [*texts[:2], f"{texts[2]} hours" if texts[2] else ""]))


def _readable_parts(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a value, with hours instead of thousandths and the kind of an address by its list."""
    parts = dict(value)
    if parts.get("millihours") is not None:
        parts["hours"] = f"{int(parts['millihours']) / 1000:g}"
    parts.pop("millihours", None)
    if name == ADDRESS and "type" in parts:
        parts = {"address_type": parts.pop("type"), **parts}
    return parts


def _part_caption(key: str) -> str:
    """Return the caption of a part of a value, which may be a date or a year."""
    return _day(key) if DAY.fullmatch(key) else key if key.isdigit() else _caption(key)


def _scalar_text(name: str, text: str, names: Names) -> str:
    if text in CONSTANTS.get(name, ()):
        return CONSTANTS[name][text]
    if name == "user_id":
        return names.get(name, {}).get(text) or f"User {text}"
    if name in names or (name.endswith("_id") and name not in IDENTIFIERS):
        return names.get(name, {}).get(text, "")
    if name in AMOUNTS:
        with suppress(ValueError, ArithmeticError):
            return format_dollars(to_cents(text))
    if name == "share" and text.isdigit():
        return f"{int(text) / 100:g}%"
    if name == "size_bytes" and text.isdigit():
        return f"{max(1, round(int(text) / 1024)):,} KB"
    if name == "path":
        return _path_text(text)
    if DAY.fullmatch(text):
        return _day(text)
    if TIMESTAMP.fullmatch(text):
        return _timestamp(text)
    if name == "month" and MONTH.fullmatch(text):
        return f"{date.fromisoformat(f'{text}-01'):%b %Y}"
    if name == "type" and text.isdigit():
        return names.get("calculation_def_id", {}).get(text, "")
    if name in CODES:
        return find_label(text.replace(".", "_").replace("-", "_"))
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…"


def _path_text(path: str) -> str:
    """Return what was read, from the path of a request."""
    parts = [part.partition(".")[0] for part in path.partition("?")[0].split("/")]
    words = [find_label(part) for part in parts if part not in PATH_PREFIXES and not part.isdigit() and "{" not in part]
    return ", ".join(words) or "Employee record"


def _day(text: str) -> str:
    with suppress(ValueError):
        day = date.fromisoformat(text)
        return f"{day.day} {day:%b %Y}"
    return text


def _timestamp(text: str) -> str:
    """Return a time in Singapore.

    >>> _timestamp("2026-11-18T05:58:55.692028+00:00")
    '18 Nov 2026, 13:58'
    """
    with suppress(ValueError):
        moment = datetime.fromisoformat(text).astimezone(SINGAPORE)
        return f"{moment.day} {moment:%b %Y, %H:%M}"
    return text


def _wrapped(text: str) -> str:
    """Return the text with places to break inside of words that no column holds."""
    return LONG_WORD.sub(lambda match: BREAK.join(re.findall(rf".{{1,{MAX_WORD // 2}}}", match[0])), text)
