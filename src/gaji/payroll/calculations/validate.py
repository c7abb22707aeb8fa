"""Validate a calculation: apply the body to the current values, and check the result."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.company.clients.queries import load_client_features
from gaji.core import clock
from gaji.core.errors import REQUIRED, ErrorCode, Errors
from gaji.core.law_loader import current_law
from gaji.core.validation import Record, replace_values
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import FOREIGN_WORKER_LEVY, CalculationType
from gaji.law.levy import SECTORS, UnknownLevyRate, monthly_rate
from gaji.law.months import Month
from gaji.law.residency import WorkPass
from gaji.payroll.calculations import input_parsing, repository
from gaji.payroll.calculations.chains import load_chains
from gaji.payroll.calculations.inheritance import (
    Calculation,
    CalculationChain,
    CalculationOwner,
    InputValues,
    effective_inputs,
    find_own,
    merge_inputs,
)
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.rules import check_options, find_enterable_type
from gaji.payroll.calculations.schemas import CALCULATION
from gaji.payroll.calculations.scope import CalculationScope
from gaji.people.employees import queries as employees

CONTENT = ("calculation_details", "skip", "multiplier")
"""A new calculation needs at least one of these, unless it is deleted."""
TYPES_WITH_CONTEXT = (WEEK_HOURS, FOREIGN_WORKER_LEVY)
"""Types whose inputs are checked against those of other levels."""
LEVIED_PASSES = ("WP", "SPASS")

CALC_TYPE_FIXED = ErrorCode(
    "calc_type_fixed", "must stay {calc_type}; to change it, delete the calculation and create another"
)
SET_ON_EMPLOYEE = ErrorCode(
    "set_on_employee",
    "is set on the employee with an effective_date, because the client has the feature regular_hours_v2",
)
NO_LEVY_RATE = ErrorCode("no_levy_rate", "is required: {reason}")


@dataclass(frozen=True)
class ValidationContext:
    """What a calculation is checked against."""

    chain: CalculationChain
    """The own calculation and, for types with context, those of the levels above."""
    features: Mapping[str, bool]
    """The client's features. Loaded only for regular hours."""
    work_pass: str | None
    """The employee's work pass. Loaded only for the levy."""

    def own_calculation(self, owner: CalculationOwner, calc_type: str) -> Calculation:
        """Return the owner's own calculation, or a new one."""
        return find_own(self.chain, owner) or Calculation(owner, calc_type)

    def inherited_inputs(self, owner: CalculationOwner, calculation_type: CalculationType) -> InputValues:
        """Return the inputs of the other levels."""
        own_row = find_own(self.chain, owner)
        others = [calculation for calculation in self.chain if calculation is not own_row]
        return effective_inputs(others, calculation_type.alternatives)


async def load_context(tx: Transaction, scope: CalculationScope, calc_type: str) -> ValidationContext:
    """Load what a calculation of this type is checked against."""
    owner = scope.owner
    if calc_type not in TYPES_WITH_CONTEXT:
        own_row = await repository.load_own_calculation(tx, owner, calc_type)
        return ValidationContext([own_row] if own_row else [], {}, None)
    chain = (await load_chains(tx, owner, scope.as_of)).get(calc_type, [])
    features = await load_client_features(tx, owner.client_id) if calc_type == WEEK_HOURS else {}
    work_pass = None
    if calc_type == FOREIGN_WORKER_LEVY and owner.employee_id is not None:
        details = await employees.load_employee_details(tx, owner.client_id, [owner.employee_id])
        work_pass = details[owner.employee_id].work_pass
    return ValidationContext(chain, features, work_pass)


def validate_calculation(
    body: Mapping[str, Any], scope: CalculationScope, calc_type: str, context: ValidationContext
) -> tuple[Calculation, dict[str, str]]:
    """Return the calculation after the change, and warnings. Raises ValidationError with every error."""
    current = context.own_calculation(scope.owner, calc_type)
    inputs: InputValues = {}

    def check(record: Record, errors: Errors) -> None:
        if record["calc_type"] not in (None, calc_type):
            errors.add("calc_type", CALC_TYPE_FIXED, calc_type=calc_type)
        if current.id is None and not record["deleted"] and all(record[name] is None for name in CONTENT):
            errors.add_if_absent("calculation_details", REQUIRED)
        calculation_type = find_enterable_type(scope.catalogue, calc_type, "calc_type", errors)
        if calculation_type is None:
            return
        check_options(calculation_type, scope.owner.level, record, errors)
        details = record["calculation_details"] or {}
        inputs.update(_parse_inputs(calculation_type, current, context, details, scope.as_of, errors))

    stored = {"skip": current.skip, "deleted": current.deleted, "multiplier": current.multiplier}
    attributes = CALCULATION.unwrap(body)
    if attributes.get("calc_type") is None:
        attributes = replace_values(attributes, {**attributes, "calc_type": calc_type})
    validated = CALCULATION.parse_update(attributes, stored, check)
    data = validated.data
    if data.effective_date:
        validated.warnings["effective_date"] = "Ignored: only inherited calculations have an effective date."
    calculation = Calculation(
        scope.owner, calc_type, inputs, data.skip, bool(data.deleted), data.multiplier, current.id
    )
    return calculation, validated.warnings


def _parse_inputs(
    calculation_type: CalculationType,
    current: Calculation,
    context: ValidationContext,
    details: Mapping[str, Any],
    payslip_date: date,
    errors: Errors,
) -> InputValues:
    owner = current.owner
    field_path = FieldPath(owner.level)
    changes = input_parsing.parse_inputs(calculation_type, field_path, details, errors)
    inputs = input_parsing.apply_changes(current.inputs, changes)
    input_parsing.check_alternatives(calculation_type, inputs, changes, field_path, errors)
    input_parsing.check_day_range(inputs, field_path, errors)
    input_parsing.check_months(changes, payslip_date, field_path, errors)
    inherited = context.inherited_inputs(owner, calculation_type)
    if calculation_type.name == WEEK_HOURS:
        if owner.level == "payslip" and context.features["regular_hours_v2"]:
            errors.add("calc_type", SET_ON_EMPLOYEE)
        input_parsing.check_regular_hours(inputs, inherited, changes, context.features, field_path, errors)
    is_levied = calculation_type.name == FOREIGN_WORKER_LEVY and context.work_pass in LEVIED_PASSES
    if is_levied and context.work_pass and not errors:
        _check_levy(merge_inputs(inherited, inputs), WorkPass[context.work_pass], field_path, errors)
    return inputs


def _check_levy(inputs: InputValues, work_pass: WorkPass, field_path: FieldPath, errors: Errors) -> None:
    """Require the amount if the law has no rate for these inputs today."""
    if "amount" in inputs:
        return
    defaults = (("sector", SECTORS[0]), ("tier", "none"), ("skill", "none"))
    sector, tier, skill = (str(inputs.get(name, default)) for name, default in defaults)
    try:
        monthly_rate(current_law().levy, Month.from_date(clock.today()), work_pass, sector, tier, skill)
    except UnknownLevyRate as error:
        errors.add(field_path.input_path("amount"), NO_LEVY_RATE, reason=str(error))
