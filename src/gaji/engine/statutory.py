"""Statutory amounts of a payslip: CPF, self-help funds, the skills development levy and the foreign worker levy.

All of them are assessed by calendar month. A payslip has the month's liability to date less the amounts on the month's
earlier payslips.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaji.engine import employee_columns
from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import FOREIGN_WORKER_LEVY, SYSTEM_TYPES
from gaji.engine.input_columns import InputColumns
from gaji.engine.payslip_input import EmployeeDetails, PayPeriod, PayslipInput
from gaji.engine.wages import PayslipWages, ordinary_cents_from, pay_date
from gaji.law import cpf, levy, sdl, self_help_funds
from gaji.law.columns import Cents, Codes, Flags, any_nonzero, cents, date_column, equals_code
from gaji.law.months import Month
from gaji.law.pay.rates import PayType
from gaji.law.registry import Law
from gaji.law.residency import LegalStatus
from gaji.law.self_help_funds import FUNDS, NO_CHOSEN_AMOUNT, Fund, FundElection, FundMembers

FUND_NAMES: Mapping[Fund, str] = {fund: fund.name.lower() for fund in FUNDS}


@dataclass(frozen=True)
class CpfWages:
    """The wages of the payslip that count for CPF. `before` is the part before citizenship."""

    ordinary_cents: Cents
    ordinary_before_cents: Cents
    additional_cents: Cents
    additional_before_cents: Cents


@dataclass(frozen=True)
class StatutoryResult:
    """The statutory amounts of each payslip, and what they were assessed on."""

    payslip_cpf_wages: CpfWages
    cpf_members: cpf.CpfMembers
    month_cpf_wages: cpf.MonthWages
    cpf_prior_months: cpf.PriorMonths
    cpf_deducted: cpf.CpfContributions
    """The contributions on earlier payslips of the month."""
    assessment: cpf.CpfAssessment
    fund_members: FundMembers
    fund_elections: dict[Fund, FundElection]
    fund_wages_cents: Cents
    """Month to date."""
    funds: dict[Fund, Cents]
    remuneration_cents: Cents
    """Month to date."""
    sdl_exempt: Flags
    sdl_cents: Cents
    levy_workers: levy.LevyWorkers | None
    """None if no payslip of the batch has a levy."""
    levy_entered: Flags
    """Whether the amount of the levy was entered."""
    levy_cents: Cents
    levy_without_rate: Flags
    """Whether no rate of the levy is known and no amount was entered."""


@dataclass(frozen=True)
class _LevyColumns:
    workers: levy.LevyWorkers | None
    is_entered: Flags
    amount_cents: Cents
    without_rate: Flags


def assess_statutory(
    law: Law,
    month: Month,
    period: PayPeriod,
    payslips: Sequence[PayslipInput],
    inputs: InputColumns,
    attendance: Attendance,
    wages: PayslipWages,
) -> StatutoryResult:
    """Assess the statutory amounts of a batch."""
    employees = employee_columns.employee_details(payslips)
    earlier = employee_columns.month_to_date_columns(payslips)
    members = employee_columns.cpf_members(employees)
    applicability = cpf.applicability(month, members)
    cpf_wages = _cpf_wages(attendance, wages, applicability, members, pay_date(period))
    month_wages = _month_wages(payslips, earlier, wages, cpf_wages, inputs)
    prior_months = cpf.PriorMonths(
        cents([payslip.year_to_date.ordinary_subject for payslip in payslips]),
        cents([payslip.year_to_date.additional for payslip in payslips]),
        cents([payslip.year_to_date.additional_subject for payslip in payslips]),
    )
    deducted = cpf.CpfContributions(
        earlier["ordinary_subject"], earlier["additional_subject"], earlier["cpf_employee"], earlier["cpf_employer"]
    )
    fund_members = employee_columns.fund_members(law.self_help_funds, month, employees, members, inputs)
    elections = _fund_elections(inputs)
    fund_wages = earlier["fund_wages"] + wages.fund_cents
    remuneration = earlier["remuneration"] + wages.remuneration_cents
    sdl_exempt = employee_columns.sdl_exempt(employees)
    month_sdl = sdl.levy_cents(law.sdl, month, remuneration, sdl_exempt)
    month_funds = self_help_funds.contributions_cents(law.self_help_funds, month, fund_members, fund_wages, elections)
    levies = _levy_columns(law, month, period, employees, inputs, earlier["levy"])
    return StatutoryResult(
        payslip_cpf_wages=cpf_wages,
        cpf_members=members,
        month_cpf_wages=month_wages,
        cpf_prior_months=prior_months,
        cpf_deducted=deducted,
        assessment=cpf.assess(law.cpf, month, members, month_wages, prior_months, deducted, applicability),
        fund_members=fund_members,
        fund_elections=elections,
        fund_wages_cents=fund_wages,
        funds={fund: month_funds[fund] - earlier[FUND_NAMES[fund]] for fund in FUNDS},
        remuneration_cents=remuneration,
        sdl_exempt=sdl_exempt,
        sdl_cents=month_sdl - earlier["sdl"],
        levy_workers=levies.workers,
        levy_entered=levies.is_entered,
        levy_cents=levies.amount_cents,
        levy_without_rate=levies.without_rate,
    )


def _cpf_wages(
    attendance: Attendance,
    wages: PayslipWages,
    applicability: cpf.CpfApplicability,
    members: cpf.CpfMembers,
    paid_on: np.datetime64,
) -> CpfWages:
    """The wages that count for CPF, and the part before citizenship if it begins within the month."""
    contributes = ~np.isnat(applicability.counts_from)
    ordinary = np.where(contributes, wages.ordinary_cents, 0)
    additional = np.where(contributes, wages.additional_cents, 0)
    begins = _residence_begins(applicability, members)
    if any_nonzero(begins):
        from_residence = ordinary_cents_from(attendance, ordinary, applicability.counts_from, paid_on)
        ordinary = np.where(begins, from_residence, ordinary)
        additional = np.where(begins & (paid_on < applicability.counts_from), 0, additional)
    changes = ~np.isnat(applicability.changes_on)
    if not any_nonzero(changes):
        return CpfWages(ordinary, np.zeros_like(ordinary), additional, np.zeros_like(additional))
    from_change = ordinary_cents_from(attendance, ordinary, applicability.changes_on, paid_on)
    after = np.where(changes, from_change, ordinary)
    paid_before = changes & (paid_on < applicability.changes_on)
    return CpfWages(ordinary, ordinary - after, additional, np.where(paid_before, additional, 0))


def _residence_begins(applicability: cpf.CpfApplicability, members: cpf.CpfMembers) -> Flags:
    """Whether permanent residence begins in the month. Citizens by birth may have an obsolete residence date."""
    by_birth = equals_code(members.legal_status, LegalStatus.CITIZEN) & np.isnat(members.citizenship_dates)
    begins: Flags = (applicability.counts_from == members.pr_dates) & ~by_birth
    return begins


def _month_wages(
    payslips: Sequence[PayslipInput],
    earlier: Mapping[str, Cents],
    wages: PayslipWages,
    cpf_wages: CpfWages,
    inputs: InputColumns,
) -> cpf.MonthWages:
    to_date = earlier["ordinary"] + cpf_wages.ordinary_cents
    pay_types = inputs.choice_codes("basic_salary", SYSTEM_TYPES["basic_salary"].inputs_by_name["pay_type"])
    last_month = cents([payslip.last_month_ordinary_cents for payslip in payslips])
    return cpf.MonthWages(
        ordinary_cents=to_date,
        additional_cents=earlier["additional"] + cpf_wages.additional_cents,
        ordinary_before_cents=earlier["ordinary_before"] + cpf_wages.ordinary_before_cents,
        additional_before_cents=earlier["additional_before"] + cpf_wages.additional_before_cents,
        expected_month_cents=np.where(
            equals_code(pay_types, PayType.MONTHLY), wages.full_month_cents, np.maximum(to_date, last_month)
        ),
        leaving_dates=date_column([payslip.last_service_date for payslip in payslips]),
    )


def _fund_elections(inputs: InputColumns) -> dict[Fund, FundElection]:
    present = set(inputs.names)
    return {
        fund: FundElection(
            inputs.flag(name, "opt_out"),
            np.where(inputs.is_entered(name, "amount"), inputs.money_cents(name, "amount"), NO_CHOSEN_AMOUNT),
        )
        for fund, name in FUND_NAMES.items()
        if name in present
    }


def _levy_columns(
    law: Law,
    month: Month,
    period: PayPeriod,
    employees: Sequence[EmployeeDetails],
    inputs: InputColumns,
    earlier_cents: Cents,
) -> _LevyColumns:
    """The foreign worker levy, which is due on the last regular payslip of a month."""
    none = np.zeros(inputs.person_count, dtype=np.bool_)
    if FOREIGN_WORKER_LEVY not in inputs.names or not period.last_of_month:
        return _LevyColumns(None, none, np.zeros(inputs.person_count, dtype=np.int64), none)
    pass_from, pass_to = employee_columns.work_pass_dates(employees)
    workers = levy.LevyWorkers(
        employee_columns.work_passes(employees),
        _levy_codes(inputs, "sector", levy.SECTORS, default=levy.SECTORS[0]),
        _levy_codes(inputs, "tier", levy.TIERS, default="none"),
        _levy_codes(inputs, "skill", levy.SKILLS, default="none"),
        pass_from,
        pass_to,
    )
    due = levy.levy_amounts(law.levy, month, workers)
    is_entered, has_line = inputs.is_entered(FOREIGN_WORKER_LEVY, "amount"), inputs.has_line(FOREIGN_WORKER_LEVY)
    amounts = np.where(is_entered, inputs.money_cents(FOREIGN_WORKER_LEVY, "amount"), due.amount_cents)
    without_rate = has_line & ~is_entered & ~due.has_rate
    return _LevyColumns(
        workers, is_entered, np.where(has_line & ~without_rate, amounts - earlier_cents, 0), without_rate
    )


def _levy_codes(inputs: InputColumns, name: str, known: Sequence[str], *, default: str) -> Codes:
    """The index of each entered value among the values known to the law."""
    choices = SYSTEM_TYPES[FOREIGN_WORKER_LEVY].inputs_by_name[name].choices
    column = np.full(inputs.person_count, known.index(default), dtype=np.int8)
    for i, entry in inputs.entries(FOREIGN_WORKER_LEVY):
        if (choice := entry.inputs.get(name)) in choices:
            column[i] = known.index(str(choice))
    return column
