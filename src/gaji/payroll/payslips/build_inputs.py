"""Cases: from what is stored about employees to what their payslips are calculated from, for any number of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.engine.payslip_input import PayslipInput, MonthToDate, CalculationEntry, LeaveEffects, PayPeriod, ServiceInterval, YearToDate
from gaji.leave.payslip_effects import Slip, payslip_effects
from gaji.payroll.calculations import resolve as calculations
from gaji.payroll.payslips.drafts import Draft
from gaji.payroll.payslips.employment_context import Grounds
from gaji.payroll.payslips.rules import touching, whole_month_served
from gaji.payroll.payslips.repository import prior_totals
from gaji.people.employees import facts as employees
from gaji.people.take_on import facts as take_on

Entries = Mapping[str, CalculationEntry]
Amounts = dict[str, int]

A_DAY = timedelta(days=1)
UNPAID, ENCASHMENT = "unpaid_leave", "leave_encashment"
ONCE = CalculationEntry({}, recurring=False)
"""What is on this payslip alone."""
MONTH_FIELDS = MonthToDate.__struct_fields__
YEAR_FIELDS = YearToDate.__struct_fields__


@dataclass(frozen=True, slots=True)
class SoFar:
    """What an employee's finalised payslips come to, as far as the next one goes by it."""

    earlier: MonthToDate
    year: YearToDate
    last_month: int


NOTHING_YET = SoFar(MonthToDate(), YearToDate(), 0)


async def build(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    drafts: Sequence[Draft],
    grounds: Grounds,
    before: date = date.max,
) -> list[PayslipInput]:
    """The cases of these drafts, in their order; they go by the finalised payslips that are dated before a day."""
    employee_ids = [draft.employee_id for draft in drafts]
    periods = _periods(drafts, grounds)
    people = await employees.people(tx, client_id, employee_ids)
    entered = await entries(tx, client_id, drafts, periods)
    so_far = await _so_far(tx, client_id, employee_ids, periods, before)
    carried = await _carried(tx, client_id, employee_ids, before)
    moved = await _moved(tx, client_id, catalogue, drafts, entered, before)
    service = [
        touching(grounds.stretches[draft.employee_id], draft.place.wave_id, period)
        for draft, period in zip(drafts, periods, strict=True)
    ]
    effects = await _leave(tx, client_id, drafts, periods, service, grounds)
    return [
        PayslipInput(
            period=period,
            employee=people[draft.employee_id],
            service=served,
            calculations=with_leave(own, leave),
            last_service_date=grounds.service[draft.employee_id][-1].end,
            month_to_date=past.earlier,
            year_to_date=past.year,
            last_month_ordinary_cents=past.last_month if _served_last_month(grounds, draft, period) else 0,
            instalments_cents=balances,
            carried_forward_cents=carried.get(draft.employee_id, {}),
            leave=leave,
        )
        for draft, period, served, own, past, balances, leave in zip(
            drafts, periods, service, entered, so_far, moved, effects, strict=True
        )
    ]


async def with_entries(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    drafts: Sequence[Draft],
    cases: Sequence[PayslipInput],
    entered: Sequence[dict[str, CalculationEntry]],
) -> list[PayslipInput]:
    """The cases of drafts again, when nothing has changed but what is entered."""
    moved = await _moved(tx, client_id, catalogue, drafts, entered, date.max)
    return [
        replace(case, calculations=with_leave(own, case.leave), moved=balances)
        for case, own, balances in zip(cases, entered, moved, strict=True)
    ]


def with_leave(entered: dict[str, CalculationEntry], leave: LeaveEffects) -> dict[str, CalculationEntry]:
    """The calculations of a payslip with the days that leave gives, but for what was entered by hand."""
    for name, days in ((UNPAID, leave.unpaid_days), (ENCASHMENT, leave.encash_days)):
        entry = entered.get(name)
        if days != "0" and (entry is None or not (entry.skip or entry.inputs)):
            entered = {**entered, name: replace(entry or ONCE, inputs={"days": days})}
    return entered


async def _leave(
    tx: Transaction,
    client_id: int,
    drafts: Sequence[Draft],
    periods: Sequence[PayPeriod],
    service: Sequence[Sequence[ServiceInterval]],
    grounds: Grounds,
) -> list[LeaveEffects]:
    """What leave does to each draft; a once-off payslip has only what was entered for it."""
    regular = [place for place, draft in enumerate(drafts) if not draft.special and service[place]]
    slips = [
        Slip(employee_id, periods[place].start, periods[place].end, grounds.service[employee_id], service[place])
        for place in regular
        for employee_id in (drafts[place].employee_id,)
    ]
    found = [LeaveEffects()] * len(drafts)
    for place, effects in zip(regular, await payslip_effects(tx, client_id, slips), strict=True):
        found[place] = effects
    return found


