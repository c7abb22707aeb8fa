"""Explanations of hours worked on a rest day: the part of a rest day they count as, and the overtime."""

from gaji.law.explanation import FactExplanation
from gaji.law.notation import choose, line, otherwise, up_to
from gaji.law.pay import rest_days
from gaji.law.quantities import HALF_DAY, MILLI, format_millis, millis

ACT = "Employment Act 1968, s. 37"


def explain_days(worked_millihours: int, normal_millihours: int) -> FactExplanation:
    """Explain how much of one rest day these hours are."""
    columns = millis([0]) + worked_millihours, millis([0]) + normal_millihours
    days = format_millis(int(rest_days.rest_day_millidays(*columns)[0]))
    clauses = (
        up_to(0, 0),
        up_to(f"{format_millis(normal_millihours)} ÷ 2", format_millis(HALF_DAY)),
        otherwise(format_millis(MILLI)),
    )
    return FactExplanation(
        figure="rest_day_days",
        result=days,
        unit="days",
        inputs=_inputs(worked_millihours, normal_millihours),
        rule="Up to half the normal hours of a day count as half a rest day, more as a whole one.",
        source=ACT,
        branch={"0": "not worked", "0.5": "half a rest day", "1": "a whole rest day"}[days],
        parameters=(),
        arithmetic=(line(choose(format_millis(worked_millihours), *clauses), days),),
    )


def explain_overtime(worked_millihours: int, normal_millihours: int) -> FactExplanation:
    """Explain how many of these hours are overtime."""
    columns = millis([0]) + worked_millihours, millis([0]) + normal_millihours
    hours = format_millis(int(rest_days.overtime_millihours(*columns)[0]))
    beyond = f"{format_millis(worked_millihours)} − {format_millis(normal_millihours)}"
    return FactExplanation(
        figure="rest_day_overtime",
        result=hours,
        unit="hours",
        inputs=_inputs(worked_millihours, normal_millihours),
        rule="Hours beyond the normal hours of a day are overtime, and part of an hour counts as a whole hour.",
        source=ACT,
        branch="within the normal hours" if hours == "0" else "beyond the normal hours",
        parameters=(),
        arithmetic=(line(f"ceil(max({beyond}, 0))", hours),),
    )


def _inputs(worked_millihours: int, normal_millihours: int) -> dict[str, str]:
    return {"hours worked": format_millis(worked_millihours), "normal hours per day": format_millis(normal_millihours)}
