"""Labels, hints and error messages of the console, from glossary.toml."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from gaji.core.constants import CONSTANT_LISTS

TRAILING_DIGITS = re.compile(r"([a-z]{3})(\d+)$")


@dataclass(frozen=True)
class FieldText:
    """The console's texts for a form field. None means that the glossary has none."""

    label: str | None = None
    hint: str | None = None


def _load() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("glossary.toml").read_text())


_glossary = _load()
TERMS: Mapping[str, str] = _glossary["terms"]
"""API nouns, and what the console calls them."""
WORDS: Mapping[str, str] = _glossary["words"]
LABELS: Mapping[str, str] = _glossary["labels"]
AUDIT_LOG: Mapping[str, str] = _glossary["audit_log"]
"""Labels of the tables in the audit log."""
AUDIT_NOUNS: Mapping[str, str] = _glossary["audit_nouns"]
"""What one record of these tables is called in a sentence."""
APPROVAL_NOUNS: Mapping[str, str] = _glossary["approval_nouns"]
"""What needs the approval of a second person, by kind."""
FORMS: Mapping[str, Mapping[str, FieldText]] = {
    form: {name: FieldText(**texts) for name, texts in fields.items()} for form, fields in _glossary["forms"].items()
}
PAY_ITEMS: Mapping[str, str] = _glossary["pay_items"]
"""What some pay items are for."""
EVENTS: Mapping[str, str] = _glossary["events"]
"""What webhooks tell, by the type of event."""
ERRORS: Mapping[str, str] = _glossary["errors"]
"""Messages by error code, for codes whose API message does not suit a person."""
FILE_ERRORS: Mapping[str, str] = _glossary["file_errors"]
"""Sentences about what a company lacks for a file, by error code."""
PORTAL_ERRORS: Mapping[str, str] = {**ERRORS, **_glossary["portal_errors"]}
"""The same for employees in the portal."""
ROLE_NAMES: Mapping[str, str] = {str(entry.value): entry.name for entry in CONSTANT_LISTS["role"]}


@lru_cache(maxsize=10_000)
def label(name: str) -> str:
    """Return the label for an API name. For a path, it is the label of its last part. A text stays as it is.

    >>> label("cpf_employee"), label("pr_date"), label("bank_account.branch_code"), label("address_line1")
    ('CPF employee', 'PR date', 'Branch code', 'Address line 1')
    >>> label("wave_id"), label("wave_periods")
    ('Pay schedule', 'Pay schedule periods')
    >>> label("annual_leave, 2.5 hours"), label("Dr. visit")
    ('Annual leave, 2.5 hours', 'Dr. visit')
    """
    last = name if " " in name else name.rpartition(".")[2]
    if last in LABELS:
        return LABELS[last]
    words = TRAILING_DIGITS.sub(r"\1_\2", last).split("_")
    text = " ".join(filter(None, (WORDS.get(word, word) for word in words)))
    return text[:1].upper() + text[1:]


def company_label(path: str) -> str:
    """Return the label of a company's attribute, as its form has it.

    >>> company_label("bank_account.company_id"), company_label("bank_account")
    ('Company ID at the bank', 'Bank account')
    """
    return FORMS["company"].get(path, FieldText()).label or label(path)


def input_label(name: str) -> str:
    """Return the label of an input of a pay item.

    >>> input_label("overtime_hours_input"), input_label("public_holiday_days")
    ('Overtime hours', 'Public holidays worked')
    """
    return FORMS["pay_item"].get(name, FieldText()).label or label(name.removesuffix("_input"))


def pay_item_hint(calc_type: object) -> str:
    """Return what a pay item is for. Empty if its name says it.

    >>> pay_item_hint("meal_allowance")
    ''
    """
    return PAY_ITEMS.get(str(calc_type), "")
