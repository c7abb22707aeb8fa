"""Request and response schemas of employees."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import msgspec

from gaji.company.custom_fields.values import CustomValues
from gaji.core import json_schemas
from gaji.core.constants import one_of
from gaji.core.error_codes import NOT_AN_EMAIL, WRONG_CHECK_LETTER
from gaji.core.errors import ErrorCode, Errors, InvalidValue
from gaji.core.external_references import METADATA_SCHEMA, REFERENCES
from gaji.core.field_types import Boolean, DateType, Integer, JsonSchema, OneOf, Text, TextPattern
from gaji.core.validation import Attribute, Group, Schema, when
from gaji.law import fin, nric, paynow
from gaji.law.check_letter import WrongCheckLetter
from gaji.people.employees.days_by_year import DaysByYear
from gaji.people.employees.payslip_schemas import PAYSLIP_SCHEMA, PAYSLIP_WITH_DATA_SCHEMA
from gaji.people.employees.rules import (
    UNIQUE_ATTRIBUTES,
    check_date_order,
    require_enabling_date,
    set_default_work_pass,
)
from gaji.people.service_periods.schemas import SERVICE_PERIOD_SCHEMA
from gaji.people.wave_periods.schemas import WAVE_PERIOD_SCHEMA

RESIDENTS = ("CITIZEN", "PR")
PASS_HOLDERS = ("FOREIGNER", "FOREIGNER_WP")
DIRECTORS = ("FD_MALAYSIA", "FD_OTHER")
LOCAL = when("type", "L")
UNFORMATTED = when("type", "F", "C")

TOO_MANY_RACES = ErrorCode("too_many_races", "must be one race, or two joined by a hyphen")
MASKED_VALUE = ErrorCode(
    "masked_value", "must not contain *, which stands for a hidden character; omit the attribute to keep its value"
)
INVALID_NRIC = ErrorCode("invalid_nric", "{value} is not a valid NRIC: S or T, seven digits and a letter")
INVALID_FIN = ErrorCode("invalid_fin", "{value} is not a valid FIN: F or G or M, seven digits and a letter")
INVALID_PAYNOW = ErrorCode("invalid_paynow", "{value} is not a Singapore mobile number, NRIC, FIN or UEN")


def _normalise_nric(text: str) -> str:
    try:
        return nric.validate(text)
    except ValueError as error:
        raise _invalid_number(text, error, INVALID_NRIC) from None


def _normalise_fin(text: str) -> str:
    try:
        return fin.validate(text)
    except ValueError as error:
        raise _invalid_number(text, error, INVALID_FIN) from None


def _normalise_paynow(text: str) -> str:
    try:
        return paynow.validate(text)
    except ValueError:
        raise InvalidValue(INVALID_PAYNOW, value=text) from None


def _invalid_number(text: str, error: ValueError, invalid_format: ErrorCode) -> InvalidValue:
    return InvalidValue(WRONG_CHECK_LETTER if isinstance(error, WrongCheckLetter) else invalid_format, value=text)


class EmployeeBankAccount(msgspec.Struct, frozen=True, kw_only=True):
    """The bank account that an employee's wages are paid to."""

    bank_id: int | None
    account_number: str
    branch_code: str | None


class EmployeeAddress(msgspec.Struct, frozen=True, kw_only=True):
    """The address of an employee. Which attributes are set depends on `type`."""

    type: str
    block_no: str | None = None
    st_name: str | None = None
    level_no: str | None = None
    unit_no: str | None = None
    postal_code: str | None = None
    address_line1: str | None = None
    address_line2: str | None = None
    address_line3: str | None = None
    tx_uf_postal_code: str | None = None
    country_code: str | None = None


