"""Validate a calculation: apply the body to the current values, and check the result."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from msgspec import UNSET

from gaji.company.clients.queries import load_client_features
from gaji.core import clock
from gaji.core.error_codes import REQUIRED
from gaji.core.errors import ErrorCode, Errors, NotFound
from gaji.core.external_references import REFERENCE_NAMES, external_id_rule
from gaji.core.law_loader import current_law
from gaji.core.validation import Record, replace_values
from gaji.db.external_references import is_external_id_taken
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import FOREIGN_WORKER_LEVY, CalculationType
from gaji.law.levy import SECTORS, UnknownLevyRate, monthly_rate
from gaji.law.months import Month
from gaji.law.residency import WorkPass
from gaji.payroll.calculations import input_parsing, repository
from gaji.payroll.calculations.effective_dates import (
    change_date,
    date_warnings,
    load_open_period,
    parse_valid_from,
)
from gaji.payroll.calculations.history import (
    INITIAL,
    MAX_CHANGES,
    TOO_MANY_CHANGES,
    calculation_on,
    change_on,
    has_room_on,
    is_in_force_from,
    start_on,
)
from gaji.payroll.calculations.inheritance import (
    Calculation,
    CalculationChain,
    CalculationOwner,
    DatedChange,
    InputChanges,
    InputValues,
    effective_inputs,
    find_own,
    merge_inputs,
)
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.levels import load_chains
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.rules import check_options, find_enterable_type
from gaji.payroll.calculations.schemas import CALCULATION
from gaji.payroll.calculations.scope import CalculationScope
from gaji.people.employees import queries as employees
from gaji.periods.queries import NEVER_PAID, OpenPeriod

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

    stored: Calculation | None
    """The owner's own calculation as it is stored."""
    inherited: CalculationChain
    """The calculations of the other levels. Loaded only for types with context."""
    features: Mapping[str, bool]
    """The client's features. Loaded only for regular hours."""
    work_pass: str | None
    """The employee's work pass. Loaded only for the levy."""

    open_period: OpenPeriod = NEVER_PAID
    """Where the change of a recurring calculation applies if it has no date."""
    is_external_id_taken: bool = False
    """Whether another calculation of the client has the external ID of the body."""

    def inherited_inputs(self, calculation_type: CalculationType) -> InputValues:
        """Return the inputs of the other levels."""
        return effective_inputs(self.inherited, calculation_type.alternatives)


async def load_context(tx: Transaction, scope: CalculationScope, calc_type: str) -> ValidationContext:
    """Load what a calculation of this type is checked against."""
    owner = scope.owner
    if owner.level == "employee":
        stored, open_period = await repository.load_recurring_calculation(tx, owner, calc_type)
    else:
        stored = await repository.load_own_calculation(tx, owner, calc_type)
        open_period = await load_open_period(tx, owner) if owner.level == "profile" else NEVER_PAID
    if calc_type not in TYPES_WITH_CONTEXT:
        return ValidationContext(stored, [], {}, None, open_period)
    chain = (await load_chains(tx, owner, scope.as_of)).get(calc_type, [])
    own_row = find_own(chain, owner)
    features = await load_client_features(tx, owner.client_id) if calc_type == WEEK_HOURS else {}
    work_pass = None
    if calc_type == FOREIGN_WORKER_LEVY and owner.employee_id is not None:
        details = await employees.load_employee_details(tx, owner.client_id, [owner.employee_id])
        work_pass = details[owner.employee_id].work_pass
    inherited = [calculation for calculation in chain if calculation is not own_row]
    return ValidationContext(stored, inherited, features, work_pass, open_period)


async def with_external_id(
    tx: Transaction, context: ValidationContext, owner: CalculationOwner, external_id: object
) -> ValidationContext:
    """Return the context with whether another calculation of the client has an external ID."""
    stored_id = context.stored.id if context.stored else None
    client = {"client_id": owner.client_id}
    is_taken = await is_external_id_taken(tx, "calculations", client, external_id, stored_id or 0)
    return replace(context, is_external_id_taken=True) if is_taken else context


