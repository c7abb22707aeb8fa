"""The journal of a pay run: cases that an accountant can check, and properties for random payslips."""

import json
import tomllib
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.engine.catalogue import (
    CUSTOM_SECTIONS,
    NETT_PAY,
    SYSTEM_TYPES,
    ItemDefinition,
    LedgerAccounts,
    PayslipSection,
    Treatment,
    build_catalogue,
)
from gaji.engine.journal import Journal, JournalLine, build_journal, split_totals
from gaji.engine.ledger import AccountOverrides, Ledger
from gaji.engine.line_decoder import decode_line_columns
from gaji.engine.money import decimal_text
from gaji.engine.split_allocation import FULL_SHARE, SplitAllocation

SIDELINE = ("employer_contribution", "benefit")
SECTIONS = ("income", "deduction", *SIDELINE)

Payslip = dict[str, dict[str, int]]
"""By section and item, cents."""
Run = tuple[list[Payslip], int, list[dict[int, int]]]
"""Payslips, the number of splits, and the shares of each payslip."""


@cache
def load_cases() -> list[dict[str, Any]]:
    file = Path(__file__).parent / "cases" / "journal.toml"
    cases: list[dict[str, Any]] = tomllib.loads(file.read_text(), parse_float=Decimal)["case"]
    return cases


def to_cents(dollars: Decimal | int) -> int:
    assert dollars * 100 == int(dollars * 100)
    return int(dollars * 100)


def encode(payslip: Payslip) -> str:
    """The stored JSON of a payslip with these lines."""

    def lines(section: str) -> list[list[Any]]:
        amounts = payslip.get(section, {})
        return [[int(item) if item.isdigit() else item, decimal_text(amount)] for item, amount in amounts.items()]

    def with_total(section: str) -> list[list[Any]]:
        return [*lines(section), ["total", decimal_text(sum(payslip.get(section, {}).values()))]]

    return json.dumps(
        {
            "income": with_total("income"),
            "deduction": with_total("deduction"),
            "grand_total": [["nett_pay", decimal_text(nett_pay(payslip))]],
            "sideline": [[section, lines(section)] for section in SIDELINE if payslip.get(section)],
        }
    )


def nett_pay(payslip: Payslip) -> int:
    return sum(payslip.get("income", {}).values()) - sum(payslip.get("deduction", {}).values())


def rows(lines: Sequence[JournalLine]) -> list[list[Any]]:
    return [[line.category, line.line_item, line.account, *line.amounts_cents.tolist()] for line in lines]


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    splits = case.get("splits", ["everything"])
    shares = [
        {splits.index(name): to_cents(share) for name, share in payslip.get("shares", {splits[0]: 100}).items()}
        for payslip in case["payslip"]
    ]
    lines_json = [
        encode(
            {
                section: {item: to_cents(amount) for item, amount in payslip[section].items()}
                for section in SECTIONS
                if section in payslip
            }
        )
        for payslip in case["payslip"]
    ]
    overrides = {
        table["item"]: AccountOverrides(**{key: value for key, value in table.items() if key != "item"})
        for table in case.get("accounts", ())
    }
    definitions = [
        ItemDefinition(table["id"], table["name"], table["kind"], "per_payslip", Treatment())
        for table in case.get("custom", ())
    ]
    ledger = Ledger(build_catalogue(definitions), overrides)
    journal = build_journal(ledger, lines_json, SplitAllocation.from_shares(len(splits), shares))
    for side, lines in (("debit", journal.debit), ("credit", journal.credit)):
        assert rows(lines) == [[*row[:3], *map(to_cents, row[3:])] for row in case[side]]
    for i in range(len(splits)):
        assert sum(row[3 + i] for row in case["debit"]) == sum(row[3 + i] for row in case["credit"])


