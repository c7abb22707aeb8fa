"""Request schema of leave policies, and the check against the statutory minimum."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import msgspec

from gaji.core.constants import one_of
from gaji.core.error_codes import REQUIRED_WHEN
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Boolean, DateType, Integer
from gaji.core.validation import Attribute, Group, Record, Rule, Schema, when
from gaji.engine.leave.policies import AccrualMethod, HolidayOffChoice, LeavePolicy
from gaji.engine.leave.statutory_minimum import COUNTED_BY_SERVICE, find_shortfall
from gaji.law.leave import LeaveParameters
from gaji.law.leave.part_time import FullTimeHours
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import MILLI
from gaji.law.scale import Scale
from gaji.leave.quantities import Thousandths, format_thousandths
from gaji.leave.types.steps import DAYS, EntitlementSteps

BELOW_LEGAL_MINIMUM = ErrorCode(
    "below_legal_minimum", "grants {days} days in year {year} of service; the legal minimum is {minimum}"
)
BELOW_LEGAL_MINIMUM_DURING_YEAR = ErrorCode(
    "below_legal_minimum_during_year",
    "grants {days} days after month {months} of year {year} of service; the legal minimum is {minimum}",
)
FIRST_YEAR_NOT_ALLOWED = ErrorCode("first_year_not_allowed", "is not allowed with leave_year_start")
LEAVE_YEAR_NOT_ALLOWED = ErrorCode(
    "leave_year_not_allowed", "is not allowed for this leave type: the law counts its days by service"
)
HOLIDAYS_OFF_NOT_ALLOWED = ErrorCode(
    "holidays_off_not_allowed", "is only allowed for annual leave and for leave types that were added"
)
DEEMED_FULL_TIME = FullTimeHours(44 * MILLI, 8 * MILLI)
"""The hours that the regulations assume if the employer has no similar full-time employee."""
MAX_YEARS = 60
YEARS = EntitlementSteps("year", "The year of service from which the step applies.", 1, MAX_YEARS, first_value=1)
TYPES_WITH_HOLIDAYS = (None, "annual_leave")
"""The types whose policies can give something for public holidays on days off. None: types that a client added."""
MONTHS = EntitlementSteps(
    "months", "The completed months of service from which the step applies.", 0, MONTHS_PER_YEAR - 1
)


class CarryOver(msgspec.Struct, frozen=True, kw_only=True):
    """The leave that is carried over to the next year of service."""

    limit_millidays: int | None
    expiry_months: int | None


class PolicyInput(msgspec.Struct, frozen=True, kw_only=True):
    """A leave policy as a caller writes it. Each step has its threshold and `millidays`."""

    entitlement: Sequence[dict[str, int]] | None
    accrual: str
    least_months: int
    first_year: Sequence[dict[str, int]] | None
    carry_over: CarryOver
    prorate: bool
    below_zero: bool
    paid: bool
    leave_year_start: int | None
    public_holidays_off: str
    prorate_part_time: bool
    full_time_week_millihours: int | None
    full_time_day_millihours: int | None
    effective_date: date | None

    def as_policy(self) -> LeavePolicy:
        """Return the policy that the input describes."""
        return LeavePolicy(
            accrual=AccrualMethod(self.accrual),
            entitlement=_scale(self.entitlement or (), "year"),
            since=self.effective_date,
            min_service_months=self.least_months,
            first_year=None if self.first_year is None else _scale(self.first_year, "months"),
            carry_limit_millidays=self.carry_over.limit_millidays,
            expiry_months=self.carry_over.expiry_months,
            prorate=self.prorate,
            allows_negative=self.below_zero,
            paid=self.paid,
            leave_year_month=self.leave_year_start,
            holidays_off=HolidayOffChoice(self.public_holidays_off),
            full_time=self.full_time if self.prorate_part_time else None,
        )

    @property
    def full_time(self) -> FullTimeHours:
        """The hours of a similar full-time employee."""
        return FullTimeHours(
            self.full_time_week_millihours or DEEMED_FULL_TIME.week_millihours,
            self.full_time_day_millihours or DEEMED_FULL_TIME.day_millihours,
        )


def check_entitlement(record: Record, errors: Errors) -> None:
    """Require an entitlement if leave accrues."""
    has_error = any(path.startswith("entitlement") for path in errors)
    accrues = record["accrual"] in (AccrualMethod.MONTHLY, AccrualMethod.YEARLY)
    if accrues and record["entitlement"] is None and not has_error:
        errors.add("entitlement", REQUIRED_WHEN, attribute="accrual", value=record["accrual"])


def check_first_year(record: Record, errors: Errors) -> None:
    """Reject steps of the first year of service if leave years do not follow the service."""
    if record["first_year"] is not None and record["leave_year_start"] is not None:
        errors.add_if_absent("first_year", FIRST_YEAR_NOT_ALLOWED)


POLICY = Schema(
    "policy",
    (
        Attribute(
            "entitlement",
            YEARS,
            "Days a year, by year of service. Required unless `accrual` is `none`.",
            example=[{"year": 1, "days": 14}, {"year": 3, "days": 16}],
        ),
        Attribute("accrual", one_of("leave_accrual"), "How leave accrues.", required=True, example="monthly"),
        Attribute(
            "least_months",
            Integer(0, MONTHS_PER_YEAR - 1),
            "Completed months of service before leave can be taken.",
            default=0,
            example=3,
        ),
        Attribute(
            "first_year",
            MONTHS,
            "Days available in the first year of service, by completed months, instead of all at once.",
            only_if=when("accrual", "yearly"),
        ),
        Attribute(
            "carry_over",
            Group(
                (
                    Attribute(
                        "limit",
                        DAYS,
                        "Maximum number of days carried over. Null: no limit.",
                        example=5,
                        field="limit_millidays",
                    ),
                    Attribute(
                        "expiry_months",
                        Integer(1, MONTHS_PER_YEAR),
                        "Months until carried-over days expire. Null: never.",
                        example=3,
                    ),
                ),
                struct=CarryOver,
            ),
            "Leave that is carried over at the end of a year of service.",
            default={},
        ),
        Attribute(
            "prorate",
            Boolean(),
            "Whether parts of a year are rounded to whole days as the law prescribes.",
            default=True,
        ),
        Attribute("below_zero", Boolean(), "Whether the balance may become negative.", default=False),
        Attribute("paid", Boolean(), "Whether the days are paid.", default=True),
        Attribute(
            "leave_year_start",
            Integer(1, MONTHS_PER_YEAR),
            "The month in which leave years begin, from 1 to 12. Null: leave years are years of service.",
            example=1,
        ),
        Attribute(
            "public_holidays_off",
            one_of("public_holidays_off"),
            "What employees get for a public holiday on a day off. For annual leave and added types only.",
            default=HolidayOffChoice.NONE.value,
            example="day_in_lieu",
        ),
        Attribute(
            "prorate_part_time",
            Boolean(),
            "Whether employees who work less than 35 hours a week have days in proportion to their hours.",
            default=False,
        ),
        Attribute(
            "full_time_week_hours",
            Thousandths("hours", 35 * MILLI, 60 * MILLI),
            "Hours per week of a similar full-time employee. Default: 44.",
            example=44,
            field="full_time_week_millihours",
        ),
        Attribute(
            "full_time_day_hours",
            Thousandths("hours", MILLI, 24 * MILLI),
            "Hours per day of a similar full-time employee. Default: 8.",
            example=8,
            field="full_time_day_millihours",
        ),
        Attribute(
            "effective_date", DateType(), "First day on which the policy applies. Default: today.", example="2026-04-01"
        ),
    ),
    read_only=("id", "type_id", "created_at", "updated_at"),
    rules=(check_entitlement, check_first_year),
    struct=PolicyInput,
)


def statutory_minimum_rule(law: LeaveParameters, system_type: str | None, today: date) -> Rule:
    """Return the rule that a policy of this type meets the legal minimum."""

    def check(record: Record, errors: Errors) -> None:
        if record["leave_year_start"] is not None and system_type in COUNTED_BY_SERVICE:
            errors.add_if_absent("leave_year_start", LEAVE_YEAR_NOT_ALLOWED)
        if record["public_holidays_off"] != HolidayOffChoice.NONE and system_type not in TYPES_WITH_HOLIDAYS:
            errors.add_if_absent("public_holidays_off", HOLIDAYS_OFF_NOT_ALLOWED)
        if errors:
            return
        policy = POLICY.build(record).as_policy()
        shortfall = find_shortfall(law, system_type, policy, record["effective_date"] or today)
        if shortfall:
            kind = BELOW_LEGAL_MINIMUM if shortfall.is_of_whole_year else BELOW_LEGAL_MINIMUM_DURING_YEAR
            errors.add("entitlement", kind, **shortfall.params)

    return check


def policy_json(policy: LeavePolicy) -> dict[str, Any]:
    """Return a policy as the API shows it."""
    limit, full_time = policy.carry_limit_millidays, policy.full_time or DEEMED_FULL_TIME
    return {
        "entitlement": _steps(policy.entitlement, "year"),
        "accrual": policy.accrual.value,
        "least_months": policy.min_service_months,
        "first_year": None if policy.first_year is None else _steps(policy.first_year, "months"),
        "carry_over": {
            "limit": None if limit is None else format_thousandths(limit),
            "expiry_months": policy.expiry_months,
        },
        "prorate": policy.prorate,
        "below_zero": policy.allows_negative,
        "paid": policy.paid,
        "leave_year_start": policy.leave_year_month,
        "public_holidays_off": policy.holidays_off.value,
        "prorate_part_time": policy.full_time is not None,
        "full_time_week_hours": format_thousandths(full_time.week_millihours),
        "full_time_day_hours": format_thousandths(full_time.day_millihours),
        "effective_date": policy.since,
    }


def _scale(steps: Sequence[dict[str, int]], measure: str) -> Scale:
    return Scale(tuple(step[measure] for step in steps), tuple(step["millidays"] for step in steps))


def _steps(scale: Scale, measure: str) -> list[dict[str, int | float]]:
    return [
        {measure: threshold, "days": format_thousandths(millidays)}
        for threshold, millidays in zip(scale.thresholds, scale.values, strict=True)
    ]
