"""One person's month of CPF in words: who it is about, what went in, which way the rules went, with which figures."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from gaji.law.columns import Cents, Codes, Days, one_day
from gaji.law.cpf.assessment import Assessment
from gaji.law.cpf.inputs import Contributions, People, Wages, Year
from gaji.law.cpf.parameters import AgeGroup, CpfParameters, Rates, Table, WageBands
from gaji.law.cpf.tables import PrRates
from gaji.law.explanation import Parameter, money, parameter, percent, rate, yes_no
from gaji.law.months import Month
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


@dataclass(frozen=True)
class Case:
    """One person's month: every column has one entry."""

    parameters: CpfParameters
    month: Month
    people: People
    wages: Wages
    year: Year
    taken: Contributions
    assessment: Assessment

    @property
    def table(self) -> Table:
        return Table(one(self.assessment.applying.tables))

    @property
    def group(self) -> AgeGroup:
        return AgeGroup(one(self.assessment.applying.age_groups))

    @property
    def ordinary(self) -> int:
        return one(self.assessment.liability.ordinary_subject_cents)

    @property
    def additional_subject(self) -> int:
        return one(self.assessment.liability.additional_subject_cents)

    @property
    def total_wages(self) -> int:
        return self.ordinary + self.additional_subject

    @property
    def has_additional(self) -> bool:
        columns = (self.wages.additional_cents, self.year.additional_cents, self.taken.additional_subject_cents)
        return self.table != Table.NONE and any(one(column) for column in columns)

    @property
    def parts(self) -> list[tuple[Table, int, int]]:
        """The tables of the month, each with the ordinary and the additional wages that go by it."""
        whole = (self.table, self.ordinary, self.additional_subject)
        if one_day(self.assessment.applying.changes_on) is None:
            return [whole]
        before = min(max(one(self.wages.ordinary_before_cents), 0), self.ordinary)
        additional_before = min(max(one(self.wages.additional_before_cents), 0), self.additional_subject)
        if not before + additional_before:
            return [whole]
        earlier = Table(one(self.assessment.applying.tables_before))
        return [
            (earlier, before, additional_before),
            (self.table, self.ordinary - before, self.additional_subject - additional_before),
        ]

    @property
    def bands(self) -> WageBands:
        return self.parameters.wage_bands.at(self.month).value

    @property
    def ceiling_cents(self) -> int:
        return self.parameters.ordinary_wage_ceiling_cents.at(self.month).value

    def rates(self, table: Table) -> InForce[tuple[Rates, ...]]:
        """The rates of a table this month."""
        return self.parameters.rates(self.month, table)


def inputs(case: Case) -> dict[str, str]:
    """What went in."""
    people = case.people
    given = {
        "month": str(case.month),
        "birthdate": day(people.birthdates),
        "legal_status": LegalStatus(one(people.legal_status)).name,
        "pr_date": day(people.pr_dates),
        "citizenship_date": day(people.citizenship_dates),
        "pr_cpf_rates": PrRates(one(people.pr_rates)).name,
        "cpf_exempt": yes_no(bool(people.exempt[0])),
        "ordinary wages of the month to date": money(one(case.wages.ordinary_cents)),
        "additional wages of the month to date": money(one(case.wages.additional_cents)),
        "additional wages that bear CPF": money(case.additional_subject),
    }
    if len(case.parts) > 1:
        given["ordinary wages before citizenship"] = money(one(case.wages.ordinary_before_cents))
        given["additional wages before citizenship"] = money(one(case.wages.additional_before_cents))
    if any(one(getattr(case.taken, field.name)) for field in fields(case.taken)):
        given["employee's share on earlier payslips of the month"] = money(one(case.taken.employee_cents))
        given["employer's share on earlier payslips of the month"] = money(one(case.taken.employer_cents))
    return given


def branch(case: Case) -> str:
    """Which way the rules went."""
    if case.table == Table.NONE:
        return _why_nothing(case)
    who = f"{case.table.name} ({WHO[case.table]})"
    changes_on = one_day(case.assessment.applying.changes_on)
    if changes_on is not None:
        who = f"{Table(one(case.assessment.applying.tables_before)).name} before {changes_on}, then {who}"
    counts_from = one_day(case.assessment.applying.counts_from)
    since = "" if counts_from == case.month.first_day else f", wages from {counts_from} on"
    return f"{who}{since}; age group {case.group.words}; {_band(case)}"


def parameters(case: Case) -> Iterator[Parameter]:
    """The figures that were used."""
    if case.table == Table.NONE:
        return
    yield ceiling(case)
    bands = case.parameters.wage_bands.at(case.month)
    yield parameter("nothing is due up to", bands, money(bands.value.nil_up_to_cents))
    yield parameter("only the employer pays up to", bands, money(bands.value.employer_only_up_to_cents))
    yield parameter("graduated rates up to", bands, money(bands.value.graduated_up_to_cents))
    for table, *_ in case.parts:
        if table != Table.NONE:
            yield from _rate_parameters(case, table)


def ceiling(case: Case) -> Parameter:
    """The month's ceiling of ordinary wages."""
    ceiling = case.parameters.ordinary_wage_ceiling_cents.at(case.month)
    return parameter("ordinary wage ceiling", ceiling, money(ceiling.value))


def _rate_parameters(case: Case, table: Table) -> Iterator[Parameter]:
    in_force = case.rates(table)
    rates, line = in_force.value[case.group], f"{table.name}, {case.group.words}"
    yield parameter(f"{line}: employer only", in_force, percent(rates.employer_only))
    yield parameter(f"{line}: graduated", in_force, rate(rates.graduated))
    yield parameter(f"{line}: total", in_force, percent(rates.total))
    yield parameter(f"{line}: employee", in_force, percent(rates.employee))


def _band(case: Case) -> str:
    bands = case.bands
    total = f"total wages of {money(case.total_wages)}"
    if case.total_wages > bands.graduated_up_to_cents:
        return f"{total} are above {money(bands.graduated_up_to_cents)}: full rates of this table"
    if case.total_wages > bands.employer_only_up_to_cents:
        return f"{total} are within {money(bands.graduated_up_to_cents)}: the employee's share is graduated"
    if case.total_wages > bands.nil_up_to_cents:
        return f"{total} are within {money(bands.employer_only_up_to_cents)}: only the employer pays"
    return f"{total} are within {money(bands.nil_up_to_cents)}: nothing is due"


def _why_nothing(case: Case) -> str:
    if bool(case.people.exempt[0]):
        return "the employee is exempt"
    if one(case.people.legal_status) in (LegalStatus.CITIZEN, LegalStatus.PR):
        return f"not yet a permanent resident: that begins on {day(case.people.pr_dates)}"
    return "foreigners have no CPF"


def one(column: Cents | Codes) -> int:
    """The only entry of a column."""
    return int(column[0])


def day(column: Days) -> str:
    """The only date of a column, or nothing."""
    found = one_day(column)
    return "" if found is None else found.isoformat()


def within(amount_cents: int, ceiling_cents: int) -> str:
    """The arithmetic of an amount up to a ceiling, and not below zero."""
    capped = f"min({money(amount_cents)}, {money(ceiling_cents)})"
    return capped if amount_cents >= 0 else f"max({capped}, 0.00)"
