"""Encode payslip lines as the JSON that is stored with a payslip, column by column."""

from collections.abc import Sequence

from gaji.engine.catalogue import Catalogue, PayslipSection
from gaji.engine.earnings.amounts import Amounts
from gaji.engine.money import decimal_text
from gaji.law.columns import Cents

SIDELINE = (PayslipSection.EMPLOYER_CONTRIBUTION, PayslipSection.BENEFIT)
SECTIONS = (PayslipSection.INCOME, PayslipSection.DEDUCTION, *SIDELINE)

LinesBySection = dict[PayslipSection, list[list[str]]]
"""The encoded lines, by section and payslip index."""


def encode_lines(
    catalogue: Catalogue, lines: Amounts, income: Cents, deduction: Cents, nett: Cents, leave: Sequence[str]
) -> list[str]:
    """Encode the lines of each payslip, followed by its encoded leave if there is any."""
    payslip_count = len(nett)
    encoded: LinesBySection = {
        section: _section_lines(catalogue, lines, section, payslip_count) for section in SECTIONS
    }
    totals = zip(_decimal_texts(income), _decimal_texts(deduction), _decimal_texts(nett), strict=True)
    return [
        f'{{"income":[{_with_total(encoded[PayslipSection.INCOME][i], income_total)}],'
        f'"deduction":[{_with_total(encoded[PayslipSection.DEDUCTION][i], deduction_total)}],'
        f'"grand_total":[["nett_pay","{nett_pay}"]],'
        f'"sideline":[{_sideline(encoded, i)}]{"," * bool(leave[i])}{leave[i]}}}'
        for i, (income_total, deduction_total, nett_pay) in enumerate(totals)
    ]


def _section_lines(
    catalogue: Catalogue, lines: Amounts, section: PayslipSection, payslip_count: int
) -> list[list[str]]:
    """The nonzero lines of each payslip in a section, in the order of the catalogue."""
    encoded: list[list[str]] = [[] for _ in range(payslip_count)]
    for name in catalogue.line_names_by_section[section]:
        if name not in lines:
            continue
        item = name if name.isdigit() else f'"{name}"'
        amounts = lines[name]
        (indexes,) = amounts.nonzero()
        for i, text in zip(indexes.tolist(), _decimal_texts(amounts[indexes]), strict=True):
            encoded[i].append(f'[{item},"{text}"]')
    return encoded


def _with_total(lines: Sequence[str], total: str) -> str:
    return ",".join((*lines, f'["total","{total}"]'))


def _sideline(encoded: LinesBySection, index: int) -> str:
    return ",".join(
        f'["{section.value}",[{",".join(encoded[section][index])}]]' for section in SIDELINE if encoded[section][index]
    )


def _decimal_texts(amounts: Cents) -> list[str]:
    # Inline formatting for the usual case is faster than a call for each amount.
    return [
        f"{amount // 100}.{amount % 100:02d}" if amount >= 0 else decimal_text(amount) for amount in amounts.tolist()
    ]
