"""Why a person does or does not contribute to a fund: inputs and lines of arithmetic."""

from gaji.law.columns import date_at
from gaji.law.explanation import money, step, yes_no
from gaji.law.months import Month
from gaji.law.notation import any_of, choose, equals, line
from gaji.law.residency import LegalStatus, WorkPass
from gaji.law.self_help_funds.contributions import FundMembers
from gaji.law.self_help_funds.parameters import Fund, FundParameters

RESIDENTS = (LegalStatus.CITIZEN, LegalStatus.PR)


def member_inputs(member: FundMembers) -> dict[str, str]:
    """The personal details that determine the funds of one person."""
    return {
        "race fund": Fund(int(member.race_funds[0])).name,
        "second race fund": Fund(int(member.second_race_funds[0])).name,
        "elects second race fund": yes_no(bool(member.elects_second[0])),
        "religion fund": Fund(int(member.religion_funds[0])).name,
        "legal_status": LegalStatus(int(member.legal_status[0])).name,
        "pr_date": str(date_at(member.pr_dates) or ""),
        "citizenship_date": str(date_at(member.citizenship_dates) or ""),
        "work_pass": WorkPass(int(member.work_passes[0])).name,
    }


def not_member_lines(parameters: FundParameters, month: Month, fund: Fund, member: FundMembers) -> tuple[str, ...]:
    """The lines that give zero for a fund that does not apply."""
    inputs = member_inputs(member)
    zero = step(choose("no", equals("no", money(0))), 0)
    if fund.name not in _fund_names(member):
        return line(_belongs_expression(fund, inputs), "no"), zero
    passes = parameters.foreign_passes.at(month).value[fund]
    allowed = (f"work_pass {inputs['work_pass']} is {work_pass.name}" for work_pass in passes)
    return line(any_of((*_residence_conditions(month, member, inputs), *allowed)), "no"), zero


def _fund_names(member: FundMembers) -> set[str]:
    """The funds of a person's races and religion. The fund of the second race counts only if elected."""
    second = [int(member.second_race_funds[0])] if member.elects_second[0] else []
    return {Fund(code).name for code in (int(member.race_funds[0]), int(member.religion_funds[0]), *second)}


def _belongs_expression(fund: Fund, inputs: dict[str, str]) -> str:
    return (
        f"race_fund {inputs['race fund']} is {fund.name} "
        f"or (elects_second_race_fund {inputs['elects second race fund']} "
        f"and second_race_fund {inputs['second race fund']} is {fund.name}) "
        f"or religion_fund {inputs['religion fund']} is {fund.name}"
    )


def _residence_conditions(month: Month, member: FundMembers, inputs: dict[str, str]) -> tuple[str, ...]:
    """The conditions for being a resident at the end of the month, none of which is true."""
    status = LegalStatus(int(member.legal_status[0]))
    if status not in RESIDENTS:
        return tuple(f"legal_status {status.name} is {resident.name}" for resident in RESIDENTS)
    dates = ("citizenship_date", "pr_date") if status == LegalStatus.CITIZEN else ("pr_date",)
    return tuple(f"{name} {inputs[name]} ≤ {month.last_day}" for name in dates)
