"""Bank accounts as payment files have them: which part is the branch, and what each bank's numbers look like.

An employee's account number is kept whole, as the bank writes it. Some banks want it without the branch in files that
have the branch beside it. Where the branch follows from the number, one that does not is a slip that would send the pay
to someone else.

>>> ocbc = BankAccount(7339, "501", "501-1234567")
>>> ocbc.digits, ocbc.beside_branch, list(ocbc.faults())
('5011234567', '1234567', [])
>>> list(BankAccount(7171, "006", "0052312891").faults())
['branch code 006 is not the branch of their account number']
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources

DBS, UOB = 7171, 7375
POSB_DIGITS, POSB_BRANCH = 9, "081"
UOB_VIRTUAL_BRANCH = "001"
WHOLE_DIGITS = 10


def _load() -> Mapping[int, str]:
    text = resources.files("gaji.documents.giro").joinpath("bics.toml").read_text()
    return {int(code): bic for code, bic in tomllib.loads(text)["bics"].items()}


BICS: Mapping[int, str] = _load()
"""By clearing code."""


def compact(number: str) -> str:
    """An account number without the hyphens and spaces that people put into it."""
    return number.replace("-", "").replace(" ", "")


@dataclass(frozen=True, slots=True)
class BankAccount:
    """Where someone is paid."""

    bank_id: int
    branch_code: str
    number: str

    @property
    def digits(self) -> str:
        """The whole number without the hyphens and spaces that people put into it."""
        return compact(self.number)

    @property
    def beside_branch(self) -> str:
        """The number for a file that has the branch in another field."""
        return self.digits[3:] if self.bank_id in WITHOUT_BRANCH else self.digits

    def faults(self) -> Iterator[str]:
        """What is wrong with it."""
        if self.bank_id not in BICS:
            yield f"their bank {self.bank_id} has no known code"
        if not (self.branch_code.isascii() and self.branch_code.isdecimal()):
            yield f"branch code {self.branch_code} is not three digits"
        if not (self.digits.isascii() and self.digits.isdecimal()):
            yield "their account number has characters other than digits and hyphens"
        elif self.bank_id in BRANCHES:
            yield from BRANCHES[self.bank_id](self)


def _dbs(account: BankAccount) -> Iterator[str]:
    if len(account.digits) == POSB_DIGITS:
        yield from _branch(account, POSB_BRANCH)
    else:
        yield from _ten_digits(account, "9 digits (POSB) or 10 (DBS)") or _branch(account, account.digits[:3])


def _uob(account: BankAccount) -> Iterator[str]:
    """The branch is in a table of the bank's that is not known here; it is taken as it was entered."""
    if account.branch_code != UOB_VIRTUAL_BRANCH:
        yield from _ten_digits(account, "10 digits")


def _standard_chartered(account: BankAccount) -> Iterator[str]:
    yield from _ten_digits(account, "10 digits") or _branch(account, f"0{account.digits[:2]}")


def _with_branch_in_front(account: BankAccount) -> Iterator[str]:
    if len(account.digits) > 3:
        yield from _branch(account, account.digits[:3])
    else:
        yield "their account number has nothing after the three digits of its branch"


def _ten_digits(account: BankAccount, wanted: str) -> list[str]:
    count = len(account.digits)
    return [] if count == WHOLE_DIGITS else [f"their account number has {count} digits; the bank's have {wanted}"]


def _branch(account: BankAccount, wanted: str) -> list[str]:
    if account.branch_code == wanted:
        return []
    # Which branch it is would tell the beginning of a number that not everybody may see.
    return [f"branch code {account.branch_code} is not the branch of their account number"]


OCBC, HSBC_CORPORATE, HSBC_PERSONAL, STATE_BANK_OF_INDIA, STANDARD_CHARTERED = 7339, 7232, 9548, 7791, 9496
WITHOUT_BRANCH = (OCBC, HSBC_CORPORATE, HSBC_PERSONAL, STATE_BANK_OF_INDIA)
"""Their numbers begin with the branch, which a file has only once."""
BRANCHES: Mapping[int, Callable[[BankAccount], Iterator[str]]] = {
    DBS: _dbs,
    UOB: _uob,
    STANDARD_CHARTERED: _standard_chartered,
    **dict.fromkeys(WITHOUT_BRANCH, _with_branch_in_front),
}
"""By bank; of any other nothing is known, and what was entered is taken."""
