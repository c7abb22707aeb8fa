"""Payslip inputs: from stored data about employees to what their payslips are calculated from."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from gaji.company.clients.queries import load_pay_settings
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue, StoredValue
from gaji.engine.earnings import EXCESS_LEAVE, HOLIDAYS_OFF, NATIONAL_SERVICE, UNPAID_LEAVE
from gaji.engine.excess_leave import taken_months
from gaji.engine.payslip_input import (
    AdditionalWages,
    CalculationEntry,
    CorrectedPayslip,
    LeaveEffects,
    MonthToDate,
    PayPeriod,
    PayslipInput,
    PreviousMonth,
    ServiceInterval,
    YearToDate,
)
from gaji.engine.wage_reductions import PREVIOUS_DAYS
from gaji.law.months import DECEMBER, Month
from gaji.leave.payslip_effects import LeavePayslip, compute_payslip_effects
from gaji.payroll.calculations import resolve as calculations
from gaji.payroll.payslips.draft_periods import (
    is_last_of_month,
    is_paid_after,
    joins_in_previous_month,
    served_whole_month,
    service_in_period,
)
from gaji.payroll.payslips.drafts import Draft, load_open_offsets
from gaji.payroll.payslips.employment_context import EmploymentContext, load_context
from gaji.payroll.payslips.queries import load_payslip_periods
from gaji.payroll.payslips.repository import prior_totals
from gaji.payroll.retro_proposals.queries import load_accepted_differences
from gaji.people.employees import queries as employees
from gaji.people.take_on import queries as take_on

Entries = Mapping[str, CalculationEntry]
Amounts = dict[str, int]

ONE_DAY = timedelta(days=1)
ENCASHMENT = "leave_encashment"
BASIC = "basic_salary"
PREVIOUS_OVERTIME_INPUTS = frozenset(("overtime_hours_previous_input", "overtime_period"))
"""The inputs by which overtime may belong to the month before that of the period's end."""
ONE_OFF_ENTRY = CalculationEntry({}, recurring=False)
AMOUNT_INPUTS = frozenset(("amount", "days"))
"""The inputs that replace the days from leave."""
MONTH_FIELDS = MonthToDate.__struct_fields__
YEAR_FIELDS = YearToDate.__struct_fields__


@dataclass(frozen=True, slots=True)
class PriorTotals:
    """The totals of an employee's finalised payslips that the next payslip depends on."""

    month_to_date: MonthToDate
    year_to_date: YearToDate
    last_month_ordinary_cents: int


NO_PRIOR_TOTALS = PriorTotals(MonthToDate(), YearToDate(), 0)


async def build_inputs(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    drafts: Sequence[Draft],
    context: EmploymentContext,
    before: date = date.max,
) -> list[PayslipInput]:
    """Build the inputs of drafts, in their order. Only finalised payslips dated before a day count."""
    paying = [draft for draft in drafts if draft.corrects is None]
    if len(paying) == len(drafts):
        return await _build_paying_inputs(tx, client_id, catalogue, drafts, context, before)
    paying_inputs = iter(
        await _build_paying_inputs(tx, client_id, catalogue, paying, context, before) if paying else ()
    )
    corrections = [draft for draft in drafts if draft.corrects is not None]
    correction_inputs = iter(await _build_correction_inputs(tx, client_id, corrections, context))
    return [next(paying_inputs if draft.corrects is None else correction_inputs) for draft in drafts]


