"""Load the calculations of all levels that apply to an owner: client, profiles, employee, payslip.

Those of one type are a chain, from the most general level to the most specific one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.company.clients.queries import load_client_features
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import LEVELS
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.history import calculations_on
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.calculations.regular_hours import repository as regular_hours
from gaji.payroll.calculations.regular_hours.history import inputs_on
from gaji.payroll.calculations.regular_hours.repository import InheritedCalculation
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.profiles.queries import EmployeeProfile, load_employee_profiles

ChainsByType = dict[str, list[Calculation]]
"""The calculations of all levels by type, the most general first."""


@dataclass(frozen=True)
class CalculationLevels:
    """Everything that the calculations of an employee or a payslip are merged from."""

    calculations: Sequence[Calculation]
    """Of the client, the profiles, the employee and the payslip, ordered by ID."""
    profiles: Sequence[EmployeeProfile]
    """In the order of assignment."""
    regular_hours: InheritedCalculation | None
    """None if the client does not have the feature."""


async def load_chains(tx: Transaction, owner: CalculationOwner, as_of: date) -> ChainsByType:
    """Load the calculations of an owner and of the levels above, with their values on a day."""
    if owner.employee_id is None:
        calculations = await repository.load_client_calculations(tx, owner.client_id)
        if owner.profile_id is not None:
            calculations += await repository.load_profile_calculations(tx, owner.client_id, [owner.profile_id])
        return _group_by_type(calculations_on(calculations, as_of.isoformat()))
    return build_chains(owner, await _load_levels(tx, owner, owner.employee_id), as_of)


def build_chains(owner: CalculationOwner, levels: CalculationLevels, as_of: date) -> ChainsByType:
    """Return the chains of an employee or a payslip, with their values on a day."""
    profile_ids = [profile.profile_id for profile in levels.profiles]
    applicable = _applicable(calculations_on(levels.calculations, as_of.isoformat()), levels.profiles)
    applicable.sort(key=lambda calculation: _rank(calculation.owner, profile_ids))
    chains = _group_by_type(applicable)
    _insert_regular_hours(owner, levels, chains, as_of)
    return chains


async def load_recurring_levels(tx: Transaction, owner: CalculationOwner, employee_id: int) -> list[Calculation]:
    """Load the stored calculations of an employee and of their profiles that apply, ordered by ID."""
    levels = await _load_levels(tx, owner, employee_id)
    return [
        calculation
        for calculation in _applicable(levels.calculations, levels.profiles)
        if calculation.owner.level in ("profile", "employee")
    ]


async def _load_levels(tx: Transaction, owner: CalculationOwner, employee_id: int) -> CalculationLevels:
    client_id = owner.client_id
    profiles = (await load_employee_profiles(tx, client_id, [employee_id])).get(employee_id, ())
    profile_ids = [profile.profile_id for profile in profiles]
    return CalculationLevels(
        await repository.load_all_levels(tx, client_id, employee_id, owner.payslip_id, profile_ids),
        profiles,
        await regular_hours.load_regular_hours(tx, client_id, employee_id),
    )


async def hours_are_inherited(tx: Transaction, client_id: int) -> bool:
    """Return whether the regular hours of the client's employees are an inherited calculation."""
    return (await load_client_features(tx, client_id))["regular_hours_v2"]


def _insert_regular_hours(
    owner: CalculationOwner, levels: CalculationLevels, chains: ChainsByType, as_of: date
) -> None:
    """Insert the regular hours of the employee after their other calculations, if the client has the feature."""
    inherited = levels.regular_hours
    if inherited is None:
        return
    hours = Calculation(
        CalculationOwner(owner.client_id, employee_id=inherited.employee_id),
        WEEK_HOURS,
        inputs_on(inherited.history, as_of.isoformat()),
        created_at=inherited.created_at,
        updated_at=inherited.updated_at,
    )
    chain = chains.setdefault(WEEK_HOURS, [])
    chain.insert(sum(calculation.owner.level != "payslip" for calculation in chain), hours)


def _applicable(calculations: Iterable[Calculation], profiles: Sequence[EmployeeProfile]) -> list[Calculation]:
    """Leave out the calculations of profiles that are switched off for the employee."""
    profiles_by_id = {profile.profile_id: profile for profile in profiles}
    return [
        calculation
        for calculation in calculations
        if calculation.owner.profile_id is None
        or profiles_by_id[calculation.owner.profile_id].applies(calculation.type)
    ]


def _rank(owner: CalculationOwner, profile_ids: Sequence[int]) -> tuple[int, int]:
    """Return the position in a chain: the client, profiles in the order of assignment, the employee, the payslip."""
    profile_rank = profile_ids.index(owner.profile_id) if owner.profile_id is not None else 0
    return LEVELS.index(owner.level), profile_rank


def _group_by_type(calculations: Iterable[Calculation]) -> ChainsByType:
    chains: ChainsByType = defaultdict(list)
    for calculation in calculations:
        chains[calculation.type].append(calculation)
    return dict(chains)
