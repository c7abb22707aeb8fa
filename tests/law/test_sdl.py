"""The skills development levy."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.law import registry, sdl
from gaji.law.columns import cents, flags
from gaji.law.months import Month
from gaji.law.parameters import MonthNotCovered
from tests.law import arithmetic
from tests.law.cases import Case, cases, in_cents
from tests.support.law import LAW

MONTH = Month(2026, 1)
PAY = st.integers(0, 2_000_000)


@cases("sdl")
def test_case(case: Case, law: registry.Law) -> None:
    month = Month.parse(case.get("month", str(MONTH)))
    remuneration, exempt = in_cents(case["remuneration"]), case.get("exempt", False)
    assert sdl.levy_cents(law.sdl, month, cents([remuneration]), flags([exempt])).tolist() == [in_cents(case["levy"])]


def test_the_company_remits_whole_dollars(law: registry.Law) -> None:
    assert sdl.remittance_cents(cents([526, 474, 1125, 99])) == 2200


def test_fractions_of_a_cent_can_be_rounded_down(tmp_path: Path) -> None:
    (tmp_path / "sdl.toml").write_text(
        '[parts_of_a_cent]\nvalues = [{ from = 2008-10-01, value = "down", source = "our auditor" }]\n'
    )
    law = registry.load(tmp_path)
    explanation = sdl.explain(law.sdl, MONTH, 200_300, exempt=False)
    assert explanation.amount_cents == 500
    assert explanation.parameters[-1].source == "our auditor"
    arithmetic.check_explanation(explanation)


@pytest.mark.parametrize("month", ["2008-09", "2028-01"])
def test_a_month_outside_the_covered_months_is_rejected(law: registry.Law, month: str) -> None:
    with pytest.raises(MonthNotCovered, match=f"covers 2008-10 to 2027-12, not {month}"):
        sdl.levy_cents(law.sdl, Month.parse(month), cents([100_000]), flags([False]))


@given(lower=PAY, more=PAY)
def test_more_pay_never_costs_less(lower: int, more: int) -> None:
    levies = sdl.levy_cents(LAW.sdl, MONTH, cents([lower, lower + more]), flags([False, False]))
    assert 0 <= levies[0] <= levies[1] <= 1125
