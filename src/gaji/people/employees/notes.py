"""What is unusual about the attributes of an employee. It is saved; responses and pages point it out."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gaji.core.bank_accounts import BRANCH_PATH, account_notes, derive_branch_code, strip_separators
from gaji.core.errors import ErrorCode, FieldError

GIRO = "eft_manual"
CONTRADICTING_PASSES: Mapping[str, tuple[str, ...]] = {
    "FOREIGNER": ("WP",),
    "FOREIGNER_WP": ("EP",),
}
"""The work passes that contradict a legal status. Citizens and permanent residents can have none at all."""
LEVY_PASSES = ("WP", "SPASS")
"""The work passes with a foreign worker levy."""
LOCAL_ADDRESS = "L"
POSTAL_CODE = re.compile(r"[0-9]{6}")

UNUSUAL_POSTAL_CODE = ErrorCode(
    "unusual_postal_code", "{postal_code} is not a Singapore postal code, which has 6 digits"
)
BRANCH_OF_OLD_BANK = ErrorCode(
    "branch_of_old_bank", "branch code {branch_code} is that of the old bank; check that the new bank has the same one"
)
BRANCH_OF_OLD_ACCOUNT = ErrorCode(
    "branch_of_old_account", "branch code {branch_code} is that of the old account; check that it has not changed"
)
CONTRADICTS_STATUS = ErrorCode("work_pass_contradicts_status", "{pass} contradicts {attribute} {value}; correct one")


def employee_notes(employee: Mapping[str, Any]) -> list[FieldError]:
    """Return what is unusual about an employee, given the attributes of the API."""
    return list(_notes(employee))


def find_pass_contradiction(status: str | None, work_pass: str | None) -> FieldError | None:
    """Return the error if a work pass contradicts a legal status."""
    if status is None or work_pass not in CONTRADICTING_PASSES.get(status, ()):
        return None
    return FieldError(
        "work_pass", CONTRADICTS_STATUS, {"pass": work_pass, "attribute": "legal_status", "value": status}
    )


def address_notes(address: Mapping[str, Any] | None) -> Iterator[FieldError]:
    """Yield what is unusual about an address. The API accepts any postal code."""
    postal_code = address["postal_code"] if address and address["type"] == LOCAL_ADDRESS else None
    if postal_code and not POSTAL_CODE.fullmatch(postal_code):
        yield FieldError("physical_address.postal_code", UNUSUAL_POSTAL_CODE, {"postal_code": postal_code})


def payment_notes(employee: Mapping[str, Any]) -> Iterator[FieldError]:
    """Yield what keeps an employee who is paid by GIRO out of payment files."""
    if employee["payment_method"] == GIRO:
        yield from account_notes(employee["bank_account"])


def branch_notes(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Iterator[FieldError]:
    """Yield the note that a new account has the branch code of the old one, unless its number gives the branch.

    The branch can be the same: several banks have only one, with the same code.
    """
    if not before or not after or not after["branch_code"] or before["branch_code"] != after["branch_code"]:
        return
    bank_id, number = after["bank_id"], strip_separators(after["account_number"] or "")
    if derive_branch_code(bank_id, number) is not None:
        return
    params = {"branch_code": after["branch_code"]}
    if before["bank_id"] != bank_id:
        yield FieldError(BRANCH_PATH, BRANCH_OF_OLD_BANK, params)
    elif strip_separators(before["account_number"] or "") != number:
        yield FieldError(BRANCH_PATH, BRANCH_OF_OLD_ACCOUNT, params)


def change_notes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldError]:
    """Return what is unusual about the address and the payment details that a change affects."""
    changed = {name for name, value in after.items() if before[name] != value}
    notes = list(address_notes(after["physical_address"])) if "physical_address" in changed else []
    if "bank_account" in changed and after["payment_method"] == GIRO:
        notes += branch_notes(before["bank_account"], after["bank_account"])
    return [*notes, *payment_notes(after)] if changed & {"payment_method", "bank_account"} else notes


def _notes(employee: Mapping[str, Any]) -> Iterator[FieldError]:
    if contradiction := find_pass_contradiction(employee["legal_status"], employee["work_pass"]):
        yield contradiction
    yield from payment_notes(employee)
