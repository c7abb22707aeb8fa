"""The figures of a certificate, from payslips and from what is known of the year before the company moved in.

A line goes to the box that the catalogue of calculation types names. It is income of the year of its pay date, but a
bonus is of the year in which it was declared, and a director's fee of the year in which it was approved.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
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
    """What a certificate says about income."""

    amounts: dict[str, int] = {}
    """Cents by place in the boxes; none that is zero."""
    declared: list[date] = []
    """When the bonuses were declared."""
    approved: list[date] = []
    """When the director's fees were approved."""
    commission_from: date | None = None
    commission_to: date | None = None
    commission_for: str | None = None
    """M where it was earned by the month, O where over a longer time, B for both."""
    benefits: list[str] = []
    """What the benefits in kind are."""

    def __bool__(self) -> bool:
        return bool(self.amounts)


@dataclass(frozen=True, slots=True)
class Route:
    """Where the amounts of a line go."""

    calculation: str
    item: str
    place: str
    sign: int
    dated_by: str | None
    """The input whose date decides on the year."""

    def year(self, slip: TaxablePayslip) -> int:
        """The year that the line of a payslip is income of."""
        day = self.day(slip)
        return int(day[:4]) if day else slip.pay_date.year

    def day(self, slip: TaxablePayslip) -> str | None:
        """The day that decides on the year, where one was entered."""
        entered = slip.entered.get(self.calculation, {}).get(self.dated_by) if self.dated_by else None
        return entered if isinstance(entered, str) else None


def routes(catalogue: Catalogue) -> dict[str, Route]:
    """By line, where it goes; lines that are on no certificate have none."""
    return {
        line.name: Route(
            calculation=one.name,
            item=line.treatment.ir8a,
            place=BOXES[line.treatment.ir8a].place(one.ir8a_part),
            sign=-1 if one.kind == CalculationKind.WAGE_DEDUCTION else 1,
            dated_by=next((given.name for given in one.inputs if given.sets_tax_year), None),
        )
        for one in catalogue.types.values()
        for line in one.lines
        if line.treatment.ir8a is not None
    }


def dates_that_decide(catalogue: Catalogue) -> list[str]:
    """The names of the inputs whose dates can decide on the year of an item."""
    return sorted({given.name for one in catalogue.types.values() for given in one.inputs if given.sets_tax_year})


class YearOfIncome:
    """The figures of one employee and year, as they are being added up."""

    def __init__(self, year: int, taken_on: Mapping[str, int] | None = None) -> None:
        self.year = year
        self._amounts: Counter[str] = Counter()
        self._days: dict[str, set[date]] = {BONUS: set(), FEES: set()}
        self._commission: list[tuple[date, date, str]] = []
        self._benefits: set[str] = set()
        for item, cents in (taken_on or {}).items():
            self._amounts[BOXES[item].place(None)] += cents

    def add(self, slip: TaxablePayslip, by_line: Mapping[str, Route]) -> None:
        """Add what a payslip brought that is of this year."""
        for name, cents in slip.cents.items():
            route = by_line.get(name)
            if route is None or not cents or route.year(slip) != self.year:
                continue
            if name == MBMF:
                # Mendaki is a charity and mosques are none: the form has a box for each part of the contribution.
                self._amounts[MOSQUE] += slip.mosque_cents
                self._amounts[DONATION] += cents - slip.mosque_cents
            else:
                self._amounts[route.place] += route.sign * cents
            self._note(slip, route)

    def _note(self, slip: TaxablePayslip, route: Route) -> None:
        """What the form asks for beside some amounts."""
        if route.item in self._days and (day := route.day(slip)):
            self._days[route.item].add(date.fromisoformat(day))
        entered = slip.entered.get(route.calculation, {})
        if route.item == COMMISSION:
            longer = entered.get("commission_for") == "longer"
            self._commission.append((slip.start, slip.end, OTHER_THAN_MONTHLY if longer else MONTHLY))
        if route.item == BENEFITS and isinstance(category := entered.get("category"), str) and category.strip():
            self._benefits.add(category.strip())

    def figures(self) -> IncomeFigures:
        """What it comes to."""
        commission_for = {indicator for _, _, indicator in self._commission}
        return IncomeFigures(
            amounts={place: cents for place, cents in sorted(self._amounts.items()) if cents},
            declared=sorted(self._days[BONUS]),
            approved=sorted(self._days[FEES]),
            commission_from=min((start for start, _, _ in self._commission), default=None),
            commission_to=max((end for _, end, _ in self._commission), default=None),
            commission_for=BOTH if len(commission_for) > 1 else next(iter(commission_for), None),
            benefits=sorted(self._benefits),
        )


def compute_figures(
    catalogue: Catalogue, slips: Iterable[TaxablePayslip], year: int, taken_on: Mapping[str, int] | None = None
) -> IncomeFigures:
    """The figures of an employee's year from all their payslips."""
    income, by_line = YearOfIncome(year, taken_on), routes(catalogue)
    for slip in slips:
        income.add(slip, by_line)
    return income.figures()
