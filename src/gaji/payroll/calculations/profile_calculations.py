"""Parse, load and save the calculations of profiles."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from gaji.company.clients.queries import load_client_features
from gaji.core.error_codes import NOT_AN_OBJECT
from gaji.core.errors import Errors
from gaji.core.validation import MAX_NAME_LENGTH
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import CalculationType, Catalogue
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import input_parsing, repository
from gaji.payroll.calculations.effective_dates import change_date, current_day
from gaji.payroll.calculations.history import (
    INITIAL,
    MAX_CHANGES,
    TOO_MANY_CHANGES,
    calculation_on,
    calculations_on,
    change_on,
    end_on,
    has_room_on,
    start_on,
)
from gaji.payroll.calculations.inheritance import (
    Calculation,
    CalculationOwner,
    DatedChange,
    InputChanges,
    InputValues,
)
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.rules import find_enterable_type
from gaji.payroll.profiles.queries import load_open_periods
from gaji.periods.queries import NEVER_PAID, OpenPeriod

MAX_UNKNOWN_CALCULATIONS = 50
"""Unknown calculations that are reported. Limits the size of the response to a large body."""


@dataclass(frozen=True)
class ProfileCalculationParser:
    """Parses the calculations of a client's profiles."""

    catalogue: Catalogue
    client_hours: InputValues
    """The client's regular hours."""
    features: Mapping[str, bool]

    def parse(self, calculations: Mapping[str, Any], path: str, errors: Errors) -> dict[str, InputValues]:
        """Return the inputs of each calculation, by type. A calculation that is null is left out."""
        parsed: dict[str, InputValues] = {}
        unknown_count = 0
        for calc_type, inputs in calculations.items():
            unknown_count += calc_type not in self.catalogue.types
            if unknown_count > MAX_UNKNOWN_CALCULATIONS:
                continue
            type_path = f"{path}.{calc_type[:MAX_NAME_LENGTH]}"
            calculation_type = find_enterable_type(self.catalogue, calc_type, type_path, errors)
            if calculation_type is None or inputs is None:
                continue
            if isinstance(inputs, Mapping):
                field_path = FieldPath("profile", type_path)
                parsed[calc_type] = self._parse_inputs(calculation_type, inputs, field_path, errors)
            else:
                errors.add(type_path, NOT_AN_OBJECT)
        return parsed

    def parse_changes(self, calc_type: str, inputs: Mapping[str, Any]) -> InputChanges:
        """Return the valid inputs that were sent for a calculation. Null clears an input."""
        return input_parsing.parse_inputs(self.catalogue.types[calc_type], FieldPath("profile"), inputs, Errors())

    def _parse_inputs(
        self, calculation_type: CalculationType, inputs: Mapping[str, Any], field_path: FieldPath, errors: Errors
    ) -> InputValues:
        changes = input_parsing.parse_inputs(calculation_type, field_path, inputs, errors)
        values = input_parsing.apply_changes({}, changes)
        input_parsing.check_alternatives(calculation_type, values, changes, field_path, errors)
        input_parsing.check_day_range(values, field_path, errors)
        if calculation_type.name == WEEK_HOURS:
            input_parsing.check_regular_hours(values, self.client_hours, changes, self.features, field_path, errors)
        return values


async def lock_and_load_parser(tx: Transaction, client_id: int) -> ProfileCalculationParser:
    """Load the parser of a client, and lock the calculations of the client and its profiles."""
    await repository.lock_client_calculations(tx, client_id)
    calculations = await repository.load_client_calculations(tx, client_id)
    hours = next((calculation.inputs for calculation in calculations if calculation.type == WEEK_HOURS), {})
    return ProfileCalculationParser(
        await load_catalogue(tx, client_id), hours, await load_client_features(tx, client_id)
    )


