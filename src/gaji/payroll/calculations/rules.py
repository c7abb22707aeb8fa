"""Checks of calculations, whatever their type."""

from gaji.core.errors import ErrorCode, Errors
from gaji.core.validation import MAX_NAME_LENGTH, Record, suggest
from gaji.engine.catalogue import CalculationType, Catalogue

UNKNOWN_CALCULATION = ErrorCode("unknown_calculation", "calculation {name} does not exist in this client")
NOTHING_TO_ENTER = ErrorCode("nothing_to_enter", "{caption} is calculated by law and has no inputs")
NOT_ALLOWED_FOR_CALCULATION = ErrorCode("not_allowed_for_calculation", "is not allowed for {calc_type}")
ONLY_ON_PAYSLIPS = ErrorCode("only_on_payslips", "is only allowed on a payslip; delete the calculation instead")


def find_enterable_type(catalogue: Catalogue, name: str, path: str, errors: Errors) -> CalculationType | None:
    """Return the type with this name, or add an error if it does not exist or has no inputs."""
    calculation_type = catalogue.types.get(name)
    if calculation_type is None:
        suggestion = _suggest_type(catalogue, name)
        errors.add_if_absent(path, UNKNOWN_CALCULATION, name=repr(name[:MAX_NAME_LENGTH]), suggestion=suggestion)
    elif not calculation_type.enterable:
        errors.add_if_absent(path, NOTHING_TO_ENTER, caption=calculation_type.caption)
    else:
        return calculation_type
    return None


def check_options(calculation_type: CalculationType, level: str, record: Record, errors: Errors) -> None:
    """Reject `skip`, `deleted` and `multiplier` where the type or the level does not allow them."""
    calc_type = calculation_type.name
    if not calculation_type.skippable:
        for name in ("skip", "deleted"):
            if record[name]:
                errors.add_if_absent(name, NOT_ALLOWED_FOR_CALCULATION, calc_type=calc_type)
    if record["deleted"] and level != "payslip":
        errors.add_if_absent("deleted", ONLY_ON_PAYSLIPS)
    if record["multiplier"] is not None and not calculation_type.multipliable:
        errors.add_if_absent("multiplier", NOT_ALLOWED_FOR_CALCULATION, calc_type=calc_type)


def _suggest_type(catalogue: Catalogue, name: str) -> str | None:
    """Return the type that was probably meant, found by name or by caption."""
    if len(name) > MAX_NAME_LENGTH:
        return None
    names_by_caption = {item.caption.lower(): item.name for item in catalogue.types.values()}
    match = suggest(name, list(catalogue.types))
    if match is None:
        match = names_by_caption.get(suggest(name.lower(), list(names_by_caption)) or "")
    if match is None or not match.isdigit():
        return match
    return f"{match} ({catalogue.types[match].caption})"
