"""The appendices of form IR8A as the API returns them, and where their lines are in an export."""

from typing import Any

from gaji.core.field_types import JsonSchema
from gaji.documents.tax_certificates import appendix_8a, appendix_8b
from gaji.documents.tax_certificates.figures import BENEFITS, SHARES, IncomeFigures

APPENDIX_LINES = {"appendix_8a": ("Appendix 8A", "benefits"), "appendix_8b": ("Appendix 8B", "gains")}
"""The title of each appendix and the key of its lines."""

_AMOUNT: JsonSchema = {"type": "string", "pattern": r"^-?\d+\.\d{2}$"}


def _appendix_schema(title: str, lines: str, description: str) -> JsonSchema:
    return {
        "type": "object",
        "title": title,
        "description": description,
        "required": [lines, "sections", "without_record", "total", "ir8a"],
        "properties": {
            lines: {"type": "array", "items": {"type": "object"}},
            "sections": {"type": "object", "additionalProperties": _AMOUNT},
            "without_record": _AMOUNT | {"description": "Amounts from payslips and take-on balances."},
            "total": _AMOUNT,
            "ir8a": {"type": "integer", "description": "The total without its cents."},
        },
    }


APPENDIX_8A = _appendix_schema("Appendix8A", "benefits", "Benefits in kind.")
APPENDIX_8B = _appendix_schema("Appendix8B", "gains", "Gains from share options and share awards.")


def appendices_json(figures: IncomeFigures) -> dict[str, Any]:
    """Return both appendices of a certificate."""
    return {
        "appendix_8a": appendix_8a.appendix_json(figures.benefit_lines, figures.amounts.get(BENEFITS, 0)),
        "appendix_8b": appendix_8b.appendix_json(figures.share_gain_lines, figures.amounts.get(SHARES, 0)),
    }
