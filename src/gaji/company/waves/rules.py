"""Checks of a wave's schedule and pay dates."""

from gaji.core.error_codes import NOT_A_PERIOD_END, NOT_APPLICABLE, REQUIRED, REQUIRED_WHEN
from gaji.core.errors import ErrorCode, Errors
from gaji.core.validation import Record, Rule
from gaji.engine.periods import MAX_DAY_IN_EVERY_MONTH, NotAPeriodEnd, schedule_from_first_end

SCHEDULE_ATTRIBUTES = ("frequency", "interim_day_of_month", "last_day_of_month", "first_end_date")
"""The attributes that determine when the periods of a wave end."""
RELATIVE_WHEN = ("before", "after")
FIXED_WHEN = ("previous", "current", "next")
DAY_BASED_FREQUENCIES = ("weekly", "fortnightly")

INTERIM_IS_LAST_DAY = ErrorCode("interim_is_last_day", "must differ from last_day_of_month")
SAME_DAY_IN_SHORT_MONTH = ErrorCode(
    "same_day_in_short_month",
    "{interim_day} and {last_day} are the same day in a short month; one of them must be below {limit}",
)
MUST_BE_RELATIVE = ErrorCode("must_be_relative", "must be relative when frequency is {frequency}")
NOT_ALLOWED_FOR_TYPE = ErrorCode("not_allowed_for_type", "must be one of {allowed} when type is {type}")
INTERIM_PAY_DATE_REQUIRED = ErrorCode(
    "interim_pay_date_required", "is required when frequency is twice_a_month and type is fixed"
)
FEATURE_DISABLED = ErrorCode(
    "feature_disabled", "cannot be set because the feature {feature} is not enabled for this client"
)


def check_schedule(record: Record, errors: Errors) -> None:
    """Check the days of the month and that the first end date matches them."""
    frequency, first_end = record["frequency"], record["first_end_date"]
    last_day, interim_day = record["last_day_of_month"], record["interim_day_of_month"]
    if frequency == "twice_a_month" and last_day and interim_day:
        _check_interim_day(interim_day, last_day, errors)
    if frequency is None or first_end is None or not errors.keys().isdisjoint(SCHEDULE_ATTRIBUTES):
        return
    try:
        schedule_from_first_end(frequency, first_end, last_day, interim_day)
    except NotAPeriodEnd as error:
        errors.add("first_end_date", NOT_A_PERIOD_END, **error.params)


def _check_interim_day(interim_day: int, last_day: int, errors: Errors) -> None:
    if last_day == interim_day:
        errors.add("interim_day_of_month", INTERIM_IS_LAST_DAY)
    elif min(last_day, interim_day) >= MAX_DAY_IN_EVERY_MONTH:
        errors.add(
            "interim_day_of_month",
            SAME_DAY_IN_SHORT_MONTH,
            interim_day=interim_day,
            last_day=last_day,
            limit=MAX_DAY_IN_EVERY_MONTH,
        )


def check_pay_dates(record: Record, errors: Errors) -> None:
    """Check that the pay dates match the frequency."""
    pay_dates, frequency = record["pay_dates"], record["frequency"]
    if not pay_dates:
        return
    if not pay_dates["enabled"]:
        _drop_errors_of_disabled(errors)
        return
    kind, when = pay_dates["type"], pay_dates["when"]
    if kind == "fixed" and frequency in DAY_BASED_FREQUENCIES:
        errors.add("pay_dates.type", MUST_BE_RELATIVE, frequency=frequency)
    allowed = RELATIVE_WHEN if kind == "relative" else FIXED_WHEN
    if kind and when and when not in allowed:
        errors.add("pay_dates.when", NOT_ALLOWED_FOR_TYPE, allowed=allowed, type=kind)
    if kind == "fixed" and frequency == "twice_a_month":
        for name in ("interim_day", "interim_when"):
            if pay_dates[name] is None:
                errors.add_if_absent(f"pay_dates.{name}", INTERIM_PAY_DATE_REQUIRED)


def _drop_errors_of_disabled(errors: Errors) -> None:
    """Require no other attributes of disabled pay dates. Values that are not valid remain errors."""
    if "pay_dates.enabled" not in errors:
        for path, error in list(errors.items()):
            if path.startswith("pay_dates.") and error.kind in (REQUIRED, REQUIRED_WHEN, NOT_APPLICABLE):
                del errors[path]


def feature_rule(*, custom_wave_names: bool, pay_dates: bool) -> Rule:
    """Return the check that only attributes of enabled features are set."""
    enabled = {
        "custom_name": ("custom_wave_names", custom_wave_names),
        "pay_dates": ("pay_dates", pay_dates),
    }

    def check(record: Record, errors: Errors) -> None:
        for attribute, (feature, is_enabled) in enabled.items():
            if record[attribute] is not None and not is_enabled:
                errors.add(attribute, FEATURE_DISABLED, feature=feature)

    return check
