"""The journal of a pay run: cases that an accountant can check, and what holds for payslips at random."""

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

from gaji.engine import catalogue as engine
from gaji.engine.catalogue import (
    CUSTOM_SECTIONS,
    NETT_PAY,
    SYSTEM_TYPES,
    ItemDefinition,
    LedgerAccounts,
    PayslipSection,
    Treatment,
)
from gaji.engine.journal import Journal, JournalLine, build_journal, split_totals
from gaji.engine.ledger import AccountOverrides, Ledger, accounts_of
from gaji.engine.line_decoder import decode_line_columns
from gaji.engine.money import decimal_text
from gaji.engine.split_allocation import FULL_SHARE, SplitAllocation

SIDELINE = ("employer_contribution", "benefit")

Payslip = dict[str, dict[str, int]]
"""By section and item, cents."""


@cache
def cases() -> list[dict[str, Any]]:
    file = Path(__file__).parent / "cases" / "journal.toml"
    found: list[dict[str, Any]] = tomllib.loads(file.read_text(), parse_float=Decimal)["case"]
    return found


def in_cents(dollars: Decimal | int) -> int:
    assert dollars * 100 == int(dollars * 100)
    return int(dollars * 100)


def form(payslip: Payslip) -> str:
    """The detail form of a payslip with these lines."""

    def lines(section: str) -> list[list[Any]]:
        found = payslip.get(section, {})
        return [[int(item) if item.isdigit() else item, decimal_text(amount)] for item, amount in found.items()]

    def totalled(section: str) -> list[list[Any]]:
        return [*lines(section), ["total", decimal_text(sum(payslip.get(section, {}).values()))]]

    return json.dumps(
        {
            "income": totalled("income"),
            "deduction": totalled("deduction"),
            "grand_total": [["nett_pay", decimal_text(nett(payslip))]],
            "sideline": [[section, lines(section)] for section in SIDELINE if payslip.get(section)],
        }
    )


def nett(payslip: Payslip) -> int:
    return sum(payslip.get("income", {}).values()) - sum(payslip.get("deduction", {}).values())


def rows(postings: Sequence[JournalLine]) -> list[list[Any]]:
    return [[one.category, one.line_item, one.account, *one.amounts_cents.tolist()] for one in postings]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_the_cases(case: dict[str, Any]) -> None:
    splits = case.get("splits", ["everything"])
    payslips = case["payslip"]
    shares = [
        {splits.index(name): in_cents(share) for name, share in one.get("shares", {splits[0]: 100}).items()}
        for one in payslips
    ]
    sections = ("income", "deduction", *SIDELINE)
    forms = [
        form({name: {item: in_cents(one[name][item]) for item in one[name]} for name in sections if name in one})
        for one in payslips
    ]
    own = {
        one["item"]: AccountOverrides(**{k: v for k, v in one.items() if k != "item"})
        for one in case.get("accounts", ())
    }
    custom = [
        ItemDefinition(one["id"], one["name"], one["kind"], "per_payslip", Treatment())
        for one in case.get("custom", ())
    ]
    found = build_journal(
        Ledger(engine.build_catalogue(custom), own), forms, SplitAllocation.from_shares(len(splits), shares)
    )
    for side, postings in (("debit", found.debit), ("credit", found.credit)):
        assert rows(postings) == [[*row[:3], *map(in_cents, row[3:])] for row in case[side]]
    for place in range(len(splits)):
        assert sum(row[3 + place] for row in case["debit"]) == sum(row[3 + place] for row in case["credit"])


CENTS = st.integers(min_value=-1_000_00, max_value=10**12) | st.integers(-(10**15), 10**17)
CUSTOM = [ItemDefinition(11 + n, kind, kind, "per_payslip", Treatment()) for n, kind in enumerate(CUSTOM_SECTIONS)]
CATALOGUE = engine.build_catalogue(CUSTOM)
BY_SECTION = {
    section.value: [line.name for line in CATALOGUE.lines.values() if line.section == section]
    for section in PayslipSection
    if section != PayslipSection.NONE
}
PAYSLIPS = st.lists(
    st.fixed_dictionaries(
        {name: st.dictionaries(st.sampled_from(items), CENTS, max_size=4) for name, items in BY_SECTION.items()}
    ),
    max_size=8,
)
ACCOUNT = st.none() | st.sampled_from(["Salaries payable", "2100", "6100", "CPF payable"])
OWN = st.dictionaries(
    st.sampled_from([*CATALOGUE.lines, NETT_PAY]), st.builds(AccountOverrides, ACCOUNT, ACCOUNT, ACCOUNT), max_size=8
)


@st.composite
def shares(draw: st.DrawFn, splits: int) -> dict[int, int]:
    """How somebody is divided: some of the splits, with hundredths of a percent that make a whole."""
    places = draw(st.lists(st.integers(0, splits - 1), min_size=1, unique=True))
    cuts = sorted(draw(st.lists(st.integers(0, FULL_SHARE), min_size=len(places) - 1, max_size=len(places) - 1)))
    edges = [0, *cuts, FULL_SHARE]
    return {place: edges[n + 1] - edges[n] for n, place in enumerate(places)}


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[Payslip], int, list[dict[int, int]]]:
    """Payslips, how many splits there are, and how each payslip is divided."""
    payslips = draw(PAYSLIPS)
    splits = draw(st.integers(1, 6))
    return payslips, splits, [draw(shares(splits)) for _ in payslips]


