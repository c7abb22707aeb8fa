"""The payment file of a run for the bank of the payer."""

from collections.abc import Sequence

from gaji.company.clients.payer import PayerAccount
from gaji.core.constants import LISTS
from gaji.documents.giro.accounts import BankAccount
from gaji.documents.giro.batch import GiroBatch, GiroPayee, GiroPayer
from gaji.documents.giro.rules import ACCOUNT, faults_of_payees, faults_of_payer
from gaji.documents.giro.formats import FORMS, Form
from gaji.documents.file_result import FileResult, Respelled, of_employees
from gaji.documents.payment_files.payment_batch import GIRO, Gathered
from gaji.payroll.payslips.statutory_totals import NettPay
from gaji.people.employees.filed import Paid

BANKS = {entry.value: entry.name for entry in LISTS["bank_id"]}
NOBODY = GiroPayer("", None, None)


def forms_for(payer: PayerAccount | None) -> Sequence[Form]:
    """The forms that the payer's bank takes; all that there are, to say what is amiss, where it takes none."""
    own = [form for form in FORMS if payer is not None and form.bank_id == payer.bank_id]
    return own or FORMS


def bank_file(form: Form, gathered: Gathered) -> FileResult:
    """The file in one form, or all that keeps it from being made."""
    batch = _batch(gathered)
    errors = _faults_of_bank(form, gathered.payer) or faults_of_payer(form, batch)
    errors = errors | of_employees(faults_of_payees(form, batch), gathered.names())
    return FileResult(
        file_name=form.file_name(batch),
        media_type=form.media_type,
        data=None if errors else form.written(batch),
        errors=errors,
        total_cents=batch.total_cents,
        respelled=[
            Respelled(one.employee_id, one.name, in_file)
            for one in batch.payees
            if (in_file := form.name_of(one)) != one.name
        ],
    )


def _faults_of_bank(form: Form, payer: PayerAccount | None) -> dict[str, str]:
    if payer is None:
        return {ACCOUNT: f"is required of the client: a file of {form.bank} names the account that pays"}
    if payer.bank_id != form.bank_id:
        banks = " and ".join(one.bank for one in FORMS)
        bank = BANKS.get(payer.bank_id, str(payer.bank_id))
        return {f"{ACCOUNT}.bank_id": f"wages are paid from an account with {bank}; there are files for {banks}"}
    return {}


def _batch(gathered: Gathered) -> GiroBatch:
    account = gathered.payer
    return GiroBatch(
        payment_run_id=gathered.run.id,
        payer=GiroPayer(account.number, account.name, account.company_id) if account else NOBODY,
        payees=[_payee(one, gathered.people[one.employee_id]) for one in gathered.by(GIRO)],
        created=gathered.created,
    )


def _payee(pay: NettPay, person: Paid) -> GiroPayee:
    account = None
    if person.account_number is not None and person.bank_id is not None:
        account = BankAccount(person.bank_id, person.branch_code or "", person.account_number)
    return GiroPayee(pay.employee_id, pay.payslip_id, person.named.name, account, pay.cents, pay.pay_date)
