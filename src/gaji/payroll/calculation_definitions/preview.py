"""Preview a custom item: calculate an employee's payslip with it, without saving anything."""

from collections.abc import Mapping
from typing import Any

from gaji.db.tenancy import JoinedTransactions, Tenant
from gaji.payroll.calculation_definitions import service
from gaji.payroll.payslips.preview import preview_payslip
from gaji.payroll.payslips.service import ExplainedPayslip


class _RollBack(Exception):
    """Rolls back the transaction after the preview."""


async def preview_definition(
    tenant: Tenant, client_id: int, definition_id: int | None, body: Mapping[str, Any], asked: Mapping[str, Any]
) -> tuple[int, ExplainedPayslip]:
    """Return the item's ID in the preview, and the payslip. Raises ValidationError and Conflict as saving would.

    `asked` has `employee_id`, `period_end_date` and, for the inputs of the item, `inputs`.
    """
    try:
        async with JoinedTransactions(tenant):
            if definition_id is None:
                item_id, _ = await service.create_definition(tenant, client_id, body)
            else:
                item_id = definition_id
                await service.update_definition(tenant, item_id, body)
            calculations = [{"calc_type": str(item_id), "calculation_details": asked["inputs"]}]
            payslip_body = {name: asked[name] for name in ("employee_id", "period_end_date")}
            payslip, _ = await preview_payslip(tenant, client_id, {**payslip_body, "calculations": calculations})
            raise _RollBack
    except _RollBack:
        return item_id, payslip