def by_hand(amount: int, shares: dict[int, int], splits: int) -> list[int]:
    """One amount divided with fractions, without columns: the plain telling of the same rule."""
    exact = {place: Fraction(abs(amount) * share, FULL_SHARE) for place, share in shares.items()}
    parts = {place: int(part) for place, part in exact.items()}
    losers = sorted(parts, key=lambda place: (parts[place] - exact[place], place))
    for place in losers[: abs(amount) - sum(parts.values())]:
        parts[place] += 1
    sign = -1 if amount < 0 else 1
    return [sign * parts.get(place, 0) for place in range(splits)]


def side(postings: Sequence[JournalLine], splits: int) -> list[int]:
    return [sum(int(one.amounts_cents[place]) for one in postings) for place in range(splits)]


@given(run=runs(), own=OWN)
def test_debits_equal_credits_for_each_split_whatever_the_accounts_are(
    run: Any, own: dict[str, AccountOverrides]
) -> None:
    payslips, splits, divided = run
    found = build_journal(
        Ledger(CATALOGUE, own), [form(one) for one in payslips], SplitAllocation.from_shares(splits, divided)
    )
    assert side(found.debit, splits) == side(found.credit, splits)
    for one in (*found.debit, *found.credit):
        assert one.amounts_cents.any()
        assert one.amounts_cents.sum() >= 0


@given(run=runs())
def test_every_line_adds_up_over_the_splits_to_what_the_payslips_have(run: Any) -> None:
    payslips, splits, divided = run
    found = split_totals([form(one) for one in payslips], SplitAllocation.from_shares(splits, divided))
    expected: dict[tuple[str, str], list[int]] = {}
    for payslip, one in zip(payslips, divided, strict=True):
        for section, items in payslip.items():
            for item, amount in items.items():
                so_far = expected.setdefault((section, item), [0] * splits)
                expected[section, item] = [a + b for a, b in zip(so_far, by_hand(amount, one, splits), strict=True)]
    assert {(section.value, item): amounts.tolist() for (section, item), amounts in found.items()} == expected
    for (section, item), amounts in found.items():
        assert amounts.sum() == sum(one[section.value].get(item, 0) for one in payslips)


@given(run=runs(), own=OWN)
def test_nett_pay_in_the_journal_is_that_of_the_payslips(run: Any, own: dict[str, AccountOverrides]) -> None:
    payslips, splits, divided = run
    found = build_journal(
        Ledger(CATALOGUE, own), [form(one) for one in payslips], SplitAllocation.from_shares(splits, divided)
    )
    paid_out = _of_item(found, NETT_PAY)
    assert paid_out == sum(nett(one) for one in payslips)


def _of_item(found: Journal, item: str) -> int:
    credited = sum(int(one.amounts_cents.sum()) for one in found.credit if one.line_item == item)
    return credited - sum(int(one.amounts_cents.sum()) for one in found.debit if one.line_item == item)


@given(run=runs())
def test_a_journal_with_splits_is_the_one_without_them_in_parts(run: Any) -> None:
    payslips, splits, divided = run
    forms = [form(one) for one in payslips]
    ledger = Ledger(CATALOGUE)
    parts = build_journal(ledger, forms, SplitAllocation.from_shares(splits, divided))
    whole = build_journal(ledger, forms, SplitAllocation.single_split(1, [0] * len(payslips)))
    for some, all_of_it in ((parts.debit, whole.debit), (parts.credit, whole.credit)):
        summed = [[*row[:3], sum(row[3:])] for row in rows(some)]
        # What cancels over all splits is no line of the whole.
        assert [row for row in summed if row[3]] == rows(all_of_it)


@given(amount=CENTS, splits=st.integers(1, 6), data=st.data())
def test_taking_an_amount_back_cancels_it_in_every_split(amount: int, splits: int, data: st.DataObject) -> None:
    one = data.draw(shares(splits))
    forms = [form({"income": {"basic_salary": amount}}), form({"income": {"basic_salary": -amount}})]
    found = split_totals(forms, SplitAllocation.from_shares(splits, [one, one]))
    assert not any(amounts.any() for amounts in found.values())


@given(amount=CENTS, splits=st.integers(1, 6), data=st.data())
def test_each_part_is_within_a_cent_of_its_share(amount: int, splits: int, data: st.DataObject) -> None:
    one = data.draw(shares(splits))
    parts = SplitAllocation.from_shares(splits, [one]).allocate(np.array([0]), np.array([amount]))
    assert parts.sum() == amount
    for place in range(splits):
        assert abs(int(parts[place]) - Fraction(amount * one.get(place, 0), FULL_SHARE)) < 1


def test_a_form_that_was_never_calculated_has_no_lines() -> None:
    assert decode_line_columns(["{}"]) == {}


def test_every_line_of_the_catalogue_has_accounts() -> None:
    for line in CATALOGUE.lines.values():
        found = accounts_of(line)
        assert isinstance(found, LedgerAccounts)
        assert all(vars(found).values())
        assert found.debit != found.credit


def test_income_is_owed_to_employees_and_deductions_are_taken_from_it() -> None:
    for line in CATALOGUE.lines.values():
        accounts = accounts_of(line)
        assert (accounts.credit == "Salaries payable") == (line.section == PayslipSection.INCOME)
        assert (accounts.debit == "Salaries payable") == (line.section == PayslipSection.DEDUCTION)


def test_an_account_for_nett_pay_is_followed_by_all_that_say_nothing_else() -> None:
    own = {
        NETT_PAY: AccountOverrides(debit="2100", credit="2100"),
        "bonus": AccountOverrides(credit="2150"),
    }
    items = Ledger(CATALOGUE, own).items
    assert items["basic_salary"].credit == "2100"
    assert items["cpf_employee"].debit == "2100"
    assert items["bonus"].credit == "2150"
    assert items["sdl"] == accounts_of(SYSTEM_TYPES["sdl"].lines[0])


def test_amounts_by_ledger_account_are_of_the_account_that_an_item_is_known_by() -> None:
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
