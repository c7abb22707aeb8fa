"""Whole payslips: every case gives the full slip, its explanation can be worked out, and the plain telling agrees."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from gaji.engine import batch
from gaji.engine import explanations
from gaji.engine.batch import BatchResult
from gaji.engine.payslip_input import PayslipInput, encode_payslip_input, decode_payslip_input
from gaji.engine.catalogue import CUSTOM_INPUTS, CUSTOM_SECTIONS, SYSTEM_TYPES, Catalogue
from gaji.law import registry
from tests.engine import case_files
from tests.engine.case_files import Table, amounts_in_cents, in_cents
from tests.engine.past import Past
from tests.engine.plain_payslip import Payslip
from tests.law import arithmetic


def payslips(law: registry.Law, types: Catalogue, table: Table) -> Iterator[tuple[Table, PayslipInput, BatchResult]]:
    """The payslips of a case one after the other, each going by what the earlier ones came to."""
    past = Past(case_files.service_of(table))
    for payslip in table["payslips"]:
        case = past.next_case(
            case_files.period_of(payslip),
            case_files.person_of(table, payslip),
            case_files.entries_of(types, table, payslip),
            case_files.leaving_of(table, payslip),
            earlier=case_files.earlier_of(payslip),
            year=case_files.year_of(payslip),
            last_month=in_cents(payslip.get("last_month", 0)),
            moved=amounts_in_cents(payslip.get("moved", {})),
            carried=amounts_in_cents(payslip.get("carried", {})),
        )
        slips = batch.calculate(law, types, [case])
        yield payslip, case, slips
        figures = {name: int(column[0]) for name, column in slips.totals.items()}
        past.add(case, figures, slips.instalments_cents.get(0, {}), slips.carried_forward_cents.get(0, {}))


@pytest.mark.parametrize("table", case_files.every_case())
def test_every_payslip_is_the_full_slip_of_its_case(table: Table, law: registry.Law) -> None:
    types = case_files.catalogue_of(table)
    for payslip, case, slips in payslips(law, types, table):
        form = json.loads(slips.lines_json[0])
        assert form == payslip["slip"], case.period.end
        assert_told(payslip.get("attention", []), slips.attention.get(0, []))
        assert_told(payslip.get("remarks", []), slips.remarks.get(0, []))
        assert slips.carried_forward_cents.get(0, {}) == amounts_in_cents(payslip.get("carries", {}))
        tracked = {name: in_cents_text(amount) for name, amount in form["deduction"] if is_tracked(types, name)}
        assert slips.instalments_cents.get(0, {}) == tracked


@pytest.mark.parametrize("table", case_files.every_case())
def test_every_line_of_every_payslip_can_be_worked_out_from_its_explanation(table: Table, law: registry.Law) -> None:
    types = case_files.catalogue_of(table)
    for _, case, slips in payslips(law, types, table):
        told = explanations.explain(law, types, case)
        assert [(one["section"], one["item"], one["amount"]) for one in told] == list(shown(json.loads(slips.lines_json[0])))
        for one in told:
            arithmetic.check(tuple(one["arithmetic"]), in_cents_text(one["amount"]))
            assert all(one[key] for key in ("caption", "rule", "source")), one


@pytest.mark.parametrize("table", case_files.every_case())
def test_the_plain_telling_of_every_payslip_is_the_same(table: Table, law: registry.Law) -> None:
    definitions, holidays = case_files.definitions_of(table), {one.day for one in law.holidays.days}
    for payslip, case, slips in payslips(law, case_files.catalogue_of(table), table):
        plain = Payslip(case, definitions, holidays)
        assert plain.form() == payslip["slip"], case.period.end
        assert plain.attention == bool(slips.attention)
        assert {name: int(amount * 100) for name, amount in plain.carried.items() if amount} == slips.carried_forward_cents.get(0, {})


@pytest.mark.parametrize("table", case_files.every_case())
def test_the_case_that_is_kept_with_a_payslip_gives_it_again(table: Table, law: registry.Law) -> None:
    types = case_files.catalogue_of(table)
    for _, case, slips in payslips(law, types, table):
        again = decode_payslip_input(encode_payslip_input(case))
        assert again == case
        assert batch.calculate(law, types, [again]).lines_json == slips.lines_json


def test_there_are_cases_of_every_calculation_type_and_every_kind_of_custom_item() -> None:
    cases = [case for parameters in case_files.every_case() for case in parameters.values]
    entered = {name for case in cases for slip in (case, *case["payslips"]) for name in slip.get("calculations", {})}
    assert {name for name, one in SYSTEM_TYPES.items() if one.enterable} <= entered
    custom = [one for case in cases for one in case_files.definitions_of(case)]
    assert {one.kind for one in custom} == set(CUSTOM_SECTIONS)
    assert {one.input for one in custom} == set(CUSTOM_INPUTS)
    assert len(cases) >= 75


def assert_told(fragments: list[str], told: list[str]) -> None:
    """As many messages as fragments, each fragment in one of them."""
    assert len(told) == len(fragments), told
    assert all(any(fragment in message for message in told) for fragment in fragments), told


def shown(form: dict[str, Any]) -> Iterator[tuple[str, str | int, str]]:
    """The lines of a slip in the order in which they are explained."""
    for section in ("income", "deduction"):
        for name, amount in form[section]:
            yield section, name, amount
    for group, lines in form["sideline"]:
        for name, amount in lines:
            yield group, name, amount
    ((name, amount),) = form["grand_total"]
    yield "grand_total", name, amount


def is_tracked(types: Catalogue, name: str | int) -> bool:
    """Whether the item has a balance."""
    return name != "total" and types.types[str(name)].tracked is not None if str(name) in types.types else False


def in_cents_text(amount: str) -> int:
    """An amount of a slip in cents."""
    return int(amount.replace(".", ""))
