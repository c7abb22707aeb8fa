"""What keeps a submission from being written: with whom, and why, all of it at once."""

from collections.abc import Iterator

from gaji.documents.ezpay.submission import CPF, KINDS, SubmissionMember, CpfSubmission, payments
from gaji.documents.ascii_names import name_fault, spelled
from gaji.engine.money import format_dollars

FORBIDDEN = frozenset('_+$<>:;?!=[]`^|\\"~')
MOST_AMOUNT_CENTS = 10**12 - 1
MOST_WAGES_CENTS = 10**10 - 1


def member_errors(submission: CpfSubmission) -> dict[int, list[str]]:
    """By employee, what the file cannot carry."""
    found = {one.employee_id: list(_faults(one)) for one in submission.members}
    return {employee_id: faults for employee_id, faults in found.items() if faults}


def total_errors(submission: CpfSubmission) -> dict[str, str]:
    """By payment code, what is more than the file can carry although the amounts of its members are not."""
    return {
        f"payments.{one.kind.code}": f"{one.kind.name} comes to {format_dollars(one.cents)}; the most is "
        f"{format_dollars(MOST_AMOUNT_CENTS)}"
        for one in payments(submission)
        if one.cents > MOST_AMOUNT_CENTS
    }


def _faults(one: SubmissionMember) -> Iterator[str]:
    paid = [kind for kind in KINDS if kind.of(one)]
    named = [kind for kind in paid if kind.has_details]
    if CPF in named and one.nric is None:
        yield "CPF is paid for them, but they have no NRIC"
    if any(kind.is_fund for kind in named) and one.identity_number is None:
        yield f"{_list(kind.name for kind in named if kind.is_fund)} is paid for them, but they have no NRIC and no FIN"
    if named and (fault := name_fault(one.name, spelled(one.name), FORBIDDEN)):
        yield fault
    for kind in paid:
        yield from _out_of_bounds(kind.name, kind.of(one), MOST_AMOUNT_CENTS)
    if CPF in named:
        yield from _out_of_bounds("ordinary wages", one.ordinary_cents, MOST_WAGES_CENTS)
        yield from _out_of_bounds("additional wages", one.additional_cents, MOST_WAGES_CENTS)


def _out_of_bounds(what: str, amount_cents: int, most_cents: int) -> Iterator[str]:
    if amount_cents < 0:
        yield f"{what} of the month is below zero: {format_dollars(amount_cents)}"
    if amount_cents > most_cents:
        yield f"{what} of the month is {format_dollars(amount_cents)}; the most in the file is {format_dollars(most_cents)}"


def _list(names: Iterator[str]) -> str:
    return " and ".join(names)
