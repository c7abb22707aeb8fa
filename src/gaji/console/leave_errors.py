"""Errors of a form for leave on several dates. Errors that differ only in their date are joined into one sentence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from gaji.console.error_messages import error_text
from gaji.console.formats import format_count, format_day, format_list, format_span, sum_days
from gaji.core.errors import ErrorCode, Errors, FieldError, ValidationError
from gaji.leave.days.duration import LeaveTime
from gaji.leave.days.validate import NOT_ENOUGH_LEAVE, NOT_ENOUGH_LEAVE_PENDING

MORE_THAN_LEFT = ErrorCode(
    "more_than_left", "{requested} of {leave_type} are {excess} more than are left on {date} ({available} available)"
)
MORE_THAN_LEFT_PENDING = ErrorCode(
    "more_than_left_pending",
    "{requested} of {leave_type} are {excess} more than are left on {date} "
    "({available} available, {pending} in pending requests)",
)
SUMMARIES = {NOT_ENOUGH_LEAVE: MORE_THAN_LEFT, NOT_ENOUGH_LEAVE_PENDING: MORE_THAN_LEFT_PENDING}
"""The errors that say by how much all days of a request are too many, for those of one day."""
REASONS = frozenset({"available_from", "requires"})
"""Parameters that say why there is no leave on a date."""
MAX_SPANS = 6


def join_leave_errors(error: ValidationError, times: Sequence[LeaveTime], texts: Mapping[str, str]) -> ValidationError:
    """Return an error with one message for all dates that it applies to. `times` are the requested days."""
    joined, groups = Errors(), dict[tuple[str, str], list[FieldError]]()
    for path, field_error in error.errors.items():
        if isinstance(field_error.params.get("date"), date):
            groups.setdefault(_group_key(field_error, texts), []).append(field_error)
        else:
            joined[path] = field_error
    for field_errors in groups.values():
        first, is_shortage = field_errors[0], _is_shortage(field_errors[0])
        joined[first.path] = _join_shortages(field_errors, times) if is_shortage else _join_dates(field_errors, times)
    return ValidationError(joined)


def _group_key(error: FieldError, texts: Mapping[str, str]) -> tuple[str, str]:
    """Return what the errors of a group have in common: the attribute, and the leave type or the text."""
    attribute = error.path.rpartition(".")[2]
    if _is_shortage(error):
        return attribute, str(error.params["leave_type"])
    return attribute, error_text(replace(error, params={**error.params, "date": ""}), texts=texts)


def _is_shortage(error: FieldError) -> bool:
    return error.kind in SUMMARIES and not REASONS & error.params.keys()


def _join_shortages(errors: Sequence[FieldError], times: Sequence[LeaveTime]) -> FieldError:
    """Return the error of the date on which most days are missing, with the days that are requested until then."""
    worst = max(errors, key=lambda error: _excess_days(error, times))
    excess, day = _excess_days(worst, times), worst.params["date"]
    if excess <= 0:  # leave expires in between
        return replace(worst, path=errors[0].path)
    requested = format_count(sum_days(_until(times, day)), "day")
    if any(time.date > day for time in times):
        requested = f"{requested} until {format_day(day)}"
    params = {**worst.params, "requested": requested, "excess": format_count(excess, "day")}
    return FieldError(errors[0].path, SUMMARIES[worst.kind], params)


def _excess_days(error: FieldError, times: Sequence[LeaveTime]) -> int | float:
    """Return how many of the days that are requested until the date of an error are more than were left."""
    available = float(Decimal(str(error.params["available"])))
    return sum_days(_until(times, error.params["date"]), less=available)


def _until(times: Iterable[LeaveTime], day: date) -> list[LeaveTime]:
    return [time for time in times if time.date <= day]


def _join_dates(errors: Sequence[FieldError], times: Sequence[LeaveTime]) -> FieldError:
    """Return the first error, about all dates. Requested dates that follow each other become a span."""
    if len(errors) == 1:
        return errors[0]
    days = {error.params["date"] for error in errors}
    spans: list[list[date]] = []
    previous_joins = False
    for day in sorted(days.union(time.date for time in times)):
        if day in days and previous_joins:
            spans[-1].append(day)
        elif day in days:
            spans.append([day])
        previous_joins = day in days
    parts = [format_span(span[0], span[-1]) for span in spans[:MAX_SPANS]]
    if rest := sum(len(span) for span in spans[MAX_SPANS:]):
        parts.append(f"{format_count(rest, 'more day')}")
    return replace(errors[0], params={**errors[0].params, "date": format_list(parts)})
