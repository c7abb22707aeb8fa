"""The form of an employee: the catalogue's attributes, and the choices that a company offers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from gaji.company.custom_fields import service as custom_fields
from gaji.company.pay_points import service as pay_points
from gaji.company.waves.facts import waves
from gaji.console.forms import Field, Form, Options, build_form
from gaji.db.tenancy import Tenant
from gaji.people.employees.rules import EMPLOYEE, PHYSICAL_ADDRESS

LABELS = {"wave_id": "Pay frequency", "pay_point_id": "Pay point", "bank_account.bank_id": "Bank"}
HINTS = {
    "wave_id": "",
    "first_name": "",
    "last_name": "",
    "name_format": "",
    "payment_method": "",
    "birthdate": "",
    "gender": "",
    "race": "Decides the self-help fund.",
    "religion": "Decides the Mosque Building and Mendaki Fund.",
    "email": "",
    "legal_status": "",
    "nric": "With its check letter; no other employee of the company has it.",
    "fin": "With its check letter; no other employee of the company has it.",
    "malaysian_ic": "",
    "passport_number": "",
    "nationality": "",
    "pr_date": "The day on which the employee became a permanent resident.",
    "work_pass": "Left open, it is the usual one for the status.",
    "job_title": "",
    "pay_point_id": "",
    "number": "Left open, the next free one is given, unless the company numbers by hand.",
    "bank_account.bank_id": "",
    "bank_account.account_number": "",
    **{f"physical_address.{one.name}": "" for one in PHYSICAL_ADDRESS.attributes},
    "appointment_date": "The first day of service.",
    "pass_from": "",
    "pass_to": "",
    "cpf_exempt": "No CPF is paid or withheld.",
    "sdl_exempt": "No skills development levy is paid.",
}
"""What is said of a field where the catalogue speaks to those who write programs, or nothing needs to be said."""
CUSTOM = "custom_fields"
CUSTOM_KINDS = {"text": "text", "number": "text", "date": "date", "boolean": "checkbox", "dropdown": "select"}
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Person": ("first_name", "last_name", "name_format", "birthdate", "gender", "race", "religion", "email"),
    "Status in Singapore": (
        "legal_status",
        "nric",
        "fin",
        "malaysian_ic",
        "passport_number",
        "nationality",
        "pr_date",
        "pr_cpf_rates",
        "citizenship_date",
        "work_pass",
        "pass_from",
        "pass_to",
    ),
    "Job": ("wave_id", "appointment_date", "job_title", "pay_point_id", "number", "employment_act_group"),
    "Payment": ("payment_method", "bank_account"),
    "Contributions": ("cpf_exempt", "sdl_exempt"),
    "Address": ("physical_address",),
}
"""How the attributes are grouped for people; those that are in no group come last."""


async def employee_form(tenant: Tenant, client_id: int, values: Mapping[str, Any]) -> Form:
    """The form with an employee's values, or with those that most new ones have."""
    async with tenant.reading() as tx:
        known = await waves(tx, client_id)
    points, _ = await pay_points.list_pay_points(tenant, client_id, None)
    options: dict[str, Options] = {
        "wave_id": [(str(wave_id), wave.schedule.label) for wave_id, wave in known.items()],
        "pay_point_id": [(str(one["id"]), one["name"]) for one in map(msgspec.json.decode, points)],
    }
    start = values or {"wave_id": next(iter(known), None)}
    form = build_form(EMPLOYEE.attributes, start, options, LABELS, HINTS)
    pr_rates = [replace(one, needs="legal_status=PR") if one.name == "pr_cpf_rates" else one for one in form.fields]
    return Form([*pr_rates, *await _custom(tenant, client_id, values.get(CUSTOM) or {})])


async def _custom(tenant: Tenant, client_id: int, values: Mapping[str, Any]) -> list[Field]:
    """The fields that a company added."""
    elements, _ = await custom_fields.list_fields(tenant, client_id, None)
    found = [msgspec.json.decode(one) for one in elements]
    return [
        Field(
            name=f"{CUSTOM}.{one['id']}",
            label=one["name"],
            kind=CUSTOM_KINDS[one["type"]],
            value=_text(values.get(str(one["id"]))),
            required=one["required"],
            options=[(str(option["id"]), option["name"]) for option in one["options"]],
            of_records=one["type"] == "dropdown",
        )
        for one in found
    ]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
