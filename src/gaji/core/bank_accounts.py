"""Bank accounts: how each bank divides an account number into branch and account.

An employee's account number is stored in full, as the bank writes it. Some banks expect it without the branch if the
file has a separate field for the branch. Where the branch can be derived from the number, a branch that does not match
is an error, because the pay could reach another account.

>>> ocbc = BankAccount(7339, "501", "501-1234567")
>>> ocbc.digits, ocbc.number_without_branch, list(ocbc.errors())
('5011234567', '1234567', [])
>>> [error.message for error in BankAccount(7171, "006", "0052312891").errors()]
['branch code 006 does not match the account number; it should be its first three digits']
>>> [derive_branch_code(*account) for account in ((7171, "005-2312891"), (9496, "1803645852"), (7375, "9102031012"))]
['005', '018', None]
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from gaji.core.errors import ErrorCode, FieldError

CIMB, DBS, UOB = 7986, 7171, 7375
POSB_DIGITS, POSB_BRANCH = 9, "081"
UOB_VIRTUAL_BRANCH = "001"
ACCOUNT_DIGITS = 10
BRANCH_DIGITS = 3

BANK_PATH = "bank_account.bank_id"
BRANCH_PATH = "bank_account.branch_code"
NUMBER_PATH = "bank_account.account_number"
UNKNOWN_BIC = ErrorCode("bank_without_bic", "bank {bank_id} has no known BIC")
BRANCH_NOT_DIGITS = ErrorCode("branch_not_digits", "branch code {branch_code} is not three digits")
NUMBER_NOT_DIGITS = ErrorCode(
    "account_number_not_digits", "the account number contains characters other than digits and hyphens"
)
WRONG_DIGIT_COUNT = ErrorCode(
    "account_number_length", "the account number has {count} digits; this bank uses {expected}"
)
BRANCH_MISMATCH = ErrorCode(
    "branch_mismatch", "branch code {branch_code} does not match the account number; it should be {expected}"
)
FIRST_DIGITS = "its first three digits"
ONLY_A_BRANCH = ErrorCode("account_number_only_branch", "the account number has no digits after the branch code")


def _load_bics() -> Mapping[int, str]:
    text = resources.files(__package__).joinpath("bics.toml").read_text()
    return {int(code): bic for code, bic in tomllib.loads(text)["bics"].items()}


BICS: Mapping[int, str] = _load_bics()
"""By clearing code."""


def strip_separators(number: str) -> str:
    """Return an account number without hyphens and spaces."""
    return number.replace("-", "").replace(" ", "")


@dataclass(frozen=True, slots=True)
class BankAccount:
    """The bank account of a payee."""

    bank_id: int
    branch_code: str
    number: str

    @property
    def digits(self) -> str:
        """The full number without hyphens and spaces."""
        return strip_separators(self.number)

    @property
    def number_without_branch(self) -> str:
        """The number for a file that has the branch in another field."""
        return self.digits[BRANCH_DIGITS:] if self.bank_id in BRANCH_FIRST_BANKS else self.digits

    def errors(self) -> Iterator[FieldError]:
        """Yield everything that is wrong with the account."""
        if self.bank_id not in BICS:
            yield FieldError(BANK_PATH, UNKNOWN_BIC, {"bank_id": self.bank_id})
        if not (self.branch_code.isascii() and self.branch_code.isdecimal()):
            yield FieldError(BRANCH_PATH, BRANCH_NOT_DIGITS, {"branch_code": self.branch_code})
        if not (self.digits.isascii() and self.digits.isdecimal()):
            yield FieldError(NUMBER_PATH, NUMBER_NOT_DIGITS)
        elif self.bank_id in ACCOUNT_CHECKS:
            yield from ACCOUNT_CHECKS[self.bank_id](self)


def derive_branch_code(bank_id: int, number: str) -> str | None:
    """Return the branch code that follows from an account number. None: the bank's rule is unknown or not met."""
    digits, rule = strip_separators(number), BRANCH_RULES.get(bank_id)
    return rule(digits) if rule and digits.isascii() and digits.isdecimal() else None


