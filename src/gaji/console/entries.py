"""Entering what people are paid: recurring calculations of an employee, and those of one payslip."""

from collections.abc import Mapping, Sequence
from typing import Any

from gaji.console.forms import Field, Form, hint_of, require_records

from gaji.console.request import PageRequest
from gaji.payroll.calculation_definitions import service as calculation_types
from gaji.payroll.calculations.week_hours import TYPE as WEEK_HOURS

Type = Mapping[str, Any]
DETAILS = "calculation_details"
EFFECTIVE = Field("effective_date", "From", kind="date", hint="Needed once payslips of the employee are finalised.")
PAID_BY = {
    "fixed_amount": "monthly",
    "daily_rate": "daily",
    "days_input": "daily",
    "hourly_rate": "hourly",
    "hours_input": "hourly",
}
"""The pay type that each input of the basic salary belongs to."""
YES_NO = (("true", "Yes"), ("false", "No"))


async def entry_values(request: PageRequest, client_id: int, level: str, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a page needs to enter calculations at a level: what is entered, and the form for the type that is chosen."""
    types = {str(one["calc_type"]): one for one in await calculation_types.list_types(request.tenant, client_id)}
    one = types.get(request.query.get("enter", "") or request.form.get("calc_type", ""))
    return {
        "calculations": found,
        "enterable": [kind for kind in types.values() if inputs_of(kind, level)],
        "chosen": one,
        "form": entry_form(one, level, found) if one else None,
        "captions": {name: kind["name"] for name, kind in types.items()},
    }


def entry_body(request: PageRequest, form: Form | None) -> dict[str, Any]:
    """What was filled in, as the API would get it; raises NotFound for an item that the company does not have."""
    calc_type = request.form.get("calc_type", "")
    if form is None:
        require_records([calc_type], (), "item")
    body = {"calc_type": calc_type, **(form.body(request.form) if form else {})}
    return {**body, DETAILS: body.get(DETAILS) or {}}


def inputs_of(kind: Type, level: str) -> list[Mapping[str, Any]]:
    """The inputs of a type that can be given at a level."""
    return [one for one in kind["inputs"] if level in one["levels"]]


def entry_form(kind: Type, level: str, existing: Sequence[Mapping[str, Any]]) -> Form:
    """The form for the inputs of a type, with what is entered at this level already."""
    name = str(kind["calculation_def_id"] or kind["calc_type"])
    current = next((one for one in existing if _name(one) == name), None)
    own: Mapping[str, Any] = {}
    inherited: Mapping[str, Any] = {}
    if current is not None:
        own = current["overrides"] if current["calculation_id"] else current["inputs"] if current["id"] else {}
        inherited = {key: value for key, value in current["inputs"].items() if key not in own}
    fields = [_field(one, own.get(one["name"]), inherited.get(one["name"])) for one in inputs_of(kind, level)]
    return Form([*fields, EFFECTIVE] if name == WEEK_HOURS else fields)


def _field(one: Mapping[str, Any], value: Any, inherited: Any) -> Field:
    label = label(one["name"].removesuffix("_input"))
    hint = hint_of(one["description"], label)
    if inherited is not None:
        hint = f"{hint} {_text(inherited)} unless you say otherwise."
    options = [(choice, label(choice)) for choice in one.get("allowed_values", ())]
    kind = {"date": "date", "boolean": "select", "choice": "select"}.get(one["type"], "text")
    return Field(
        name=f"{DETAILS}.{one['name']}",
        label=label,
        kind=kind,
        value=_text(value),
        usual=_text(inherited if inherited is not None else one.get("default")),
        hint=hint,
        options=options or YES_NO if kind == "select" else (),
        needs=f"{DETAILS}.pay_type={PAID_BY[one['name']]}" if one["name"] in PAID_BY else "",
        amount=one["type"] == "money",
    )


def _name(calculation: Mapping[str, Any]) -> str:
    return str(calculation.get("system_type") or calculation["calculation_def_id"])


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
