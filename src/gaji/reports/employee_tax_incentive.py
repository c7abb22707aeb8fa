"""Wage offsets paid to the employer, estimated by employee, month and scheme from finalised payslips."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.core.error_codes import OUT_OF_RANGE
from gaji.core.errors import Errors
from gaji.core.field_types import Boolean, Integer
from gaji.core.law_loader import current_law, current_wage_offsets
from gaji.core.threads import REPORTS
from gaji.core.validation import Attribute, Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine.dates import MAX_DATE, MIN_DATE
from gaji.engine.money import decimal_text
from gaji.engine.payslip_input import EmployeeDetails, ServiceInterval
from gaji.law.months import DECEMBER, MONTHS_PER_YEAR, Month
from gaji.law.residency import LegalStatus
from gaji.law.wage_offsets import (
    MonthlyWage,
    OffsetEmployee,
    WageOffset,
    WagesByYear,
    YearlyWages,
    estimate_month,
    estimate_year,
)
from gaji.payroll.payslips.statutory_totals import CpfMonth, load_cpf_months
from gaji.people.employees.queries import (
    WageOffsetMarks,
    load_employee_details,
    load_employee_numbers,
    load_wage_offset_marks,
)
from gaji.people.service_periods.queries import load_service_intervals
from gaji.reports.employee_selection import EmployeeFilter, iterate_employee_ids
from gaji.reports.request_fields import EMPLOYEE_IDS, HUMANIZE, WAVE_IDS
from gaji.reports.rows import AmountFormatter, Chunk, RowFormat, StreamedTable, amount_formatter

YEARS_COMPARED = 2
"""The earlier years whose wages decide on the Progressive Wage Credit."""
BATCH_SIZE = 250
"""Employees whose rows are built together, in a thread."""
ATTRIBUTES = (
    Attribute(
        "year",
        Integer(minimum=MIN_DATE.year, maximum=MAX_DATE.year),
        "The calendar year. Must be covered by the wage offset parameters: from 2021 to 2028.",
        required=True,
        example=2026,
    ),
    Attribute("month", Integer(minimum=1, maximum=MONTHS_PER_YEAR), "One month of the year. Default: all months."),
    WAVE_IDS,
    EMPLOYEE_IDS,
    HUMANIZE,
    Attribute("humanized", Boolean(), "The same as `humanize`."),
)
ROW = RowFormat(
    (
        "employee",
        "Month",
        "Scheme",
        "Wage",
        "Rate",
        "Estimate",
        "Reason",
        "Calculation",
        "Rule",
        "Effective From",
        "Source",
        "Certainty",
    )
)
NULL = "null"


@dataclass(frozen=True)
class WageOffsetQuery:
    """A resolved request."""

    year: int
    month: int | None
    employee_filter: EmployeeFilter
    humanize: bool


@dataclass(frozen=True)
class EmployeeWages:
    """What the estimates of an employee depend on."""

    number: str
    details: EmployeeDetails
    marks: WageOffsetMarks
    services: Sequence[ServiceInterval]
    months: Sequence[CpfMonth]
    """The months with CPF of this year and of the years that it is compared with, in order."""


async def resolve_query(tx: Transaction, client_id: int, record: Record, errors: Errors) -> WageOffsetQuery:
    """Resolve the request fields and add an error for a year that the parameters do not cover."""
    covered = current_wage_offsets().lowest_certainty
    first, last = covered.covered_from.year, covered.covered_until.year
    if record["year"] is not None and not first <= record["year"] <= last:
        errors.add("year", OUT_OF_RANGE, minimum=first, maximum=last)
    humanize = bool(record["humanize"] or record["humanized"])
    return WageOffsetQuery(record["year"], record["month"], EmployeeFilter.from_record(record), humanize)


async def build_table(tx: Transaction, client_id: int, query: WageOffsetQuery) -> StreamedTable:
    """Build the report."""
    return StreamedTable(ROW.keys, _iterate_chunks(tx, client_id, query))


async def _iterate_chunks(tx: Transaction, client_id: int, query: WageOffsetQuery) -> AsyncIterator[Chunk]:
    rules_versions = frozenset([current_law().rules_version])
    async for employee_ids in iterate_employee_ids(tx, client_id, query.employee_filter, BATCH_SIZE):
        employees = await _load_employees(tx, client_id, employee_ids, query.year)
        yield Chunk(await REPORTS.run(_build_rows, employees, query), rules_versions)


async def _load_employees(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], year: int
) -> list[EmployeeWages]:
    """Load the employees with CPF contributions in these years."""
    months: dict[int, list[CpfMonth]] = defaultdict(list)
    first, last = Month(year - YEARS_COMPARED, 1).first_day, Month(year, DECEMBER).last_day
    for month in await load_cpf_months(tx, client_id, employee_ids, first, last):
        months[month.employee_id].append(month)
    paid_ids = list(months)
    numbers = await load_employee_numbers(tx, client_id, paid_ids)
    details = await load_employee_details(tx, client_id, paid_ids)
    marks = await load_wage_offset_marks(tx, client_id, paid_ids)
    services = await load_service_intervals(tx, client_id, paid_ids)
    return [
        EmployeeWages(
            json_text(numbers[employee_id]),
            details[employee_id],
            marks[employee_id],
            services[employee_id],
            months[employee_id],
        )
        for employee_id in paid_ids
    ]


def _build_rows(employees: Sequence[EmployeeWages], query: WageOffsetQuery) -> list[str]:
    format_amount = amount_formatter(query.humanize)
    return [row for employee in employees for row in _employee_rows(employee, query, format_amount)]


def _employee_rows(employee: EmployeeWages, query: WageOffsetQuery, format_amount: AmountFormatter) -> Iterator[str]:
    parameters, cpf_parameters = current_wage_offsets(), current_law().cpf
    wages = _wages_by_year(employee.months)
    of_year: list[WageOffset] | None = None
    for paid in employee.months:
        if not _is_selected(paid, query):
            continue
        month, wage = Month.from_date(paid.month), MonthlyWage(paid.ordinary, paid.additional)
        facts = _offset_employee(employee, month)
        if of_year is None:
            of_year = estimate_year(parameters, query.year, facts, wages)
        for offset in (*of_year, *estimate_month(parameters, cpf_parameters, month, facts, wage)):
            yield _format_row(employee.number, month, wage, offset, format_amount)


def _is_selected(paid: CpfMonth, query: WageOffsetQuery) -> bool:
    wave_ids = query.employee_filter.wave_ids
    is_in_wave = not wave_ids or not wave_ids.isdisjoint(paid.wave_ids)
    return paid.month.year == query.year and query.month in (None, paid.month.month) and is_in_wave


def _wages_by_year(months: Sequence[CpfMonth]) -> WagesByYear:
    wages: dict[int, YearlyWages] = defaultdict(YearlyWages)
    for paid in months:
        yearly = wages[paid.month.year]
        wages[paid.month.year] = YearlyWages(yearly.cents + paid.ordinary + paid.additional, yearly.months + 1)
    return wages


def _offset_employee(employee: EmployeeWages, month: Month) -> OffsetEmployee:
    details, marks = employee.details, employee.marks
    hired_on = _hired_on(employee.services, month.last_day)
    enabling_from, uplifting_from = marks.enabling_employment_credit_from, marks.uplifting_employment_credit_from
    return OffsetEmployee(
        birthdate=details.birthdate,
        legal_status=LegalStatus[details.legal_status],
        pr_date=details.pr_date,
        citizenship_date=details.citizenship_date,
        hired_on=hired_on,
        is_owner=marks.business_owner,
        enabling=_has_begun(enabling_from, month),
        enabling_new_hire=marks.enabling_new_hire and _marked_hire(employee.services, enabling_from) == hired_on,
        uplifting=_has_begun(uplifting_from, month) and _marked_hire(employee.services, uplifting_from) == hired_on,
    )


def _has_begun(marked_from: date | None, month: Month) -> bool:
    return marked_from is not None and marked_from <= month.last_day


def _marked_hire(services: Sequence[ServiceInterval], marked_from: date | None) -> date | None:
    """The first day of the service that a mark is for. Someone who is hired again is not a new hire by an old mark."""
    if marked_from is None:
        return None
    return _hired_on(services, marked_from) or min((service.start for service in services), default=None)


def _hired_on(services: Sequence[ServiceInterval], day: date) -> date | None:
    """The first day of the latest service that had started by a day."""
    return max((service.start for service in services if service.start <= day), default=None)


def _format_row(
    number: str, month: Month, wage: MonthlyWage, offset: WageOffset, format_amount: AmountFormatter
) -> str:
    amount = offset.amount_cents
    return ROW.format_row(
        number,
        f'"{month}"',
        _text(offset.scheme),
        format_amount(decimal_text(wage.cents)),
        _text(offset.rate),
        NULL if amount is None else format_amount(decimal_text(amount)),
        _text(offset.branch),
        _text("; ".join(offset.arithmetic)),
        _text(offset.rule),
        f'"{offset.terms.since}"',
        _text(offset.terms.source),
        f'"{offset.certainty}"',
    )


def _text(text: str) -> str:
    """Return text as JSON, null if it is empty."""
    return json_text(text) if text else NULL
