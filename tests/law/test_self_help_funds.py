"""The self-help funds: membership and contributions."""

from pathlib import Path
from typing import Any

import pytest

from gaji.law import registry, self_help_funds
from gaji.law.columns import cents, flags
from gaji.law.months import Month
from gaji.law.parameters import InvalidParameterFile, MonthNotCovered
from gaji.law.self_help_funds import FUNDS, Fund, FundElection
from tests.law import arithmetic
from tests.law.case_people import case_month, fund_elections, fund_members
from tests.law.cases import Case, cases, in_cents

MONTH = Month(2026, 1)


def expected(case: Case) -> dict[str, int]:
    """The expected amounts of a case."""
    return {fund.name: in_cents(case.get(fund.name, 0)) for fund in FUNDS}


@cases("self_help_funds")
def test_case(case: Case, law: registry.Law) -> None:
    arguments: Any = (
        case_month(case),
        fund_members(law, case),
        cents([in_cents(case["total_wages"])]),
        fund_elections(case),
    )
    contributions = self_help_funds.contributions_cents(law.self_help_funds, *arguments)
    assert {fund.name: int(amount[0]) for fund, amount in contributions.items()} == expected(case)
    explanations = self_help_funds.explain(law.self_help_funds, *arguments)
    figures = {explanation.figure.upper(): explanation.amount_cents for explanation in explanations}
    assert {name: figures.get(name, 0) for name in expected(case)} == expected(case)
    for explanation in explanations:
        arithmetic.check_explanation(explanation)
        assert explanation.branch.startswith(("by race", "by religion", "elected"))


@pytest.mark.parametrize(
    ("wages", "amount", "mosque"),
    [
        (100_000, 300, 175),
        (200_000, 450, 300),
        (300_000, 650, 500),
        (400_000, 1500, 1100),
        (600_000, 1950, 1350),
        (800_000, 2200, 1450),
        (1_000_000, 2400, 1600),
        (1_000_001, 2600, 1750),
    ],
)
def test_mbmf_is_divided_between_mosques_and_mendaki(law: registry.Law, wages: int, amount: int, mosque: int) -> None:
    standard = self_help_funds.standard_contribution_cents(law.self_help_funds, MONTH, Fund.MBMF, cents([wages]))
    assert standard.tolist() == [amount]
    assert self_help_funds.mosque_share_cents(law.self_help_funds, MONTH, cents([wages]), standard).tolist() == [mosque]


def test_a_chosen_amount_is_divided_like_the_standard_one(law: registry.Law) -> None:
    mosque = self_help_funds.mosque_share_cents(law.self_help_funds, MONTH, cents([100_000, 100_000]), cents([600, 0]))
    assert mosque.tolist() == [350, 0]


@pytest.mark.parametrize(
    "race", ["chinese", "CHINSE", "", "CHINESE-", "-INDIAN", "CHINESE-INDIAN-MALAY", "MALAY-indian"]
)
def test_an_unknown_race_is_rejected(law: registry.Law, race: str) -> None:
    with pytest.raises(ValueError, match=r"^race '.*' (is not one of CHINESE,|has 3 parts)"):
        self_help_funds.lookup_race_funds(law.self_help_funds, MONTH, ["MALAY", race])


def test_an_unknown_religion_is_rejected(law: registry.Law) -> None:
    with pytest.raises(ValueError, match="religion 'islam' is not one of"):
        self_help_funds.lookup_religion_funds(law.self_help_funds, MONTH, ["NONE", "islam"])


@pytest.mark.parametrize("amount", [-1, -500])
def test_a_negative_chosen_amount_is_rejected(law: registry.Law, amount: int) -> None:
    case: Case = {"race": "CHINESE"}
    elections = {Fund.CDAC: FundElection(flags([False]), cents([amount]))}
    with pytest.raises(ValueError, match=r"chosen amount for CDAC is negative for the people at index \[0\]"):
        self_help_funds.contributions_cents(
            law.self_help_funds, MONTH, fund_members(law, case), cents([100_000]), elections
        )


