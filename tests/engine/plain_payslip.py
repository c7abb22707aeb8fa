"""A payslip once more, as plainly as it can be said: one person, exact fractions, one step of docs/rules/payslip.md after
the other. It takes a case and knows nothing of how Gaji calculates one; it is what the engine is compared with.
"""

import math
from collections.abc import Collection, Sequence
from datetime import date
from fractions import Fraction

from gaji.engine.cases import Case, Entry
from gaji.engine.catalogue import Definition
from tests.engine import plain_levy, plain_treatment
from tests.engine.plain_custom import CustomItems
from tests.engine.plain_treatment import ALLOWANCES, AMOUNT_OR_DAYS, AMOUNTS, BONUSES, FUNDS, ITEMS, OWED, TRACKED
from tests.engine.plain_week import Week
from tests.law import plain, plain_pay
from tests.law.plain_pay import to_the_cent

ZERO = Fraction(0)
WEEKS = 52
MONTHS = 12


class Payslip:
    """The sheet on which one payslip is worked out, from top to bottom."""

    def __init__(self, case: Case, definitions: Sequence[Definition], holidays: Collection[date]) -> None:
        self.case, self.period = case, case.period
        self.definitions = {str(one.id): one for one in definitions}
        self.holidays = holidays
        self.month = (case.period.end.year, case.period.end.month)
        self.lines: dict[str, Fraction] = {}
        self.attention = False
        self.moved: dict[str, Fraction] = {}
        self.carried: dict[str, Fraction] = {}
        self.week = Week.of(self.inputs("week_hours"))
        self.working, self.served = self._days(case.period.start), self._served_from(case.period.start)
        self._basic_salary()
        self._work_beyond_the_contract()
        self._other_earnings()
        self._custom_items()
        self._multipliers()
        self._unpaid_leave()
        self._wages()
        self._cpf()
        self._funds_and_levies()
        self._deductions()

    # ---- What was entered

    def entry(self, name: str) -> Entry | None:
        return self.case.calculations.get(name)

    def inputs(self, name: str) -> dict[str, str | bool]:
        entry = self.entry(name)
        return {} if entry is None else entry.inputs

    def number(self, name: str, one: str) -> Fraction:
        return Fraction(str(self.inputs(name).get(one, "0")))

    def shows(self, name: str) -> bool:
        entry = self.entry(name)
        return entry is not None and not entry.skip

    # ---- 2. Presence

    def _days(self, first: date) -> Fraction:
        return plain_pay.working_days(self.week.half_days, first, self.period.end, self.holidays)

    def _served_from(self, day: date) -> Fraction:
        """The working days in service from a day on."""
        total = ZERO
        for stretch in self.case.service:
            first = max(stretch.start, self.period.start, day)
            last = min(stretch.end or self.period.end, self.period.end)
            total += plain_pay.working_days(self.week.half_days, first, last, self.holidays)
        return total

    def part(self, amount: Fraction, days: Fraction) -> Fraction:
        """So many days of what a whole period brings."""
        return amount if days == self.working else to_the_cent(amount * days / self.working)

    # ---- 3. Basic salary

    def _basic_salary(self) -> None:
        self.pay_type = str(self.inputs("basic_salary").get("pay_type", "monthly"))
        self.rate = self.number("basic_salary", {"monthly": "fixed_amount"}.get(self.pay_type, f"{self.pay_type}_rate"))
        if not self.shows("basic_salary"):
            return
        if self.pay_type == "monthly":
            self.lines["basic_salary"] = self.part(self.rate, self.served)
            return
        entered = "days_input" if self.pay_type == "daily" else "hours_input"
        if entered in self.inputs("basic_salary"):
            quantity = self.number("basic_salary", entered)
        else:
            quantity = self.served if self.pay_type == "daily" else self._regular_hours()
        self.lines["basic_salary"] = to_the_cent(self.rate * quantity)

    def _regular_hours(self) -> Fraction:
        total = ZERO
        for stretch in self.case.service:
            first = max(stretch.start, self.period.start).toordinal()
            last = min(stretch.end or self.period.end, self.period.end).toordinal()
            total += sum((self.week.hours[date.fromordinal(day).weekday()] for day in range(first, last + 1)), ZERO)
        return total

    # ---- 4. Overtime, rest days, public holidays

    def day_rate(self, with_allowances: Fraction = ZERO) -> Fraction:
        """The rate of a day; what else belongs to it comes with every payslip."""
        a_day = self.period.pays_a_year * Fraction(1, WEEKS) / self.week.days
        own = {"monthly": self.rate * a_day, "daily": self.rate, "hourly": self.rate * self.week.day_hours}
        return own[self.pay_type] + with_allowances * a_day

    def _hour_rate(self) -> Fraction:
        if self.pay_type == "monthly":
            return self.rate * self.period.pays_a_year / (WEEKS * 44)
        return self.rate / self.week.day_hours if self.pay_type == "daily" else self.rate

    def _work_beyond_the_contract(self) -> None:
        if not self.shows("basic_salary"):
            return
        hours = self.number("basic_salary", "overtime_hours_input")
        if hours:
            self.lines["overtime"] = plain_pay.overtime(self._hour_rate(), hours, "workman", capped=False)
        by_employer, by_employee = (
            self.number("basic_salary", f"rest_day_{who}_days") for who in ("employer", "employee")
        )
        if by_employer or by_employee:
            self.lines["rest_day_pay"] = plain_pay.rest_day(self.day_rate(), by_employer, by_employee)
        if days := self.number("basic_salary", "public_holiday_days"):
            self.lines["public_holiday_pay"] = to_the_cent(self.day_rate() * days)

    # ---- 5. Other earnings

    def month_basic(self) -> Fraction:
        """The basic salary of a month."""
        if self.pay_type == "monthly":
            return self.rate * self.period.pays_a_year / MONTHS
        if self.pay_type == "daily":
            return self.rate * self.week.days * WEEKS / MONTHS
        return self.rate * sum(self.week.hours) * WEEKS / MONTHS

    def gross_day_rate(self) -> Fraction:
        allowances = sum((self.number(name, "amount") for name in ALLOWANCES if ITEMS[name].gross), ZERO)
        for number, one in self.definitions.items():
            if one.treatment.gross_rate and self.entry(number) is not None and one.input in ("fixed", "per_employee"):
                fixed = Fraction(one.amount_cents or 0, 100)
                allowances += fixed if one.input == "fixed" else self.number(number, "amount")
        return self.day_rate(allowances)

    def _other_earnings(self) -> None:
        for name in ALLOWANCES:
            amount = self.number(name, "amount")
            self._line(name, self.part(amount, self.served) if self.inputs(name).get("prorate") is True else amount)
        self._line("commission", self.number("commission", "commission_input"))
        for name in BONUSES:
            months = self.number(name, "months")
            self._line(name, to_the_cent(months * self.month_basic()) if months else self.number(name, "amount"))
        for name in AMOUNT_OR_DAYS:
            days = self.number(name, "days")
            self._line(name, to_the_cent(days * self.gross_day_rate()) if days else self.number(name, "amount"))
        for name in (*AMOUNTS, "benefit_in_kind"):
            self._line(name, self.number(name, "amount"))

    def _line(self, name: str, amount: Fraction) -> None:
        if self.shows(name):
            self.lines[name] = amount

    # ---- 6. Custom items, 7. multipliers

    def _custom_items(self) -> None:
        custom = CustomItems(self.definitions, self.case.calculations, self.lines, self.multiplied)
        self.custom_amounts = custom.amounts()
        self.attention |= custom.impossible
        self.lines |= {name: amount for name, amount in self.custom_amounts.items() if self.shows(name)}

    def multiplied(self, name: str, amount: Fraction) -> Fraction:
        entry = self.entry(name)
        if entry is None or entry.multiplier is None:
            return amount
        return to_the_cent(amount * Fraction(entry.multiplier))

    def _multipliers(self) -> None:
        self.lines = {
            name: amount if name in self.definitions else self.multiplied(name, amount)
            for name, amount in self.lines.items()
        }

    # ---- 8. Unpaid leave

    def _unpaid_leave(self) -> None:
        if not self.shows("unpaid_leave"):
            return
        days = self.number("unpaid_leave", "days")
        prorated = [name for name in ALLOWANCES if self.shows(name) and self.inputs(name).get("prorate") is True]
        taken = sum((self._not_paid(self.number(name, "amount"), days) for name in prorated), ZERO)
        if self.shows("basic_salary"):
            if self.pay_type == "monthly":
                taken += self._not_paid(self.rate, days)
            else:
                taken += min(to_the_cent(self.day_rate() * days), self.lines["basic_salary"])
        self.lines["unpaid_leave"] = taken

    def _not_paid(self, amount: Fraction, days: Fraction) -> Fraction:
        return self.part(amount, self.served) - self.part(amount, max(self.served - days, ZERO))

    # ---- 9. Wages

    def item(self, name: str) -> plain_treatment.Item:
        if (one := self.definitions.get(name)) is None:
            known = ITEMS[name]
            if known.cpf != "by_input":
                return known
            longer = self.inputs(name).get("commission_for") == "longer"
            return plain_treatment.Item("income", "additional" if longer else "ordinary", True, True, False)
        treatment = one.treatment
        section = plain_treatment.SECTION_OF_KIND[one.kind]
        return plain_treatment.Item(section, treatment.cpf, treatment.sdl, treatment.funds, treatment.gross_rate)

    def _summed(self, counts: str) -> Fraction:
        """The wages that count for something, unpaid leave taken off."""
        total = ZERO
        for name, amount in self.lines.items():
            item = self.item(name)
            if item.section == "income" and (getattr(item, counts, False) is True or item.cpf == counts):
                total += amount
            elif name == "unpaid_leave" and counts != "additional":
                total -= amount
        return total

    def _wages(self) -> None:
        person, earlier = self.case.person, self.case.earlier
        ordinary, additional = self._summed("ordinary"), self._summed("additional")
        ordinary_before = additional_before = ZERO
        self.ordinary_paid = ordinary
        contributes, _, divided_on = plain.tables_of(*self.month, self.plain_person())
        began = person.pr_date if person.legal_status == "PR" or person.citizenship_date else None
        if contributes is None:
            ordinary = additional = ZERO
        elif began and (began.year, began.month) == self.month:
            ordinary = self._share(ordinary, self._served_from(began))
            additional = additional if self.period.pay_date >= began else ZERO
        if divided_on:
            ordinary_before = ordinary - self._share(ordinary, self._served_from(divided_on))
            additional_before = additional if self.period.pay_date < divided_on else ZERO
        self.figures = {
            "ordinary": ordinary,
            "ordinary_before": ordinary_before,
            "additional": additional,
            "additional_before": additional_before,
            "remuneration": self._summed("sdl"),
            "fund_wages": self._summed("funds"),
        }
        self.to_date = {name: amount + Fraction(getattr(earlier, name), 100) for name, amount in self.figures.items()}

    def _share(self, amount: Fraction, days: Fraction) -> Fraction:
        return to_the_cent(amount * days / self.served) if self.served else amount

    def plain_person(self) -> plain.Person:
        person = self.case.person
        races = person.race.split("-")
        second = plain.fund_of_race(races[1]) if len(races) > 1 else None
        return plain.Person(
            birthdate=person.birthdate,
            legal_status=person.legal_status,
            pr_date=person.pr_date,
            citizenship_date=person.citizenship_date,
            pr_cpf_rates=person.pr_cpf_rates,
            cpf_exempt=person.cpf_exempt,
            sdl_exempt=person.sdl_exempt,
            race=person.race,
            religion=person.religion,
            work_pass=person.work_pass or "NONE",
            elects_second=second is not None and self.entry(second.lower()) is not None,
            opt_out=frozenset(fund.upper() for fund in FUNDS if self.inputs(fund).get("opt_out") is True),
            own={fund.upper(): self.number(fund, "amount") for fund in FUNDS if "amount" in self.inputs(fund)},
        )

    # ---- 10. CPF, funds, levies

    def _expected_month(self) -> Fraction:
        """What a full month of the recurring ordinary items brings."""
        if self.pay_type != "monthly":
            return max(
                self.ordinary_paid + Fraction(self.case.earlier.ordinary, 100), Fraction(self.case.last_month, 100)
            )
        total = ZERO
        for name, entry in self.case.calculations.items():
            if not entry.recurring or name in ("week_hours", "unpaid_leave") or self.item(name).cpf != "ordinary":
                continue
            if name in self.definitions:
                total += self.custom_amounts[name]
            else:
                wanted = {"basic_salary": "fixed_amount", "commission": "commission_input"}.get(name, "amount")
                total += self.number(name, wanted)
        return to_the_cent(total * self.period.pays_a_year / MONTHS)

    def _cpf(self) -> None:
        earlier, year = self.case.earlier, self.case.year
        taken = plain.Cpf(
            *(
                Fraction(cents, 100)
                for cents in (
                    earlier.ordinary_subject,
                    earlier.additional_subject,
                    earlier.cpf_employee,
                    earlier.cpf_employer,
                )
            )
        )
        pay = plain.Pay(
            ordinary=self.to_date["ordinary"],
            additional=self.to_date["additional"],
            ordinary_before=self.to_date["ordinary_before"],
            additional_before=self.to_date["additional_before"],
            expected_month=self._expected_month(),
            leaving=self.case.leaving,
            year_ordinary=Fraction(year.ordinary_subject, 100),
            year_additional=Fraction(year.additional, 100),
            year_additional_subject=Fraction(year.additional_subject, 100),
            taken=taken,
        )
        found = plain.cpf(*self.month, self.plain_person(), pay)
        self.lines |= {"cpf_employee": found.employee, "cpf_employer": found.employer}
        self.figures |= {
            "ordinary_subject": found.ordinary - taken.ordinary,
            "additional_subject": found.additional - taken.additional,
        }

    def _funds_and_levies(self) -> None:
        person, earlier = self.plain_person(), self.case.earlier
        given = plain.funds(*self.month, person, self.to_date["fund_wages"])
        for fund in FUNDS:
            self.lines[fund] = given.get(fund.upper(), ZERO) - Fraction(getattr(earlier, fund), 100)
        self.lines["sdl"] = plain.sdl(person, self.to_date["remuneration"]) - Fraction(earlier.sdl, 100)
        if self.shows("foreign_worker_levy") and self.period.last_of_month and person.work_pass in ("WP", "SPASS"):
            self.lines["foreign_worker_levy"] = self._levy(person.work_pass) - Fraction(earlier.levy, 100)

    def _levy(self, work_pass: str) -> Fraction:
        entered, person = self.inputs("foreign_worker_levy"), self.case.person
        monthly: Fraction | None
        if "amount" in entered:
            monthly = Fraction(str(entered["amount"]))
        else:
            sector, tier, skill = (str(entered.get(one, "none")) for one in ("sector", "tier", "skill"))
            monthly = plain_levy.rate(*self.month, work_pass, sector, tier, skill)
        held = plain_levy.of_month(*self.month, monthly or Fraction(1), person.pass_from, person.pass_to)
        self.attention |= monthly is None and held > 0
        return ZERO if monthly is None else held

    # ---- 11. Deductions

    def _deductions(self) -> None:
        reimbursed = sum(
            (
                amount
                for name, amount in self.lines.items()
                if name == "reimbursement" or (name in self.definitions and self.definitions[name].kind == name)
            ),
            ZERO,
        )
        by_law = sum((self.lines[name] for name in ("cpf_employee", *FUNDS)), ZERO)
        left = self.total("income") - self.lines.get("unpaid_leave", ZERO) - by_law
        salary = self.total("income") - reimbursed - self.lines.get("unpaid_leave", ZERO)
        last = self.case.leaving is not None and self.case.leaving <= self.period.end
        half = (salary if last else _whole_cents(salary / 2)) - by_law
        custom = sorted((name for name, one in self.definitions.items() if one.kind == "deduction"), key=int)
        for name in (*plain_treatment.BY_PRIORITY, *custom):
            wanted = self._wanted(name)
            limit = _whole_cents(salary / 4) if name in plain_treatment.A_QUARTER_AT_MOST else half
            taken = max(min(wanted, limit, left), ZERO)
            left -= taken
            half -= ZERO if name in plain_treatment.A_QUARTER_AT_MOST else taken
            self.lines[name] = taken
            if name in TRACKED:
                self.moved[name] = taken
            else:
                self.carried[name] = wanted - taken

    def _wanted(self, name: str) -> Fraction:
        carried = Fraction(self.case.carried.get(name, 0), 100)
        if not self.shows(name):
            return ZERO if name in TRACKED else carried
        if name in self.definitions:
            return self.custom_amounts[name] + carried
        if name not in TRACKED:
            days = self.number(name, "days")
            amount = to_the_cent(days * self.gross_day_rate()) if days else self.number(name, "amount")
            return self.multiplied(name, amount) + carried
        start = self.inputs(name).get("start_date")
        if start is not None and date.fromisoformat(str(start)) > self.period.end:
            return ZERO
        instalment = self.multiplied(name, self.number(name, "instalment"))
        owed = self.number(name, "balance") - Fraction(self.case.moved.get(name, 0), 100)
        return min(instalment, max(owed, ZERO)) if name in OWED else instalment

    # ---- 12. Totals

    def section(self, section: str) -> list[list[str]]:
        """The lines of a section as a payslip shows them."""
        order = [*ITEMS, *sorted(self.definitions, key=int)]
        return [
            [name, shown(self.lines[name])]
            for name in order
            if self.lines.get(name) and self.item(name).section == section
        ]

    def total(self, section: str) -> Fraction:
        """What the lines of a section come to."""
        return sum((amount for name, amount in self.lines.items() if self.item(name).section == section), ZERO)

    @property
    def nett_pay(self) -> Fraction:
        """What is paid out."""
        return self.total("income") - self.total("deduction")

    def form(self) -> dict[str, list[object]]:
        """The payslip in its detail form."""
        groups = (("employer_contribution", self.section("employer")), ("benefit", self.section("benefit")))
        return {
            "income": [*self.section("income"), ["total", shown(self.total("income"))]],
            "deduction": [*self.section("deduction"), ["total", shown(self.total("deduction"))]],
            "grand_total": [["nett_pay", shown(self.nett_pay)]],
            "sideline": [[group, lines] for group, lines in groups if lines],
        }


def shown(amount: Fraction) -> str:
    """Dollars and cents as the interface shows them."""
    cents = amount * 100
    assert cents.denominator == 1, f"{amount} has parts of a cent"
    return f"{'-' if cents < 0 else ''}{abs(int(cents)) // 100}.{abs(int(cents)) % 100:02d}"


def _whole_cents(amount: Fraction) -> Fraction:
    return Fraction(math.floor(amount * 100), 100)
