"""CPF, the skills development levy, the foreign worker levy and the self-help funds."""

from collections.abc import Mapping

from gaji.law import cpf, levy, registry, sdl, self_help_funds
from gaji.law.columns import cents, date_column
from gaji.law.explanation import AnyExplanation
from gaji.law.months import Month
from tests.law.cases import Case, in_cents
from tests.law.explained.kinds import Explanations, Kind, kind
from tests.law.people import (
    cpf_people,
    cpf_taken,
    cpf_wages,
    cpf_year,
    fund_choices,
    fund_givers,
    levy_workers,
    month_of,
)

FUNDS = " ".join(fund.name for fund in self_help_funds.FUNDS)


def _cpf(law: registry.Law, case: Case) -> Explanations:
    month, people = month_of(case), cpf_people(case)
    shares = cpf.explain(law.cpf, month, people, cpf_wages(case), cpf_year(case), cpf_taken(case))
    every: tuple[AnyExplanation, ...] = (*shares, *cpf.explain_tables(month, people))
    told = {each.figure: each for each in every}
    names = {
        "employee": "cpf_employee",
        "employer": "cpf_employer",
        "additional_subject": "cpf_additional_wages",
        "counts_from": "cpf_counts_from",
    }
    return {name: told[figure] for name, figure in names.items() if figure in told}


def _age(law: registry.Law, case: Case) -> Explanations:
    return {"group": cpf.explain_age_group(Month.parse(case["month"]), date_column([case["birthdate"]]))}


def _pr_year(law: registry.Law, case: Case) -> Explanations:
    return {"year": cpf.explain_pr_year(Month.parse(case["month"]), date_column([case["pr_date"]]))}


def _sdl(law: registry.Law, case: Case) -> Explanations:
    return {"levy": sdl.explain(law.sdl, month_of(case), in_cents(case["remuneration"]), case.get("exempt", False))}


def _levy(law: registry.Law, case: Case) -> Explanations:
    return {"levy": levy.explain(law.levy, month_of(case, "2026-03"), levy_workers(case))}


def _daily(law: registry.Law, case: Case) -> Explanations:
    return {"daily": levy.explain_daily(in_cents(case["monthly"]))}


def _funds(law: registry.Law, case: Case) -> Explanations:
    wages = cents([in_cents(case["total_wages"])])
    told = self_help_funds.explain_all_funds(
        law.self_help_funds, month_of(case), fund_givers(law, case), wages, fund_choices(case)
    )
    return {fund.name: explained for fund, explained in told.items()}


KINDS: Mapping[tuple[str, str], Kind] = {
    ("cpf", "case"): kind(
        "month birthdate legal_status pr_date citizenship_date pr_cpf_rates cpf_exempt ordinary_wages additional_wages "
        "expected_month leaving year before taken",
        "employee employer additional_subject counts_from",
        _cpf,
    ),
    ("cpf_months", "age"): kind("month birthdate", "group", _age),
    ("cpf_months", "pr_year"): kind("month pr_date", "year", _pr_year),
    ("sdl", "case"): kind("month remuneration exempt", "levy", _sdl),
    ("levy", "case"): kind(
        "month work_pass sector tier skill pass_from pass_to", "levy", _levy, refusals={"unknown": levy.UnknownLevyRate}
    ),
    ("levy", "daily"): kind("monthly", "daily", _daily),
    ("self_help_funds", "case"): kind(
        "month race religion elects_second legal_status pr_date citizenship_date work_pass total_wages opt_out own",
        FUNDS,
        _funds,
        unnamed={fund.name: 0 for fund in self_help_funds.FUNDS},
    ),
}
