"""Sentences that explain an amount."""

import random
import re
from decimal import Decimal

import pytest

from gaji.console.explanation_text import plain_sentence
from gaji.engine import explanations
from gaji.engine.catalogue import build_catalogue
from tests.engine import random_payslips
from tests.support.law import LAW

TIMES = re.compile(r"([\d.]+) (?:times|hours? at|days? at|months? at) (about )?\$([\d,.]+)(?: an? \w+)?")

CASES = {
    "units at a rate": (
        ["18.00 × 5.00 = 90.00"],
        {"rate": "18.00", "quantity": "5"},
        "5 times $18.00",
    ),
    "units at a rate below a dollar": (
        ["0.60 × 12.00 = 7.20"],
        {"rate": "0.60", "quantity": "12"},
        "12 times $0.60",
    ),
    "part of a unit": (["18.00 × 0.50 = 9.00"], {"rate": "18.00", "quantity": "0.5"}, "0.5 times $18.00"),
    "hourly pay": (
        ["round_cents(12.50 × 160) = 2000.00"],
        {"rate per hour": "12.50", "hours": "160"},
        "160 hours at $12.50 an hour",
    ),
    "daily pay": (
        ["round_cents(95.00 × 1) = 95.00"],
        {"rate per day": "95.00", "days": "1"},
        "1 day at $95.00 a day",
    ),
    "overtime of hourly pay": (
        ["round_cents(1.50 × 12.50 × 4) = 75.00"],
        {"pay_type": "hourly", "amount": "12.50", "overtime hours": "4"},
        "4 hours at $18.75 an hour, which is 1.5 times the hourly rate of $12.50",
    ),
    "overtime of monthly pay": (
        ["round_cents(1.50 × 12 × 2300.00 ÷ (52 × 44) × 2.5) = 45.23"],
        {"pay_type": "monthly", "amount": "2300.00", "overtime hours": "2.5"},
        "2.5 hours at about $18.09 an hour, which is 1.5 times the hourly rate of about $12.06",
    ),
    "multiplied amount": (
        ["500.00 = 500.00", "round_cents(500.00 × 1.5) = 750.00"],
        {"amount": "500.00", "multiplier": "1.5"},
        "1.5 times $500.00",
    ),
    "part of an amount": (
        ["500.00 = 500.00", "round_cents(500.00 × 0.5) = 250.00"],
        {"amount": "500.00", "multiplier": "0.5"},
        "50% of $500.00",
    ),
    "multiplied units": (
        ["18.00 × 5.00 = 90.00", "round_cents(90.00 × 2) = 180.00"],
        {"rate": "18.00", "quantity": "5", "multiplier": "2"},
        "5 times $18.00, then times 2",
    ),
    "deduction of units at a rate": (
        ["3.00 × 8.00 = 24.00", "min(24.00, 1050.00, 2100.00) = 24.00"],
        {"rate": "3.00", "quantity": "8", "amount requested": "24.00"},
        "8 times $3.00",
    ),
    "share of the month on a later payslip": (
        ["194.50 + 597.48 = 791.98", "floor(0.20 × 791.98) = 158.00", "158.00 − 58.00 = 100.00"],
        {
            "ordinary wages of the month to date": "791.98",
            "employee's share on earlier payslips of the month": "58.00",
        },
        "20% of the month's wages of $791.98, cents dropped ($158.00), less $58.00 on earlier payslips of the month",
    ),
    "fund on a later payslip": (
        ["choose(791.98; up to 1000.00: 1.00; otherwise: 3.00) = 1.00", "1.00 − 0.50 = 0.50"],
        {"charged on earlier payslips of the month": "0.50"},
        "$1.00, the amount in the table for $791.98, less $0.50 on earlier payslips of the month",
    ),
    "graduated share": (
        ["floor(0.60 × (709.16 − 500.00)) = 125.00"],
        {"ordinary wages of the month to date": "709.16"},
        "60% of the part of the month's wages ($709.16) above $500.00, cents dropped",
    ),
    "share on ordinary and additional wages": (
        ["floor(0.20 × 3000.00 + 0.20 × 80.00) = 616.00"],
        {"ordinary wages of the month to date": "3000.00", "additional wages of the month to date": "80.00"},
        "20% of $3,000.00 plus 20% of $80.00, cents dropped",
    ),
    "share on additional wages only": (
        ["floor(0.20 × 0.00 + 0.20 × 80.00) = 16.00"],
        {"additional wages of the month to date": "80.00"},
        "20% of $80.00, cents dropped",
    ),
    "minimum levy": (
        ["max(2.00, round_cents(0.0025 × min(360.00, 4500.00))) = 2.00"],
        {"remuneration": "360.00", "sdl_exempt": "no"},
        "$2.00, the minimum levy",
    ),
    "deduction with an amount of an earlier payslip": (
        ["3.00 = 3.00", "3.00 + 3.00 = 6.00", "min(6.00, 6.00, 600.00) = 6.00"],
        {"amount": "3.00", "amount requested": "6.00", "carried forward from earlier payslips": "3.00"},
        "$3.00 plus $3.00 carried forward from earlier payslips",
    ),
    "deduction of an earlier payslip only": (
        ["3.00 = 3.00", "min(3.00, 3.00, 600.00) = 3.00"],
        {"amount requested": "3.00", "carried forward from earlier payslips": "3.00"},
        "$3.00, carried forward from earlier payslips",
    ),
    "unpaid leave": (
        ["12 − 1 = 11", "round_cents(1225.00 × 11 ÷ 12) = 1122.92", "1225.00 − 1122.92 = 102.08"],
        {
            "Basic salary per period": "1225.00",
            "days in service": "12",
            "of these, unpaid": "1",
            "working days of the period": "12",
        },
        "1 of the 12 working days of the period, of $1,225.00",
    ),
    "unpaid leave of several lines": (
        [
            "22 − 2 = 20",
            "round_cents(4400.00 × 20 ÷ 22) = 4000.00",
            "round_cents(220.00 × 20 ÷ 22) = 200.00",
            "4400.00 − 4000.00 + 220.00 − 200.00 = 420.00",
        ],
        {
            "Basic salary per period": "4400.00",
            "Shift allowance per period": "220.00",
            "of these, unpaid": "2",
            "working days of the period": "22",
        },
        "2 of the 22 working days of the period, of $4,620.00",
    ),
    "unpaid leave of multiplied pay": (
        ["5 − 5 = 0", "round_cents(2000.64 × 0 ÷ 22) = 0.00", "250.15 − 0.00 = 250.15"],
        {"Basic salary per period": "2000.64", "of these, unpaid": "5", "working days of the period": "22"},
        "The pay of 5 of the 22 working days of the period",
    ),
    "national service after unpaid leave": (
        ["23 − 6 = 17", "round_cents(2300.00 × 17 ÷ 23) = 1700.00", "2300.00 − 1700.00 − 100.00 = 500.00"],
        {
            "Basic salary per period": "2300.00",
            "of these, unpaid": "6",
            "working days of the period": "23",
            "unpaid leave": "100.00",
        },
        "6 of the 23 working days of the period, of $2,300.00, less $100.00 of unpaid leave",
    ),
    "unpaid leave at a daily rate": (
        ["round_cents(120.00 × 3) = 360.00", "min(360.00, 2640.00) = 360.00"],
        {"pay_type": "daily", "amount": "120.00", "days": "3"},
        "3 days at $120.00 a day",
    ),
    "percentage": (["4500.00 × 12.50 ÷ 100 = 562.50"], {"percentage": "12.5"}, "12.5% of $4,500.00"),
    "incomplete month": (
        ["round_cents(4200.00 × 10 ÷ 21) = 2000.00"],
        {"monthly rates": "4200.00", "days worked": "10", "working days of the month": "21"},
        "$4,200.00 for 10 of 21 working days",
    ),
}


