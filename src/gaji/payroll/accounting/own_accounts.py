"""The accounts that a client names: read from a body, and kept as far as they differ from those of the catalogue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gaji.core.errors import Invalid, Malformed
from gaji.core.validation import Faults, Record
from gaji.engine.catalogue import LEDGER, NETT_PAY, Accounts, Catalogue
from gaji.engine.ledger import Ledger, OwnAccounts
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
        raise Malformed("The body must be an array of accounts, or an object with them under `accounts`")
    return found


def read(elements: Sequence[Any], catalogue: Catalogue) -> tuple[Ledger, dict[str, str]]:
    """The ledger that a client asks for, and what was noticed about names that do nothing."""
    if len(elements) > len(catalogue.lines) + 1:
        raise Invalid({"accounts": f"must be at most one for each of the {len(catalogue.lines) + 1} items"})
    faults: Faults = {}
    given = _read_each(elements, catalogue, faults)
    if not faults:
        ledger = _ledger(given, catalogue, faults)
    if faults:
        raise Invalid(faults)
    return ledger, given.warnings


def _read_each(elements: Sequence[Any], catalogue: Catalogue, faults: Faults) -> Given:
    given = Given()
    check = known_item({*catalogue.lines, NETT_PAY})
    for place, element in enumerate(elements):
        if not isinstance(element, Mapping):
            faults[str(place)] = "must be an object"
            continue
        try:
            reading = ACCOUNT.read_new(element, check)
        except Invalid as error:
            faults.update({f"{place}.{path}": fault for path, fault in error.errors.items()})
            continue
        item = reading.record["item"]
        if item in given.records:
            faults[f"{place}.item"] = f"{item} is given twice"
        given.records[item], given.places[item] = reading.record, place
        given.warnings |= {f"{place}.{path}": warning for path, warning in reading.warnings.items()}
    return given


def _ledger(given: Given, catalogue: Catalogue, faults: Faults) -> Ledger:
    """The client's own accounts; what is as it would be anyway is left to follow the catalogue."""
    paid_out = Ledger(catalogue, _paid_out(given, faults))
    own = {
        item: _differing(record, paid_out.usual(catalogue.lines[item].accounts))
        for item, record in given.records.items()
        if item != NETT_PAY
    }
    ledger = Ledger(catalogue, {**paid_out.own, **{item: one for item, one in own.items() if one != OwnAccounts()}})
    for item, accounts in ledger.items.items():
        if item != NETT_PAY and accounts.debit == accounts.credit:
            place = given.places.get(item, given.places.get(NETT_PAY))
            faults.setdefault(f"{place}.credit_account", f"{accounts.credit} is what {item} is debited to as well")
    return ledger


def _paid_out(given: Given, faults: Faults) -> dict[str, OwnAccounts]:
    """What is paid out has one account: income is credited to it, deductions are debited."""
    record = given.records.get(NETT_PAY)
    if record is None:
        return {}
    debit, credit = record["debit_account"], record["credit_account"]
    if debit and credit and debit != credit:
        faults[f"{given.places[NETT_PAY]}.debit_account"] = f"must be the credit_account of {NETT_PAY}, {credit}"
    one = _differing(record | {"debit_account": debit or credit, "credit_account": credit or debit}, LEDGER[NETT_PAY])
    return {} if one == OwnAccounts() else {NETT_PAY: one}


def _differing(record: Record, usual: Accounts) -> OwnAccounts:
    def own(name: str, otherwise: str) -> str | None:
        return None if record[name] == otherwise else record[name]

    return OwnAccounts(
        own("category", usual.category), own("debit_account", usual.debit), own("credit_account", usual.credit)
    )
