"""Leave and national service that the government reimburses: one row for each claim and calendar month."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gaji.company.clients.queries import load_pay_settings
from gaji.core.error_codes import MONTH_NOT_COVERED
from gaji.core.errors import Errors, invalid
from gaji.core.law_loader import current_law
from gaji.core.validation import Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine.money import decimal_text
from gaji.law import national_service
from gaji.law.explanation import long_month, money
from gaji.law.government_paid_leave import CapUnit, LeaveMonth, MonthClaim, ReimbursementTerms, claim_months
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import line
from gaji.law.parameters import DatedValue, MonthNotCovered
from gaji.law.quantities import format_millis
from gaji.leave.types.queries import NATIONAL_SERVICE
from gaji.people.employees.queries import load_employee_numbers
from gaji.reports.employee_selection import EmployeeFilter, iterate_employee_ids
from gaji.reports.leave_claims import (
    EmployeeClaim,
    PaidDays,
    ServiceIncome,
    load_employee_claims,
    load_service_incomes,
)
from gaji.reports.request_fields import (
    EMPLOYEE_IDS,
    END_DATE,
    HUMANIZE,
    START_DATE,
    WAVE_IDS,
    check_date_order,
)
from gaji.reports.rows import AmountFormatter, Chunk, RowFormat, StreamedTable, amount_formatter, format_days

ATTRIBUTES = (START_DATE, END_DATE, WAVE_IDS, EMPLOYEE_IDS, HUMANIZE)
ROW = RowFormat(
    (
        *("employee", "Leave", "Child", "Month", "From", "To", "Days", "Daily Rate", "Gross Pay", "Employer CPF"),
        *("Cap", "Cap Used", "Claim", "Claim By", "Reason", "Calculation", "Source", "Certainty"),
    )
)
NULL = "null"
NOT_PAID = "No payslip of {month} is finalised: pay the employee first"
NO_WEEK = "The employee has no regular working days"
SERVICE_REASON = "Income lost by the wages of {month}. MINDEF or MHA pays it without a claim; it does not pay CPF"
NO_WAGES = "No wages with CPF in {month}, which the ministry calculates from"
SERVICE_SOURCE = "MINDEF, base NS pay, sample calculation of October 2022"
SERVICE_CERTAINTY = "C"


@dataclass(frozen=True)
class LeaveClaimQuery:
    """A resolved request."""

    first: Month
    last: Month
    employee_filter: EmployeeFilter
    humanize: bool | None


@dataclass(frozen=True)
class _Figures:
    """The amounts of a row in cents. None if they cannot be calculated."""

    rate: int | None
    gross: int | None
    cpf: int | None
    cap: int | None
    used: int | None
    claim: int | None


@dataclass(frozen=True)
class _Explanation:
    reason: str
    calculation: str | None
    source: str | None
    certainty: str | None


NO_FIGURES = _Figures(None, None, None, None, None, None)


async def resolve_query(tx: Transaction, client_id: int, record: Record, errors: Errors) -> LeaveClaimQuery | None:
    """Resolve the request fields and add any errors."""
    check_date_order(record, errors)
    if errors:
        return None
    first, last = (Month.from_date(record[name]) for name in ("start_date", "end_date"))
    return LeaveClaimQuery(first, last, EmployeeFilter.from_record(record), record["humanize"])


async def build_table(tx: Transaction, client_id: int, query: LeaveClaimQuery) -> StreamedTable:
    """Build the report."""
    return StreamedTable(ROW.keys, _iterate_chunks(tx, client_id, query))


async def _iterate_chunks(tx: Transaction, client_id: int, query: LeaveClaimQuery) -> AsyncIterator[Chunk]:
    rules_versions = frozenset([current_law().rules_version])
    settings = await load_pay_settings(tx, client_id)
    async for employee_ids in iterate_employee_ids(tx, client_id, query.employee_filter):
        try:
            claims = await load_employee_claims(tx, client_id, employee_ids, query.first, query.last)
        except MonthNotCovered as error:
            raise invalid("start_date", MONTH_NOT_COVERED, **error.params) from None
        services = []
        if settings.ns_direct_scheme:
            services = await load_service_incomes(tx, client_id, employee_ids, query.first, query.last)
        paid_ids = list({claim.employee_id for claim in claims} | {service.employee_id for service in services})
        numbers = await load_employee_numbers(tx, client_id, paid_ids)
        yield Chunk(await asyncio.to_thread(_build_rows, query, claims, services, numbers), rules_versions)


def _build_rows(
    query: LeaveClaimQuery,
    claims: Sequence[EmployeeClaim],
    services: Sequence[ServiceIncome],
    numbers: Mapping[int, str],
) -> list[str]:
    format_amount = amount_formatter(query.humanize)
    rows = [(claim.employee_id, row) for claim in claims for row in _claim_rows(query, claim, numbers, format_amount)]
    rows += [
        (service.employee_id, _service_row(service, numbers, format_amount))
        for service in services
        if _matches_wave(query, service.wave_id)
    ]
    return [row for _, row in sorted(rows, key=lambda entry: entry[0])]


def _matches_wave(query: LeaveClaimQuery, wave_id: int | None) -> bool:
    wave_ids = query.employee_filter.wave_ids
    return not wave_ids or wave_id in wave_ids


def _claim_rows(
    query: LeaveClaimQuery, claim: EmployeeClaim, numbers: Mapping[int, str], format_amount: AmountFormatter
) -> Iterator[str]:
    terms = current_law().government_paid_leave.terms(claim.claim.leave_type).nearest(claim.claim.days[0][0])
    for days, month_claim in zip(claim.months, _month_claims(claim, terms), strict=True):
        if query.first <= days.month <= query.last and _matches_wave(query, days.wave_id):
            yield _format_row(
                numbers[claim.employee_id],
                (claim.claim.leave_type, claim.claim.event_date, days.first, days.last),
                days.millidays,
                _figures(days, month_claim),
                claim.claim.claim_by,
                _explain(claim, days, month_claim, terms),
                format_amount,
            )


def _month_claims(claim: EmployeeClaim, terms: DatedValue[ReimbursementTerms]) -> list[MonthClaim | None]:
    """What each month claims. None from the first month on that cannot be calculated."""
    known = []
    for days in claim.months:
        if not claim.claim.has_child or days.cpf_cents is None or not days.week_millidays:
            break
        known.append(LeaveMonth(days.month, days.millidays, days.gross_cents, days.cpf_cents))
    if not known:
        return [None] * len(claim.months)
    week = claim.months[0].week_millidays
    claimed = claim_months(current_law().government_paid_leave, terms, week, known)
    return [*claimed, *[None] * (len(claim.months) - len(known))]


def _figures(days: PaidDays, claim: MonthClaim | None) -> _Figures:
    if claim is None:
        known = days.week_millidays > 0
        return _Figures(days.rate_cents, days.gross_cents, None, None, None, None) if known else NO_FIGURES
    return _Figures(
        days.rate_cents, days.gross_cents, claim.cpf_cents, claim.cap_cents, claim.used_cents, claim.claim_cents
    )


def _explain(
    claim: EmployeeClaim, days: PaidDays, month_claim: MonthClaim | None, terms: DatedValue[ReimbursementTerms]
) -> _Explanation:
    if month_claim is not None:
        calculation = "; ".join(month_claim.arithmetic)
        return _Explanation(claim.claim.reason, calculation, terms.source, _certainty(terms.value, days, month_claim))
    if not claim.claim.has_child:
        return _Explanation(claim.claim.reason, None, None, None)
    unpaid = next((month for month in claim.months if month.cpf_cents is None), None)
    reason = NO_WEEK if unpaid is None else NOT_PAID.format(month=long_month(unpaid.month))
    return _Explanation(f"{claim.claim.reason}. {reason}", None, None, None)


def _certainty(terms: ReimbursementTerms, days: PaidDays, claim: MonthClaim) -> str:
    """The lowest certainty of the facts that a claim follows from."""
    parameters = current_law().government_paid_leave
    grades = [terms.certainty]
    if claim.cpf_cents:
        grades.append(parameters.cpf_share.nearest(days.first).value.certainty)
    if terms.cap_for is not CapUnit.DAY:
        grades.append(parameters.incomplete_weeks.nearest(days.first).value.certainty)
    return max(grades)


def _service_row(income: ServiceIncome, numbers: Mapping[int, str], format_amount: AmountFormatter) -> str:
    service, month = income.service, long_month(income.income_month)
    figures, explanation = NO_FIGURES, _Explanation(NO_WAGES.format(month=month), None, None, None)
    if income.ordinary_cents is not None and service.month_millidays:
        claim = national_service.income_lost_cents(
            income.ordinary_cents, income.additional_cents, service.millidays, service.month_millidays
        )
        figures = _Figures(None, None, 0, None, None, claim)
        explanation = _Explanation(
            SERVICE_REASON.format(month=month), _service_line(income, claim), SERVICE_SOURCE, SERVICE_CERTAINTY
        )
    return _format_row(
        numbers[income.employee_id],
        (NATIONAL_SERVICE, None, service.first, service.last),
        service.millidays,
        figures,
        None,
        explanation,
        format_amount,
    )


def _service_line(income: ServiceIncome, claim_cents: int) -> str:
    service, yearly = income.service, MONTHS_PER_YEAR
    wages = f"({yearly} × {money(income.ordinary_cents or 0)} + {money(income.additional_cents)})"
    days, month_days = format_millis(service.millidays), format_millis(service.month_millidays)
    return line(f"round_cents({wages} × {days} ÷ ({yearly} × {month_days}))", money(claim_cents))


def _format_row(
    number: str,
    dates: tuple[str, object, object, object],
    millidays: int,
    figures: _Figures,
    claim_by: object,
    explanation: _Explanation,
    format_amount: AmountFormatter,
) -> str:
    leave_type, event_date, first, last = dates
    amounts = (figures.rate, figures.gross, figures.cpf, figures.cap, figures.used, figures.claim)
    return ROW.format_row(
        json_text(number),
        json_text(leave_type),
        _text(event_date),
        _text(str(last)[:7]),
        _text(first),
        _text(last),
        format_days(millidays),
        *(NULL if cents is None else format_amount(decimal_text(cents)) for cents in amounts),
        _text(claim_by),
        _text(explanation.reason),
        _text(explanation.calculation),
        _text(explanation.source),
        _text(explanation.certainty),
    )


def _text(value: object) -> str:
    """Return a value as JSON text, null if there is none."""
    return NULL if value is None else json_text(str(value))
