"""Explains the cases of working days, payment deadlines and notice."""

from collections.abc import Mapping

from gaji.law import registry
from gaji.law.months import Month
from gaji.law.pay import working_days as rule
from gaji.law.pay.deadlines import TerminationKind
from gaji.law.pay.explanations import deadlines, notice, working_days
from tests.law.cases import Case
from tests.law.explanations.kinds import MONTH, CaseKind, Explanations, case_kind
from tests.law.pay_terms import WEEKS


def _working_days(law: registry.Law, case: Case) -> Explanations:
    month = Month.parse(case["month"])
    service = case.get("from"), case.get("to")
    weeks = rule.weeks([case["week"]])
    return {"days": working_days.explain(law.holidays, month.first_day, month.last_day, weeks, *service)}


def _week_of_hours(law: registry.Law, case: Case) -> Explanations:
    return {"week": working_days.explain_half_days_from_hours(law.pay, MONTH, case["hours"])}


def _period_due(law: registry.Law, case: Case) -> Explanations:
    arguments = law.pay, MONTH, case["period_end"]
    return {"salary": deadlines.explain_salary_due(*arguments), "overtime": deadlines.explain_overtime_due(*arguments)}


def _last_salary(law: registry.Law, case: Case) -> Explanations:
    termination, weeks = TerminationKind[case["termination"]], rule.weeks([case.get("week", WEEKS[0])])
    due_on, latest_on = deadlines.explain_final_salary_due(
        law.pay, MONTH, law.holidays, termination, case["last_day"], weeks
    )
    return {"due_on": due_on, "latest_on": latest_on}


def _notice(law: registry.Law, case: Case) -> Explanations:
    arguments = law.pay, MONTH, case["joined"], case["notice_date"]
    return {"days": notice.explain_notice_days(*arguments), "last_day": notice.explain_last_day(*arguments)}


KINDS: Mapping[tuple[str, str], CaseKind] = {
    ("pay_working_days", "working_days"): case_kind("month week from to", "days", _working_days),
    ("pay_working_days", "week_of_hours"): case_kind("hours", "week", _week_of_hours),
    ("pay_dates", "period_due"): case_kind("period_end", "salary overtime", _period_due),
    ("pay_dates", "last_salary"): case_kind("termination week last_day", "due_on latest_on", _last_salary),
    ("pay_dates", "notice"): case_kind("joined notice_date", "days last_day", _notice),
}
