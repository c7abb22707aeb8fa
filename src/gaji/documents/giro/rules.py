"""What keeps a payment file from being written: with whom, and why, all of it at once."""

from collections.abc import Iterator

from gaji.documents.giro.accounts import compact
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.giro.formats import Form
from gaji.documents.ascii_names import name_fault, spelled
from gaji.engine.money import format_dollars

ACCOUNT = "bank_account"


def faults_of_payees(form: Form, batch: GiroBatch) -> dict[int, list[str]]:
    """By employee, what a form cannot carry."""
    found: dict[int, list[str]] = {}
    for one in batch.payees:
        if faults := list(_faults(form, one)):
            found.setdefault(one.employee_id, []).extend(faults)
    return found


def faults_of_payer(form: Form, batch: GiroBatch) -> dict[str, str]:
    """By attribute of the client, what a form cannot carry or do without."""
    payer, found = batch.payer, {}
    digits = compact(payer.account_number)
    if not (digits.isascii() and digits.isdecimal()):
        found[f"{ACCOUNT}.account_number"] = f"must be digits for a file of {form.bank}"
    for name in form.needs_of_payer:
        value = getattr(payer, name)
        if not value:
            found[f"{ACCOUNT}.{name}"] = f"is required for a file of {form.bank}"
        elif fault := name_fault(value, spelled(value, form.blanked)):
            found[f"{ACCOUNT}.{name}"] = fault
    if not batch.payees:
        found["payments"] = "there are none: all of them are withheld"
    days = sorted({one.pay_date for one in batch.payees})
    if len(days) > 1 and form.one_day:
        found["pay_date"] = f"the payslips are to be paid on {' and '.join(map(str, days))}; a file has one day"
    return found


def _faults(form: Form, one: GiroPayee) -> Iterator[str]:
    if one.bank_account is None:
        yield "they are paid by GIRO, but have no bank account"
    else:
        yield from one.bank_account.faults()
    if fault := name_fault(one.name, spelled(one.name, form.blanked)):
        yield fault
    if not 0 < one.cents <= form.most_cents:
        yield f"{format_dollars(one.cents)} cannot be paid; the most is {format_dollars(form.most_cents)}"
