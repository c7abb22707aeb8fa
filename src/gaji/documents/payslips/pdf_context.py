"""The data of a payslip template: texts and figures that are formatted and ready to print."""

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import asyncpg
import msgspec

from gaji.core.constants import CONSTANT_LISTS
from gaji.documents.payslips.line_details import (
    BASIC,
    OVERTIME_HOURS,
    corrected_item_detail,
    format_amount,
    format_decimal,
    make_line_formatter,
    overtime_period,
)
from gaji.engine import batch
from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings import CORRECTED_PAY
from gaji.engine.earnings.basic_pay import OVERTIME_LINES
from gaji.engine.money import format_dollars, to_cents
from gaji.engine.payslip_input import MISSED, CorrectedPayslip, PastDifference, PayslipInput
from gaji.law.explanation import long_period
from gaji.law.parameters import MonthNotCovered
from gaji.law.registry import Law
from gaji.payroll.payslips.queries import TOTALS
from gaji.payroll.payslips.rendering import captions_by_item
from gaji.payroll.withheld_payments.queries import EMPLOYEE, IRAS, WithheldPay
from gaji.people.employees.display_name import full_name

OVERTIME = "overtime"
BASIC_GROUP, ALLOWANCES, OVERTIME_GROUP, OTHERS = "Basic salary", "Allowances", "Overtime", "Other payments"
NO_BALANCE = "–"
INCLUDES_SICK_LEAVE = "Hospitalisation leave includes sick leave. A day of sick leave is deducted from both."
NEGATIVE_ACCRUAL = "Days that expired or were deducted are subtracted from the added days."
EMPLOYER_CONTRIBUTION, BENEFIT = "employer_contribution", "benefit"
METHODS = {entry.value: entry.name for entry in CONSTANT_LISTS["payment_method"]}
RECIPIENTS = {EMPLOYEE: "the employee", IRAS: "the tax authority"}
BANKS = {entry.value: entry.name for entry in CONSTANT_LISTS["bank_id"]}

Items = Sequence[tuple[str | int, str]]
"""Items of a payslip section with their amounts as decimal text."""
TemplateData = Mapping[str, Any]
PrintLine = Callable[[str | int, str], dict[str, str]]
"""Returns the caption, detail and amount of an item."""


class PrintedLines(msgspec.Struct):
    """The stored lines of a payslip, as far as they are printed."""

    income: list[tuple[str | int, str]] = []
    deduction: list[tuple[str | int, str]] = []
    grand_total: list[tuple[str, str]] = []
    sideline: list[tuple[str, list[tuple[str | int, str]]]] = []
    leave: dict[str, dict[str, msgspec.Raw]] = {}


class YearToDateTotals(msgspec.Struct, frozen=True, kw_only=True):
    """The totals of the calendar year on a payslip, in cents."""

    year: int
    income: int
    deduction: int
    nett_pay: int
    cpf_employee: int
    cpf_employer: int
    taken_on: bool
    """Whether CPF includes what another payroll paid."""
    since: date | None
    """The first day that was paid here, if the employee was there earlier in the year."""
    shows_employer: bool = True
    """Whether the payslip shows what the employer contributed."""


@dataclass(frozen=True)
class CalculatedPayslip:
    """The lines of a payslip and the inputs they were calculated from."""

    lines: str
    catalogue: Catalogue
    inputs: PayslipInput
    law: Law


_decode = msgspec.json.Decoder(PrintedLines).decode


