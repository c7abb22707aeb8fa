"""The figures of certificates, case by case: `cases/ir8a.toml`."""

import tomllib
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gaji.core.law_loader import law
from gaji.documents.tax_certificates.boxes import BOXES, whole_dollars
from gaji.documents.tax_certificates.figures import Figures, figures_of
from gaji.engine import catalogue
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue, ItemDefinition, StoredValue, Treatment
from gaji.engine.money import to_cents
from gaji.payroll.payslips.tax_years import Contribution, TaxedSlip, mosque_parts

Table = dict[str, Any]

CASES: list[Table] = tomllib.loads((Path(__file__).parent / "cases" / "ir8a.toml").read_text(), parse_float=Decimal)[
    "case"
]
WHOLE = {"a", "c", "e", "f", "cpf"}
"""Boxes of which the form shows whole dollars and nothing more."""
ABOUT = {"start", "end", "pay_date", "entered", "month_wages", "before"}


def test_no_two_cases_have_one_name() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_boxes_are_as_the_case_says(case: Table) -> None:
    found = figures_of(_catalogue(case), _slips(case), case["year"], _taken_on(case))
    assert {box: dollars for box, dollars in whole_dollars(found.amounts).items() if dollars} == case["boxes"]
    told = {place: to_cents(amount) for place, amount in case.get("cents", {}).items()}
    assert {place: amount for place, amount in found.amounts.items() if place not in WHOLE} == told
    _check_notes(case, found)


def test_every_item_of_the_catalogue_has_a_box_and_its_parts_are_those_of_the_box() -> None:
    for one in SYSTEM_TYPES.values():
        for line in one.lines:
            if line.treatment.ir8a is not None:
                box = BOXES[line.treatment.ir8a]
                assert one.ir8a_part is None or one.ir8a_part in box.parts
                assert one.ir8a_part is not None or not box.parts


def _check_notes(case: Table, found: Figures) -> None:
    commission = case.get("commission", {})
    assert found.declared == case.get("declared", [])
    assert found.approved == case.get("approved", [])
    assert found.benefits == case.get("benefits", [])
    assert (found.commission_from, found.commission_to, found.commission_for) == (
        commission.get("from"),
        commission.get("to"),
        commission.get("for"),
    )


def _catalogue(case: Table) -> Catalogue:
    return catalogue.build_catalogue(
        [
            ItemDefinition(one["id"], one["name"], one["kind"], "per_payslip", Treatment(ir8a=one.get("ir8a")))
            for one in case.get("definitions", ())
        ]
    )


def _taken_on(case: Table) -> dict[str, int]:
    return {item: to_cents(amount) for item, amount in case.get("taken_on", {}).items()}


def _slips(case: Table) -> list[TaxedSlip]:
    mosque = mosque_parts(law(), [_contribution(slip) for slip in case["payslips"]])
    return [
        TaxedSlip(
            1,
            slip.get("start", slip["pay_date"]),
            slip.get("end", slip["pay_date"]),
            slip["pay_date"],
            {item: to_cents(amount) for item, amount in slip.items() if item not in ABOUT},
            {name: _entered(given) for name, given in slip.get("entered", {}).items()},
            part,
        )
        for slip, part in zip(case["payslips"], mosque, strict=True)
    ]


def _contribution(slip: Table) -> Contribution:
    before = slip.get("before", {})
    return Contribution(
        slip["pay_date"],
        to_cents(before.get("month_wages", 0)),
        to_cents(before.get("mbmf", 0)),
        to_cents(slip.get("month_wages", 0)),
        to_cents(slip.get("mbmf", 0)),
    )


def _entered(given: Table) -> dict[str, StoredValue]:
    return {key: value.isoformat() if isinstance(value, date) else value for key, value in given.items()}
