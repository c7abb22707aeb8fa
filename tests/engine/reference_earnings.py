"""A reference implementation of earnings: one employee, exact fractions, steps 1 to 8 of docs/rules/payslip.md."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from fractions import Fraction

from gaji.engine.catalogue import ItemDefinition
from gaji.engine.payslip_input import CalculationEntry, EntryPart, PayslipInput
from tests.engine.reference_custom_items import ReferenceCustomItems
from tests.engine.reference_treatment import ALLOWANCES, AMOUNT_OR_DAYS, AMOUNTS, BONUSES, ITEMS
from tests.engine.reference_work_week import ReferenceWeek
from tests.law import reference_pay
from tests.law.reference_pay import round_to_cent

ZERO = Fraction(0)
WEEKS = 52
MONTHS = 12
FIXED_INPUTS = ("fixed", "per_employee")
"""The inputs of custom items whose amount is the same on every payslip."""


NO_WAGES = ("directors_fee", "notice_pay", "ex_gratia", "retrenchment_benefit", "reimbursement")
"""Items of income that are no wages under the CPF Act."""


class ReferenceEarnings:
    """Calculates the earnings of one payslip."""

    def __init__(
        self, payslip: PayslipInput, definitions: Sequence[ItemDefinition], holidays: Collection[date]
    ) -> None:
        self.payslip, self.period = payslip, payslip.period
        self.definitions = {str(definition.id): definition for definition in definitions}
        self.holidays = holidays
        self.lines: dict[str, Fraction] = {}
        self.needs_attention = False
        self.week = ReferenceWeek.from_inputs(self.inputs("week_hours"))
        self.working = self._working_days(self.period.start, self.period.end)
        self.served = self.served_from(self.period.start)
        self._add_basic_salary()
        self._add_extra_work()
        self._add_other_earnings()
        self._add_custom_items()
        self._add_unpaid_leave()
        self._add_arrears()

    # ---- Inputs

    def entry(self, name: str) -> CalculationEntry | None:
        """The calculation, if the payslip has it."""
        return self.payslip.calculations.get(name)

    def inputs(self, name: str) -> dict[str, str | bool]:
        """The entered inputs of a calculation."""
        entry = self.entry(name)
        return {} if entry is None else entry.inputs

    def number(self, name: str, input_name: str) -> Fraction:
        """An entered number. Default: 0."""
        return Fraction(str(self.inputs(name).get(input_name, "0")))

    def has_line(self, name: str) -> bool:
        """Whether the calculation has a line."""
        entry = self.entry(name)
        return entry is not None and not entry.skip

    def multiplied(self, name: str, amount: Fraction) -> Fraction:
        """7. An amount times the multiplier of the item."""
        entry = self.entry(name)
        if entry is None or entry.multiplier is None:
            return amount
        return round_to_cent(amount * Fraction(entry.multiplier))

    def _add_line(self, name: str, amount: Fraction) -> None:
        if self.has_line(name):
            self.lines[name] = self.multiplied(name, amount)

    # ---- 2. Attendance

    def _working_days(self, first: date, last: date) -> Fraction:
        return reference_pay.working_days(lambda day: self._week_on(day).half_days_on(day), first, last, self.holidays)

    def _week_on(self, day: date) -> ReferenceWeek:
        """The regular hours that are in force on a day. Rates of pay have those of the last day."""
        entry = self.entry("week_hours")
        if entry is None or not entry.parts:
            return self.week
        return ReferenceWeek.from_inputs(self.dated_part("week_hours", day).inputs or {})

    def _intervals(self, day: date) -> list[tuple[date, date]]:
        """The service intervals in the period, from a day on."""
        intervals = [
            (max(interval.start, self.period.start, day), min(interval.end or self.period.end, self.period.end))
            for interval in self.payslip.service
        ]
        return [(first, last) for first, last in intervals if first <= last]

    def served_from(self, day: date) -> Fraction:
        """The working days in service from a day on."""
        return sum((self._working_days(first, last) for first, last in self._intervals(day)), ZERO)

    def _is_complete(self) -> bool:
        days = sum((last - first).days + 1 for first, last in self._intervals(self.period.start))
        return days == (self.period.end - self.period.start).days + 1

    def prorated(self, amount: Fraction, unpaid: Fraction = ZERO) -> Fraction:
        """An amount for a whole period, prorated to the days in service less unpaid days."""
        if self._is_complete() and not unpaid:
            return amount
        days = max(self.served - unpaid, ZERO)
        return round_to_cent(amount * days / self.working) if days else ZERO

    # ---- 2a. Values that change within the period

    def dated_part(self, name: str, day: date) -> EntryPart:
        """The part of a calculation with parts that a day belongs to."""
        entry = self.entry(name)
        assert entry is not None
        return [part for part in entry.parts if part.start <= day or part is entry.parts[0]][-1]

    def dated_amount(self, name: str) -> Fraction | None:
        """The exact sum of what each day in service earns at its own values. None if the item is not paid in parts."""
        entry = self.entry(name)
        if entry is None or not entry.parts or not self.working:
            return None
        if name != "basic_salary" and not self.is_prorated(name):
            return None
        return sum((self._dated_day(name, day) for day in self._days_in_service()), ZERO) + self._dated_extra(name)

    def _dated_day(self, name: str, day: date) -> Fraction:
        part = self.dated_part(name, day)
        if part.inputs is None or part.skip:
            return ZERO
        multiplier = Fraction(part.multiplier or "1")
        worked = self._working_days(day, day)
        definition = self.definitions.get(name)
        if definition is not None and definition.input == "fixed":
            return Fraction(definition.amount_cents or 0, 100) * multiplier * worked / self.working
        pay_type = str(part.inputs.get("pay_type", "monthly")) if name == "basic_salary" else "monthly"
        if pay_type == "monthly":
            amount = Fraction(str(part.inputs.get("fixed_amount" if name == "basic_salary" else "amount", "0")))
            return amount * multiplier * worked / self.working
        rate = Fraction(str(part.inputs.get(f"{pay_type}_rate", "0")))
        regular, total = worked, self.served
        if pay_type == "hourly":
            regular, total = self._week_on(day).hours_on(day), self._regular_hours()
        entered = part.inputs.get("days_input" if pay_type == "daily" else "hours_input")
        if entered is not None:
            return rate * multiplier * regular * Fraction(str(entered)) / total if total else ZERO
        casual = self.inputs("week_hours").get("schedule") == "casual"
        return ZERO if casual else rate * multiplier * regular

    def _dated_extra(self, name: str) -> Fraction:
        """Days or hours that were entered although there are no regular ones are paid at the last values."""
        entry = self.entry(name)
        assert entry is not None
        part = entry.parts[-1]
        pay_type = str((part.inputs or {}).get("pay_type", "monthly"))
        if name != "basic_salary" or pay_type == "monthly" or part.inputs is None or part.skip:
            return ZERO
        total = self.served if pay_type == "daily" else self._regular_hours()
        entered = part.inputs.get("days_input" if pay_type == "daily" else "hours_input")
        if total or entered is None:
            return ZERO
        rate = Fraction(str(part.inputs.get(f"{pay_type}_rate", "0")))
        return rate * Fraction(str(entered)) * Fraction(part.multiplier or "1")

    def _days_in_service(self) -> list[date]:
        return [
            date.fromordinal(day)
            for first, last in self._intervals(self.period.start)
            for day in range(first.toordinal(), last.toordinal() + 1)
        ]

    def _prorate_inputs(self, name: str) -> dict[str, str | bool]:
        """The inputs that decide whether an item is prorated: those of the last part in which it exists."""
        entry = self.entry(name)
        parts = entry.parts if entry is not None else []
        existing = [part.inputs for part in parts if part.inputs is not None]
        return existing[-1] if existing else self.inputs(name)

    # ---- 3. Basic salary

    def _add_basic_salary(self) -> None:
        self.pay_type = str(self.inputs("basic_salary").get("pay_type", "monthly"))
        self.rate = self.number("basic_salary", {"monthly": "fixed_amount"}.get(self.pay_type, f"{self.pay_type}_rate"))
        dated = self.dated_amount("basic_salary")
        if dated is not None:
            self.lines["basic_salary"] = round_to_cent(dated)
        elif self.pay_type == "monthly":
            self._add_line("basic_salary", self.prorated(self.rate))
        else:
            self._add_line("basic_salary", round_to_cent(self.rate * self._days_or_hours()))

    def _days_or_hours(self) -> Fraction:
        """As entered, or the regular ones in service. A casual schedule has none."""
        input_name = "days_input" if self.pay_type == "daily" else "hours_input"
        if input_name in self.inputs("basic_salary"):
            return self.number("basic_salary", input_name)
        if self.inputs("week_hours").get("schedule") == "casual":
            return ZERO
        return self.served if self.pay_type == "daily" else self._regular_hours()

    def _regular_hours(self) -> Fraction:
        return sum((self._week_on(day).hours_on(day) for day in self._days_in_service()), ZERO)

    # ---- 4. Overtime, rest days, public holidays

    def day_rate(self) -> Fraction:
        """The basic rate of a day."""
        if self.pay_type == "monthly":
            return self._per_day(self.rate)
        return self.rate if self.pay_type == "daily" else self.rate * self.week.day_hours

    def _per_day(self, amount: Fraction) -> Fraction:
        """A day's share of an amount per payslip."""
        return amount * self.period.periods_per_year / (WEEKS * self.week.days)

    def _hour_rate(self) -> Fraction:
        if self.pay_type == "monthly":
            return self.rate * self.period.periods_per_year / (WEEKS * 44)
        return self.rate / self.week.day_hours if self.pay_type == "daily" else self.rate

    def _add_extra_work(self) -> None:
        if not self.has_line("basic_salary"):
            return
        hours, previous_hours, holidays = (
            self.number("basic_salary", name)
            for name in ("overtime_hours_input", "overtime_hours_previous_input", "public_holiday_days")
        )
        by_employer, by_employee = (
            self.number("basic_salary", f"rest_day_{who}_days") for who in ("employer", "employee")
        )
        self.lines |= {
            "overtime": reference_pay.overtime(self._hour_rate(), hours, "workman", capped=False),
            "overtime_previous": reference_pay.overtime(self._hour_rate(), previous_hours, "workman", capped=False),
            "rest_day_pay": reference_pay.rest_day(self.day_rate(), by_employer, by_employee),
            "public_holiday_pay": round_to_cent(self.day_rate() * holidays),
            "public_holiday_off_pay": round_to_cent(
                self.gross_day_rate() * self.number("basic_salary", "public_holiday_off_days")
            ),
        }

    # ---- 5. Other earnings

    def _month_basic(self) -> Fraction:
        """The basic salary of a month."""
        if self.pay_type == "monthly":
            return self.rate * self.period.periods_per_year / MONTHS
        units_per_week = self.week.days if self.pay_type == "daily" else self.week.hours_per_week
        return self.rate * units_per_week * WEEKS / MONTHS

    def gross_day_rate(self) -> Fraction:
        """The gross rate of a day: the basic rate plus the allowances that belong to it, in full."""
        allowances = ZERO
        for name, entry in self.payslip.calculations.items():
            if entry.skip and not entry.recurring:
                continue
            if name in ALLOWANCES and ITEMS[name].gross:
                allowances += self.number(name, "amount")
            elif name in self.definitions and self.definitions[name].treatment.gross_rate:
                allowances += self.fixed_amount(name) or ZERO
        return self.day_rate() + self._per_day(allowances)

    def fixed_amount(self, number: str) -> Fraction | None:
        """The amount of a custom item that is the same on every payslip. None for other items."""
        definition = self.definitions[number]
        if definition.input not in FIXED_INPUTS:
            return None
        if definition.input == "fixed":
            return Fraction(definition.amount_cents or 0, 100)
        return self.number(number, "amount")

    def _add_other_earnings(self) -> None:
        for name in ALLOWANCES:
            amount, dated = self.number(name, "amount"), self.dated_amount(name)
            if dated is not None:
                self.lines[name] = round_to_cent(dated)
            else:
                self._add_line(name, self.prorated(amount) if self.is_prorated(name) else amount)
        self._add_line("commission", self.number("commission", "commission_input"))
        for name in BONUSES:
            months = round_to_cent(self.number(name, "months") * self._month_basic())
            self._add_line(name, self.number(name, "amount") if "amount" in self.inputs(name) else months)
        for name in AMOUNT_OR_DAYS:
            self._add_line(name, self.amount_or_days(name))
        for name in (*AMOUNTS, "benefit_in_kind"):
            self._add_line(name, self.number(name, "amount"))

    def is_prorated(self, name: str) -> bool:
        """Whether an item is prorated in an incomplete period: as entered, or if it belongs to the gross rate."""
        if "prorate" in (inputs := self._prorate_inputs(name)):
            return inputs["prorate"] is True
        belongs = self.definitions[name].treatment.gross_rate if name in self.definitions else ITEMS[name].gross
        return belongs and self.payslip.prorates_gross_rate and self.pay_type == "monthly"

    def amount_or_days(self, name: str) -> Fraction:
        """An amount, or days at the gross rate of pay."""
        if "amount" in self.inputs(name):
            return self.number(name, "amount")
        return round_to_cent(self.number(name, "days") * self.gross_day_rate())

    # ---- 6. Custom items

    def _add_custom_items(self) -> None:
        custom = ReferenceCustomItems(
            self.definitions,
            self.payslip.calculations,
            self.lines,
            self.multiplied,
            self._prorated_custom_amount,
            {
                number: amount
                for number in self._prorated_custom_items()
                if (amount := self.dated_amount(number)) is not None
            },
        )
        self.custom_amounts = custom.amounts()
        self.needs_attention |= custom.has_problem
        self.lines |= self.custom_amounts

    def _prorated_custom_amount(self, number: str, amount: Fraction) -> Fraction:
        return self.prorated(amount) if number in self._prorated_custom_items() else amount

    def _prorated_custom_items(self) -> list[str]:
        return [
            number
            for number, definition in self.definitions.items()
            if definition.kind in ("income", "allowance")
            and definition.input in FIXED_INPUTS
            and definition.treatment.gross_rate
            and self.is_prorated(number)
        ]

    # ---- 8. Unpaid leave

    def _add_unpaid_leave(self) -> None:
        """Unpaid leave, then national service unless the employer pays it in full (DIRECT scheme)."""
        unpaid = self.number("unpaid_leave", "days") if self.has_line("unpaid_leave") else ZERO
        service = self.number("national_service_leave", "days") if self.has_line("national_service_leave") else ZERO
        leave = self.payslip.leave
        if unpaid:
            self.lines["unpaid_leave"] = self._absence(unpaid, [leave.unpaid_dates])
        if service and not self.payslip.ns_direct_scheme:
            both = self._absence(unpaid + service, [leave.unpaid_dates, leave.national_service_dates])
            self.lines["national_service_leave"] = both - self.lines.get("unpaid_leave", ZERO)

    def _absence(self, days: Fraction, by_date: Sequence[Mapping[str, str]]) -> Fraction:
        """The difference to an incomplete period for each line. For daily and hourly rates, days at the rate."""
        if self.pay_type != "monthly":
            if "basic_salary" not in self.lines:
                return ZERO
            return min(round_to_cent(self.day_rate() * days), self.lines["basic_salary"])
        amounts = {"basic_salary": self.rate}
        amounts |= {name: self.number(name, "amount") for name in ALLOWANCES if self.is_prorated(name)}
        amounts |= {number: self.fixed_amount(number) or ZERO for number in self._prorated_custom_items()}
        absent, deducted = min(days, self.served), ZERO
        for name, amount in amounts.items():
            if (dated := self.dated_amount(name)) is not None:
                deducted += self.lines[name] - round_to_cent(self._dated_remaining(name, dated, days, by_date))
            elif self.has_line(name):
                deducted += self.lines[name] - self.multiplied(name, self.prorated(amount, absent))
        return deducted

    def _dated_remaining(
        self, name: str, dated: Fraction, days: Fraction, by_date: Sequence[Mapping[str, str]]
    ) -> Fraction:
        """The pay of a line with parts without days of absence: day by day if the days are those of leave."""
        absent = [(date.fromisoformat(day), Fraction(text)) for dates in by_date for day, text in dates.items()]
        if sum(part for _, part in absent) == days:
            taken = ((day, part / self._working_days(day, day)) for day, part in absent)
            return dated - sum((self._dated_day(name, day) * share for day, share in taken), ZERO)
        return dated * max(self.served - days, ZERO) / self.served if self.served else ZERO

    # ---- 8a. Arrears

    def _add_arrears(self) -> None:
        """Arrears are back pay, except of items that are no wages under the CPF Act, and pay that was missed."""
        for difference in self.payslip.past_differences:
            if difference.treatment == "missed":
                paid = max(sum(amount.accepted for amount in difference.items.values()), 0)
                self.lines["corrected_pay"] = self.lines.get("corrected_pay", ZERO) + Fraction(paid, 100)
                continue
            for name, amount in difference.items.items():
                definition = self.definitions.get(name)
                cpf = "none" if name in NO_WAGES else "ordinary" if definition is None else definition.treatment.cpf
                line = name if cpf == "none" else "back_pay"
                self.lines[line] = self.lines.get(line, ZERO) + Fraction(amount.accepted, 100)
