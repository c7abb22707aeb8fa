"""Statutory amounts of a payslip: CPF, self-help funds, the skills development levy and the foreign worker levy.

All of them are assessed by calendar month. A payslip has the month's liability to date less the amounts on the month's
earlier payslips. If its wages belong to two months, it has the sum of both.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from gaji.engine import employee_columns
from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import FOREIGN_WORKER_LEVY, SYSTEM_TYPES
from gaji.engine.employee_columns import AdditionalByMonth
from gaji.engine.input_columns import InputColumns
from gaji.engine.payslip_input import EmployeeDetails, PayPeriod, PayslipInput, PreviousMonth
from gaji.engine.wages import MonthWageTotals, PayslipWages, ordinary_cents_from, pay_date
from gaji.law import cpf, levy, sdl, self_help_funds
from gaji.law.columns import Cents, Codes, Dates, Flags, any_nonzero, cents, date_column, equals_code
from gaji.law.months import Month
from gaji.law.pay.rates import PayType
from gaji.law.registry import Law
from gaji.law.residency import LegalStatus
from gaji.law.self_help_funds import FUNDS, NO_CHOSEN_AMOUNT, Fund, FundElection, FundMembers

FUND_NAMES: Mapping[Fund, str] = {fund: fund.name.lower() for fund in FUNDS}
PAY_TYPE = SYSTEM_TYPES["basic_salary"].inputs_by_name["pay_type"]
NO_PREVIOUS_MONTH = PreviousMonth()


class CpfWages(Struct, frozen=True):
    """The wages of the payslip that count for CPF. `before` is the part before citizenship."""

    ordinary_cents: Cents
    ordinary_before_cents: Cents
    additional_cents: Cents
    additional_before_cents: Cents


class MonthAssessment(Struct, frozen=True):
    """The contributions of a payslip for one calendar month, and what they were assessed on."""

    month: Month
    attendance: Attendance
    """The days in service that the wages are for."""
    payslip_wages: MonthWageTotals
    payslip_cpf_wages: CpfWages
    month_cpf_wages: cpf.MonthWages
    cpf_prior_months: cpf.PriorMonths
    cpf_deducted: cpf.CpfContributions
    """The contributions on earlier payslips of the month."""
    assessment: cpf.CpfAssessment
    fund_members: FundMembers
    fund_wages_cents: Cents
    """Month to date."""
    funds: dict[Fund, Cents]
    remuneration_cents: Cents
    """Month to date."""
    sdl_cents: Cents
    earlier: Mapping[str, Cents]
    """The totals of the month's earlier payslips, by the attributes of `MonthToDate`."""


class StatutoryResult(Struct, frozen=True):
    """The statutory amounts of each payslip, and what they were assessed on."""

    current: MonthAssessment
    """The month in which the period ends."""
    previous: MonthAssessment | None
    """The month before. None if no payslip of the batch has wages of it."""
    cpf_members: cpf.CpfMembers
    fund_elections: dict[Fund, FundElection]
    sdl_exempt: Flags
    levy_workers: levy.LevyWorkers | None
    """None if no payslip of the batch has a levy."""
    levy_entered: Flags
    """Whether the amount of the levy was entered."""
    levy_cents: Cents
    """The levy of the month in which the period ends."""
    levy_due: Flags
    """Whether the payslip takes the levy of the month in which the period ends, at a known rate or as entered."""
    previous_levy_cents: Cents
    """The levy of the month before, if it is the month of joining."""
    previous_levy_due: Flags
    """Whether the payslip takes the levy of the month before, at a known rate."""
    previous_levy_taken_cents: Cents
    """What earlier payslips took for the month before."""
    levy_without_rate: Flags
    """Whether no rate of the levy is known and no amount was entered."""


