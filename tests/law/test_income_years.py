"""The year of income."""

import random
from datetime import date, timedelta
from pathlib import Path

import pytest

from gaji.law import registry, tax
from gaji.law.tax import IncomeDates, YearRule
from tests.law import reference_income_years
from tests.law.cases import DATE_CASES, Case, cases

DATES = ("declaration_date", "approval_date", "for_from", "for_to", "entitlement_date")
FLAGS = ("contractual", "approved_in_advance")
PAID_IN_JANUARY = IncomeDates(date(2025, 12, 1), date(2025, 12, 31), date(2026, 1, 7))


@cases("income_years", directory=DATE_CASES)
def test_case(case: Case, law: registry.Law) -> None:
    start, end = case["period"]
    dates = IncomeDates(start, end, case["paid"], case.get("last_day"))
    span = tax.income_span(law.tax, YearRule(case["rule"]), dates, case.get("inputs", {}))
    assert list(range(span.first.year, span.last.year + 1)) == case["years"]
    assert span.rule.endswith(".")
    assert span.source


@pytest.mark.parametrize(
    ("switch", "value", "rule", "year"),
    [
        ("commission_year", "paid", YearRule.COMMISSION, 2026),
        ("arrears_year", "payment", YearRule.ARREARS, 2026),
        ("contribution_year", "payment", YearRule.CONTRIBUTION, 2026),
    ],
)
def test_open_questions_are_switches(
    law: registry.Law, tmp_path: Path, switch: str, value: str, rule: YearRule, year: int
) -> None:
    assert tax.income_span(law.tax, rule, PAID_IN_JANUARY, {}).first.year == 2025
    (tmp_path / "tax.toml").write_text(
        f'[{switch}]\nvalues = [{{ from = 2016-01-01, value = "{value}", source = "our auditor" }}]\n'
    )
    overridden = registry.load(tmp_path)
    assert tax.income_span(overridden.tax, rule, PAID_IN_JANUARY, {}).first.year == year


def test_100_000_random_payments_agree_with_the_reference(law: registry.Law) -> None:
    rng, rules = random.Random(18), list(YearRule)

    def day(first: date = date(2016, 1, 1), days: int = 4000) -> date:
        return first + timedelta(days=rng.randrange(days))

    for _ in range(100_000):
        start = day()
        end = day(start, 31)
        paid, last_day = day(end - timedelta(days=10), 50), rng.choice([None, day(start - timedelta(days=40), 90)])
        inputs: dict[str, str | bool] = {
            name: str(day(start - timedelta(days=400), 800)) for name in DATES if rng.random() < 0.4
        }
        inputs |= {name: rng.random() < 0.5 for name in FLAGS if rng.random() < 0.6}
        inputs["commission_for"] = rng.choice(["month", "longer"])
        rule = rng.choice(rules)
        span = tax.income_span(law.tax, rule, IncomeDates(start, end, paid, last_day), inputs)
        expected = reference_income_years.income_years(rule.value, start, end, paid, last_day, inputs)
        assert list(range(span.first.year, span.last.year + 1)) == expected, (rule, start, end, paid, last_day, inputs)
