"""Forms to save and remove the pay items of employees and payslips."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from gaji.console.calculation_form import calculation_body, move_levy_error, pay_item_values
from gaji.console.employee_tabs import load_employee, show_tab
from gaji.console.forms import Form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.pay_tab import load_first_open_day, require_open_payslip
from gaji.console.payslips import load_summary, payslip_page
from gaji.console.request import PageRequest
from gaji.console.return_paths import return_path
from gaji.console.week_form import DETAILS, week_errors
from gaji.console.work_items import BASIC_SALARY, WORK_ITEMS, own_inputs
from gaji.core.errors import Conflict, Errors, NotFound, ValidationError
from gaji.core.field_types import DateType
from gaji.payroll.calculations import service as calculations
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.web.responses import HttpResponse

router = PageRouter()

REMOVED = "Pay item removed"


@router.post("/employees/{employee_id}/calculations")
async def save_employee_calculation(request: PageRequest) -> HttpResponse:
    """Save a recurring pay item of an employee."""
    employee = await load_employee(request)
    await request.writable_company(employee["client_id"])
    entered = (await calculations.list_for_employee(request.tenant, employee["id"])).elements
    values = await pay_item_values(
        request, employee["client_id"], "employee", entered, request.form.get("calc_type", "")
    )
    try:
        body = calculation_body(request, values["chosen"], values["form"])
        await calculations.save_employee_calculation(request.tenant, employee["id"], body, late=request.is_late)
    except (ValidationError, Conflict) as error:
        return await show_tab(request, "pay", status=error.status, form=_form_with_errors(request, values, error))
    return_to = return_path(request.form)
    kept_path = f"&{urlencode({'return_to': return_to})}" if return_to else ""
    path = f"/employees/{employee['id']}?tab=pay{await _effects(request, employee, body)}{kept_path}"
    return request.redirect(path, _saved_notice(values))


async def _effects(request: PageRequest, employee: Mapping[str, Any], body: Mapping[str, Any]) -> str:
    """Return the parameters that make the pay tab say what a saved change means for past and open payslips.

    The tab itself compares past payslips and says nothing if none of them differs.
    """
    if body["calc_type"] == WEEK_HOURS:
        return "&differs=1" if body.get("valid_from") else ""
    valid_from = body.get("valid_from") or await load_first_open_day(request, employee)
    edited = DateType().parse(request.form.get("edited_change") or None, "edited_change", Errors())
    is_other_date = edited is not None and valid_from is not None and str(edited) != str(valid_from)
    earlier = f"&{urlencode({'earlier': edited, 'item': body['calc_type']})}" if is_other_date else ""
    if body.get("valid_from"):
        return f"&differs=1{earlier}"
    return f"&applies_from={valid_from}{earlier}" if valid_from else earlier


@router.post("/employees/{employee_id}/payslips/{payslip_id}/calculations")
async def save_once_off_calculation(request: PageRequest) -> HttpResponse:
    """Save a pay item of one open payslip on the pay tab of the employee."""
    employee, payslip_id = await load_employee(request), request.ids["payslip_id"]
    await require_open_payslip(request, employee["id"], payslip_id)
    entered = (await calculations.list_for_payslip(request.tenant, payslip_id)).elements
    values = await pay_item_values(
        request, employee["client_id"], "payslip", entered, request.form.get("calc_type", "")
    )
    try:
        body = calculation_body(request, values["chosen"], values["form"])
        await calculations.save_payslip_calculation(request.tenant, payslip_id, body)
    except (ValidationError, Conflict) as error:
        form = _form_with_errors(request, values, error)
        return await show_tab(request, "pay", status=error.status, once_off_form=form)
    return request.redirect(f"/employees/{employee['id']}?tab=pay", _saved_notice(values))


@router.post(
    "/employees/{employee_id}/calculations/{calculation_id}/delete",
    confirm=Confirmation(
        "Remove this pay item?",
        "It ends with the current draft, which is calculated again. Finalised payslips stay as they are.",
        "Remove",
    ),
)
async def delete_employee_calculation(request: PageRequest) -> HttpResponse:
    """Remove a recurring pay item."""
    employee = await load_employee(request)
    await request.writable_company(employee["client_id"])
    await _delete(request, (await calculations.list_for_employee(request.tenant, employee["id"])).elements)
    return request.redirect(f"/employees/{employee['id']}?tab=pay", REMOVED)


@router.post(
    "/employees/{employee_id}/calculations/{calculation_id}/changes/{valid_from}/delete",
    confirm=Confirmation(
        "Remove this change?",
        "The values before it continue. Drafts are calculated again, and finalised payslips stay as they are.",
        "Remove",
    ),
)
async def remove_dated_change(request: PageRequest) -> HttpResponse:
    """Remove the change of a recurring pay item on a date."""
    employee = await load_employee(request)
    await request.writable_company(employee["client_id"])
    calculation_id = request.ids["calculation_id"]
    history = await calculations.list_employee_history(request.tenant, employee["id"])
    own_ids = {element["calculation_id"] for element in history if element["employee_id"]}
    valid_from = DateType().parse(request.names["valid_from"], "valid_from", Errors())
    if calculation_id not in own_ids or valid_from is None:
        raise NotFound(f"Pay item {calculation_id} has no such change")
    await calculations.remove_change(request.tenant, calculation_id, valid_from)
    return request.redirect(f"/employees/{employee['id']}?tab=pay", "Change removed")


@router.post("/payslips/{payslip_id}/calculations")
async def save_payslip_calculation(request: PageRequest) -> HttpResponse:
    """Save a pay item of one payslip."""
    summary = await load_summary(request)
    entered = (await calculations.list_for_payslip(request.tenant, summary.id, late=request.is_late)).elements
    values = await pay_item_values(request, summary.client_id, "payslip", entered, request.form.get("calc_type", ""))
    try:
        body = calculation_body(request, values["chosen"], values["form"])
        await calculations.save_payslip_calculation(request.tenant, summary.id, body, late=request.is_late)
    except (ValidationError, Conflict) as error:
        return await payslip_page(request, status=error.status, form=_form_with_errors(request, values, error))
    return request.redirect(f"/payslips/{summary.id}", _saved_notice(values))


@router.post(
    "/payslips/{payslip_id}/calculations/{calculation_id}/delete",
    confirm=Confirmation(
        "Remove this pay item from the payslip?",
        "The payslip is calculated again without it. A recurring pay item applies again.",
        "Remove",
    ),
)
async def delete_payslip_calculation(request: PageRequest) -> HttpResponse:
    """Remove a pay item of one payslip. The form names a work item, which is only a part of the basic salary."""
    summary = await load_summary(request)
    await request.writable_company(summary.client_id)
    entered = (await calculations.list_for_payslip(request.tenant, summary.id, late=request.is_late)).elements
    remaining = _inputs_without(request.form.get("item", ""), entered, request.ids["calculation_id"])
    if remaining:
        body = {"calc_type": BASIC_SALARY, DETAILS: remaining}
        await calculations.save_payslip_calculation(request.tenant, summary.id, body, late=request.is_late)
    else:
        await _delete(request, entered)
    is_on_employee = request.form.get("page") == "employee"
    path = f"/employees/{summary.employee_id}?tab=pay" if is_on_employee else f"/payslips/{summary.id}"
    return request.redirect(path, REMOVED)


def _inputs_without(name: str, entered: Sequence[Mapping[str, Any]], calculation_id: int) -> dict[str, Any]:
    """Return the inputs of a calculation with those of an item cleared. Empty if nothing else was entered."""
    calculation = next((item for item in entered if item["id"] == calculation_id), None)
    is_part = name in (BASIC_SALARY, *WORK_ITEMS)
    if not is_part or calculation is None or calculation.get("system_type") != BASIC_SALARY:
        return {}
    work_inputs = {key for item in WORK_ITEMS.values() for key in item.inputs}
    inputs = own_inputs(calculation)
    cleared = WORK_ITEMS[name].inputs if name in WORK_ITEMS else set(inputs) - work_inputs
    is_all = set(inputs) <= set(cleared) and not calculation["skip"]
    return {} if is_all else {key: None if key in cleared else value for key, value in inputs.items()}


def _form_with_errors(
    request: PageRequest, values: Mapping[str, Any], error: ValidationError | Conflict
) -> Form | None:
    form: Form | None = values["form"]
    if form is None:
        return None
    filled = form.with_values(request.form)
    if isinstance(error, ValidationError):
        error = ValidationError(move_levy_error(filled, error.errors))
    return filled.with_errors(error, week_errors())


def _saved_notice(values: Mapping[str, Any]) -> str:
    chosen = values["chosen"]
    if chosen and chosen["calc_type"] == WEEK_HOURS:
        return "Working hours saved"
    return f"{chosen['name']} saved" if chosen else "Pay item saved"


async def _delete(request: PageRequest, entered: Sequence[Mapping[str, Any]]) -> None:
    """Remove the pay item with the ID in the path, if it is one of these."""
    calculation_id = request.ids["calculation_id"]
    if calculation_id not in {calculation["id"] for calculation in entered}:
        raise NotFound(f"Pay item {calculation_id} does not exist")
    await calculations.delete_calculation(request.tenant, calculation_id, late=request.is_late)