def build_template_data(
    row: asyncpg.Record,
    payslip: CalculatedPayslip,
    unlimited_types: Container[str],
    first_day: date | None,
    withheld: WithheldPay | None = None,
) -> TemplateData:
    """Return the complete data of the template. Leave of unlimited types has no balance.

    `first_day` is the first day of the year that this payroll system paid. `withheld` is the pay if it is, or was,
    withheld.
    """
    lines = _decode(payslip.lines)
    print_line = _make_line_printer(payslip)
    sidelines = dict(lines.sideline)
    corrected = _corrected_period(payslip.inputs)
    start, end = corrected or (row["start_date"], row["date"])
    return {
        "draft": not row["finalised"],
        "special": row["special"],
        "corrects": long_period(*corrected) if corrected else "",
        "employer": {"name": row["employer"], "uen": row["uen"] or "", "address": _address(row)},
        "employee": _employee(row),
        "period": {"start": format_date(start), "end": format_date(end)},
        "payment": _payment(row, withheld),
        "income": _earnings(lines.income, payslip, print_line),
        "total_income": _total(lines.income),
        "overtime": _overtime(lines, payslip.inputs),
        "deduction": [print_line(*line) for line in lines.deduction if line[0] not in TOTALS],
        "total_deduction": _total(lines.deduction),
        "nett_pay": _total(lines.grand_total),
        "employer_contribution": [print_line(*line) for line in sidelines.get(EMPLOYER_CONTRIBUTION, ())],
        "benefit": [print_line(*line) for line in sidelines.get(BENEFIT, ())],
        "year_to_date": _print_year_to_date(_year_to_date_totals(row, lines, first_day)),
        "remarks": _remarks(payslip) if _may_have_remarks(row, payslip.inputs) else [],
        "leave": list(_print_leave(lines, unlimited_types)),
        "leave_notes": leave_notes(_leave_days(lines)),
    }


def build_year_to_date(row: asyncpg.Record, lines: str, first_day: date | None) -> YearToDateTotals:
    """Return the totals of the calendar year up to the payslip with these lines."""
    return _year_to_date_totals(row, _decode(lines), first_day)


def _corrected_period(inputs: PayslipInput) -> tuple[date, date] | None:
    """Return the period that a correction pays, or None. It can pay differences of several payslips of a month."""
    if inputs.corrects is None:
        return None
    missed = [difference for difference in inputs.past_differences if difference.treatment == MISSED]
    payslips: list[CorrectedPayslip | PastDifference] = [inputs.corrects, *missed]
    return min(payslip.start for payslip in payslips), max(payslip.end for payslip in payslips)


def format_date(day: date) -> str:
    """Return a date as people write it.

    >>> format_date(date(2026, 1, 5))
    '5 January 2026'
    """
    return f"{day.day} {day:%B %Y}"


def pdf_password(row: asyncpg.Record) -> str:
    """Return the password: the last four characters of the identity number, and the birthdate as DDMMYYYY."""
    return f"{(row['identity'] or '')[-4:].upper()}{row['birthdate']:%d%m%Y}"


def has_password(row: asyncpg.Record) -> bool:
    """Return whether the password has four characters of an identity number. Short numbers are masked completely."""
    characters = (row["identity"] or "")[-4:]
    return len(characters) == 4 and "*" not in characters


def _make_line_printer(payslip: CalculatedPayslip) -> PrintLine:
    captions = captions_by_item(payslip.catalogue)
    format_detail = make_line_formatter(payslip.law, payslip.catalogue, payslip.inputs)

    def print_line(item: str | int, amount: str) -> dict[str, str]:
        name = str(item)
        return {
            "caption": captions.get(name, name),
            "detail": format_detail(name, to_cents(amount)),
            "amount": format_decimal(amount),
        }

    return print_line


def _earnings(income: Items, payslip: CalculatedPayslip, print_line: PrintLine) -> list[dict[str, Any]]:
    """Return the income lines under the headings that the Ministry of Manpower uses."""
    groups: dict[str, list[dict[str, str]]] = {BASIC_GROUP: [], ALLOWANCES: [], OVERTIME_GROUP: [], OTHERS: []}
    for item, amount in income:
        if item in TOTALS:
            continue
        is_corrected = item == CORRECTED_PAY
        corrected = list_corrected_items(payslip.catalogue, payslip.inputs, to_cents(amount)) if is_corrected else []
        for name, line in corrected or [(str(item), print_line(item, amount))]:
            groups[_group(name, payslip.catalogue)].append(line)
    return [{"group": group, "lines": lines} for group, lines in groups.items() if lines]


