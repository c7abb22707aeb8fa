"""What pay goes by of employees, and who they are, for those who calculate or report it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import EmployeeDetails
from gaji.people.employees import store

_decode = msgspec.json.Decoder(dict[str, str | bool]).decode


async def people(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, EmployeeDetails]:
    """The facts about these employees of a client, by employee."""
    return {row[0]: EmployeeDetails(*row[1:]) for row in await store.columns(tx, client_id, employee_ids, PERSON)}


async def pay_points(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, int | None]:
    """The pay point of each of these employees, by employee."""
    return dict(await store.columns(tx, client_id, employee_ids, ["pay_point_id"]))


async def numbers(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, str]:
    """The numbers by which people know these employees, by employee; of those that there are."""
    return dict(await store.columns(tx, client_id, employee_ids, ["number"]))


@dataclass(frozen=True, slots=True)
class Described:
    """Who an employee is to those who read a report."""

    number: str
    first_name: str
    last_name: str
    pay_point_id: int | None
    custom_fields: Mapping[str, str | bool]


async def described(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, Described]:
    """Who these employees are, by employee."""
    rows = await store.columns(tx, client_id, employee_ids, DESCRIBED)
    return {
        employee_id: Described(number, first_name, last_name, pay_point_id, _decode(custom))
        for employee_id, number, first_name, last_name, pay_point_id, custom in rows
    }


async def everyone(tx: Transaction, client_id: int) -> list[int]:
    """The ids of all employees of a client, in their order."""
    return await store.ids(tx, client_id)


DESCRIBED = ("number", "first_name", "last_name", "pay_point_id", "custom_fields")
PERSON = EmployeeDetails.__struct_fields__
"""The columns of an employee that are facts about the person; they have the same names."""
