"""What can be entered and what can stand on a payslip, as the API lists it."""

from gaji.core.validation import Record
from gaji.engine.catalogue import CalculationType, Catalogue, Treatment
from gaji.engine.ledger import Ledger


def types(catalogue: Catalogue) -> list[Record]:
    """Every calculation type, in the order in which payslips show them."""
    return [_type(one) for one in catalogue.types.values()]


def items(ledger: Ledger) -> list[Record]:
    """Every item of a payslip."""
    return [
        {"item": line.name, "caption": line.caption, "section": line.section.value, "account": ledger.main_account(line)}
        for line in ledger.catalogue.lines.values()
    ]


def _type(one: CalculationType) -> Record:
    definition = one.definition
    return {
        "calc_type": one.name,
        "name": one.caption,
        "section": one.section.value,
        "calculation_def_id": definition.id if definition else None,
        "inputs": [given.to_json() for given in one.inputs],
        "alternatives": list(one.alternatives),
        "items": [line.name for line in one.lines],
        "treatment": _treatment(one.treatment),
    }


def _treatment(treatment: Treatment) -> Record:
    return {
        "cpf": treatment.cpf.value,
        "sdl": treatment.sdl,
        "funds": treatment.funds,
        "gross_rate": treatment.gross_rate,
        "ir8a": treatment.ir8a,
    }
