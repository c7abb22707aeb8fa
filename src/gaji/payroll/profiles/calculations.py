"""The calculations of profiles, for the resource that profiles are."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gaji.company.clients.service import client_features
from gaji.core.errors import INVALID, Errors
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import CalculationType, Catalogue
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.input_parsing import MOST_NAMED, FieldPath
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner, InputValues
from gaji.payroll.calculations.rules import find_enterable_type
from gaji.payroll.calculations.week_hours import TYPE as WEEK_HOURS

Templates = Mapping[str, InputValues]
"""By calculation, its inputs."""


@dataclass(frozen=True)
class Reader:
    """Reads the calculations of a profile by what the client has and says."""

    catalogue: Catalogue
    client_hours: InputValues
    """The regular hours that the client says."""
    features: Mapping[str, bool]

    def read(self, given: Mapping[str, Any], path: str, errors: Errors) -> dict[str, InputValues]:
        """The calculations that were given, each with its inputs."""
        found: dict[str, InputValues] = {}
        unknown = 0
        for name, inputs in given.items():
            unknown += name not in self.catalogue.types
            one = find_enterable_type(self.catalogue, name, f"{path}.{name[:60]}", errors) if unknown <= MOST_NAMED else None
            if one is not None and isinstance(inputs, Mapping):
                found[name] = self._inputs(one, inputs, FieldPath("profile", f"{path}.{name}"), errors)
            elif one is not None and inputs is not None:
                errors.add(f"{path}.{name}", INVALID, reason="must be an object of inputs")
        return found

    def _inputs(self, one: CalculationType, given: Mapping[str, Any], place: FieldPath, errors: Errors) -> InputValues:
        changes = input_parsing.parse_inputs(one, place, given, errors)
        inputs = input_parsing.apply_changes({}, changes)
        input_parsing.check_alternatives(one, inputs, changes, place, errors)
        if one.name == WEEK_HOURS:
            return input_parsing.check_regular_hours(inputs, self.client_hours, changes, self.features, place, errors)
        return inputs


async def reader(tx: Transaction, client_id: int) -> Reader:
    """The reader for a client; nobody else changes what it and its profiles say until the transaction ends."""
    await repository.hold(tx, client_id)
    hours = [one.inputs for one in await repository.of_client(tx, client_id) if one.type == WEEK_HOURS]
    return Reader(await load_catalogue(tx, client_id), hours[0] if hours else {}, await client_features(tx, client_id))


async def load_profile_calculations(tx: Transaction, client_id: int, profile_ids: Sequence[int]) -> dict[int, dict[str, InputValues]]:
    """The calculations of profiles, by profile."""
    found: dict[int, dict[str, InputValues]] = defaultdict(dict)
    for one in await repository.of_profiles(tx, client_id, profile_ids):
        found[one.owner.profile_id or 0][one.type] = one.inputs
    return found


async def save_profile_calculations(tx: Transaction, client_id: int, profile_id: int, types: Catalogue, wanted: Templates) -> None:
    """Give a profile these calculations in place of those it had."""
    owner = CalculationOwner(client_id, profile_id=profile_id)
    current = {one.type: one for one in await repository.of_profiles(tx, client_id, [profile_id])}
    for name, one in current.items():
        if name not in wanted and one.id is not None:
            await repository.delete(tx, client_id, one.id)
    for name, inputs in wanted.items():
        before = current.get(name)
        if before is None or before.inputs != inputs:
            definition = types.types[name].definition
            one = replace(before or Calculation(owner, name), inputs=inputs)
            await repository.save(tx, one, definition.id if definition else None)
