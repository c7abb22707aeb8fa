"""Trying a custom item on an employee: what their payslip would be with it, without saving anything."""

from collections.abc import Mapping
from typing import Any

from gaji.db.tenancy import JoinedTransactions, Tenant
from gaji.payroll.calculation_definitions import service
from gaji.payroll.payslips.preview import preview
from gaji.payroll.payslips.service import Explained


class _Tried(Exception):
    """All was done that had to be tried; now it is undone."""


async def preview_definition(
    tenant: Tenant, client_id: int, definition_id: int | None, body: Mapping[str, Any], asked: Mapping[str, Any]
) -> tuple[int, Explained]:
    """The id that the item has in the trial and the payslip with it; raises Invalid and Conflict as saving would.

    `asked` has the employee, the last day of the period, and what is entered for the item as `inputs`.
    """
    try:
        async with JoinedTransactions(tenant):
            if definition_id is None:
                tried, _ = await service.create_definition(tenant, client_id, body)
            else:
                tried = definition_id
                await service.update_definition(tenant, tried, body)
            entered = [{"calc_type": str(tried), "calculation_details": asked["inputs"]}]
            wanted = {name: asked[name] for name in ("employee_id", "period_end_date")}
            found, _ = await preview(tenant, client_id, {**wanted, "calculations": entered})
            raise _Tried
    except _Tried:
        return tried, found
