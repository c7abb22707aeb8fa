"""The figures of a certificate, from finalised payslips and take-on balances.

A payslip line goes to the box named by its calculation type, in the year or years of income that the rule of the type
gives (law/tax/income_years.py).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

import msgspec

from gaji.core.law_loader import current_law
from gaji.documents.tax_certificates.appendix_8a import BenefitLine
from gaji.documents.tax_certificates.appendix_8b import ShareGainLine
from gaji.documents.tax_certificates.boxes import BOXES, BoxCategory
from gaji.engine.catalogue import CalculationType, Catalogue, CpfTreatment, PayslipSection, StoredValue
from gaji.engine.earnings import BACK_PAY, CORRECTED_PAY
from gaji.engine.past_months import EMPLOYEE_SHARE
from gaji.engine.payslip_input import DECIDED_LATER
from gaji.engine.withholding_tax import WITHHOLDING_TAX
from gaji.law.months import Month
from gaji.law.tax import ARREARS_SOURCE, IncomeDates, IncomeSpan, YearRule, income_span
from gaji.payroll.payslips.tax_years import TaxablePayslip

MBMF = "mbmf"
MOSQUE = "mosque"
DONATION = "donation"
BONUS, FEES, COMMISSION, SHARES, BENEFITS = "b", "c", "d2", "d8", "d9"
MONTHLY, OTHER_THAN_MONTHLY, BOTH = "M", "O", "B"
CONTRACTUAL, DECLARATION_DATE, APPROVAL_DATE = "contractual", "declaration_date", "approval_date"
PLAIN_RULES = frozenset({YearRule.WORK, YearRule.PAYMENT, YearRule.CONTRIBUTION})
"""Rules that depend on no inputs."""
ARREARS_RULE = "Arrears and corrections belong to the years of the periods that they are for."
CONTRIBUTION_RULE = "Contributions belong to the year of the month that they are for."
EXCESS_RULE = "Only compulsory contributions are deductible. What a correction found to be too much is refunded."
BONUS_PARTS = {True: "contractual", False: "non_contractual"}


class IncomeFigures(msgspec.Struct, frozen=True, omit_defaults=True):
    """The income on a certificate. It is stored as JSON, so the field names are fixed."""

    amounts: dict[str, int] = {}
    """Cents by amount key. Zero amounts are omitted."""
    declared: list[date] = []
    """When the bonuses that are not contractual were declared."""
    approved: list[date] = []
    """When the director's fees were approved."""
    commission_from: date | None = None
    commission_to: date | None = None
    commission_for: str | None = None
    """M for monthly commission, O for a longer period, B for both."""
    benefits: list[str] = []
    """The categories of the benefits in kind."""
    section_45: bool = False
    """Whether tax was withheld on director's fees, because the director is not a tax resident."""
    benefit_lines: list[BenefitLine] = []
    """The recorded benefits in kind, for Appendix 8A. Their sum is part of box d9."""
    share_gain_lines: list[ShareGainLine] = []
    """The recorded share gains, for Appendix 8B. Their sum is part of box d8."""

    @property
    def is_reported(self) -> bool:
        """Whether there is income to report. Fees of a director who is not resident, with nothing else, are not."""
        return bool(self) and not (self.section_45 and set(self.amounts) == {FEES})

    def __bool__(self) -> bool:
        return bool(self.amounts or self.benefit_lines or self.share_gain_lines)


@dataclass(frozen=True, slots=True)
class BoxRoute:
    """The box that the amounts of a payslip line go to."""

    calculation: CalculationType
    item: str
    caption: str
    sign: int

    def inputs(self, payslip: TaxablePayslip) -> Mapping[str, StoredValue]:
        """Return the entered inputs of the calculation, and the defaults of the others."""
        defaults = {field.name: field.default for field in self.calculation.inputs if field.default is not None}
        return {**defaults, **payslip.entered.get(self.calculation.name, {})}

    def amount_key(self, payslip: TaxablePayslip) -> str:
        """Return the key of the box, and of its part if the form divides it."""
        part = self.calculation.ir8a_part
        if CONTRACTUAL in self.calculation.inputs_by_name:
            part = BONUS_PARTS[self.inputs(payslip).get(CONTRACTUAL) is True]
        return BOXES[self.item].amount_key(part)

    def span(self, payslip: TaxablePayslip) -> IncomeSpan:
        """Return the days that the line is for, and the rule that says so."""
        dates = IncomeDates(payslip.start, payslip.end, payslip.pay_date, payslip.last_service_date)
        rule = self.calculation.tax_year
        return income_span(current_law().tax, rule, dates, {} if rule in PLAIN_RULES else self.inputs(payslip))


@dataclass(frozen=True, slots=True)
class BoxAmount:
    """The part of a payslip line that is income of one year, in cents."""

    line: str
    route: BoxRoute
    amount_key: str
    cents: int
    span: IncomeSpan