async def load_profile_calculations(
    tx: Transaction, client_id: int, profile_ids: Sequence[int]
) -> dict[int, dict[str, InputValues]]:
    """Load the current inputs of the calculations of profiles, by profile and type."""
    stored = await repository.load_profile_calculations(tx, client_id, profile_ids)
    dated_ids = {calculation.owner.profile_id or 0 for calculation in stored if calculation.history}
    periods = await load_open_periods(tx, client_id, list(dated_ids)) if dated_ids else {}
    inputs: dict[int, dict[str, InputValues]] = defaultdict(dict)
    for calculation in stored:
        profile_id = calculation.owner.profile_id or 0
        day = current_day(periods.get(profile_id, NEVER_PAID))
        if current := calculation_on(calculation, day.isoformat()):
            inputs[profile_id][current.type] = current.inputs
    return inputs


async def load_profile_types(tx: Transaction, client_id: int, profile_ids: Sequence[int]) -> dict[int, list[str]]:
    """Load the types of the calculations that profiles have on any day, by profile."""
    types: dict[int, list[str]] = {profile_id: [] for profile_id in profile_ids}
    for calculation in await repository.load_profile_calculations(tx, client_id, profile_ids):
        types[calculation.owner.profile_id or 0].append(calculation.type)
    return types


@dataclass(frozen=True)
class ProfileChange:
    """A change of the calculations of a profile that is being validated."""

    owner: CalculationOwner
    parser: ProfileCalculationParser
    stored: Mapping[str, Calculation]
    """The stored calculations by type."""
    open_period: OpenPeriod
    valid_from: date | None
    """The first day of the change. None for values without a date."""

    @property
    def current_inputs(self) -> dict[str, InputValues]:
        """The inputs on the first day of the change, by type."""
        day = INITIAL if self.valid_from is None else self.valid_from.isoformat()
        return {calculation.type: calculation.inputs for calculation in calculations_on(self.stored.values(), day)}

    def check_limit(self, sent: Mapping[str, Any], errors: Errors) -> None:
        """Add an error for each calculation that already has as many dated changes as it can have."""
        for calc_type, inputs in sent.items():
            stored = self.stored.get(calc_type)
            if inputs is not None and stored and self.valid_from and not has_room_on(stored, self.valid_from):
                errors.add_if_absent(f"calculations.{calc_type}", TOO_MANY_CHANGES, maximum=MAX_CHANGES)

    def calculation(self, calc_type: str, sent: Mapping[str, Any] | None, inputs: InputValues) -> Calculation | None:
        """Return a calculation to store, given what was sent and the inputs that result. None to delete it."""
        stored = self.stored.get(calc_type)
        if sent is None:
            return end_on(stored, self.valid_from) if stored and self.valid_from else None
        before = stored or Calculation(self.owner, calc_type)
        if self.valid_from is None:
            history = {day: change for day, change in before.history.items() if day != INITIAL}
            return replace(before, inputs=inputs, history=history)
        change = DatedChange(self.parser.parse_changes(calc_type, sent))
        return (
            start_on(before, self.valid_from, change) if stored is None else change_on(before, self.valid_from, change)
        )


async def load_profile_change(
    tx: Transaction, client_id: int, profile_id: int, parser: ProfileCalculationParser, valid_from: date | None
) -> ProfileChange:
    """Load what a change of a profile's calculations from a day on, or from its open period on, is applied to."""
    owner = CalculationOwner(client_id, profile_id=profile_id)
    stored = await repository.load_profile_calculations(tx, client_id, [profile_id])
    open_period = (await load_open_periods(tx, client_id, [profile_id]))[profile_id]
    by_type = {calculation.type: calculation for calculation in stored}
    return ProfileChange(owner, parser, by_type, open_period, change_date(owner, open_period, valid_from))


async def save_profile_change(
    tx: Transaction, change: ProfileChange, sent: Mapping[str, Any], inputs_by_type: Mapping[str, InputValues]
) -> None:
    """Save the calculations of a profile that were sent, given the inputs that result. Null ends a calculation."""
    for calc_type, sent_inputs in sent.items():
        stored = change.stored.get(calc_type)
        calculation = change.calculation(calc_type, sent_inputs, inputs_by_type.get(calc_type, {}))
        if calculation is not None:
            definition = change.parser.catalogue.types[calc_type].definition
            await repository.save(tx, calculation, definition.id if definition else None)
        elif stored is not None and stored.id is not None:
            await repository.delete(tx, change.owner.client_id, stored.id)
