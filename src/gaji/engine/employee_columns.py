"""The facts about the people of a batch as columns, in the forms that the rules of the law take."""

from collections.abc import Sequence

import msgspec
import numpy as np

from gaji.engine.payslip_input import PayslipInput, MonthToDate, EmployeeDetails
from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Cents, Codes, Dates, Flags, codes, date_column, flags
from gaji.law.cpf import CpfMembers, PrRateElection
from gaji.law.months import Month
from gaji.law.pay.part_four import EmploymentActGroup
from gaji.law.residency import LegalStatus, WorkPass
from gaji.law.self_help_funds import Fund, FundParameters, FundMembers, lookup_race_funds, lookup_religion_funds

STATUSES = {status.name: int(status) for status in LegalStatus}
PASSES = {work_pass.name: int(work_pass) for work_pass in WorkPass}
RATES = {rates.name: int(rates) for rates in PrRateElection}
GROUPS = {group.name.lower(): int(group) for group in EmploymentActGroup}


def employee_details(cases: Sequence[PayslipInput]) -> list[EmployeeDetails]:
    """The person of each case."""
    return [case.employee for case in cases]


def month_to_date_columns(cases: Sequence[PayslipInput]) -> dict[str, Cents]:
    """What the month's earlier payslips came to, under the names of `Earlier`."""
    rows = np.array([msgspec.structs.astuple(case.month_to_date) for case in cases], dtype=np.int64)
    return dict(zip(MonthToDate.__struct_fields__, np.ascontiguousarray(rows.T), strict=True))


def cpf_people(people: Sequence[EmployeeDetails]) -> CpfMembers:
    """The facts that decide on CPF."""
    return CpfMembers(
        birthdates=date_column([one.birthdate for one in people]),
        legal_status=codes([STATUSES[one.legal_status] for one in people]),
        pr_dates=date_column([one.pr_date for one in people]),
        citizenship_dates=date_column([one.citizenship_date for one in people]),
        pr_rates=codes([RATES[one.pr_cpf_rates] for one in people]),
        exempt=flags([one.cpf_exempt for one in people]),
    )


def fund_members(
    parameters: FundParameters, month: Month, people: Sequence[EmployeeDetails], contributors: CpfMembers, inputs: InputColumns
) -> FundMembers:
    """The facts that decide on the self-help funds; an entry for the fund of the second race elects it."""
    races, religions = [one.race for one in people], [one.religion for one in people]
    first, second = lookup_race_funds(parameters, month, races)
    elects = np.zeros(len(people), dtype=np.bool_)
    for fund in {Fund(code) for code in second.tolist()} - {Fund.NONE}:
        name = fund.name.lower()
        elects |= (second == fund) & inputs.has(name) & ~inputs.flag(name, "opt_out")
    return FundMembers(
        race_funds=first,
        second_race_funds=second,
        elects_second=elects,
        religion_funds=lookup_religion_funds(parameters, month, religions),
        legal_status=contributors.legal_status,
        pr_dates=contributors.pr_dates,
        citizenship_dates=contributors.citizenship_dates,
        work_passes=work_passes(people),
    )


def work_passes(people: Sequence[EmployeeDetails]) -> Codes:
    """The pass of each."""
    return codes([PASSES[one.work_pass or "NONE"] for one in people])


def work_pass_dates(people: Sequence[EmployeeDetails]) -> tuple[Dates, Dates]:
    """From when to when each holds the pass."""
    return date_column([one.pass_from for one in people]), date_column([one.pass_to for one in people])


def sdl_exempt(people: Sequence[EmployeeDetails]) -> Flags:
    """For whom no skills development levy is due."""
    return flags([one.sdl_exempt for one in people])


def employment_act_groups(people: Sequence[EmployeeDetails]) -> Codes:
    """The group of the Employment Act that each belongs to."""
    return codes([GROUPS[one.employment_act_group] for one in people])
