"""Sentences that explain an amount."""

import random
import re
from decimal import Decimal
from fractions import Fraction

import pytest

from gaji.console.explained_lines import line_view
from gaji.console.reason_sentences import reason_sentence
from gaji.engine import explanations
from gaji.engine.catalogue import build_catalogue
from gaji.law.months import Month
from gaji.law.reasons import (
    AbsenceAmount,
    AmountSum,
    CarriedForward,
    ChosenAmount,
    Difference,
    FullAmount,
    LimitedAmount,
    MinimumLevy,
    MonthReason,
    MonthSum,
    Multiple,
    MultipliedAmount,
    NothingDue,
    OvertimeHours,
    Percentage,
    ProductSum,
    ProratedAmount,
    Reason,
    ReducedAmount,
    RoundingRule,
    Subtrahend,
    TableAmount,
    UncoveredShare,
    Unit,
    UnitsAtRate,
    WagesToDate,
)
from tests.engine import random_payslips
from tests.support.law import LAW

TIMES = re.compile(r"([\d.]+) (?:times|hours? at|days? at|months? at) (about )?\$([\d,.]+)(?: an? \w+)?")
ALL = WagesToDate.ALL
FIVE_SHIFTS = ProductSum((Multiple(Fraction(5), Fraction(1800)),), RoundingRule.CENT)


def percentage(
    rate: str, base_cents: int, wages: WagesToDate | None = None, above_cents: int | None = None
) -> Percentage:
    """A percentage of an amount."""
    return Percentage(Fraction(rate), Fraction(base_cents), wages, above_cents)


def employee_share(*products: Percentage) -> ProductSum:
    """An employee's share of CPF."""
    return ProductSum(products, RoundingRule.DOLLAR_DOWN)


def total_share(*products: Percentage) -> ProductSum:
    """The total contribution to CPF."""
    return ProductSum(products, RoundingRule.DOLLAR)


def skills_levy(rate: str, base_cents: int, wages: WagesToDate | None = None) -> ProductSum:
    """A levy that is rounded to the cent."""
    return ProductSum((percentage(rate, base_cents, wages),), RoundingRule.CENT)


