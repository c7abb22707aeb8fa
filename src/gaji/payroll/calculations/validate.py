"""Writing a calculation: what the body asks for, laid over what the level said, checked whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gaji.company.clients.service import client_features
from gaji.core import clock
from gaji.core.errors import INVALID, Errors
from gaji.core.law_loader import law
from gaji.core.validation import Record, ValidatedInput
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import CalculationType
from gaji.law.levy import SECTORS, UnknownLevyRate, monthly_rate
from gaji.law.months import Month
from gaji.law.residency import WorkPass
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.chains import load_chains
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.inheritance import Calculation, CalculationChain, CalculationOwner, effective_inputs, merge_inputs
from gaji.payroll.calculations.scope import CalculationScope
from gaji.payroll.calculations.possible import LEVY
from gaji.payroll.calculations.rules import CALCULATION, check_handling, find_enterable_type
from gaji.payroll.calculations.serializers import own_of
from gaji.payroll.calculations.week_hours import TYPE as WEEK_HOURS
from gaji.people.employees import facts as employees

SAYING = ("calculation_details", "skip", "multiplier")
"""What a new calculation can consist of, beside being deleted."""
LOOKED_AROUND = (WEEK_HOURS, LEVY)
"""Types whose inputs depend on what other levels say."""
LEVIED = ("WP", "SPASS")
NOT_ON_A_PAYSLIP = "is set for the employee with an effective_date, because the client has the feature regular_hours_v2"


@dataclass(frozen=True)
class Around:
    """What a calculation is checked against beside its own inputs."""

    chain: CalculationChain
    """What the level itself, and for types that depend on it those above, say about the type."""
    features: Mapping[str, bool]
    """Of the client; looked up for regular hours alone."""
    work_pass: str | None
    """Of the employee; looked up for the levy alone."""

    def own(self, owner: CalculationOwner, name: str) -> Calculation:
        """What the level says already; a new calculation where it says nothing."""
        return own_of(self.chain, owner) or Calculation(owner, name)

    def farther(self, owner: CalculationOwner) -> CalculationChain:
        """What the other levels say."""
        own = own_of(self.chain, owner)
        return [one for one in self.chain if one is not own]


async def look_around(tx: Transaction, subject: CalculationScope, name: str) -> Around:
    """What a calculation of this type is checked against."""
    owner = subject.owner
    if name not in LOOKED_AROUND:
        own = await repository.own(tx, owner, name)
        return Around([own] if own else [], {}, None)
    chain = (await load_chains(tx, owner, subject.on)).get(name, [])
    features = await client_features(tx, owner.client_id) if name == WEEK_HOURS else {}
    work_pass = None
    if name == LEVY and owner.employee_id is not None:
        work_pass = (await employees.people(tx, owner.client_id, [owner.employee_id]))[owner.employee_id].work_pass
    return Around(chain, features, work_pass)


def read(body: Mapping[str, Any], subject: CalculationScope, name: str, around: Around) -> tuple[Calculation, ValidatedInput]:
    """The calculation that the body asks for; raises Invalid with every fault."""
    current = around.own(subject.owner, name)
    result: list[Calculation] = []

    def check(record: Record, errors: Errors) -> None:
        one = find_enterable_type(subject.catalogue, name, "calc_type", errors)
        if one is None:
            return
        if current.id is None and not record["deleted"] and all(record[given] is None for given in SAYING):
            errors.setdefault("calculation_details", "is required")
        check_handling(one, subject.owner.level, record, errors)
        inputs = _inputs(one, current, subject.owner, around, record["calculation_details"] or {}, errors)
        result.append(
            Calculation(
                subject.owner, name, inputs, record["skip"], bool(record["deleted"]), record["multiplier"], current.id
            )
        )

    said = {"skip": current.skip, "deleted": current.deleted, "multiplier": current.multiplier}
    given = {key: value for key, value in CALCULATION.unwrap(body).items() if key != "calc_type" or value is not None}
    reading = CALCULATION.parse_update({"calc_type": name, **given}, said, check)
    if reading.record["effective_date"]:
        reading.warnings["effective_date"] = "Only inherited calculations have one, ignored."
    return result[0], reading


def _inputs(
    one: CalculationType,
    current: Calculation,
    owner: CalculationOwner,
    around: Around,
    given: Mapping[str, Any],
    errors: Errors,
) -> dict[str, str | bool]:
    place = FieldPath(owner.level)
    changes = input_parsing.parse_inputs(one, place, given, errors)
    inputs = input_parsing.apply_changes(current.inputs, changes)
    input_parsing.check_alternatives(one, inputs, changes, place, errors)
    farther = effective_inputs(around.farther(owner), one.alternatives)
    if one.name == WEEK_HOURS:
        if owner.level == "payslip" and around.features["regular_hours_v2"]:
            errors.add("calc_type", INVALID, reason=NOT_ON_A_PAYSLIP)
        inputs = input_parsing.check_regular_hours(inputs, farther, changes, around.features, place, errors)
    if one.name == LEVY and around.work_pass in LEVIED and not errors:
        _check_levy(merge_inputs(farther, inputs), WorkPass[around.work_pass], place, errors)
    return inputs


def _check_levy(inputs: Mapping[str, str | bool], work_pass: WorkPass, place: FieldPath, errors: Errors) -> None:
    """Without a rate in the law of today, the amount is needed."""
    if "amount" in inputs:
        return
    sector, tier, skill = (
        str(inputs.get(name, usual)) for name, usual in (("sector", SECTORS[0]), ("tier", "none"), ("skill", "none"))
    )
    try:
        monthly_rate(law().levy, Month.from_date(clock.today()), work_pass, sector, tier, skill)
    except UnknownLevyRate as error:
        errors.add(place.of("amount"), INVALID, reason=f"is required: {error}")