async def _build_correction_inputs(
    tx: Transaction, client_id: int, drafts: Sequence[Draft], context: EmploymentContext
) -> list[PayslipInput]:
    """Build the inputs of payslips of correction runs: the differences, and nothing else."""
    employee_ids = [draft.employee_id for draft in drafts]
    people = await employees.load_employee_details(tx, client_id, employee_ids)
    differences = await load_accepted_differences(tx, client_id, [draft.id for draft in drafts])
    corrected = await load_payslip_periods(tx, client_id, [draft.corrects for draft in drafts if draft.corrects])
    periods = {
        key: context.waves[key.wave_id].period(key.offset, special=True) for key in {draft.period for draft in drafts}
    }
    return [
        PayslipInput(
            period=periods[draft.period],
            employee=people[draft.employee_id],
            service=[],
            calculations={},
            last_service_date=context.service[draft.employee_id][-1].end,
            past_differences=differences.get(draft.id, []),
            corrects=CorrectedPayslip(draft.corrects, *corrected[draft.corrects]),
        )
        for draft in drafts
        if draft.corrects is not None
    ]


async def _build_paying_inputs(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    drafts: Sequence[Draft],
    context: EmploymentContext,
    before: date,
) -> list[PayslipInput]:
    employee_ids = [draft.employee_id for draft in drafts]
    settings = await load_pay_settings(tx, client_id)
    periods = _periods(drafts, context, settings.wage_apportionment)
    people = await employees.load_employee_details(tx, client_id, employee_ids)
    leaving = [context.service[employee_id][-1].end for employee_id in employee_ids]
    service = [
        service_in_period(context.paid_intervals[draft.employee_id], draft.period.wave_id, period)
        for draft, period in zip(drafts, periods, strict=True)
    ]
    entries = await load_entries(tx, client_id, drafts, periods, service, leaving)
    prior = await _load_prior_totals(tx, client_id, employee_ids, [period.end for period in periods], before)
    previous = await _load_previous_months(tx, client_id, drafts, periods, entries, context, before)
    years = [totals.year_to_date for totals in prior]
    additional = await _load_additional_by_month(tx, client_id, drafts, periods, leaving, years, previous, before)
    carried_forward = await _load_carried_forward(tx, client_id, employee_ids, before)
    instalments = await _load_instalments(tx, client_id, catalogue, drafts, entries, before)
    arrears = await load_accepted_differences(tx, client_id, [draft.id for draft in drafts])
    leave_effects = await _load_leave_effects(tx, client_id, drafts, periods, service, context)
    last_of_month = await _load_last_of_month(tx, client_id, drafts, periods, context)
    inputs = [
        PayslipInput(
            period=period,
            employee=people[draft.employee_id],
            service=served,
            calculations=add_leave_entries(draft_entries, leave),
            last_service_date=last_service_date,
            month_to_date=totals.month_to_date,
            year_to_date=totals.year_to_date,
            last_month_ordinary_cents=(
                totals.last_month_ordinary_cents if _served_last_month(context, draft, period.end) else 0
            ),
            previous_month=previous_month,
            additional_by_month=by_month,
            instalments_cents=taken,
            carried_forward_cents=carried_forward.get(draft.employee_id, {}),
            leave=leave,
            past_differences=arrears.get(draft.id, []),
            prorates_gross_rate=settings.prorate_allowances,
            ns_direct_scheme=settings.ns_direct_scheme,
            last_of_month=is_last,
            takes_previous_levy=not draft.special
            and joins_in_previous_month(served, context.service[draft.employee_id], period),
        )
        for (
            draft,
            period,
            served,
            draft_entries,
            totals,
            last_service_date,
            previous_month,
            by_month,
            taken,
            leave,
            is_last,
        ) in zip(
            drafts,
            periods,
            service,
            entries,
            prior,
            leaving,
            previous,
            additional,
            instalments,
            leave_effects,
            last_of_month,
            strict=True,
        )
    ]
    return await add_corrected_months(tx, client_id, drafts, inputs, before)


