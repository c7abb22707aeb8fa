"""What pay goes by of employees, and who they are, for those who calculate or report it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import EmployeeDetails
from gaji.people.employees import repository

_decode = msgspec.json.Decoder(dict[str, str | bool]).decode


async def load_employee_details(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, EmployeeDetails]:
    """The facts about these employees of a client, by employee."""
    return {row[0]: EmployeeDetails(*row[1:]) for row in await repository.columns(tx, client_id, employee_ids, DETAIL_COLUMNS)}


async def load_pay_point_ids(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, int | None]:
    """The pay point of each of these employees, by employee."""
    return dict(await repository.columns(tx, client_id, employee_ids, ["pay_point_id"]))


async def load_employee_numbers(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, str]:
    """The numbers by which people know these employees, by employee; of those that there are."""
    return dict(await repository.columns(tx, client_id, employee_ids, ["number"]))


@dataclass(frozen=True, slots=True)
class EmployeeInfo:
    """Who an employee is to those who read a report."""

    number: str
    first_name: str
    last_name: str
    pay_point_id: int | None
    custom_fields: Mapping[str, str | bool]


async def load_employee_info(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, EmployeeInfo]:
    """Who these employees are, by employee."""
    rows = await repository.columns(tx, client_id, employee_ids, DESCRIBED)
    return {
        employee_id: EmployeeInfo(number, first_name, last_name, pay_point_id, _decode(custom))
        for employee_id, number, first_name, last_name, pay_point_id, custom in rows
    }


async def list_employee_ids(tx: Transaction, client_id: int) -> list[int]:
    """The ids of all employees of a client, in their order."""
    return await repository.ids(tx, client_id)


DESCRIBED = ("number", "first_name", "last_name", "pay_point_id", "custom_fields")
DETAIL_COLUMNS = EmployeeDetails.__struct_fields__
"""The columns of an employee that are facts about the person; they have the same names."""
