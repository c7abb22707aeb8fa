"""A payslip as it is printed: what a template is given, in words and figures that need no further formatting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import asyncpg
import msgspec

from gaji.core.constants import LISTS
from gaji.documents.payslips.line_details import BASIC, OVERTIME_HOURS, details, format_amount, money
from gaji.engine.catalogue import Catalogue
from gaji.engine.money import to_cents
from gaji.engine.payslip_input import PayslipInput
from gaji.law.registry import Law
from gaji.payroll.payslips.queries import TOTALS
from gaji.payroll.payslips.rendering import captions_by_item
from gaji.people.employees.display_name import full_name

OVERTIME = "overtime"
BASIC_GROUP, ALLOWANCES, OVERTIME_GROUP, OTHERS = "Basic salary", "Allowances", "Overtime", "Other payments"
EMPLOYER_CONTRIBUTION, BENEFIT = "employer_contribution", "benefit"
METHODS = {entry.value: entry.name for entry in LISTS["payment_method"]}
BANKS = {entry.value: entry.name for entry in LISTS["bank_id"]}

Items = Sequence[tuple[str | int, str]]
Data = Mapping[str, Any]


class Form(msgspec.Struct):
    """What of the lines of a payslip is printed."""

    income: list[tuple[str | int, str]] = []
    deduction: list[tuple[str | int, str]] = []
    grand_total: list[tuple[str, str]] = []
    sideline: list[tuple[str, list[tuple[str | int, str]]]] = []
    leave: dict[str, dict[str, msgspec.Raw]] = {}


@dataclass(frozen=True)
class Grounds:
    """The lines of a payslip and what they were calculated from."""

    lines: str
    catalogue: Catalogue
    case: PayslipInput
    law: Law


_decode = msgspec.json.Decoder(Form).decode


def printed(row: asyncpg.Record, grounds: Grounds) -> Data:
    """All that a template is given."""
    form = _decode(grounds.lines)
    shown = _shown(grounds)
    sidelines = dict(form.sideline)
    start, end = written(row["start_date"]), written(row["date"])
    hours = _overtime_hours(form, grounds.case)
    return {
        "draft": not row["finalised"],
        "special": row["special"],
        "employer": {"name": row["employer"], "uen": row["uen"] or "", "address": _address(row)},
        "employee": _employee(row),
        "period": {"start": start, "end": end},
        "payment": _payment(row),
        "income": _earnings(form.income, grounds.catalogue, shown),
        "total_income": _total(form.income),
        "overtime": {"hours": hours, "start": start, "end": end} if hours else None,
        "deduction": [shown(*line) for line in form.deduction if line[0] not in TOTALS],
        "total_deduction": _total(form.deduction),
        "nett_pay": _total(form.grand_total),
        "employer_contribution": [shown(*line) for line in sidelines.get(EMPLOYER_CONTRIBUTION, ())],
        "benefit": [shown(*line) for line in sidelines.get(BENEFIT, ())],
        "year_to_date": _year_to_date(row, form),
        "leave": [
            {"type": _leave_name(name), **{key: bytes(value).decode() for key, value in figures.items()}}
            for name, figures in form.leave.items()
        ],
    }


def written(day: date) -> str:
    """A day as people write it.

    >>> written(date(2026, 1, 5))
    '5 January 2026'
    """
    return f"{day.day} {day:%B %Y}"


def password(row: asyncpg.Record) -> str:
    """What opens a payslip: the last four characters of NRIC, FIN or passport, and the birthdate as DDMMYYYY."""
    return f"{(row['identity'] or '')[-4:].upper()}{row['birthdate']:%d%m%Y}"


def _shown(grounds: Grounds) -> Callable[[str | int, str], dict[str, str]]:
    """How a line is shown."""
    names = captions_by_item(grounds.catalogue)
    beside = details(grounds.law, grounds.catalogue, grounds.case)

    def shown(item: str | int, amount: str) -> dict[str, str]:
        name = str(item)
        return {
            "caption": names.get(name, name),
            "detail": beside(name, to_cents(amount)),
            "amount": money(amount),
        }

    return shown


def _earnings(
    income: Items, catalogue: Catalogue, shown: Callable[[str | int, str], dict[str, str]]
) -> list[dict[str, Any]]:
    """The lines of income under the headings that the Ministry of Manpower knows, those first that everybody has."""
    groups: dict[str, list[dict[str, str]]] = {BASIC_GROUP: [], ALLOWANCES: [], OVERTIME_GROUP: [], OTHERS: []}
    for item, amount in income:
        if item not in TOTALS:
            groups[_group(str(item), catalogue)].append(shown(item, amount))
    return [{"group": group, "lines": lines} for group, lines in groups.items() if lines]


def _group(name: str, catalogue: Catalogue) -> str:
    if name == BASIC:
        return BASIC_GROUP
    if name == OVERTIME:
        return OVERTIME_GROUP
    one = catalogue.types.get(name)
    if one is None:
        return OTHERS
    # Item d1 of form IR8A is allowances; a client says what a custom item is.
    allowance = one.definition.kind == "allowance" if one.definition else (one.treatment.ir8a or "").startswith("d1")
    return ALLOWANCES if allowance else OTHERS


def _overtime_hours(form: Form, case: PayslipInput) -> str:
    """The hours of overtime that are paid for."""
    if all(item != OVERTIME for item, _ in form.income):
        return ""
    return str(case.calculations[BASIC].inputs.get(OVERTIME_HOURS, "0"))


def _total(items: Items) -> str:
    return money(items[-1][1]) if items else money("0.00")


def _address(row: asyncpg.Record) -> list[str]:
    building = " ".join(part for part in (row["unit_no"], row["complex"]) if part)
    postal_code = row["postal_code"] and f"Singapore {row['postal_code']}"
    return [line for line in (row["st_name"], building, postal_code) if line]


def _employee(row: asyncpg.Record) -> dict[str, str]:
    return {
        "name": full_name(row["first_name"], row["last_name"], row["name_format"]),
        "number": row["number"],
        "identity": row["identity"] or "",
        "job_title": row["job_title"] or "",
        "pay_point": row["pay_point"] or "",
        "joined": written(row["joined"]) if row["joined"] else "",
    }


def _payment(row: asyncpg.Record) -> dict[str, str]:
    bank = BANKS.get(row["bank_id"], "")
    return {
        "date": written(row["pay_date"]),
        "method": METHODS[row["payment_method"]],
        "account": f"{bank} {row['account_number']}" if row["account_number"] else "",
    }


def _year_to_date(row: asyncpg.Record, form: Form) -> dict[str, Any]:
    """What the payslips of the calendar year came to, this one included."""
    amounts = {
        str(item): amount
        for lines in (form.deduction, *(group for _, group in form.sideline))
        for item, amount in lines
    }
    added = {
        "income": form.income[-1][1] if form.income else "0",
        "deduction": form.deduction[-1][1] if form.deduction else "0",
        "nett_pay": form.grand_total[-1][1] if form.grand_total else "0",
        "cpf_employee": amounts.get("cpf_employee", "0"),
        "cpf_employer": amounts.get("cpf_employer", "0"),
    }
    return {
        "year": str(row["date"].year),
        **{name: format_amount(row[name] + to_cents(amount)) for name, amount in added.items()},
        "taken_on": row["taken_on"],
    }


def _leave_name(name: str) -> str:
    """The types that come with a client go by a system name until they are given another."""
    return name.replace("_", " ").capitalize() if "_" in name else name