CASES: dict[str, tuple[Reason | None, str]] = {
    "no reason": (None, ""),
    "nothing due": (NothingDue("the employee is exempt"), ""),
    "an agreed amount": (FullAmount(250_000), "The full amount of $2,500.00"),
    "a limited deduction": (LimitedAmount(20_000, 40_000), "$200.00 of the $400.00 due"),
    "units at a rate": (FIVE_SHIFTS, "5 times $18.00"),
    "units at a rate below a dollar": (
        ProductSum((Multiple(Fraction(12), Fraction(60)),), RoundingRule.CENT),
        "12 times $0.60",
    ),
    "part of a unit": (ProductSum((Multiple(Fraction(1, 2), Fraction(1800)),), RoundingRule.CENT), "0.5 times $18.00"),
    "units at a rate that is not in cents": (
        ProductSum(
            (Multiple(Fraction(10), Fraction(3087)), Multiple(Fraction(9), Fraction("4630.5"))), RoundingRule.CENT
        ),
        "10 times $30.87 plus 9 times about $46.31, rounded to the cent",
    ),
    "hourly pay": (UnitsAtRate(Fraction(160), Unit.HOUR, Fraction(1250)), "160 hours at $12.50 an hour"),
    "daily pay": (UnitsAtRate(Fraction(1), Unit.DAY, Fraction(9500)), "1 day at $95.00 a day"),
    "rest days": (UnitsAtRate(Fraction(2), Unit.REST_DAY, Fraction(12000)), "2 days of pay at $120.00 a day"),
    "months of basic salary": (
        UnitsAtRate(Fraction(9, 4), Unit.MONTH, Fraction(1, 3)),
        "2.25 months at about $0.00 a month",
    ),
    "overtime of hourly pay": (
        OvertimeHours(Fraction(4), Fraction(3, 2), Fraction(1250)),
        "4 hours at $18.75 an hour, which is 1.5 times the hourly rate of $12.50",
    ),
    "overtime of monthly pay": (
        OvertimeHours(Fraction(5, 2), Fraction(3, 2), Fraction(12 * 230_000, 52 * 44)),
        "2.5 hours at about $18.09 an hour, which is 1.5 times the hourly rate of about $12.06",
    ),
    "multiplied amount": (MultipliedAmount(FullAmount(50_000), 50_000, Fraction(3, 2)), "1.5 times $500.00"),
    "part of an amount": (MultipliedAmount(FullAmount(50_000), 50_000, Fraction(1, 2)), "50% of $500.00"),
    "multiplied amount of another rule": (
        MultipliedAmount(None, 1001, Fraction(1, 2)),
        "50% of $10.01, rounded to the cent",
    ),
    "multiplied units": (MultipliedAmount(FIVE_SHIFTS, 9000, Fraction(2)), "5 times $18.00, then times 2"),
    "share of the month on a later payslip": (
        ReducedAmount(employee_share(percentage("0.2", 79_198, ALL)), 15_800, 5_800, Subtrahend.EARLIER_PAYSLIPS),
        "20% of the month's wages of $791.98, cents dropped ($158.00), less $58.00 on earlier payslips of the month",
    ),
    "fund on a later payslip": (
        ReducedAmount(TableAmount(100, 79_198), 100, 50, Subtrahend.EARLIER_PAYSLIPS),
        "$1.00, the amount in the table for $791.98, less $0.50 on earlier payslips of the month",
    ),
    "nothing due on a later payslip": (
        ReducedAmount(NothingDue("does not apply"), 0, 50, Subtrahend.EARLIER_PAYSLIPS),
        "$0.00 less $0.50",
    ),
    "an entered levy on a later payslip": (
        ReducedAmount(FullAmount(45_000), 45_000, 5_000, Subtrahend.EARLIER_PAYSLIPS),
        "$450.00 less $50.00",
    ),
    "a chosen contribution to a fund": (ChosenAmount(500), "$5.00, as the employee chose"),
    "graduated share": (
        employee_share(percentage("0.6", 70_916, ALL, 50_000)),
        "60% of the part of the month's wages ($709.16) above $500.00, cents dropped",
    ),
    "share of the month's wages without an earlier deduction": (
        ProductSum(
            (percentage("0.2", 82_644, ALL),), RoundingRule.DOLLAR_DOWN, is_to_date=True, nil_before_cents=50_000
        ),
        "20% of the month's wages of $826.44, cents dropped; "
        "nothing was deducted before, because the month's wages had not passed $500.00",
    ),
    "share on ordinary and additional wages": (
        employee_share(percentage("0.2", 300_000), percentage("0.2", 8_000)),
        "20% of $3,000.00 plus 20% of $80.00, cents dropped",
    ),
    "share without a percentage of wages before permanent residence": (
        employee_share(percentage("0", 300_000), percentage("0.2", 8_000)),
        "20% of $80.00, cents dropped",
    ),
    "more wages than a sentence can hold": (employee_share(*[percentage("0.2", 8_000)] * 5), ""),
    "skills levy": (skills_levy("0.0025", 405_000), "0.25% of $4,050.00, rounded to the cent"),
    "skills levy in whole cents": (skills_levy("0.0025", 450_000), "0.25% of $4,500.00"),
    "minimum levy": (MinimumLevy(200), "$2.00, the minimum levy"),
    "deduction with an amount of an earlier payslip": (
        CarriedForward(300, 300),
        "$3.00 plus $3.00 carried forward from earlier payslips",
    ),
    "deduction of an earlier payslip only": (CarriedForward(0, 300), "$3.00, carried forward from earlier payslips"),
    "unpaid leave": (
        AbsenceAmount(Fraction(1), Fraction(12), 122_500),
        "$1,225.00 for 1 of the 12 working days of the period",
    ),
    "unpaid leave of multiplied pay": (
        AbsenceAmount(Fraction(5), Fraction(22), None),
        "The pay of 5 of the 22 working days of the period",
    ),
    "national service after unpaid leave": (
        AbsenceAmount(Fraction(6), Fraction(23), 230_000, 10_000),
        "$2,300.00 for 6 of the 23 working days of the period, less $100.00 of unpaid leave",
    ),
    "percentage": (ProductSum((percentage("0.125", 450_000),), None), "12.5% of $4,500.00"),
    "incomplete month": (
        ProratedAmount(420_000, Fraction(10), Fraction(21)),
        "$4,200.00 for 10 of 21 working days",
    ),
    "sum": (AmountSum((Fraction(-50), Fraction(8000))), "-$0.50 plus $80.00"),
    "sum with negative terms": (
        AmountSum((Fraction(60_000), Fraction(20_000), Fraction(-15_000))),
        "$600.00 plus $200.00 less $150.00",
    ),
    "long sum": (AmountSum((Fraction(1),) * 5), "The sum of 5 amounts"),
    "difference": (Difference(Fraction(87_300), Fraction(47_200)), "$873.00 less $472.00"),
    "employer's share of an employee whose pay does not cover the other one": (
        UncoveredShare(61_200, 6_000),
        "$612.00 plus $60.00 of the employee's share that the pay does not cover",
    ),
    "employer's share": (
        ReducedAmount(total_share(percentage("0.37", 79_198)), 29_300, 15_800, Subtrahend.EMPLOYEE_SHARE),
        "37% of $791.98, rounded to the nearest dollar ($293.00), less the employee's share of $158.00",
    ),
    "employer's share if the employee's is zero": (
        ReducedAmount(total_share(percentage("0.17", 9_000)), 1_500, 0, Subtrahend.EMPLOYEE_SHARE),
        "17% of $90.00, rounded to the nearest dollar",
    ),
    "employer's share on a later payslip": (
        ReducedAmount(
            ReducedAmount(
                total_share(percentage("0.17", 59_748, ALL), percentage("0.6", 59_748, ALL, 50_000)),
                16_000,
                5_800,
                Subtrahend.EMPLOYEE_SHARE,
            ),
            10_200,
            5_400,
            Subtrahend.EARLIER_PAYSLIPS,
        ),
        "17% of the month's wages of $597.48 plus 60% of the part above $500.00, rounded to the nearest dollar "
        "($160.00), less the employee's share of $58.00, less $54.00 on earlier payslips of the month",
    ),
    "two months": (
        MonthSum(
            (
                MonthReason(Month(2026, 3), 50, TableAmount(50, 28_571)),
                MonthReason(Month(2026, 4), 0, NothingDue("no wages, so no contribution")),
            )
        ),
        "$0.50 for March 2026: the amount in the table for $285.71. "
        "$0.00 for April 2026: no wages, so no contribution.",
    ),
    "two months, one of them with a reason": (
        MonthSum(
            (
                MonthReason(Month(2026, 3), 200, MinimumLevy(200)),
                MonthReason(Month(2026, 4), 500, None),
            )
        ),
        "$2.00 for March 2026: the minimum levy. $5.00 for April 2026.",
    ),
    "two months whose rule has no sentence of its own": (
        MonthSum((MonthReason(Month(2026, 3), 6_909, None), MonthReason(Month(2026, 4), 30_000, FullAmount(30_000)))),
        "$69.09 for March 2026 and $300.00 for April 2026",
    ),
    "two months with wages of both kinds": (
        MonthSum(
            (
                MonthReason(Month(2026, 3), 0, NothingDue("the employee is exempt")),
                MonthReason(
                    Month(2026, 4),
                    11_600,
                    employee_share(
                        percentage("0.2", 50_000, WagesToDate.ORDINARY),
                        percentage("0.2", 8_000, WagesToDate.ADDITIONAL),
                    ),
                ),
            )
        ),
        "$0.00 for March 2026: the employee is exempt. $116.00 for April 2026: 20% of the month's ordinary wages of "
        "$500.00 plus 20% of the month's additional wages of $80.00, cents dropped.",
    ),
}


@pytest.mark.parametrize(("reason", "sentence"), CASES.values(), ids=CASES)
def test_a_reason_has_a_plain_sentence(reason: Reason | None, sentence: str) -> None:
    assert reason_sentence(reason) == sentence


@pytest.mark.parametrize("seed", range(8))
def test_the_sentences_of_unit_rates_have_the_entered_quantity_before_the_rate(seed: int) -> None:
    company = random_payslips.company(random.Random(seed), 20)
    catalogue = build_catalogue(company.definitions)
    checked = 0
    for payslip in company.payslips:
        for line in explanations.explain(LAW, catalogue, payslip):
            inputs = line.explanation.inputs
            match = TIMES.match(line_view(line).sentence)
            quantity = inputs.get("hours") or inputs.get("overtime hours") or inputs.get("days") or inputs.get("months")
            if match and quantity:
                assert Decimal(match[1]) == Decimal(quantity), line
                checked += 1
    assert checked
