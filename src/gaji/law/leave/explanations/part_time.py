"""Explanation of the leave of part-time employees."""

from gaji.law.explanation import FactExplanation, used_parameter
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.leave.part_time import PartTimeHours, hours_text
from gaji.law.months import Month
from gaji.law.notation import line
from gaji.law.quantities import MILLI, format_millis


def explain_part_time(
    parameters: LeaveParameters, month: Month, figure: str, days: int, hours: PartTimeHours
) -> FactExplanation:
    """Explain the own days of a part-time employee for the days of a full-time employee."""
    limit = parameters.part_time_below.at(month)
    result = format_millis(hours.share_millidays(days * MILLI))
    leave_hours = format_millis(hours.leave_millihours(days * MILLI))
    return FactExplanation(
        figure=f"{figure}_part_time",
        result=result,
        unit="days",
        inputs=hours_inputs(days, hours),
        rule="An employee who works fewer hours a week than a full-time employee has leave in proportion to the hours. "
        "Days are the hours of leave divided by the hours of the employee's own days.",
        source=limit.source,
        branch=f"less than {limit.value} hours per week; {leave_hours} hours of leave",
        parameters=(used_parameter("hours per week of a full-time employee", limit, str(limit.value)),),
        arithmetic=(line(f"round({MILLI} × {days} × {hours.expression}) ÷ {MILLI}", result),),
    )


def hours_inputs(days: int, hours: PartTimeHours) -> dict[str, str]:
    """The inputs of an explanation that compares hours."""
    return {
        "days of a full-time employee": str(days),
        "hours per week": hours_text(hours.week_millihours),
        "hours of a day": hours_text(hours.day_millihours),
        "full-time hours per week": format_millis(hours.full_time.week_millihours),
        "full-time hours per day": format_millis(hours.full_time.day_millihours),
        "thousandths": str(MILLI),
    }