async def replace_entries(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    drafts: Sequence[Draft],
    inputs: Sequence[PayslipInput],
    entries: Sequence[dict[str, CalculationEntry]],
) -> list[PayslipInput]:
    """Build the inputs of drafts again when only their entries have changed."""
    instalments = await _load_instalments(tx, client_id, catalogue, drafts, entries, date.max)
    rebuilt = [
        replace(
            payslip_input,
            calculations=add_leave_entries(draft_entries, payslip_input.leave),
            instalments_cents=taken,
        )
        for payslip_input, draft_entries, taken in zip(inputs, entries, instalments, strict=True)
    ]
    corrected = await add_corrected_months(tx, client_id, drafts, rebuilt)
    return await add_previous_months(tx, client_id, drafts, corrected)


async def add_previous_months(
    tx: Transaction,
    client_id: int,
    drafts: Sequence[Draft],
    inputs: Sequence[PayslipInput],
    before: date = date.max,
) -> list[PayslipInput]:
    """Add the totals of the month before to inputs whose entries have come to need them."""
    indexes = [
        index
        for index, payslip_input in enumerate(inputs)
        if payslip_input.previous_month is None
        and needs_previous_month(payslip_input.period, payslip_input.calculations)
    ]
    completed = list(inputs)
    if not indexes:
        return completed
    selected = [inputs[index] for index in indexes]
    selected_drafts = [drafts[index] for index in indexes]
    context = await load_context(tx, client_id, [draft.employee_id for draft in selected_drafts])
    periods = [payslip_input.period for payslip_input in selected]
    entries = [payslip_input.calculations for payslip_input in selected]
    previous = await _load_previous_months(tx, client_id, selected_drafts, periods, entries, context, before)
    leaving = [payslip_input.last_service_date for payslip_input in selected]
    years = [payslip_input.year_to_date for payslip_input in selected]
    additional = await _load_additional_by_month(
        tx, client_id, selected_drafts, periods, leaving, years, previous, before
    )
    for index, previous_month, by_month in zip(indexes, previous, additional, strict=True):
        completed[index] = replace(inputs[index], previous_month=previous_month, additional_by_month=by_month)
    return completed


async def add_corrected_months(
    tx: Transaction,
    client_id: int,
    drafts: Sequence[Draft],
    inputs: Sequence[PayslipInput],
    before: date = date.max,
) -> list[PayslipInput]:
    """Add the totals of the earlier months whose wages excess leave reduces."""
    needed = [(index, month) for index, payslip_input in enumerate(inputs) for month in _excess_months(payslip_input)]
    completed = list(inputs)
    if not needed:
        return completed
    employee_ids = [drafts[index].employee_id for index, _ in needed]
    ends = [month.last_day for _, month in needed]
    totals = await _load_prior_totals(tx, client_id, employee_ids, ends, before)
    by_index: dict[int, dict[str, MonthToDate]] = defaultdict(dict)
    for (index, month), month_totals in zip(needed, totals, strict=True):
        by_index[index][str(month)] = month_totals.month_to_date
    for index, months in by_index.items():
        completed[index] = replace(inputs[index], corrected_months=months)
    return completed


def _excess_months(payslip_input: PayslipInput) -> list[Month]:
    """The months before that of the payslip in which excess leave was taken."""
    entry = payslip_input.calculations.get(EXCESS_LEAVE)
    if entry is None or entry.skip:
        return []
    current = Month.from_date(payslip_input.period.end)
    return [month for month in taken_months(payslip_input, entry) if month < current]


def add_leave_entries(entries: dict[str, CalculationEntry], leave: LeaveEffects) -> dict[str, CalculationEntry]:
    """Return the entries of a payslip with the days that leave adds. What was entered by hand stays."""
    for name, days in leave_inputs(leave).items():
        entry = entries.get(name, ONE_OFF_ENTRY)
        if days["days"] != "0" and not entry.skip and AMOUNT_INPUTS.isdisjoint(entry.inputs):
            entries = {**entries, name: replace(entry, inputs={**entry.inputs, **days})}
    salary = entries.get(BASIC)
    if leave.holidays_off and salary is not None and not salary.skip and HOLIDAYS_OFF not in salary.inputs:
        inputs = {**salary.inputs, HOLIDAYS_OFF: str(len(leave.holidays_off))}
        entries = {**entries, BASIC: replace(salary, inputs=inputs)}
    return entries


