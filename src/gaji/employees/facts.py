"""What pay goes by of employees, for those who calculate it."""

from collections.abc import Sequence

from gaji.db.tenancy import Transaction
from gaji.employees import store
from gaji.engine.cases import Person


async def people(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, Person]:
    """The facts about these employees of a client, by employee."""
    return {row[0]: Person(*row[1:]) for row in await store.columns(tx, client_id, employee_ids, PERSON)}


async def pay_points(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, int | None]:
    """The pay point of each of these employees, by employee."""
    return dict(await store.columns(tx, client_id, employee_ids, ["pay_point_id"]))


async def numbers(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, str]:
    """The numbers by which people know these employees, by employee; of those that there are."""
    return dict(await store.columns(tx, client_id, employee_ids, ["number"]))


PERSON = Person.__struct_fields__
"""The columns of an employee that are facts about the person; they have the same names."""
