"""What can be written of a policy, and when it gives less than the law."""

from datetime import date
from typing import Any

from gaji.core.constants import one_of
from gaji.core.errors import INVALID, Errors
from gaji.core.validation import Attribute, Boolean, DateType, Group, Integer, Record, Rule, Schema, when
from gaji.db.json_lists import json_text
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy
from gaji.engine.leave.statutory_minimum import shortfall
from gaji.law.leave import LeaveParameters
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.scale import Scale
from gaji.leave.dates import OUT_OF_TIME, in_time
from gaji.leave.quantities import shown
from gaji.leave.types.steps import DAYS, Steps

MOST_YEARS = 60
YEARS = Steps("year", "Year of service from which on.", 1, MOST_YEARS, begins=1)
MONTHS = Steps("months", "Completed months of service from which on.", 0, MONTHS_PER_YEAR - 1)


def check_entitlement(record: Record, errors: Errors) -> None:
    """What accrues has to be said."""
    named = any(path.startswith("entitlement") for path in errors)
    if record["accrual"] in (AccrualMethod.MONTHLY, AccrualMethod.YEARLY) and record["entitlement"] is None and not named:
        errors.add("entitlement", INVALID, reason=f"is required when accrual is {record['accrual']}")


def check_date(record: Record, errors: Errors) -> None:
    """A day that somebody can mean."""
    if record["effective_date"] is not None and not in_time(record["effective_date"]):
        errors.add("effective_date", INVALID, reason=OUT_OF_TIME)


POLICY = Schema(
    "policy",
    (
        Attribute(
            "entitlement",
            YEARS,
            "Days a year, by year of service. Required unless nothing accrues.",
            example=[{"year": 1, "days": 14}, {"year": 3, "days": 16}],
        ),
        Attribute("accrual", one_of("leave_accrual"), "How the entitlement comes.", required=True, example="monthly"),
        Attribute(
            "least_months",
            Integer(0, MONTHS_PER_YEAR - 1),
            "Completed months of service before there is any.",
            default=0,
            example=3,
        ),
        Attribute(
            "first_year",
            MONTHS,
            "What there is in the first year of service, by completed months, in place of all at once.",
            only_if=when("accrual", "yearly"),
        ),
        Attribute(
            "carry_over",
            Group(
                (
                    Attribute("limit", DAYS, "Days that go over into the next year at most; null for all.", example=5),
                    Attribute(
                        "expiry_months",
                        Integer(1, MONTHS_PER_YEAR),
                        "For how many months of it; null for good.",
                        example=3,
                    ),
                )
            ),
            "What is carried over at the end of a year of service.",
            default={},
        ),
        Attribute(
            "prorate", Boolean(), "Whether parts of a year are whole days by the rounding of the law.", default=True
        ),
        Attribute("below_zero", Boolean(), "Whether more can be taken than there is.", default=False),
        Attribute("paid", Boolean(), "Whether the days are paid.", default=True),
        Attribute("effective_date", DateType(), "From when it holds; today unless given.", example="2026-04-01"),
    ),
    read_only=("id", "type_id", "created_at", "updated_at"),
    rules=(check_entitlement, check_date),
)


def not_less_than(law: LeaveParameters, system_type: str | None, today: date) -> Rule:
    """That a policy of this type gives nowhere less than the law."""

    def check(record: Record, errors: Errors) -> None:
        if errors:
            return
        if told := shortfall(law, system_type, policy_of(record), record["effective_date"] or today):
            errors.add("entitlement", INVALID, reason=told)

    return check


def policy_of(record: Record) -> LeavePolicy:
    """The policy that a record describes."""
    first_year = record["first_year"]
    return LeavePolicy(
        accrual=AccrualMethod(record["accrual"]),
        entitlement=_scale(record["entitlement"] or (), "year"),
        since=record["effective_date"],
        first_year=None if first_year is None else _scale(first_year, "months"),
        carry_limit_millidays=record["carry_over"]["limit"],
        expiry_months=record["carry_over"]["expiry_months"],
        **{name: record[name] for name in ("least_months", "prorate", "below_zero", "paid")},
    )


def columns(record: Record) -> Record:
    """A record as it is kept."""
    return {
        **{name: record[name] for name in ("accrual", "least_months", "prorate", "below_zero", "paid")},
        "entitlement": json_text(record["entitlement"] or []),
        "first_year": record["first_year"] and json_text(record["first_year"]),
        "carry_over_limit": record["carry_over"]["limit"],
        "carry_over_expiry_months": record["carry_over"]["expiry_months"],
    }


def policy_shown(policy: LeavePolicy) -> dict[str, Any]:
    """A policy as the API shows it."""
    limit = policy.carry_limit_millidays
    return {
        "entitlement": _steps(policy.entitlement, "year"),
        "accrual": policy.accrual.value,
        "least_months": policy.min_service_months,
        "first_year": None if policy.first_year is None else _steps(policy.first_year, "months"),
        "carry_over": {"limit": None if limit is None else shown(limit), "expiry_months": policy.expiry_months},
        "prorate": policy.prorate,
        "below_zero": policy.allows_negative,
        "paid": policy.paid,
        "effective_date": policy.since,
    }


def _scale(steps: Any, measure: str) -> Scale:
    return Scale(tuple(step[measure] for step in steps), tuple(step["days"] for step in steps))


def _steps(scale: Scale, measure: str) -> list[dict[str, int | float]]:
    return [{measure: least, "days": shown(days)} for least, days in zip(scale.thresholds, scale.values, strict=True)]
