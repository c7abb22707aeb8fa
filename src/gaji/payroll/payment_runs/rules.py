"""Pure checks of payment runs."""

from collections.abc import Mapping
from datetime import date, timedelta

from gaji.company.waves.queries import PayCalendar
from gaji.core.error_codes import NOT_A_PERIOD_END, OUT_OF_RANGE, UNKNOWN_ID
from gaji.core.errors import ErrorCode, Errors
from gaji.core.validation import Record, Rule
from gaji.engine.dates import MAX_DATE
from gaji.engine.periods import NotAPeriodEnd
from gaji.payroll.payslips.draft_periods import PeriodKey

MAX_PAYMENT_DISTANCE = timedelta(days=366)
MAX_DAYS_AHEAD = timedelta(days=31)
"""How far ahead a bank can be asked to pay."""

PERIOD_OUT_OF_RANGE = ErrorCode(
    "period_end_out_of_range", "must be from {first}, the end of the first period of this wave, to {last}"
)


def period_rule(waves: Mapping[int, PayCalendar]) -> Rule:
    """Return the rule that the wave belongs to the client and one of its periods ends on the date."""

    def check(record: Record, errors: Errors) -> None:
        wave_id, end = record["wave_id"], record["period_end_date"]
        if wave_id is not None and wave_id not in waves:
            errors.add("wave_id", UNKNOWN_ID, resource="wave", id=wave_id)
        if wave_id not in waves or end is None:
            return
        wave = waves[wave_id]
        first = wave.schedule.end(wave.first_offset)
        if not first <= end <= MAX_DATE:
            errors.add("period_end_date", PERIOD_OUT_OF_RANGE, first=first, last=MAX_DATE)
            return
        try:
            wave.schedule.offset(end)
        except NotAPeriodEnd as error:
            errors.add("period_end_date", NOT_A_PERIOD_END, **error.params)

    return check


def payment_date_rule(period_end: date) -> Rule:
    """Return the rule that a run is paid within a year of the end of its period."""

    def check(record: Record, errors: Errors) -> None:
        first, last = period_end - MAX_PAYMENT_DISTANCE, period_end + MAX_PAYMENT_DISTANCE
        payment_date = record["payment_date"]
        if payment_date is not None and not first <= payment_date <= last:
            errors.add("payment_date", OUT_OF_RANGE, minimum=first, maximum=last)

    return check


def made_payment_rule(period_end: date, today: date) -> Rule:
    """Return the rule that a run is paid within a year of the end of its period, and in 31 days at the latest."""
    first = period_end - MAX_PAYMENT_DISTANCE
    last = min(period_end + MAX_PAYMENT_DISTANCE, today + MAX_DAYS_AHEAD)

    def check(record: Record, errors: Errors) -> None:
        payment_date = record["payment_date"]
        if payment_date is not None and not first <= payment_date <= last:
            errors.add("payment_date", OUT_OF_RANGE, minimum=first, maximum=last)

    return check


def period_key(wave_id: int, period_end_date: date, waves: Mapping[int, PayCalendar]) -> PeriodKey:
    """Return the period of a wave that ends on a date."""
    return PeriodKey(wave_id, waves[wave_id].schedule.offset(period_end_date))
