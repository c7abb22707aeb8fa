"""Parameters of benefits in kind."""

from dataclasses import dataclass

from gaji.law.parameters import History, ParameterFiles, TableReader

RENT, ANNUAL_VALUE = "rent", "annual_value"
BY_DAYS, WHOLE_YEAR = "days", "year"


@dataclass(frozen=True)
class FurnitureRates:
    """The value of furniture in parts of 100,000 of the annual value."""

    partly: int
    fully: int


@dataclass(frozen=True)
class PrivateUse:
    """The private use of a car as a fraction."""

    numerator: int
    denominator: int


@dataclass(frozen=True)
class BenefitParameters:
    """The parameters of benefits in kind."""

    residence_value: History[str]
    furniture: History[FurnitureRates]
    car_private_use: History[PrivateUse]
    car_years: History[int]
    car_part_year: History[str]
    long_service_award: History[int]


def read_parameters(files: ParameterFiles) -> BenefitParameters:
    """Read the parameters of benefits in kind."""
    subject = files.subject("benefits_in_kind")
    parameters = BenefitParameters(
        residence_value=subject.choice("residence_value", RENT, ANNUAL_VALUE),
        furniture=subject.history("furniture", _read_furniture),
        car_private_use=subject.history("car_private_use", _read_private_use, from_the_start=False),
        car_years=subject.history("car_years", _read_years, from_the_start=False),
        car_part_year=subject.history(
            "car_part_year", lambda row: row.choice("value", (BY_DAYS, WHOLE_YEAR)), from_the_start=False
        ),
        long_service_award=subject.cents("long_service_award"),
    )
    subject.reject_unknown()
    return parameters


def _read_furniture(row: TableReader) -> FurnitureRates:
    return FurnitureRates(row.percent("partly"), row.percent("fully"))


def _read_private_use(row: TableReader) -> PrivateUse:
    use = PrivateUse(row.whole_number("numerator"), row.whole_number("denominator"))
    if not 0 < use.numerator <= use.denominator:
        raise row.error("numerator", "must be from 1 to `denominator`")
    return use


def _read_years(row: TableReader) -> int:
    years = row.whole_number("value")
    if years == 0:
        raise row.error("value", "must be above 0")
    return years
