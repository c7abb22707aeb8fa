"""Calculation types and payslip items as the API returns them."""

from gaji.core.validation import Record
from gaji.engine.catalogue import CalculationType, Catalogue, Treatment
from gaji.engine.ledger import Ledger


def types_json(catalogue: Catalogue) -> list[Record]:
    """Return every calculation type, in payslip order."""
    return [_type_json(calculation_type) for calculation_type in catalogue.types.values()]


def items_json(ledger: Ledger) -> list[Record]:
    """Return every payslip item with its ledger account."""
    return [
        {
            "item": line.name,
            "caption": line.caption,
            "section": line.section.value,
            "account": ledger.main_account(line),
        }
        for line in ledger.catalogue.lines.values()
    ]


def _type_json(calculation_type: CalculationType) -> Record:
    definition = calculation_type.definition
    return {
        "calc_type": calculation_type.name,
        "name": calculation_type.caption,
        "section": calculation_type.section.value,
        "calculation_def_id": definition.id if definition else None,
        "inputs": [field.to_json() for field in calculation_type.inputs],
        "alternatives": list(calculation_type.alternatives),
        "items": [line.name for line in calculation_type.lines],
        "treatment": _treatment_json(calculation_type.treatment),
    }


def _treatment_json(treatment: Treatment) -> Record:
    return {
        "cpf": treatment.cpf.value,
        "sdl": treatment.sdl,
        "funds": treatment.funds,
        "gross_rate": treatment.gross_rate,
        "ir8a": treatment.ir8a,
    }
