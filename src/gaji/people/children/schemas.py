"""Request and response schemas of children."""

from datetime import date

import msgspec

from gaji.core import clock, json_schemas
from gaji.core.constants import one_of
from gaji.core.error_codes import DATE_TOO_LATE, TOO_LARGE
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import DateType, Integer, JsonSchema, Text
from gaji.core.law_loader import current_law
from gaji.core.validation import Attribute, Record, Rule, Schema, when
from gaji.engine.leave.children import Relationship
from gaji.law.columns import date_column, flags
from gaji.law.leave import parental

CITIZEN = "CITIZEN"
ADOPTED = when("relationship", Relationship.ADOPTED.value)
MAX_SHARED_WEEKS = 52

BEFORE_BIRTHDATE = ErrorCode("before_birthdate", "must not be before the birthdate")
LEAVE_FROM_REQUIRED = ErrorCode(
    "leave_from_required", "is required, because leave for children was granted by adjustment on {date}"
)


class ChildInput(msgspec.Struct, frozen=True, kw_only=True):
    """The writable attributes of a child."""

    name: str
    birthdate: date
    citizenship: str
    relationship: str
    adoption_date: date | None
    shared_parental_weeks: int | None
    leave_from: date | None


CHILD = Schema(
    "child",
    (
        Attribute("name", Text(min_length=1, max_length=100), "Name.", required=True, example="Tan Wei Ming"),
        Attribute("birthdate", DateType(), "Date of birth.", required=True, example="2026-04-15"),
        Attribute(
            "citizenship",
            one_of("child_citizenship"),
            "Most leave requires a citizen.",
            required=True,
            example=CITIZEN,
        ),
        Attribute(
            "relationship",
            one_of("child_relationship"),
            "How the child is related to the employee.",
            default=Relationship.BIRTH_CHILD.value,
        ),
        Attribute(
            "adoption_date",
            DateType(),
            "The date of the formal intent to adopt.",
            required_if=ADOPTED,
            only_if=ADOPTED,
        ),
        Attribute(
            "shared_parental_weeks",
            Integer(maximum=MAX_SHARED_WEEKS),
            "The weeks of shared parental leave that the couple agreed on for this employee. Null: the default of the "
            "law. For a child born before 1 April 2025: the weeks that the mother gives to the father.",
        ),
        Attribute(
            "leave_from",
            DateType(),
            "The first day on which the child counts for leave, if leave before it was granted by adjustment. "
            "Null: from the birth or the adoption.",
        ),
    ),
    read_only=("id", "client_id", "employee_id", "created_at", "updated_at"),
    struct=ChildInput,
)
CHILD_SCHEMA: JsonSchema = json_schemas.resource_schema(CHILD, "Child")
CHILD_SCHEMA["properties"]["employee_id"] = json_schemas.IDENTIFIER
CHILD_SCHEMA["required"].append("employee_id")
CHILD_EXAMPLE = json_schemas.resource_example(CHILD, id=8, client_id=1, employee_id=4) | {
    "created_at": "2026-05-05T09:00:00.000000+08:00",
    "updated_at": "2026-05-05T09:00:00.000000+08:00",
}


def child_rule(adjusted_on: date | None) -> Rule:
    """Return the rule for a child. `adjusted_on` is the date of the last adjustment that granted leave for children."""

    def check(record: Record, errors: Errors) -> None:
        _check_dates(record, errors)
        _check_shared_weeks(record, errors)
        if adjusted_on is not None and record["leave_from"] is None:
            errors.add_if_absent("leave_from", LEAVE_FROM_REQUIRED, date=adjusted_on)

    return check


def _check_dates(record: Record, errors: Errors) -> None:
    today, birthdate = clock.today(), record["birthdate"]
    for name in ("birthdate", "adoption_date"):
        if record[name] is not None and record[name] > today:
            errors.add_if_absent(name, DATE_TOO_LATE, latest=today)
    if birthdate and record["adoption_date"] and record["adoption_date"] < birthdate:
        errors.add_if_absent("adoption_date", BEFORE_BIRTHDATE)


def _check_shared_weeks(record: Record, errors: Errors) -> None:
    """Reject more weeks than both parents share."""
    weeks, birthdate = record["shared_parental_weeks"], record["birthdate"]
    if weeks is None or birthdate is None or "birthdate" in errors:
        return
    law, dates = current_law().leave, date_column([birthdate])
    is_shared = record["citizenship"] == CITIZEN and record["relationship"] == Relationship.BIRTH_CHILD
    maximum = 0
    if is_shared and parental.is_covered(law.shared_parental, dates)[0]:
        maximum = int(parental.shared_parental_weeks(law, dates, flags([True]))[0][0])
    if weeks > maximum:
        errors.add_if_absent("shared_parental_weeks", TOO_LARGE, maximum=maximum)
