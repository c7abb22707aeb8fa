"""Calculations as the API shows them."""

from collections.abc import Mapping

import msgspec

from gaji.core.validation import Record
from gaji.engine.catalogue import CalculationType
from gaji.engine.ledger import Ledger
from gaji.payroll.calculations.chains import Chains
from gaji.payroll.calculations.inheritance import (
    Calculation,
    CalculationChain,
    CalculationOwner,
    effective_inputs,
    effective_multiplier,
    effective_skip,
)
from gaji.payroll.calculations.possible import can_be_skipped
from gaji.payroll.calculations.week_hours import TYPE, applicable


def elements(
    ledger: Ledger, owner: CalculationOwner, chains: Chains, outputs: Mapping[str, str], *, special: bool = False
) -> list[Record]:
    """The owner's own calculations in the order of their ids, then those that it inherits."""
    known = [chain for name, chain in chains.items() if name in ledger.catalogue.types]
    in_order = sorted(known, key=lambda chain: _place(chain, own_of(chain, owner)))
    return [element(ledger, owner, chain, outputs, special=special) for chain in in_order]


def element(ledger: Ledger, owner: CalculationOwner, chain: CalculationChain, outputs: Mapping[str, str], *, special: bool = False) -> Record:
    """One calculation as it works on the owner's level: with the inputs of all levels, the closest of each."""
    own = own_of(chain, owner)
    closest = own or chain[-1]
    one = ledger.catalogue.types[closest.type]
    items = [line.name for line in one.lines]
    amounts = {item: outputs[item] for item in items if item in outputs}
    parent = _parent(chain, own) if own else closest
    inputs = effective_inputs(chain, one.alternatives)
    skipped = effective_skip(chain)
    left_out = special and not own and not skipped and can_be_skipped(one)
    shown: Record = {
        "id": own.id if own else None,
        "employee_id": closest.owner.employee_id,
        "payslip_id": closest.owner.payslip_id,
        "client_id": closest.owner.client_id,
        "inputs": applicable(inputs) if one.name == TYPE else inputs,
        "calculation_id": parent.id if parent else None,
        "calculation_def_id": one.definition.id if one.definition else None,
        "profile_id": closest.owner.profile_id or (parent.owner.profile_id if parent else None),
        "account_components": ledger.accounts_by_item(items),
        "account_outputs": ledger.amounts_by_account(amounts),
        "input_formulas": _formulas(one),
        "overrides": dict(own.inputs) if own and parent else {},
        "outputs": amounts,
        "deleted": closest.deleted,
        "skip": skipped or left_out,
        "skip_rule": left_out,
        "multiplier": _number(effective_multiplier(chain)),
        "created_at": closest.created_at,
        "updated_at": closest.updated_at,
    }
    return shown if one.definition else shown | {"system_type": one.name}


def own_of(chain: CalculationChain, owner: CalculationOwner) -> Calculation | None:
    """The owner's own row in a chain, if it has one."""
    return next((one for one in chain if one.id is not None and one.owner == owner), None)


def _parent(chain: CalculationChain, own: Calculation) -> Calculation | None:
    """What the own row overrides."""
    place = chain.index(own)
    return chain[place - 1] if place else None


def _place(chain: CalculationChain, own: Calculation | None) -> tuple[bool, int]:
    """Own ones first, each in the order of ids."""
    return own is None, (own or chain[-1]).id or 0


def _formulas(one: CalculationType) -> dict[str, str]:
    formula = one.definition.formula if one.definition else None
    return {} if formula is None else {"amount": formula}


def _number(text: str | None) -> msgspec.Raw | None:
    """A decimal text as a JSON number, exact."""
    return None if text is None else msgspec.Raw(text.encode())
