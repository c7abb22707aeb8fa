"""The accounts that a client names: read from a body, and kept as far as they differ from those of the catalogue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gaji.core.errors import INVALID, Errors, MalformedRequest, ValidationError, invalid
from gaji.core.validation import Record
from gaji.engine.catalogue import DEFAULT_ACCOUNTS, NETT_PAY, LedgerAccounts, Catalogue
from gaji.engine.ledger import Ledger, AccountOverrides
from gaji.payroll.accounting.rules import ACCOUNT, known_item


@dataclass
class Given:
    """The accounts of a body, each by its item, with the place that it stands at."""

    records: dict[str, Record] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    warnings: dict[str, str] = field(default_factory=dict)


def elements_of(value: object) -> Sequence[Any]:
    """The accounts in a body: an array, or an object with the array under `accounts`."""
    found = value.get("accounts") if isinstance(value, Mapping) else value
    if not isinstance(found, list):
        raise MalformedRequest("The body must be an array of accounts, or an object with them under `accounts`")
    return found


def read(elements: Sequence[Any], catalogue: Catalogue) -> tuple[Ledger, dict[str, str]]:
    """The ledger that a client asks for, and what was noticed about names that do nothing."""
    if len(elements) > len(catalogue.lines) + 1:
        raise invalid(
            "accounts", INVALID, reason=f"must be at most one for each of the {len(catalogue.lines) + 1} items"
        )
    errors: Errors = Errors()
    given = _read_each(elements, catalogue, errors)
    if not errors:
        ledger = _ledger(given, catalogue, errors)
    if errors:
        raise ValidationError(errors)
    return ledger, given.warnings


def _read_each(elements: Sequence[Any], catalogue: Catalogue, errors: Errors) -> Given:
    given = Given()
    check = known_item({*catalogue.lines, NETT_PAY})
    for place, element in enumerate(elements):
        if not isinstance(element, Mapping):
            errors.add(str(place), INVALID, reason="must be an object")
            continue
        try:
            reading = ACCOUNT.parse_create(element, check)
        except ValidationError as error:
            errors.update({f"{place}.{path}": fault for path, fault in error.errors.items()})
            continue
        item = reading.record["item"]
        if item in given.records:
            errors.add(f"{place}.item", INVALID, reason=f"{item} is given twice")
        given.records[item], given.places[item] = reading.record, place
        given.warnings |= {f"{place}.{path}": warning for path, warning in reading.warnings.items()}
    return given


def _ledger(given: Given, catalogue: Catalogue, errors: Errors) -> Ledger:
    """The client's own accounts; what is as it would be anyway is left to follow the catalogue."""
    paid_out = Ledger(catalogue, _paid_out(given, errors))
    own = {
        item: _differing(record, paid_out.with_client_nett_pay(catalogue.lines[item].accounts))
        for item, record in given.records.items()
        if item != NETT_PAY
    }
    ledger = Ledger(catalogue, {**paid_out.overrides, **{item: one for item, one in own.items() if one != AccountOverrides()}})
    for item, accounts in ledger.items.items():
        if item != NETT_PAY and accounts.debit == accounts.credit:
            place = given.places.get(item, given.places.get(NETT_PAY))
            errors.setdefault(f"{place}.credit_account", f"{accounts.credit} is what {item} is debited to as well")
    return ledger


def _paid_out(given: Given, errors: Errors) -> dict[str, AccountOverrides]:
    """What is paid out has one account: income is credited to it, deductions are debited."""
    record = given.records.get(NETT_PAY)
    if record is None:
        return {}
    debit, credit = record["debit_account"], record["credit_account"]
    if debit and credit and debit != credit:
        errors.add(
            f"{given.places[NETT_PAY]}.debit_account",
            INVALID,
            reason=f"must be the credit_account of {NETT_PAY}, {credit}",
        )
    one = _differing(record | {"debit_account": debit or credit, "credit_account": credit or debit}, DEFAULT_ACCOUNTS[NETT_PAY])
    return {} if one == AccountOverrides() else {NETT_PAY: one}


def _differing(record: Record, usual: LedgerAccounts) -> AccountOverrides:
    def own(name: str, otherwise: str) -> str | None:
        return None if record[name] == otherwise else record[name]

    return AccountOverrides(
        own("category", usual.category), own("debit_account", usual.debit), own("credit_account", usual.credit)
    )
