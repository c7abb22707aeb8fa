"""Explained lines of payslips as pages show them."""

from gaji.console.explained_lines import FUND_NAMES, LineView, line_view
from gaji.console.explanation_text import figure_caption
from gaji.engine import explanations
from gaji.law.self_help_funds.parameters import FUNDS
from tests.engine import case_files
from tests.engine.test_cases import CASES, calculate_case
from tests.support.law import LAW

WEEKLY_PAY = "calendar_months: Weekly pay of 600: March 2026 has 22 working days, so 2,640 and not five whole weeks"
FOUR_WEEKS = "several_in_a_month: Four weekly payslips add up to the contributions of the month"
LOW_PAY = "calendar_months: A client can divide by calendar days instead"
MISSED_PAY = "arrears: Pay that was missed by mistake has the contributions of its own month, before the 55th birthday"

NEW_YEAR = "incomplete_months: Public holidays within unpaid leave are unpaid days"
CHRISTMAS = "incomplete_months: A public holiday within the unpaid leave of a day worker is an unpaid day"
UNPAID_WITHOUT_DATES = "incomplete_months: Unpaid leave applies after the multiplier of a salary"
UNPAID_HOLIDAYS = "Public holidays within unpaid leave"


def explained_lines(name: str, index: int) -> dict[str, LineView]:
    """The explained lines of a payslip of an engine case, by item."""
    catalogue = case_files.case_catalogue(CASES[name])
    payslip = calculate_case(name)[index][1]
    return {line.name: line_view(line) for line in explanations.explain(LAW, catalogue, payslip)}


def test_the_sentence_says_what_each_month_has() -> None:
    lines = explained_lines(WEEKLY_PAY, 5)
    assert lines["cpf_employee"].sentence == (
        "$48.00 for March 2026: 20% of the month's wages of $2,640.00, cents dropped ($528.00), "
        "less $480.00 on earlier payslips of the month. "
        "$0.00 for April 2026: total wages of $360.00 are up to $500.00, so only the employer contributes."
    )
    assert lines["cpf_employer"].sentence == (
        "$41.00 for March 2026: 37% of the month's wages of $2,640.00, rounded to the nearest dollar ($977.00), "
        "less the employee's share of $528.00, less $408.00 on earlier payslips of the month. "
        "$61.00 for April 2026: 17% of the month's wages of $360.00, rounded to the nearest dollar."
    )
    assert lines["sdl"].sentence == (
        "$0.60 for March 2026: 0.25% of the month's pay of $2,640.00 ($6.60), "
        "less $6.00 on earlier payslips of the month. $2.00 for April 2026: the minimum levy."
    )


def test_the_first_deduction_of_a_month_says_why_there_was_none_before() -> None:
    assert explained_lines(FOUR_WEEKS, 2)["cpf_employee"].sentence == (
        "60% of the part of the month's wages ($540.00) above $500.00, cents dropped; "
        "nothing was deducted before, because the month's wages had not passed $500.00"
    )
    assert explained_lines(FOUR_WEEKS, 3)["cpf_employee"].sentence == (
        "60% of the part of the month's wages ($720.00) above $500.00, cents dropped ($132.00), "
        "less $24.00 on earlier payslips of the month"
    )


def test_the_sentence_of_a_fund_names_the_months() -> None:
    assert explained_lines(LOW_PAY, 0)["cdac"].sentence == (
        "$0.50 for June 2026: the amount in the table for $285.71. "
        "$0.50 for July 2026: the amount in the table for $714.29."
    )


def test_the_name_of_a_fund_is_spelled_out() -> None:
    assert explained_lines(LOW_PAY, 0)["cdac"].full_name == "Chinese Development Assistance Council"
    assert explained_lines(LOW_PAY, 0)["cpf_employee"].full_name == ""
    assert set(FUND_NAMES) == {fund.name.lower() for fund in FUNDS}


def test_the_amount_of_a_corrected_month_is_added() -> None:
    line = explained_lines(MISSED_PAY, 0)["cpf_employee"]
    assert " plus " in line.sentence
    assert not line.deciding


def test_the_figures_of_both_months_are_used() -> None:
    figures = explained_lines(WEEKLY_PAY, 5)["cpf_employer"].deciding
    assert [(figure.name, figure.value, figure_caption(figure)) for figure in figures] == [
        ("T1, up to 55: employer only", "17 %", "CPF rate, age up to 55: employer only"),
        ("T1, up to 55: total", "37 %", "CPF rate, age up to 55: total"),
    ]


def test_the_inputs_of_each_month_have_readable_names_and_values() -> None:
    line = explained_lines(WEEKLY_PAY, 5)["cpf_employee"]
    shown = {line_input.label: line_input.text for line_input in line.inputs if line_input.is_relevant}
    assert shown["Mar 2026: Legal status"] == "Singapore citizen"
    assert shown["Apr 2026: Ordinary wages of the month to date"] == "360.00"
    assert not [name for name in shown if "CPF rates" in name or "2026-" in name]
    assert line.branch.startswith("Mar 2026: table T1")
    assert "; Apr 2026: table T1" in line.branch


def test_the_inputs_of_corrected_months_and_periods_have_readable_names() -> None:
    lines = explained_lines(MISSED_PAY, 0)
    labels = [line_input.label for line in lines.values() for line_input in line.inputs]
    assert "Jan 2026: CPF employee paid" in labels
    assert not [text for text in labels if "2026-" in text]


def test_inputs_that_say_that_something_is_not_the_case_make_no_difference() -> None:
    inputs = {line_input.label: line_input for line_input in explained_lines(LOW_PAY, 0)["cdac"].inputs}
    assert not inputs["Jun 2026: Second race fund"].is_relevant
    assert inputs["Jun 2026: Race fund"].is_relevant


def test_unpaid_leave_names_the_public_holidays_that_are_not_paid() -> None:
    line = explained_lines(NEW_YEAR, 0)["unpaid_leave"]
    assert line.sentence == (
        "$2,200.00 for 4 of the 20 working days of the period. Not paid, because they are public holidays within "
        "unpaid leave: 17 Feb 2026 (Chinese New Year) and 18 Feb 2026 (Chinese New Year)"
    )
    inputs = {line_input.label: line_input.text for line_input in line.inputs}
    assert inputs[UNPAID_HOLIDAYS] == "Chinese New Year on 17 February 2026, Chinese New Year on 18 February 2026"
    assert line.rule.endswith("A public holiday within unpaid leave is not paid: it counts as one of the unpaid days.")


def test_unpaid_leave_at_a_daily_rate_names_the_public_holiday() -> None:
    assert explained_lines(CHRISTMAS, 0)["unpaid_leave"].sentence == (
        "3 days at $100.00 a day. Not paid, because it is a public holiday within unpaid leave: "
        "25 Dec 2026 (Christmas Day)"
    )


def test_unpaid_leave_without_a_public_holiday_names_none() -> None:
    line = explained_lines(UNPAID_WITHOUT_DATES, 0)["unpaid_leave"]
    assert "public holiday" not in line.sentence
    assert UNPAID_HOLIDAYS not in {line_input.label for line_input in line.inputs}
