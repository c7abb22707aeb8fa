"""Request and response schemas of clients."""

import re
from collections.abc import Iterator
from dataclasses import replace

import msgspec
from stdnum.sg import uen as checked_uen

from gaji.company.addresses import PHYSICAL_ADDRESS, CompanyAddress
from gaji.core import json_schemas
from gaji.core.constants import one_of
from gaji.core.errors import ErrorCode, FieldError, InvalidValue
from gaji.core.external_references import EXTERNAL_ID, METADATA, METADATA_SCHEMA
from gaji.core.field_types import Boolean, JsonSchema, Text, TextPattern
from gaji.core.validation import Attribute, Group, Schema
from gaji.law import fin, nric


class PayerBankAccount(msgspec.Struct, frozen=True, kw_only=True):
    """The bank account that a client pays wages from."""

    bank_id: int
    account_number: str
    branch_code: str
    account_name: str | None
    company_id: str | None


class ClientFeatures(msgspec.Struct, frozen=True, kw_only=True):
    """The features that are enabled for a client."""

    custom_wave_names: bool
    pay_dates: bool
    regular_hours_v2: bool
    leave_any_day: bool
    payslip_passwords: bool
    payslip_attachments: bool


class PaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a client that determine its payslips."""

    prorate_allowances: bool
    wage_apportionment: str
    ns_direct_scheme: bool


class ClientInput(msgspec.Struct, frozen=True, kw_only=True):
    """The writable attributes of a client."""

    name: str
    physical_address: CompanyAddress
    uen: str | None
    cpf_submission_number: str | None
    bank_account: PayerBankAccount | None
    employee_number_mode: str
    prorate_allowances: bool
    wage_apportionment: str
    ns_direct_scheme: bool
    features: ClientFeatures
    external_id: str | None = None
    metadata: dict[str, str] = {}

    @property
    def pay_settings(self) -> PaySettings:
        """The settings that determine payslips."""
        return PaySettings(**{name: getattr(self, name) for name in PaySettings.__struct_fields__})


INVALID_ACCOUNT_NUMBER = ErrorCode("invalid_account_number", "must contain only digits, letters and hyphens")
INVALID_BRANCH_CODE = ErrorCode("invalid_branch_code", "must be 3 digits")
INVALID_UEN = ErrorCode("invalid_uen", "{value} is not a valid UEN")
UNLIKELY_UEN = ErrorCode(
    "unlikely_uen", "{value} does not have the check letter of a UEN; compare it with the register"
)
UEN_DIFFERS = ErrorCode("uen_differs", "begins with {employer}, but the UEN of the company is {uen}")
INVALID_SUBMISSION_NUMBER = ErrorCode(
    "invalid_submission_number",
    "must be the UEN, NRIC or FIN of the employer, three letters of payment type and two digits, such as {example}",
)
SUBMISSION_NUMBER_EXAMPLE = "202699999EPTE01"
UEN_PATTERN = re.compile(r"\d{8,9}[A-Z]|[RST]\d{2}[A-Z]{2}\d{4}[A-Z]", re.ASCII)
"""Businesses, local companies, and other entities."""
SUBMISSION_NUMBER_PATTERN = re.compile(r"([0-9A-Z]{9,10})([A-Z]{3})(\d{2})", re.ASCII)


def normalise_uen(text: str) -> str:
    """Return the UEN in its compact form, or raise InvalidValue.

    >>> normalise_uen("202699999 e")
    '202699999E'
    """
    compact = re.sub(r"\s", "", text).upper()
    if UEN_PATTERN.fullmatch(compact) is None:
        raise InvalidValue(INVALID_UEN, value=text)
    return compact


def normalise_submission_number(text: str) -> str:
    """Return the CPF submission number in its compact form: the employer, a payment type and a serial number.

    >>> normalise_submission_number("202699999E-PTE-01")
    '202699999EPTE01'
    """
    compact = re.sub(r"[\s-]", "", text).upper()
    match = SUBMISSION_NUMBER_PATTERN.fullmatch(compact)
    if match is None:
        raise InvalidValue(INVALID_SUBMISSION_NUMBER, example=SUBMISSION_NUMBER_EXAMPLE)
    if not _is_person(match[1]):
        normalise_uen(match[1])
    return compact


def uen_notes(uen: str | None, submission_number: str | None) -> Iterator[FieldError]:
    """Yield a note for each number whose UEN does not have the right check letter, and if the UENs differ.

    They are accepted: the rule of the letter is not from an authority, and the numbers are only passed on.
    """
    employer = submission_number[:-5] if submission_number else None
    for path, value in (("uen", uen), ("cpf_submission_number", employer)):
        if value is not None and not checked_uen.is_valid(value) and not _is_person(value):
            yield FieldError(path, UNLIKELY_UEN, {"value": value})
    if uen and employer and employer != uen and not _is_person(employer):
        yield FieldError("cpf_submission_number", UEN_DIFFERS, {"employer": employer, "uen": uen})


def _is_person(employer: str) -> bool:
    return nric.is_valid(employer) or fin.is_valid(employer)


BANK_ACCOUNT = Group(
    (
        Attribute("bank_id", one_of("bank_id"), "The bank, from the list `bank_id`.", required=True, example=7171),
        Attribute(
            "account_number",
            Text(min_length=4, max_length=34, pattern=TextPattern(r"[0-9A-Za-z-]+", INVALID_ACCOUNT_NUMBER)),
            "The account that wages are paid from.",
            required=True,
            example="0012345678",
        ),
        Attribute(
            "branch_code",
            Text(min_length=3, max_length=3, pattern=TextPattern(r"[0-9]{3}", INVALID_BRANCH_CODE)),
            "The branch.",
            required=True,
            example="001",
        ),
        Attribute("account_name", Text(max_length=140), "Name of the account holder.", example="Kopi Trading Pte Ltd"),
        Attribute("company_id", Text(max_length=35), "The company's ID in the bank's payment files.", example="KOPI01"),
    ),
    struct=PayerBankAccount,
)

FEATURES = Group(
    (
        Attribute("custom_wave_names", Boolean(), "Waves can have custom names.", default=False),
        Attribute("pay_dates", Boolean(), "Waves can have pay dates.", default=False),
        Attribute("regular_hours_v2", Boolean(), "Regular hours are an inherited calculation.", default=True),
        Attribute("leave_any_day", Boolean(), "Leave can be taken on any day.", default=False),
        Attribute("payslip_passwords", Boolean(), "Payslip PDFs are protected by a password.", default=False),
        Attribute(
            "payslip_attachments",
            Boolean(),
            "Mail about a released payslip has the payslip as a PDF, protected by a password.",
            default=False,
        ),
    ),
    struct=ClientFeatures,
)

CLIENT = Schema(
    "client",
    (
        Attribute("name", Text(min_length=1), "Name of the company.", required=True, example="Kopi Trading Pte Ltd"),
        PHYSICAL_ADDRESS,
        Attribute("uen", Text(max_length=20, normalise=normalise_uen), "Unique Entity Number.", example="202699999E"),
        Attribute(
            "cpf_submission_number",
            Text(max_length=25, normalise=normalise_submission_number),
            "CPF submission number: UEN (or NRIC or FIN of the employer), payment type and serial number.",
            example="202699999EPTE01",
        ),
        Attribute("bank_account", BANK_ACCOUNT, "The account that wages are paid from."),
        Attribute(
            "employee_number_mode",
            one_of("employee_number_mode"),
            "Whether employee numbers are assigned automatically.",
            default="EMPLOYEE_NUMBER_AUTOMATIC",
        ),
        Attribute(
            "prorate_allowances",
            Boolean(),
            "Items of the gross rate of pay are prorated in incomplete months, unless a calculation says otherwise.",
            default=True,
        ),
        Attribute(
            "wage_apportionment",
            one_of("wage_apportionment"),
            "How the wages of a pay period that spans two calendar months are divided between them.",
            default="working_days",
        ),
        Attribute(
            "ns_direct_scheme",
            Boolean(),
            "National service is paid in full and claimed (DIRECT scheme). Otherwise it is deducted from pay.",
            default=True,
        ),
        Attribute("features", FEATURES, "The features that are enabled for this client.", default={}),
        replace(EXTERNAL_ID, description="The ID of the client in your system, unique in the account. Null: none."),
        METADATA,
    ),
    struct=ClientInput,
)

CLIENT_SCHEMA: JsonSchema = json_schemas.resource_schema(CLIENT, "Client", with_client_id=False)
CLIENT_SCHEMA["properties"]["metadata"] = METADATA_SCHEMA
CLIENT_EXAMPLE = json_schemas.resource_example(CLIENT, id=1) | {
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}
