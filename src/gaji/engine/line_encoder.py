"""The forms of payslips: lines in their sections, as JSON."""

from collections.abc import Sequence

from gaji.engine.catalogue import Catalogue, PayslipSection
from gaji.engine.earnings.amounts import Amounts
from gaji.engine.money import decimal_text
from gaji.law.columns import Cents

SIDELINE = (PayslipSection.EMPLOYER_CONTRIBUTION, PayslipSection.BENEFIT)
SHOWN = (PayslipSection.INCOME, PayslipSection.DEDUCTION, *SIDELINE)

Shown = dict[PayslipSection, list[list[str]]]
"""The lines of each payslip, by section."""


def encode_lines(
    catalogue: Catalogue, lines: Amounts, income: Cents, deduction: Cents, nett: Cents, leave: Sequence[str]
) -> list[str]:
    """The lines of each payslip, with what is to be shown of leave, where there is any."""
    people = len(nett)
    shown: Shown = {section: _shown(catalogue, lines, section, people) for section in SHOWN}
    totals = zip(_texts(income), _texts(deduction), _texts(nett), strict=True)
    return [
        f'{{"income":[{_with_total(shown[PayslipSection.INCOME][place], earned)}],'
        f'"deduction":[{_with_total(shown[PayslipSection.DEDUCTION][place], taken)}],'
        f'"grand_total":[["nett_pay","{paid}"]],'
        f'"sideline":[{_groups(shown, place)}]{"," * bool(leave[place])}{leave[place]}}}'
        for place, (earned, taken, paid) in enumerate(totals)
    ]


def _shown(catalogue: Catalogue, lines: Amounts, section: PayslipSection, people: int) -> list[list[str]]:
    """The lines of each payslip in a section that have an amount, in the order of the catalogue."""
    found: list[list[str]] = [[] for _ in range(people)]
    for name in catalogue.line_names_by_section[section]:
        if name not in lines:
            continue
        item = name if name.isdigit() else f'"{name}"'
        amounts = lines[name]
        (places,) = amounts.nonzero()
        for place, text in zip(places.tolist(), _texts(amounts[places]), strict=True):
            found[place].append(f'[{item},"{text}"]')
    return found


def _with_total(items: Sequence[str], total: str) -> str:
    return ",".join((*items, f'["total","{total}"]'))


def _groups(shown: Shown, place: int) -> str:
    return ",".join(
        f'["{section.value}",[{",".join(shown[section][place])}]]' for section in SIDELINE if shown[section][place]
    )


def _texts(amounts: Cents) -> list[str]:
    """The amounts as texts, most of which are not negative and quickly written."""
    return [
        f"{amount // 100}.{amount % 100:02d}" if amount >= 0 else decimal_text(amount) for amount in amounts.tolist()
    ]
