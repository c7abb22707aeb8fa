"""By when pay is due, explained."""

from datetime import date

from gaji.law import holidays as public_holidays
from gaji.law.columns import codes, days, one_day
from gaji.law.explanation import Finding, Parameter, parameter
from gaji.law.holidays import Holidays
from gaji.law.months import Month
from gaji.law.notation import WEEKDAYS, choose, line, listed, otherwise, same
from gaji.law.parameters import InForce
from gaji.law.pay import deadlines
from gaji.law.pay.deadlines import Ending
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.working_days import OFF, Weeks

PERIOD_ACT, LAST_ACT = "Employment Act 1968, s. 21", "Employment Act 1968, ss. 22 and 23"


def salary(parameters: PayParameters, month: Month, period_end: date) -> Finding:
    """How the last day came about on which the salary of a period may be paid."""
    due = one_day(deadlines.salary(parameters, month, days([period_end])))
    return _after_period("salary_due", "salary", parameters.salary_due.at(month), month, period_end, due)


def overtime(parameters: PayParameters, month: Month, period_end: date) -> Finding:
    """How the last day came about on which the overtime of a period may be paid."""
    due = one_day(deadlines.overtime(parameters, month, days([period_end])))
    return _after_period("overtime_due", "overtime", parameters.overtime_due.at(month), month, period_end, due)


def last_salary(
    parameters: PayParameters,
    month: Month,
    holidays: Holidays,
    ending: Ending,
    last_day: date,
    weeks: Weeks,
    place: int = 0,
) -> tuple[Finding, Finding]:
    """How the day came about on which the last salary is due, and the last one on which it may be paid."""
    week = weeks[place : place + 1]
    due = deadlines.last_salary(parameters, month, holidays, codes([ending]), days([last_day]), week)
    on, at_latest = due.on[0].item(), due.at_latest[0].item()
    days_later = parameters.resigned_without_notice_due.at(month)
    working_days = parameters.ended_by_employer_due.at(month)
    within = [holiday for holiday in holidays.days if last_day < holiday.day <= at_latest]
    off = [name for name, entry in zip(WEEKDAYS, week[0], strict=True) if entry == OFF]
    without_notice = same(Ending.RESIGNED_WITHOUT_NOTICE.name, f"{last_day} + {days_later.value} days")
    by_itself = choose(f"ending {ending.name}", without_notice, otherwise(last_day))
    shown: tuple[Parameter, ...] = (
        parameter("days after a resignation without notice", days_later, str(days_later.value)),
    )
    first = _last("last_salary_due", month, ending, last_day, on, by_itself, shown)
    if ending not in (Ending.DISMISSED, Ending.TERMINATED):
        return first, _last("last_salary_at_latest", month, ending, last_day, at_latest, by_itself, shown)
    by_employer = _workday(last_day, working_days.value, off, [holiday.day for holiday in within])
    shown = (
        parameter("working days after an end by the employer", working_days, str(working_days.value)),
        *public_holidays.shown(within),
    )
    return first, _last("last_salary_at_latest", month, ending, last_day, at_latest, by_employer, shown)


def _workday(last_day: date, count: int, off: list[str], within: list[date]) -> str:
    return f"workday({last_day}, {count}; off {listed(off) or 'none'}; holidays {listed(within) or 'none'})"


def _after_period(
    figure: str, what: str, in_force: InForce[int], month: Month, period_end: date, due: date | None
) -> Finding:
    return Finding(
        figure=figure,
        result=str(due),
        unit="date",
        inputs={"month": str(month), "period_end": str(period_end)},
        rule=f"The {what} of a period is paid within so many days after its end.",
        source=PERIOD_ACT,
        branch=f"{in_force.value} days after {period_end}",
        parameters=(parameter("days after the period", in_force, str(in_force.value)),),
        arithmetic=(line(f"{period_end} + {in_force.value} days", due),),
    )


def _last(
    figure: str,
    month: Month,
    ending: Ending,
    last_day: date,
    result: date,
    expression: str,
    parameters: tuple[Parameter, ...],
) -> Finding:
    return Finding(
        figure=figure,
        result=str(result),
        unit="date",
        inputs={"month": str(month), "ending": ending.name, "last_day": str(last_day)},
        rule="The last salary is due on the last day of service; after a resignation without notice some days later; "
        "where the employer ended the service and could not pay on that day, some working days later.",
        source=LAST_ACT,
        branch=ending.name.lower().replace("_", " "),
        parameters=parameters,
        arithmetic=(line(expression, result),),
    )