def box_routes(catalogue: Catalogue) -> dict[str, BoxRoute]:
    """Return the routes by line. Lines that are not on a certificate have none."""
    return {
        line.name: BoxRoute(
            calculation=calculation,
            item=line.treatment.ir8a,
            caption=line.caption,
            sign=_sign(line.section, line.treatment.ir8a),
        )
        for calculation in catalogue.types.values()
        for line in calculation.lines
        if line.treatment.ir8a is not None
    }


def _sign(section: PayslipSection, item: str) -> int:
    """A deduction that belongs to a box of income reduces it."""
    is_income = BOXES[item].category != BoxCategory.DEDUCTION
    return -1 if is_income and section == PayslipSection.DEDUCTION else 1


def tax_year_inputs(catalogue: Catalogue) -> list[str]:
    """Return the names of the inputs whose dates can determine the year of an item."""
    calculations = catalogue.types.values()
    return sorted({field.name for calculation in calculations for field in calculation.inputs if field.sets_tax_year})


def box_amounts(payslip: TaxablePayslip, routes: Mapping[str, BoxRoute], year: int) -> Iterator[BoxAmount]:
    """Yield what a payslip adds to the boxes of a year. Over all years, a line is divided without remainder."""
    yield from _past_amounts(payslip, routes, year)
    elsewhere = _past_cents_by_line(payslip, routes)
    for name, amount in payslip.cents.items():
        route, line_cents = routes.get(name), amount - elsewhere.get(name, 0)
        if route is None or not line_cents:
            continue
        span = route.span(payslip)
        weights = payslip.earned_by_year.get(name, payslip.working_days_by_year)
        cents = cents_by_year(line_cents, span, weights).get(year, 0)
        if not cents:
            continue
        if name == MBMF:
            # The form has separate boxes: Mendaki is a charity, the Mosque Building Fund is not.
            mosque = cents_by_year(payslip.mosque_cents, span, payslip.working_days_by_year).get(year, 0)
            yield BoxAmount(name, route, MOSQUE, mosque, span)
            yield BoxAmount(name, route, DONATION, cents - mosque, span)
        else:
            yield BoxAmount(name, route, route.amount_key(payslip), route.sign * cents, span)


def _past_amounts(payslip: TaxablePayslip, routes: Mapping[str, BoxRoute], year: int) -> Iterator[BoxAmount]:
    """Yield arrears and corrections, which belong to the year and the box of what they correct."""
    for difference in payslip.past_differences:
        span = IncomeSpan(difference.start, difference.end, ARREARS_RULE, ARREARS_SOURCE)
        for item, amount in difference.items.items():
            cents = cents_by_year(amount.accepted, span, {}).get(year, 0)
            if (route := routes.get(item)) is not None and cents:
                yield BoxAmount(item, route, route.amount_key(payslip), cents, span)
    for text, figures in payslip.past_months.items():
        month = Month.parse(text)
        span = IncomeSpan(month.first_day, month.last_day, CONTRIBUTION_RULE, ARREARS_SOURCE)
        for name, cents in figures.items() if month.year == year else ():
            if (route := routes.get(name)) is None or not cents:
                continue
            mosque = payslip.past_mosque_cents.get(text, 0) if name == MBMF else 0
            if mosque:
                yield BoxAmount(name, route, MOSQUE, mosque, span)
            yield BoxAmount(name, route, DONATION if name == MBMF else route.amount_key(payslip), cents - mosque, span)
    yield from _excess_contributions(payslip, routes[EMPLOYEE_SHARE], year)


def _excess_contributions(payslip: TaxablePayslip, route: BoxRoute, year: int) -> Iterator[BoxAmount]:
    """Yield the employee's CPF that corrections found to be too much. Donations stay as they were deducted."""
    for difference in payslip.past_differences:
        for text, figures in difference.months.items():
            month, share = Month.parse(text), figures.get(EMPLOYEE_SHARE)
            if share is not None and share.claim_cents and month.year == year:
                span = IncomeSpan(month.first_day, month.last_day, EXCESS_RULE, ARREARS_SOURCE)
                yield BoxAmount(EMPLOYEE_SHARE, route, route.amount_key(payslip), -share.claim_cents, span)


def _past_cents_by_line(payslip: TaxablePayslip, routes: Mapping[str, BoxRoute]) -> Mapping[str, int]:
    """The amounts of past periods on each line."""
    by_line: Counter[str] = Counter()
    for difference in payslip.past_differences:
        if difference.treatment == DECIDED_LATER:
            for item, amount in difference.items.items():
                by_line[_arrears_line(item, routes)] += amount.accepted
        else:
            by_line[CORRECTED_PAY] += max(difference.total_cents, 0)
    for figures in payslip.past_months.values():
        by_line.update(figures)
    return by_line


