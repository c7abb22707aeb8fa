"""One person's CPF month: its data, and the inputs, case and parameters that its explanations share."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import astuple

from gaji.law.columns import Cents, Codes, Dates, date_at
from gaji.law.cpf.assessment import CpfAssessment, shortfall_parts
from gaji.law.cpf.inputs import CpfContributions, CpfMembers, MonthWages, PriorMonths
from gaji.law.cpf.parameters import AgeGroup, CpfParameters, CpfRates, RateTable, WageBands
from gaji.law.cpf.tables import PrRateElection
from gaji.law.explanation import UsedParameter, dollars, long_date, money, percent, rate, used_parameter, yes_no
from gaji.law.months import Month
from gaji.law.parameters import DatedValue
from gaji.law.phrases import Phrase
from gaji.law.residency import LegalStatus

ACT = "Central Provident Fund Act 1953, First Schedule"
TABLE_DESCRIPTIONS = {
    RateTable.T1: "citizen, or permanent resident from the third year or at full rates",
    RateTable.T2: "permanent resident in the first year, graduated rates",
    RateTable.T3: "permanent resident in the second year, graduated rates",
    RateTable.T4: "permanent resident in the first year, full employer and graduated employee rates",
    RateTable.T5: "permanent resident in the second year, full employer and graduated employee rates",
}


@dataclass(frozen=True)
class RatedWages:
    """A part of the wages subject to CPF and the rates that apply to it."""

    month: Month
    """The month whose rates apply."""
    table: RateTable
    age_group: AgeGroup
    ordinary_cents: int
    additional_cents: int


@dataclass(frozen=True)
class PersonMonth:
    """One person's month. Every column has one entry."""

    parameters: CpfParameters
    month: Month
    members: CpfMembers
    wages: MonthWages
    prior: PriorMonths
    earlier: CpfContributions
    assessment: CpfAssessment

    @property
    def table(self) -> RateTable:
        return RateTable(entry(self.assessment.applicability.tables))

    @property
    def age_group(self) -> AgeGroup:
        return AgeGroup(entry(self.assessment.applicability.age_groups))

    @property
    def ordinary_cents(self) -> int:
        """The ordinary wages subject to CPF."""
        return entry(self.assessment.liability.ordinary_subject_cents)

    @property
    def additional_cents(self) -> int:
        """The additional wages subject to CPF."""
        return entry(self.assessment.liability.additional_subject_cents)

    @property
    def total_wages_cents(self) -> int:
        return self.ordinary_cents + self.additional_cents

    @property
    def has_additional(self) -> bool:
        columns = (
            self.wages.additional_cents,
            self.prior.additional_cents,
            self.prior.additional_subject_cents,
            self.earlier.additional_subject_cents,
        )
        return self.table != RateTable.NONE and any(entry(column) for column in columns)

    @property
    def divided_parts(self) -> tuple[int, int]:
        """The ordinary and additional wages from before citizenship started in this month."""
        if date_at(self.assessment.applicability.changes_on) is None:
            return 0, 0
        ordinary = min(max(entry(self.wages.ordinary_before_cents), 0), self.ordinary_cents)
        additional = min(max(entry(self.wages.additional_before_cents), 0), self.paid_this_month_cents)
        return ordinary, additional

    @property
    def shortfall(self) -> list[RatedWages]:
        """The additional wages of earlier months that become subject to CPF in this one."""
        return [
            RatedWages(
                part.month,
                RateTable(entry(part.tables)),
                AgeGroup(entry(part.age_groups)),
                0,
                entry(part.wages_cents),
            )
            for part in shortfall_parts(
                self.month, self.members, self.assessment.applicability, self.assessment.shortfall_cents
            )
        ]

    @property
    def paid_this_month_cents(self) -> int:
        """The subject additional wages without those of earlier months."""
        return self.additional_cents - sum(part.additional_cents for part in self.shortfall)

    @property
    def parts(self) -> list[RatedWages]:
        """The wages subject to CPF by the rates that apply to them. The last part has the rates of this month."""
        ordinary_before, additional_before = self.divided_parts
        before = []
        if ordinary_before + additional_before:
            table = RateTable(entry(self.assessment.applicability.tables_before))
            before = [RatedWages(self.month, table, self.age_group, ordinary_before, additional_before)]
        rest = RatedWages(
            self.month,
            self.table,
            self.age_group,
            self.ordinary_cents - ordinary_before,
            self.paid_this_month_cents - additional_before,
        )
        return [*before, *self.shortfall, rest]

    @property
    def bands(self) -> WageBands:
        return self.parameters.wage_bands.at(self.month).value

    @property
    def in_graduated_band(self) -> bool:
        """Whether the employee's share is graduated."""
        return self.bands.employer_only_up_to_cents < self.total_wages_cents <= self.bands.graduated_up_to_cents

    @property
    def has_earlier_payslips(self) -> bool:
        """Whether earlier payslips of the month have contributions, or wages that are subject to them."""
        return any(entry(column) for column in astuple(self.earlier))

    @property
    def earlier_wages_cents(self) -> int:
        """The wages subject to CPF of earlier payslips of the month."""
        return entry(self.earlier.ordinary_subject_cents) + entry(self.earlier.additional_subject_cents)

    @property
    def ceiling_cents(self) -> int:
        return self.parameters.ordinary_wage_ceiling_cents.at(self.month).value

    def rates(self, part: RatedWages) -> DatedValue[tuple[CpfRates, ...]]:
        """The rates of the table that applies to a part of the wages."""
        return self.parameters.rates(part.month, part.table)


