"""Calculations as the API returns them."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

import msgspec

from gaji.core.validation import Record
from gaji.engine.catalogue import CalculationType, Catalogue
from gaji.engine.ledger import Ledger
from gaji.payroll.calculations.history import INITIAL, calculation_on
from gaji.payroll.calculations.inheritance import (
    Calculation,
    CalculationChain,
    CalculationOwner,
    effective_inputs,
    effective_multiplier,
    effective_skip,
    find_own,
    inputs_json,
)
from gaji.payroll.calculations.levels import ChainsByType
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS, complete_week

ONE_DAY = timedelta(days=1)


def calculations_json(
    ledger: Ledger, owner: CalculationOwner, chains: ChainsByType, outputs: Mapping[str, str], *, special: bool = False
) -> list[Record]:
    """Return the owner's own calculations, then those that it inherits, each ordered by ID."""
    known = [chain for calc_type, chain in chains.items() if calc_type in ledger.catalogue.types]
    known.sort(key=lambda chain: _sort_key(chain, find_own(chain, owner)))
    return [calculation_json(ledger, owner, chain, outputs, special=special) for chain in known]


def calculation_json(
    ledger: Ledger,
    owner: CalculationOwner,
    chain: CalculationChain,
    outputs: Mapping[str, str],
    *,
    special: bool = False,
) -> Record:
    """Return one calculation as it applies to the owner, with the merged inputs of all levels."""
    own_row = find_own(chain, owner)
    closest = own_row or chain[-1]
    # The regular hours of an employee have no row here. They override the level above, if any.
    parent = closest if own_row is None and closest.id is not None else _parent(chain, closest)
    calculation_type = ledger.catalogue.types[closest.type]
    definition = calculation_type.definition
    items = [line.name for line in calculation_type.lines]
    amounts = {item: outputs[item] for item in items if item in outputs}
    inputs = effective_inputs(chain, calculation_type.alternatives)
    skip = effective_skip(chain)
    skipped_by_rule = special and not own_row and not skip and calculation_type.skippable
    calculation: Record = {
        "id": own_row.id if own_row else None,
        "employee_id": closest.owner.employee_id,
        "payslip_id": closest.owner.payslip_id,
        "client_id": closest.owner.client_id,
        "inputs": inputs_json(complete_week(inputs) if calculation_type.name == WEEK_HOURS else inputs),
        "calculation_id": parent.id if parent else None,
        "calculation_def_id": definition.id if definition else None,
        "profile_id": closest.owner.profile_id or (parent.owner.profile_id if parent else None),
        "account_components": ledger.accounts_by_item(items),
        "account_outputs": ledger.amounts_by_account(amounts),
        "input_formulas": _formulas(calculation_type),
        "overrides": inputs_json(own_row.inputs) if own_row and parent else {},
        "outputs": amounts,
        "deleted": closest.deleted,
        "skip": skip or skipped_by_rule,
        "skip_rule": skipped_by_rule,
        "multiplier": _raw_number(effective_multiplier(chain)),
        "valid_from": closest.valid_from,
        "external_id": own_row.external_id if own_row else None,
        "metadata": own_row.metadata if own_row else {},
        "created_at": closest.created_at,
        "updated_at": closest.updated_at,
    }
    return calculation if definition else calculation | {"system_type": calculation_type.name}


def histories_json(calculations: Iterable[Calculation], catalogue: Catalogue, current_day: date) -> list[Record]:
    """Return stored calculations, each with all its values in the order of time."""
    return [
        _history_json(calculation, catalogue.types[calculation.type], current_day)
        for calculation in calculations
        if calculation.type in catalogue.types
    ]


def _history_json(calculation: Calculation, calculation_type: CalculationType, current_day: date) -> Record:
    starts = sorted({INITIAL, *calculation.history})
    if INITIAL in calculation.history:
        starts.remove(INITIAL)
    lasts = [date.fromisoformat(start) - ONE_DAY for start in starts[1:]]
    definition = calculation_type.definition
    history: Record = {
        "calculation_id": calculation.id,
        "employee_id": calculation.owner.employee_id,
        "profile_id": calculation.owner.profile_id,
        "calculation_def_id": definition.id if definition else None,
    }
    values = [
        _dated_values_json(calculation, start, last, current_day)
        for start, last in zip(starts, [*lasts, None], strict=True)
    ]
    return history | ({} if definition else {"system_type": calculation_type.name}) | {"values": values}


def _dated_values_json(calculation: Calculation, start: str, last: date | None, current_day: date) -> Record:
    on_day, change = calculation_on(calculation, start), calculation.history.get(start)
    is_past = last is not None and last < current_day
    changes = inputs_json(calculation.inputs) if change is None else inputs_json(change.inputs or {})
    return {
        "valid_from": start or None,
        "valid_to": last and last.isoformat(),
        "state": "past" if is_past else "future" if start > current_day.isoformat() else "current",
        "exists": on_day is not None,
        "inputs": inputs_json(on_day.inputs) if on_day else {},
        "changes": changes,
        "skip": on_day.skip if on_day else None,
        "multiplier": _raw_number(on_day.multiplier) if on_day else None,
    }


def _parent(chain: CalculationChain, calculation: Calculation) -> Calculation | None:
    """Return the calculation that this one overrides."""
    index = chain.index(calculation)
    return chain[index - 1] if index else None


def _sort_key(chain: CalculationChain, own_row: Calculation | None) -> tuple[bool, int]:
    return own_row is None, (own_row or chain[-1]).id or 0


def _formulas(calculation_type: CalculationType) -> dict[str, str]:
    formula = calculation_type.definition.formula if calculation_type.definition else None
    return {} if formula is None else {"amount": formula}


def _raw_number(text: str | None) -> msgspec.Raw | None:
    """Return a decimal string as an exact JSON number."""
    return None if text is None else msgspec.Raw(text.encode())
