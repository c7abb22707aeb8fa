"""What can be written of a wave, and what makes it valid."""

from datetime import date

from gaji.core.constants import one_of
from gaji.core.errors import INVALID, Errors
from gaji.core.validation import (
    Attribute,
    Boolean,
    DateType,
    Group,
    Integer,
    OneOf,
    Record,
    Rule,
    Schema,
    Text,
    when,
)
from gaji.engine.periods import MAX_DAY_IN_EVERY_MONTH, NotAPeriodEnd, Schedule, schedule_from_first_end

EARLIEST = date(1900, 1, 1)
LATEST = date(2199, 12, 31)

SCHEDULE = {"frequency", "interim_day_of_month", "last_day_of_month", "first_end_date"}
"""What says when the periods of a wave end."""
DAY_OF_MONTH = Integer(minimum=1, maximum=31)
RELATIVE = when("type", "relative")
FIXED = when("type", "fixed")
RELATIVE_WHEN = ("before", "after")
FIXED_WHEN = ("previous", "current", "next")
BY_DAYS = ("weekly", "fortnightly")


ENABLED = when("enabled", True)

PAY_DATES = Group(
    (
        Attribute("enabled", Boolean(), "Whether payslips are paid on these dates.", required=True, example=True),
        Attribute(
            "type",
            one_of("pay_date_type"),
            "`relative` to the period end, or a `fixed` day of the month; relative if weekly or fortnightly.",
            required_if=ENABLED,
            example="relative",
        ),
        Attribute(
            "days_offset",
            Integer(minimum=0, maximum=366),
            "Days between the period end and the pay date.",
            required_if=RELATIVE,
            only_if=RELATIVE,
            example=3,
        ),
        Attribute(
            "when",
            one_of("pay_date_when"),
            "Relative: `before` or `after` the period end. Fixed: in the `previous`, `current` or `next` month.",
            required_if=ENABLED,
            example="after",
        ),
        Attribute("day", DAY_OF_MONTH, "Day of the month.", required_if=FIXED, only_if=FIXED),
        Attribute(
            "interim_day", DAY_OF_MONTH, "The same for the interim period of a twice-a-month wave.", only_if=FIXED
        ),
        Attribute(
            "interim_when",
            OneOf(FIXED_WHEN, "pay_date_when"),
            "The same for the interim period of a twice-a-month wave.",
            only_if=FIXED,
        ),
    )
)


def check_days(record: Record, errors: Errors) -> None:
    """The days of the month that a frequency needs, and a first end date that they allow."""
    frequency, first_end = record["frequency"], record["first_end_date"]
    last_day, interim_day = record["last_day_of_month"], record["interim_day_of_month"]
    if frequency == "twice_a_month" and last_day and interim_day:
        if last_day == interim_day:
            errors.add("interim_day_of_month", INVALID, reason="must differ from last_day_of_month")
        elif min(last_day, interim_day) >= MAX_DAY_IN_EVERY_MONTH:
            errors.add(
                "interim_day_of_month",
                INVALID,
                reason=f"{interim_day} and {last_day} can be the same day of a short month; one must be below {MAX_DAY_IN_EVERY_MONTH}",
            )
    if first_end is not None and not EARLIEST <= first_end <= LATEST:
        errors.add("first_end_date", INVALID, reason=f"must be from {EARLIEST} to {LATEST}")
    if frequency is None or first_end is None or errors.keys() & SCHEDULE:
        return
    try:
        schedule_of(record)
    except NotAPeriodEnd as error:
        errors.add("first_end_date", INVALID, reason=str(error))


def check_pay_dates(record: Record, errors: Errors) -> None:
    """Pay dates that fit the frequency."""
    pay_dates, frequency = record["pay_dates"], record["frequency"]
    if not pay_dates or not pay_dates["enabled"]:
        if pay_dates and "pay_dates.enabled" not in errors:
            for path in [path for path in errors if path.startswith("pay_dates.")]:
                del errors[path]  # switched off, pay dates need nothing else
        return
    kind, chosen = pay_dates["type"], pay_dates["when"]
    if kind == "fixed" and frequency in BY_DAYS:
        errors.add("pay_dates.type", INVALID, reason=f"must be relative when frequency is {frequency}")
    allowed = RELATIVE_WHEN if kind == "relative" else FIXED_WHEN
    if kind and chosen and chosen not in allowed:
        errors.add("pay_dates.when", INVALID, reason=f"must be one of {', '.join(allowed)} when type is {kind}")
    if kind == "fixed" and frequency == "twice_a_month":
        for name in ("interim_day", "interim_when"):
            if pay_dates[name] is None:
                errors.setdefault(f"pay_dates.{name}", "is required when frequency is twice_a_month and type is fixed")


def check_features(custom_wave_names: bool, pay_dates: bool) -> Rule:
    """That only what is switched on for the client is set."""

    def check(record: Record, errors: Errors) -> None:
        if record["custom_name"] is not None and not custom_wave_names:
            errors.add(
                "custom_name",
                INVALID,
                reason="cannot be set: the feature custom_wave_names is not enabled for this client",
            )
        if record["pay_dates"] is not None and not pay_dates:
            errors.add(
                "pay_dates", INVALID, reason="cannot be set: the feature pay_dates is not enabled for this client"
            )

    return check


def schedule_of(record: Record) -> Schedule:
    """The schedule that a valid record describes."""
    return schedule_from_first_end(
        record["frequency"], record["first_end_date"], record["last_day_of_month"], record["interim_day_of_month"]
    )


WAVE = Schema(
    "wave",
    (
        Attribute("frequency", one_of("frequency"), "How often.", required=True, example="monthly"),
        Attribute(
            "interim_day_of_month",
            DAY_OF_MONTH,
            "Last day of the interim period. 29 to 31 mean the last day of a shorter month.",
            required_if=when("frequency", "twice_a_month"),
        ),
        Attribute(
            "last_day_of_month",
            DAY_OF_MONTH,
            "Last day of the period. 29 to 31 mean the last day of a shorter month.",
            required_if=when("frequency", "monthly", "twice_a_month"),
            example=31,
        ),
        Attribute("first_end_date", DateType(), "End of the first period.", required=True, example="2026-01-31"),
        Attribute(
            "custom_name",
            Text(min_length=1),
            "A name of its own; an error unless the client has the feature `custom_wave_names`.",
        ),
        Attribute("pay_dates", PAY_DATES, "When payslips are paid; an error unless the client has the feature."),
    ),
    read_only=(
        "id",
        "client_id",
        "created_at",
        "updated_at",
        "name",
        "length_months",
        "length_weeks",
        "first_period_offset",
        "interim_first_end_date",
        "notification_days_before",
        "finalisation_days_before",
        "payslip_payment_day",
    ),
    rules=(check_days, check_pay_dates),
)
