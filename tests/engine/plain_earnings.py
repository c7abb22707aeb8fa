"""The earnings of a payslip once more, one person, exact fractions: steps 1 to 8 of docs/rules/payslip.md."""

from collections.abc import Collection, Sequence
from datetime import date
from fractions import Fraction

from gaji.engine.payslip_input import PayslipInput, CalculationEntry
from gaji.engine.catalogue import ItemDefinition
from tests.engine.plain_custom import CustomItems
from tests.engine.plain_treatment import ALLOWANCES, AMOUNT_OR_DAYS, AMOUNTS, BONUSES, ITEMS
from tests.engine.plain_week import Week
from tests.law import plain_pay
from tests.law.plain_pay import to_the_cent

ZERO = Fraction(0)
WEEKS = 52
MONTHS = 12
STEADY = ("fixed", "per_employee")
"""Custom items whose amount is the same on every payslip."""


class Earnings:
    """The upper half of the sheet on which a payslip is worked out."""

    def __init__(self, case: PayslipInput, definitions: Sequence[ItemDefinition], holidays: Collection[date]) -> None:
        self.case, self.period = case, case.period
        self.definitions = {str(one.id): one for one in definitions}
        self.holidays = holidays
        self.lines: dict[str, Fraction] = {}
        self.attention = False
        self.week = Week.of(self.inputs("week_hours"))
        self.working = self._working_days(self.period.start, self.period.end)
        self.served = self.served_from(self.period.start)
        self._basic_salary()
        self._work_beyond_the_contract()
        self._other_earnings()
        self._custom_items()
        self._unpaid_leave()

    # ---- What was entered

    def entry(self, name: str) -> CalculationEntry | None:
        """The calculation, if the payslip has it."""
        return self.case.calculations.get(name)

    def inputs(self, name: str) -> dict[str, str | bool]:
        """What was entered for a calculation."""
        entry = self.entry(name)
        return {} if entry is None else entry.inputs

    def number(self, name: str, one: str) -> Fraction:
        """A number that was entered, or nothing."""
        return Fraction(str(self.inputs(name).get(one, "0")))

    def shows(self, name: str) -> bool:
        """Whether the calculation has a line."""
        entry = self.entry(name)
        return entry is not None and not entry.skip

    def multiplied(self, name: str, amount: Fraction) -> Fraction:
        """7. A multiplier multiplies the amount of an item."""
        entry = self.entry(name)
        if entry is None or entry.multiplier is None:
            return amount
        return to_the_cent(amount * Fraction(entry.multiplier))

    def _line(self, name: str, amount: Fraction) -> None:
        if self.shows(name):
            self.lines[name] = self.multiplied(name, amount)

    # ---- 2. Presence

    def _working_days(self, first: date, last: date) -> Fraction:
        return plain_pay.working_days(self.week.half_days, first, last, self.holidays)

    def _stretches(self, day: date) -> list[tuple[date, date]]:
        """The stretches of service in the period, from a day on."""
        found = [
            (max(one.start, self.period.start, day), min(one.end or self.period.end, self.period.end))
            for one in self.case.service
        ]
        return [(first, last) for first, last in found if first <= last]

    def served_from(self, day: date) -> Fraction:
        """The working days in service from a day on."""
        return sum((self._working_days(first, last) for first, last in self._stretches(day)), ZERO)

    def _complete(self) -> bool:
        days = sum((last - first).days + 1 for first, last in self._stretches(self.period.start))
        return days == (self.period.end - self.period.start).days + 1

    def part(self, amount: Fraction, unpaid: Fraction = ZERO) -> Fraction:
        """What an amount for a whole period comes to for the days in service, less some that are not paid."""
        if self._complete() and not unpaid:
            return amount
        days = max(self.served - unpaid, ZERO)
        return to_the_cent(amount * days / self.working) if days else ZERO

    # ---- 3. Basic salary

    def _basic_salary(self) -> None:
        self.pay_type = str(self.inputs("basic_salary").get("pay_type", "monthly"))
        self.rate = self.number("basic_salary", {"monthly": "fixed_amount"}.get(self.pay_type, f"{self.pay_type}_rate"))
        if self.pay_type == "monthly":
            self._line("basic_salary", self.part(self.rate))
        else:
            self._line("basic_salary", to_the_cent(self.rate * self._days_or_hours()))

    def _days_or_hours(self) -> Fraction:
        """As entered; otherwise the regular ones in service, which somebody with a casual schedule does not have."""
        entered = "days_input" if self.pay_type == "daily" else "hours_input"
        if entered in self.inputs("basic_salary"):
            return self.number("basic_salary", entered)
        if self.inputs("week_hours").get("schedule") == "casual":
            return ZERO
        return self.served if self.pay_type == "daily" else self._regular_hours()

    def _regular_hours(self) -> Fraction:
        days = (
            date.fromordinal(day)
            for first, last in self._stretches(self.period.start)
            for day in range(first.toordinal(), last.toordinal() + 1)
        )
        return sum((self.week.hours[day.weekday()] for day in days), ZERO)

    # ---- 4. Overtime, rest days, public holidays

    def day_rate(self) -> Fraction:
        """The basic rate of a day."""
        if self.pay_type == "monthly":
            return self._of_a_day(self.rate)
        return self.rate if self.pay_type == "daily" else self.rate * self.week.day_hours

    def _of_a_day(self, amount: Fraction) -> Fraction:
        """What comes with every payslip, for a day."""
        return amount * self.period.periods_per_year / (WEEKS * self.week.days)

    def _hour_rate(self) -> Fraction:
        if self.pay_type == "monthly":
            return self.rate * self.period.periods_per_year / (WEEKS * 44)
        return self.rate / self.week.day_hours if self.pay_type == "daily" else self.rate

    def _work_beyond_the_contract(self) -> None:
        if not self.shows("basic_salary"):
            return
        hours, holidays = (self.number("basic_salary", one) for one in ("overtime_hours_input", "public_holiday_days"))
        by_employer, by_employee = (
            self.number("basic_salary", f"rest_day_{who}_days") for who in ("employer", "employee")
        )
        self.lines |= {
            "overtime": plain_pay.overtime(self._hour_rate(), hours, "workman", capped=False),
            "rest_day_pay": plain_pay.rest_day(self.day_rate(), by_employer, by_employee),
            "public_holiday_pay": to_the_cent(self.day_rate() * holidays),
        }

    # ---- 5. Other earnings

    def _month_basic(self) -> Fraction:
        """The basic salary of a month."""
        if self.pay_type == "monthly":
            return self.rate * self.period.periods_per_year / MONTHS
        a_week = self.week.days if self.pay_type == "daily" else sum(self.week.hours)
        return self.rate * a_week * WEEKS / MONTHS

    def gross_day_rate(self) -> Fraction:
        """The gross rate of a day: with the allowances that belong to it, in full."""
        allowances = ZERO
        for name, entry in self.case.calculations.items():
            if entry.skip and not entry.recurring:
                continue
            if name in ALLOWANCES and ITEMS[name].gross:
                allowances += self.number(name, "amount")
            elif name in self.definitions and self.definitions[name].treatment.gross_rate:
                allowances += self.steady_amount(name) or ZERO
        return self.day_rate() + self._of_a_day(allowances)

    def steady_amount(self, number: str) -> Fraction | None:
        """The amount of a custom item that is the same on every payslip."""
        one = self.definitions[number]
        if one.input not in STEADY:
            return None
        return Fraction(one.amount_cents or 0, 100) if one.input == "fixed" else self.number(number, "amount")

    def _other_earnings(self) -> None:
        for name in ALLOWANCES:
            amount = self.number(name, "amount")
            self._line(name, self.part(amount) if self.is_prorated(name) else amount)
        self._line("commission", self.number("commission", "commission_input"))
        for name in BONUSES:
            months = to_the_cent(self.number(name, "months") * self._month_basic())
            self._line(name, self.number(name, "amount") if "amount" in self.inputs(name) else months)
        for name in AMOUNT_OR_DAYS:
            self._line(name, self.amount_or_days(name))
        for name in (*AMOUNTS, "benefit_in_kind"):
            self._line(name, self.number(name, "amount"))

    def is_prorated(self, name: str) -> bool:
        """Whether an allowance is less in an incomplete period."""
        return self.inputs(name).get("prorate") is True

    def amount_or_days(self, name: str) -> Fraction:
        """An amount, or days at the gross rate of pay."""
        if "amount" in self.inputs(name):
            return self.number(name, "amount")
        return to_the_cent(self.number(name, "days") * self.gross_day_rate())

    # ---- 6. Custom items

    def _custom_items(self) -> None:
        custom = CustomItems(self.definitions, self.case.calculations, self.lines, self.multiplied)
        self.custom_amounts = custom.amounts()
        self.attention |= custom.impossible
        self.lines |= self.custom_amounts

    # ---- 8. Unpaid leave

    def _unpaid_leave(self) -> None:
        """What makes each line that of an incomplete period; of the daily- and hourly-rated days at their rate."""
        if not self.shows("unpaid_leave"):
            return
        days = min(self.number("unpaid_leave", "days"), self.served)
        taken = ZERO
        if self.pay_type == "monthly":
            amounts = {"basic_salary": self.rate}
            amounts |= {name: self.number(name, "amount") for name in ALLOWANCES if self.is_prorated(name)}
            for name, amount in amounts.items():
                if self.shows(name):
                    taken += self.lines[name] - self.multiplied(name, self.part(amount, days))
        elif self.shows("basic_salary"):
            at_rate = to_the_cent(self.day_rate() * self.number("unpaid_leave", "days"))
            taken = min(at_rate, self.lines["basic_salary"])
        self.lines["unpaid_leave"] = taken
