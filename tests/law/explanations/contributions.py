"""Explains the cases of CPF, the skills development levy, the foreign worker levy and the self-help funds."""

from collections.abc import Mapping

from gaji.law import cpf, levy, registry, sdl, self_help_funds
from gaji.law.columns import cents
from tests.law.case_people import (
    case_month,
    cpf_earlier,
    cpf_members,
    cpf_prior_months,
    cpf_wages,
    fund_elections,
    fund_members,
    levy_workers,
)
from tests.law.cases import Case, in_cents
from tests.law.explanations.kinds import CaseKind, Explanations, case_kind

FUNDS = " ".join(fund.name for fund in self_help_funds.FUNDS)


def _cpf(law: registry.Law, case: Case) -> Explanations:
    month, members = case_month(case), cpf_members(case)
    shares = cpf.explain(law.cpf, month, members, cpf_wages(case), cpf_prior_months(case), cpf_earlier(case))
    by_figure = {explanation.figure: explanation for explanation in shares}
    names = {
        "employee": "cpf_employee",
        "employer": "cpf_employer",
        "additional_subject": "cpf_additional_wages",
    }
    return {name: by_figure[figure] for name, figure in names.items() if figure in by_figure}


def _sdl(law: registry.Law, case: Case) -> Explanations:
    return {"levy": sdl.explain(law.sdl, case_month(case), in_cents(case["remuneration"]), case.get("exempt", False))}


def _levy(law: registry.Law, case: Case) -> Explanations:
    return {"levy": levy.explain(law.levy, case_month(case, "2026-03"), levy_workers(case))}


def _funds(law: registry.Law, case: Case) -> Explanations:
    wages = cents([in_cents(case["total_wages"])])
    by_fund = self_help_funds.explain_all_funds(
        law.self_help_funds, case_month(case), fund_members(law, case), wages, fund_elections(case)
    )
    return {fund.name: explanation for fund, explanation in by_fund.items()}


KINDS: Mapping[tuple[str, str], CaseKind] = {
    ("cpf", "case"): case_kind(
        "month birthdate legal_status pr_date citizenship_date pr_cpf_rates cpf_exempt ordinary_wages additional_wages "
        "expected_month leaving year before earlier counts_from",
        "employee employer additional_subject",
        _cpf,
    ),
    ("sdl", "case"): case_kind("month remuneration exempt", "levy", _sdl),
    ("levy", "case"): case_kind(
        "month work_pass sector tier skill pass_from pass_to", "levy", _levy, errors={"unknown": levy.UnknownLevyRate}
    ),
    ("self_help_funds", "case"): case_kind(
        "month race religion elects_second legal_status pr_date citizenship_date work_pass total_wages opt_out chosen",
        FUNDS,
        _funds,
        defaults={fund.name: 0 for fund in self_help_funds.FUNDS},
    ),
}