def test_a_second_payslip_charges_the_difference(law: registry.Law) -> None:
    case: Case = {"race": "CHINESE", "total_wages": 5000}
    (explanation,) = self_help_funds.explain(
        law.self_help_funds, MONTH, fund_members(law, case), cents([500_000]), earlier_cents={Fund.CDAC: 100}
    )
    assert (explanation.amount_cents, explanation.arithmetic[-1]) == (50, "1.50 − 1.00 = 0.50")


def test_a_fund_that_no_longer_applies_is_refunded(law: registry.Law) -> None:
    case: Case = {"race": "FILIPINO"}
    (explanation,) = self_help_funds.explain(
        law.self_help_funds, MONTH, fund_members(law, case), cents([500_000]), earlier_cents={Fund.CDAC: 100}
    )
    assert (explanation.figure, explanation.amount_cents, explanation.branch) == ("cdac", -100, "does not apply")
    arithmetic.check_explanation(explanation)


def test_sinda_can_be_switched_on_for_levy_passes(tmp_path: Path) -> None:
    passes = 'CDAC = [], ECF = [], MBMF = ["EP", "SPASS", "WP", "OTHER"], SINDA = ["EP", "SPASS", "WP"]'
    (tmp_path / "self_help_funds.toml").write_text(
        f'[foreign_passes]\nvalues = [{{ from = 2015-01-01, {passes}, source = "the Rules name no pass" }}]'
    )
    law = registry.load(tmp_path)
    case: Case = {"race": "INDIAN", "legal_status": "FOREIGNER_WP", "work_pass": "WP"}
    contributions = self_help_funds.contributions_cents(
        law.self_help_funds, MONTH, fund_members(law, case), cents([100_000])
    )
    assert contributions[Fund.SINDA].tolist() == [100]


def test_a_floor_can_be_set_for_mbmf(tmp_path: Path) -> None:
    (tmp_path / "self_help_funds.toml").write_text(
        '[mbmf_nothing_up_to]\nvalues = [{ from = 2016-06-01, value = 200, source = "as before 2016" }]'
    )
    law = registry.load(tmp_path)
    standard = self_help_funds.standard_contribution_cents(
        law.self_help_funds, MONTH, Fund.MBMF, cents([20_000, 20_001])
    )
    assert standard.tolist() == [0, 300]
    case: Case = {"race": "MALAY", "religion": "ISLAM"}
    explanations = self_help_funds.explain(law.self_help_funds, MONTH, fund_members(law, case), cents([20_000]))
    assert [explanation.branch for explanation in explanations] == ["by religion; wages too low for a contribution"]
    arithmetic.check_explanation(explanations[0])


@pytest.mark.parametrize("month", ["2016-05", "2028-01"])
def test_a_month_outside_the_covered_months_is_rejected(law: registry.Law, month: str) -> None:
    with pytest.raises(MonthNotCovered):
        self_help_funds.standard_contribution_cents(
            law.self_help_funds, Month.parse(month), Fund.MBMF, cents([100_000])
        )


@pytest.mark.parametrize(
    ("bands", "key", "reason"),
    [
        (
            "[{ up_to = 20, amount = 1 }, { up_to = 10, amount = 2 }, { amount = 3 }]",
            "bands",
            "must be in ascending order",
        ),
        (
            "[{ up_to = 20, amount = 1 }, { up_to = 20, amount = 2 }, { amount = 3 }]",
            "bands",
            "must be in ascending order",
        ),
        ("[{ amount = 1 }, { amount = 2 }]", "bands[1].up_to", "is missing"),
        ("[{ up_to = 20, amount = 1 }, { up_to = 30, amount = 2 }]", "bands[2].up_to", "is not a known field"),
        ("[{ amount = 0 }]", "bands", "must have an amount"),
        ("[{ amount = 1, mosque = 2 }]", "bands", "not above"),
    ],
)
def test_invalid_bands_are_rejected(tmp_path: Path, bands: str, key: str, reason: str) -> None:
    (tmp_path / "self_help_funds.toml").write_text(
        f'[[CDAC.values]]\nfrom = 2026-01-01\nsource = "s"\nraces = ["CHINESE"]\nreligions = []\nbands = {bands}'
    )
    with pytest.raises(InvalidParameterFile) as raised:
        registry.load(tmp_path)
    assert raised.value.key == f"CDAC from 2026-01-01.{key}"
    assert reason in raised.value.reason
