"""What can be asked of a preview: a payslip of someone who may or may not be an employee, for any period."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import Attribute, DateType, Group, Integer, JsonSchema, Record, Schema, parse_attributes
from gaji.engine import catalogue as engine
from gaji.engine.catalogue import CalculationType
from gaji.engine.payslip_input import CalculationEntry
from gaji.payroll.calculations import rules, week_hours
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.inheritance import InputValues, merge_inputs
from gaji.people.employees.facts import PERSON
from gaji.people.employees.rules import EMPLOYEE, check_dates
from gaji.people.take_on.rules import Amount

EARLIEST = date(1900, 1, 1)
LATEST = date(2199, 12, 31)
MOST_CALCULATIONS = 200
ABOUT_ONE = (rules.CALC_TYPE, rules.DETAILS)
"""What is said of one calculation."""
NEEDED = ("birthdate", "legal_status")
"""Of a person nothing else has to be known."""
ABSENT = {"race": "OTHER", "religion": "NONE", "sdl_exempt": False, "cpf_exempt": False}
"""What is taken to be so of a person when it is not said."""


@dataclass(frozen=True)
class Calculations:
    """An array of calculations, each with its type and its inputs."""

    def parse(self, value: object, path: str, errors: Errors) -> list[Record] | None:
        if not isinstance(value, list):
            errors.add(path, INVALID, reason="must be an array of objects with calc_type and calculation_details")
        elif len(value) > MOST_CALCULATIONS:
            errors.add(path, INVALID, reason=f"must not have more than {MOST_CALCULATIONS} elements")
        else:
            return [self._read(one, f"{path}.{index}", errors) for index, one in enumerate(value)]
        return None

    def _read(self, value: object, path: str, errors: Errors) -> Record:
        if not isinstance(value, Mapping):
            errors.add(path, INVALID, reason="must be an object with calc_type and calculation_details")
            return {one.name: None for one in ABOUT_ONE}
        return parse_attributes(ABOUT_ONE, value, value, f"{path}.", errors)

    def json_schema(self) -> JsonSchema:
        one = Group(ABOUT_ONE).json_schema()
        return {"type": "array", "maxItems": MOST_CALCULATIONS, "items": one}


def _about_person(one: Attribute) -> Attribute:
    return replace(one, required=one.name in NEEDED, default=ABSENT.get(one.name, one.default))


PERSON_ATTRIBUTES = tuple(_about_person(one) for one in EMPLOYEE.attributes if one.name in PERSON)
SERVICE = (
    Attribute("start_date", DateType(), "First day of service; before the period unless given."),
    Attribute("end_date", DateType(), "Last day of service."),
)
SUBJECT = Amount()
YEAR_TO_DATE = (
    Attribute("ordinary_wages_subject", SUBJECT, "Ordinary wages of the earlier months that attracted CPF.", default=0),
    Attribute("additional_wages_subject", SUBJECT, "Additional wages that attracted CPF so far.", default=0),
)


def check_who(record: Record, errors: Errors) -> None:
    """Exactly one person."""
    if record["employee_id"] is None and record["employee"] is None:
        if not errors.keys() & {"employee_id", "employee"}:
            errors.add("employee_id", INVALID, reason="is required, or employee")
    elif record["employee_id"] is not None and record["employee"] is not None:
        errors.add("employee", INVALID, reason="excludes employee_id")


def check_person(record: Record, errors: Errors) -> None:
    """The dates of a person in the order in which a life has them."""
    if record["employee"] is not None:
        found: Errors = Errors()
        check_dates({**record["employee"], "appointment_date": None}, found)
        for name, fault in found.items():
            errors.setdefault(f"employee.{name}", fault)


def check_days(record: Record, errors: Errors) -> None:
    """Days of our time, and service that does not end before it begins."""
    service = record["service"] or {}
    dates = {"period_end_date": record["period_end_date"], **{f"service.{name}": service.get(name) for name in service}}
    for path, day in dates.items():
        if day is not None and not EARLIEST <= day <= LATEST:
            errors.add(path, INVALID, reason=f"must be from {EARLIEST} to {LATEST}")
    start, end = service.get("start_date"), service.get("end_date")
    if start and end and end < start:
        errors.setdefault("service.end_date", f"must not be before start_date {start}")


PREVIEW = Schema(
    "payslip_preview",
    (
        Attribute("employee_id", Integer(minimum=1), "An employee of the client, with all that is entered for them."),
        Attribute(
            "employee",
            Group(PERSON_ATTRIBUTES),
            "A person, in place of employee_id: the attributes that pay goes by.",
            example={"birthdate": "1990-04-12", "legal_status": "CITIZEN", "race": "CHINESE"},
        ),
        Attribute(
            "period_end_date", DateType(), "The last day of the pay period.", required=True, example="2026-01-31"
        ),
        Attribute(
            "wave_id",
            Integer(minimum=1),
            "The wave; by itself that of the employee, or a monthly one that ends on the last day.",
        ),
        Attribute(
            "calculations",
            Calculations(),
            "What is entered; laid over what is entered for the employee.",
            example=[{"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "4200.00"}}],
        ),
        Attribute("service", Group(SERVICE), "When the person serves; by itself as the employee does, or throughout."),
        Attribute("year_to_date", Group(YEAR_TO_DATE), "What the earlier months of the year came to."),
    ),
    read_only=(),
    rules=(check_who, check_person, check_days),
)


@dataclass(frozen=True)
class Entered:
    """One calculation that was given, laid over what is entered for the employee."""

    path: str
    type: CalculationType
    inputs: InputValues


@dataclass(frozen=True)
class Known:
    """What the calculations of a preview are held against."""

    catalogue: engine.Catalogue
    features: Mapping[str, bool]
    stored: Mapping[str, CalculationEntry]
    """What is entered for the employee."""

    def read(self, given: list[Record] | None, errors: Errors) -> list[Entered]:
        """The calculations that were given, each checked by its type."""
        found: dict[str, Entered] = {}
        for index, one in enumerate(given or ()):
            path = f"calculations.{index}"
            if one["calc_type"] in found:
                errors.setdefault(f"{path}.calc_type", f"{one['calc_type']} is given twice")
            elif one["calc_type"] is not None:
                kind = rules.find_enterable_type(self.catalogue, one["calc_type"], f"{path}.calc_type", errors)
                if kind is not None:
                    inputs = self._inputs(kind, FieldPath("payslip", f"{path}.calculation_details"), one, errors)
                    found[kind.name] = Entered(path, kind, inputs)
        return list(found.values())

    def _inputs(self, kind: CalculationType, place: FieldPath, one: Record, errors: Errors) -> InputValues:
        changes = input_parsing.parse_inputs(kind, place, one["calculation_details"] or {}, errors)
        given = input_parsing.apply_changes({}, changes)
        input_parsing.check_alternatives(kind, given, changes, place, errors)
        stored = self.stored[kind.name].inputs if kind.name in self.stored else {}
        farther = {name: value for name, value in stored.items() if name not in changes}
        if kind.name == week_hours.TYPE:
            given = input_parsing.check_regular_hours(given, farther, changes, self.features, place, errors)
        return merge_inputs(farther, given, kind.alternatives)