def leave_inputs(leave: LeaveEffects) -> dict[str, dict[str, StoredValue]]:
    """Return the inputs that leave adds, by calculation."""
    return {
        UNPAID_LEAVE: _absence_inputs(leave.unpaid_days, leave.unpaid_previous_days),
        NATIONAL_SERVICE: _absence_inputs(leave.national_service_days, leave.national_service_previous_days),
        ENCASHMENT: {"days": leave.encash_days},
        EXCESS_LEAVE: {"days": leave.total_excess_days},
    }


def _absence_inputs(days: str, previous_days: str | None) -> dict[str, StoredValue]:
    return {"days": days} if previous_days is None else {"days": days, PREVIOUS_DAYS: previous_days}


async def _load_leave_effects(
    tx: Transaction,
    client_id: int,
    drafts: Sequence[Draft],
    periods: Sequence[PayPeriod],
    service: Sequence[Sequence[ServiceInterval]],
    context: EmploymentContext,
) -> list[LeaveEffects]:
    """Load the effects of leave on each draft. Leave does not affect once-off payslips."""
    regular = [index for index, draft in enumerate(drafts) if not draft.special and service[index]]
    payslips = [
        LeavePayslip(
            drafts[index].employee_id,
            periods[index].start,
            periods[index].end,
            context.service[drafts[index].employee_id],
            service[index],
        )
        for index in regular
    ]
    effects = [LeaveEffects()] * len(drafts)
    for index, effect in zip(regular, await compute_payslip_effects(tx, client_id, payslips), strict=True):
        effects[index] = effect
    return effects


async def load_entries(
    tx: Transaction,
    client_id: int,
    drafts: Sequence[Draft],
    periods: Sequence[PayPeriod],
    service: Sequence[Sequence[ServiceInterval]],
    leaving: Sequence[date | None],
) -> list[dict[str, CalculationEntry]]:
    """Load the calculations of each draft for the days that it pays for, and its regular hours of the last day."""
    indexes_by_day: dict[date, list[int]] = defaultdict(list)
    for index, period in enumerate(periods):
        indexes_by_day[period.end].append(index)
    paid_days = list(map(_paid_days, periods, service, leaving))
    entries: list[dict[str, CalculationEntry]] = [{} for _ in drafts]
    for day, indexes in indexes_by_day.items():
        slips = [(drafts[index].id or None, drafts[index].employee_id, drafts[index].special) for index in indexes]
        days = [paid_days[index] for index in indexes]
        resolved = await calculations.resolve_entries(tx, client_id, slips, day, paid_days=days)
        for index, draft_entries in zip(indexes, resolved, strict=True):
            entries[index] = draft_entries
    return entries


def _paid_days(period: PayPeriod, service: Sequence[ServiceInterval], leaving: date | None) -> tuple[date, date]:
    """The first and the last day in service of the period. Without any, the end of the period or of the service."""
    if not service:
        last = period.end if leaving is None else min(period.end, leaving)
        return last, last
    ends = [interval.end or period.end for interval in service]
    return max(period.start, min(interval.start for interval in service)), min(period.end, max(ends))


async def _load_prior_totals(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], ends: Sequence[date], before: date
) -> list[PriorTotals]:
    """Load the month-to-date and year-to-date totals of payslips with these period ends, with take-on balances."""
    totals = [NO_PRIOR_TOTALS] * len(ends)
    for row in await prior_totals.load_prior_totals(tx, client_id, employee_ids, ends, before):
        totals[row["place"] - 1] = PriorTotals(
            MonthToDate(*(row[name] or 0 for name in MONTH_FIELDS)),
            YearToDate(*(row[f"year_{name}"] or 0 for name in YEAR_FIELDS)),
            row["last_month"] or 0,
        )
    balances = await take_on.load_year_to_date(tx, client_id, employee_ids)
    for index, (employee_id, end) in enumerate(zip(employee_ids, ends, strict=True)):
        year, balance = balances.get(employee_id, (0, YearToDate()))
        if year == end.year:
            total = totals[index]
            totals[index] = PriorTotals(
                total.month_to_date, _sum(total.year_to_date, balance), total.last_month_ordinary_cents
            )
    return totals