@pytest.mark.parametrize(("arithmetic", "inputs", "sentence"), CASES.values(), ids=CASES)
def test_a_sentence_says_how_many_and_at_which_rate(
    arithmetic: list[str], inputs: dict[str, str], sentence: str
) -> None:
    assert plain_sentence(arithmetic, "the rule", inputs) == sentence


def test_the_sentence_of_the_employers_share_says_what_is_subtracted() -> None:
    rule = "The total contribution, less the employee's share and less the employer's share on earlier payslips."
    steps = ["round(0.37 × 791.98) = 293.00", "floor(0.20 × 791.98) = 158.00", "293.00 − 158.00 = 135.00"]
    total = "37% of $791.98, rounded to the nearest dollar ($293.00), less the employee's share of $158.00"
    assert plain_sentence(steps, rule) == total
    inputs = {"employer's share on earlier payslips of the month": "102.00"}
    sentence = plain_sentence([*steps, "135.00 − 102.00 = 33.00"], rule, inputs)
    assert sentence == f"{total}, less $102.00 on earlier payslips of the month"


def test_the_sentence_of_a_graduated_employers_share_says_where_the_total_comes_from() -> None:
    rule = "The total contribution, less the employee's share and less the employer's share on earlier payslips."
    steps = [
        "round(0.17 × 597.48 + 0.60 × (597.48 − 500.00)) = 160.00",
        "floor(0.60 × (597.48 − 500.00)) = 58.00",
        "160.00 − 58.00 = 102.00",
        "102.00 − 54.00 = 48.00",
    ]
    inputs = {
        "ordinary wages of the month to date": "597.48",
        "employer's share on earlier payslips of the month": "54.00",
    }
    assert plain_sentence(steps, rule, inputs) == (
        "17% of the month's wages of $597.48 plus 60% of the part above $500.00, rounded to the nearest dollar "
        "($160.00), less the employee's share of $58.00, less $54.00 on earlier payslips of the month"
    )


def test_an_employees_share_of_zero_is_left_out() -> None:
    rule = "The total contribution, less the employee's share."
    steps = ["round(0.17 × 90.00) = 15.00", "floor(0.00 × 90.00) = 0.00", "15.00 − 0.00 = 15.00"]
    assert plain_sentence(steps, rule) == "17% of $90.00, rounded to the nearest dollar"


def test_the_employees_share_is_named_if_both_shares_are_equal() -> None:
    rule = "The total contribution, less the employee's share and less the employer's share on earlier payslips."
    steps = ["round(0.25 × 1200.00) = 300.00", "floor(0.125 × 1200.00) = 150.00", "300.00 − 150.00 = 150.00"]
    total = "25% of $1,200.00, rounded to the nearest dollar ($300.00)"
    assert plain_sentence(steps, rule) == f"{total}, less the employee's share of $150.00"


@pytest.mark.parametrize("seed", range(8))
def test_the_sentences_of_unit_rates_have_the_entered_quantity_before_the_rate(seed: int) -> None:
    company = random_payslips.company(random.Random(seed), 20)
    catalogue = build_catalogue(company.definitions)
    checked = 0
    for payslip in company.payslips:
        for line in explanations.explain(LAW, catalogue, payslip):
            inputs = line["inputs"]
            match = TIMES.match(plain_sentence(line["arithmetic"], line["rule"], inputs))
            quantity = inputs.get("hours") or inputs.get("overtime hours") or inputs.get("days") or inputs.get("months")
            if match and quantity:
                assert Decimal(match[1]) == Decimal(quantity), line
                checked += 1
    assert checked
