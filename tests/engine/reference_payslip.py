"""A reference implementation of a payslip: one employee, exact fractions, the steps of docs/rules/payslip.md.

It uses nothing of the engine except the input of a payslip. Tests compare the engine with it.
"""

import math
from collections.abc import Collection, Sequence
from datetime import date
from fractions import Fraction

from gaji.engine.catalogue import ItemDefinition
from gaji.engine.payslip_input import PayslipInput
from tests.engine import reference_levy, reference_treatment
from tests.engine.reference_earnings import MONTHS, ZERO, ReferenceEarnings
from tests.engine.reference_treatment import FUNDS, ITEMS, OWED, TRACKED
from tests.law import reference_contributions
from tests.law.reference_pay import round_to_cent

CPF = ("ordinary_subject", "additional_subject", "cpf_employee", "cpf_employer")


class ReferencePayslip(ReferenceEarnings):
    """Calculates one payslip from top to bottom."""

    def __init__(
        self, payslip: PayslipInput, definitions: Sequence[ItemDefinition], holidays: Collection[date]
    ) -> None:
        super().__init__(payslip, definitions, holidays)
        self.month = (payslip.period.end.year, payslip.period.end.month)
        self.instalments: dict[str, Fraction] = {}
        self.carried_forward: dict[str, Fraction] = {}
        self._add_wages()
        self._add_cpf()
        self._add_funds_and_levies()
        self._limit_to_pay()
        self._add_deductions()

    # ---- 9. Wages

    def item(self, name: str) -> reference_treatment.Item:
        """The treatment of an item."""
        if (definition := self.definitions.get(name)) is None:
            item = ITEMS[name]
            if item.cpf != "by_input":
                return item
            longer = self.inputs(name).get("commission_for") == "longer"
            return reference_treatment.Item("income", "additional" if longer else "ordinary", True, True, False)
        treatment = definition.treatment
        section = reference_treatment.SECTION_OF_KIND[definition.kind]
        return reference_treatment.Item(section, treatment.cpf, treatment.sdl, treatment.funds, treatment.gross_rate)

    def _wages_counting_for(self, treatment: str) -> Fraction:
        """The wages that count for a contribution, less unpaid leave."""
        total = ZERO
        for name, amount in self.lines.items():
            item = self.item(name)
            if item.section == "income" and (getattr(item, treatment, False) is True or item.cpf == treatment):
                total += amount
            elif name == "unpaid_leave" and treatment != "additional":
                total -= amount
        return total

    def _add_wages(self) -> None:
        employee = self.payslip.employee
        ordinary, additional = self._wages_counting_for("ordinary"), self._wages_counting_for("additional")
        ordinary_before = additional_before = ZERO
        contributes, _, divided_on = reference_contributions.rate_tables(*self.month, self.law_person())
        resident_from = employee.pr_date if employee.legal_status == "PR" or employee.citizenship_date else None
        if contributes is None:
            ordinary = additional = ZERO
        elif resident_from and (resident_from.year, resident_from.month) == self.month:
            ordinary = self._ordinary_from(resident_from, ordinary)
            additional = self._if_paid_from(resident_from, additional)
        if divided_on:
            ordinary_before = ordinary - self._ordinary_from(divided_on, ordinary)
            additional_before = additional - self._if_paid_from(divided_on, additional)
        self.totals = {
            "ordinary": ordinary,
            "ordinary_before": ordinary_before,
            "additional": additional,
            "additional_before": additional_before,
            "remuneration": self._wages_counting_for("sdl"),
            "fund_wages": self._wages_counting_for("funds"),
        }
        self.to_date = {name: amount + self.earlier(name) for name, amount in self.totals.items()}

    def _ordinary_from(self, day: date, amount: Fraction) -> Fraction:
        """In proportion to the working days in service. Without any, by the pay date."""
        if not self.served:
            return self._if_paid_from(day, amount)
        return round_to_cent(amount * self.served_from(day) / self.served)

    def _if_paid_from(self, day: date, amount: Fraction) -> Fraction:
        return amount if self.period.pay_date >= day else ZERO

    def earlier(self, name: str) -> Fraction:
        """The total of the month's earlier payslips."""
        return Fraction(getattr(self.payslip.month_to_date, name), 100)

    def law_person(self) -> reference_contributions.ReferencePerson:
        """The employee as the reference implementation of the law takes it."""
        employee = self.payslip.employee
        races = employee.race.split("-")
        second = reference_contributions.race_fund(races[1]) if len(races) > 1 else None
        return reference_contributions.ReferencePerson(
            birthdate=employee.birthdate,
            legal_status=employee.legal_status,
            pr_date=employee.pr_date,
            citizenship_date=employee.citizenship_date,
            pr_cpf_rates=employee.pr_cpf_rates,
            cpf_exempt=employee.cpf_exempt,
            sdl_exempt=employee.sdl_exempt,
            race=employee.race,
            religion=employee.religion,
            work_pass=employee.work_pass or "NONE",
            elects_second=second is not None and self.entry(second.lower()) is not None,
            opt_out=frozenset(fund.upper() for fund in FUNDS if self.inputs(fund).get("opt_out") is True),
            chosen={fund.upper(): self.number(fund, "amount") for fund in FUNDS if "amount" in self.inputs(fund)},
        )

    # ---- 10. CPF, funds, levies

    def _expected_month(self) -> Fraction:
        """The expected ordinary wages of a month, for the additional wage ceiling."""
        if self.pay_type != "monthly":
            return max(self.to_date["ordinary"], Fraction(self.payslip.last_month_ordinary_cents, 100))
        recurring = [name for name, entry in self.payslip.calculations.items() if entry.recurring]
        total = sum((self._full_ordinary_amount(name) for name in recurring), ZERO)
        return round_to_cent(total * self.period.periods_per_year / MONTHS)

    def _full_ordinary_amount(self, name: str) -> Fraction:
        """The full amount of a recurring item, if it is ordinary wages."""
        if name in ("week_hours", "unpaid_leave"):
            return ZERO
        item = self.item(name)
        if item.section != "income" or item.cpf != "ordinary":
            return ZERO
        if name in self.definitions:
            fixed = self.fixed_amount(name)
            return self.custom_amounts[name] if fixed is None else self.multiplied(name, fixed)
        input_name = {"basic_salary": "fixed_amount", "commission": "commission_input"}.get(name, "amount")
        return self.multiplied(name, self.number(name, input_name))

    def _add_cpf(self) -> None:
        year = self.payslip.year_to_date
        taken = reference_contributions.ReferenceCpf(*(self.earlier(name) for name in CPF))
        pay = reference_contributions.ReferenceWages(
            ordinary=self.to_date["ordinary"],
            additional=self.to_date["additional"],
            ordinary_before=self.to_date["ordinary_before"],
            additional_before=self.to_date["additional_before"],
            expected_month=self._expected_month(),
            leaving=self.payslip.last_service_date,
            year_ordinary=Fraction(year.ordinary_subject, 100),
            year_additional=Fraction(year.additional, 100),
            year_additional_subject=Fraction(year.additional_subject, 100),
            earlier=taken,
        )
        cpf = reference_contributions.cpf(*self.month, self.law_person(), pay)
        self.lines |= {"cpf_employee": cpf.employee, "cpf_employer": cpf.employer}
        self.totals |= {
            "ordinary_subject": cpf.ordinary - taken.ordinary,
            "additional_subject": cpf.additional - taken.additional,
        }

    def _add_funds_and_levies(self) -> None:
        person = self.law_person()
        contributions = reference_contributions.funds(*self.month, person, self.to_date["fund_wages"])
        for fund in FUNDS:
            self.lines[fund] = contributions.get(fund.upper(), ZERO) - self.earlier(fund)
        self.lines["sdl"] = reference_contributions.sdl(person, self.to_date["remuneration"]) - self.earlier("sdl")
        self.lines["foreign_worker_levy"] = ZERO
        if self.has_line("foreign_worker_levy") and self.period.last_of_month:
            levy = self._month_levy(person.work_pass)
            self.needs_attention |= levy is None
            self.lines["foreign_worker_levy"] = ZERO if levy is None else levy - self.earlier("levy")

    def _month_levy(self, work_pass: str) -> Fraction | None:
        """The levy of the month. None if no rate is known."""
        inputs, employee = self.inputs("foreign_worker_levy"), self.payslip.employee
        if "amount" in inputs:
            return self.number("foreign_worker_levy", "amount")
        if work_pass not in ("WP", "SPASS"):
            return ZERO
        sector, tier, skill = (str(inputs.get(name, "none")) for name in ("sector", "tier", "skill"))
        rate = reference_levy.rate(*self.month, work_pass, sector, tier, skill)
        levy = reference_levy.month_levy(*self.month, rate or Fraction(1), employee.pass_from, employee.pass_to)
        return levy if rate is not None or not levy else None

    def _limit_to_pay(self) -> None:
        """Limit CPF and funds to the pay. The employer pays the part of the employee's share that is not covered."""
        available = self.total("income") - self.lines.get("unpaid_leave", ZERO)
        for name in ("cpf_employee", *FUNDS):
            due = self.lines[name]
            self.lines[name] = min(due, max(available, ZERO))
            available -= self.lines[name]
            if name == "cpf_employee":
                self.lines["cpf_employer"] += due - self.lines[name]
        names = ("cpf_employee", "cpf_employer", *FUNDS, "sdl")
        self.totals |= {name: self.lines[name] for name in names} | {"levy": self.lines["foreign_worker_levy"]}

    # ---- 11. Deductions

    def _add_deductions(self) -> None:
        unpaid = self.lines.get("unpaid_leave", ZERO)
        reimbursed = sum((amount for name, amount in self.lines.items() if self._is_reimbursement(name)), ZERO)
        statutory = sum((self.lines[name] for name in ("cpf_employee", *FUNDS)), ZERO)
        available = max(self.total("income") - unpaid - statutory, ZERO)
        salary = self.total("income") - reimbursed - unpaid
        last_day = self.payslip.last_service_date
        is_final = last_day is not None and last_day <= self.period.end
        half = (salary if is_final else _floor_cents(salary / 2)) - statutory
        quarter = salary if is_final else _floor_cents(salary / 4)
        custom = sorted((name for name, item in self.definitions.items() if item.kind == "deduction"), key=int)
        for name in (*reference_treatment.BY_PRIORITY, *custom):
            requested = self._requested(name)
            has_own_limit = name in reference_treatment.LIMITED_TO_A_QUARTER
            deducted = max(min(requested, quarter if has_own_limit else half, available), ZERO)
            available -= deducted
            half -= ZERO if has_own_limit else deducted
            self.lines[name] = deducted
            if name in TRACKED:
                self.instalments[name] = deducted
            else:
                self.carried_forward[name] = requested - deducted

    def _is_reimbursement(self, name: str) -> bool:
        definition = self.definitions.get(name)
        return name == "reimbursement" or (definition is not None and definition.kind == "reimbursement")

    def _requested(self, name: str) -> Fraction:
        carried = Fraction(self.payslip.carried_forward_cents.get(name, 0), 100)
        if not self.has_line(name):
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
        owed = self.number(name, "balance") - Fraction(self.payslip.instalments_cents.get(name, 0), 100)
        return min(instalment, max(owed, ZERO))

    # ---- 12. Totals

    def section(self, section: str) -> list[list[object]]:
        """The lines of a section in stored form."""
        order = [*ITEMS, *sorted(self.definitions, key=int)]
        return [
            [int(name) if name.isdigit() else name, decimal_text(self.lines[name])]
            for name in order
            if self.lines.get(name) and self.item(name).section == section
        ]

    def total(self, section: str) -> Fraction:
        """The total of a section."""
        return sum((amount for name, amount in self.lines.items() if self.item(name).section == section), ZERO)

    @property
    def nett_pay(self) -> Fraction:
        """The nett pay."""
        return self.total("income") - self.total("deduction")

    def lines_json(self) -> dict[str, list[object]]:
        """The lines of the payslip in stored form."""
        groups = (("employer_contribution", self.section("employer")), ("benefit", self.section("benefit")))
        return {
            "income": [*self.section("income"), ["total", decimal_text(self.total("income"))]],
            "deduction": [*self.section("deduction"), ["total", decimal_text(self.total("deduction"))]],
            "grand_total": [["nett_pay", decimal_text(self.nett_pay)]],
            "sideline": [[group, lines] for group, lines in groups if lines],
        }


def decimal_text(amount: Fraction) -> str:
    """An amount with two decimals."""
    cents = amount * 100
    assert cents.denominator == 1, f"{amount} has parts of a cent"
    return f"{'-' if cents < 0 else ''}{abs(int(cents)) // 100}.{abs(int(cents)) % 100:02d}"


def _floor_cents(amount: Fraction) -> Fraction:
    return Fraction(math.floor(amount * 100), 100)
