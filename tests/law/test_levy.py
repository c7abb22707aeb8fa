"""The foreign worker levy."""

from pathlib import Path

import pytest

from gaji.law import levy, registry
from gaji.law.columns import cents
from gaji.law.months import Month
from gaji.law.parameters import InvalidParameterFile
from tests.law.case_people import case_month, levy_workers
from tests.law.cases import Case, cases, in_cents


@cases("levy")
def test_case(case: Case, law: registry.Law) -> None:
    month, worker = case_month(case, "2026-03"), levy_workers(case)
    amounts = levy.levy_amounts(law.levy, month, worker)
    if case["levy"] == "unknown":
        assert (amounts.has_rate.tolist(), amounts.amount_cents.tolist()) == ([False], [0])
        with pytest.raises(levy.UnknownLevyRate, match=f"in {month}; enter the amount"):
            levy.explain(law.levy, month, worker)
        return
    assert (amounts.has_rate.tolist(), amounts.amount_cents.tolist()) == ([True], [in_cents(case["levy"])])


@cases("levy", "daily")
def test_daily_rate(case: Case) -> None:
    assert levy.daily_cents(cents([in_cents(case["monthly"])])).tolist() == [in_cents(case["daily"])]


def test_part_of_a_month_never_costs_more_than_the_month(law: registry.Law) -> None:
    for history in law.levy.rates.values():
        for in_force in history.values:
            for by_skill in in_force.value.values():
                for monthly in by_skill.values():
                    assert levy.daily_cents(cents([monthly]))[0] * 30 < monthly


def test_an_explanation_lists_the_rate_and_its_date(law: registry.Law) -> None:
    explanation = levy.explain(law.levy, Month(2025, 8), levy_workers({"work_pass": "SPASS", "tier": "1"}))
    assert [(used.value, str(used.since)) for used in explanation.parameters] == [
        ("550.00", "2023-09-01"),
        ("tier 1: 550.00; tier 2: 650.00", "2023-09-01"),
    ]
    assert explanation.arithmetic == (
        "choose(tier 1; 1: 550.00; 2: 650.00) = 550.00",
        "days(2025-08-01, 2025-08-31) = 31",
        "choose(31; 31: 550.00) = 550.00",
    )


def test_an_operator_can_add_a_missing_rate(tmp_path: Path) -> None:
    (tmp_path / "levy.toml").write_text(
        '[[marine.values]]\nfrom = 2022-01-01\nsource = "our own records"\nnone = { R1 = 300, R2 = 400 }\n'
    )
    law = registry.load(tmp_path)
    worker = levy_workers({"sector": "marine", "tier": "none", "skill": "R1"})
    assert levy.levy_amounts(law.levy, Month(2025, 12), worker).amount_cents.tolist() == [30_000]
    assert levy.levy_amounts(law.levy, Month(2026, 1), worker).amount_cents.tolist() == [35_000]


def test_a_tier_that_does_not_exist_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "levy.toml").write_text('[[marine.values]]\nfrom = 2027-01-01\nsource = "s"\n4 = { R1 = 300 }\n')
    with pytest.raises(InvalidParameterFile, match=r"marine from 2027-01-01\.4: is not a known field"):
        registry.load(tmp_path)
