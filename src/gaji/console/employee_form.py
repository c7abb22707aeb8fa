"""The employee form: the attributes of an employee, the company's custom fields, and the records to choose from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from gaji.company.custom_fields.queries import load_custom_fields
from gaji.company.custom_fields.values import CustomField
from gaji.company.pay_points.queries import load_pay_point_names
from gaji.company.waves.queries import load_pay_calendars
from gaji.console.error_messages import error_text
from gaji.console.formats import format_day
from gaji.console.forms import Field, Form, Options, attribute_texts, build_form, field_text
from gaji.console.glossary import label
from gaji.db.tenancy import Tenant, Transaction
from gaji.people.employees.notes import employee_notes
from gaji.people.employees.schemas import EMPLOYEE

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
    "Payment": ("payment_method", "bank_account", "paynow"),
    "Contributions": ("cpf_exempt", "sdl_exempt"),
    "Tax": ("tax_resident", "days_in_singapore"),
    "Wage offsets": (
        "business_owner",
        "enabling_employment_credit_from",
        "enabling_new_hire",
        "uplifting_employment_credit_from",
    ),
    "Address": ("physical_address",),
}
"""Groups of fields by heading. Fields in no group come last."""
EMPLOYER_SECTIONS = ("Wage offsets",)
"""Headings of what only concerns the employer. Employees do not see it."""
SECRETS = ("nric", "fin", "malaysian_ic", "passport_number", "bank_account.account_number", "paynow")
"""Values that are masked until they are clicked."""
NAME_PARTS = ("first_name", "last_name", "name_format")
_FIELDS = {field.name: field for field in build_form("employee", EMPLOYEE.attributes, {}).fields}


@dataclass(frozen=True)
class CompanyRecords:
    """The records of a company that employees refer to."""

    wave_labels: Mapping[int, str]
    pay_point_names: Mapping[int, str]
    custom_fields: Sequence[CustomField]


async def employee_form(tenant: Tenant, client_id: int, values: Mapping[str, Any]) -> Form:
    """Return the form with an employee's values, or with defaults for a new employee."""
    async with tenant.read_only() as tx:
        records = CompanyRecords(
            await _load_wave_labels(tx, client_id),
            await load_pay_point_names(tx, client_id),
            await load_custom_fields(tx, client_id),
        )
    return build_employee_form(values or {"wave_id": next(iter(records.wave_labels), None)}, records)


async def load_referenced_records(tx: Transaction, client_id: int, employee: Mapping[str, Any]) -> CompanyRecords:
    """Load what is needed to show an employee: all waves, and other records if the employee refers to any."""
    return CompanyRecords(
        await _load_wave_labels(tx, client_id),
        await load_pay_point_names(tx, client_id) if employee["pay_point_id"] else {},
        await load_custom_fields(tx, client_id) if employee[CUSTOM] else [],
    )


def build_employee_form(values: Mapping[str, Any], records: CompanyRecords) -> Form:
    """Return the form with these values. `records` has the ones to choose from."""
    options: dict[str, Options] = {
        "wave_id": [(str(wave_id), text) for wave_id, text in records.wave_labels.items()],
        "pay_point_id": [(str(pay_point_id), name) for pay_point_id, name in records.pay_point_names.items()],
    }
    form = build_form("employee", EMPLOYEE.attributes, values, options)
    fields = [
        replace(field, condition="legal_status=PR") if field.name == "pr_cpf_rates" else field for field in form.fields
    ]
    custom_values = values.get(CUSTOM) or {}
    return Form([*fields, *(_custom_field(field, custom_values) for field in records.custom_fields)])


def employee_note_texts(employee: Mapping[str, Any]) -> list[str]:
    """Return what is unusual about an employee, in words."""
    notes = employee_notes(employee)
    return [f"{label(note.path.partition('.')[0])}: {error_text(note, _FIELDS)}" for note in notes]


def remaining_fields(form: Form) -> list[Field]:
    """Return the fields that are in no section."""
    return form.rest(*(name for names in SECTIONS.values() for name in names))


def employee_facts(
    employee: Mapping[str, Any], records: CompanyRecords, omitted: Sequence[str] = ()
) -> dict[str, list[tuple[str, str, bool]]]:
    """Return label, value and whether it is masked, for every field that has a value and is not omitted, by section.

    The parts of the name are left out, because pages show the full name.
    """
    custom_fields = [_custom_field(field, employee.get(CUSTOM) or {}) for field in records.custom_fields]
    texts = attribute_texts(EMPLOYEE.attributes, employee) | {field.name: field.value for field in custom_fields}
    records_by_field = {"wave_id": records.wave_labels, "pay_point_id": records.pay_point_names}
    record_names = {
        name: {str(record_id): text for record_id, text in names.items()} for name, names in records_by_field.items()
    }

    def fact_text(field: Field) -> str:
        text = texts[field.name]
        if field.kind == "checkbox":
            return "Yes" if text == "true" else "No"
        if field.kind == "date":
            return format_day(text)
        return (record_names.get(field.name) or dict(field.options)).get(text, text)

    facts = {
        title: [
            (field.label, fact_text(field), field.name in SECRETS)
            for field in fields
            if field.name not in omitted and _is_fact(field, texts)
        ]
        for title, fields in _blank_sections().items()
    }
    more = [(field.label, fact_text(field), False) for field in custom_fields if _is_fact(field, texts)]
    facts["More"] += more
    return {title: lines for title, lines in facts.items() if lines}


@cache
def _blank_sections() -> Mapping[str, Sequence[Field]]:
    """Return the fields of the form by section. Custom fields belong to the last one."""
    form = build_employee_form({}, CompanyRecords({}, {}, ()))
    sections = {title: form.section(*names) for title, names in SECTIONS.items()}
    return {**sections, "More": remaining_fields(form)}


def _is_fact(field: Field, texts: Mapping[str, str]) -> bool:
    text = texts[field.name]
    return bool(text) and field.name not in NAME_PARTS and (text != field.default or field.applies(texts))


async def _load_wave_labels(tx: Transaction, client_id: int) -> dict[int, str]:
    calendars = await load_pay_calendars(tx, client_id)
    return {wave_id: calendar.schedule.label for wave_id, calendar in calendars.items()}


def _custom_field(custom_field: CustomField, values: Mapping[str, Any]) -> Field:
    return Field(
        name=f"{CUSTOM}.{custom_field.id}",
        label=custom_field.name,
        kind=CUSTOM_KINDS[custom_field.type],
        value=field_text(values.get(str(custom_field.id))),
        required=custom_field.required,
        options=list(custom_field.options.items()),
        references_records=custom_field.type == "dropdown",
    )
