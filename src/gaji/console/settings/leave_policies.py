"""Leave types, and the policy of each: entitlement, accrual and carry-over."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gaji.console.error_messages import error_text
from gaji.console.formats import format_day
from gaji.console.forms import Field, Form, build_form, labelled_field
from gaji.console.glossary import label
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import RecordPage, Section, list_page
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import NotFound, ValidationError
from gaji.leave.types import service
from gaji.leave.types.policy_schemas import POLICY
from gaji.leave.types.schemas import LEAVE_TYPE
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section(
    "leave_types",
    "Leave types and policies",
    "What employees are entitled to. A policy cannot grant less than the law requires.",
    "A company is created with leave types.",
)
ACCRUALS = {str(entry.value): entry.name for entry in CONSTANT_LISTS["leave_accrual"]}
STEPS = {"entitlement": ("year", "From year of service"), "first_year": ("months", "After completed months")}
"""Attributes that are lists of steps: what the steps are measured in, and the label of the measure."""
NEW_STEPS = 3
"""How many steps can be added with one save."""


@router.get("/companies/{client_id}/settings/leave_types")
async def list_types(request: PageRequest) -> HttpResponse:
    """Show the leave types of a company, with their current policies."""
    company = await request.company(request.ids["client_id"])
    rows = []
    for type_id, name in (await service.list_types(request.tenant, company.id)).items():
        policy = await service.read_policy(request.tenant, type_id, None)
        path = f"{SECTION.path(company.id)}/{type_id}/edit" if company.can_write else ""
        rows.append((path, (label(name), str(type_id), *_policy_cells(policy))))
    columns = ("Type", "ID", "Days a year", "Accrual", "Paid", "Since")
    return list_page(request, company, SECTION, columns, rows, "Add type")


@router.get("/companies/{client_id}/settings/leave_types/new")
async def new_type(request: PageRequest) -> HttpResponse:
    """Show the form for a new leave type."""
    return (await _new_page(request)).show(request)


@router.post("/companies/{client_id}/settings/leave_types/new")
async def create_type(request: PageRequest) -> HttpResponse:
    """Create a leave type."""
    page = await _new_page(request)
    work = service.create_type(request.tenant, page.company.id, page.form.to_body(request.form))
    return await page.save(request, work, "Leave type added. Now set its policy")


@router.get("/companies/{client_id}/settings/leave_types/{type_id}/edit")
async def edit_type(request: PageRequest) -> HttpResponse:
    """Show the policy of a leave type."""
    return (await _policy_page(request)).show(request)


@router.post("/companies/{client_id}/settings/leave_types/{type_id}/edit")
async def change_policy(request: PageRequest) -> HttpResponse:
    """Set the policy of a leave type from a date."""
    page = await _policy_page(request)
    body, error_fields = _policy_body(page.form, request.form)
    work = service.replace_policy(request.tenant, request.ids["type_id"], body)
    return await page.save(request, work, "Policy saved", error_fields)


@router.post("/companies/{client_id}/settings/leave_types/{type_id}/rename")
async def rename_type(request: PageRequest) -> HttpResponse:
    """Rename a leave type."""
    page = await _policy_page(request)
    name = request.form.get("name", "")
    try:
        await service.rename_type(request.tenant, request.ids["type_id"], {"name": name})
    except ValidationError as error:
        text = "; ".join(error_text(field_error) for field_error in error.errors.values())
        return replace(page, values={**page.values, "type_name": name, "rename_error": text}).show(
            request, status=error.status
        )
    return request.redirect(SECTION.path(page.company.id), "Leave type renamed")


@router.post(
    "/companies/{client_id}/settings/leave_types/{type_id}/delete",
    confirm=Confirmation("Delete this leave type?", "A leave type that was used cannot be deleted."),
)
async def delete_type(request: PageRequest) -> HttpResponse:
    """Delete a leave type that the company added and that is not in use."""
    page = await _policy_page(request)
    await service.delete_type(request.tenant, request.ids["type_id"])
    return request.redirect(SECTION.path(page.company.id), "Leave type deleted")


async def _new_page(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    return RecordPage(company, SECTION, "Add leave type", build_form("leave_type", LEAVE_TYPE.attributes, {}))


async def _policy_page(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    type_id = request.ids["type_id"]
    names = await service.list_types(request.tenant, company.id)
    if type_id not in names:
        raise NotFound(f"Leave type {type_id} does not exist")
    policy = await service.read_policy(request.tenant, type_id, None)
    since = policy.pop("effective_date")
    return RecordPage(
        company,
        SECTION,
        label(names[type_id]),
        _policy_form(policy),
        f"{SECTION.path(company.id)}/{type_id}/delete",
        "settings_leave_policy.html",
        {"type_name": names[type_id], "type_id": type_id, "since": since, "rename_error": ""},
    )


def _policy_form(policy: Mapping[str, Any]) -> Form:
    form = build_form("leave_policy", POLICY.attributes, policy)
    limit = labelled_field("leave_policy", "carry_over.limit", value=_number_text(policy["carry_over"]["limit"]))
    hours = [
        labelled_field("leave_policy", name, value=_number_text(policy[name]), condition="prorate_part_time=true")
        for name in ("full_time_week_hours", "full_time_day_hours")
    ]
    steps = [
        field
        for name, (measure, measure_label) in STEPS.items()
        for field in _step_fields(name, measure, measure_label, policy[name] or ())
    ]
    return Form([*form.fields, limit, *hours, *steps])


def _step_fields(name: str, measure: str, measure_label: str, steps: Sequence[Mapping[str, Any]]) -> list[Field]:
    condition = "accrual=yearly" if name == "first_year" else "accrual=monthly,yearly"
    fields = []
    for i, step in enumerate([*steps, *({} for _ in range(NEW_STEPS))]):
        fields += [
            Field(f"{name}{i}.{measure}", measure_label, value=_number_text(step.get(measure)), condition=condition),
            Field(f"{name}{i}.days", "Days a year", value=_number_text(step.get("days")), condition=condition),
        ]
    return fields


def _policy_body(form: Form, submitted: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the submitted form as a request body, and the field for the errors of each step."""
    body = form.to_body(submitted)
    error_fields: dict[str, str] = {}
    for name, (measure, _) in STEPS.items():
        steps = {key: step for key, step in body.items() if key.removeprefix(name).isdigit() and key != name}
        filled = {key: step for key, step in steps.items() if step is not None}
        for i, key in enumerate(filled):
            error_fields |= {f"{name}.{i}.{child}": f"{key}.{child}" for child in (measure, "days")}
        error_fields[name] = f"{name}0.{measure}"
        body = {key: value for key, value in body.items() if key not in steps}
        body[name] = list(filled.values()) or None
    body["carry_over"] = body.get("carry_over") or {}
    return body, error_fields


def _policy_cells(policy: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a policy as the cells of a list."""
    days = [_number_text(step["days"]) for step in policy["entitlement"]]
    days_range = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""
    since = format_day(policy["effective_date"]) if policy["effective_date"] else "Statutory"
    return days_range, ACCRUALS[policy["accrual"]], "Yes" if policy["paid"] else "No", since


def _number_text(value: Any) -> str:
    return "" if value is None else f"{value:g}"
