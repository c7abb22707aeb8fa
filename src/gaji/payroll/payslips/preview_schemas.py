"""Request schema of a payslip preview, and parsing of its calculations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import msgspec

from gaji.core.amounts import NonNegativeAmount
from gaji.core.error_codes import TOO_MANY_ITEMS
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import DateType, Integer, JsonSchema
from gaji.core.validation import Attribute, Group, Record, Schema, parse_attributes
from gaji.engine.catalogue import CalculationType, Catalogue
from gaji.engine.payslip_input import CalculationEntry, EmployeeDetails
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations.inheritance import InputValues, merge_inputs
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS, complete_week
from gaji.payroll.calculations.rules import find_enterable_type
from gaji.payroll.calculations.schemas import CALC_TYPE, DETAILS
from gaji.people.employees.queries import DETAIL_COLUMNS
from gaji.people.employees.rules import check_date_order, set_default_work_pass
from gaji.people.employees.schemas import EMPLOYEE

MAX_CALCULATIONS = 200
CALCULATION_ATTRIBUTES = (CALC_TYPE, DETAILS)
REQUIRED_ATTRIBUTES = ("birthdate", "legal_status")
"""The only attributes of a person that are required."""
DEFAULTS = {"race": "OTHER", "religion": "NONE", "sdl_exempt": False, "cpf_exempt": False}

NOT_A_CALCULATION_LIST = ErrorCode(
    "not_a_calculation_list", "must be an array of objects with calc_type and calculation_details"
)
NOT_A_CALCULATION = ErrorCode("not_a_calculation", "must be an object with calc_type and calculation_details")
EMPLOYEE_REQUIRED = ErrorCode("employee_required", "is required unless employee is set")
EMPLOYEE_EXCLUDED = ErrorCode("employee_excluded", "cannot be combined with employee_id")
END_BEFORE_START = ErrorCode("service_end_before_start", "must not be before start_date {start}")
REPEATED_CALCULATION = ErrorCode("repeated_calculation", "{calc_type} appears twice")


class PreviewService(msgspec.Struct, frozen=True, kw_only=True):
    """The service of the person in a preview."""

    start_date: date | None
    end_date: date | None


class PreviewYearToDate(msgspec.Struct, frozen=True, kw_only=True):
    """The earlier months of the year in a preview."""

    ordinary_wages_subject_cents: int
    additional_wages_subject_cents: int


class PreviewInput(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a preview. `calculations` has been parsed further by an EntryParser."""

    employee_id: int | None
    employee: EmployeeDetails | None
    period_end_date: date
    wave_id: int | None
    calculations: Sequence[Mapping[str, Any]] | None
    service: PreviewService | None
    year_to_date: PreviewYearToDate | None


@dataclass(frozen=True)
class CalculationList:
    """An array of calculations, each with its type and its inputs."""

    element_attributes = CALCULATION_ATTRIBUTES
    element_read_only = ()

    def parse(self, value: object, path: str, errors: Errors) -> list[Record] | None:
        if not isinstance(value, list):
            errors.add(path, NOT_A_CALCULATION_LIST)
        elif len(value) > MAX_CALCULATIONS:
            errors.add(path, TOO_MANY_ITEMS, maximum=MAX_CALCULATIONS)
        else:
            return [self._parse_element(element, f"{path}.{index}", errors) for index, element in enumerate(value)]
        return None

    def _parse_element(self, element: object, path: str, errors: Errors) -> Record:
        if not isinstance(element, Mapping):
            errors.add(path, NOT_A_CALCULATION)
            return {attribute.name: None for attribute in CALCULATION_ATTRIBUTES}
        return parse_attributes(CALCULATION_ATTRIBUTES, element, element, f"{path}.", errors)

    def json_schema(self) -> JsonSchema:
        items = Group(CALCULATION_ATTRIBUTES).json_schema()
        return {"type": "array", "maxItems": MAX_CALCULATIONS, "items": items}


def _person_attribute(attribute: Attribute) -> Attribute:
    default = DEFAULTS.get(attribute.name, attribute.default)
    return replace(attribute, required=attribute.name in REQUIRED_ATTRIBUTES, default=default)


PERSON_ATTRIBUTES = tuple(
    _person_attribute(attribute) for attribute in EMPLOYEE.attributes if attribute.name in DETAIL_COLUMNS
)
SERVICE = (
    Attribute("start_date", DateType(), "First day of service. Default: before the period."),
    Attribute("end_date", DateType(), "Last day of service."),
)
YEAR_TO_DATE = (
    Attribute(
        "ordinary_wages_subject",
        NonNegativeAmount(),
        "Ordinary wages of the earlier months that attracted CPF.",
        default=0,
        field="ordinary_wages_subject_cents",
    ),
    Attribute(
        "additional_wages_subject",
        NonNegativeAmount(),
        "Additional wages of the year so far that attracted CPF.",
        default=0,
        field="additional_wages_subject_cents",
    ),
)