class _LevyColumns(Struct, frozen=True):
    workers: levy.LevyWorkers | None
    is_entered: Flags
    amount_cents: Cents
    is_due: Flags
    previous_cents: Cents
    previous_due: Flags
    previous_taken_cents: Cents
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
    assessor = _MonthAssessor(
        law=law,
        period=period,
        employees=employees,
        inputs=inputs,
        members=employee_columns.cpf_members(employees),
        elections=_fund_elections(inputs),
        sdl_exempt=employee_columns.sdl_exempt(employees),
        monthly_rated=equals_code(inputs.choice_codes("basic_salary", PAY_TYPE), PayType.MONTHLY),
        full_month_cents=wages.full_month_cents,
        leaving_dates=date_column([payslip.last_service_date for payslip in payslips]),
    )
    additional = employee_columns.additional_by_month(payslips)
    year = employee_columns.prior_months([payslip.year_to_date for payslip in payslips])
    last_month = cents([payslip.last_month_ordinary_cents for payslip in payslips])
    earlier = employee_columns.month_to_date_columns([payslip.month_to_date for payslip in payslips])
    previous, in_current = None, attendance
    if (previous_wages := wages.previous) is not None:
        if wages.days is not None:
            in_current = attendance.within(month.first_day, period.end)
        stored = [
            payslip.previous_month if has_part and payslip.previous_month else NO_PREVIOUS_MONTH
            for payslip, has_part in zip(payslips, wages.has_previous.tolist(), strict=True)
        ]
        previous = _assess_previous(assessor, month - 1, stored, attendance, previous_wages, additional)
        if previous.month.year == month.year:
            year = _add_contributions(year, previous)
            additional = additional and additional.add_subject(previous.month, previous.assessment.due)
        # The last complete month is complete with this payslip.
        last_month = np.where(last_month > 0, last_month + previous.payslip_cpf_wages.ordinary_cents, 0)
    levies = _levy_columns(law, month, payslips, inputs, earlier["levy"])
    return StatutoryResult(
        current=assessor.assess(
            month, in_current, wages.current, earlier, _with_months(year, month, additional), last_month
        ),
        previous=previous,
        cpf_members=assessor.members,
        fund_elections=assessor.elections,
        sdl_exempt=assessor.sdl_exempt,
        levy_workers=levies.workers,
        levy_entered=levies.is_entered,
        levy_cents=levies.amount_cents,
        levy_due=levies.is_due,
        previous_levy_cents=levies.previous_cents,
        previous_levy_due=levies.previous_due,
        previous_levy_taken_cents=levies.previous_taken_cents,
        levy_without_rate=levies.without_rate,
    )


def _assess_previous(
    assessor: "_MonthAssessor",
    month: Month,
    stored: Sequence[PreviousMonth],
    attendance: Attendance,
    wages: MonthWageTotals,
    additional: AdditionalByMonth | None,
) -> MonthAssessment:
    """Assess the part of the payslips for the month before that of the period's end."""
    year = employee_columns.prior_months([totals.year_to_date for totals in stored])
    return assessor.assess(
        month,
        attendance.within(month.first_day, month.last_day),
        wages,
        employee_columns.month_to_date_columns([totals.month_to_date for totals in stored]),
        _with_months(year, month, additional),
        cents([totals.last_month_ordinary_cents for totals in stored]),
    )


def _add_contributions(year: cpf.PriorMonths, month: MonthAssessment) -> cpf.PriorMonths:
    """Add the wages that this payslip makes subject to CPF in an earlier month of the year."""
    due = month.assessment.due
    return replace(
        year,
        ordinary_subject_cents=year.ordinary_subject_cents + due.ordinary_subject_cents,
        additional_subject_cents=year.additional_subject_cents + due.additional_subject_cents,
    )


def _with_months(year: cpf.PriorMonths, month: Month, additional: AdditionalByMonth | None) -> cpf.PriorMonths:
    if additional is None:
        return year
    left_out, charged = additional.before(month)
    return replace(year, left_out_cents=left_out, charged_cents=charged)


class _MonthAssessor(Struct, frozen=True):
    """Assesses a batch for one calendar month after the other."""

    law: Law
    period: PayPeriod
    employees: Sequence[EmployeeDetails]
    inputs: InputColumns
    members: cpf.CpfMembers
    elections: dict[Fund, FundElection]
    sdl_exempt: Flags
    monthly_rated: Flags
    full_month_cents: Cents
    leaving_dates: Dates

    def assess(
        self,
        month: Month,
        attendance: Attendance,
        wages: MonthWageTotals,
        earlier: Mapping[str, Cents],
        prior_months: cpf.PriorMonths,
        last_month_cents: Cents,
    ) -> MonthAssessment:
        """Assess the wages of a month to date, less the amounts on the month's earlier payslips."""
        law, members = self.law, self.members
        applicability = cpf.applicability(month, members)
        paid_on = pay_date(self.period)
        counts = cpf.counts_after_leaving(law.cpf, month, members, self.leaving_dates, paid_on)
        cpf_wages = _cpf_wages(attendance, wages, applicability, members, paid_on, counts)
        to_date = earlier["ordinary"] + cpf_wages.ordinary_cents
        month_wages = cpf.MonthWages(
            ordinary_cents=to_date,
            additional_cents=earlier["additional"] + cpf_wages.additional_cents,
            ordinary_before_cents=earlier["ordinary_before"] + cpf_wages.ordinary_before_cents,
            additional_before_cents=earlier["additional_before"] + cpf_wages.additional_before_cents,
            expected_month_cents=np.where(
                self.monthly_rated, self.full_month_cents, np.maximum(to_date, last_month_cents)
            ),
            leaving_dates=self.leaving_dates,
        )
        deducted = cpf.CpfContributions(
            earlier["ordinary_subject"], earlier["additional_subject"], earlier["cpf_employee"], earlier["cpf_employer"]
        )
        fund_members = employee_columns.fund_members(law.self_help_funds, month, self.employees, members, self.inputs)
        fund_wages = earlier["fund_wages"] + wages.fund_cents
        month_funds = self_help_funds.contributions_cents(
            law.self_help_funds, month, fund_members, fund_wages, self.elections
        )
        remuneration = earlier["remuneration"] + wages.remuneration_cents
        return MonthAssessment(
            month=month,
            attendance=attendance,
            payslip_wages=wages,
            payslip_cpf_wages=cpf_wages,
            month_cpf_wages=month_wages,
            cpf_prior_months=prior_months,
            cpf_deducted=deducted,
            assessment=cpf.assess(law.cpf, month, members, month_wages, prior_months, deducted, applicability),
            fund_members=fund_members,
            fund_wages_cents=fund_wages,
            funds={fund: month_funds[fund] - earlier[FUND_NAMES[fund]] for fund in FUNDS},
            remuneration_cents=remuneration,
            sdl_cents=sdl.levy_cents(law.sdl, month, remuneration, self.sdl_exempt) - earlier["sdl"],
            earlier=earlier,
        )


