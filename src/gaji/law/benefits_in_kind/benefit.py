"""A benefit in kind, and its place on Appendix 8A."""

from calendar import isleap
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class AppendixSection(StrEnum):
    """A section of Appendix 8A."""

    RESIDENCE = "residence"
    UTILITIES = "utilities_and_housekeeping"
    HOTEL = "hotel"
    OTHERS = "others"


class BenefitCategory(StrEnum):
    """The kinds of benefits that the appendix asks for."""

    RESIDENCE = "residence"
    UTILITIES = "utilities"
    DRIVER = "driver"
    HOUSEHOLD = "household"
    HOTEL = "hotel"
    HOME_LEAVE = "home_leave"
    INTEREST = "interest"
    INSURANCE = "insurance"
    HOLIDAY = "holiday"
    EDUCATION = "education"
    LONG_SERVICE_AWARD = "long_service_award"
    CLUB_FEES = "club_fees"
    ASSETS = "assets"
    VEHICLE = "vehicle"
    CAR = "car"
    OTHER = "other"


SECTIONS: Mapping[BenefitCategory, AppendixSection] = {
    **dict.fromkeys(BenefitCategory, AppendixSection.OTHERS),
    BenefitCategory.RESIDENCE: AppendixSection.RESIDENCE,
    BenefitCategory.UTILITIES: AppendixSection.UTILITIES,
    BenefitCategory.DRIVER: AppendixSection.UTILITIES,
    BenefitCategory.HOUSEHOLD: AppendixSection.UTILITIES,
    BenefitCategory.HOTEL: AppendixSection.HOTEL,
}


class Furnishing(StrEnum):
    """The furniture of a residence."""

    NONE = "none"
    PARTLY = "partly"
    """Fittings only."""
    FULLY = "fully"


class CarType(StrEnum):
    """How the employer came to have a car."""

    NEW = "new"
    SECOND_HAND = "second_hand"
    """Younger than ten years."""
    OVER_TEN_YEARS = "over_ten_years"
    COE_RENEWED = "coe_renewed"
    LEASED = "leased"


@dataclass(frozen=True, slots=True)
class Benefit:
    """A benefit that an employer provided on some days of one calendar year. Amounts are for these days."""

    category: BenefitCategory
    first: date
    last: date
    amount_cents: int = 0
    """The actual amount, a driver's wages, or the rental of a leased car."""
    paid_by_employee_cents: int = 0
    sharing: int = 1
    """The employees who share a residence."""
    rent_cents: int | None = None
    """The rent that the employer pays for a residence, furniture included."""
    annual_value_cents: int | None = None
    furnishing: Furnishing = Furnishing.NONE
    private_km: int = 0
    total_km: int = 0
    car_type: CarType | None = None
    cost_cents: int = 0
    """The cost of a car, or the fee for renewing its certificate of entitlement (COE)."""
    parf_rebate_cents: int = 0
    coe_months: int = 0
    """The months that are left of the COE, or for which it was renewed."""
    running_costs_cents: int = 0

    @property
    def section(self) -> AppendixSection:
        """The section of the appendix."""
        return SECTIONS[self.category]

    @property
    def days(self) -> int:
        """The days on which the benefit was provided."""
        return (self.last - self.first).days + 1

    @property
    def days_in_year(self) -> int:
        """The days of the calendar year."""
        return 366 if isleap(self.last.year) else 365
