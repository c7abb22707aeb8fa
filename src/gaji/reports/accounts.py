"""The accounts of reports: every item that a payslip can show, its totals and its nett pay, by what people read."""

from collections.abc import Iterator
from dataclasses import dataclass

from gaji.engine.catalogue import NETT_PAY, Catalogue, CalculationKind, PayslipSection
from gaji.payroll.payslips.history import TOTAL_DEDUCTION, TOTAL_INCOME
from gaji.reports.choices import Named, told_apart

FIXED_KEYS = ("employee", "Date")
"""The keys of rows that are no accounts."""
SECTIONS = {
    PayslipSection.INCOME: "Income",
    PayslipSection.DEDUCTION: "Deduction",
    PayslipSection.EMPLOYER_CONTRIBUTION: "Employer contribution",
    PayslipSection.BENEFIT: "Benefit",
}
FROM_TAXABLE_INCOME = "Taxable income deduction"
TOTALS = {TOTAL_INCOME: "Total income", TOTAL_DEDUCTION: "Total deduction"}
SUMMARIES = {NETT_PAY: "Nett pay"}


@dataclass(frozen=True, slots=True)
class Account:
    """One of them."""

    named: Named
    type: str
    """What kind of item it is, in the words of the reports."""

    @property
    def item(self) -> str | int:
        """What the amounts of payslips know it by."""
        return int(self.named.id) if self.named.id.isdecimal() else self.named.id


def accounts(catalogue: Catalogue) -> list[Account]:
    """All accounts of a client, in the order in which payslips show them."""
    known = list(_known(catalogue))
    names = told_apart(((item, name) for item, name, _ in known), FIXED_KEYS)
    return [Account(named, kind) for named, (_, _, kind) in zip(names, known, strict=True)]


def _known(catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    """Item, name and type of each."""
    for one in catalogue.types.values():
        for line in one.lines:
            # What lowers wages, and does not come out of them, lowers what is taxed.
            lowers = one.kind == CalculationKind.WAGE_DEDUCTION
            yield line.name, line.caption, FROM_TAXABLE_INCOME if lowers else SECTIONS[line.section]
    for item, name in TOTALS.items():
        yield item, name, "Total"
    for item, name in SUMMARIES.items():
        yield item, name, "Summary"
