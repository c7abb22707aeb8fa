"""The figures of a certificate, from finalised payslips and take-on balances.

A payslip line goes to the box named by its calculation type. It is income of the year of its pay date, with two
exceptions: a bonus belongs to the year in which it was declared, a director's fee to the year in which it was approved.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import msgspec

from gaji.documents.tax_certificates.boxes import BOXES
from gaji.engine.catalogue import CalculationKind, Catalogue
from gaji.payroll.payslips.tax_years import TaxablePayslip

MBMF = "mbmf"
MOSQUE = "mosque"
DONATION = "donation"
BONUS, FEES, COMMISSION, BENEFITS = "b", "c", "d2", "d9"
MONTHLY, OTHER_THAN_MONTHLY, BOTH = "M", "O", "B"


class IncomeFigures(msgspec.Struct, frozen=True, omit_defaults=True):
    """The income on a certificate. It is stored as JSON, so the field names are fixed."""

    amounts: dict[str, int] = {}
    """Cents by amount key. Zero amounts are omitted."""
    declared: list[date] = []
    """When the bonuses were declared."""
    approved: list[date] = []
    """When the director's fees were approved."""
    commission_from: date | None = None
    commission_to: date | None = None
    commission_for: str | None = None
    """M for monthly commission, O for a longer period, B for both."""
    benefits: list[str] = []
    """The categories of the benefits in kind."""

    def __bool__(self) -> bool:
        return bool(self.amounts)


@dataclass(frozen=True, slots=True)
class BoxRoute:
    """The box that the amounts of a payslip line go to."""

    calculation: str
    item: str
    amount_key: str
    sign: int
    year_input: str | None
    """The input whose date determines the year."""

    def year(self, payslip: TaxablePayslip) -> int:
        """Return the year of income of the line on a payslip."""
        day = self.year_date(payslip)
        return int(day[:4]) if day else payslip.pay_date.year

    def year_date(self, payslip: TaxablePayslip) -> str | None:
        """Return the entered date that determines the year, if there is one."""
        inputs = payslip.entered.get(self.calculation, {})
        value = inputs.get(self.year_input) if self.year_input else None
        return value if isinstance(value, str) else None


def box_routes(catalogue: Catalogue) -> dict[str, BoxRoute]:
    """Return the routes by line. Lines that are not on a certificate have none."""
    return {
        line.name: BoxRoute(
            calculation=calculation.name,
            item=line.treatment.ir8a,
            amount_key=BOXES[line.treatment.ir8a].amount_key(calculation.ir8a_part),
            sign=-1 if calculation.kind == CalculationKind.WAGE_DEDUCTION else 1,
            year_input=next((field.name for field in calculation.inputs if field.sets_tax_year), None),
        )
        for calculation in catalogue.types.values()
        for line in calculation.lines
        if line.treatment.ir8a is not None
    }


def tax_year_inputs(catalogue: Catalogue) -> list[str]:
    """Return the names of the inputs whose dates can determine the year of an item."""
    calculations = catalogue.types.values()
    return sorted({field.name for calculation in calculations for field in calculation.inputs if field.sets_tax_year})


class IncomeAccumulator:
    """Adds up the figures of one employee for one year."""

    def __init__(self, year: int, take_on_cents: Mapping[str, int] | None = None) -> None:
        self.year = year
        self._amounts: Counter[str] = Counter()
        self._dates: dict[str, set[date]] = {BONUS: set(), FEES: set()}
        self._commissions: list[tuple[date, date, str]] = []
        self._benefits: set[str] = set()
        for item, cents in (take_on_cents or {}).items():
            self._amounts[BOXES[item].amount_key(None)] += cents

    def add(self, payslip: TaxablePayslip, routes: Mapping[str, BoxRoute]) -> None:
        """Add the lines of a payslip that are income of this year."""
        for name, cents in payslip.cents.items():
            route = routes.get(name)
            if route is None or not cents or route.year(payslip) != self.year:
                continue
            if name == MBMF:
                # The form has separate boxes: Mendaki is a charity, the Mosque Building Fund is not.
                self._amounts[MOSQUE] += payslip.mosque_cents
                self._amounts[DONATION] += cents - payslip.mosque_cents
            else:
                self._amounts[route.amount_key] += route.sign * cents
            self._add_notes(payslip, route)

    def figures(self) -> IncomeFigures:
        """Return the totals."""
        indicators = {indicator for _, _, indicator in self._commissions}
        return IncomeFigures(
            amounts={key: cents for key, cents in sorted(self._amounts.items()) if cents},
            declared=sorted(self._dates[BONUS]),
            approved=sorted(self._dates[FEES]),
            commission_from=min((start for start, _, _ in self._commissions), default=None),
            commission_to=max((end for _, end, _ in self._commissions), default=None),
            commission_for=BOTH if len(indicators) > 1 else next(iter(indicators), None),
            benefits=sorted(self._benefits),
        )

    def _add_notes(self, payslip: TaxablePayslip, route: BoxRoute) -> None:
        """Record the details that the form asks for with some amounts."""
        if route.item in self._dates and (day := route.year_date(payslip)):
            self._dates[route.item].add(date.fromisoformat(day))
        inputs = payslip.entered.get(route.calculation, {})
        if route.item == COMMISSION:
            indicator = OTHER_THAN_MONTHLY if inputs.get("commission_for") == "longer" else MONTHLY
            self._commissions.append((payslip.start, payslip.end, indicator))
        if route.item == BENEFITS and isinstance(category := inputs.get("category"), str) and category.strip():
            self._benefits.add(category.strip())