class EmployeeInput(msgspec.Struct, frozen=True, kw_only=True):
    """The writable attributes of an employee."""

    wave_id: int
    first_name: str
    name_format: int
    last_name: str
    payment_method: str
    birthdate: date
    appointment_date: date
    legal_status: str
    nric: str | None
    fin: str | None
    malaysian_ic: str | None
    passport_number: str | None
    nationality: str | None
    pr_date: date | None
    citizenship_date: date | None
    pr_cpf_rates: str
    gender: str
    race: str
    religion: str
    sdl_exempt: bool
    cpf_exempt: bool
    work_pass: str | None
    pass_from: date | None
    pass_to: date | None
    employment_act_group: str
    tax_resident: bool
    days_in_singapore: dict[str, int]
    """By calendar year."""
    business_owner: bool
    enabling_employment_credit_from: date | None
    enabling_new_hire: bool
    uplifting_employment_credit_from: date | None
    bank_account: EmployeeBankAccount | None
    paynow: str | None
    physical_address: EmployeeAddress | None
    number: str | None
    """None in a create without a number. A stored employee has one."""
    pay_point_id: int | None
    email: str | None
    job_title: str | None
    custom_fields: dict[str, str | bool]
    external_id: str | None = None
    metadata: dict[str, str] = {}


@dataclass(frozen=True)
class RaceType:
    """One value of the list of races, or two joined by a hyphen. The first one decides the self-help fund."""

    choices: OneOf

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        races = value.split("-") if isinstance(value, str) else [value]
        race_errors = Errors()
        if len(races) > 2:
            race_errors.add(path, TOO_MANY_RACES)
        for race in races:
            self.choices.parse(race, path, race_errors)
        errors |= race_errors
        return None if race_errors else str(value)

    def json_schema(self) -> JsonSchema:
        values = "|".join(str(value) for value in self.choices.values)
        return {"type": "string", "pattern": f"^({values})(-({values}))?$"}


def _unmasked_text(max_length: int, min_length: int = 0) -> Text:
    """Return the type of an encrypted text. A masked value that is sent back must not replace the real one."""
    return Text(min_length, max_length, TextPattern(r"[^*\x00-\x1f\x7f]+", MASKED_VALUE))


BANK_ACCOUNT = Group(
    (
        Attribute("bank_id", one_of("bank_id"), "The bank, from the list `bank_id`.", required=True, example=7171),
        Attribute(
            "account_number",
            _unmasked_text(min_length=4, max_length=34),
            "At least 4 characters.",
            required=True,
            example="0052312891",
        ),
        Attribute(
            "branch_code", Text(min_length=3, max_length=3), "Exactly 3 characters.", required=True, example="005"
        ),
    ),
    struct=EmployeeBankAccount,
)

PHYSICAL_ADDRESS = Group(
    (
        Attribute(
            "type",
            one_of("address_type"),
            "`L` local residential, `F` foreign, `C` local care-of, `N` not available.",
            required=True,
            example="L",
        ),
        Attribute("block_no", Text(max_length=20), "Block or house number.", only_if=LOCAL, example="203A"),
        Attribute("st_name", Text(), "Street.", only_if=LOCAL, example="Bedok North Road"),
        Attribute("level_no", Text(max_length=20), "Level.", only_if=LOCAL, example="11"),
        Attribute("unit_no", Text(max_length=20), "Unit.", only_if=LOCAL, example="123"),
        Attribute("postal_code", Text(max_length=20), "Postal code.", only_if=LOCAL, example="461203"),
        Attribute("address_line1", Text(), "First line.", only_if=UNFORMATTED),
        Attribute("address_line2", Text(), "Second line.", only_if=UNFORMATTED),
        Attribute("address_line3", Text(), "Third line.", only_if=UNFORMATTED),
        Attribute(
            "tx_uf_postal_code", Text(max_length=20), "Postal code of an unformatted address.", only_if=UNFORMATTED
        ),
        Attribute("country_code", one_of("country_code"), "Country.", only_if=when("type", "F")),
    ),
    struct=EmployeeAddress,
    null_if_blank=True,
)

