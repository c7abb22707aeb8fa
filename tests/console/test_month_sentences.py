"""Sentences of payslip lines whose amount is the sum of two months."""

from typing import Any

from gaji.console.explanation_text import input_name, input_text, relevant_inputs, with_months
from gaji.console.month_sentences import line_figures, line_sentence
from gaji.engine import explanations
from tests.engine import case_files
from tests.engine.test_cases import CASES, calculate_case
from tests.support.law import LAW

WEEKLY_PAY = "calendar_months: Weekly pay of 600: March 2026 has 22 working days, so 2,640 and not five whole weeks"
LOW_PAY = "calendar_months: A client can divide by calendar days instead"


def explained_lines(name: str, index: int) -> dict[str, dict[str, Any]]:
    """The explained lines of a payslip of an engine case, by item."""
    catalogue = case_files.case_catalogue(CASES[name])
    payslip = calculate_case(name)[index][1]
    return {str(line["item"]): line for line in explanations.explain(LAW, catalogue, payslip)}


def test_the_sentence_says_what_each_month_has() -> None:
    lines = explained_lines(WEEKLY_PAY, 5)
    assert line_sentence(lines["cpf_employee"]) == (
        "$48.00 for March 2026: 20% of the month's wages of $2,640.00, cents dropped ($528.00), "
        "less $480.00 on earlier payslips of the month. "
        "$0.00 for April 2026: total wages of $360.00 are up to $500.00, so only the employer contributes."
    )
    assert line_sentence(lines["cpf_employer"]) == (
        "$41.00 for March 2026: 37% of the month's wages of $2,640.00, rounded to the nearest dollar ($977.00), "
        "less the employee's share of $528.00, less $408.00 on earlier payslips of the month. "
        "$61.00 for April 2026: 17% of the month's wages of $360.00, rounded to the nearest dollar."
    )
    assert line_sentence(lines["sdl"]) == (
        "$0.60 for March 2026: 0.25% of the month's pay of $2,640.00 ($6.60), "
        "less $6.00 on earlier payslips of the month. $2.00 for April 2026: the minimum levy."
    )


def test_the_sentence_of_a_fund_names_the_months() -> None:
    assert line_sentence(explained_lines(LOW_PAY, 0)["cdac"]) == (
        "$0.50 for June 2026: the amount in the table for $285.71. "
        "$0.50 for July 2026: the amount in the table for $714.29."
    )


def test_months_whose_steps_cannot_be_told_apart_have_their_amounts() -> None:
    line = {
        "arithmetic": ["69.09 = 69.09", "300.00 = 300.00", "69.09 + 300.00 = 369.09"],
        "inputs": {"2026-03: month": "2026-03", "2026-04: month": "2026-04"},
        "rule": "The rule.",
        "branch": "",
    }
    assert line_sentence(line) == "$69.09 for March 2026 and $300.00 for April 2026"


def test_the_amount_of_a_corrected_month_is_not_that_of_a_month_of_the_payslip() -> None:
    line = {
        "arithmetic": ["48.00 + 0.00 = 48.00", "60.00 − 40.00 = 20.00", "48.00 + 20.00 = 68.00"],
        "inputs": {
            "2026-03: month": "2026-03",
            "2026-04: month": "2026-04",
            "2026-02: cpf_employee paid": "40.00",
            "2026-02: cpf_employee due": "60.00",
        },
        "rule": "The rule.",
        "branch": "",
    }
    assert line_sentence(line) == "$48.00 plus $20.00"


def test_the_figures_of_both_months_are_used() -> None:
    figures = line_figures(explained_lines(WEEKLY_PAY, 5)["cpf_employer"])
    assert [(figure["name"], figure["value"]) for figure in figures] == [
        ("T1, up to 55: employer only", "17 %"),
        ("T1, up to 55: total", "37 %"),
    ]


def test_the_inputs_of_each_month_have_readable_names_and_values() -> None:
    line = explained_lines(WEEKLY_PAY, 5)["cpf_employee"]
    shown = {input_name(name): input_text(text, name) for name, text in relevant_inputs(line["inputs"]).items()}
    assert shown["Mar 2026: Legal status"] == "Singapore citizen"
    assert shown["Apr 2026: Ordinary wages of the month to date"] == "360.00"
    assert not [name for name in shown if "CPF rates" in name or "2026-" in name]
    assert with_months(line["branch"]).startswith("Mar 2026: table T1")