def _cpf_wages(
    attendance: Attendance,
    wages: MonthWageTotals,
    applicability: cpf.CpfApplicability,
    members: cpf.CpfMembers,
    paid_on: np.datetime64,
    counts_after_leaving: Flags,
) -> CpfWages:
    """The wages that count for CPF, and the part before citizenship if it begins within the month."""
    contributes = ~np.isnat(applicability.counts_from)
    ordinary = np.where(contributes, wages.ordinary_cents, 0)
    additional = np.where(contributes & counts_after_leaving, wages.additional_cents, 0)
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
    law: Law, month: Month, payslips: Sequence[PayslipInput], inputs: InputColumns, earlier_cents: Cents
) -> _LevyColumns:
    """The foreign worker levy, which is due on the employee's last regular payslip of a month.

    That of a month of joining in which no period of the employee ends is due on the first payslip.
    """
    none, zeros = np.zeros(inputs.person_count, dtype=np.bool_), np.zeros(inputs.person_count, dtype=np.int64)
    no_levy = _LevyColumns(None, none, zeros, none, zeros, none, zeros, none)
    if FOREIGN_WORKER_LEVY not in inputs.names:
        return no_levy
    takes_levy = np.array([payslip.takes_levy for payslip in payslips], dtype=np.bool_)
    takes_previous = np.array([payslip.takes_previous_levy for payslip in payslips], dtype=np.bool_)
    if not any_nonzero(takes_levy | takes_previous):
        return no_levy
    employees = employee_columns.employee_details(payslips)
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
    is_entered = inputs.is_entered(FOREIGN_WORKER_LEVY, "amount")
    has_line = inputs.has_line(FOREIGN_WORKER_LEVY)
    amounts = np.where(is_entered, inputs.money_cents(FOREIGN_WORKER_LEVY, "amount"), due.amount_cents)
    without_rate = has_line & takes_levy & ~is_entered & ~due.has_rate
    is_due = has_line & takes_levy & ~without_rate
    current = np.where(is_due, amounts - earlier_cents, 0)
    previous, previous_due, taken = zeros, has_line & takes_previous & ~is_entered, zeros
    if any_nonzero(previous_due):
        due = levy.levy_amounts(law.levy, month - 1, workers)
        without_rate = without_rate | (previous_due & ~due.has_rate)
        previous_due = previous_due & due.has_rate
        taken = cents([_previous_levy_taken_cents(payslip) for payslip in payslips])
        previous = np.where(previous_due, np.maximum(due.amount_cents - taken, 0), 0)
    return _LevyColumns(workers, is_entered, current, is_due, previous, previous_due, taken, without_rate)


def _previous_levy_taken_cents(payslip: PayslipInput) -> int:
    """The levy that earlier payslips took for the month before that of the period's end."""
    return 0 if payslip.previous_month is None else payslip.previous_month.month_to_date.levy


def _levy_codes(inputs: InputColumns, name: str, known: Sequence[str], *, default: str) -> Codes:
    """The index of each entered value among the values known to the law."""
    choices = SYSTEM_TYPES[FOREIGN_WORKER_LEVY].inputs_by_name[name].choices
    column = np.full(inputs.person_count, known.index(default), dtype=np.int8)
    for i, entry in inputs.entries(FOREIGN_WORKER_LEVY):
        if (choice := entry.inputs.get(name)) in choices:
            column[i] = known.index(str(choice))
    return column
