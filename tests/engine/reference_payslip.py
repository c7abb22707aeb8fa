"""A reference implementation of a payslip: one employee, exact fractions, the steps of docs/rules/payslip.md.

It uses nothing of the engine except the input of a payslip. Tests compare the engine with it.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction

from gaji.engine.catalogue import ItemDefinition
from gaji.engine.payslip_input import MonthToDate, PayslipInput, PreviousMonth, YearToDate
from tests.engine import reference_levy, reference_treatment
from tests.engine.reference_earnings import MONTHS, ZERO, ReferenceEarnings
from tests.engine.reference_treatment import FUNDS, ITEMS, OWED, TRACKED
from tests.law import reference_contributions
from tests.law.reference_pay import round_to_cent

CPF = ("ordinary_subject", "additional_subject", "cpf_employee", "cpf_employer")


KINDS = ("ordinary", "additional", "sdl", "funds")
OVERTIME = ("overtime", "overtime_previous")
ABSENCES = {"unpaid_leave": ("ordinary", "sdl", "funds"), "national_service_leave": ("sdl", "funds")}
"""Absences, and the wages that each reduces."""


@dataclass
class ReferenceMonth:
    """The wages and contributions of a payslip for one calendar month."""

    month: tuple[int, int]
    month_to_date: MonthToDate
    year_to_date: YearToDate
    last_ordinary: Fraction = ZERO
    """The ordinary wages of the last complete month."""
    wages: dict[str, Fraction] = field(default_factory=lambda: dict.fromkeys(KINDS, ZERO))
    totals: dict[str, Fraction] = field(default_factory=dict)
    to_date: dict[str, Fraction] = field(default_factory=dict)
    due: dict[str, Fraction] = field(default_factory=dict)
    before: "ReferenceMonth | None" = None
    """The month before, if the payslip has wages of it."""

    def earlier(self, name: str) -> Fraction:
        """The total of the month's earlier payslips."""
        return Fraction(getattr(self.month_to_date, name), 100)


class ReferenceCorrections:
    """The wages and contributions of earlier months on a payslip, in dollars by month and name."""

    def __init__(self, payslip: PayslipInput) -> None:
        self.months: dict[str, dict[str, Fraction]] = {}
        self.overpaid = self.uncovered = ZERO
        for difference in payslip.past_differences:
            if difference.treatment != "missed":
                continue
            pay = sum((Fraction(amount.accepted, 100) for amount in difference.items.values()), ZERO)
            self.overpaid += max(-pay, ZERO)
            figures = {
                (month, name): Fraction(figure.accepted, 100)
                for month, names in difference.months.items()
                for name, figure in names.items()
            }
            share = sum((amount for (_, name), amount in figures.items() if name == "cpf_employee"), ZERO)
            left = share if difference.recovers_share else min(share, max(pay, ZERO))
            for (month, name), amount in sorted(figures.items()):
                added = self.months.setdefault(month, {})
                if name == "cpf_employee":
                    taken = min(amount, left)
                    left -= taken
                    added["cpf_employer"] = added.get("cpf_employer", ZERO) + amount - taken
                    amount = taken
                added[name] = added.get(name, ZERO) + amount

    def total(self, name: str) -> Fraction:
        """The sum over all months."""
        return sum((figures.get(name, ZERO) for figures in self.months.values()), ZERO)

    def month_to_date(self, month: tuple[int, int], totals: MonthToDate) -> MonthToDate:
        """The totals of a month with its corrections."""
        added = self.months.get(f"{month[0]:04d}-{month[1]:02d}", {})
        names = totals.__struct_fields__
        return MonthToDate(**{name: getattr(totals, name) + int(added.get(name, ZERO) * 100) for name in names})

    def year_to_date(self, month: tuple[int, int], totals: YearToDate) -> YearToDate:
        """The totals of the earlier months of a year with their corrections."""
        sums = {name: Fraction(getattr(totals, name)) for name in totals.__struct_fields__}
        for text, added in self.months.items():
            year, number = map(int, text.split("-"))
            if year == month[0] and number < month[1]:
                sums = {name: amount + added.get(name, ZERO) * 100 for name, amount in sums.items()}
        return YearToDate(**{name: int(amount) for name, amount in sums.items()})


