"""The taxable value of benefits in kind."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.law import benefits_in_kind, registry
from gaji.law.benefits_in_kind import Benefit, BenefitCategory, CarType, Furnishing
from gaji.law.parameters import MonthNotCovered
from tests.law import arithmetic
from tests.law.cases import DATE_CASES, Case, cases, in_cents, load_cases
from tests.support.law import LAW

AMOUNTS = ("amount", "paid_by_employee", "rent", "annual_value", "cost", "parf_rebate", "running_costs")
NUMBERS = ("sharing", "private_km", "total_km", "coe_months")
CENTS = st.integers(0, 10**9)


def case_benefit(case: Case) -> Benefit:
    """The benefit of a case."""
    values: dict[str, Any] = {f"{name}_cents": in_cents(case[name]) for name in AMOUNTS if name in case}
    values |= {name: case[name] for name in NUMBERS if name in case}
    return Benefit(
        category=BenefitCategory(case["category"]),
        first=case.get("first", date(case["year"], 1, 1)),
        last=case.get("last", date(case["year"], 12, 31)),
        furnishing=Furnishing(case.get("furnishing", "none")),
        car_type=CarType(case["car_type"]) if "car_type" in case else None,
        **values,
    )


@cases("benefits_in_kind", directory=DATE_CASES)
def test_case(case: Case, law: registry.Law) -> None:
    benefit = case_benefit(case)
    if case["taxable"] == "unknown":
        with pytest.raises(MonthNotCovered):
            benefits_in_kind.taxable_cents(law.benefits_in_kind, benefit)
        return
    assert benefits_in_kind.taxable_cents(law.benefits_in_kind, benefit) == in_cents(case["taxable"])
    arithmetic.check_explanation(benefits_in_kind.explain(law.benefits_in_kind, benefit))


@st.composite
def benefits(draw: st.DrawFn) -> Benefit:
    """Benefits of every category, with plausible values."""
    first = draw(st.dates(date(2019, 1, 1), date(2027, 12, 31)))
    last = draw(st.dates(first, date(first.year, 12, 31)))
    return Benefit(
        category=draw(st.sampled_from(BenefitCategory)),
        first=first,
        last=last,
        amount_cents=draw(CENTS),
        paid_by_employee_cents=draw(CENTS),
        sharing=draw(st.integers(1, 9)),
        rent_cents=draw(st.none() | CENTS),
        annual_value_cents=draw(CENTS),
        furnishing=draw(st.sampled_from(Furnishing)),
        private_km=draw(st.integers(0, 5000)),
        total_km=draw(st.integers(5000, 90000)),
        car_type=draw(st.sampled_from(CarType)),
        cost_cents=draw(st.integers(10**8, 10**9)),
        parf_rebate_cents=draw(st.integers(0, 10**8)),
        coe_months=draw(st.integers(1, 120)),
        running_costs_cents=draw(CENTS),
    )


@given(benefit=benefits())
@settings(max_examples=60)
def test_every_value_is_explained_and_not_negative(benefit: Benefit) -> None:
    law = LAW.benefits_in_kind
    explanation = benefits_in_kind.explain(law, benefit)
    assert explanation.amount_cents == benefits_in_kind.taxable_cents(law, benefit) >= 0
    arithmetic.check_explanation(explanation)


@pytest.mark.parametrize(
    ("switch", "value", "case", "taxable"),
    [
        ("car_part_year", "year", "A new car for a part of the year", 3360_00),
        ("residence_value", "annual_value", "A rented residence", 0),
    ],
)
def test_switches(tmp_path: Path, switch: str, value: str, case: str, taxable: int) -> None:
    [row] = [row for row in load_cases("benefits_in_kind", DATE_CASES)["case"] if row["name"].startswith(case)]
    (tmp_path / "benefits_in_kind.toml").write_text(
        f'[{switch}]\nvalues = [{{ from = 2019-01-01, value = "{value}", source = "our auditor" }}]\n'
    )
    law = registry.load(tmp_path).benefits_in_kind
    assert benefits_in_kind.taxable_cents(law, case_benefit(row)) == taxable
