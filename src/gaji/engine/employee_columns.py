"""Employee details of a batch as columns, in the types that the rules of `gaji.law` take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from gaji.engine.input_columns import InputColumns
from gaji.engine.payslip_input import EmployeeDetails, MonthToDate, PayslipInput, YearToDate
from gaji.law.columns import Cents, Codes, Dates, Flags, any_nonzero, cents, codes, date_column, flags
from gaji.law.cpf import CpfContributions, CpfMembers, PriorMonths, PrRateElection
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.pay.part_four_coverage import EmploymentActGroup
from gaji.law.residency import LegalStatus, WorkPass
from gaji.law.self_help_funds import Fund, FundMembers, FundParameters, lookup_race_funds, lookup_religion_funds

STATUSES = {status.name: int(status) for status in LegalStatus}
PASSES = {work_pass.name: int(work_pass) for work_pass in WorkPass}
PR_RATES = {election.name: int(election) for election in PrRateElection}
GROUPS = {group.name.lower(): int(group) for group in EmploymentActGroup}

Employees = Sequence[EmployeeDetails]


def employee_details(payslips: Sequence[PayslipInput]) -> list[EmployeeDetails]:
    """The employee of each payslip."""
    return [payslip.employee for payslip in payslips]


def month_to_date_columns(totals: Sequence[MonthToDate]) -> dict[str, Cents]:
    """The totals of the month's earlier payslips, by the attributes of `MonthToDate`."""
    rows = np.array([msgspec.structs.astuple(row) for row in totals], dtype=np.int64)
    return dict(zip(MonthToDate.__struct_fields__, np.ascontiguousarray(rows.T), strict=True))


def prior_months(totals: Sequence[YearToDate]) -> PriorMonths:
    """The totals of the year's earlier months."""
    return PriorMonths(
        cents([row.ordinary_subject for row in totals]),
        cents([row.additional for row in totals]),
        cents([row.additional_subject for row in totals]),
    )


@dataclass(frozen=True)
class AdditionalByMonth:
    """The additional wages of earlier months: paid, and charged with CPF, by month. Only for some payslips."""

    known: Flags
    """Whether the months of the payslip's additional wages are known."""
    paid_cents: Mapping[Month, Cents]
    subject_cents: Mapping[Month, Cents]

    def add_subject(self, month: Month, due: CpfContributions) -> "AdditionalByMonth":
        """Add what a payslip charges for a month."""
        subject = self.subject_cents.get(month, 0) + np.where(self.known, due.additional_subject_cents, 0)
        return replace(self, subject_cents={**self.subject_cents, month: subject})

    def before(self, month: Month) -> tuple[Cents, Cents]:
        """The wages left out and those charged in earlier months of the year, one column per calendar month.

        If a month charged more than it paid, the excess was for the earliest wages left out before.
        """
        left_out = np.zeros((len(self.known), MONTHS_PER_YEAR), dtype=np.int64)
        charged = np.zeros_like(left_out)
        for column in range(month.month - 1):
            paid = np.maximum(self.paid_cents.get(Month(month.year, column + 1), 0), 0)
            subject = self.subject_cents.get(Month(month.year, column + 1), 0)
            charged[:, column] = np.minimum(paid, subject)
            left_out[:, column] = paid - charged[:, column]
            remaining = subject - charged[:, column]
            for earliest in range(column):
                completed = np.minimum(left_out[:, earliest], remaining)
                left_out[:, earliest] -= completed
                charged[:, earliest] += completed
                remaining = remaining - completed
        return left_out, charged


def additional_by_month(payslips: Sequence[PayslipInput]) -> AdditionalByMonth | None:
    """The additional wages of earlier months. None if no payslip of the batch has any."""
    known = flags([bool(payslip.additional_by_month) for payslip in payslips])
    if not any_nonzero(known):
        return None
    paid: dict[Month, Cents] = {}
    subject: dict[Month, Cents] = {}
    for i in known.nonzero()[0].tolist():
        for text, wages in payslips[i].additional_by_month.items():
            month = Month.parse(text)
            for columns, amount in ((paid, wages.paid), (subject, wages.subject)):
                columns.setdefault(month, np.zeros(len(payslips), dtype=np.int64))[i] = amount
    return AdditionalByMonth(known, paid, subject)


def cpf_members(employees: Employees) -> CpfMembers:
    """The details that CPF depends on."""
    return CpfMembers(
        birthdates=date_column([employee.birthdate for employee in employees]),
        legal_status=codes([STATUSES[employee.legal_status] for employee in employees]),
        pr_dates=date_column([employee.pr_date for employee in employees]),
        citizenship_dates=date_column([employee.citizenship_date for employee in employees]),
        pr_rates=codes([PR_RATES[employee.pr_cpf_rates] for employee in employees]),
        exempt=flags([employee.cpf_exempt for employee in employees]),
    )


def fund_members(
    parameters: FundParameters, month: Month, employees: Employees, members: CpfMembers, inputs: InputColumns
) -> FundMembers:
    """The details that the self-help funds depend on. An entry for the fund of the second race elects that fund."""
    races = [employee.race for employee in employees]
    religions = [employee.religion for employee in employees]
    first, second = lookup_race_funds(parameters, month, races)
    elects_second = np.zeros(len(employees), dtype=np.bool_)
    for fund in {Fund(code) for code in second.tolist()} - {Fund.NONE}:
        name = fund.name.lower()
        elects_second |= (second == fund) & inputs.has(name) & ~inputs.flag(name, "opt_out")
    return FundMembers(
        race_funds=first,
        second_race_funds=second,
        elects_second=elects_second,
        religion_funds=lookup_religion_funds(parameters, month, religions),
        legal_status=members.legal_status,
        pr_dates=members.pr_dates,
        citizenship_dates=members.citizenship_dates,
        work_passes=work_passes(employees),
    )


def work_passes(employees: Employees) -> Codes:
    """The work pass of each employee."""
    return codes([PASSES[employee.work_pass or "NONE"] for employee in employees])


def work_pass_dates(employees: Employees) -> tuple[Dates, Dates]:
    """The first and the last day of each work pass."""
    return (
        date_column([employee.pass_from for employee in employees]),
        date_column([employee.pass_to for employee in employees]),
    )


def sdl_exempt(employees: Employees) -> Flags:
    """Whether the employee is exempt from the skills development levy."""
    return flags([employee.sdl_exempt for employee in employees])


def employment_act_groups(employees: Employees) -> Codes:
    """The group of each employee under the Employment Act."""
    return codes([GROUPS[employee.employment_act_group] for employee in employees])