EMPLOYEE = Schema(
    "employee",
    (
        Attribute("wave_id", Integer(minimum=1), "The wave that pays the employee.", required=True, example=1),
        Attribute("first_name", Text(min_length=1), "First name, or the only name.", required=True, example="Mei Ling"),
        Attribute("name_format", one_of("name_format"), "Order of the names.", default=1),
        Attribute("last_name", Text(), "Last name.", required_if=when("name_format", 1, 2), default="", example="Tan"),
        Attribute(
            "payment_method",
            one_of("payment_method"),
            "Payment method. `eft_manual` is a bank transfer, which the console and documents call GIRO.",
            required=True,
            example="eft_manual",
        ),
        Attribute("birthdate", DateType(), "Date of birth.", required=True, example="1990-04-12"),
        Attribute("appointment_date", DateType(), "First day of service.", required=True, example="2024-02-01"),
        Attribute("legal_status", one_of("legal_status"), "Status in Singapore.", required=True, example="CITIZEN"),
        Attribute(
            "nric",
            Text(max_length=20, normalise=_normalise_nric),
            "NRIC, with its check letter; unique in the client.",
            required_if=when("legal_status", *RESIDENTS),
            example="S9012345I",
        ),
        Attribute(
            "fin",
            Text(max_length=20, normalise=_normalise_fin),
            "FIN, with its check letter; unique in the client.",
            required_if=when("legal_status", *PASS_HOLDERS),
        ),
        Attribute(
            "malaysian_ic",
            _unmasked_text(max_length=30),
            "Malaysian identity card number.",
            required_if=when("legal_status", "FD_MALAYSIA"),
        ),
        Attribute(
            "passport_number",
            _unmasked_text(max_length=30),
            "Passport number.",
            required_if=when("legal_status", "FD_OTHER"),
        ),
        Attribute(
            "nationality",
            one_of("nationality"),
            "Nationality, from the list `nationality`.",
            required_if=when("legal_status", "PR", *PASS_HOLDERS, *DIRECTORS),
        ),
        Attribute(
            "pr_date",
            DateType(),
            "Date on which the employee became a permanent resident.",
            required_if=when("legal_status", "PR"),
            only_if=when("legal_status", *RESIDENTS),
        ),
        Attribute(
            "citizenship_date",
            DateType(),
            "Date on which a permanent resident became a citizen. The CPF rates change on this date.",
            only_if=when("legal_status", "CITIZEN"),
        ),
        Attribute(
            "pr_cpf_rates", one_of("pr_cpf_rates"), "CPF rates elected for the first two years as PR.", default="GG"
        ),
        Attribute("gender", one_of("gender"), "`M` or `F`.", required=True, example="F"),
        Attribute(
            "race",
            RaceType(one_of("race")),
            "From the list `race`. Two can be joined by a hyphen. Decides the self-help fund.",
            required=True,
            example="CHINESE",
        ),
        Attribute(
            "religion",
            one_of("religion"),
            "From the list `religion`. Decides the Mosque Building and Mendaki Fund.",
            required=True,
            example="NONE",
        ),
        Attribute("sdl_exempt", Boolean(), "Exempt from the skills development levy.", required=True, example=False),
        Attribute("cpf_exempt", Boolean(), "No CPF.", required=True, example=False),
        Attribute(
            "work_pass",
            one_of("work_pass"),
            "Pass of a foreigner. Default: `WP` for FOREIGNER_WP, `EP` for FOREIGNER, `OTHER` for directors.",
            only_if=when("legal_status", *PASS_HOLDERS, *DIRECTORS),
        ),
        Attribute("pass_from", DateType(), "First day of the pass.", only_if=when("legal_status", *PASS_HOLDERS)),
        Attribute("pass_to", DateType(), "Last day of the pass.", only_if=when("legal_status", *PASS_HOLDERS)),
        Attribute(
            "employment_act_group",
            one_of("employment_act_group"),
            "Group in the Employment Act. Decides whether overtime is payable.",
            default="non_workman",
        ),
        Attribute(
            "tax_resident",
            Boolean(),
            "Whether the employee is a tax resident. If not, tax is withheld on director's fees.",
            default=True,
        ),
        Attribute(
            "days_in_singapore",
            DaysByYear(),
            "Days in Singapore by calendar year. From 183 days on, no tax is withheld on director's fees of the year.",
            default={},
            example={"2026": 90},
        ),
        Attribute(
            "business_owner",
            Boolean(),
            "Sole proprietor, partner, or director who holds shares: no wage offsets that exclude owners.",
            default=False,
        ),
        Attribute(
            "enabling_employment_credit_from",
            DateType(),
            "First day for which the Enabling Employment Credit is estimated. Default: not estimated. Required if "
            "`enabling_new_hire` is true.",
        ),
        Attribute(
            "enabling_new_hire",
            Boolean(),
            "Had not worked for at least six months when hired: adds to the Enabling Employment Credit.",
            default=False,
        ),
        Attribute(
            "uplifting_employment_credit_from",
            DateType(),
            "First day for which the Uplifting Employment Credit is estimated. Default: not estimated.",
        ),
        Attribute(
            "bank_account",
            BANK_ACCOUNT,
            "The account that wages are paid to.",
            required_if=when("payment_method", "eft_manual"),
        ),
        Attribute(
            "paynow",
            Text(max_length=20, normalise=_normalise_paynow),
            "The mobile number, NRIC, FIN or UEN that wages are paid to by PayNow, in bank files that have it. Other "
            "files pay to the bank account. Default: not paid by PayNow.",
            example="+6591234567",
        ),
        Attribute("physical_address", PHYSICAL_ADDRESS, "Home address."),
        Attribute(
            "number",
            Text(min_length=1, max_length=50),
            "Payroll number, unique in the client. Required if `employee_number_mode` is EMPLOYEE_NUMBER_MANUAL.",
        ),
        Attribute("pay_point_id", Integer(minimum=1), "The pay point of the employee."),
        Attribute(
            "email",
            Text(max_length=254, pattern=TextPattern(r"[^@\s]+@[^@\s]+", NOT_AN_EMAIL)),
            "Email address.",
            example="mei.ling@example.com",
        ),
        Attribute("job_title", Text(), "Job title.", example="Accountant"),
        Attribute("custom_fields", CustomValues(), "Values of the client's custom fields, by field ID."),
        *REFERENCES,
    ),
    read_only=(
        "id",
        "client_id",
        "created_at",
        "updated_at",
        "service_periods",
        "wave_periods",
        "recent_payslips",
        "recent_payslips_with_data",
    ),
    rules=(check_date_order, require_enabling_date, set_default_work_pass),
    struct=EmployeeInput,
)