def check_one_person(record: Record, errors: Errors) -> None:
    """Require exactly one of `employee_id` and `employee`."""
    if record["employee_id"] is None and record["employee"] is None:
        if not errors.keys() & {"employee_id", "employee"}:
            errors.add("employee_id", EMPLOYEE_REQUIRED)
    elif record["employee_id"] is not None and record["employee"] is not None:
        errors.add("employee", EMPLOYEE_EXCLUDED)


def check_person(record: Record, errors: Errors) -> None:
    """Check the order of a person's dates, and set the default work pass."""
    person = record["employee"]
    if person is not None:
        person_errors = Errors()
        check_date_order(person, person_errors)
        for path, error in person_errors.under("employee.").items():
            errors.setdefault(path, error)
        set_default_work_pass(person, errors)


def check_service(record: Record, errors: Errors) -> None:
    """Check that service does not end before it starts."""
    service = record["service"] or {}
    start, end = service.get("start_date"), service.get("end_date")
    if start and end and end < start:
        errors.add_if_absent("service.end_date", END_BEFORE_START, start=start)


PREVIEW = Schema(
    "payslip_preview",
    (
        Attribute("employee_id", Integer(minimum=1), "An employee of the client, with all stored entries."),
        Attribute(
            "employee",
            Group(PERSON_ATTRIBUTES, struct=EmployeeDetails),
            "A person instead of `employee_id`: the attributes that pay depends on.",
            example={"birthdate": "1990-04-12", "legal_status": "CITIZEN", "race": "CHINESE"},
        ),
        Attribute(
            "period_end_date", DateType(), "The last day of the pay period.", required=True, example="2026-01-31"
        ),
        Attribute(
            "wave_id",
            Integer(minimum=1),
            "The wave. Default: the employee's wave, or a monthly wave that ends on the last day of the month.",
        ),
        Attribute(
            "calculations",
            CalculationList(),
            "Calculations. They override the employee's stored calculations.",
            example=[{"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "4200.00"}}],
        ),
        Attribute(
            "service",
            Group(SERVICE, struct=PreviewService),
            "When the person is in service. Default: the employee's service, or the whole period.",
        ),
        Attribute(
            "year_to_date", Group(YEAR_TO_DATE, struct=PreviewYearToDate), "Totals of the earlier months of the year."
        ),
    ),
    read_only=(),
    rules=(check_one_person, check_person, check_service),
    struct=PreviewInput,
)


@dataclass(frozen=True)
class PreviewEntry:
    """One calculation of a preview, merged with the employee's stored calculation."""

    path: str
    type: CalculationType
    inputs: InputValues


@dataclass(frozen=True)
class EntryParser:
    """Parses the calculations of a preview against the client's catalogue."""

    catalogue: Catalogue
    features: Mapping[str, bool]
    stored: Mapping[str, CalculationEntry]
    """The stored calculations of the employee."""

    def parse(
        self, calculations: Sequence[Record] | None, period_end: date | None, errors: Errors
    ) -> list[PreviewEntry]:
        """Parse each calculation by its type."""
        entries: dict[str, PreviewEntry] = {}
        for index, record in enumerate(calculations or ()):
            path, name = f"calculations.{index}", record["calc_type"]
            if name in entries:
                errors.add_if_absent(f"{path}.calc_type", REPEATED_CALCULATION, calc_type=name)
            elif name is not None:
                calculation_type = find_enterable_type(self.catalogue, name, f"{path}.calc_type", errors)
                if calculation_type is not None:
                    details = record["calculation_details"] or {}
                    inputs = self._parse_inputs(calculation_type, path, details, period_end, errors)
                    entries[calculation_type.name] = PreviewEntry(path, calculation_type, inputs)
        return list(entries.values())

    def _parse_inputs(
        self,
        calculation_type: CalculationType,
        path: str,
        details: Mapping[str, Any],
        period_end: date | None,
        errors: Errors,
    ) -> InputValues:
        name, field_path = calculation_type.name, FieldPath("payslip", f"{path}.calculation_details")
        changes = input_parsing.parse_inputs(calculation_type, field_path, details, errors)
        inputs = input_parsing.apply_changes({}, changes)
        input_parsing.check_alternatives(calculation_type, inputs, changes, field_path, errors)
        input_parsing.check_day_range(inputs, field_path, errors)
        if period_end is not None:
            input_parsing.check_months(changes, period_end, field_path, errors)
        stored = self.stored[name].inputs if name in self.stored else {}
        inherited = {key: value for key, value in stored.items() if key not in changes}
        if name == WEEK_HOURS:
            input_parsing.check_regular_hours(inputs, inherited, changes, self.features, field_path, errors)
            return complete_week(merge_inputs(inherited, inputs))
        return merge_inputs(inherited, inputs, calculation_type.alternatives)
