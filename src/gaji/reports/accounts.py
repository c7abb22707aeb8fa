"""Report accounts: every item that a payslip can show, its totals and its nett pay, by display name."""

from collections.abc import Iterator
from dataclasses import dataclass

from gaji.engine.catalogue import NETT_PAY, Catalogue, PayslipSection
from gaji.payroll.payslips.history import TOTAL_DEDUCTION, TOTAL_INCOME
from gaji.reports.choices import Choice, unique_choices

FIXED_KEYS = ("employee", "Date")
"""Row keys that are not accounts."""
SECTIONS = {
    PayslipSection.INCOME: "Income",
    PayslipSection.DEDUCTION: "Deduction",
    PayslipSection.EMPLOYER_CONTRIBUTION: "Employer contribution",
    PayslipSection.BENEFIT: "Benefit",
}
WAGE_DEDUCTION = "Taxable income deduction"
"""A deduction that lowers the wages themselves, and so the taxable income."""
TOTALS = {TOTAL_INCOME: "Total income", TOTAL_DEDUCTION: "Total deduction"}
SUMMARIES = {NETT_PAY: "Nett pay"}


@dataclass(frozen=True, slots=True)
class ReportAccount:
    """An account that a report can include."""

    choice: Choice
    type: str
    """The display name of the kind of item."""

    @property
    def item(self) -> str | int:
        """The key of the account in the amounts of a payslip."""
        return int(self.choice.id) if self.choice.id.isdecimal() else self.choice.id


def list_accounts(catalogue: Catalogue) -> list[ReportAccount]:
    """Return all accounts of a client, in the order of a payslip."""
    items = list(_items(catalogue))
    choices = unique_choices(((item, name) for item, name, _ in items), FIXED_KEYS)
    return [ReportAccount(choice, type_name) for choice, (_, _, type_name) in zip(choices, items, strict=True)]


def _items(catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    """Yield the item, name and type of each account."""
    for calculation in catalogue.types.values():
        is_wage_deduction = calculation.reduces_wages
        for line in calculation.lines:
            yield line.name, line.caption, WAGE_DEDUCTION if is_wage_deduction else SECTIONS[line.section]
    for item, name in TOTALS.items():
        yield item, name, "Total"
    for item, name in SUMMARIES.items():
        yield item, name, "Summary"