async def entries(
    tx: Transaction, client_id: int, drafts: Sequence[Draft], periods: Sequence[PayPeriod]
) -> list[dict[str, CalculationEntry]]:
    """The calculations of each draft, as they are on the last day of its period."""
    places: dict[date, list[int]] = defaultdict(list)
    for place, period in enumerate(periods):
        places[period.end].append(place)
    found: list[dict[str, CalculationEntry]] = [{} for _ in drafts]
    for day, some in places.items():
        slips = [(drafts[place].id or None, drafts[place].employee_id, drafts[place].special) for place in some]
        for place, entered in zip(some, await calculations.resolve_entries(tx, client_id, slips, day), strict=True):
            found[place] = entered
    return found


async def _so_far(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], periods: Sequence[PayPeriod], before: date
) -> list[SoFar]:
    """Month and year of each payslip up to it: finalised payslips, and what was taken on."""
    found = [NOTHING_YET] * len(periods)
    for row in await prior_totals.so_far(tx, client_id, employee_ids, [period.end for period in periods], before):
        found[row["place"] - 1] = SoFar(
            MonthToDate(*(row[name] or 0 for name in MONTH_FIELDS)),
            YearToDate(*(row[f"year_{name}"] or 0 for name in YEAR_FIELDS)),
            row["last_month"] or 0,
        )
    balances = await take_on.balances(tx, client_id, employee_ids)
    for place, (employee_id, period) in enumerate(zip(employee_ids, periods, strict=True)):
        year, balance = balances.get(employee_id, (0, YearToDate()))
        if year == period.end.year:
            past = found[place]
            found[place] = SoFar(past.earlier, _sum(past.year, balance), past.last_month)
    return found


async def _carried(tx: Transaction, client_id: int, employee_ids: Sequence[int], before: date) -> dict[int, Amounts]:
    """By employee, what the last payslip could not take."""
    return {row[0]: _decode_amounts(row[1]) for row in await prior_totals.carried(tx, client_id, employee_ids, before)}


async def _moved(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    drafts: Sequence[Draft],
    entered: Sequence[Entries],
    before: date,
) -> list[Amounts]:
    """For each draft by tracked item, what was taken since the item's start date."""
    tracked = {name for name, one in catalogue.types.items() if one.tracked}
    with_balance = [
        draft.employee_id for draft, own in zip(drafts, entered, strict=True) if not tracked.isdisjoint(own)
    ]
    taken: dict[int, list[tuple[str, Amounts]]] = defaultdict(list)
    for row in await prior_totals.moved(tx, client_id, with_balance, before) if with_balance else ():
        taken[row["employee_id"]].append((row["date"].isoformat(), _decode_amounts(row["moved"])))
    return [
        {
            name: sum(amounts.get(name, 0) for day, amounts in taken[draft.employee_id] if day >= _start(own[name]))
            for name in own
            if name in tracked and draft.employee_id in taken
        }
        for draft, own in zip(drafts, entered, strict=True)
    ]


def _start(entry: CalculationEntry) -> str:
    """The start date of a tracked item; without one, all that was ever taken counts."""
    return str(entry.inputs.get("start_date", ""))


def _periods(drafts: Sequence[Draft], grounds: Grounds) -> list[PayPeriod]:
    """The period of each draft; many have the same."""
    places = {(draft.place, draft.special) for draft in drafts}
    known = {
        (place, special): grounds.waves[place.wave_id].period(place.offset, special=special)
        for place, special in places
    }
    return [known[draft.place, draft.special] for draft in drafts]


def _served_last_month(grounds: Grounds, draft: Draft, period: PayPeriod) -> bool:
    return whole_month_served(grounds.service[draft.employee_id], *_month_before(period.end))


@lru_cache(maxsize=100)
def _month_before(day: date) -> tuple[date, date]:
    """The first and the last day of the month before."""
    last = day.replace(day=1) - A_DAY
    return last.replace(day=1), last


def _sum(one: YearToDate, other: YearToDate) -> YearToDate:
    return YearToDate(*(getattr(one, name) + getattr(other, name) for name in YEAR_FIELDS))


_decode_amounts = msgspec.json.Decoder(dict[str, int]).decode