def list_corrected_items(
    catalogue: Catalogue, inputs: PayslipInput, total_cents: int
) -> list[tuple[str, dict[str, str]]]:
    """Return the items that the pay of earlier months consists of. Empty if they do not add up to it."""
    captions = captions_by_item(catalogue)
    differences = [
        difference
        for difference in inputs.past_differences
        if difference.treatment == MISSED and difference.total_cents > 0
    ]
    if sum(difference.total_cents for difference in differences) != total_cents:
        return []
    return [
        (name, {"caption": captions.get(name, name), "detail": detail, "amount": format_amount(amount.accepted)})
        for difference in differences
        for name, amount in difference.items.items()
        for detail in [corrected_item_detail(difference, name, amount)]
        if amount.accepted
    ]


def _group(name: str, catalogue: Catalogue) -> str:
    if name == BASIC:
        return BASIC_GROUP
    if name in OVERTIME_LINES:
        return OVERTIME_GROUP
    calculation = catalogue.types.get(name)
    if calculation is None:
        return OTHERS
    if calculation.definition:
        is_allowance = calculation.definition.kind == "allowance"
    else:
        # Boxes d1 of form IR8A are allowances.
        is_allowance = (calculation.treatment.ir8a or "").startswith("d1")
    return ALLOWANCES if is_allowance else OTHERS


def _overtime(lines: PrintedLines, payslip: PayslipInput) -> dict[str, str] | None:
    """Return the hours of overtime and the days on which it was worked, or None if no overtime is paid."""
    corrected = [
        difference
        for difference in payslip.past_differences
        if payslip.corrects is not None and OVERTIME in difference.items and OVERTIME_HOURS in difference.worked
    ]
    if corrected:
        total = sum(Decimal(difference.worked[OVERTIME_HOURS]) for difference in corrected)
        start, end = min(item.start for item in corrected), max(item.end for item in corrected)
        return {"hours": f"{total:f}", "start": format_date(start), "end": format_date(end)}
    if all(item != OVERTIME for item, _ in lines.income):
        return None
    start, end = overtime_period(payslip, OVERTIME)
    hours = str(payslip.calculations[BASIC].inputs.get(OVERTIME_HOURS, "0"))
    return {"hours": hours, "start": format_date(start), "end": format_date(end)}


def _may_have_remarks(row: asyncpg.Record, inputs: PayslipInput) -> bool:
    """Whether remarks have to be computed. Those for the employee say in other words what stored remarks say.

    Stored remarks of a draft that will be calculated again are out of date.
    """
    return bool(row["has_remarks"] or row["dirty"] or inputs.past_differences)


def _remarks(payslip: CalculatedPayslip) -> list[str]:
    try:
        return batch.employee_remarks(payslip.law, payslip.catalogue, payslip.inputs)
    except MonthNotCovered:
        return []


def _total(items: Items) -> str:
    return format_decimal(items[-1][1]) if items else format_decimal("0.00")


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
        "joined": format_date(row["joined"]) if row["joined"] else "",
    }


def withheld_text(pay: WithheldPay, format_day: Callable[[date], str] = format_date) -> str:
    """Return what was released of nett pay that was withheld, to whom and when, and what is not paid yet.

    >>> withheld_text(WithheldPay(320_000))
    '$3,200.00 is withheld for tax clearance (IR21) until it is released'
    """
    cents_by_release: Counter[tuple[str, date]] = Counter()
    for release in pay.releases:
        cents_by_release[RECIPIENTS[release.recipient], release.created_at.date()] += release.amount
    parts = [
        f"{format_dollars(cents)} released to {recipient} on {format_day(day)}"
        for (recipient, day), cents in cents_by_release.items()
    ]
    if pay.withheld_cents:
        rest = format_dollars(pay.withheld_cents)
        parts.append(f"{rest} is withheld for tax clearance (IR21) until it is released")
    return ", ".join(parts)