async def _load_previous_months(
    tx: Transaction,
    client_id: int,
    drafts: Sequence[Draft],
    periods: Sequence[PayPeriod],
    entries: Sequence[Entries],
    context: EmploymentContext,
    before: date,
) -> list[PreviousMonth | None]:
    """Load the totals for the month before that of the period's end, for each draft that has wages of it."""
    previous: list[PreviousMonth | None] = [None] * len(drafts)
    indexes = [index for index, period in enumerate(periods) if needs_previous_month(period, entries[index])]
    if not indexes:
        return previous
    ends = [_previous_month(periods[index].end)[1] for index in indexes]
    employee_ids = [drafts[index].employee_id for index in indexes]
    totals = await _load_prior_totals(tx, client_id, employee_ids, ends, before)
    for index, end, total in zip(indexes, ends, totals, strict=True):
        last_month = total.last_month_ordinary_cents if _served_last_month(context, drafts[index], end) else 0
        previous[index] = PreviousMonth(total.month_to_date, total.year_to_date, last_month)
    return previous


def needs_previous_month(period: PayPeriod, entries: Entries) -> bool:
    """Return whether a payslip may have wages of the month before that of the period's end."""
    entry = entries.get(BASIC)
    return period.apportionment is not None or (
        entry is not None and not PREVIOUS_OVERTIME_INPUTS.isdisjoint(entry.inputs)
    )


async def _load_additional_by_month(
    tx: Transaction,
    client_id: int,
    drafts: Sequence[Draft],
    periods: Sequence[PayPeriod],
    leaving: Sequence[date | None],
    years_to_date: Sequence[YearToDate],
    previous: Sequence[PreviousMonth | None],
    before: date,
) -> list[dict[str, AdditionalWages]]:
    """Load the additional wages of the year by month, where the year's ordinary wages are known.

    These are the payslips of December and from the month of leaving. Only for people with additional wages.
    """
    by_month: list[dict[str, AdditionalWages]] = [{} for _ in drafts]
    years_by_index: dict[tuple[int, int], None] = {}
    for index, (period, last_day, year_to_date, before_totals) in enumerate(
        zip(periods, leaving, years_to_date, previous, strict=True)
    ):
        end = period.end
        if year_to_date.additional and (end.month == DECEMBER or has_left(last_day, end)):
            years_by_index[index, end.year] = None
        if before_totals and before_totals.year_to_date.additional:
            month_before = _previous_month(end)[1]
            is_final = month_before.month == DECEMBER or has_left(last_day, month_before)
            if is_final:
                years_by_index[index, month_before.year] = None
    if needed := list(years_by_index):
        employee_ids = [drafts[index].employee_id for index, _ in needed]
        years = [year for _, year in needed]
        for row in await prior_totals.load_additional_by_month(tx, client_id, employee_ids, years, before):
            by_month[needed[row["place"] - 1][0]][row["month"]] = AdditionalWages(row["paid"], row["subject"])
    return by_month


def has_left(last_day: date | None, end: date) -> bool:
    """Return whether the service ends in the month of a day, or before it."""
    return last_day is not None and (last_day.year, last_day.month) <= (end.year, end.month)


async def _load_carried_forward(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], before: date
) -> dict[int, Amounts]:
    """Load what earlier payslips could not deduct, by employee."""
    carried: dict[int, Amounts] = defaultdict(dict)
    for row in await prior_totals.load_carried_forward(tx, client_id, employee_ids, before):
        carried[row["employee_id"]][row["name"]] = row["cents"]
    return dict(carried)


