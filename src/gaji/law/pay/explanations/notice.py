"""Explanations of the notice period and of the last day of service after a notice."""

from datetime import date

from gaji.law.columns import date_at, date_column
from gaji.law.explanation import FactExplanation, UsedParameter, used_parameter
from gaji.law.length_of_service import completed_months_before, completed_weeks_before
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import choose, format_clauses, line, scale_clauses
from gaji.law.pay import notice
from gaji.law.pay.parameters import PayParameters
from gaji.law.quantities import counts
from gaji.law.scale import Scale

ACT = "Employment Act 1968, s. 10(3)"


def explain_notice_days(parameters: PayParameters, month: Month, first_day: date, notice_date: date) -> FactExplanation:
    """Explain the calendar days of notice."""
    return FactExplanation(
        figure="notice_days",
        result=str(_notice_days(parameters, month, first_day, notice_date)),
        unit="calendar days",
        inputs=_inputs(month, first_day, notice_date),
        rule="The longer of the notice for the completed weeks and for the completed years of service.",
        source=ACT,
        branch=_branch(first_day, notice_date),
        parameters=_parameters(parameters, month),
        arithmetic=_lines(parameters, month, first_day, notice_date),
    )


def explain_last_day(parameters: PayParameters, month: Month, first_day: date, notice_date: date) -> FactExplanation:
    """Explain the last day of service after the statutory notice."""
    notice_days = _notice_days(parameters, month, first_day, notice_date)
    last_day = date_at(notice.last_days(date_column([notice_date]), counts([notice_days])))
    return FactExplanation(
        figure="last_day_of_notice",
        result=str(last_day),
        unit="date",
        inputs=_inputs(month, first_day, notice_date),
        rule="Notice is counted in calendar days, including the day on which it is given.",
        source=ACT,
        branch=_branch(first_day, notice_date),
        parameters=_parameters(parameters, month),
        arithmetic=(
            *_lines(parameters, month, first_day, notice_date),
            line(f"{notice_date} + {notice_days} days − 1 day", last_day),
        ),
    )


def _notice_days(parameters: PayParameters, month: Month, first_day: date, notice_date: date) -> int:
    return int(notice.notice_days(parameters, month, date_column([first_day]), date_column([notice_date]))[0])


def _completed(first_day: date, notice_date: date) -> tuple[int, int]:
    """Completed weeks and months of service."""
    first, notice_given = date_column([first_day]), date_column([notice_date])
    return int(completed_weeks_before(first, notice_given)[0]), int(completed_months_before(first, notice_given)[0])


def _lines(parameters: PayParameters, month: Month, first_day: date, notice_date: date) -> tuple[str, ...]:
    scales, (weeks, months) = parameters.notice.at(month).value, _completed(first_day, notice_date)
    years = months // MONTHS_PER_YEAR
    by_weeks, by_years = _scale_value(scales.by_weeks, weeks), _scale_value(scales.by_years, years)
    return (
        line(f"weeks({first_day}, {notice_date})", weeks),
        line(choose(weeks, *scale_clauses(scales.by_weeks)), by_weeks),
        line(f"months({first_day}, {notice_date})", months),
        line(f"floor({months} ÷ {MONTHS_PER_YEAR})", years),
        line(choose(years, *scale_clauses(scales.by_years)), by_years),
        line(f"max({by_weeks}, {by_years})", _notice_days(parameters, month, first_day, notice_date)),
    )


def _scale_value(scale: Scale, measure: int) -> int:
    return int(scale.at(counts([measure]))[0])


def _inputs(month: Month, first_day: date, notice_date: date) -> dict[str, str]:
    return {"month": str(month), "first day of service": str(first_day), "notice given on": str(notice_date)}


def _branch(first_day: date, notice_date: date) -> str:
    weeks, months = _completed(first_day, notice_date)
    return f"{weeks} completed weeks and {months // MONTHS_PER_YEAR} completed years of service"


def _parameters(parameters: PayParameters, month: Month) -> tuple[UsedParameter, ...]:
    in_force = parameters.notice.at(month)
    by_weeks, by_years = scale_clauses(in_force.value.by_weeks), scale_clauses(in_force.value.by_years)
    return (
        used_parameter("days of notice by completed weeks", in_force, format_clauses(by_weeks)),
        used_parameter("days of notice by completed years", in_force, format_clauses(by_years)),
    )
