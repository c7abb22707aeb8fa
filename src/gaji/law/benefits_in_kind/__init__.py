"""The taxable value of benefits in kind (Appendix 8A of form IR8A)."""

from gaji.law.benefits_in_kind.benefit import (
    SECTIONS,
    AppendixSection,
    Benefit,
    BenefitCategory,
    CarType,
    Furnishing,
)
from gaji.law.benefits_in_kind.explanations import explain
from gaji.law.benefits_in_kind.parameters import BenefitParameters, read_parameters
from gaji.law.benefits_in_kind.values import ResidenceValue, residence_value, taxable_cents, taxes_rent

__all__ = [
    "SECTIONS",
    "AppendixSection",
    "Benefit",
    "BenefitCategory",
    "BenefitParameters",
    "CarType",
    "Furnishing",
    "ResidenceValue",
    "explain",
    "read_parameters",
    "residence_value",
    "taxable_cents",
    "taxes_rent",
]
