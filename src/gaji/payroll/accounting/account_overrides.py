"""Parse the accounts of a client, and keep those that differ from the catalogue's defaults."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gaji.core.error_codes import DUPLICATE, NOT_AN_OBJECT, TOO_MANY_ITEMS
from gaji.core.errors import ErrorCode, Errors, MalformedRequest, ValidationError, invalid
from gaji.engine.catalogue import DEFAULT_ACCOUNTS, NETT_PAY, Catalogue, LedgerAccounts
from gaji.engine.ledger import AccountOverrides, Ledger
from gaji.payroll.accounting.rules import known_item_rule
from gaji.payroll.accounting.schemas import ACCOUNT, AccountInput

SAME_ACCOUNT = ErrorCode("same_account", "must differ from the account that {item} is debited to, {account}")
NETT_PAY_ACCOUNTS_DIFFER = ErrorCode(
    "nett_pay_accounts_differ", "must be the credit_account of nett_pay, {credit_account}"
)
NO_OVERRIDES = AccountOverrides()


@dataclass
class ParsedAccounts:
    """The accounts in a body by item, and the index of each in the body."""

    inputs: dict[str, AccountInput] = field(default_factory=dict)
    indexes: dict[str, int] = field(default_factory=dict)
    warnings: dict[str, str] = field(default_factory=dict)

    def add_warnings(self, index: int, warnings: Mapping[str, str]) -> None:
        """Add the warnings about the account at an index."""
        self.warnings |= {f"{index}.{path}": warning for path, warning in warnings.items()}


def unwrap_accounts(value: object) -> Sequence[Any]:
    """Return the accounts in a body: an array, or an object with the array under `accounts`."""
    elements = value.get("accounts") if isinstance(value, Mapping) else value
    if not isinstance(elements, list):
        raise MalformedRequest("The body must be an array of accounts, or an object with the array under `accounts`")
    return elements


def parse_ledger(elements: Sequence[Any], catalogue: Catalogue) -> tuple[Ledger, dict[str, str]]:
    """Return the ledger with the accounts in a body, and warnings about unknown attributes."""
    max_accounts = len(catalogue.lines) + 1
    if len(elements) > max_accounts:
        raise invalid("accounts", TOO_MANY_ITEMS, maximum=max_accounts)
    errors = Errors()
    accounts = _parse_accounts(elements, catalogue, errors)
    if not errors:
        ledger = _build_ledger(accounts, catalogue, errors)
    if errors:
        raise ValidationError(errors, warnings=accounts.warnings)
    return ledger, accounts.warnings


def _parse_accounts(elements: Sequence[Any], catalogue: Catalogue, errors: Errors) -> ParsedAccounts:
    accounts = ParsedAccounts()
    rule = known_item_rule({*catalogue.lines, NETT_PAY})
    for index, element in enumerate(elements):
        if not isinstance(element, Mapping):
            errors.add(str(index), NOT_AN_OBJECT)
            continue
        try:
            validated = ACCOUNT.parse_create(element, rule)
        except ValidationError as error:
            errors.update(error.errors.under(f"{index}."))
            accounts.add_warnings(index, error.warnings)
            continue
        accounts.add_warnings(index, validated.warnings)
        item = validated.data.item
        if item in accounts.inputs:
            errors.add(f"{index}.item", DUPLICATE)
        accounts.inputs[item], accounts.indexes[item] = validated.data, index
    return accounts


def _build_ledger(accounts: ParsedAccounts, catalogue: Catalogue, errors: Errors) -> Ledger:
    """Return the client's ledger. Accounts that equal the defaults are left out, so that they follow the catalogue."""
    nett_pay = Ledger(catalogue, _nett_pay_overrides(accounts, errors))
    overrides = {
        item: _overrides(account, nett_pay.with_client_nett_pay(catalogue.lines[item].accounts))
        for item, account in accounts.inputs.items()
        if item != NETT_PAY
    }
    changed = {item: override for item, override in overrides.items() if override != NO_OVERRIDES}
    ledger = Ledger(catalogue, {**nett_pay.overrides, **changed})
    for item, pair in ledger.items.items():
        if item != NETT_PAY and pair.debit == pair.credit:
            index = accounts.indexes.get(item, accounts.indexes.get(NETT_PAY))
            errors.add_if_absent(f"{index}.credit_account", SAME_ACCOUNT, item=item, account=pair.credit)
    return ledger


def _nett_pay_overrides(accounts: ParsedAccounts, errors: Errors) -> dict[str, AccountOverrides]:
    """Return the override for nett pay. It has one account: income is credited to it, deductions are debited."""
    account = accounts.inputs.get(NETT_PAY)
    if account is None:
        return {}
    debit, credit = account.debit_account, account.credit_account
    if debit and credit and debit != credit:
        index = accounts.indexes[NETT_PAY]
        errors.add(f"{index}.debit_account", NETT_PAY_ACCOUNTS_DIFFER, credit_account=credit)
    both_sides = AccountInput(
        item=NETT_PAY, category=account.category, debit_account=debit or credit, credit_account=credit or debit
    )
    override = _overrides(both_sides, DEFAULT_ACCOUNTS[NETT_PAY])
    return {} if override == NO_OVERRIDES else {NETT_PAY: override}


def _overrides(account: AccountInput, defaults: LedgerAccounts) -> AccountOverrides:
    return AccountOverrides(
        category=None if account.category == defaults.category else account.category,
        debit=None if account.debit_account == defaults.debit else account.debit_account,
        credit=None if account.credit_account == defaults.credit else account.credit_account,
    )
