"""The person of a case as columns."""

from datetime import date

import numpy as np

from gaji.law import cpf, levy, registry, self_help_funds, wage_offsets
from gaji.law.columns import cents, codes, date_column, flags
from gaji.law.months import Month
from gaji.law.residency import LegalStatus, WorkPass
from gaji.law.self_help_funds import FUNDS, NO_CHOSEN_AMOUNT, Fund, FundElection, FundMembers
from tests.law.cases import Case, in_cents

BIRTHDATE = date(1990, 6, 15)
KEYS = ("left_out", "charged")
"""Additional wages by the number of the month."""


def case_month(case: Case, default: str = "2026-01") -> Month:
    """The month of a case."""
    return Month.parse(case.get("month", default))


def cpf_members(case: Case) -> cpf.CpfMembers:
    """The CPF member of a case."""
    return cpf.CpfMembers(
        birthdates=date_column([case.get("birthdate", BIRTHDATE)]),
        legal_status=codes([LegalStatus[case.get("legal_status", "CITIZEN")]]),
        pr_dates=date_column([case.get("pr_date")]),
        citizenship_dates=date_column([case.get("citizenship_date")]),
        pr_rates=codes([cpf.PrRateElection[case.get("pr_cpf_rates", "GG")]]),
        exempt=flags([case.get("cpf_exempt", False)]),
    )


def cpf_wages(case: Case) -> cpf.MonthWages:
    """The wages of a case. Default: the expected month is this month's ordinary wages."""
    before = case.get("before", {})
    return cpf.MonthWages(
        ordinary_cents=cents([in_cents(case["ordinary_wages"])]),
        additional_cents=cents([in_cents(case.get("additional_wages", 0))]),
        ordinary_before_cents=cents([in_cents(before.get("ordinary", 0))]),
        additional_before_cents=cents([in_cents(before.get("additional", 0))]),
        expected_month_cents=cents(
            [in_cents(case["expected_month" if "expected_month" in case else "ordinary_wages"])]
        ),
        leaving_dates=date_column([case.get("leaving")]),
    )


def cpf_prior_months(case: Case) -> cpf.PriorMonths:
    """The earlier months of the year of a case. Default: all additional wages were subject to CPF."""
    year = case.get("year", {})
    additional = year.get("additional", 0)
    by_month = [
        np.array([[in_cents(year.get(key, {}).get(str(number), 0)) for number in range(1, 13)]]) for key in KEYS
    ]
    return cpf.PriorMonths(
        ordinary_subject_cents=cents([in_cents(year.get("ordinary", 0))]),
        additional_cents=cents([in_cents(additional)]),
        additional_subject_cents=cents([in_cents(year.get("subject", additional))]),
        left_out_cents=by_month[0] if "left_out" in year else None,
        charged_cents=by_month[1] if "charged" in year else None,
    )


def cpf_earlier(case: Case) -> cpf.CpfContributions:
    """The contributions on earlier payslips of the month."""
    earlier = case.get("earlier", {})
    names = ("ordinary", "additional", "employee", "employer")
    return cpf.CpfContributions(*(cents([in_cents(earlier.get(name, 0))]) for name in names))


def levy_workers(case: Case) -> levy.LevyWorkers:
    """The worker of a case."""
    return levy.LevyWorkers(
        work_passes=codes([WorkPass[case.get("work_pass", "WP")]]),
        sectors=codes([levy.SECTORS.index(case.get("sector", "services"))]),
        tiers=codes([levy.TIERS.index(case.get("tier", "1"))]),
        skills=codes([levy.SKILLS.index(case.get("skill", "R2"))]),
        pass_from=date_column([case.get("pass_from")]),
        pass_to=date_column([case.get("pass_to")]),
    )


def fund_members(law: registry.Law, case: Case) -> FundMembers:
    """The fund member of a case."""
    month = case_month(case)
    first, second = self_help_funds.lookup_race_funds(law.self_help_funds, month, [case["race"]])
    return FundMembers(
        race_funds=first,
        second_race_funds=second,
        elects_second=flags([case.get("elects_second", False)]),
        religion_funds=self_help_funds.lookup_religion_funds(
            law.self_help_funds, month, [case.get("religion", "NONE")]
        ),
        legal_status=codes([LegalStatus[case.get("legal_status", "CITIZEN")]]),
        pr_dates=date_column([case.get("pr_date")]),
        citizenship_dates=date_column([case.get("citizenship_date")]),
        work_passes=codes([WorkPass[case.get("work_pass", "NONE")]]),
    )


def fund_elections(case: Case) -> dict[Fund, FundElection]:
    """The fund elections of a case."""
    opted_out, chosen = case.get("opt_out", []), case.get("chosen", {})
    return {
        fund: FundElection(
            flags([fund.name in opted_out]),
            cents([in_cents(chosen[fund.name]) if fund.name in chosen else NO_CHOSEN_AMOUNT]),
        )
        for fund in FUNDS
        if fund.name in opted_out or fund.name in chosen
    }


def wage_offset_parameters(law: registry.Law) -> wage_offsets.WageOffsetParameters:
    """The wage offset parameters of a law that has them."""
    assert law.wage_offsets is not None
    return law.wage_offsets


def offset_employee(case: Case) -> wage_offsets.OffsetEmployee:
    """The employee of a case."""
    return wage_offsets.OffsetEmployee(
        birthdate=case.get("birthdate", BIRTHDATE),
        legal_status=LegalStatus[case.get("legal_status", "CITIZEN")],
        pr_date=case.get("pr_date"),
        citizenship_date=case.get("citizenship_date"),
        hired_on=case.get("hired_on"),
        is_owner=case.get("owner", False),
        enabling=case.get("enabling", False),
        enabling_new_hire=case.get("enabling_new_hire", False),
        uplifting=case.get("uplifting", False),
    )


def offset_wage(case: Case) -> wage_offsets.MonthlyWage:
    """The wages of the month of a case."""
    return wage_offsets.MonthlyWage(in_cents(case["ordinary_wages"]), in_cents(case.get("additional_wages", 0)))


def offset_wages_by_year(case: Case) -> dict[int, wage_offsets.YearlyWages]:
    """The wages of the year of a case and of the years before. Default: two years ago as last year."""
    wages = [*case["wages"], *case["wages"][1:2]][:3]
    return {
        case["year"] - past: wage_offsets.YearlyWages(in_cents(dollars), months)
        for past, (dollars, months) in enumerate(wages)
    }
