"""Payslip previews: calculate and explain a payslip for anyone and any period, without storing it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from msgspec.structs import replace

from gaji.company.clients.queries import load_client_features, load_pay_settings
from gaji.company.clients.service import require_client
from gaji.company.waves.queries import PayCalendar
from gaji.core import clock
from gaji.core.error_codes import MONTH_NOT_COVERED, NOT_A_PERIOD_END, UNKNOWN_ID
from gaji.core.errors import ErrorCode, Errors, ValidationError, invalid
from gaji.core.field_types import MAX_ID, DateType, parse_integer
from gaji.core.law_loader import current_law
from gaji.core.validation import Record
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine import batch, catalogue
from gaji.engine.earnings import FormulaProblem
from gaji.engine.payslip_input import CalculationEntry, EmployeeDetails, PayslipInput, ServiceInterval, YearToDate
from gaji.engine.periods import NotAPeriodEnd, PaySchedule
from gaji.law.parameters import MonthNotCovered
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import resolve as calculations
from gaji.payroll.payslips.build_inputs import add_corrected_months, add_previous_months, apportioned, build_inputs
from gaji.payroll.payslips.draft_periods import (
    PeriodKey,
    is_last_of_month,
    joins_in_previous_month,
    service_in_period,
)
from gaji.payroll.payslips.drafts import Draft
from gaji.payroll.payslips.employment_context import EmploymentContext, load_context
from gaji.payroll.payslips.preview_schemas import (
    PREVIEW,
    EntryParser,
    PreviewEntry,
    PreviewInput,
    PreviewYearToDate,
)
from gaji.payroll.payslips.service import ExplainedPayslip, explain
from gaji.people.wave_periods.queries import WaveInterval

FORMULA_ERRORS: Mapping[FormulaProblem, ErrorCode] = {
    FormulaProblem.DIVIDES_BY_ZERO: ErrorCode("divides_by_zero", "the formula of {item} divides by zero"),
    FormulaProblem.OUT_OF_RANGE: ErrorCode(
        "result_out_of_range", "the result of the formula of {item} is out of range"
    ),
}
NO_WAVE = 0
DEFAULT_WAVE = PayCalendar(PaySchedule("monthly", last_day=31), 0, None)
"""The wave of a person who is not an employee."""
NO_PERIOD = PeriodKey(NO_WAVE, 0)
NO_EMPLOYEE = 0
SAMPLE_EMPLOYEE = EmployeeDetails(birthdate=date(1990, 1, 1), legal_status="CITIZEN")
SYSTEM_CATALOGUE = catalogue.build_catalogue()


@dataclass
class PreviewRequest:
    """A preview while its body is validated: the stored data it refers to, its period and its entries."""

    employee_id: int
    """NO_EMPLOYEE for a person who is not an employee."""
    context: EmploymentContext
    entry_parser: EntryParser
    period: PeriodKey = NO_PERIOD
    entries: Sequence[PreviewEntry] = ()

    @property
    def wave(self) -> PayCalendar:
        """The wave of the payslip."""
        return self.context.waves.get(self.period.wave_id, DEFAULT_WAVE)

    def check(self, record: Record, errors: Errors) -> None:
        """Check that the record's references exist, and set the period and the entries."""
        if record["employee_id"] is not None and not self.context.service[self.employee_id]:
            errors.add("employee_id", UNKNOWN_ID, resource="employee", id=record["employee_id"])
        self.entries = self.entry_parser.parse(record["calculations"], record["period_end_date"], errors)
        wave_id = record["wave_id"]
        if wave_id is not None and wave_id not in self.context.waves:
            errors.add("wave_id", UNKNOWN_ID, resource="wave", id=wave_id)
        elif record["period_end_date"] is not None and "period_end_date" not in errors:
            self._set_period(wave_id, record["period_end_date"], errors)

    def _set_period(self, wave_id: int | None, end: date, errors: Errors) -> None:
        """Set the period that ends on a day, in a month that the law covers."""
        if wave_id is None:
            wave_id = _wave_on(self.context.paid_intervals[self.employee_id], end)
        self.period = PeriodKey(wave_id, 0)
        try:
            self.period = PeriodKey(wave_id, self.wave.schedule.offset(end))
            sample = PayslipInput(self.wave.period(self.period.offset), SAMPLE_EMPLOYEE, [], {})
            batch.calculate(current_law(), SYSTEM_CATALOGUE, [sample])
        except NotAPeriodEnd as error:
            errors.add("period_end_date", NOT_A_PERIOD_END, **error.params)
        except MonthNotCovered as error:
            errors.add("period_end_date", MONTH_NOT_COVERED, **error.params)


