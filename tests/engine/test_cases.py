"""Payslip cases: each gives the full payslip, its explanation adds up, and the reference implementation agrees."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from gaji.engine import batch, explanations
from gaji.engine.batch import BatchResult
from gaji.engine.catalogue import CUSTOM_INPUTS, CUSTOM_SECTIONS, SYSTEM_TYPES, Catalogue
from gaji.engine.payslip_input import PayslipInput, decode_payslip_input, encode_payslip_input
from gaji.law import registry
from tests.engine import case_files
from tests.engine.case_files import Table, amounts_in_cents, to_cents
from tests.engine.payslip_history import PayslipHistory
from tests.engine.reference_payslip import ReferencePayslip
from tests.law import arithmetic
from tests.law.reason_amounts import check_reason
from tests.support.case_tables import for_every
from tests.support.law import LAW

pytestmark = pytest.mark.slow

CASES = dict(case_files.all_cases())
HOLIDAYS = {holiday.day for holiday in LAW.holidays.days}
every_case = for_every("name", list(CASES))


def next_payslip(history: PayslipHistory, catalogue: Catalogue, case: Table, expected: Table) -> PayslipInput:
    """The input of the next payslip of a case."""
    period = case_files.payslip_period(expected)
    employee = case_files.payslip_employee(case, expected)
    last_service_date = case_files.last_service_date(case, expected)
    differences = case_files.past_differences(expected)
    if (corrected := case_files.corrected_payslip(expected)) is not None:
        return history.correction_input(period, employee, last_service_date, corrected, differences)
    return history.next_input(
        period,
        employee,
        case_files.payslip_entries(catalogue, case, expected),
        last_service_date,
        month_to_date=case_files.month_to_date(expected),
        year_to_date=case_files.year_to_date(expected),
        last_month_ordinary_cents=to_cents(expected.get("last_month_ordinary", 0)),
        instalments=amounts_in_cents(expected.get("instalments", {})),
        carried_forward=amounts_in_cents(expected.get("carried_forward", {})),
        past_differences=differences,
        prorates_gross_rate=case.get("prorates_gross_rate", True),
        leave=case_files.payslip_leave(expected),
        ns_direct_scheme=case.get("ns_direct_scheme", True),
        last_of_month=expected.get("last_of_month"),
        takes_previous_levy=expected.get("takes_previous_levy", False),
    )


@cache
def calculate_case(name: str) -> list[tuple[Table, PayslipInput, BatchResult]]:
    """Return the payslips of a case with their results. All tests use the same ones."""
    case = CASES[name]
    return list(_calculate_payslips(LAW, case_files.case_catalogue(case), case))


def _calculate_payslips(
    law: registry.Law, catalogue: Catalogue, case: Table
) -> Iterator[tuple[Table, PayslipInput, BatchResult]]:
    """Calculate the payslips of a case in order. Each builds on the results of the earlier ones."""
    history = PayslipHistory(case_files.case_service(case))
    for expected in case["payslips"]:
        payslip = next_payslip(history, catalogue, case, expected)
        result = batch.calculate(law, catalogue, [payslip])
        yield expected, payslip, result
        totals = {name: int(column[0]) for name, column in result.totals.items()}
        previous_totals = {name: int(column[0]) for name, column in result.previous_totals.items()}
        history.add(
            payslip,
            totals,
            result.instalments_cents.get(0, {}),
            result.carried_forward_cents.get(0, {}),
            previous_totals,
            result.past_totals.get(0, {}),
        )
        for month, amounts in expected.get("month_totals", {}).items():
            year, number = map(int, month.split("-"))
            totals = {name: history.month_total(name, year, number) for name in amounts}
            assert totals == amounts_in_cents(amounts), (month, payslip.period.end)


@every_case
def test_each_case_gives_the_full_payslip(name: str) -> None:
    catalogue = case_files.case_catalogue(CASES[name])
    for expected, payslip, result in calculate_case(name):
        lines = json.loads(result.lines_json[0])
        assert lines == expected["lines"], payslip.period.end
        assert_messages(expected.get("attention", []), result.attention.get(0, []))
        assert_messages(expected.get("remarks", []), result.remarks.get(0, []))
        employee_remarks = batch.employee_remarks(LAW, catalogue, payslip)
        assert employee_remarks == expected.get("employee_remarks", employee_remarks)
        assert not employee_remarks or result.remarks or payslip.past_differences
        assert result.carried_forward_cents.get(0, {}) == amounts_in_cents(expected.get("carries_forward", {}))
        tracked = {name: text_to_cents(amount) for name, amount in lines["deduction"] if is_tracked(catalogue, name)}
        assert result.instalments_cents.get(0, {}) == tracked


@every_case
def test_the_explanation_of_every_line_gives_its_amount(name: str) -> None:
    catalogue = case_files.case_catalogue(CASES[name])
    for _, payslip, result in calculate_case(name):
        explained = explanations.explain(LAW, catalogue, payslip)
        lines = list(all_lines(json.loads(result.lines_json[0])))
        assert [(line.section, line.item, line.amount) for line in explained] == lines
        for line in explained:
            explanation = line.explanation
            arithmetic.check_amount(explanation.arithmetic, text_to_cents(line.amount))
            assert all((line.caption, explanation.rule, explanation.source)), line
            check_reason(explanation.reason, explanation.amount_cents)
            assert set(explanation.deciding) <= set(explanation.parameters)


@every_case
def test_the_reference_implementation_agrees(name: str) -> None:
    definitions = case_files.case_definitions(CASES[name])
    for expected, payslip, result in calculate_case(name):
        reference = ReferencePayslip(payslip, definitions, HOLIDAYS)
        assert reference.lines_json() == expected["lines"], payslip.period.end
        assert reference.needs_attention == bool(result.attention)
        carried_forward = {name: int(amount * 100) for name, amount in reference.carried_forward.items() if amount}
        assert carried_forward == result.carried_forward_cents.get(0, {})


@every_case
def test_the_stored_input_gives_the_same_payslip_again(name: str) -> None:
    catalogue = case_files.case_catalogue(CASES[name])
    for _, payslip, result in calculate_case(name):
        decoded = decode_payslip_input(encode_payslip_input(payslip))
        assert decoded == payslip
        assert batch.calculate(LAW, catalogue, [decoded]).lines_json == result.lines_json


def test_the_stored_keys_of_a_payslip_input_never_change() -> None:
    stored = (
        '{"period":{"start":"2026-01-01","end":"2026-01-15","pay_date":"2026-01-20","pays_a_year":24,'
        '"last_of_month":false},"person":{"birthdate":"1990-06-15","legal_status":"PR"},'
        '"service":[{"start":"2020-01-01"}],"calculations":{"basic_salary":{"inputs":{"fixed_amount":"900.00"}}},'
        '"leaving":"2026-03-31","earlier":{"ordinary":1},"year":{"additional":2},"last_month":3,"moved":{"loan":4},'
        '"carried":{"donation":5},"leave":{"unpaid_days":"1"}}'
    )
    assert encode_payslip_input(decode_payslip_input(stored)).decode() == stored


def test_the_cases_cover_every_calculation_type_and_every_kind_of_custom_item() -> None:
    cases = list(CASES.values())
    entered = {name for case in cases for table in (case, *case["payslips"]) for name in table.get("calculations", {})}
    assert {name for name, item_type in SYSTEM_TYPES.items() if item_type.enterable} <= entered
    definitions = [definition for case in cases for definition in case_files.case_definitions(case)]
    assert {definition.kind for definition in definitions} == set(CUSTOM_SECTIONS)
    assert {definition.input for definition in definitions} == set(CUSTOM_INPUTS)
    assert len(cases) >= 75


def assert_messages(fragments: list[str], messages: list[str]) -> None:
    """There are as many messages as fragments, and each fragment is in one of them."""
    assert len(messages) == len(fragments), messages
    assert all(any(fragment in message for message in messages) for fragment in fragments), messages


def all_lines(lines: dict[str, Any]) -> Iterator[tuple[str, str | int, str]]:
    """The section, item and amount of each line, in the order in which they are explained."""
    for section in ("income", "deduction"):
        for name, amount in lines[section]:
            yield section, name, amount
    for section, sideline in lines["sideline"]:
        for name, amount in sideline:
            yield section, name, amount
    ((name, amount),) = lines["grand_total"]
    yield "grand_total", name, amount


def is_tracked(catalogue: Catalogue, name: str | int) -> bool:
    """Whether the item has a tracked balance."""
    item_type = catalogue.types.get(str(name))
    return item_type is not None and item_type.tracked is not None


def text_to_cents(amount: str) -> int:
    """The cents of an amount with two decimals."""
    return int(amount.replace(".", ""))
