"""Explains the cases of wage offsets."""

from collections.abc import Mapping, Sequence

from gaji.law import registry, wage_offsets
from gaji.law.explanation import AnyExplanation
from gaji.law.wage_offsets import Scheme, WageOffset
from tests.law.case_people import case_month, offset_employee, offset_wage, offset_wages_by_year, wage_offset_parameters
from tests.law.cases import Case
from tests.law.explanations.kinds import CaseKind, Explanations, case_kind

FIGURES = {
    Scheme.PROGRESSIVE_WAGE_CREDIT: "increase",
    Scheme.SUSTAINED_INCREASE: "sustained",
    Scheme.SENIOR_EMPLOYMENT_CREDIT: "senior",
    Scheme.CPF_TRANSITION_OFFSET: "transition",
    Scheme.ENABLING_EMPLOYMENT_CREDIT: "enabling_credit",
    Scheme.UPLIFTING_EMPLOYMENT_CREDIT: "uplifting_credit",
}
"""The key of each scheme in a case."""


def _year(law: registry.Law, case: Case) -> Explanations:
    wages = offset_wages_by_year(case)
    offsets = wage_offsets.estimate_year(wage_offset_parameters(law), case["year"], offset_employee(case), wages)
    return _explanations(case, offsets)


def _month(law: registry.Law, case: Case) -> Explanations:
    month, wage = case_month(case), offset_wage(case)
    parameters = wage_offset_parameters(law)
    return _explanations(case, wage_offsets.estimate_month(parameters, law.cpf, month, offset_employee(case), wage))


def _explanations(case: Case, offsets: Sequence[WageOffset]) -> Explanations:
    """The explanations of the offsets with an amount. An offset without one must be `not_estimated` in the case."""
    explanations: dict[str, AnyExplanation] = {}
    for offset in offsets:
        name = FIGURES[offset.scheme]
        if offset.amount_cents is None:
            assert case[name] == "not_estimated", offset.branch
        else:
            explanations[name] = offset.explanation()
    return explanations


NOT_ESTIMATED = "not_estimated"
KINDS: Mapping[tuple[str, str], CaseKind] = {
    ("wage_offsets", "year"): case_kind("year wages", "increase sustained", _year, unexplained=NOT_ESTIMATED),
    ("wage_offsets", "month"): case_kind(
        "month birthdate legal_status pr_date ordinary_wages additional_wages hired_on enabling enabling_new_hire "
        "uplifting",
        "senior transition enabling_credit uplifting_credit",
        _month,
        unexplained=NOT_ESTIMATED,
    ),
}
