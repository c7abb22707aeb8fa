"""Chains: for each type what every level says about it, from the client down to one employee or payslip."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

from gaji.company.clients.service import client_features
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import LEVELS
from gaji.payroll.calculations import inherited_store, week_hours
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.profiles.queries import EmployeeProfile, load_employee_profiles

Chains = dict[str, list[Calculation]]
"""By type, the farthest level first."""


async def load_chains(tx: Transaction, owner: CalculationOwner, on: date) -> Chains:
    """What the owner's level and those above it say; regular hours as they are on a day."""
    if owner.employee_id is None:
        rows = await repository.of_client(tx, owner.client_id)
        if owner.profile_id is not None:
            rows += await repository.of_profiles(tx, owner.client_id, [owner.profile_id])
        return _chained(rows)
    applied = (await load_employee_profiles(tx, owner.client_id, [owner.employee_id])).get(owner.employee_id, ())
    rows = await repository.of_employee(
        tx, owner.client_id, owner.employee_id, owner.payslip_id, [one.profile_id for one in applied]
    )
    chains = _chained(sorted(_applying(rows, applied), key=lambda row: _distance(row.owner, applied)))
    await _add_hours(tx, owner, chains, on)
    return chains


async def _add_hours(tx: Transaction, owner: CalculationOwner, chains: Chains, on: date) -> None:
    """Put the regular hours of the employee where they belong: beside a row of their own, the feature decides."""
    for one in await inherited_store.of_employee(tx, owner.client_id, owner.employee_id or 0):
        hours = Calculation(
            CalculationOwner(owner.client_id, employee_id=one.employee_id),
            one.short_name,
            week_hours.at(one.history, on.isoformat()),
            created_at=one.created_at,
            updated_at=one.updated_at,
        )
        chain = chains.setdefault(one.short_name, [])
        has_row = any(row.owner.level == "employee" for row in chain)
        farther = LEVELS[: 2 if has_row and not await hours_are_inherited(tx, owner.client_id) else 3]
        chain.insert(sum(row.owner.level in farther for row in chain), hours)


async def hours_are_inherited(tx: Transaction, client_id: int) -> bool:
    """Whether the regular hours of the client's employees are an inherited calculation."""
    return (await client_features(tx, client_id))["regular_hours_v2"]


def _applying(rows: Iterable[Calculation], applied: tuple[EmployeeProfile, ...]) -> list[Calculation]:
    by_profile = {one.profile_id: one for one in applied}
    return [row for row in rows if row.owner.profile_id is None or by_profile[row.owner.profile_id].applies(row.type)]


def _distance(owner: CalculationOwner, applied: tuple[EmployeeProfile, ...]) -> tuple[int, int]:
    """The farthest first: the client, profiles in the order of their mappings, the employee, the payslip."""
    place = [one.profile_id for one in applied].index(owner.profile_id) if owner.profile_id is not None else 0
    return LEVELS.index(owner.level), place


def _chained(rows: Iterable[Calculation]) -> Chains:
    chains: Chains = defaultdict(list)
    for row in rows:
        chains[row.type].append(row)
    return dict(chains)
