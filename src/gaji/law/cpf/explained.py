"""How the CPF of one person came about, from the same inputs, parameters and results that the rules have."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from gaji.law.columns import Cents, Codes, Days, one_day, only
from gaji.law.cpf import additional_wages
from gaji.law.cpf.assessment import Assessment, assess
from gaji.law.cpf.inputs import Contributions, People, Wages, Year, nothing_taken
from gaji.law.cpf.parameters import EXPECTED_MONTHS, AgeGroup, CpfParameters, Rates, Table
from gaji.law.cpf.tables import PrRates
from gaji.law.explanation import Explanation, Parameter, less_taken, money, parameter, percent, rate, step, yes_no
from gaji.law.months import DECEMBER, Month
from gaji.law.parameters import InForce
from gaji.law.residency import LegalStatus

ACT = "Central Provident Fund Act 1953, First Schedule"
WHO = {
    Table.T1: "citizen, or permanent resident from the third year or at full rates",
    Table.T2: "permanent resident in the first year, graduated rates",
    Table.T3: "permanent resident in the second year, graduated rates",
    Table.T4: "permanent resident in the first year, full employer's and graduated employee's rate",
    Table.T5: "permanent resident in the second year, full employer's and graduated employee's rate",
}


def explain(
    parameters: CpfParameters,
    month: Month,
    people: People,
    wages: Wages,
    year: Year,
    taken: Contributions | None = None,
    place: int = 0,
) -> tuple[Explanation, ...]:
    """How the person at this place in the columns came to the contributions of a payslip.

    Three figures: the additional wages that bear CPF (where there are any), the employee's share, the employer's share.
    """
    taken = nothing_taken(len(wages.ordinary_cents)) if taken is None else taken
    one = only(people, place), only(wages, place), only(year, place), only(taken, place)
    case = _Case(parameters, month, *one, assess(parameters, month, *one))
    additional = [case.additional()] if case.has_additional else []
    return (*additional, case.employee(), case.employer())


@dataclass(frozen=True)
class _Case:
    """One person's month: all columns have one entry."""

    parameters: CpfParameters
    month: Month
    people: People
    wages: Wages
    year: Year
    taken: Contributions
    assessment: Assessment

    @property
    def table(self) -> Table:
        return Table(_one(self.assessment.applying.tables))

    @property
    def group(self) -> AgeGroup:
        return AgeGroup(_one(self.assessment.applying.age_groups))

    @property
    def ordinary(self) -> int:
        return _one(self.assessment.liability.ordinary_subject_cents)

    @property
    def additional_subject(self) -> int:
        return _one(self.assessment.liability.additional_subject_cents)

    @property
    def total_wages(self) -> int:
        return self.ordinary + self.additional_subject

    @property
    def has_additional(self) -> bool:
        columns = (self.wages.additional_cents, self.year.additional_cents, self.taken.additional_subject_cents)
        return self.table != Table.NONE and any(_one(column) for column in columns)

    @property
    def parts(self) -> list[tuple[Table, int, int]]:
        """The tables of the month, each with the ordinary and the additional wages that go by it."""
        whole = (self.table, self.ordinary, self.additional_subject)
        if one_day(self.assessment.applying.changes_on) is None:
            return [whole]
        before = min(max(_one(self.wages.ordinary_before_cents), 0), self.ordinary)
        additional_before = min(max(_one(self.wages.additional_before_cents), 0), self.additional_subject)
        if not before + additional_before:
            return [whole]
        earlier = Table(_one(self.assessment.applying.tables_before))
        return [
            (earlier, before, additional_before),
            (self.table, self.ordinary - before, self.additional_subject - additional_before),
        ]

    def employee(self) -> Explanation:
        due, liability = self.assessment.due, self.assessment.liability
        return Explanation(
            figure="cpf_employee",
            amount_cents=_one(due.employee_cents),
            inputs=self._inputs(),
            rule="The employee's share of the month, ordinary and additional wages together, without its cents, "
            "less what earlier payslips of the month took.",
            source=ACT,
            branch=self._branch(),
            parameters=tuple(self._parameters()),
            arithmetic=(
                *self._ordinary_lines(),
                self._employee_line(),
                *less_taken(_one(liability.employee_cents), _one(self.taken.employee_cents)),
            ),
        )

    def employer(self) -> Explanation:
        due, liability = self.assessment.due, self.assessment.liability
        total, employee, employer = (
            _one(column) for column in (liability.total_cents, liability.employee_cents, liability.employer_cents)
        )
        return Explanation(
            figure="cpf_employer",
            amount_cents=_one(due.employer_cents),
            inputs=self._inputs(),
            rule="The total of the month to the nearest dollar, less the employee's share, "
            "less what earlier payslips of the month took.",
            source=ACT,
            branch=self._branch(),
            parameters=tuple(self._parameters()),
            arithmetic=(
                *self._ordinary_lines(),
                step(f"round({self._total_expression()})", total),
                self._employee_line(),
                step(f"{money(total)} − {money(employee)}", employer),
                *less_taken(employer, _one(self.taken.employer_cents)),
            ),
        )

    def additional(self) -> Explanation:
        """The additional wages of the month that bear CPF."""
        annual = self.parameters.annual_ceiling_cents.at(self.month)
        estimate = self.parameters.additional_wage_estimate.at(self.month)
        final = bool(additional_wages.is_final(self.month, self.wages.leaving_dates)[0])
        return Explanation(
            figure="cpf_additional_wages",
            amount_cents=self.additional_subject,
            inputs=self._inputs()
            | {
                "ordinary wages that bore CPF earlier in the year": money(_one(self.year.ordinary_subject_cents)),
                "additional wages earlier in the year": money(_one(self.year.additional_cents)),
                "of these, bore CPF": money(_one(self.year.additional_subject_cents)),
                "ordinary wages expected of a full month": money(_one(self.wages.expected_month_cents)),
                "last day of service": _day(self.wages.leaving_dates),
            },
            rule="Additional wages bear CPF as far as the annual ceiling leaves room beside the year's ordinary wages "
            "that bear CPF; never less than nothing.",
            source=ACT,
            branch="the year's ordinary wages are known: December, or the month of leaving"
            if final
            else f"the year's ordinary wages are estimated: {estimate.value}",
            parameters=(
                parameter("annual ceiling", annual, money(annual.value)),
                parameter("additional wage estimate", estimate, estimate.value),
                self._ceiling(),
            ),
            arithmetic=self._additional_lines(final),
        )

    def _additional_lines(self, final: bool) -> tuple[str, ...]:
        bore, paid = _one(self.year.additional_subject_cents), _one(self.wages.additional_cents)
        before, annual = (
            _one(self.year.ordinary_subject_cents),
            self.parameters.annual_ceiling_cents.at(self.month).value,
        )
        left_out = max(_one(self.year.additional_cents) - bore, 0) if final else 0
        candidates = max(paid + left_out, 0)
        expected = self.ordinary if final else _one(self._expected())
        room = annual - before - expected - bore
        ordinary = () if final else (step(self._expected_expression(), expected),)
        already = _one(additional_wages.already_cents(self.assessment.liability.ordinary_subject_cents, self.taken))
        kept = f"min({money(already)}, {money(candidates)}), " if already else ""
        return (
            *ordinary,
            step(f"{money(annual)} − {money(before)} − {money(expected)} − {money(bore)}", room),
            step(f"max({money(paid)} + {money(left_out)}, 0.00)", candidates),
            step(f"max({kept}min({money(candidates)}, {money(room)}), 0.00)", self.additional_subject),
        )

    def _expected(self) -> Cents:
        return additional_wages.expected_cents(self.parameters, self.month, self.wages)

    def _expected_expression(self) -> str:
        """Months that remain, times what each brings up to its ceiling."""
        ceilings = self.parameters.ordinary_wage_ceiling_cents
        if self.parameters.additional_wage_estimate.at(self.month).value != EXPECTED_MONTHS:
            return _within(_one(self.wages.ordinary_cents), ceilings.at(self.month).value)
        leaving = one_day(self.wages.leaving_dates)
        months = [self.month + later for later in range(DECEMBER - self.month.month + 1)]
        in_service = [month for month in months if leaving is None or month.first_day <= leaving]
        each = _one(self.wages.expected_month_cents)
        runs = [(ceiling, len(list(run))) for ceiling, run in groupby(ceilings.at(month).value for month in in_service)]
        return " + ".join(f"{count} × {_within(each, ceiling)}" for ceiling, count in runs)

    def _ordinary_lines(self) -> tuple[str, ...]:
        if self.table == Table.NONE:
            return ()
        ceiling = self.parameters.ordinary_wage_ceiling_cents.at(self.month).value
        paid = _one(self.wages.ordinary_cents)
        return (step(_within(paid, ceiling), self.ordinary),)

    def _employee_line(self) -> str:
        return step(f"floor({self._employee_expression()})", _one(self.assessment.liability.employee_cents))

    def _employee_expression(self) -> str:
        bands = self.parameters.wage_bands.at(self.month).value
        if self.table == Table.NONE or self.total_wages <= bands.employer_only_up_to_cents:
            return money(0)
        if self.total_wages > bands.graduated_up_to_cents:
            return self._on_each(lambda rates: rates.employee)
        excess = f"({money(self.total_wages)} − {money(bands.employer_only_up_to_cents)})"
        if len(self.parts) == 1:
            return f"{rate(self._rates(self.table).value[self.group].graduated)} × {excess}"
        return f"({self._on_each(lambda rates: rates.graduated)}) × {excess} ÷ {money(self.total_wages)}"

    def _total_expression(self) -> str:
        bands = self.parameters.wage_bands.at(self.month).value
        if self.table == Table.NONE or self.total_wages <= bands.nil_up_to_cents:
            return money(0)
        if self.total_wages > bands.graduated_up_to_cents:
            return self._on_each(lambda rates: rates.total)
        employer = self._on_each(lambda rates: rates.employer_only)
        if self.total_wages <= bands.employer_only_up_to_cents:
            return employer
        return f"{employer} + {self._employee_expression()}"

    def _on_each(self, pick: Callable[[Rates], int]) -> str:
        """A rate on the ordinary and on the additional wages of each table of the month."""
        terms = []
        for table, ordinary, additional in self.parts:
            percentage = rate(pick(self._rates(table).value[self.group]) if table != Table.NONE else 0)
            terms.append(f"{percentage} × {money(ordinary)}")
            if additional:
                terms.append(f"{percentage} × {money(additional)}")
        return " + ".join(terms)

    def _rates(self, table: Table) -> InForce[tuple[Rates, ...]]:
        return self.parameters.rates(self.month, table)

    def _ceiling(self) -> Parameter:
        ceiling = self.parameters.ordinary_wage_ceiling_cents.at(self.month)
        return parameter("ordinary wage ceiling", ceiling, money(ceiling.value))

    def _parameters(self) -> Iterator[Parameter]:
        if self.table == Table.NONE:
            return
        yield self._ceiling()
        bands = self.parameters.wage_bands.at(self.month)
        yield parameter("nothing is due up to", bands, money(bands.value.nil_up_to_cents))
        yield parameter("only the employer pays up to", bands, money(bands.value.employer_only_up_to_cents))
        yield parameter("graduated rates up to", bands, money(bands.value.graduated_up_to_cents))
        for table, *_ in self.parts:
            if table != Table.NONE:
                yield from self._rate_parameters(table)

    def _rate_parameters(self, table: Table) -> Iterator[Parameter]:
        in_force = self._rates(table)
        rates, line = in_force.value[self.group], f"{table.name}, {self.group.words}"
        yield parameter(f"{line}: employer only", in_force, percent(rates.employer_only))
        yield parameter(f"{line}: graduated", in_force, rate(rates.graduated))
        yield parameter(f"{line}: total", in_force, percent(rates.total))
        yield parameter(f"{line}: employee", in_force, percent(rates.employee))

    def _branch(self) -> str:
        if self.table == Table.NONE:
            return self._why_nothing()
        who = f"{self.table.name} ({WHO[self.table]})"
        changes_on = one_day(self.assessment.applying.changes_on)
        if changes_on is not None:
            who = f"{Table(_one(self.assessment.applying.tables_before)).name} before {changes_on}, then {who}"
        counts_from = one_day(self.assessment.applying.counts_from)
        since = "" if counts_from == self.month.first_day else f", wages from {counts_from} on"
        return f"{who}{since}; age group {self.group.words}; {self._band()}"

    def _band(self) -> str:
        bands = self.parameters.wage_bands.at(self.month).value
        total = f"total wages of {money(self.total_wages)}"
        if self.total_wages > bands.graduated_up_to_cents:
            return f"{total} are above {money(bands.graduated_up_to_cents)}: full rates of this table"
        if self.total_wages > bands.employer_only_up_to_cents:
            return f"{total} are within {money(bands.graduated_up_to_cents)}: the employee's share is graduated"
        if self.total_wages > bands.nil_up_to_cents:
            return f"{total} are within {money(bands.employer_only_up_to_cents)}: only the employer pays"
        return f"{total} are within {money(bands.nil_up_to_cents)}: nothing is due"

    def _why_nothing(self) -> str:
        if bool(self.people.exempt[0]):
            return "the employee is exempt"
        if _one(self.people.legal_status) in (LegalStatus.CITIZEN, LegalStatus.PR):
            return f"not yet a permanent resident: that begins on {_day(self.people.pr_dates)}"
        return "foreigners have no CPF"

    def _inputs(self) -> dict[str, str]:
        people = self.people
        given = {
            "month": str(self.month),
            "birthdate": _day(people.birthdates),
            "legal_status": LegalStatus(_one(people.legal_status)).name,
            "pr_date": _day(people.pr_dates),
            "citizenship_date": _day(people.citizenship_dates),
            "pr_cpf_rates": PrRates(_one(people.pr_rates)).name,
            "cpf_exempt": yes_no(bool(people.exempt[0])),
            "ordinary wages of the month to date": money(_one(self.wages.ordinary_cents)),
            "additional wages of the month to date": money(_one(self.wages.additional_cents)),
            "additional wages that bear CPF": money(self.additional_subject),
        }
        if len(self.parts) > 1:
            given["ordinary wages before citizenship"] = money(_one(self.wages.ordinary_before_cents))
            given["additional wages before citizenship"] = money(_one(self.wages.additional_before_cents))
        if _one(self.taken.ordinary_subject_cents) or _one(self.taken.additional_subject_cents):
            given["employee's share on earlier payslips of the month"] = money(_one(self.taken.employee_cents))
            given["employer's share on earlier payslips of the month"] = money(_one(self.taken.employer_cents))
        return given


def _one(column: Cents | Codes) -> int:
    return int(column[0])


def _day(column: Days) -> str:
    day: date | None = one_day(column)
    return "" if day is None else day.isoformat()


def _within(amount_cents: int, ceiling_cents: int) -> str:
    """An amount up to a ceiling, and not below zero."""
    capped = f"min({money(amount_cents)}, {money(ceiling_cents)})"
    return capped if amount_cents >= 0 else f"max({capped}, 0.00)"
