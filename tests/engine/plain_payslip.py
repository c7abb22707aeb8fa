"""A payslip once more, as plainly as it can be said: one person, exact fractions, the steps of docs/rules/payslip.md.

It takes a case and knows nothing of how Gaji calculates one; it is what the engine is compared with.
"""

import math
from collections.abc import Collection, Sequence
from datetime import date
from fractions import Fraction

from gaji.engine.payslip_input import PayslipInput
from gaji.engine.catalogue import ItemDefinition
from tests.engine import plain_levy, plain_treatment
from tests.engine.plain_earnings import MONTHS, ZERO, Earnings
from tests.engine.plain_treatment import FUNDS, ITEMS, OWED, TRACKED
from tests.law import plain
from tests.law.plain_pay import to_the_cent

CPF = ("ordinary_subject", "additional_subject", "cpf_employee", "cpf_employer")


class Payslip(Earnings):
    """The sheet on which one payslip is worked out, from top to bottom."""

    def __init__(self, case: PayslipInput, definitions: Sequence[ItemDefinition], holidays: Collection[date]) -> None:
        super().__init__(case, definitions, holidays)
        self.month = (case.period.end.year, case.period.end.month)
        self.moved: dict[str, Fraction] = {}
        self.carried: dict[str, Fraction] = {}
        self._wages()
        self._cpf()
        self._funds_and_levies()
        self._within_the_pay()
        self._deductions()

    # ---- 9. Wages

    def item(self, name: str) -> plain_treatment.Item:
        """What an item counts for."""
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
        person = self.case.employee
        ordinary, additional = self._summed("ordinary"), self._summed("additional")
        ordinary_before = additional_before = ZERO
        contributes, _, divided_on = plain.tables_of(*self.month, self.plain_person())
        began = person.pr_date if person.legal_status == "PR" or person.citizenship_date else None
        if contributes is None:
            ordinary = additional = ZERO
        elif began and (began.year, began.month) == self.month:
            ordinary, additional = self._from_day(began, ordinary), self._if_paid_from(began, additional)
        if divided_on:
            ordinary_before = ordinary - self._from_day(divided_on, ordinary)
            additional_before = additional - self._if_paid_from(divided_on, additional)
        self.figures = {
            "ordinary": ordinary,
            "ordinary_before": ordinary_before,
            "additional": additional,
            "additional_before": additional_before,
            "remuneration": self._summed("sdl"),
            "fund_wages": self._summed("funds"),
        }
        self.to_date = {name: amount + self.earlier(name) for name, amount in self.figures.items()}

    def _from_day(self, day: date, amount: Fraction) -> Fraction:
        """In proportion to the working days in service; without any, by the day on which it is paid."""
        if not self.served:
            return self._if_paid_from(day, amount)
        return to_the_cent(amount * self.served_from(day) / self.served)

    def _if_paid_from(self, day: date, amount: Fraction) -> Fraction:
        return amount if self.period.pay_date >= day else ZERO

    def earlier(self, name: str) -> Fraction:
        """What the month's earlier payslips came to."""
        return Fraction(getattr(self.case.month_to_date, name), 100)

    def plain_person(self) -> plain.Person:
        """The person as the plain law takes them."""
        person = self.case.employee
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
        """What a month is expected to bring, for the ceiling of additional wages."""
        if self.pay_type != "monthly":
            return max(self.to_date["ordinary"], Fraction(self.case.last_month_ordinary_cents, 100))
        total = sum((self._in_full(name) for name, entry in self.case.calculations.items() if entry.recurring), ZERO)
        return to_the_cent(total * self.period.periods_per_year / MONTHS)

    def _in_full(self, name: str) -> Fraction:
        """What a recurring item brings on a whole payslip, if it is ordinary wages."""
        if name in ("week_hours", "unpaid_leave"):
            return ZERO
        item = self.item(name)
        if item.section != "income" or item.cpf != "ordinary":
            return ZERO
        if name in self.definitions:
            steady = self.steady_amount(name)
            return self.custom_amounts[name] if steady is None else self.multiplied(name, steady)
        wanted = {"basic_salary": "fixed_amount", "commission": "commission_input"}.get(name, "amount")
        return self.multiplied(name, self.number(name, wanted))

    def _cpf(self) -> None:
        year = self.case.year_to_date
        taken = plain.Cpf(*(self.earlier(name) for name in CPF))
        pay = plain.Pay(
            ordinary=self.to_date["ordinary"],
            additional=self.to_date["additional"],
            ordinary_before=self.to_date["ordinary_before"],
            additional_before=self.to_date["additional_before"],
            expected_month=self._expected_month(),
            leaving=self.case.last_service_date,
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
        person = self.plain_person()
        given = plain.funds(*self.month, person, self.to_date["fund_wages"])
        for fund in FUNDS:
            self.lines[fund] = given.get(fund.upper(), ZERO) - self.earlier(fund)
        self.lines["sdl"] = plain.sdl(person, self.to_date["remuneration"]) - self.earlier("sdl")
        self.lines["foreign_worker_levy"] = ZERO
        if self.shows("foreign_worker_levy") and self.period.last_of_month:
            levy = self._levy(person.work_pass)
            self.attention |= levy is None
            self.lines["foreign_worker_levy"] = ZERO if levy is None else levy - self.earlier("levy")

    def _levy(self, work_pass: str) -> Fraction | None:
        """The levy of the month; none where no rate is known."""
        entered, person = self.inputs("foreign_worker_levy"), self.case.employee
        if "amount" in entered:
            return self.number("foreign_worker_levy", "amount")
        if work_pass not in ("WP", "SPASS"):
            return ZERO
        sector, tier, skill = (str(entered.get(one, "none")) for one in ("sector", "tier", "skill"))
        monthly = plain_levy.rate(*self.month, work_pass, sector, tier, skill)
        held = plain_levy.of_month(*self.month, monthly or Fraction(1), person.pass_from, person.pass_to)
        return held if monthly is not None or not held else None

    def _within_the_pay(self) -> None:
        """CPF and funds take no more than there is; what CPF cannot take of the employee the employer pays."""
        left = self.total("income") - self.lines.get("unpaid_leave", ZERO)
        for name in ("cpf_employee", *FUNDS):
            due = self.lines[name]
            self.lines[name] = min(due, max(left, ZERO))
            left -= self.lines[name]
            if name == "cpf_employee":
                self.lines["cpf_employer"] += due - self.lines[name]
        names = ("cpf_employee", "cpf_employer", *FUNDS, "sdl")
        self.figures |= {name: self.lines[name] for name in names} | {"levy": self.lines["foreign_worker_levy"]}

    # ---- 11. Deductions

    def _deductions(self) -> None:
        unpaid = self.lines.get("unpaid_leave", ZERO)
        reimbursed = sum((amount for name, amount in self.lines.items() if self._gives_back(name)), ZERO)
        by_law = sum((self.lines[name] for name in ("cpf_employee", *FUNDS)), ZERO)
        left = max(self.total("income") - unpaid - by_law, ZERO)
        salary = self.total("income") - reimbursed - unpaid
        last = self.case.last_service_date is not None and self.case.last_service_date <= self.period.end
        half = (salary if last else _whole_cents(salary / 2)) - by_law
        quarter = salary if last else _whole_cents(salary / 4)
        custom = sorted((name for name, one in self.definitions.items() if one.kind == "deduction"), key=int)
        for name in (*plain_treatment.BY_PRIORITY, *custom):
            wanted = self._wanted(name)
            limit = quarter if name in plain_treatment.A_QUARTER_AT_MOST else half
            taken = max(min(wanted, limit, left), ZERO)
            left -= taken
            half -= ZERO if name in plain_treatment.A_QUARTER_AT_MOST else taken
            self.lines[name] = taken
            if name in TRACKED:
                self.moved[name] = taken
            else:
                self.carried[name] = wanted - taken

    def _gives_back(self, name: str) -> bool:
        own = self.definitions.get(name)
        return name == "reimbursement" or (own is not None and own.kind == "reimbursement")

    def _wanted(self, name: str) -> Fraction:
        carried = Fraction(self.case.carried_forward_cents.get(name, 0), 100)
        if not self.shows(name):
            return ZERO if name in TRACKED else carried
        if name in self.definitions:
            return self.custom_amounts[name] + carried
        if name not in TRACKED:
            return self.multiplied(name, self.amount_or_days(name)) + carried
        start = self.inputs(name).get("start_date")
        if start is not None and date.fromisoformat(str(start)) > self.period.end:
            return ZERO
        instalment = self.multiplied(name, self.number(name, "instalment"))
        if name not in OWED or "balance" not in self.inputs(name):
            return instalment
        owed = self.number(name, "balance") - Fraction(self.case.instalments_cents.get(name, 0), 100)
        return min(instalment, max(owed, ZERO))

    # ---- 12. Totals

    def section(self, section: str) -> list[list[object]]:
        """The lines of a section as a payslip shows them."""
        order = [*ITEMS, *sorted(self.definitions, key=int)]
        return [
            [int(name) if name.isdigit() else name, shown(self.lines[name])]
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
