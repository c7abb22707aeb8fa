"""One person's month of CPF in words: who it is about, what went in, which way the rules went, with which figures."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from gaji.law.columns import Cents, Codes, Dates, date_at
from gaji.law.cpf.assessment import CpfAssessment
from gaji.law.cpf.inputs import CpfContributions, CpfMembers, MonthWages, PriorMonths
from gaji.law.cpf.parameters import AgeGroup, CpfParameters, CpfRates, RateTable, WageBands
from gaji.law.cpf.tables import PrRateElection
from gaji.law.explanation import UsedParameter, money, percent, rate, used_parameter, yes_no
from gaji.law.months import Month
from gaji.law.parameters import DatedValue
from gaji.law.residency import LegalStatus

ACT = "Central Provident Fund Act 1953, First Schedule"
WHO = {
    RateTable.T1: "citizen, or permanent resident from the third year or at full rates",
    RateTable.T2: "permanent resident in the first year, graduated rates",
    RateTable.T3: "permanent resident in the second year, graduated rates",
    RateTable.T4: "permanent resident in the first year, full employer's and graduated employee's rate",
    RateTable.T5: "permanent resident in the second year, full employer's and graduated employee's rate",
}


@dataclass(frozen=True)
class PersonMonth:
    """One person's month: every column has one entry."""

    parameters: CpfParameters
    month: Month
    people: CpfMembers
    wages: MonthWages
    year: PriorMonths
    taken: CpfContributions
    assessment: CpfAssessment

    @property
    def table(self) -> RateTable:
        return RateTable(one(self.assessment.applicability.tables))

    @property
    def group(self) -> AgeGroup:
        return AgeGroup(one(self.assessment.applicability.age_groups))

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
        return self.table != RateTable.NONE and any(one(column) for column in columns)

    @property
    def parts(self) -> list[tuple[RateTable, int, int]]:
        """The tables of the month, each with the ordinary and the additional wages that go by it."""
        whole = (self.table, self.ordinary, self.additional_subject)
        if date_at(self.assessment.applicability.changes_on) is None:
            return [whole]
        before = min(max(one(self.wages.ordinary_before_cents), 0), self.ordinary)
        additional_before = min(max(one(self.wages.additional_before_cents), 0), self.additional_subject)
        if not before + additional_before:
            return [whole]
        earlier = RateTable(one(self.assessment.applicability.tables_before))
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

    def rates(self, table: RateTable) -> DatedValue[tuple[CpfRates, ...]]:
        """The rates of a table this month."""
        return self.parameters.rates(self.month, table)


def inputs(case: PersonMonth) -> dict[str, str]:
    """What went in."""
    people = case.people
    given = {
        "month": str(case.month),
        "birthdate": day(people.birthdates),
        "legal_status": LegalStatus(one(people.legal_status)).name,
        "pr_date": day(people.pr_dates),
        "citizenship_date": day(people.citizenship_dates),
        "pr_cpf_rates": PrRateElection(one(people.pr_rates)).name,
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


def branch(case: PersonMonth) -> str:
    """Which way the rules went."""
    if case.table == RateTable.NONE:
        return _why_nothing(case)
    who = f"{case.table.name} ({WHO[case.table]})"
    changes_on = date_at(case.assessment.applicability.changes_on)
    if changes_on is not None:
        who = f"{RateTable(one(case.assessment.applicability.tables_before)).name} before {changes_on}, then {who}"
    counts_from = date_at(case.assessment.applicability.counts_from)
    since = "" if counts_from == case.month.first_day else f", wages from {counts_from} on"
    return f"{who}{since}; age group {case.group.label}; {_band(case)}"


def parameters(case: PersonMonth) -> Iterator[UsedParameter]:
    """The figures that were used."""
    if case.table == RateTable.NONE:
        return
    yield ceiling(case)
    bands = case.parameters.wage_bands.at(case.month)
    yield used_parameter("nothing is due up to", bands, money(bands.value.nil_up_to_cents))
    yield used_parameter("only the employer pays up to", bands, money(bands.value.employer_only_up_to_cents))
    yield used_parameter("graduated rates up to", bands, money(bands.value.graduated_up_to_cents))
    for table, *_ in case.parts:
        if table != RateTable.NONE:
            yield from _rate_parameters(case, table)


def ceiling(case: PersonMonth) -> UsedParameter:
    """The month's ceiling of ordinary wages."""
    ceiling = case.parameters.ordinary_wage_ceiling_cents.at(case.month)
    return used_parameter("ordinary wage ceiling", ceiling, money(ceiling.value))


def _rate_parameters(case: PersonMonth, table: RateTable) -> Iterator[UsedParameter]:
    in_force = case.rates(table)
    rates, line = in_force.value[case.group], f"{table.name}, {case.group.label}"
    yield used_parameter(f"{line}: employer only", in_force, percent(rates.employer_only))
    yield used_parameter(f"{line}: graduated", in_force, rate(rates.graduated))
    yield used_parameter(f"{line}: total", in_force, percent(rates.total))
    yield used_parameter(f"{line}: employee", in_force, percent(rates.employee))


def _band(case: PersonMonth) -> str:
    bands = case.bands
    total = f"total wages of {money(case.total_wages)}"
    if case.total_wages > bands.graduated_up_to_cents:
        return f"{total} are above {money(bands.graduated_up_to_cents)}: full rates of this table"
    if case.total_wages > bands.employer_only_up_to_cents:
        return f"{total} are within {money(bands.graduated_up_to_cents)}: the employee's share is graduated"
    if case.total_wages > bands.nil_up_to_cents:
        return f"{total} are within {money(bands.employer_only_up_to_cents)}: only the employer pays"
    return f"{total} are within {money(bands.nil_up_to_cents)}: nothing is due"


def _why_nothing(case: PersonMonth) -> str:
    if bool(case.people.exempt[0]):
        return "the employee is exempt"
    if one(case.people.legal_status) in (LegalStatus.CITIZEN, LegalStatus.PR):
        return f"not yet a permanent resident: that begins on {day(case.people.pr_dates)}"
    return "foreigners have no CPF"


def one(column: Cents | Codes) -> int:
    """The only entry of a column."""
    return int(column[0])


def day(column: Dates) -> str:
    """The only date of a column, or nothing."""
    found = date_at(column)
    return "" if found is None else found.isoformat()


def within(amount_cents: int, ceiling_cents: int) -> str:
    """The arithmetic of an amount up to a ceiling, and not below zero."""
    capped = f"min({money(amount_cents)}, {money(ceiling_cents)})"
    return capped if amount_cents >= 0 else f"max({capped}, 0.00)"
