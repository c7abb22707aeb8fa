"""By when pay is due, explained."""

from datetime import date

from gaji.law import holidays as public_holidays
from gaji.law.columns import codes, date_at, date_column
from gaji.law.explanation import FactExplanation, UsedParameter, used_parameter
from gaji.law.holidays import HolidayCalendar
from gaji.law.months import Month
from gaji.law.notation import WEEKDAYS, choose, equals, join_values, line, otherwise
from gaji.law.parameters import DatedValue
from gaji.law.pay import deadlines
from gaji.law.pay.deadlines import TerminationKind
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.working_days import OFF, Weeks

PERIOD_ACT, LAST_ACT = "Employment Act 1968, s. 21", "Employment Act 1968, ss. 22 and 23"


def explain_salary_due(parameters: PayParameters, month: Month, period_end: date) -> FactExplanation:
    """How the last day came about on which the salary of a period may be paid."""
    due = date_at(deadlines.salary_due(parameters, month, date_column([period_end])))
    return _after_period("salary_due", "salary", parameters.salary_due.at(month), month, period_end, due)


def explain_overtime_due(parameters: PayParameters, month: Month, period_end: date) -> FactExplanation:
    """How the last day came about on which the overtime of a period may be paid."""
    due = date_at(deadlines.overtime_due(parameters, month, date_column([period_end])))
    return _after_period("overtime_due", "overtime", parameters.overtime_due.at(month), month, period_end, due)


def explain_final_salary_due(
    parameters: PayParameters,
    month: Month,
    holidays: HolidayCalendar,
    ending: TerminationKind,
    last_day: date,
    weeks: Weeks,
    index: int = 0,
) -> tuple[FactExplanation, FactExplanation]:
    """How the day came about on which the last salary is due, and the last one on which it may be paid."""
    week = weeks[index : index + 1]
    due = deadlines.final_salary_due(parameters, month, holidays, codes([ending]), date_column([last_day]), week)
    on, at_latest = due.due_on[0].item(), due.latest_on[0].item()
    days_later = parameters.resigned_without_notice_due.at(month)
    working_days = parameters.terminated_by_employer_due.at(month)
    within = [holiday for holiday in holidays.days if last_day < holiday.day <= at_latest]
    off = [name for name, entry in zip(WEEKDAYS, week[0], strict=True) if entry == OFF]
    without_notice = equals(TerminationKind.RESIGNED_WITHOUT_NOTICE.name, f"{last_day} + {days_later.value} days")
    by_itself = choose(f"ending {ending.name}", without_notice, otherwise(last_day))
    shown: tuple[UsedParameter, ...] = (
        used_parameter("days after a resignation without notice", days_later, str(days_later.value)),
    )
    first = _last("last_salary_due", month, ending, last_day, on, by_itself, shown)
    if ending not in (TerminationKind.DISMISSED, TerminationKind.TERMINATED):
        return first, _last("last_salary_at_latest", month, ending, last_day, at_latest, by_itself, shown)
    by_employer = _workday(last_day, working_days.value, off, [holiday.day for holiday in within])
    shown = (
        used_parameter("working days after an end by the employer", working_days, str(working_days.value)),
        *public_holidays.holiday_parameters(within),
    )
    return first, _last("last_salary_at_latest", month, ending, last_day, at_latest, by_employer, shown)


def _workday(last_day: date, count: int, off: list[str], within: list[date]) -> str:
    return f"workday({last_day}, {count}; off {join_values(off) or 'none'}; holidays {join_values(within) or 'none'})"


def _after_period(
    figure: str, what: str, in_force: DatedValue[int], month: Month, period_end: date, due: date | None
) -> FactExplanation:
    return FactExplanation(
        figure=figure,
        result=str(due),
        unit="date",
        inputs={"month": str(month), "period_end": str(period_end)},
        rule=f"The {what} of a period is paid within so many days after its end.",
        source=PERIOD_ACT,
        branch=f"{in_force.value} days after {period_end}",
        parameters=(used_parameter("days after the period", in_force, str(in_force.value)),),
        arithmetic=(line(f"{period_end} + {in_force.value} days", due),),
    )


def _last(
    figure: str,
    month: Month,
    ending: TerminationKind,
    last_day: date,
    result: date,
    expression: str,
    parameters: tuple[UsedParameter, ...],
) -> FactExplanation:
    return FactExplanation(
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