CENTS = st.integers(min_value=-1_000_00, max_value=10**12) | st.integers(-(10**15), 10**17)
CUSTOM_ITEMS = [
    ItemDefinition(11 + number, kind, kind, "per_payslip", Treatment()) for number, kind in enumerate(CUSTOM_SECTIONS)
]
CATALOGUE = build_catalogue(CUSTOM_ITEMS)
ITEMS_BY_SECTION = {
    section.value: [line.name for line in CATALOGUE.lines.values() if line.section == section]
    for section in PayslipSection
    if section != PayslipSection.NONE
}
PAYSLIPS = st.lists(
    st.fixed_dictionaries(
        {
            section: st.dictionaries(st.sampled_from(items), CENTS, max_size=4)
            for section, items in ITEMS_BY_SECTION.items()
        }
    ),
    max_size=8,
)
ACCOUNT = st.none() | st.sampled_from(["Salaries payable", "2100", "6100", "CPF payable"])
OVERRIDES = st.dictionaries(
    st.sampled_from([*CATALOGUE.lines, NETT_PAY]), st.builds(AccountOverrides, ACCOUNT, ACCOUNT, ACCOUNT), max_size=8
)


@st.composite
def random_shares(draw: st.DrawFn, split_count: int) -> dict[int, int]:
    """Shares of some of the splits that add up to 100 %."""
    splits = draw(st.lists(st.integers(0, split_count - 1), min_size=1, unique=True))
    cuts = sorted(draw(st.lists(st.integers(0, FULL_SHARE), min_size=len(splits) - 1, max_size=len(splits) - 1)))
    edges = [0, *cuts, FULL_SHARE]
    return {split: edges[n + 1] - edges[n] for n, split in enumerate(splits)}


@st.composite
def random_runs(draw: st.DrawFn) -> Run:
    payslips = draw(PAYSLIPS)
    split_count = draw(st.integers(1, 6))
    return payslips, split_count, [draw(random_shares(split_count)) for _ in payslips]


def reference_parts(amount: int, shares: dict[int, int], split_count: int) -> list[int]:
    """One amount divided with fractions, without columns."""
    exact = {split: Fraction(abs(amount) * share, FULL_SHARE) for split, share in shares.items()}
    parts = {split: int(part) for split, part in exact.items()}
    by_loss = sorted(parts, key=lambda split: (parts[split] - exact[split], split))
    for split in by_loss[: abs(amount) - sum(parts.values())]:
        parts[split] += 1
    sign = -1 if amount < 0 else 1
    return [sign * parts.get(split, 0) for split in range(split_count)]


def side_totals(lines: Sequence[JournalLine], split_count: int) -> list[int]:
    return [sum(int(line.amounts_cents[i]) for line in lines) for i in range(split_count)]


@given(run=random_runs(), overrides=OVERRIDES)
def test_debits_equal_credits_in_each_split_with_any_accounts(run: Run, overrides: dict[str, AccountOverrides]) -> None:
    payslips, split_count, shares = run
    allocation = SplitAllocation.from_shares(split_count, shares)
    journal = build_journal(Ledger(CATALOGUE, overrides), [encode(payslip) for payslip in payslips], allocation)
    assert side_totals(journal.debit, split_count) == side_totals(journal.credit, split_count)
    for line in (*journal.debit, *journal.credit):
        assert line.amounts_cents.any()
        assert line.amounts_cents.sum() >= 0


@given(run=random_runs())
def test_the_splits_of_every_line_add_up_to_its_total_on_the_payslips(run: Run) -> None:
    payslips, split_count, shares = run
    allocation = SplitAllocation.from_shares(split_count, shares)
    totals = split_totals([encode(payslip) for payslip in payslips], allocation)
    expected: dict[tuple[str, str], list[int]] = {}
    for payslip, payslip_shares in zip(payslips, shares, strict=True):
        for section, items in payslip.items():
            for item, amount in items.items():
                sums = expected.setdefault((section, item), [0] * split_count)
                parts = reference_parts(amount, payslip_shares, split_count)
                expected[section, item] = [a + b for a, b in zip(sums, parts, strict=True)]
    assert {(section.value, item): amounts.tolist() for (section, item), amounts in totals.items()} == expected
    for (section, item), amounts in totals.items():
        assert amounts.sum() == sum(payslip[section.value].get(item, 0) for payslip in payslips)


@given(run=random_runs(), overrides=OVERRIDES)
def test_nett_pay_in_the_journal_is_that_of_the_payslips(run: Run, overrides: dict[str, AccountOverrides]) -> None:
    payslips, split_count, shares = run
    allocation = SplitAllocation.from_shares(split_count, shares)
    journal = build_journal(Ledger(CATALOGUE, overrides), [encode(payslip) for payslip in payslips], allocation)
    assert _credited(journal, NETT_PAY) == sum(nett_pay(payslip) for payslip in payslips)


