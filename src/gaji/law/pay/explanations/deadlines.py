"""Explanations of payment deadlines."""

from datetime import date

from gaji.law import holidays
from gaji.law.columns import codes, date_at, date_column
from gaji.law.explanation import FactExplanation, UsedParameter, long_date, used_parameter
from gaji.law.holidays import HolidayCalendar
from gaji.law.months import Month
from gaji.law.notation import WEEKDAYS, choose, equals, join_values, line, otherwise
from gaji.law.parameters import DatedValue
from gaji.law.pay import deadlines
from gaji.law.pay.deadlines import TerminationKind
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.working_days import OFF, Weeks

PERIOD_ACT, FINAL_ACT = "Employment Act 1968, s. 21", "Employment Act 1968, ss. 22 and 23"


def explain_salary_due(parameters: PayParameters, month: Month, period_end: date) -> FactExplanation:
    """Explain the last day on which the salary of a period may be paid."""
    due = date_at(deadlines.salary_due(parameters, month, date_column([period_end])))
    return _period_deadline("salary_due", "salary", parameters.salary_due.at(month), month, period_end, due)


def explain_overtime_due(parameters: PayParameters, month: Month, period_end: date) -> FactExplanation:
    """Explain the last day on which the overtime of a period may be paid."""
    due = date_at(deadlines.overtime_due(parameters, month, date_column([period_end])))
    return _period_deadline("overtime_due", "overtime", parameters.overtime_due.at(month), month, period_end, due)


def explain_final_salary_due(
    parameters: PayParameters,
    month: Month,
    calendar: HolidayCalendar,
    termination: TerminationKind,
    last_day: date,
    weeks: Weeks,
    index: int = 0,
) -> tuple[FactExplanation, FactExplanation]:
    """Explain the day on which the final salary is due, and the latest day on which it may be paid."""
    week = weeks[index : index + 1]
    due = deadlines.final_salary_due(parameters, month, calendar, codes([termination]), date_column([last_day]), week)
    due_on, latest_on = due.due_on[0].item(), due.latest_on[0].item()
    days = parameters.resigned_without_notice_due.at(month)
    without_notice = equals(TerminationKind.RESIGNED_WITHOUT_NOTICE.name, f"{last_day} + {days.value} days")
    expression = choose(f"ending {termination.name}", without_notice, otherwise(last_day))
    used: tuple[UsedParameter, ...] = (
        used_parameter("days after a resignation without notice", days, str(days.value)),
    )
    due_explanation = _final_deadline("last_salary_due", month, termination, last_day, due_on, expression, used)
    if termination in (TerminationKind.DISMISSED, TerminationKind.TERMINATED):
        working_days = parameters.terminated_by_employer_due.at(month)
        between = [holiday for holiday in calendar.days if last_day < holiday.day <= latest_on]
        days_off = [name for name, half_days in zip(WEEKDAYS, week[0], strict=True) if half_days == OFF]
        expression = _workday(last_day, working_days.value, days_off, [holiday.day for holiday in between])
        used = (
            used_parameter("working days after a termination by the employer", working_days, str(working_days.value)),
            *holidays.holiday_parameters(between),
        )
    return due_explanation, _final_deadline(
        "last_salary_at_latest", month, termination, last_day, latest_on, expression, used
    )


def _workday(last_day: date, count: int, days_off: list[str], holiday_dates: list[date]) -> str:
    off, dates = join_values(days_off) or "none", join_values(holiday_dates) or "none"
    return f"workday({last_day}, {count}; off {off}; holidays {dates})"


def _period_deadline(
    figure: str, pay: str, in_force: DatedValue[int], month: Month, period_end: date, due: date | None
) -> FactExplanation:
    return FactExplanation(
        figure=figure,
        result=str(due),
        unit="date",
        inputs={"month": str(month), "period_end": str(period_end)},
        rule=f"The {pay} of a period must be paid within {in_force.value} days after the end of the period.",
        source=PERIOD_ACT,
        branch=f"{in_force.value} days after {long_date(period_end)}",
        parameters=(used_parameter("days after the period", in_force, str(in_force.value)),),
        arithmetic=(line(f"{period_end} + {in_force.value} days", due),),
    )


def _final_deadline(
    figure: str,
    month: Month,
    termination: TerminationKind,
    last_day: date,
    result: date,
    expression: str,
    parameters: tuple[UsedParameter, ...],
) -> FactExplanation:
    return FactExplanation(
        figure=figure,
        result=str(result),
        unit="date",
        inputs={"month": str(month), "ending": termination.name, "last_day": str(last_day)},
        rule="The final salary is due on the last day of service. After a resignation without notice it is due some "
        "days later. If the employer ended the service and cannot pay on that day, it may be paid some working days "
        "later.",
        source=FINAL_ACT,
        branch=termination.name.lower().replace("_", " "),
        parameters=parameters,
        arithmetic=(line(expression, result),),
    )