def _payment(row: asyncpg.Record, withheld: WithheldPay | None) -> dict[str, str]:
    if withheld is not None and not withheld.released_cents(EMPLOYEE):
        return {"date": withheld_text(withheld), "method": "", "account": ""}
    bank = BANKS.get(row["bank_id"], "")
    return {
        "date": withheld_text(withheld) if withheld else format_date(row["payment_date"]),
        "method": METHODS[row["payment_method"]],
        "account": f"{bank} {row['account_number']}" if row["account_number"] else "",
    }


def _year_to_date_totals(row: asyncpg.Record, lines: PrintedLines, first_day: date | None) -> YearToDateTotals:
    """Return the totals of the calendar year, including this payslip, and when they begin if not with the year."""
    amounts = {
        str(item): amount
        for section in (lines.deduction, *(group for _, group in lines.sideline))
        for item, amount in section
    }
    this_payslip = {
        "income": lines.income[-1][1] if lines.income else "0",
        "deduction": lines.deduction[-1][1] if lines.deduction else "0",
        "nett_pay": lines.grand_total[-1][1] if lines.grand_total else "0",
        "cpf_employee": amounts.get("cpf_employee", "0"),
        "cpf_employer": amounts.get("cpf_employer", "0"),
    }
    return YearToDateTotals(
        year=row["date"].year,
        **{name: row[name] + to_cents(amount) for name, amount in this_payslip.items()},
        taken_on=row["taken_on"],
        since=_late_start(row, first_day),
    )


def _print_year_to_date(totals: YearToDateTotals) -> dict[str, Any]:
    return {
        "year": str(totals.year),
        "income": format_amount(totals.income),
        "deduction": format_amount(totals.deduction),
        "nett_pay": format_amount(totals.nett_pay),
        "cpf_employee": format_amount(totals.cpf_employee),
        "cpf_employer": format_amount(totals.cpf_employer),
        "taken_on": totals.taken_on,
        "since": format_date(totals.since) if totals.since else "",
    }


def _print_leave(lines: PrintedLines, unlimited_types: Container[str]) -> Iterator[dict[str, str]]:
    """Yield the days of each leave type. A type without a limit is listed only if days of it were taken or granted,
    and has no balance."""
    for name, figures in lines.leave.items():
        days = {key: bytes(value).decode() for key, value in figures.items()}
        if name in unlimited_types:
            if not any(Decimal(days[key]) for key in ("accrual", "taken")):
                continue
            days["balance"] = NO_BALANCE
        yield {"type": _leave_name(name), **days}


def _leave_days(lines: PrintedLines) -> dict[str, dict[str, Decimal]]:
    return {
        name: {key: Decimal(bytes(value).decode()) for key, value in days.items()} for name, days in lines.leave.items()
    }


def leave_notes(days_by_type: Mapping[str, Mapping[str, Decimal]]) -> list[str]:
    """Return the sentences that explain the days of leave on a payslip."""
    notes = []
    if days_by_type.get("sick_leave", {}).get("taken") and "hospitalisation_leave" in days_by_type:
        notes.append(INCLUDES_SICK_LEAVE)
    if any(days["accrual"] < 0 for days in days_by_type.values()):
        notes.append(NEGATIVE_ACCRUAL)
    return notes


def _late_start(row: asyncpg.Record, first_day: date | None) -> date | None:
    """Return the first day that was paid here, if the employee was there earlier in the year. Otherwise None."""
    year_start = row["date"].replace(month=1, day=1)
    is_late = first_day is not None and first_day > max(year_start, row["joined"] or year_start)
    return first_day if is_late else None


def _leave_name(name: str) -> str:
    """Return the name to print. Built-in leave types have a system name until they are renamed."""
    return name.replace("_", " ").capitalize() if "_" in name else name
