"""Explains the cases of pay lines and of the limits of deductions."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from gaji.law import registry
from gaji.law.months import Month
from gaji.law.pay import DeductionKind, PayParameters, days_at_rate, incomplete_month, overtime, rest_days
from gaji.law.pay import deductions as limits
from gaji.law.pay.days_at_rate import DayRateItem
from gaji.law.pay.explanations import coverage, deductions, rest_day_hours
from tests.law.cases import Case, in_cents
from tests.law.explanations.kinds import MONTH, CaseKind, Explanations, case_kind
from tests.law.pay_terms import case_periods, case_status, case_terms, milli_column

CAPPED = '[non_workman_overtime_rate]\nvalues = [{ from = 2019-04-01, value = "capped", source = "the Ministry" }]\n'
TERMS = "monthly daily hourly week_days day_hours"


@cache
def capped() -> PayParameters:
    """The parameters with the Ministry's maximum overtime rate for non-workmen."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "pay.toml").write_text(CAPPED)
        return registry.load(Path(folder)).pay


def _incomplete_month(law: registry.Law, case: Case) -> Explanations:
    return {"pay": incomplete_month.explain("basic_salary", case_periods(case["parts"]), _millis(case["working_days"]))}


def _unpaid_leave(law: registry.Law, case: Case) -> Explanations:
    days = (_millis(case[name]) for name in ("worked", "unpaid", "working_days"))
    return {"deduction": incomplete_month.explain_unpaid_leave(in_cents(case["monthly"]), *days)}


def _days_at_rate(law: registry.Law, case: Case) -> Explanations:
    return {"pay": days_at_rate.explain(DayRateItem[case["line"]], case_terms(case), _millis(case["days"]))}


def _overtime(law: registry.Law, case: Case) -> Explanations:
    parameters = capped() if case.get("capped") else law.pay
    terms, status = case_terms(case), case_status(case)
    return {"pay": overtime.explain(parameters, _month(case), terms, status, _millis(case["hours"]))}


def _rest_day(law: registry.Law, case: Case) -> Explanations:
    employer, employee = (_millis(case.get(name, 0)) for name in ("employer_days", "employee_days"))
    terms, status = case_terms(case), case_status(case)
    return {"pay": rest_days.explain(law.pay, MONTH, terms, status, employer, employee)}


def _rest_day_hours(law: registry.Law, case: Case) -> Explanations:
    hours = _millis(case["worked"]), _millis(case["normal"])
    return {"days": rest_day_hours.explain_days(*hours), "overtime": rest_day_hours.explain_overtime(*hours)}


def _coverage(law: registry.Law, case: Case) -> Explanations:
    return {"covered": coverage.explain_coverage(law.pay, _month(case), case_status(case))}


def _month(case: Case) -> Month:
    return Month.parse(case["month"]) if "month" in case else MONTH


def _of_kind(law: registry.Law, case: Case) -> Explanations:
    return {"max": limits.explain_kind(law.pay, MONTH, DeductionKind[case["kind"]], in_cents(case["salary"]))}


def _in_total(law: registry.Law, case: Case) -> Explanations:
    amounts = {DeductionKind[name]: in_cents(amount) for name, amount in case["deductions"].items()}
    salary, last = in_cents(case["salary"]), case.get("last", False)
    return {
        "max": limits.explain_total(law.pay, MONTH, salary, amounts, last),
        "excess": deductions.explain_excess(law.pay, MONTH, salary, amounts, last),
    }


def _instalments(law: registry.Law, case: Case) -> Explanations:
    owed, salary = in_cents(case["owed"]), in_cents(case["salary"])
    return {"instalments": deductions.explain_min_instalments(law.pay, MONTH, owed, salary)}


def _millis(number: int) -> int:
    return int(milli_column(number)[0])


KINDS: Mapping[tuple[str, str], CaseKind] = {
    ("pay_lines", "incomplete_month"): case_kind("parts working_days", "pay", _incomplete_month),
    ("pay_lines", "unpaid_leave"): case_kind("monthly worked unpaid working_days", "deduction", _unpaid_leave),
    ("pay_lines", "days_at_rate"): case_kind(f"line days {TERMS}", "pay", _days_at_rate),
    ("pay_lines", "overtime"): case_kind(f"month hours group capped basic {TERMS}", "pay", _overtime),
    ("pay_lines", "rest_day"): case_kind(f"employer_days employee_days group basic {TERMS}", "pay", _rest_day),
    ("pay_lines", "rest_day_hours"): case_kind("worked normal", "days overtime", _rest_day_hours),
    ("pay_lines", "coverage"): case_kind("month group basic", "covered", _coverage),
    ("pay_deductions", "of_kind"): case_kind("kind salary", "max", _of_kind),
    ("pay_deductions", "in_total"): case_kind("salary deductions last", "max excess", _in_total),
    ("pay_deductions", "instalments"): case_kind("owed salary", "instalments", _instalments),
}
