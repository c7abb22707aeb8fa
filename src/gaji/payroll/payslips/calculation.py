"""Calculation: from cases to what is kept of payslips."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from gaji.core.law_loader import law
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine import batch
from gaji.engine.catalogue import Catalogue
from gaji.engine.payslip_input import PayslipInput, PayPeriod, encode_payslip_input
from gaji.law.parameters import MonthNotCovered
from gaji.law.registry import Law
from gaji.leave.days.duration import measure_again
from gaji.payroll.calculations import resolve as calculations
from gaji.payroll.payslips import build_inputs
from gaji.payroll.payslips.catalogues import catalogue_of
from gaji.payroll.payslips.drafts import Draft
from gaji.payroll.payslips.employment_context import Grounds
from gaji.payroll.payslips.repository import results

FEW = 20
"""So many are calculated sooner than handed to a thread."""
NOTHING = json_text(
    {
        "income": [["total", "0.00"]],
        "deduction": [["total", "0.00"]],
        "grand_total": [["nett_pay", "0.00"]],
        "sideline": [],
    }
)

Columns = dict[str, list[Any]]


async def calculate(
    tx: Transaction, client_id: int, drafts: Sequence[Draft], grounds: Grounds, payment_run_id: int | None = None
) -> None:
    """Calculate drafts that are locked, and keep what they come to; as payslips of a run, where one is given."""
    if not drafts:
        return
    catalogue = await calculations.catalogue(tx, client_id)
    await _measure_leave(tx, client_id, drafts, grounds)
    cases = await build_inputs.build(tx, client_id, catalogue, drafts, grounds)
    await _calculate(tx, client_id, catalogue, drafts, cases, payment_run_id)


async def _measure_leave(tx: Transaction, client_id: int, drafts: Sequence[Draft], grounds: Grounds) -> None:
    """Let days of leave from the periods of drafts on count by the regular hours of now."""
    starts = {
        place: grounds.waves[place.wave_id].schedule.start(place.offset) for place in {one.place for one in drafts}
    }
    since: dict[int, date] = {}
    for draft in drafts:
        start = starts[draft.place]
        since[draft.employee_id] = min(start, since.get(draft.employee_id, start))
    await measure_again(tx, client_id, since)


async def calculate_anew(
    tx: Transaction, client_id: int, version: str, drafts: Sequence[Draft], cases: Sequence[PayslipInput]
) -> None:
    """Calculate drafts that are locked, when nothing has changed since their cases but what is entered.

    A custom item that has changed since would have changed or marked the drafts; one that is new is not in their
    catalogue, and is looked for when it is entered.
    """
    catalogue = await catalogue_of(tx, client_id, version)
    entered = await build_inputs.entries(tx, client_id, drafts, [case.period for case in cases])
    if any(name not in catalogue.types for own in entered for name in own):
        catalogue = await calculations.catalogue(tx, client_id)
    anew = await build_inputs.with_entries(tx, client_id, catalogue, drafts, cases, entered)
    await _calculate(tx, client_id, catalogue, drafts, anew)


async def _calculate(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    drafts: Sequence[Draft],
    cases: Sequence[PayslipInput],
    payment_run_id: int | None = None,
) -> None:
    ids = [draft.id for draft in drafts]
    if len(cases) > FEW:
        columns = await asyncio.to_thread(calculated, law(), catalogue, ids, cases)
    else:
        columns = calculated(law(), catalogue, ids, cases)
    await _save(tx, client_id, catalogue, columns, payment_run_id)


def calculated(law: Law, catalogue: Catalogue, ids: Sequence[int], cases: Sequence[PayslipInput]) -> Columns:
    """The columns of payslips with these ids and cases."""
    columns: Columns = {name: [] for name in results.COLUMNS}
    for places in by_period(cases).values():
        group = [cases[place] for place in places]
        columns["id"] += [ids[place] for place in places]
        columns["pay_date"] += [case.period.pay_date for case in group]
        columns["inputs"] += [encode_payslip_input(case).decode() for case in group]
        for name, values in _results(law, catalogue, group).items():
            columns[name] += values
    return columns


def by_period(cases: Sequence[PayslipInput]) -> dict[PayPeriod, list[int]]:
    """The places of cases that can be calculated together."""
    found: dict[PayPeriod, list[int]] = defaultdict(list)
    for place, case in enumerate(cases):
        found[case.period].append(place)
    return found


def _results(law: Law, catalogue: Catalogue, cases: Sequence[PayslipInput]) -> Columns:
    try:
        slips = batch.calculate(law, catalogue, cases)
    except MonthNotCovered as error:
        return _not_covered(len(cases), str(error))
    people = range(len(cases))
    return {
        "nett_pay": slips.nett_cents.tolist(),
        "lines": list(slips.lines_json),
        **{name: slips.totals[name].tolist() for name in results.FIGURES},
        "moved": _sparse(slips.instalments_cents, people),
        "carried": _sparse(slips.carried_forward_cents, people),
        "attention": _sparse(slips.attention, people),
        "remarks": _sparse(slips.remarks, people),
    }


def _not_covered(people: int, reason: str) -> Columns:
    """Payslips of a month that the law does not cover: nothing, and why."""
    empty: Columns = {name: [0] * people for name in ("nett_pay", *results.FIGURES)}
    empty |= {name: [None] * people for name in ("moved", "carried", "remarks")}
    return empty | {"lines": [NOTHING] * people, "attention": [json_text([reason])] * people}


def _sparse(found: Mapping[int, object], people: range) -> list[str | None]:
    return [json_text(found[place]) if place in found else None for place in people]


async def _save(
    tx: Transaction, client_id: int, catalogue: Catalogue, columns: Columns, payment_run_id: int | None
) -> None:
    version = catalogue.version
    kept_already = await results.save(tx, client_id, law().rules_version, version, payment_run_id, columns)
    if not kept_already["law"]:
        await results.keep_law(tx, law().rules_version, law().text)
    if not kept_already["catalogue"]:
        await results.keep_catalogue(tx, client_id, version, catalogue.definitions_json.decode())
