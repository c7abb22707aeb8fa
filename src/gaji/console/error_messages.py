"""Validation errors as people read them: labels, dates and amounts instead of attribute names, ISO dates and cents."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from gaji.console.formats import format_count, format_day, format_money
from gaji.console.glossary import ERRORS, FILE_ERRORS, TERMS, label
from gaji.core.errors import CombinedError, Conflict, FieldError, GajiError, ValidationError
from gaji.payroll.payment_runs.run_order import EarlierPeriod, EarlierPeriodUnpaid
from gaji.periods.guards import ClosedPeriod

RECORD_NOUNS = {"": "Payslip", "employees": "Employee", "payment_runs": "Pay run"}
"""The noun for an ID in a path, by the name of the collection."""
CLOSED_PERIOD = "This is about a finalised payslip. Reopen its pay run first"
CLOSED_PERIOD_OR_LATE = "This is about a finalised payslip. Record it as late, or reopen its pay run first"
NAME_PARAMS = ("others", "inputs", "leave_type")
"""Parameters that are API names and become labels."""
BOOLEAN_TEXTS = {"true": "yes", "false": "no"}
"""The values of conditions on an attribute that is true or false."""


class LabelledField(Protocol):
    """The parts of a form field that a message needs."""

    @property
    def label(self) -> str: ...

    @property
    def options(self) -> Sequence[tuple[str, str]]: ...


@dataclass(frozen=True)
class ErrorSummary:
    """An error outside of a form: a headline, and a line for each attribute."""

    headline: str
    lines: Sequence[str]


def error_text(
    error: FieldError, fields: Mapping[str, LabelledField] | None = None, texts: Mapping[str, str] = ERRORS
) -> str:
    """Return the message for a person. The fields of the form give the labels of other attributes.

    >>> from gaji.core.errors import FieldError
    >>> from gaji.core.validation import REQUIRED_WHEN
    >>> error_text(FieldError("pr_date", REQUIRED_WHEN, {"attribute": "legal_status", "value": "PR"}))
    'is required when Legal status is “PR”'
    """
    if isinstance(error, CombinedError):
        return "; ".join(_part_text(error, part, fields, texts) for part in error.parts)
    template = _template(error, texts)
    group = error.path.rpartition(".")[0]
    sibling = error.params.get("attribute")
    path = f"{group}.{sibling}" if group else str(sibling)
    field = (fields or {}).get(path)
    params = {name: _format_param(name, value) for name, value in error.params.items()}
    if sibling is not None:
        params["attribute"] = field.label if field else label(str(sibling))
    if field is not None and "value" in params:
        params["value"] = dict(field.options).get(str(error.params["value"]), params["value"])
    text = template.format_map(params)
    suggestion = params.get("suggestion")
    return text if suggestion is None else f"{text}; did you mean {suggestion}?"


def file_error_sentence(error: FieldError) -> str:
    """Return what a company lacks for a file as a sentence. Empty if the label and the message say it."""
    return FILE_ERRORS.get(error.kind.code, "")


def summarise(error: GajiError | None, labels: Mapping[str, str] | None = None) -> ErrorSummary | None:
    """Return the headline and the lines of an error that is shown outside of a form. `labels` overrides path labels."""
    if error is None:
        return None
    errors = error.errors if isinstance(error, ValidationError | Conflict) else {}
    headline = error_headline(error)
    lines = [f"{(labels or {}).get(path) or _path_label(path)}: {error_text(error)}" for path, error in errors.items()]
    return ErrorSummary(headline, lines)


def error_headline(error: GajiError) -> str:
    """Return the headline of an error."""
    if isinstance(error, ValidationError):
        return validation_headline(len(error.errors))
    if isinstance(error, ClosedPeriod):
        return CLOSED_PERIOD_OR_LATE if error.can_be_late else CLOSED_PERIOD
    if isinstance(error, EarlierPeriodUnpaid):
        return earlier_period_text(error.earlier)
    return error.message


def earlier_period_text(earlier: EarlierPeriod) -> str:
    """Return what to do about an earlier period that has to be paid first.

    >>> earlier_period_text(EarlierPeriod(date(2026, 10, 31), run_id=7, is_finalised=False))
    'Finalise the pay run for 31 Oct 2026 first. The pay runs of a pay schedule are finalised in order'
    """
    day = format_day(earlier.end)
    if earlier.is_finalised:
        return f"Payslips for {day} were added after its pay run was finalised. Reopen it first, to include them"
    verb = "Open and finalise" if earlier.run_id is None else "Finalise"
    return f"{verb} the pay run for {day} first. The pay runs of a pay schedule are finalised in order"


def can_be_late(error: GajiError | None) -> bool:
    """Return whether a change was rejected because of a finalised period, and can be recorded as late."""
    return isinstance(error, ClosedPeriod) and error.can_be_late


def validation_headline(count: int) -> str:
    """Return the headline for this many errors.

    >>> validation_headline(1), validation_headline(3)
    ('Please correct 1 error', 'Please correct 3 errors')
    """
    return f"Please correct {format_count(count, 'error')}"


def _template(error: FieldError, texts: Mapping[str, str]) -> str:
    """Return the text of an error. A text for errors with an optional parameter has the key `code.parameter`."""
    code = error.kind.code
    keys = (*(f"{code}.{name}" for name in reversed(list(error.params))), code)
    return next((texts[key] for key in keys if key in texts), error.kind.template)


def _part_text(
    error: CombinedError, part: FieldError, fields: Mapping[str, LabelledField] | None, texts: Mapping[str, str]
) -> str:
    """Return the message of a part, after the label of its attribute if that is not the combined one."""
    text = error_text(part, fields, texts)
    attribute = error.attribute(part)
    return f"{label(attribute.rpartition('.')[2])} {text}" if attribute else text


def _path_label(path: str) -> str:
    """Return the label of a path. IDs get the noun of their record.

    >>> _path_label("payment_runs.5"), _path_label("17"), _path_label("bank_account.bank_id")
    ('Pay run 5', 'Payslip 17', 'Bank ID')
    """
    collection, _, last = path.rpartition(".")
    return f"{RECORD_NOUNS.get(collection, 'Record')} {last}" if last.isdigit() else label(last)


def _format_param(name: str, value: Any) -> Any:
    match value:
        case bool():
            return "yes" if value else "no"
        case date():
            return format_day(value)
        case int() if name.endswith("_cents"):
            return format_money(value)
        case int() if name.endswith("_months"):
            return format_count(value, "month")
        case str():
            return _format_name(name, value)
        case Iterable():
            return ", ".join(str(_format_param(name, item)) for item in value)
    return value


def _format_name(name: str, value: str) -> str:
    if name == "resource":
        return TERMS.get(value, value)
    if name == "value":
        return BOOLEAN_TEXTS.get(value, value)
    return label(value).lower() if name in NAME_PARAMS else value