def account_notes(account: Mapping[str, Any] | None) -> Iterator[FieldError]:
    """Yield what keeps an account out of payment files, given its attributes of the API."""
    if account and account["bank_id"] is not None and account["account_number"] is not None:
        yield from BankAccount(account["bank_id"], account["branch_code"] or "", account["account_number"]).errors()


def _dbs_branch(digits: str) -> str | None:
    if len(digits) == POSB_DIGITS:
        return POSB_BRANCH
    return digits[:BRANCH_DIGITS] if len(digits) == ACCOUNT_DIGITS else None


def _standard_chartered_branch(digits: str) -> str | None:
    return f"0{digits[:2]}" if len(digits) == ACCOUNT_DIGITS else None


def _first_digits(digits: str) -> str | None:
    return digits[:BRANCH_DIGITS] if len(digits) > BRANCH_DIGITS else None


def _check_dbs(account: BankAccount) -> Iterator[FieldError]:
    is_posb = len(account.digits) == POSB_DIGITS
    rule = f"{POSB_BRANCH} (POSB, {POSB_DIGITS} digits)" if is_posb else FIRST_DIGITS
    yield from _check_branch(account, rule, _wrong_digit_count(account, "9 digits (POSB) or 10 (DBS)"))


def _check_uob(account: BankAccount) -> Iterator[FieldError]:
    """Check the length only: the bank does not publish its table of branches."""
    if account.branch_code != UOB_VIRTUAL_BRANCH and len(account.digits) != ACCOUNT_DIGITS:
        yield _wrong_digit_count(account, "10 digits")


def _check_standard_chartered(account: BankAccount) -> Iterator[FieldError]:
    yield from _check_branch(account, "0 and its first two digits", _wrong_digit_count(account, "10 digits"))


def _check_branch_first(account: BankAccount) -> Iterator[FieldError]:
    yield from _check_branch(account, FIRST_DIGITS, FieldError(NUMBER_PATH, ONLY_A_BRANCH))


def _wrong_digit_count(account: BankAccount, expected: str) -> FieldError:
    return FieldError(NUMBER_PATH, WRONG_DIGIT_COUNT, {"count": len(account.digits), "expected": expected})


def _check_branch(account: BankAccount, rule: str, wrong_number: FieldError) -> Iterator[FieldError]:
    """Yield an error unless the branch is the one that follows from the number: `wrong_number` if none does.

    The error has the rule, because the branch itself can be the start of a number that some callers may not see.
    """
    branch_code = derive_branch_code(account.bank_id, account.number)
    if branch_code is None:
        yield wrong_number
    elif account.branch_code != branch_code:
        yield FieldError(BRANCH_PATH, BRANCH_MISMATCH, {"branch_code": account.branch_code, "expected": rule})


OCBC, HSBC_CORPORATE, HSBC_PERSONAL, STATE_BANK_OF_INDIA, STANDARD_CHARTERED = 7339, 7232, 9548, 7791, 9496
BRANCH_FIRST_BANKS = (OCBC, HSBC_CORPORATE, HSBC_PERSONAL, STATE_BANK_OF_INDIA)
"""Banks whose account numbers start with the branch, which a file must not repeat."""
BRANCH_RULES: Mapping[int, Callable[[str], str | None]] = {
    DBS: _dbs_branch,
    STANDARD_CHARTERED: _standard_chartered_branch,
    **dict.fromkeys(BRANCH_FIRST_BANKS, _first_digits),
}
"""How the branch follows from the digits of an account number, by bank."""
ACCOUNT_CHECKS: Mapping[int, Callable[[BankAccount], Iterator[FieldError]]] = {
    DBS: _check_dbs,
    UOB: _check_uob,
    STANDARD_CHARTERED: _check_standard_chartered,
    **dict.fromkeys(BRANCH_FIRST_BANKS, _check_branch_first),
}
"""By bank. Accounts with other banks are not checked, because their rules are not known."""