def parse_unique_values(body: Mapping[str, object]) -> dict[str, str]:
    """Return the valid values of unique attributes in a body, normalised. Other attributes are not checked."""
    values: dict[str, str] = {}
    for attribute in EMPLOYEE.attributes:
        if attribute.name in UNIQUE_ATTRIBUTES and body.get(attribute.name) is not None:
            value = attribute.type.parse(body[attribute.name], attribute.name, Errors())
            if value is not None:
                values[attribute.name] = value
    return values


def _address_schema() -> JsonSchema:
    """Return the schema of an address as it is read: always an object, with null fields if there is no address."""
    properties = {name: {"type": ["string", "null"]} for name in EmployeeAddress.__struct_fields__}
    return {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "description": "Home address. Every field is null if there is none.",
    }


EMPLOYEE_SCHEMA: JsonSchema = json_schemas.resource_schema(EMPLOYEE, "Employee")
EMPLOYEE_SCHEMA["properties"]["number"] = {"type": "string"}
for _name in ("business_owner", "enabling_new_hire"):
    EMPLOYEE_SCHEMA["properties"][_name] |= {"type": ["boolean", "null"]}
EMPLOYEE_SCHEMA["properties"]["physical_address"] = _address_schema()
EMPLOYEE_SCHEMA["properties"]["custom_fields"] = {
    "type": "object",
    "additionalProperties": {"type": ["string", "boolean"]},
    "description": "Values of the client's custom fields, by field ID.",
}
EMPLOYEE_SCHEMA["properties"] |= {
    "metadata": METADATA_SCHEMA,
    "recent_payslips": json_schemas.list_schema("payslip", PAYSLIP_SCHEMA),
    "recent_payslips_with_data": json_schemas.list_schema("payslip", PAYSLIP_WITH_DATA_SCHEMA),
    "service_periods": json_schemas.list_schema("service_period", SERVICE_PERIOD_SCHEMA),
    "wave_periods": json_schemas.list_schema("wave_period", WAVE_PERIOD_SCHEMA),
}
EMPLOYEE_EXAMPLE = json_schemas.resource_example(EMPLOYEE, id=4) | {
    "client_id": 1,
    "number": "4",
    "custom_fields": {"12": "1"},
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}