def common_inputs(person: PersonMonth) -> dict[str, str]:
    """The inputs of all CPF explanations."""
    members = person.members
    inputs = {
        "month": str(person.month),
        "birthdate": date_text(members.birthdates),
        "legal_status": LegalStatus(entry(members.legal_status)).name,
        "pr_date": date_text(members.pr_dates),
        "citizenship_date": date_text(members.citizenship_dates),
        "pr_cpf_rates": PrRateElection(entry(members.pr_rates)).name,
        "cpf_exempt": yes_no(bool(members.exempt[0])),
        "ordinary wages of the month to date": money(entry(person.wages.ordinary_cents)),
        "additional wages of the month to date": money(entry(person.wages.additional_cents)),
        "additional wages subject to CPF": money(person.additional_cents),
    }
    if any(person.divided_parts):
        inputs["ordinary wages before citizenship"] = money(entry(person.wages.ordinary_before_cents))
        inputs["additional wages before citizenship"] = money(entry(person.wages.additional_before_cents))
    for part in person.shortfall:
        left_out = left_out_cents(person, part.month)
        inputs[Phrase("additional wages of ", part.month, " not yet subject to CPF")] = money(left_out)
    if person.shortfall and (unknown := unknown_left_out_cents(person)):
        inputs["additional wages of unknown months not yet subject to CPF"] = money(unknown)
    if person.has_earlier_payslips:
        inputs["employee's share on earlier payslips of the month"] = money(entry(person.earlier.employee_cents))
        inputs["employer's share on earlier payslips of the month"] = money(entry(person.earlier.employer_cents))
    return inputs


def branch_parts(person: PersonMonth) -> tuple[str, ...]:
    """The case that applied: rate table, age group and wage band. The last part says why a share may be zero."""
    if person.table == RateTable.NONE:
        return _why_not_liable(person)
    table = f"table {person.table.name} ({TABLE_DESCRIPTIONS[person.table]})"
    changes_on = date_at(person.assessment.applicability.changes_on)
    if changes_on is not None:
        earlier_table = RateTable(entry(person.assessment.applicability.tables_before)).name
        table = f"table {earlier_table} before {long_date(changes_on)}, then {table}"
    counts_from = date_at(person.assessment.applicability.counts_from)
    if counts_from is not None and counts_from != person.month.first_day:
        table = f"{table}, on wages from {long_date(counts_from)}"
    return table, f"age group {person.age_group.label}", _wage_band(person)


