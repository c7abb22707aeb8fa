"""Gains from share options and share awards."""

from dataclasses import replace
from datetime import date
from pathlib import Path

from gaji.law import registry, share_gains
from gaji.law.share_gains import ShareGain, SharePlan
from tests.law import arithmetic
from tests.law.cases import DATE_CASES, Case, cases, in_cents, load_cases

DAYS = ("exercise_date", "vesting_date", "restriction_end_date")


def case_gain(case: Case) -> ShareGain:
    """The shares of a case."""
    days = {name: case[name] for name in DAYS if name in case}
    values = {name: case[name] for name in ("market_value", "price", "shares")}
    return ShareGain(SharePlan(case["plan"]), case["grant_date"], **values, **days)


@cases("share_gains", directory=DATE_CASES)
def test_case(case: Case, law: registry.Law) -> None:
    gain = case_gain(case)
    assert share_gains.income_date(gain).year == case["year"]
    assert share_gains.gain_cents(law.share_gains, gain) == in_cents(case["gain"])
    assert share_gains.income_section(law.share_gains, gain) == case["section"]
    explanation = share_gains.explain(law.share_gains, gain)
    assert f"income of {case['year']}" in explanation.branch
    arithmetic.check_explanation(explanation)


@cases("share_gains", "deemed", DATE_CASES)
def test_deemed_exercise(case: Case, law: registry.Law) -> None:
    day = share_gains.deemed_exercise_date(law.share_gains, case["grant_date"], case["last_day"])
    assert day == case["day"]


def test_a_deemed_gain_does_not_wait_for_the_end_of_a_restriction(law: registry.Law) -> None:
    [case] = [
        case
        for case in load_cases("share_gains", DATE_CASES)["case"]
        if case["name"].startswith("A selling restriction")
    ]
    gain = replace(case_gain(case), is_deemed=True)
    assert share_gains.income_date(gain) == case["exercise_date"]
    assert share_gains.explain(law.share_gains, gain).rule.startswith(share_gains.DEEMED_RULE)


def test_rounding_is_a_switch(tmp_path: Path) -> None:
    (tmp_path / "share_gains.toml").write_text(
        '[gain_rounding]\nvalues = [{ from = 2016-01-01, value = "nearest", source = "our auditor" }]\n'
    )
    law = registry.load(tmp_path).share_gains
    gain = ShareGain(SharePlan.AWARD, date(2026, 1, 1), "0.015", "0", "1")
    assert share_gains.gain_cents(law, gain) == 2
    arithmetic.check_explanation(share_gains.explain(law, gain))