def validate_calculation(
    body: Mapping[str, Any], scope: CalculationScope, calc_type: str, context: ValidationContext
) -> tuple[Calculation, dict[str, str]]:
    """Return the calculation to store after the change, and warnings. Raises ValidationError with every error."""
    stored = context.stored or Calculation(scope.owner, calc_type)
    attributes = CALCULATION.unwrap(body)
    valid_from = change_date(scope.owner, context.open_period, parse_valid_from(attributes))
    existing = None if context.stored is None else calculation_on(stored, _iso(valid_from))
    only_references = context.stored is not None and not set(attributes) - {"calc_type", *REFERENCE_NAMES}
    current = existing or replace(stored, inputs={}, skip=None, multiplier=None, deleted=False)
    parsed = ParsedInputs({}, {})

    def check(record: Record, errors: Errors) -> None:
        if record["calc_type"] not in (None, calc_type):
            errors.add("calc_type", CALC_TYPE_FIXED, calc_type=calc_type)
        if only_references:
            return
        if existing is None and not record["deleted"] and all(record[name] is None for name in CONTENT):
            errors.add_if_absent("calculation_details", REQUIRED)
        if valid_from and not has_room_on(stored, valid_from):
            errors.add_if_absent("valid_from", TOO_MANY_CHANGES, maximum=MAX_CHANGES)
        calculation_type = find_enterable_type(scope.catalogue, calc_type, "calc_type", errors)
        if calculation_type is None:
            return
        check_options(calculation_type, scope.owner.level, record, errors)
        details = record["calculation_details"] or {}
        _parse_inputs(calculation_type, current, context, details, scope.as_of, parsed, errors)

    if attributes.get("calc_type") is None:
        attributes = replace_values(attributes, {**attributes, "calc_type": calc_type})
    values: Record = {name: getattr(current, name) for name in ("skip", "deleted", "multiplier", *REFERENCE_NAMES)}
    validated = CALCULATION.parse_update(attributes, values, check, external_id_rule(context.is_external_id_taken))
    data = validated.data
    stored = replace(stored, external_id=data.external_id, metadata=data.metadata)
    if only_references:
        return stored, validated.warnings
    if data.effective_date:
        validated.warnings["effective_date"] = "Ignored: only inherited calculations have an effective date."
    validated.warnings.update(date_warnings(scope.owner, context.open_period, data.valid_from))
    change = DatedChange(
        parsed.changes,
        data.skip if "skip" in attributes else UNSET,
        data.multiplier if "multiplier" in attributes else UNSET,
    )
    if valid_from is None:
        initial = replace(stored, inputs=parsed.inputs, skip=data.skip, multiplier=data.multiplier)
        history = {day: change for day, change in stored.history.items() if day != INITIAL}
        return replace(initial, deleted=bool(data.deleted), history=history), validated.warnings
    if context.stored is None:
        return start_on(stored, valid_from, change), validated.warnings
    return change_on(stored, valid_from, change), validated.warnings


def _iso(day: date | None) -> str:
    return INITIAL if day is None else day.isoformat()


def require_in_force(context: ValidationContext, attributes: Mapping[str, Any]) -> None:
    """Raise NotFound if the stored calculation has ended before the date of a change."""
    stored = context.stored
    if stored is None or not stored.history:
        return
    day = change_date(stored.owner, context.open_period, parse_valid_from(attributes))
    if not is_in_force_from(stored, _iso(day)):
        raise calculation_not_found(stored.id or 0)


def calculation_not_found(calculation_id: int) -> NotFound:
    """Return the error for a calculation that does not exist, or that the caller may not see."""
    return NotFound(f"Calculation {calculation_id} does not exist")


@dataclass
class ParsedInputs:
    """The inputs of a calculation after a change, and those that were sent."""

    inputs: InputValues
    changes: InputChanges


def _parse_inputs(
    calculation_type: CalculationType,
    current: Calculation,
    context: ValidationContext,
    details: Mapping[str, Any],
    payslip_date: date,
    parsed: ParsedInputs,
    errors: Errors,
) -> None:
    owner = current.owner
    field_path = FieldPath(owner.level)
    changes = input_parsing.parse_inputs(calculation_type, field_path, details, errors)
    inputs = input_parsing.apply_changes(current.inputs, changes)
    input_parsing.check_alternatives(calculation_type, inputs, changes, field_path, errors)
    input_parsing.check_day_range(inputs, field_path, errors)
    input_parsing.check_months(changes, payslip_date, field_path, errors)
    inherited = context.inherited_inputs(calculation_type)
    parsed.inputs, parsed.changes = inputs, changes
    if calculation_type.name == WEEK_HOURS:
        if owner.level == "payslip" and context.features["regular_hours_v2"]:
            errors.add("calc_type", SET_ON_EMPLOYEE)
        input_parsing.check_regular_hours(inputs, inherited, changes, context.features, field_path, errors)
    is_levied = calculation_type.name == FOREIGN_WORKER_LEVY and context.work_pass in LEVIED_PASSES
    if is_levied and context.work_pass and not errors:
        _check_levy(merge_inputs(inherited, inputs), WorkPass[context.work_pass], field_path, errors)


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