async def _load_instalments(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    drafts: Sequence[Draft],
    entries: Sequence[Entries],
    before: date,
) -> list[Amounts]:
    """Load what was taken for each tracked item since its start date, for each draft."""
    tracked = catalogue.tracked_names
    employee_ids = [
        draft.employee_id
        for draft, draft_entries in zip(drafts, entries, strict=True)
        if not tracked.isdisjoint(draft_entries)
    ]
    taken: dict[int, list[tuple[str, Amounts]]] = defaultdict(list)
    rows = await prior_totals.load_instalments(tx, client_id, employee_ids, before) if employee_ids else ()
    for row in rows:
        taken[row["employee_id"]].append((row["date"].isoformat(), _decode_amounts(row["moved"])))
    return [
        {
            name: sum(amounts.get(name, 0) for day, amounts in taken[draft.employee_id] if day >= _start(entry))
            for name, entry in draft_entries.items()
            if name in tracked and draft.employee_id in taken
        }
        for draft, draft_entries in zip(drafts, entries, strict=True)
    ]


def _start(entry: CalculationEntry) -> str:
    """The start date of a tracked item. Without one, everything that was ever taken counts."""
    return str(entry.inputs.get("start_date", ""))


def apportioned(period: PayPeriod, apportionment: str) -> PayPeriod:
    """Return the period with the way its wages are divided, if it spans two calendar months."""
    spans = (period.start.year, period.start.month) != (period.end.year, period.end.month)
    return replace(period, apportionment=apportionment) if spans else period


def _periods(drafts: Sequence[Draft], context: EmploymentContext, apportionment: str) -> list[PayPeriod]:
    """The pay period of each draft. Many drafts share one period object."""
    periods = {
        (key, special): apportioned(context.waves[key.wave_id].period(key.offset, special=special), apportionment)
        for key, special in {(draft.period, draft.special) for draft in drafts}
    }
    return [periods[draft.period, draft.special] for draft in drafts]


async def _load_last_of_month(
    tx: Transaction,
    client_id: int,
    drafts: Sequence[Draft],
    periods: Sequence[PayPeriod],
    context: EmploymentContext,
) -> list[bool | None]:
    """Load whether each draft is the employee's last regular payslip of the month. None if it is as in the period."""
    results: list[bool | None] = [None] * len(drafts)
    indexes = [
        index
        for index, (draft, period) in enumerate(zip(drafts, periods, strict=True))
        if not draft.special and not is_paid_after(draft.period, context.paid_intervals[draft.employee_id], period.end)
    ]
    if not indexes:
        return results
    employee_ids, ends = [drafts[index].employee_id for index in indexes], [periods[index].end for index in indexes]
    followed_positions = await prior_totals.find_followed_payslips(tx, client_id, employee_ids, ends)
    open_offsets = await load_open_offsets(tx, client_id, context)
    for position, index in enumerate(indexes):
        key, intervals = drafts[index].period, context.paid_intervals[drafts[index].employee_id]
        is_last = position not in followed_positions and is_last_of_month(key, intervals, context.waves, open_offsets)
        results[index] = None if is_last == periods[index].last_of_month else is_last
    return results


def _served_last_month(context: EmploymentContext, draft: Draft, end: date) -> bool:
    return served_whole_month(context.service[draft.employee_id], *_previous_month(end))


@lru_cache(maxsize=100)
def _previous_month(day: date) -> tuple[date, date]:
    """The first and the last day of the previous month."""
    last = day.replace(day=1) - ONE_DAY
    return last.replace(day=1), last


def _sum(first: YearToDate, second: YearToDate) -> YearToDate:
    return YearToDate(*(getattr(first, name) + getattr(second, name) for name in YEAR_FIELDS))


_decode_amounts = msgspec.json.Decoder(dict[str, int]).decode
