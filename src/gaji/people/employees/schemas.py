"""The employee attributes: all that can be written of an employee, and what makes it valid."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import date

from gaji.company.custom_fields.schemas import CustomField, CustomValues, check_values
from gaji.core import clock
from gaji.core.constants import one_of
from gaji.core.errors import INVALID, Errors
from gaji.core.validation import (
    Attribute,
    Boolean,
    DateType,
    Group,
    Integer,
    JsonSchema,
    OneOf,
    Record,
    Rule,
    Schema,
    Text,
    when,
)
from gaji.law import fin, nric

EARLIEST_BIRTH = date(1900, 1, 1)
LATEST_DATE = date(2199, 12, 31)

RESIDENTS = ("CITIZEN", "PR")
PASS_HOLDERS = ("FOREIGNER", "FOREIGNER_WP")
DIRECTORS = ("FD_MALAYSIA", "FD_OTHER")
WORK_PASSES = {"FOREIGNER_WP": "WP", "FOREIGNER": "EP", "FD_MALAYSIA": "OTHER", "FD_OTHER": "OTHER"}
"""The pass that a legal status stands for unless another is given."""

LOCAL = when("type", "L")
LINES = when("type", "F", "C")


@dataclass(frozen=True)
class Race:
    """One value of the list of races, or two joined by a hyphen, of which the first decides the fund."""

    one: OneOf

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        parts = value.split("-") if isinstance(value, str) else [value]
        own: Errors = Errors()
        if len(parts) > 2:
            own[path] = "must be one race, or two joined by a hyphen"
        for part in parts:
            self.one.read(part, path, own)
        errors |= own
        return None if own else str(value)

    def json_schema(self) -> JsonSchema:
        values = "|".join(str(value) for value in self.one.values)
        return {"type": "string", "pattern": f"^({values})(-({values}))?$"}


def _in_clear(most: int, least: int = 0) -> Text:
    """A text that is kept encrypted; a masked one that is sent back must not take its place."""
    return Text(
        least,
        most,
        pattern=r"[^*\x00-\x1f\x7f]+",
        pattern_error="must not contain *, which stands for a hidden character; leave the attribute out to keep its value",
    )


BANK_ACCOUNT = Group(
    (
        Attribute("bank_id", one_of("bank_id"), "The bank, from the list `bank_id`.", required=True, example=7171),
        Attribute(
            "account_number",
            _in_clear(least=4, most=34),
            "At least 4 characters.",
            required=True,
            example="0052312891",
        ),
        Attribute(
            "branch_code", Text(min_length=3, max_length=3), "Exactly 3 characters.", required=True, example="005"
        ),
    )
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
        Attribute("address_line1", Text(), "First line.", only_if=LINES),
        Attribute("address_line2", Text(), "Second line.", only_if=LINES),
        Attribute("address_line3", Text(), "Third line.", only_if=LINES),
        Attribute("tx_uf_postal_code", Text(max_length=20), "Postal code of an unformatted address.", only_if=LINES),
        Attribute("country_code", one_of("country_code"), "Country.", only_if=when("type", "F")),
    )
)


def check_date_order(record: Record, errors: Errors) -> None:
    """Dates in the order in which a life has them."""
    birth, joined = record["birthdate"], record["appointment_date"]
    if birth and not EARLIEST_BIRTH <= birth <= clock.today():
        errors.add("birthdate", INVALID, reason=f"must be from {EARLIEST_BIRTH} to today")
    if joined and not EARLIEST_BIRTH <= joined <= LATEST_DATE:
        errors.add("appointment_date", INVALID, reason=f"must be from {EARLIEST_BIRTH} to {LATEST_DATE}")
    for earlier, later in (
        ("birthdate", "appointment_date"),
        ("birthdate", "pr_date"),
        ("birthdate", "citizenship_date"),
        ("pr_date", "citizenship_date"),
        ("pass_from", "pass_to"),
    ):
        if earlier not in errors and record[earlier] and record[later] and record[later] < record[earlier]:
            errors.setdefault(later, f"must not be before {earlier} {record[earlier]}")
    if record["citizenship_date"] and not record["pr_date"]:
        errors.setdefault(
            "pr_date", "is required when citizenship_date is given: it is kept, because the rates go by it"
        )


def set_default_work_pass(record: Record, errors: Errors) -> None:
    """The pass that the legal status stands for, where none is given."""
    if record["work_pass"] is None:
        record["work_pass"] = WORK_PASSES.get(record["legal_status"])


TAKEN = {
    "nric": "is the NRIC of another employee of this client",
    "fin": "is the FIN of another employee of this client",
    "number": "is the number of another employee of this client",
}
"""What to say of a value that only one employee of a client can have."""


@dataclass(frozen=True)
class ClientContext:
    """What the attributes of an employee are held against: what there is in the client."""

    wave_ids: Set[int]
    pay_point_ids: Set[int]
    custom_fields: Mapping[int, CustomField]
    manual_numbers: bool
    taken: Set[str] = frozenset()
    """Of number, nric and fin, those whose given value another employee has."""

    def check(self, record: Record, errors: Errors) -> None:
        """That the client has what the record refers to, and that the record has what the client asks for."""
        if record["wave_id"] and record["wave_id"] not in self.wave_ids:
            errors.add("wave_id", INVALID, reason=f"there is no wave {record['wave_id']} in this client")
        if record["pay_point_id"] and record["pay_point_id"] not in self.pay_point_ids:
            errors.add("pay_point_id", INVALID, reason=f"there is no pay point {record['pay_point_id']} in this client")
        if self.manual_numbers and not record["number"]:
            errors.setdefault("number", "is required when employee_number_mode is EMPLOYEE_NUMBER_MANUAL")
        for name in self.taken:
            errors.setdefault(name, TAKEN[name])
        record["custom_fields"] = check_values(record["custom_fields"] or {}, self.custom_fields, errors)


RULES: tuple[Rule, ...] = (check_date_order, set_default_work_pass)

EMPLOYEE = Schema(
    "employee",
    (
        Attribute("wave_id", Integer(minimum=1), "The wave that pays the employee.", required=True, example=1),
        Attribute("first_name", Text(min_length=1), "First name, or the only name.", required=True, example="Mei Ling"),
        Attribute("name_format", one_of("name_format"), "Order of the names.", default=1),
        Attribute("last_name", Text(), "Last name.", required_if=when("name_format", 1, 2), default="", example="Tan"),
        Attribute(
            "payment_method", one_of("payment_method"), "How the employee is paid.", required=True, example="eft_manual"
        ),
        Attribute("birthdate", DateType(), "Date of birth.", required=True, example="1990-04-12"),
        Attribute("appointment_date", DateType(), "First day of service.", required=True, example="2024-02-01"),
        Attribute("legal_status", one_of("legal_status"), "Status in Singapore.", required=True, example="CITIZEN"),
        Attribute(
            "nric",
            Text(max_length=20, normalise=nric.validate),
            "NRIC, with its check letter; unique in the client.",
            required_if=when("legal_status", *RESIDENTS),
            example="S9012345I",
        ),
        Attribute(
            "fin",
            Text(max_length=20, normalise=fin.validate),
            "FIN, with its check letter; unique in the client.",
            required_if=when("legal_status", *PASS_HOLDERS),
        ),
        Attribute(
            "malaysian_ic",
            _in_clear(most=30),
            "Malaysian identity card number.",
            required_if=when("legal_status", "FD_MALAYSIA"),
        ),
        Attribute(
            "passport_number",
            _in_clear(most=30),
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
            "Day on which the employee became a permanent resident.",
            required_if=when("legal_status", "PR"),
            only_if=when("legal_status", *RESIDENTS),
        ),
        Attribute(
            "citizenship_date",
            DateType(),
            "Day on which a permanent resident became a citizen; the CPF rates change on it.",
            only_if=when("legal_status", "CITIZEN"),
        ),
        Attribute(
            "pr_cpf_rates", one_of("pr_cpf_rates"), "CPF rates elected for the first two years as PR.", default="GG"
        ),
        Attribute("gender", one_of("gender"), "`M` or `F`.", required=True, example="F"),
        Attribute(
            "race",
            Race(one_of("race")),
            "From the list `race`; two may be joined by a hyphen. Decides the self-help fund.",
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
        Attribute("sdl_exempt", Boolean(), "No skills development levy.", required=True, example=False),
        Attribute("cpf_exempt", Boolean(), "No CPF.", required=True, example=False),
        Attribute(
            "work_pass",
            one_of("work_pass"),
            "Pass of a foreigner. By itself `WP` for FOREIGNER_WP, `EP` for FOREIGNER, `OTHER` for directors.",
            only_if=when("legal_status", *PASS_HOLDERS, *DIRECTORS),
        ),
        Attribute("pass_from", DateType(), "First day of the pass.", only_if=when("legal_status", *PASS_HOLDERS)),
        Attribute("pass_to", DateType(), "Last day of the pass.", only_if=when("legal_status", *PASS_HOLDERS)),
        Attribute(
            "employment_act_group",
            one_of("employment_act_group"),
            "Group in the Employment Act; says whether overtime is owed.",
            default="non_workman",
        ),
        Attribute(
            "bank_account",
            BANK_ACCOUNT,
            "Where wages are paid to.",
            required_if=when("payment_method", "eft_manual"),
        ),
        Attribute("physical_address", PHYSICAL_ADDRESS, "Where the employee lives."),
        Attribute(
            "number",
            Text(min_length=1, max_length=50),
            "Payroll number, unique in the client. Required if the client numbers its employees itself.",
        ),
        Attribute("pay_point_id", Integer(minimum=1), "The pay point of the employee."),
        Attribute(
            "email",
            Text(max_length=254, pattern=r"[^@\s]+@[^@\s]+", pattern_error="must be an email address"),
            "Email address.",
            example="mei.ling@example.com",
        ),
        Attribute("job_title", Text(), "What the employee does.", example="Accountant"),
        Attribute("custom_fields", CustomValues(), "Values of the client's own fields, by field ID."),
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
    rules=RULES,
)


def unique_values(given: Mapping[str, object]) -> dict[str, str]:
    """Of number, nric and fin, the valid values that a body gives, in the form they are kept in."""
    kinds = {one.name: one.type for one in EMPLOYEE.attributes if one.name in TAKEN}
    read = {name: kind.read(given[name], name, {}) for name, kind in kinds.items() if given.get(name) is not None}
    return {name: value for name, value in read.items() if value is not None}
