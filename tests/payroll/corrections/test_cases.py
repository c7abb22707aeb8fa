"""The cases of `cases/late_news.toml`: from late news to the payslip that pays the differences."""

import tomllib
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gaji.engine.money import to_cents
from gaji.engine.payslip_input import EmployeeDetails, PastDifference, ServiceInterval
from gaji.law.months import Month
from tests.payroll.corrections.late_truth import Knowledge, Story, pay_late

Table = dict[str, Any]
CASES: list[Table] = tomllib.loads(
    (Path(__file__).parent / "cases" / "late_news.toml").read_text(), parse_float=Decimal
)["case"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_late_news_is_paid_as_in_the_case(case: Table) -> None:
    story = _story(case)
    is_missed, recovers_share = case["treatment"] == "missed", case.get("recovers_share", False)
    [paid] = pay_late([story], pay_is_missed=is_missed, recovers_share=recovers_share)
    assert {difference.treatment for difference in paid.differences} == {case["treatment"]}
    assert _amounts(paid.differences) == {
        month: {name: to_cents(amount) for name, amount in amounts.items()}
        for month, amounts in case["differences"].items()
    }
    payslip = paid.payslips[-1]
    assert {item: cents for (_, item), cents in payslip.lines.items()} == {
        item: to_cents(amount) for item, amount in case["lines"].items()
    }
    assert payslip.nett == to_cents(case["nett_pay"])
    assert sum(payslip.carried.values()) == to_cents(case.get("carries_forward", 0))
    for remark in case.get("remarks", ()):
        assert any(remark in text for text in payslip.remarks), payslip.remarks


def _story(case: Table) -> Story:
    first = Month.parse(case["first"])
    employee: Table = case["employee"]
    return Story(
        seed=0,
        known=_knowledge(employee, case["recorded"], first),
        truth=_knowledge({**employee, **case.get("true_employee", {})}, case["truth"], first),
        first=first,
        months=case["months"] + 1,
        told_after=case["months"],
    )


def _knowledge(employee: Table, facts: Table, first: Month) -> Knowledge:
    salary: int = facts["salary"]
    return Knowledge(
        employee=msgspec.convert(employee, EmployeeDetails),
        service=ServiceInterval(facts.get("first_day", date(2020, 1, 1)), facts.get("last_day")),
        hourly=False,
        salary=salary,
        raised=facts.get("raised", salary),
        raised_from=facts.get("raised_from", date(2020, 1, 1)),
        transport=0,
        opted_out=False,
        hours={Month.parse(month) - first: hours for month, hours in facts.get("hours", {}).items()},
        unpaid={Month.parse(month) - first: days for month, days in facts.get("unpaid", {}).items()},
        bonuses={},
        excess={Month.parse(month) - first: days for month, days in facts.get("excess", {}).items()},
        holidays_off={Month.parse(month) - first: days for month, days in facts.get("holidays_off", {}).items()},
    )


def _amounts(differences: list[PastDifference]) -> dict[str, dict[str, int]]:
    """The effect on pay of each item and the contributions, by month. Wages and zeros are left out."""
    contributions = ("cpf_employee", "cpf_employer", "cdac", "ecf", "mbmf", "sinda", "sdl")
    amounts: dict[str, dict[str, int]] = {}
    for difference in differences:
        figures = difference.months.get(f"{difference.end:%Y-%m}", {})
        booked = {name: figures[name].accepted for name in contributions if name in figures}
        items = {item: amount.accepted for item, amount in difference.items.items()}
        amounts[f"{difference.end:%Y-%m}"] = {name: cents for name, cents in (items | booked).items() if cents}
    return amounts
