"""The tables of Appendix 8A and 8B on the printed forms: texts and figures that are formatted and ready to print."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from gaji.core.constants import CONSTANT_LISTS
from gaji.documents.payslips.line_details import format_amount
from gaji.documents.payslips.pdf_context import format_date
from gaji.documents.tax_certificates.appendix_8a import CATEGORY_NAMES, SECTION_NAMES, BenefitLine
from gaji.documents.tax_certificates.appendix_8b import PLAN_NAMES, ShareGainLine
from gaji.documents.tax_certificates.figures import BENEFITS, SHARES, IncomeFigures
from gaji.law.benefits_in_kind import AppendixSection, BenefitCategory

AppendixTable = dict[str, Any]
"""A table of an appendix: title, columns, rows of cells and a total."""

FURNISHING_NAMES = {str(entry.value): entry.name for entry in CONSTANT_LISTS["furnishing"]}
WITHOUT_RECORD = "On payslips and in opening balances"


def appendix_tables(year: int, figures: IncomeFigures) -> list[AppendixTable]:
    """Return the tables of the appendices of a year. An appendix without recorded lines has none."""
    benefits, gains = figures.benefit_lines, figures.share_gain_lines
    tables = []
    if benefits:
        rows = [row for section in AppendixSection for row in _section_rows(benefits, section)]
        rest = figures.amounts.get(BENEFITS, 0) - sum(line.taxable for line in benefits)
        tables.append(_table(f"Appendix 8A, {year}: benefits in kind", ("Benefit", "Period"), rows, rest))
    if gains:
        columns = ("Shares", "Granted", "Day of the gain", "Number", "Price", "Market value")
        rest = figures.amounts.get(SHARES, 0) - sum(line.gain for line in gains)
        tables.append(_table(f"Appendix 8B, {year}: share gains", columns, [*map(_gain_row, gains)], rest))
    return tables


def _table(title: str, columns: Sequence[str], rows: list[AppendixTable], rest_cents: int) -> AppendixTable:
    if rest_cents:
        rows = [*rows, _row([WITHOUT_RECORD, *[""] * (len(columns) - 1)], rest_cents)]
    total = sum(row["cents"] for row in rows if not row["strong"])
    return {"title": title, "columns": list(columns), "rows": rows, "total": format_amount(total)}


def _section_rows(lines: Sequence[BenefitLine], section: AppendixSection) -> Iterator[AppendixTable]:
    """Yield the benefits of a section after a row with their sum."""
    in_section = [line for line in lines if line.section == section]
    if not in_section:
        return
    yield _row([SECTION_NAMES[section], ""], sum(line.taxable for line in in_section), strong=True)
    for line in in_section:
        yield _row([_benefit_text(line), _period(line.first, line.last)], line.taxable)


def _benefit_text(line: BenefitLine) -> str:
    if line.category != BenefitCategory.RESIDENCE:
        return line.caption
    value = (
        f"rent {format_amount(line.rent or 0)}"
        if line.annual_value is None
        else f"annual value {format_amount(line.annual_value or 0)}, furniture {format_amount(line.furniture)}"
    )
    details = [
        value,
        FURNISHING_NAMES[line.furnishing].lower(),
        f"shared by {line.sharing}" if line.sharing > 1 else "",
        f"paid by the employee {format_amount(line.paid_by_employee)}" if line.paid_by_employee else "",
    ]
    return f"{CATEGORY_NAMES[line.category]}: {line.address}; {', '.join(filter(None, details))}"


def _gain_row(line: ShareGainLine) -> AppendixTable:
    number = f" ({line.company_number})" if line.company_number else ""
    deemed = ", deemed" if line.deemed else ""
    plan = f"{PLAN_NAMES[line.plan]}{deemed}: {line.company}{number}, section {line.section}"
    days = [format_date(line.granted), format_date(line.income_date)]
    return _row([plan, *days, line.shares, line.price, line.market_value], line.gain)


def _row(cells: Sequence[str], cents: int, *, strong: bool = False) -> AppendixTable:
    return {"cells": list(cells), "amount": format_amount(cents), "cents": cents, "strong": strong}


def _period(first: date, last: date) -> str:
    return f"{format_date(first)} to {format_date(last)}, {(last - first).days + 1} days"