class ReferencePayslip(ReferenceEarnings):
    """Calculates one payslip from top to bottom."""

    def __init__(
        self, payslip: PayslipInput, definitions: Sequence[ItemDefinition], holidays: Collection[date]
    ) -> None:
        super().__init__(payslip, definitions, holidays)
        self.instalments: dict[str, Fraction] = {}
        self.carried_forward: dict[str, Fraction] = {}
        self.corrections = ReferenceCorrections(payslip)
        self.months = self._months()
        self.month = self.months[-1].month
        for month in self.months:
            self._add_wages(month)
            self._add_cpf(month)
            self._add_funds_and_sdl(month)
        self._add_foreign_worker_levy()
        self._limit_to_pay()
        self._add_deductions()

    @property
    def totals(self) -> dict[str, Fraction]:
        """The totals of the payslip."""
        return {
            name: sum((month.totals.get(name, ZERO) for month in self.months), ZERO) for name in self.months[-1].totals
        }

    @property
    def previous_totals(self) -> dict[str, Fraction]:
        """The part of them for the month before that of the period's end."""
        return self.months[0].totals if len(self.months) > 1 else {}

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
            elif treatment in ABSENCES.get(name, ()):
                total -= amount
        return total + (self._top_up() if treatment == "ordinary" else ZERO)

    def _top_up(self) -> Fraction:
        """CPF during national service is on the usual wages, if they were entered and are more."""
        usual = self.number("national_service_leave", "usual_wages")
        if not usual or not self.has_line("national_service_leave"):
            return ZERO
        items = ((self.item(name), amount) for name, amount in self.lines.items())
        paid = sum((amount for item, amount in items if item.section == "income" and item.cpf == "ordinary"), ZERO)
        return max(usual - paid, ZERO)

    # ---- 9a. Wages by calendar month

    def _months(self) -> list["ReferenceMonth"]:
        """The calendar months of the payslip: the one before that of the period's end, if any, and that one."""
        payslip = self.payslip
        year, number = self.period.end.year, self.period.end.month
        corrections = self.corrections
        current = ReferenceMonth(
            (year, number),
            corrections.month_to_date((year, number), payslip.month_to_date),
            corrections.year_to_date((year, number), payslip.year_to_date),
        )
        current.last_ordinary = Fraction(payslip.last_month_ordinary_cents, 100)
        current.wages = {kind: self._wages_counting_for(kind) for kind in KINDS}
        before = payslip.previous_month or PreviousMonth()
        previous = ReferenceMonth(
            (year, number - 1) if number > 1 else (year - 1, 12), before.month_to_date, before.year_to_date
        )
        previous.last_ordinary = Fraction(before.last_month_ordinary_cents, 100)
        for kind in KINDS if self.period.apportionment else ():
            divided = self._ordinary_wages_counting_for(kind)
            part = self._previous_share(divided) - self._dated_absence_before(kind) + self._part_shift(kind)
            current.wages[kind] -= part
            previous.wages[kind] += part
        self._add_overtime(current, previous)
        self._take_off_excess_leave(current, previous)
        has_previous = self.period.apportionment or any(previous.wages.values())
        if not has_previous:
            return [current]
        current.before = previous
        return [previous, current]

    def _take_off_excess_leave(self, current: "ReferenceMonth", previous: "ReferenceMonth") -> None:
        """Excess leave reduces the wages of the month in which it was taken, if the payslip assesses that month."""
        if not self.has_line("excess_leave"):
            return
        amount = self.multiplied("excess_leave", self.amount_or_days("excess_leave"))
        texts = {f"{month.month[0]:04d}-{month.month[1]:02d}": month for month in (previous, current)}
        entered = self.inputs("excess_leave").get("taken_in")
        days = {str(entered): "1"} if entered else self.payslip.leave.excess_days or {max(texts): "1"}
        total, until, done = sum(map(Fraction, days.values())), ZERO, ZERO
        for text in sorted(days):
            until += Fraction(days[text])
            part = round_to_cent(amount * until / total) - done
            done += part
            month = texts.get(text)
            if month is current or (month is previous and self.period.apportionment):
                for kind in ("ordinary", "sdl", "funds"):
                    month.wages[kind] -= part

    def _first_of_month(self) -> date:
        return self.period.end.replace(day=1)

    def _previous_share(self, amount: Fraction) -> Fraction:
        """The part of an amount for the days of the month before that of the period's end."""
        if self.period.apportionment is None:
            return ZERO
        first = self._first_of_month()
        if self.period.apportionment == "working_days" and self.served:
            return round_to_cent(amount * (self.served - self.served_from(first)) / self.served)
        days, later = self._calendar_days(self.period.start), self._calendar_days(first)
        return round_to_cent(amount * (days - later) / days) if days else ZERO

    def _part_shift(self, kind: str) -> Fraction:
        """Ordinary lines that are paid in parts have what their own days earned, not a share of the line."""
        shift, first = ZERO, self._first_of_month()
        if self.period.apportionment != "working_days" or kind == "additional":
            return shift
        for name, amount in self.lines.items():
            item = self.item(name)
            counts = kind == "ordinary" or getattr(item, kind, False) is True
            if item.cpf == "ordinary" and counts and self.dated_amount(name) is not None:
                earned = sum((self._dated_day(name, day) for day in self._days_in_service() if day < first), ZERO)
                shift += round_to_cent(earned) - self._previous_share(amount)
        return shift

    def _calendar_days(self, day: date) -> Fraction:
        """The calendar days in service from a day on."""
        return Fraction(sum((last - first).days + 1 for first, last in self._intervals(day)))

    def _ordinary_wages_counting_for(self, kind: str) -> Fraction:
        """The wages that are divided between two months: ordinary wages without overtime, less unpaid leave."""
        total = self._top_up() if kind == "ordinary" else ZERO
        total -= sum(
            (
                self.lines.get(name, ZERO)
                for name, kinds in ABSENCES.items()
                if kind in kinds and not self._is_dated(name)
            ),
            ZERO,
        )
        for name, amount in self.lines.items():
            item = self.item(name)
            counts = kind == "ordinary" or getattr(item, kind, False) is True
            if item.section == "income" and item.cpf == "ordinary" and name not in OVERTIME and counts:
                total += amount if kind != "additional" else ZERO
        return total

    def _is_dated(self, name: str) -> bool:
        """Whether it is known how many days of an absence are in the month before."""
        return "previous_month_days" in self.inputs(name)

    def _dated_absence_before(self, kind: str) -> Fraction:
        """The absences by days of the month before that of the period's end."""
        total = ZERO
        for name in (name for name, kinds in ABSENCES.items() if kind in kinds and self._is_dated(name)):
            days = self.number(name, "days")
            before = min(self.number(name, "previous_month_days"), days)
            total += round_to_cent(self.lines.get(name, ZERO) * before / days) if days else ZERO
        return total

    def _add_overtime(self, current: "ReferenceMonth", previous: "ReferenceMonth") -> None:
        """Overtime belongs to the month in which it was worked if it is payable by the 14th of the next month."""
        inputs = self.inputs("basic_salary")
        own, of_previous = (self.lines.get(name, ZERO) for name in OVERTIME)
        entered = inputs.get("overtime_payable_on")
        payable = date.fromisoformat(str(entered)) if entered else self.period.pay_date
        worked_in = inputs.get("overtime_period")
        first = self._first_of_month()
        long_ago = ZERO
        if worked_in is None:
            share = ZERO if "overtime_hours_previous_input" in inputs else self._previous_share(own)
            own, of_previous = own - share, of_previous + share
        elif worked_in == f"{previous.month[0]:04d}-{previous.month[1]:02d}":
            own, of_previous = ZERO, of_previous + own
        elif str(worked_in) < f"{previous.month[0]:04d}-{previous.month[1]:02d}":
            own, long_ago = ZERO, own
        moved_to_previous = of_previous if payable <= first.replace(day=14) else ZERO
        next_14th = (first + timedelta(days=31)).replace(day=14)
        additional = long_ago + of_previous - moved_to_previous
        if entered and payable > next_14th:
            additional += own
        for kind in KINDS:
            if kind != "additional":
                current.wages[kind] -= moved_to_previous
                previous.wages[kind] += moved_to_previous
        current.wages["ordinary"] -= additional
        current.wages["additional"] += additional

    def _add_wages(self, month: "ReferenceMonth") -> None:
        employee = self.payslip.employee
        ordinary, additional = month.wages["ordinary"], month.wages["additional"]
        ordinary_before = additional_before = ZERO
        contributes, _, divided_on = reference_contributions.rate_tables(*month.month, self.law_person())
        resident_from = employee.pr_date if employee.legal_status == "PR" or employee.citizenship_date else None
        if contributes is None:
            ordinary = additional = ZERO
        elif resident_from and (resident_from.year, resident_from.month) == month.month:
            ordinary = self._ordinary_from(month, resident_from, ordinary)
            additional = self._if_paid_from(resident_from, additional)
        if not self._resident_when_leaving():
            additional = ZERO
        if divided_on:
            ordinary_before = ordinary - self._ordinary_from(month, divided_on, ordinary)
            additional_before = additional - self._if_paid_from(divided_on, additional)
        month.totals = {
            "ordinary": ordinary,
            "ordinary_before": ordinary_before,
            "additional": additional,
            "additional_before": additional_before,
            "remuneration": month.wages["sdl"],
            "fund_wages": month.wages["funds"],
        }
        month.to_date = {name: amount + month.earlier(name) for name, amount in month.totals.items()}

    def _resident_when_leaving(self) -> bool:
        """From 2024, wages payable after the last day count only if the person was a resident on that day."""
        leaving, employee = self.payslip.last_service_date, self.payslip.employee
        if leaving is None or leaving >= self.period.pay_date or self.period.end.year < 2024:
            return True
        if employee.legal_status == "CITIZEN" and employee.citizenship_date is None:
            return True
        since = employee.pr_date or employee.citizenship_date
        return since is None or since <= leaving

    def _ordinary_from(self, month: "ReferenceMonth", day: date, amount: Fraction) -> Fraction:
        """In proportion to the working days in service. Without any, by the pay date."""
        served, later = self._served_in(month, date.min), self._served_in(month, day)
        if not served:
            return self._if_paid_from(day, amount)
        return round_to_cent(max(amount, ZERO) * later / served)

    def _served_in(self, month: "ReferenceMonth", day: date) -> Fraction:
        """The working days in service from a day on that the wages of the month are for."""
        if len(self.months) == 1:
            return self.served_from(day)
        first = self._first_of_month()
        if month is self.months[-1]:
            return self.served_from(max(day, first) if self.period.apportionment else day)
        return self.served_from(day) - self.served_from(max(day, first))

    def _if_paid_from(self, day: date, amount: Fraction) -> Fraction:
        return amount if self.period.pay_date >= day else ZERO

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

    def _expected_month(self, month: "ReferenceMonth") -> Fraction:
        """The expected ordinary wages of a month, for the additional wage ceiling."""
        if self.pay_type != "monthly":
            last = month.last_ordinary
            if last and month.before is not None:
                last += month.before.totals["ordinary"]
            return max(month.to_date["ordinary"], last)
        recurring = [name for name, entry in self.payslip.calculations.items() if entry.recurring]
        total = sum((self._full_ordinary_amount(name) for name in recurring), ZERO)
        return round_to_cent(total * self.period.periods_per_year / MONTHS)

    def _full_ordinary_amount(self, name: str) -> Fraction:
        """The full amount of a recurring item, if it is ordinary wages."""
        if name in ("week_hours", *ABSENCES):
            return ZERO
        item = self.item(name)
        if item.section != "income" or item.cpf != "ordinary":
            return ZERO
        if name in self.definitions:
            fixed = self.fixed_amount(name)
            return self.custom_amounts[name] if fixed is None else self.multiplied(name, fixed)
        input_name = {"basic_salary": "fixed_amount", "commission": "commission_input"}.get(name, "amount")
        return self.multiplied(name, self.number(name, input_name))

    def _add_cpf(self, month: "ReferenceMonth") -> None:
        year = month.year_to_date
        year_ordinary, year_subject = Fraction(year.ordinary_subject, 100), Fraction(year.additional_subject, 100)
        by_month = {
            text: (Fraction(wages.paid, 100), Fraction(wages.subject, 100))
            for text, wages in self.payslip.additional_by_month.items()
        }
        before = month.before
        if before is not None and before.month[0] == month.month[0]:
            year_ordinary += before.totals["ordinary_subject"]
            year_subject += before.totals["additional_subject"]
            if by_month:
                text = f"{before.month[0]:04d}-{before.month[1]:02d}"
                paid, subject = by_month.get(text, (ZERO, ZERO))
                by_month[text] = paid, subject + before.totals["additional_subject"]
        taken = reference_contributions.ReferenceCpf(*(month.earlier(name) for name in CPF))
        pay = reference_contributions.ReferenceWages(
            ordinary=month.to_date["ordinary"],
            additional=month.to_date["additional"],
            ordinary_before=month.to_date["ordinary_before"],
            additional_before=month.to_date["additional_before"],
            expected_month=self._expected_month(month),
            leaving=self.payslip.last_service_date,
            year_ordinary=year_ordinary,
            year_additional=Fraction(year.additional, 100),
            year_additional_subject=year_subject,
            left_out=_left_out(by_month, month.month) if by_month else None,
            earlier=taken,
        )
        cpf = reference_contributions.cpf(*month.month, self.law_person(), pay)
        month.due |= {"cpf_employee": cpf.employee, "cpf_employer": cpf.employer}
        month.totals |= {
            "ordinary_subject": cpf.ordinary - taken.ordinary,
            "additional_subject": cpf.additional - taken.additional,
        }

    def _add_funds_and_sdl(self, month: "ReferenceMonth") -> None:
        person = self.law_person()
        contributions = reference_contributions.funds(*month.month, person, month.to_date["fund_wages"])
        month.due |= {fund: contributions.get(fund.upper(), ZERO) - month.earlier(fund) for fund in FUNDS}
        month.due["sdl"] = reference_contributions.sdl(person, month.to_date["remuneration"]) - month.earlier("sdl")

    def _add_foreign_worker_levy(self) -> None:
        self.lines["foreign_worker_levy"] = ZERO
        is_last = self.payslip.last_of_month
        if self.has_line("foreign_worker_levy") and (self.period.last_of_month if is_last is None else is_last):
            entered = "amount" in self.inputs("foreign_worker_levy")
            levy = self.number("foreign_worker_levy", "amount") if entered else self._month_levy(self.month)
            self.needs_attention |= levy is None
            earlier = self.months[-1].earlier("levy")
            self.lines["foreign_worker_levy"] = ZERO if levy is None else levy - earlier
        self.previous_levy = self._previous_levy()
        self.lines["foreign_worker_levy"] += self.previous_levy

    def _previous_levy(self) -> Fraction:
        """The levy of the month before, if the payslip takes it: that of the table, less what was taken."""
        entered = "amount" in self.inputs("foreign_worker_levy")
        if entered or not self.payslip.takes_previous_levy or not self.has_line("foreign_worker_levy"):
            return ZERO
        year, number = self.month
        month = (year, number - 1) if number > 1 else (year - 1, 12)
        levy = self._month_levy(month)
        self.needs_attention |= levy is None
        stored = self.payslip.previous_month.month_to_date if self.payslip.previous_month else MonthToDate()
        taken = Fraction(self.corrections.month_to_date(month, stored).levy, 100)
        return ZERO if levy is None else max(levy - taken, ZERO)

    def _month_levy(self, month: tuple[int, int]) -> Fraction | None:
        """The levy of a month by the table. None if no rate is known."""
        inputs, employee = self.inputs("foreign_worker_levy"), self.payslip.employee
        work_pass = self.law_person().work_pass
        if work_pass not in ("WP", "SPASS"):
            return ZERO
        sector, tier, skill = (str(inputs.get(name, "none")) for name in ("sector", "tier", "skill"))
        rate = reference_levy.rate(*month, work_pass, sector, tier, skill)
        levy = reference_levy.month_levy(*month, rate or Fraction(1), employee.pass_from, employee.pass_to)
        return levy if rate is not None or not levy else None

    def _limit_to_pay(self) -> None:
        """Limit CPF and funds to the pay. The employer pays the part of the employee's share that is not covered."""
        available = self.total("income") - self._absences()
        current = self.months[-1]
        for name in ("cpf_employee", *FUNDS):
            due = sum((month.due[name] for month in self.months), self.corrections.total(name))
            self.lines[name] = min(due, max(available, ZERO))
            available -= self.lines[name]
            missing = due - self.lines[name]
            from_current = min(missing, max(current.due[name], ZERO))
            if self.corrections.months and len(self.months) == 1:
                self.corrections.uncovered += (missing - from_current) if name == "cpf_employee" else ZERO
                missing = from_current
            for month, amount in ((current, from_current), (self.months[0], missing - from_current)):
                month.due[name] -= amount
                if name == "cpf_employee":
                    month.due["cpf_employer"] += amount
        for month in self.months:
            month.totals |= month.due
        for name in ("cpf_employer", "sdl"):
            self.lines[name] = sum((month.due[name] for month in self.months), self.corrections.total(name))
        self.lines["cpf_employer"] += self.corrections.uncovered
        self.lines["foreign_worker_levy"] += self.corrections.total("levy")
        current.totals["levy"] = self.lines["foreign_worker_levy"] - self.previous_levy
        if len(self.months) > 1:
            self.months[0].totals["levy"] = self.previous_levy

    # ---- 11. Deductions

    def _add_deductions(self) -> None:
        unpaid = self._absences()
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
            limit = half
            if name in reference_treatment.LIMITED_TO_A_QUARTER:
                limit = quarter
            elif name == "overpaid_wages" and "instalment" in self.inputs(name):
                limit = self.number(name, "instalment")
            elif name in reference_treatment.LIMITED_TO_THE_PAY:
                limit = available
            deducted = max(min(requested, limit, available), ZERO)
            available -= deducted
            half -= deducted if limit is half else ZERO
            self.lines[name] = deducted
            if name in TRACKED:
                self.instalments[name] = deducted
            else:
                self.carried_forward[name] = requested - deducted

    def _absences(self) -> Fraction:
        return sum((self.lines.get(name, ZERO) for name in ABSENCES), ZERO)

    def _is_reimbursement(self, name: str) -> bool:
        definition = self.definitions.get(name)
        return name == "reimbursement" or (definition is not None and definition.kind == "reimbursement")

    def _requested(self, name: str) -> Fraction:
        carried = Fraction(self.payslip.carried_forward_cents.get(name, 0), 100)
        if name == "overpaid_wages":
            carried += self.corrections.overpaid
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


def _left_out(by_month: Mapping[str, tuple[Fraction, Fraction]], month: tuple[int, int]) -> dict[int, Fraction]:
    """The additional wages not yet subject to CPF. What a month charged beyond its own was for the earliest before."""
    left_out: dict[int, Fraction] = {}
    for number in range(1, month[1]):
        paid, subject = by_month.get(f"{month[0]:04d}-{number:02d}", (ZERO, ZERO))
        paid = max(paid, ZERO)
        charged = min(paid, subject)
        rest = subject - charged
        for earlier in left_out:
            completed = min(left_out[earlier], rest)
            left_out[earlier] -= completed
            rest -= completed
        left_out[number] = paid - charged
    return left_out


def decimal_text(amount: Fraction) -> str:
    """An amount with two decimals."""
    cents = amount * 100
    assert cents.denominator == 1, f"{amount} has parts of a cent"
    return f"{'-' if cents < 0 else ''}{abs(int(cents)) // 100}.{abs(int(cents)) % 100:02d}"


def _floor_cents(amount: Fraction) -> Fraction:
    return Fraction(math.floor(amount * 100), 100)
