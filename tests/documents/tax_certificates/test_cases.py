"""The figures of certificates, for the cases in `cases/ir8a.toml`."""

import tomllib
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from gaji.core.law_loader import current_law
from gaji.documents.tax_certificates.boxes import BOXES, dollars_by_box
from gaji.documents.tax_certificates.figures import IncomeAccumulator, IncomeFigures, box_routes
from gaji.engine import catalogue
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue, ItemDefinition, StoredValue, Treatment
from gaji.engine.money import to_cents
from gaji.payroll.payslips.tax_years import MbmfContribution, TaxablePayslip, mosque_shares_cents

Table = dict[str, Any]

CASES: list[Table] = tomllib.loads((Path(__file__).parent / "cases" / "ir8a.toml").read_text(), parse_float=Decimal)[
    "case"
]
DOLLAR_BOXES = {"a", "c", "e", "f", "cpf"}
"""Boxes that the form only shows in whole dollars."""
NOT_LINES = {"start", "end", "pay_date", "entered", "month_wages", "before", "last_day", "working_days", "earned"}


def test_case_names_are_unique() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: Table) -> None:
    income, routes = IncomeAccumulator(case["year"], _take_on_cents(case)), box_routes(_catalogue(case))
    for payslip in _payslips(case):
        income.add(payslip, routes)
    figures = income.figures()
    assert {box: dollars for box, dollars in dollars_by_box(figures.amounts).items() if dollars} == case["boxes"]
    expected_cents = {key: to_cents(amount) for key, amount in case.get("cents", {}).items()}
    assert {key: amount for key, amount in figures.amounts.items() if key not in DOLLAR_BOXES} == expected_cents
    _check_notes(case, figures)


def test_every_calculation_type_has_a_box_and_a_known_part() -> None:
    for calculation in SYSTEM_TYPES.values():
        for line in calculation.lines:
            if line.treatment.ir8a is not None:
                box = BOXES[line.treatment.ir8a]
                assert calculation.ir8a_part is None or calculation.ir8a_part in box.parts
                assert calculation.ir8a_part is not None or not box.parts


def _check_notes(case: Table, figures: IncomeFigures) -> None:
    commission = case.get("commission", {})
    assert figures.declared == case.get("declared", [])
    assert figures.approved == case.get("approved", [])
    assert figures.benefits == case.get("benefits", [])
    assert figures.section_45 == case.get("section_45", False)
    assert (figures.commission_from, figures.commission_to, figures.commission_for) == (
        commission.get("from"),
        commission.get("to"),
        commission.get("for"),
    )


def _catalogue(case: Table) -> Catalogue:
    return catalogue.build_catalogue(
        [
            ItemDefinition(
                definition["id"],
                definition["name"],
                definition["kind"],
                "per_payslip",
                Treatment(ir8a=definition.get("ir8a")),
            )
            for definition in case.get("definitions", ())
        ]
    )


def _take_on_cents(case: Table) -> dict[str, int]:
    return {item: to_cents(amount) for item, amount in case.get("taken_on", {}).items()}


def _payslips(case: Table) -> list[TaxablePayslip]:
    mosque = mosque_shares_cents(current_law(), [_contribution(slip) for slip in case["payslips"]])
    return [
        TaxablePayslip(
            id=1,
            employee_id=1,
            start=slip.get("start", slip["pay_date"]),
            end=slip.get("end", slip["pay_date"]),
            pay_date=slip["pay_date"],
            cents={item: to_cents(amount) for item, amount in slip.items() if item not in NOT_LINES},
            entered={name: _entered(inputs) for name, inputs in slip.get("entered", {}).items()},
            last_service_date=slip.get("last_day"),
            working_days_by_year={int(year): days for year, days in slip.get("working_days", {}).items()},
            earned_by_year={
                line: {int(year): Fraction(str(amount)) for year, amount in years.items()}
                for line, years in slip.get("earned", {}).items()
            },
            mosque_cents=part,
        )
        for slip, part in zip(case["payslips"], mosque, strict=True)
    ]


def _contribution(slip: Table) -> MbmfContribution:
    before = slip.get("before", {})
    return MbmfContribution(
        slip["pay_date"],
        to_cents(before.get("month_wages", 0)),
        to_cents(before.get("mbmf", 0)),
        to_cents(slip.get("month_wages", 0)),
        to_cents(slip.get("mbmf", 0)),
    )


def _entered(inputs: Table) -> dict[str, StoredValue]:
    return {key: value.isoformat() if isinstance(value, date) else value for key, value in inputs.items()}
