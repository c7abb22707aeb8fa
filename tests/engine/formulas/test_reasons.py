"""Reasons of the amounts that formulas give."""

from fractions import Fraction

import pytest

from gaji.console.reason_sentences import reason_sentence
from gaji.engine.formulas import reason
from tests.engine.formulas.formula_cases import REFERENCES, parse_any

PERSON = {
    "basic_salary": "4500",
    "basic_salary.days_input": "22",
    "transport_allowance": "120.5",
    "calc.12": "300",
    "calc.12.quantity": "3",
    "amount": "0.85",
    "quantity": "5",
    "back_pay": "0",
    "rate": "18",
    "percentage": "12.5",
}
NUMBERS = {REFERENCES[name]: Fraction(text) for name, text in PERSON.items()}

SENTENCES = {
    "basic_salary": "The full amount of $4,500.00",
    "rate * quantity": "5 times $18.00",
    "quantity * rate": "5 times $18.00",
    "amount * 0.05": "5% of $0.85, rounded to the cent",
    "0.05 * amount": "5% of $0.85, rounded to the cent",
    "quantity * 3": "5 times $3.00",
    "3 * quantity": "5 times $3.00",
    "calc.12.quantity * 0.5": "3 times $0.50",
    "rate * 1.5 * (quantity - 2)": "3 times $27.00",
    "rate * (amount / rate)": "",
    "rate * amount": "",
    "basic_salary * rate / 100": "",
    "rate * amount + transport_allowance * 0.0101": "",
    "basic_salary * percentage / 100": "12.5% of $4,500.00",
    "percentage * basic_salary / 100": "12.5% of $4,500.00",
    "round(basic_salary * percentage / 100, 0)": "12.5% of $4,500.00, rounded to the nearest dollar",
    "round(transport_allowance * 0.1, 0)": "10% of $120.50, rounded to the nearest dollar",
    "min(basic_salary * percentage / 100, 300)": "$300.00 of the $562.50 due",
    "min(600, basic_salary * percentage / 100)": "12.5% of $4,500.00",
    "min(300, calc.12)": "The full amount of $300.00",
    "min(250, calc.12)": "$250.00 of the $300.00 due",
    "min(calc.12, 250, basic_salary)": "",
    "min(calc.12, transport_allowance)": "",
    "max(200, transport_allowance)": "The full amount of $200.00",
    "max(basic_salary - 3000, 0)": "$4,500.00 less $3,000.00",
    "basic_salary + transport_allowance": "$4,500.00 plus $120.50",
    "basic_salary + transport_allowance + calc.12 + rate + 1": "The sum of 5 amounts",
    "rate * 2 + transport_allowance * 0.0101": "2 times $18.00 plus 1.01% of $120.50, rounded to the cent",
    "if(quantity > 4, calc.12, 0)": "The full amount of $300.00",
    "basic_salary / 7": "",
    "round(basic_salary + transport_allowance, 0)": "",
    "basic_salary / (quantity - 5)": "",
    "transport_allowance - basic_salary": "",
}


@pytest.mark.parametrize(("formula", "sentence"), SENTENCES.items(), ids=SENTENCES)
def test_a_formula_says_what_its_last_operation_does(formula: str, sentence: str) -> None:
    assert reason_sentence(reason(parse_any(formula), NUMBERS)) == sentence
