"""Explains the cases of pay lines."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from gaji.law import registry
from gaji.law.months import Month
from gaji.law.pay import PayParameters, incomplete_month, overtime, public_holiday_work, rest_days
from tests.law.cases import Case
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


def _public_holiday_work(law: registry.Law, case: Case) -> Explanations:
    return {"pay": public_holiday_work.explain(case_terms(case), _millis(case["days"]))}


def _overtime(law: registry.Law, case: Case) -> Explanations:
    parameters = capped() if case.get("capped") else law.pay
    terms, status = case_terms(case), case_status(case)
    return {"pay": overtime.explain(parameters, _month(case), terms, status, _millis(case["hours"]))}


def _rest_day(law: registry.Law, case: Case) -> Explanations:
    employer, employee = (_millis(case.get(name, 0)) for name in ("employer_days", "employee_days"))
    terms, status = case_terms(case), case_status(case)
    return {"pay": rest_days.explain(law.pay, MONTH, terms, status, employer, employee)}


def _month(case: Case) -> Month:
    return Month.parse(case["month"]) if "month" in case else MONTH


def _millis(number: int) -> int:
    return int(milli_column(number)[0])


KINDS: Mapping[tuple[str, str], CaseKind] = {
    ("pay_lines", "incomplete_month"): case_kind("parts working_days", "pay", _incomplete_month),
    ("pay_lines", "public_holiday_work"): case_kind(f"days {TERMS}", "pay", _public_holiday_work),
    ("pay_lines", "overtime"): case_kind(f"month hours group capped basic {TERMS}", "pay", _overtime),
    ("pay_lines", "rest_day"): case_kind(f"employer_days employee_days group basic {TERMS}", "pay", _rest_day),
}