def _arrears_line(item: str, routes: Mapping[str, BoxRoute]) -> str:
    """The line that pays arrears of an item. Items that are not wages under the CPF Act have their own line."""
    if item not in routes:
        return item
    calculation = routes[item].calculation
    is_wage = calculation.treatment.cpf != CpfTreatment.NONE or calculation.reduces_wages
    return BACK_PAY if is_wage else item


def cents_by_year(cents: int, span: IncomeSpan, weights: Mapping[int, int | Fraction]) -> dict[int, int]:
    """Divide an amount among the years of a span, by working days or earnings or calendar days, without remainder.

    >>> span = IncomeSpan(date(2025, 12, 29), date(2026, 1, 4), "", "")
    >>> cents_by_year(700_01, span, {})
    {2025: 30000, 2026: 40001}
    """
    if span.first.year == span.last.year:
        return {span.first.year: cents}
    days: dict[int, int | Fraction] = {
        year: (min(span.last, date(year, 12, 31)) - max(span.first, date(year, 1, 1)) + timedelta(days=1)).days
        for year in range(span.first.year, span.last.year + 1)
    }
    if span.by_working_days and any(weights.values()):
        days = dict(weights)
    total, counted, divided = Fraction(sum(days.values())), Fraction(0), 0
    parts: dict[int, int] = {}
    for year, count in days.items():
        counted += count
        parts[year] = cents * counted // total - divided
        divided += parts[year]
    return parts


class IncomeAccumulator:
    """Adds up the figures of one employee for one year."""

    def __init__(self, year: int, take_on_cents: Mapping[str, int] | None = None) -> None:
        self.year = year
        self._amounts: Counter[str] = Counter()
        self._declared: set[date] = set()
        self._approved: set[date] = set()
        self._commissions: list[tuple[date, date, str]] = []
        self._benefits: set[str] = set()
        self._section_45 = False
        self._benefit_lines: list[BenefitLine] = []
        self._share_gain_lines: list[ShareGainLine] = []
        for item, cents in (take_on_cents or {}).items():
            self._amounts[BOXES[item].amount_key(None)] += cents

    def add(self, payslip: TaxablePayslip, routes: Mapping[str, BoxRoute]) -> None:
        """Add the lines of a payslip that are income of this year."""
        for amount in box_amounts(payslip, routes, self.year):
            self._amounts[amount.amount_key] += amount.cents
            self._add_notes(payslip, amount.route)

    def add_benefits(self, lines: Sequence[BenefitLine]) -> None:
        """Add recorded benefits in kind of this year."""
        self._benefit_lines += lines
        self._amounts[BENEFITS] += sum(line.taxable for line in lines)

    def add_share_gains(self, lines: Sequence[ShareGainLine]) -> None:
        """Add recorded share gains of this year."""
        self._share_gain_lines += lines
        self._amounts[SHARES] += sum(line.gain for line in lines)

    def figures(self) -> IncomeFigures:
        """Return the totals."""
        indicators = {indicator for _, _, indicator in self._commissions}
        return IncomeFigures(
            amounts={key: cents for key, cents in sorted(self._amounts.items()) if cents},
            declared=sorted(self._declared),
            approved=sorted(self._approved),
            commission_from=min((start for start, _, _ in self._commissions), default=None),
            commission_to=max((end for _, end, _ in self._commissions), default=None),
            commission_for=BOTH if len(indicators) > 1 else next(iter(indicators), None),
            benefits=sorted(self._benefits),
            section_45=self._section_45,
            benefit_lines=list(self._benefit_lines),
            share_gain_lines=list(self._share_gain_lines),
        )

    def _add_notes(self, payslip: TaxablePayslip, route: BoxRoute) -> None:
        """Record the details that the form asks for with some amounts."""
        inputs = route.inputs(payslip)
        if route.item == BONUS and inputs.get(CONTRACTUAL) is not True:
            self._declared |= _entered_dates(inputs, DECLARATION_DATE)
        if route.item == FEES:
            self._approved |= _entered_dates(inputs, APPROVAL_DATE)
            self._section_45 |= bool(payslip.cents.get(WITHHOLDING_TAX))
        if route.item == COMMISSION:
            indicator = OTHER_THAN_MONTHLY if inputs.get("commission_for") == "longer" else MONTHLY
            self._commissions.append((payslip.start, payslip.end, indicator))
        if route.item == BENEFITS and isinstance(category := inputs.get("category"), str) and category.strip():
            self._benefits.add(category.strip())


def _entered_dates(inputs: Mapping[str, StoredValue], name: str) -> set[date]:
    value = inputs.get(name)
    return {date.fromisoformat(value)} if isinstance(value, str) else set()
