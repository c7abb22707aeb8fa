"""Parse, load and save the calculations of profiles."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gaji.company.clients.queries import load_client_features
from gaji.core.errors import NOT_AN_OBJECT, Errors
from gaji.core.validation import MAX_NAME_LENGTH
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import CalculationType, Catalogue
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import input_parsing, repository
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner, InputValues
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.rules import find_enterable_type

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
    """Load the inputs of the calculations of profiles, by profile and type."""
    inputs: dict[int, dict[str, InputValues]] = defaultdict(dict)
    for calculation in await repository.load_profile_calculations(tx, client_id, profile_ids):
        inputs[calculation.owner.profile_id or 0][calculation.type] = calculation.inputs
    return inputs


async def save_profile_calculations(
    tx: Transaction,
    client_id: int,
    profile_id: int,
    catalogue: Catalogue,
    inputs_by_type: Mapping[str, InputValues],
) -> None:
    """Replace the calculations of a profile."""
    owner = CalculationOwner(client_id, profile_id=profile_id)
    stored = await repository.load_profile_calculations(tx, client_id, [profile_id])
    current = {calculation.type: calculation for calculation in stored}
    for calc_type, calculation in current.items():
        if calc_type not in inputs_by_type and calculation.id is not None:
            await repository.delete(tx, client_id, calculation.id)
    for calc_type, inputs in inputs_by_type.items():
        before = current.get(calc_type)
        if before is None or before.inputs != inputs:
            definition = catalogue.types[calc_type].definition
            calculation = replace(before or Calculation(owner, calc_type), inputs=inputs)
            await repository.save(tx, calculation, definition.id if definition else None)
