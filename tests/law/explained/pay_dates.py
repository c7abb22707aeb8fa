"""Working days, deadlines of payment, and notice."""

from collections.abc import Mapping

from gaji.law import registry
from gaji.law.months import Month
from gaji.law.pay import working_days as rule
from gaji.law.pay.deadlines import TerminationKind
from gaji.law.pay.explanations import deadlines, notice, working_days
from tests.law.cases import Case
from tests.law.explained.kinds import MONTH, Explanations, Kind, kind
from tests.law.terms import WEEKS


def _working_days(law: registry.Law, case: Case) -> Explanations:
    month = Month.parse(case["month"])
    service = case.get("from"), case.get("to")
    weeks = rule.weeks([case["week"]])
    return {"days": working_days.explain(law.holidays, month.first_day, month.last_day, weeks, *service)}


def _week_of_hours(law: registry.Law, case: Case) -> Explanations:
    return {"week": working_days.explain_half_days_from_hours(law.pay, MONTH, case["hours"])}


def _period_due(law: registry.Law, case: Case) -> Explanations:
    given = law.pay, MONTH, case["period_end"]
    return {"salary": deadlines.explain_salary_due(*given), "overtime": deadlines.explain_overtime_due(*given)}


def _last_salary(law: registry.Law, case: Case) -> Explanations:
    ending, weeks = TerminationKind[case["ending"]], rule.weeks([case.get("week", WEEKS[0])])
    on, at_latest = deadlines.explain_final_salary_due(law.pay, MONTH, law.holidays, ending, case["last_day"], weeks)
    return {"on": on, "at_latest": at_latest}


def _notice(law: registry.Law, case: Case) -> Explanations:
    given = law.pay, MONTH, case["joined"], case["given"]
    return {"days": notice.explain_notice_days(*given), "last_day": notice.explain_last_day(*given)}


KINDS: Mapping[tuple[str, str], Kind] = {
    ("pay_working_days", "working_days"): kind("month week from to", "days", _working_days),
    ("pay_working_days", "week_of_hours"): kind("hours", "week", _week_of_hours),
    ("pay_dates", "period_due"): kind("period_end", "salary overtime", _period_due),
    ("pay_dates", "last_salary"): kind("ending week last_day", "on at_latest", _last_salary),
    ("pay_dates", "notice"): kind("joined given", "days last_day", _notice),
}
