"""Types of leave, and the policy of each: what there is a year, how it comes, and what is carried over."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gaji.console.settings.record_page import RecordPage, Section, list_page
from gaji.console.forms import Field, Form, build_form
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core.constants import LISTS
from gaji.core.errors import NotFound, ValidationError
from gaji.leave.types import service
from gaji.leave.types.policy_rules import POLICY
from gaji.leave.types.rules import LEAVE_TYPE
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section(
    "leave_types",
    "Leave types and policies",
    "What employees are entitled to. No policy can give less than the law does.",
    "Leave types come with a company.",
)
ACCRUALS = {str(entry.value): entry.name for entry in LISTS["leave_accrual"]}
STEPS = {"entitlement": ("year", "From year of service"), "first_year": ("months", "After completed months")}
"""By the attribute, what its steps are measured in, and what that is called."""
SPARE = 3
"""So many steps can be added with one save."""
LABELS = {
    "accrual": "Days come",
    "carry_over.limit": "Days carried over",
    "carry_over.expiry_months": "Months before these lapse",
    "least_months": "Months of service before there is any",
    "effective_date": "Holds from",
    "prorate": "Whole days",
    "below_zero": "Below zero",
}
HINTS = {
    "accrual": "",
    "least_months": "",
    "carry_over.expiry_months": "Left open, they never do.",
    "prorate": "Parts of a year are whole days, rounded as the law does.",
    "below_zero": "More can be taken than there is.",
    "paid": "The days are paid.",
    "effective_date": "Today, unless given. What holds before that day stays.",
    "carry_over.limit": "Left open, all of them.",
}


@router.get("/companies/{client_id}/settings/leave_types")
async def list_types(request: PageRequest) -> HttpResponse:
    """The leave types of a company with what holds today."""
    company = await request.company(request.ids["client_id"])
    rows = []
    for type_id, name in (await service.list_types(request.tenant, company.id)).items():
        policy = await service.read_policy(request.tenant, type_id, None)
        address = f"{SECTION.address(company.id)}/{type_id}/edit" if company.writes else ""
        rows.append((address, (label(name), str(type_id), *_told(policy))))
    columns = ("Type", "ID", "Days a year", "They come", "Paid", "Since")
    return list_page(request, company, SECTION, columns, rows, "Add type")


@router.get("/companies/{client_id}/settings/leave_types/new")
async def new_type(request: PageRequest) -> HttpResponse:
    """The form for a leave type."""
    return (await _new(request)).show(request)


@router.post("/companies/{client_id}/settings/leave_types/new")
async def create_type(request: PageRequest) -> HttpResponse:
    """Add a leave type."""
    page = await _new(request)
    work = service.create_type(request.tenant, page.company.id, page.form.body(request.form))
    return await page.save(request, work, "The leave type has been added. Now give it a policy")


@router.get("/companies/{client_id}/settings/leave_types/{type_id}/edit")
async def edit_type(request: PageRequest) -> HttpResponse:
    """The policy of a leave type."""
    return (await _policy(request)).show(request)


@router.post("/companies/{client_id}/settings/leave_types/{type_id}/edit")
async def change_policy(request: PageRequest) -> HttpResponse:
    """Give a leave type a policy from a day on."""
    page = await _policy(request)
    body, at = _body(page.form, request.form)
    work = service.replace_policy(request.tenant, request.ids["type_id"], body)
    return await page.save(request, work, "The policy has been saved", at)


@router.post("/companies/{client_id}/settings/leave_types/{type_id}/rename")
async def rename_type(request: PageRequest) -> HttpResponse:
    """Give a leave type another name."""
    page = await _policy(request)
    name = request.form.get("name", "")
    try:
        await service.rename_type(request.tenant, request.ids["type_id"], {"name": name})
    except ValidationError as error:
        more = {**page.more, "type_name": name, "rename_fault": error.errors.get("name", error.message)}
        return replace(page, more=more).show(request, status=error.status)
    return request.redirect(SECTION.address(page.company.id), "The leave type has been renamed")


@router.post("/companies/{client_id}/settings/leave_types/{type_id}/delete")
async def delete_type(request: PageRequest) -> HttpResponse:
    """Remove a leave type that the company added and nobody uses."""
    page = await _policy(request)
    await service.delete_type(request.tenant, request.ids["type_id"])
    return request.redirect(SECTION.address(page.company.id), "The leave type has been deleted")


async def _new(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    return RecordPage(
        company,
        SECTION,
        "Add a leave type",
        build_form(LEAVE_TYPE.attributes, {}, hints={"name": "No other type has it."}),
    )


async def _policy(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    type_id = request.ids["type_id"]
    names = await service.list_types(request.tenant, company.id)
    if type_id not in names:
        raise NotFound(f"There is no leave type {type_id}")
    policy = await service.read_policy(request.tenant, type_id, None)
    since = policy.pop("effective_date")
    return RecordPage(
        company,
        SECTION,
        label(names[type_id]),
        _form(policy),
        f"{SECTION.address(company.id)}/{type_id}/delete",
        "settings_leave_policy.html",
        {"type_name": names[type_id], "type_id": type_id, "since": since, "rename_fault": ""},
    )


def _form(policy: Mapping[str, Any]) -> Form:
    form = build_form(POLICY.attributes, policy, labels=LABELS, hints=HINTS)
    carry = policy["carry_over"]["limit"]
    limit = Field("carry_over.limit", LABELS["carry_over.limit"], value=_text(carry), hint=HINTS["carry_over.limit"])
    steps = [
        one for name, (measure, label) in STEPS.items() for one in _steps(name, measure, label, policy[name] or ())
    ]
    return Form([*form.fields, limit, *steps])


def _steps(name: str, measure: str, label: str, steps: Any) -> list[Field]:
    needs = "accrual=yearly" if name == "first_year" else "accrual=monthly,yearly"
    found = []
    for place in range(len(steps) + SPARE):
        step = steps[place] if place < len(steps) else {}
        found += [
            Field(f"{name}{place}.{measure}", label, value=_text(step.get(measure)), needs=needs),
            Field(f"{name}{place}.days", "Days a year", value=_text(step.get("days")), needs=needs),
        ]
    return found


def _body(form: Form, typed: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """What was typed as the API takes it, and at which field a fault of each step stands."""
    body = form.body(typed)
    at: dict[str, str] = {}
    for name, (measure, _) in STEPS.items():
        given = {key: value for key, value in body.items() if key.removeprefix(name).isdigit() and key != name}
        filled = {key: value for key, value in given.items() if value is not None}
        for place, key in enumerate(filled):
            at |= {f"{name}.{place}.{child}": f"{key}.{child}" for child in (measure, "days")}
        at[name] = f"{name}0.{measure}"
        body = {key: value for key, value in body.items() if key not in given}
        body[name] = list(filled.values()) or None
    body["carry_over"] = body.get("carry_over") or {}
    return body, at


def _told(policy: Mapping[str, Any]) -> tuple[str, ...]:
    """What holds, in a few words."""
    days = [_text(step["days"]) for step in policy["entitlement"]]
    span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""
    since = format_day(policy["effective_date"]) if policy["effective_date"] else "As the law has it"
    return span, ACCRUALS[policy["accrual"]], "Yes" if policy["paid"] else "No", since


def _text(value: Any) -> str:
    return "" if value is None else f"{value:g}"