def _credited(journal: Journal, item: str) -> int:
    credit = sum(int(line.amounts_cents.sum()) for line in journal.credit if line.line_item == item)
    return credit - sum(int(line.amounts_cents.sum()) for line in journal.debit if line.line_item == item)


@given(run=random_runs())
def test_a_journal_with_splits_adds_up_to_the_journal_without_splits(run: Run) -> None:
    payslips, split_count, shares = run
    lines_json = [encode(payslip) for payslip in payslips]
    ledger = Ledger(CATALOGUE)
    divided = build_journal(ledger, lines_json, SplitAllocation.from_shares(split_count, shares))
    undivided = build_journal(ledger, lines_json, SplitAllocation.single_split(1, [0] * len(payslips)))
    for parts, totals in ((divided.debit, undivided.debit), (divided.credit, undivided.credit)):
        sums = [[*row[:3], sum(row[3:])] for row in rows(parts)]
        # Lines that cancel over all splits are not in the undivided journal.
        assert [row for row in sums if row[3]] == rows(totals)


@given(amount=CENTS, split_count=st.integers(1, 6), data=st.data())
def test_reversing_an_amount_cancels_it_in_every_split(amount: int, split_count: int, data: st.DataObject) -> None:
    shares = data.draw(random_shares(split_count))
    lines_json = [encode({"income": {"basic_salary": amount}}), encode({"income": {"basic_salary": -amount}})]
    totals = split_totals(lines_json, SplitAllocation.from_shares(split_count, [shares, shares]))
    assert not any(amounts.any() for amounts in totals.values())


@given(amount=CENTS, split_count=st.integers(1, 6), data=st.data())
def test_each_part_is_within_a_cent_of_its_share(amount: int, split_count: int, data: st.DataObject) -> None:
    shares = data.draw(random_shares(split_count))
    parts = SplitAllocation.from_shares(split_count, [shares]).allocate(np.array([0]), np.array([amount]))
    assert parts.sum() == amount
    for i in range(split_count):
        assert abs(int(parts[i]) - Fraction(amount * shares.get(i, 0), FULL_SHARE)) < 1


def test_a_payslip_that_was_never_calculated_has_no_lines() -> None:
    assert decode_line_columns(["{}"]) == {}


def test_every_line_of_the_catalogue_has_accounts() -> None:
    for line in CATALOGUE.lines.values():
        assert isinstance(line.accounts, LedgerAccounts)
        assert all(vars(line.accounts).values())
        assert line.accounts.debit != line.accounts.credit


def test_income_credits_and_deductions_debit_salaries_payable() -> None:
    for line in CATALOGUE.lines.values():
        assert (line.accounts.credit == "Salaries payable") == (line.section == PayslipSection.INCOME)
        assert (line.accounts.debit == "Salaries payable") == (line.section == PayslipSection.DEDUCTION)


def test_the_account_of_nett_pay_also_replaces_the_default_of_other_items() -> None:
    overrides = {
        NETT_PAY: AccountOverrides(debit="2100", credit="2100"),
        "bonus": AccountOverrides(credit="2150"),
    }
    items = Ledger(CATALOGUE, overrides).items
    assert items["basic_salary"].credit == "2100"
    assert items["cpf_employee"].debit == "2100"
    assert items["bonus"].credit == "2150"
    assert items["sdl"] == SYSTEM_TYPES["sdl"].lines[0].accounts


def test_amounts_by_account_use_the_main_account_of_each_item() -> None:
    ledger = Ledger(CATALOGUE, {"cpf_employer": AccountOverrides(debit="6200 CPF")})
    lines = {"basic_salary": "3000.00", "overtime": "120.50", "cpf_employee": "600.00", "cpf_employer": "510.00"}
    assert ledger.amounts_by_account(lines | {"999": "1.00"}) == {
        "Salaries and wages": "3120.50",
        "CPF payable": "600.00",
        "6200 CPF": "510.00",
    }
    assert ledger.accounts_by_item(["cpf_employer", "999"]) == {
        "cpf_employer": {"category": "CPF", "debit_account": "6200 CPF", "credit_account": "CPF payable"}
    }
