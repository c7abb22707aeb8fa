"""The recurring inputs of some types: what the client, profiles and employees say, the closest of each input."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from gaji.calculations import recurring_store as store
from gaji.calculations.levels import Values, layered
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import SYSTEM
from gaji.profiles.applied import profiles_of

Level = dict[str, Values]
"""What one level says, by type."""

_decode = msgspec.json.Decoder(Values).decode


async def recurring_inputs(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], types: Sequence[str]
) -> dict[int, Level]:
    """By employee and type the inputs; of those employees for whom any of these types is entered."""
    levels: dict[tuple[int | None, int | None], Level] = defaultdict(dict)
    for profile_id, employee_id, name, inputs in await store.inputs(tx, client_id, employee_ids, types):
        levels[profile_id, employee_id][name] = _decode(inputs)
    everyones = levels.get((None, None), {})
    profiles = await profiles_of(tx, client_id, employee_ids) if any(one for one, _ in levels) else {}
    found: dict[int, Level] = {}
    for employee_id in employee_ids:
        chain = [
            everyones,
            *(
                {name: inputs for name, inputs in levels.get((one.profile_id, None), {}).items() if one.applies(name)}
                for one in profiles.get(employee_id, ())
            ),
            levels.get((None, employee_id), {}),
        ]
        if merged := _merged(chain):
            found[employee_id] = merged
    return found


def _merged(chain: Sequence[Level]) -> Level:
    """The levels in one, the farthest first."""
    found: Level = {}
    for level in chain:
        for name, inputs in level.items():
            system = SYSTEM.get(name)
            found[name] = layered(found.get(name, {}), inputs, system.alternatives if system else ())
    return found
