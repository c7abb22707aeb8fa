"""One person of a case, as the columns that the law takes."""

from datetime import date

from gaji.law import cpf, levy, registry, self_help_funds
from gaji.law.columns import cents, codes, date_column, flags
from gaji.law.months import Month
from gaji.law.residency import LegalStatus, WorkPass
from gaji.law.self_help_funds import FUNDS, NO_CHOSEN_AMOUNT, Fund, FundElection, FundMembers
from tests.law.cases import Case, in_cents

BIRTHDATE = date(1990, 6, 15)


def month_of(case: Case, default: str = "2026-01") -> Month:
    """The month of a case."""
    return Month.parse(case.get("month", default))


def cpf_people(case: Case) -> cpf.CpfMembers:
    """Who a case is about."""
    return cpf.CpfMembers(
        birthdates=date_column([case.get("birthdate", BIRTHDATE)]),
        legal_status=codes([LegalStatus[case.get("legal_status", "CITIZEN")]]),
        pr_dates=date_column([case.get("pr_date")]),
        citizenship_dates=date_column([case.get("citizenship_date")]),
        pr_rates=codes([cpf.PrRateElection[case.get("pr_cpf_rates", "GG")]]),
        exempt=flags([case.get("cpf_exempt", False)]),
    )


def cpf_wages(case: Case) -> cpf.MonthWages:
    """The wages of a case."""
    before = case.get("before", {})
    ordinary = in_cents(case["ordinary_wages"])
    return cpf.month_wages(
        cents([ordinary]),
        cents([in_cents(case.get("additional_wages", 0))]),
        ordinary_before_cents=cents([in_cents(before.get("ordinary", 0))]),
        additional_before_cents=cents([in_cents(before.get("additional", 0))]),
        expected_month_cents=cents(
            [in_cents(case["expected_month" if "expected_month" in case else "ordinary_wages"])]
        ),
        leaving_dates=date_column([case.get("leaving")]),
    )


def cpf_year(case: Case) -> cpf.PriorMonths:
    """The year of a case before its month."""
    year = case.get("year", {})
    additional = in_cents(year.get("additional", 0))
    subject = in_cents(year["subject"]) if "subject" in year else additional
    return cpf.prior_months(cents([in_cents(year.get("ordinary", 0))]), cents([additional]), cents([subject]))


def cpf_taken(case: Case) -> cpf.CpfContributions:
    """What earlier payslips of the month took."""
    taken = case.get("taken", {})
    names = ("ordinary", "additional", "employee", "employer")
    return cpf.CpfContributions(*(cents([in_cents(taken.get(name, 0))]) for name in names))


def levy_workers(case: Case) -> levy.LevyWorkers:
    """Who a case is about."""
    return levy.LevyWorkers(
        work_passes=codes([WorkPass[case.get("work_pass", "WP")]]),
        sectors=levy.index_column([case.get("sector", "services")], levy.SECTORS),
        tiers=levy.index_column([case.get("tier", "1")], levy.TIERS),
        skills=levy.index_column([case.get("skill", "R2")], levy.SKILLS),
        pass_from=date_column([case.get("pass_from")]),
        pass_to=date_column([case.get("pass_to")]),
    )


def fund_givers(law: registry.Law, case: Case) -> FundMembers:
    """Who a case is about."""
    month = month_of(case)
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


def fund_choices(case: Case) -> dict[Fund, FundElection]:
    """What the person of a case has agreed with the funds."""
    out, own = case.get("opt_out", []), case.get("own", {})
    return {
        fund: FundElection(
            flags([fund.name in out]), cents([in_cents(own[fund.name]) if fund.name in own else NO_CHOSEN_AMOUNT])
        )
        for fund in FUNDS
        if fund.name in out or fund.name in own
    }
