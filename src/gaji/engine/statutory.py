"""What the law takes: CPF, self-help funds, the skills development levy and the foreign worker levy.

All are of a calendar month: a payslip takes the month's liability to date less what the month's earlier payslips took.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaji.engine import employee_columns as facts
from gaji.engine.payslip_input import PayslipInput, PayPeriod, EmployeeDetails
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.engine.input_columns import InputColumns
from gaji.engine.attendance import Attendance
from gaji.engine.wages import PayslipWages, ordinary_cents_from, pay_date
from gaji.law import cpf, levy, sdl, self_help_funds
from gaji.law.registry import Law
from gaji.law.columns import Cents, Codes, Flags, any_nonzero, equals_code, cents, date_column
from gaji.law.months import Month
from gaji.law.pay.rates import PayType
from gaji.law.residency import LegalStatus
from gaji.law.self_help_funds import FUNDS, NO_CHOSEN_AMOUNT, FundElection, Fund, FundMembers

LEVY = "foreign_worker_levy"
FUND_NAMES: Mapping[Fund, str] = {fund: fund.name.lower() for fund in FUNDS}


@dataclass(frozen=True)
class CpfWages:
    """The wages of the payslip that count for CPF."""

    ordinary_cents: Cents
    ordinary_before_cents: Cents
    additional_cents: Cents
    additional_before_cents: Cents


@dataclass(frozen=True)
class StatutoryResult:
    """What the law takes on each payslip, and what that rests on."""

    payslip_cpf_wages: CpfWages
    cpf_people: cpf.CpfMembers
    month_cpf_wages: cpf.MonthWages
    cpf_year: cpf.PriorMonths
    cpf_deducted: cpf.CpfContributions
    assessment: cpf.CpfAssessment
    fund_members: FundMembers
    fund_choices: dict[Fund, FundElection]
    fund_wages_cents: Cents
    """Of the month to date."""
    funds: dict[Fund, Cents]
    remuneration_cents: Cents
    """Of the month to date."""
    sdl_exempt: Flags
    sdl_cents: Cents
    workers: levy.LevyWorkers | None
    levy_entered: Flags
    levy_cents: Cents
    levy_without_rate: Flags


def assess_statutory(
    law: Law, month: Month, period: PayPeriod, cases: Sequence[PayslipInput], inputs: InputColumns, presence: Attendance, own: PayslipWages
) -> StatutoryResult:
    """What the law takes on the payslips of a batch."""
    persons, earlier = facts.employee_details(cases), facts.month_to_date_columns(cases)
    who = facts.cpf_people(persons)
    applies = cpf.applicability(month, who)
    counted = _counted(presence, own, applies, who, pay_date(period))
    month_wages = _month_wages(cases, earlier, own, counted, inputs)
    year = cpf.PriorMonths(
        cents([case.year_to_date.ordinary_subject for case in cases]),
        cents([case.year_to_date.additional for case in cases]),
        cents([case.year_to_date.additional_subject for case in cases]),
    )
    taken = cpf.CpfContributions(
        earlier["ordinary_subject"], earlier["additional_subject"], earlier["cpf_employee"], earlier["cpf_employer"]
    )
    givers = facts.fund_members(law.self_help_funds, month, persons, who, inputs)
    choices = _fund_choices(inputs)
    fund_wages = earlier["fund_wages"] + own.fund_cents
    remuneration = earlier["remuneration"] + own.remuneration_cents
    exempt = facts.sdl_exempt(persons)
    month_sdl = sdl.levy_cents(law.sdl, month, remuneration, exempt)
    month_funds = self_help_funds.contributions_cents(law.self_help_funds, month, givers, fund_wages, choices)
    workers, given, levies, without = _levies(law, month, period, persons, inputs, earlier["levy"])
    return StatutoryResult(
        payslip_cpf_wages=counted,
        cpf_people=who,
        month_cpf_wages=month_wages,
        cpf_year=year,
        cpf_deducted=taken,
        assessment=cpf.assess(law.cpf, month, who, month_wages, year, taken, applies),
        fund_members=givers,
        fund_choices=choices,
        fund_wages_cents=fund_wages,
        funds={fund: month_funds[fund] - earlier[FUND_NAMES[fund]] for fund in FUNDS},
        remuneration_cents=remuneration,
        sdl_exempt=exempt,
        sdl_cents=month_sdl - earlier["sdl"],
        workers=workers,
        levy_entered=given,
        levy_cents=levies,
        levy_without_rate=without,
    )


def _counted(
    presence: Attendance, own: PayslipWages, applies: cpf.CpfApplicability, who: cpf.CpfMembers, paid_on: np.datetime64
) -> CpfWages:
    """The wages that count, and those of them before the day of citizenship, where a month is divided by such a day."""
    contributes = ~np.isnat(applies.counts_from)
    ordinary = np.where(contributes, own.ordinary_cents, 0)
    additional = np.where(contributes, own.additional_cents, 0)
    begins = _residence_begins(applies, who)
    if any_nonzero(begins):
        from_then = ordinary_cents_from(presence, ordinary, applies.counts_from, paid_on)
        ordinary = np.where(begins, from_then, ordinary)
        additional = np.where(begins & (paid_on < applies.counts_from), 0, additional)
    changes = ~np.isnat(applies.changes_on)
    if not any_nonzero(changes):
        return CpfWages(ordinary, np.zeros_like(ordinary), additional, np.zeros_like(additional))
    after = np.where(changes, ordinary_cents_from(presence, ordinary, applies.changes_on, paid_on), ordinary)
    earlier = changes & (paid_on < applies.changes_on)
    return CpfWages(ordinary, ordinary - after, additional, np.where(earlier, additional, 0))


def _residence_begins(applies: cpf.CpfApplicability, who: cpf.CpfMembers) -> Flags:
    """Whose permanent residence begins in the month; a citizen by birth may have a date that was left behind."""
    by_birth = equals_code(who.legal_status, LegalStatus.CITIZEN) & np.isnat(who.citizenship_dates)
    begins: Flags = (applies.counts_from == who.pr_dates) & ~by_birth
    return begins


def _month_wages(
    cases: Sequence[PayslipInput], earlier: Mapping[str, Cents], own: PayslipWages, counted: CpfWages, inputs: InputColumns
) -> cpf.MonthWages:
    to_date = earlier["ordinary"] + counted.ordinary_cents
    pay_types = inputs.choice_codes("basic_salary", SYSTEM_TYPES["basic_salary"].inputs_by_name["pay_type"])
    last_month = cents([case.last_month_ordinary_cents for case in cases])
    return cpf.MonthWages(
        ordinary_cents=to_date,
        additional_cents=earlier["additional"] + counted.additional_cents,
        ordinary_before_cents=earlier["ordinary_before"] + counted.ordinary_before_cents,
        additional_before_cents=earlier["additional_before"] + counted.additional_before_cents,
        expected_month_cents=np.where(
            equals_code(pay_types, PayType.MONTHLY), own.full_month_cents, np.maximum(to_date, last_month)
        ),
        leaving_dates=date_column([case.last_service_date for case in cases]),
    )


def _fund_choices(inputs: InputColumns) -> dict[Fund, FundElection]:
    present = set(inputs.names)
    return {
        fund: FundElection(
            inputs.flag(name, "opt_out"),
            np.where(inputs.is_entered(name, "amount"), inputs.money_cents(name, "amount"), NO_CHOSEN_AMOUNT),
        )
        for fund, name in FUND_NAMES.items()
        if name in present
    }


def _levies(
    law: Law, month: Month, period: PayPeriod, persons: Sequence[EmployeeDetails], inputs: InputColumns, taken_cents: Cents
) -> tuple[levy.LevyWorkers | None, Flags, Cents, Flags]:
    """Who the workers are, for whom an amount was entered, the levies, and for whom no rate is known."""
    nobody = np.zeros(inputs.person_count, dtype=np.bool_)
    if LEVY not in inputs.names or not period.last_of_month:
        return None, nobody, np.zeros(inputs.person_count, dtype=np.int64), nobody
    one = SYSTEM_TYPES[LEVY].inputs_by_name
    from_, to = facts.work_pass_dates(persons)
    workers = levy.LevyWorkers(
        facts.work_passes(persons),
        _places(inputs, one["sector"].choices, "sector", levy.SECTORS, levy.SECTORS[0]),
        _places(inputs, one["tier"].choices, "tier", levy.TIERS, "none"),
        _places(inputs, one["skill"].choices, "skill", levy.SKILLS, "none"),
        from_,
        to,
    )
    due, given, shown = levy.levy_amounts(law.levy, month, workers), inputs.is_entered(LEVY, "amount"), inputs.has_line(LEVY)
    amounts = np.where(given, inputs.money_cents(LEVY, "amount"), due.amount_cents)
    without = shown & ~given & ~due.has_rate
    return workers, given, np.where(shown & ~without, amounts - taken_cents, 0), without


def _places(inputs: InputColumns, choices: Sequence[str], name: str, known: Sequence[str], otherwise: str) -> Codes:
    """The place of what was entered among those that the law knows."""
    column = np.full(inputs.person_count, known.index(otherwise), dtype=np.int8)
    for place, entry in inputs.entries(LEVY):
        if (chosen := entry.inputs.get(name)) in choices:
            column[place] = known.index(str(chosen))
    return column
