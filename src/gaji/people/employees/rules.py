"""Checks of an employee's attributes."""

from collections.abc import Mapping, Set
from dataclasses import dataclass

from gaji.company.custom_fields.values import CustomField, parse_stored_dates, parse_values
from gaji.core import clock
from gaji.core.error_codes import OUT_OF_RANGE, REQUIRED_WHEN, UNKNOWN_ID
from gaji.core.errors import ErrorCode, Errors
from gaji.core.external_references import EXTERNAL_ID_TAKEN
from gaji.core.validation import Record
from gaji.engine.dates import MIN_DATE
from gaji.engine.payslip_input import EmployeeDetails
from gaji.engine.periods import PaySchedule

DATE_ORDER = (
    ("birthdate", "appointment_date"),
    ("birthdate", "pr_date"),
    ("birthdate", "citizenship_date"),
    ("pr_date", "citizenship_date"),
    ("pass_from", "pass_to"),
    ("birthdate", "enabling_employment_credit_from"),
    ("birthdate", "uplifting_employment_credit_from"),
)
"""Pairs of attributes of which the second must not be before the first."""
WORK_PASSES = {"FOREIGNER_WP": "WP", "FOREIGNER": "EP", "FD_MALAYSIA": "OTHER", "FD_OTHER": "OTHER"}
"""The default work pass of each legal status."""
PAY_ATTRIBUTES = (*EmployeeDetails.__struct_fields__, "wave_id", "appointment_date")
"""The attributes that a payslip depends on."""

UNIQUE_ATTRIBUTES: Mapping[str, ErrorCode] = {
    "nric": ErrorCode("nric_taken", "is the NRIC of another employee of this client"),
    "fin": ErrorCode("fin_taken", "is the FIN of another employee of this client"),
    "number": ErrorCode("employee_number_taken", "is the number of another employee of this client"),
    "external_id": EXTERNAL_ID_TAKEN,
}
"""The attributes that must be unique in a client, each with its error."""
DATE_TOO_EARLY = ErrorCode("date_before_attribute", "must not be before {attribute} {date}")
PR_DATE_REQUIRED = ErrorCode(
    "pr_date_required", "is required when citizenship_date is set, because the CPF rates depend on it"
)


def check_date_order(record: Record, errors: Errors) -> None:
    """Check that the dates of a record are in a possible order, and that the employee has been born."""
    if record["birthdate"] and record["birthdate"] > clock.today():
        errors.add("birthdate", OUT_OF_RANGE, minimum=MIN_DATE, maximum=clock.today())
    for earlier, later in DATE_ORDER:
        first, second = record.get(earlier), record.get(later)
        if earlier not in errors and first and second and second < first:
            errors.add_if_absent(later, DATE_TOO_EARLY, attribute=earlier, date=first)
    if record["citizenship_date"] and not record["pr_date"]:
        errors.add_if_absent("pr_date", PR_DATE_REQUIRED)


def require_enabling_date(record: Record, errors: Errors) -> None:
    """Check that a new hire for the Enabling Employment Credit has the date of the credit."""
    if record["enabling_new_hire"] and record["enabling_employment_credit_from"] is None:
        path = "enabling_employment_credit_from"
        errors.add_if_absent(path, REQUIRED_WHEN, attribute="enabling_new_hire", value="true")


def set_default_work_pass(record: Record, errors: Errors) -> None:
    """Set the work pass of the legal status if none is supplied."""
    if record["work_pass"] is None:
        record["work_pass"] = WORK_PASSES.get(record["legal_status"])


def drop_default_work_pass(record: Record) -> None:
    """Clear a work pass that is the default of the legal status, so that a new status sets its own default."""
    if record["work_pass"] == WORK_PASSES.get(record["legal_status"]):
        record["work_pass"] = None


@dataclass(frozen=True)
class ClientContext:
    """The records of a client that an employee's attributes are checked against."""

    schedules: Mapping[int, PaySchedule]
    """The schedules of the client's waves, by wave ID."""
    pay_point_ids: Set[int]
    custom_fields: Mapping[int, CustomField]
    manual_numbers: bool
    taken: Set[str] = frozenset()
    """The unique attributes whose supplied value another employee has."""

    def prepare_stored(self, record: Record) -> Record:
        """Return a stored employee as `parse_update` takes it."""
        drop_default_work_pass(record)
        return {**record, "custom_fields": parse_stored_dates(record["custom_fields"], self.custom_fields)}

    def check(self, record: Record, errors: Errors) -> None:
        """Check references to the client's records, and parse the values of custom fields."""
        if record["wave_id"] and record["wave_id"] not in self.schedules:
            errors.add("wave_id", UNKNOWN_ID, resource="wave", id=record["wave_id"])
        if record["pay_point_id"] and record["pay_point_id"] not in self.pay_point_ids:
            errors.add("pay_point_id", UNKNOWN_ID, resource="pay point", id=record["pay_point_id"])
        if self.manual_numbers and not record["number"]:
            errors.add_if_absent(
                "number", REQUIRED_WHEN, attribute="employee_number_mode", value="EMPLOYEE_NUMBER_MANUAL"
            )
        for name in self.taken:
            errors.add_if_absent(name, UNIQUE_ATTRIBUTES[name])
        record["custom_fields"] = parse_values(record["custom_fields"] or {}, self.custom_fields, errors)
