"""Who contributes to a fund and who does not, in words and in lines of arithmetic."""

from gaji.law.columns import date_at
from gaji.law.explanation import money, step, yes_no
from gaji.law.months import Month
from gaji.law.notation import any_of, choose, equals, line
from gaji.law.residency import LegalStatus, WorkPass
from gaji.law.self_help_funds.contributions import FundMembers
from gaji.law.self_help_funds.parameters import Fund, FundParameters

RESIDENTS = (LegalStatus.CITIZEN, LegalStatus.PR)


def inputs(giver: FundMembers) -> dict[str, str]:
    """The facts about one person that decide on funds."""
    return {
        "fund of the race": Fund(int(giver.race_funds[0])).name,
        "fund of the second race": Fund(int(giver.second_race_funds[0])).name,
        "elects the second": yes_no(bool(giver.elects_second[0])),
        "fund of the religion": Fund(int(giver.religion_funds[0])).name,
        "legal_status": LegalStatus(int(giver.legal_status[0])).name,
        "pr_date": str(date_at(giver.pr_dates) or ""),
        "citizenship_date": str(date_at(giver.citizenship_dates) or ""),
        "work_pass": WorkPass(int(giver.work_passes[0])).name,
    }


def why_not(parameters: FundParameters, month: Month, fund: Fund, giver: FundMembers) -> tuple[str, ...]:
    """The lines that lead to nothing for a fund that does not apply."""
    given = inputs(giver)
    nothing = step(choose("no", equals("no", money(0))), 0)
    if fund.name not in _funds(giver):
        return line(_is_one_of_theirs(fund, given), "no"), nothing
    passes = parameters.foreign_passes.at(month).value[fund]
    allowed = (f"work_pass {given['work_pass']} is {each.name}" for each in passes)
    return line(any_of((*_residence(month, giver, given), *allowed)), "no"), nothing


def _funds(giver: FundMembers) -> set[str]:
    """The funds that someone's races and religion belong to, the second race's if it was elected."""
    second = [int(giver.second_race_funds[0])] if giver.elects_second[0] else []
    return {Fund(code).name for code in (int(giver.race_funds[0]), int(giver.religion_funds[0]), *second)}


def _is_one_of_theirs(fund: Fund, given: dict[str, str]) -> str:
    return (
        f"fund_of_the_race {given['fund of the race']} is {fund.name} "
        f"or (elects_the_second {given['elects the second']} "
        f"and fund_of_the_second_race {given['fund of the second race']} is {fund.name}) "
        f"or fund_of_the_religion {given['fund of the religion']} is {fund.name}"
    )


def _residence(month: Month, giver: FundMembers, given: dict[str, str]) -> tuple[str, ...]:
    """What would make someone a resident by the end of the month, and does not."""
    status = LegalStatus(int(giver.legal_status[0]))
    if status not in RESIDENTS:
        return tuple(f"legal_status {status.name} is {each.name}" for each in RESIDENTS)
    dates = ("citizenship_date", "pr_date") if status == LegalStatus.CITIZEN else ("pr_date",)
    return tuple(f"{name} {given[name]} ≤ {month.last_day}" for name in dates)
