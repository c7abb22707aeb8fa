"""Calculate drafts and save the results."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from gaji.core.law_loader import current_law
from gaji.core.metrics import record_payslips
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine import batch
from gaji.engine.catalogue import Catalogue
from gaji.engine.payslip_input import PayPeriod, PayslipInput, encode_payslip_input
from gaji.law.columns import Cents
from gaji.law.parameters import MonthNotCovered
from gaji.law.registry import Law
from gaji.leave.days.duration import recompute_day_lengths
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips.build_inputs import build_inputs, load_entries, replace_entries
from gaji.payroll.payslips.catalogues import load_catalogue_version, save_catalogue_version
from gaji.payroll.payslips.drafts import Draft
from gaji.payroll.payslips.employment_context import EmploymentContext
from gaji.payroll.payslips.repository import results as repository

THREAD_THRESHOLD = 20
"""Below this size, a worker thread costs more than it saves."""
EMPTY_LINES = json_text(
    {
        "income": [["total", "0.00"]],
        "deduction": [["total", "0.00"]],
        "grand_total": [["nett_pay", "0.00"]],
        "sideline": [],
    }
)

ResultColumns = dict[str, list[Any]]


async def calculate_drafts(
    tx: Transaction,
    client_id: int,
    drafts: Sequence[Draft],
    context: EmploymentContext,
    payment_run_id: int | None = None,
) -> None:
    """Calculate locked drafts and save the results, attached to a run if one is named."""
    if not drafts:
        return
    catalogue = await load_catalogue(tx, client_id)
    paying = [draft for draft in drafts if draft.corrects is None]
    if paying:
        await _recompute_leave_lengths(tx, client_id, paying, context)
    inputs = await build_inputs(tx, client_id, catalogue, drafts, context)
    await _calculate(tx, client_id, catalogue, drafts, inputs, payment_run_id)


async def _recompute_leave_lengths(
    tx: Transaction, client_id: int, drafts: Sequence[Draft], context: EmploymentContext
) -> None:
    """Recompute the length of leave days since the start of each draft, with the current working hours."""
    starts = {
        period: context.waves[period.wave_id].schedule.start(period.offset)
        for period in {draft.period for draft in drafts}
    }
    since: dict[int, date] = {}
    for draft in drafts:
        start = starts[draft.period]
        since[draft.employee_id] = min(start, since.get(draft.employee_id, start))
    await recompute_day_lengths(tx, client_id, since)


async def recalculate_entries(
    tx: Transaction, client_id: int, version: str, drafts: Sequence[Draft], inputs: Sequence[PayslipInput]
) -> None:
    """Calculate locked drafts again when only their entries have changed.

    The drafts' own catalogue version still applies: a changed custom item would have recalculated the drafts or marked
    them dirty. A new custom item is not in that version, so the current catalogue is loaded if one was entered.
    """
    catalogue = await load_catalogue_version(tx, client_id, version)
    entries = await load_entries(
        tx,
        client_id,
        drafts,
        [payslip_input.period for payslip_input in inputs],
        [payslip_input.service for payslip_input in inputs],
        [payslip_input.last_service_date for payslip_input in inputs],
    )
    if any(name not in catalogue.types for draft_entries in entries for name in draft_entries):
        catalogue = await load_catalogue(tx, client_id)
    rebuilt = await replace_entries(tx, client_id, catalogue, drafts, inputs, entries)
    await _calculate(tx, client_id, catalogue, drafts, rebuilt)


async def _calculate(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    drafts: Sequence[Draft],
    inputs: Sequence[PayslipInput],
    payment_run_id: int | None = None,
) -> None:
    ids = [draft.id for draft in drafts]
    if len(inputs) > THREAD_THRESHOLD:
        columns = await asyncio.to_thread(calculate_columns, current_law(), catalogue, ids, inputs)
    else:
        columns = calculate_columns(current_law(), catalogue, ids, inputs)
    await _save(tx, client_id, catalogue, [draft.employee_id for draft in drafts], columns, payment_run_id)


def calculate_columns(
    law: Law, catalogue: Catalogue, ids: Sequence[int], inputs: Sequence[PayslipInput]
) -> ResultColumns:
    """Return the result columns of payslips with these ids and inputs."""
    columns: ResultColumns = {name: [] for name in repository.COLUMNS}
    for indexes in group_by_period(inputs).values():
        group = [inputs[index] for index in indexes]
        columns["id"] += [ids[index] for index in indexes]
        columns["pay_date"] += [payslip_input.period.pay_date for payslip_input in group]
        columns["inputs"] += [encode_payslip_input(payslip_input).decode() for payslip_input in group]
        for name, values in _results(law, catalogue, group).items():
            columns[name] += values
    return columns


def group_by_period(inputs: Sequence[PayslipInput]) -> dict[PayPeriod, list[int]]:
    """Return the indexes of inputs that can be calculated together, by period."""
    indexes: dict[PayPeriod, list[int]] = defaultdict(list)
    for index, payslip_input in enumerate(inputs):
        indexes[payslip_input.period].append(index)
    return indexes


def _results(law: Law, catalogue: Catalogue, inputs: Sequence[PayslipInput]) -> ResultColumns:
    try:
        result = batch.calculate(law, catalogue, inputs)
    except MonthNotCovered as error:
        return _empty_results(len(inputs), error.sentence)
    indexes = range(len(inputs))
    return {
        "nett_pay": result.nett_cents.tolist(),
        "lines": list(result.lines_json),
        **{name: result.totals[name].tolist() for name in repository.FIGURES},
        **{name: result.register_totals[name].tolist() for name in repository.REGISTER_TOTALS},
        "pays_regular_hours": result.pays_regular_hours.tolist(),
        "previous_month": _previous_months(result.previous_totals, len(inputs)),
        "past_months": _sparse(result.past_totals, indexes),
        "moved": _sparse(result.instalments_cents, indexes),
        "carried": _sparse(result.carried_forward_cents, indexes),
        "attention": _sparse(result.attention, indexes),
        "remarks": _sparse(result.remarks, indexes),
    }


def _empty_results(count: int, reason: str) -> ResultColumns:
    """The results for a month that the law does not cover: no lines, and the reason."""
    zeros = ("nett_pay", *repository.FIGURES, *repository.REGISTER_TOTALS)
    empty: ResultColumns = {name: [0] * count for name in zeros}
    empty |= {name: [None] * count for name in ("previous_month", "past_months", "moved", "carried", "remarks")}
    empty["pays_regular_hours"] = [False] * count
    return empty | {"lines": [EMPTY_LINES] * count, "attention": [json_text([reason])] * count}


def _previous_months(totals: Mapping[str, Cents], count: int) -> list[str | None]:
    """The part of the totals for the month before that of the payslip's date, without zeros; None without any."""
    if not totals:
        return [None] * count
    names, rows = list(totals), zip(*(column.tolist() for column in totals.values()), strict=True)
    figures = ({name: cents for name, cents in zip(names, row, strict=True) if cents} for row in rows)
    return [json_text(amounts) if amounts else None for amounts in figures]


def _sparse(values: Mapping[int, object], indexes: range) -> list[str | None]:
    return [json_text(values[index]) if index in values else None for index in indexes]


async def _save(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    employee_ids: Sequence[int],
    columns: ResultColumns,
    payment_run_id: int | None,
) -> None:
    law = current_law()
    stored = await repository.save_results(
        tx, client_id, law.rules_version, catalogue.version, payment_run_id, employee_ids, columns
    )
    record_payslips(len(columns["id"]))
    if not stored["law"]:
        await repository.save_law(tx, law.rules_version, law.text)
    if not stored["catalogue"]:
        await save_catalogue_version(tx, client_id, catalogue)