def common_parameters(person: PersonMonth) -> Iterator[UsedParameter]:
    """The ceiling, the wage bands and the rates."""
    if person.table == RateTable.NONE:
        return
    yield ceiling_parameter(person)
    bands = person.parameters.wage_bands.at(person.month)
    yield used_parameter("no contribution up to", bands, money(bands.value.nil_up_to_cents))
    yield employer_only_parameter(person)
    yield used_parameter("graduated rates up to", bands, money(bands.value.graduated_up_to_cents))
    for part in person.parts:
        if part.table != RateTable.NONE:
            yield from rate_parameters(person, part)


def employer_only_parameter(person: PersonMonth) -> UsedParameter:
    """The total wages above which the employee contributes."""
    bands = person.parameters.wage_bands.at(person.month)
    return used_parameter("employer only up to", bands, money(bands.value.employer_only_up_to_cents))


def ceiling_parameter(person: PersonMonth) -> UsedParameter:
    """The ordinary wage ceiling of the month."""
    ceiling = person.parameters.ordinary_wage_ceiling_cents.at(person.month)
    return used_parameter("ordinary wage ceiling", ceiling, money(ceiling.value))


class RateParameters(NamedTuple):
    """The rates of a row of a rate table, as parameters of an explanation."""

    employer_only: UsedParameter
    graduated: UsedParameter
    total: UsedParameter
    employee: UsedParameter


def rate_parameters(person: PersonMonth, part: RatedWages) -> RateParameters:
    """The rates that apply to a part of the wages."""
    in_force = person.rates(part)
    rates, age = in_force.value[part.age_group], part.age_group.label

    def parameter(name: str, value: str) -> UsedParameter:
        return used_parameter(f"{part.table.name}, {age}: {name}", in_force, value, f"CPF rate, age {age}: {name}")

    return RateParameters(
        parameter("employer only", percent(rates.employer_only)),
        parameter("graduated", rate(rates.graduated)),
        parameter("total", percent(rates.total)),
        parameter("employee", percent(rates.employee)),
    )


def _wage_band(person: PersonMonth) -> str:
    bands = person.bands
    total = f"total wages of {dollars(person.total_wages_cents)}"
    if person.total_wages_cents > bands.graduated_up_to_cents:
        return f"{total} are above {dollars(bands.graduated_up_to_cents)}, so the full rates of the table apply"
    if person.total_wages_cents > bands.employer_only_up_to_cents:
        return f"{total} are up to {dollars(bands.graduated_up_to_cents)}, so the employee's share is graduated"
    if person.total_wages_cents > bands.nil_up_to_cents:
        return f"{total} are up to {dollars(bands.employer_only_up_to_cents)}, so only the employer contributes"
    return f"{total} are up to {dollars(bands.nil_up_to_cents)}, so no contribution is due"


def _why_not_liable(person: PersonMonth) -> tuple[str, ...]:
    if bool(person.members.exempt[0]):
        return ("the employee is exempt",)
    pr_date = date_at(person.members.pr_dates)
    if pr_date is not None and entry(person.members.legal_status) in (LegalStatus.CITIZEN, LegalStatus.PR):
        return "not yet a permanent resident", f"permanent residence starts on {long_date(pr_date)}"
    return ("foreigners do not contribute to CPF",)


def entry(column: Cents | Codes) -> int:
    """The only entry of a column."""
    return int(column[0])


def left_out_cents(person: PersonMonth, month: Month) -> int:
    """The additional wages of an earlier month that were not subject to CPF until now."""
    return 0 if person.prior.left_out_cents is None else int(person.prior.left_out_cents[0, month.month - 1])


def unknown_left_out_cents(person: PersonMonth) -> int:
    """The additional wages of the year that were not subject to CPF until now, without those of known months."""
    prior = person.prior
    total = max(entry(prior.additional_cents) - entry(prior.additional_subject_cents), 0)
    known = sum(max(left_out_cents(person, Month(person.month.year, n)), 0) for n in range(1, person.month.month))
    return max(total - known, 0)


def date_text(column: Dates) -> str:
    """The only date of a column, or an empty text."""
    day = date_at(column)
    return "" if day is None else day.isoformat()


def capped(amount_cents: int, ceiling_cents: int) -> str:
    """The expression for an amount up to a ceiling and not below zero."""
    expression = f"min({money(amount_cents)}, {money(ceiling_cents)})"
    return expression if amount_cents >= 0 else f"max({expression}, 0.00)"