async def preview_payslip(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[ExplainedPayslip, dict[str, str]]:
    """Calculate and explain the payslip that a body describes. Also returns warnings about the body."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        request = await _load_request(tx, client_id, PREVIEW.unwrap(body))
        validated = PREVIEW.parse_create(body, request.check)
        payslip_input = await _build_input(tx, client_id, request, validated.data)
    return _explain(request, payslip_input), validated.warnings


async def _load_request(tx: Transaction, client_id: int, body: Mapping[str, Any]) -> PreviewRequest:
    """Load what the body refers to. Invalid references are reported when the body is validated."""
    number = parse_integer(body.get("employee_id")) or NO_EMPLOYEE
    employee_id = number if 0 < number <= MAX_ID else NO_EMPLOYEE
    day = DateType().parse(body.get("period_end_date"), "", Errors()) or clock.today()
    [stored] = await calculations.resolve_entries(tx, client_id, [(None, employee_id, False)], day)
    return PreviewRequest(
        employee_id,
        await load_context(tx, client_id, [employee_id]),
        EntryParser(await load_catalogue(tx, client_id), await load_client_features(tx, client_id), stored),
    )


async def _build_input(tx: Transaction, client_id: int, request: PreviewRequest, preview: PreviewInput) -> PayslipInput:
    """Build the input of the employee or the person, overridden by what the body supplies."""
    wave_id, offset = request.period
    period = request.wave.period(offset)
    service = request.context.service[request.employee_id] or [ServiceInterval(period.start)]
    if preview.service:
        service = [ServiceInterval(preview.service.start_date or service[-1].start, preview.service.end_date)]
    intervals = [WaveInterval(wave_id, served.start, served.end) for served in service]
    if preview.employee is None:
        employee_id = request.employee_id
        context = EmploymentContext({wave_id: request.wave}, {employee_id: service}, {employee_id: intervals})
        draft = Draft(0, employee_id, request.period)
        [payslip_input] = await build_inputs(
            tx, client_id, request.entry_parser.catalogue, [draft], context, before=period.end
        )
    else:
        served = service_in_period(intervals, wave_id, period)
        settings = await load_pay_settings(tx, client_id)
        payslip_input = PayslipInput(
            apportioned(period, settings.wage_apportionment),
            preview.employee,
            served,
            {},
            last_service_date=service[-1].end,
            prorates_gross_rate=settings.prorate_allowances,
            ns_direct_scheme=settings.ns_direct_scheme,
            last_of_month=is_last_of_month(request.period, intervals, {wave_id: request.wave}, {wave_id: offset}),
            # Without a first day, the person is in service since before the period.
            takes_previous_levy=bool(preview.service and preview.service.start_date)
            and joins_in_previous_month(served, service, period),
        )
    overridden = _override(payslip_input, request.entries, preview.year_to_date)
    if preview.employee is not None:
        return overridden
    drafts = [Draft(0, request.employee_id, request.period)]
    corrected = await add_corrected_months(tx, client_id, drafts, [overridden], before=period.end)
    [completed] = await add_previous_months(tx, client_id, drafts, corrected, before=period.end)
    return completed


def _override(
    payslip_input: PayslipInput, entries: Sequence[PreviewEntry], year_to_date: PreviewYearToDate | None
) -> PayslipInput:
    """Replace stored entries and totals by those of the body."""
    stored = payslip_input.calculations
    overrides = {
        entry.type.name: replace(
            stored.get(entry.type.name, CalculationEntry({})), inputs=dict(entry.inputs), skip=False, parts=[]
        )
        for entry in entries
    }
    if year_to_date is not None:
        additional_cents = year_to_date.additional_wages_subject_cents
        payslip_input = replace(
            payslip_input,
            year_to_date=YearToDate(year_to_date.ordinary_wages_subject_cents, additional_cents, additional_cents),
            additional_by_month={},
        )
    return replace(payslip_input, calculations={**stored, **overrides})


def _explain(request: PreviewRequest, payslip_input: PayslipInput) -> ExplainedPayslip:
    try:
        trace = batch.calculate_with_trace(current_law(), request.entry_parser.catalogue, [payslip_input])
    except MonthNotCovered as error:
        raise invalid("period_end_date", MONTH_NOT_COVERED, **error.params) from None
    errors = Errors()
    for problem in trace.problems:
        errors.add(_path(request.entries, problem.item), FORMULA_ERRORS[problem.problem], item=problem.caption)
    if errors:
        raise ValidationError(errors)
    return explain(current_law(), request.entry_parser.catalogue, payslip_input)


def _path(entries: Sequence[PreviewEntry], item: str) -> str:
    """The path of the entry for an item; `calculations` if the item comes from the employee's stored entries."""
    return next((entry.path for entry in entries if entry.type.name == item), "calculations")


def _wave_on(intervals: Sequence[WaveInterval], day: date) -> int:
    """The wave that pays on a day, or the last one before it."""
    started = [interval.wave_id for interval in intervals if interval.start <= day]
    return started[-1] if started else intervals[0].wave_id if intervals else NO_WAVE
