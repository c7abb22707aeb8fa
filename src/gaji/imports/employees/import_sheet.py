"""Importing a sheet of employees: everything is looked at, and saved when nothing of it is wrong."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from gaji.core.errors import Errors, ValidationError
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.imports.employees import header
from gaji.imports.employees.apply_changes import Changes, read_changes, save_changes
from gaji.imports.employees.export import nested
from gaji.imports.employees.cell_errors import CellFaults
from gaji.imports.employees.layout import known_columns
from gaji.imports.employees.result import Imported, Outcome
from gaji.imports.employees.diff import Plan, Planner
from gaji.imports.employees.xlsx_reader import Row, Sheet
from gaji.imports.employees.match_rows import rows_of
from gaji.payroll.calculation_definitions.queries import load_catalogue as catalogue_of
from gaji.payroll.calculations import new_hires
from gaji.payroll.calculations.bulk_changes import CalculationChanges
from gaji.payroll.calculations.queries import load_recurring_inputs
from gaji.payroll.payslips.recalculation import employees_changed, next_drafts
from gaji.people.employees import bulk as new_employees
from gaji.people.employees.facts import numbers
from gaji.people.employees.whole import whole

CHUNK = 1000
"""Employees that are held against their rows at a time."""
AT_ONCE = 200
"""So many employees are calculated before the answer is sent; the drafts of more wait for a job."""
SAME_AS = re.compile(r"is the same as (\d+)\.(\w+)")


Note = Callable[[str, int, int], Awaitable[None]]
"""Is told how far an import is: the step, how many rows there are, and with how many of them it is done."""


async def nobody_watches(step: str, rows: int, done: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Newcomers:
    """The rows of new employees, as far as they were read."""

    plans: Sequence[Plan]
    records: Sequence[dict[str, object]]
    written: Sequence[CalculationChanges]


async def apply(tx: Transaction, client_id: int, sheet: Sheet, *, keep: bool, note: Note) -> Outcome:
    """Do what a sheet asks for; raises Invalid with every fault by its cell. What is not kept is not calculated."""
    catalogue = await catalogue_of(tx, client_id)
    known = await known_columns(tx, client_id, catalogue)
    faults = CellFaults(dict(reversed(sheet.keys)))
    heading = header.read(sheet, known, catalogue, faults)
    rows = await rows_of(tx, client_id, sheet, heading, faults)
    planner = Planner(heading, known)
    count = len(sheet.rows)
    await note("checking", count, 0)
    plans, dated = await _plans(tx, client_id, planner, rows.known, lambda done: note("checking", count, done))
    for plan in plans:
        faults.add_all(plan.row, dict(plan.broken))
    changes = await read_changes(tx, client_id, catalogue, plans, dated, faults)
    new = await _read_new(tx, client_id, catalogue, planner, rows.new, faults)
    faults.refuse()
    await note("saving", count, count)
    concerned = await save_changes(tx, client_id, catalogue, changes)
    ids = await _save_new(tx, client_id, catalogue, new, faults)
    if keep:
        concerned = [*concerned, *ids]
        await (employees_changed if len(concerned) <= AT_ONCE else next_drafts)(tx, client_id, concerned)
    return await _outcome(tx, client_id, changes, new, ids, unchanged=len(rows.known) - len(plans))


async def _plans(
    tx: Transaction,
    client_id: int,
    planner: Planner,
    rows: Sequence[tuple[Row, int]],
    note: Callable[[int], Awaitable[None]],
) -> tuple[list[Plan], set[int]]:
    """What the rows of employees ask for, of those that ask for anything; and whose regular hours change by date."""
    plans: list[Plan] = []
    dated: set[int] = set()
    for start in range(0, len(rows), CHUNK):
        some = rows[start : start + CHUNK]
        ids = [employee_id for _, employee_id in some]
        records = await whole(tx, client_id, ids)
        entered = await load_recurring_inputs(tx, client_id, ids)
        dated |= {one for one in ids if entered[one].hours_change}
        people = {one: nested(one, records[one], entered[one]) for one in ids if one in records}
        plans += await asyncio.to_thread(_changed, planner, some, people)
        await note(start + len(some))
    return plans, dated


def _changed(
    planner: Planner, rows: Sequence[tuple[Row, int]], people: Mapping[int, Mapping[str, object]]
) -> list[Plan]:
    made = (planner.update(row, one, people[one]) for row, one in rows if one in people)
    return [plan for plan in made if not plan.is_empty]


async def _read_new(
    tx: Transaction, client_id: int, catalogue: Catalogue, planner: Planner, rows: Sequence[Row], faults: CellFaults
) -> Newcomers:
    """What the rows of new employees ask for."""
    if not rows:
        return Newcomers([], [], [])
    plans = await asyncio.to_thread(lambda: [planner.create(row) for row in rows])
    records, wrong = await new_employees.read_new(tx, client_id, [plan.attributes for plan in plans])
    for plan in plans:
        faults.add_all(plan.row, dict(plan.broken))
    _tell_new(plans, wrong, faults)
    reader = await new_hires.load_validator(tx, client_id, catalogue)
    written = await asyncio.to_thread(
        lambda: [reader.read(plan.inputs, record["work_pass"]) for plan, record in zip(plans, records, strict=True)]
    )
    for plan, one in zip(plans, written, strict=True):
        faults.add_all(plan.row, one.faults)
    return Newcomers(plans, records, written)


async def _save_new(
    tx: Transaction, client_id: int, catalogue: Catalogue, new: Newcomers, faults: CellFaults
) -> list[int]:
    if not new.plans:
        return []
    try:
        ids = await new_employees.save_new(tx, client_id, new.records)
    except ValidationError as error:
        _tell_new(new.plans, error.errors, faults)
        faults.refuse()
        raise
    await new_hires.save_new_hires(tx, client_id, catalogue, list(zip(ids, new.written, strict=True)))
    return ids


def _tell_new(plans: Sequence[Plan], wrong: Errors, faults: CellFaults) -> None:
    """Name the cells of faults that are named `<index>.<attribute>`."""
    by_row: dict[int, Errors] = {}
    for path, fault in wrong.items():
        index, _, attribute = path.partition(".")
        plan = plans[int(index)]
        if attribute in plan.broken:
            continue
        if same := SAME_AS.fullmatch(fault):
            fault = f"is the same as {faults.cell(plans[int(same[1])].row, same[2])}"
        by_row.setdefault(plan.row, {})[attribute] = fault
    for row, told in by_row.items():
        faults.add_all(row, told)


async def _outcome(
    tx: Transaction, client_id: int, changes: Changes, new: Newcomers, ids: Sequence[int], unchanged: int
) -> Outcome:
    changed = [(plan.row, plan.employee_id or 0) for plan in changes.plans]
    named = await numbers(tx, client_id, [employee_id for _, employee_id in changed])
    added = zip(new.plans, ids, new.records, strict=True)
    return Outcome(
        created=[Imported(plan.row, employee_id, str(record["number"])) for plan, employee_id, record in added],
        updated=[Imported(row, employee_id, named[employee_id]) for row, employee_id in changed],
        unchanged=unchanged,
    )
