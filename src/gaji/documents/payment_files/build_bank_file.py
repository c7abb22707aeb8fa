"""Build the bank file of a payment run, in one of the formats of `documents/giro`."""

from collections.abc import Sequence

from gaji.company.clients.queries import PayerAccount
from gaji.core.bank_accounts import BANK_PATH, BICS, UNKNOWN_BIC, BankAccount
from gaji.core.errors import ErrorCode, Errors
from gaji.documents.file_result import FileResult, TransliteratedName, employee_errors
from gaji.documents.giro.bank_formats import GiroFormat, PayNowUse, formats_of_bank
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.giro.rules import ACCOUNT_PATH, account_errors, payee_errors, payer_errors
from gaji.documents.payment_files.payers import giro_payer
from gaji.documents.payment_files.payment_batch import GIRO, PaymentBatch
from gaji.payroll.payslips.statutory_totals import NettPay
from gaji.payroll.snapshots.queries import Payee

PAYER_ACCOUNT_REQUIRED = ErrorCode(
    "payer_account_required", "is required on the client: the file names the account that pays"
)


def formats_for(payer: PayerAccount | None) -> Sequence[GiroFormat]:
    """Return the formats of the payer's bank. Without a payer, those of no particular bank, with an error."""
    return formats_of_bank(payer.bank_id if payer else None)


def batch_in_format(giro_format: GiroFormat, batch: PaymentBatch) -> PaymentBatch:
    """Return the payments that belong in the file of a format: all of them, or those with or without PayNow."""
    if giro_format.paynow in (PayNowUse.SEPARATE, PayNowUse.ALONE):
        return batch.paid_to(paynow=giro_format.paynow == PayNowUse.ALONE)
    return batch


def build_bank_file(giro_format: GiroFormat, batch: PaymentBatch) -> FileResult:
    """Encode the file in one format, or collect the errors that prevent it."""
    giro_batch = _giro_batch(batch)
    errors = _bank_errors(batch.payer) or payer_errors(giro_format, giro_batch)
    errors.update(employee_errors(payee_errors(giro_format, giro_batch), batch.employee_names()))
    return FileResult(
        file_name=giro_format.file_name(giro_batch),
        media_type=giro_format.media_type,
        data=None if errors else giro_format.encode(giro_batch),
        errors=errors,
        total_cents=giro_batch.total_cents,
        transliterated=[
            TransliteratedName(payee.employee_id, payee.name, name_in_file)
            for payee in giro_batch.payees
            if (name_in_file := giro_format.name_in_file(payee)) != payee.name
        ],
    )


def find_account_errors(payer: PayerAccount | None) -> Errors:
    """Return what the account of the client lacks for the file of its bank: for the format with the fewest errors."""
    by_format = [account_errors(giro_format, giro_payer(payer)) for giro_format in formats_for(payer)]
    return _bank_errors(payer) or min(by_format, key=len, default=Errors())


def _bank_errors(payer: PayerAccount | None) -> Errors:
    if payer is None:
        return Errors.single(ACCOUNT_PATH, PAYER_ACCOUNT_REQUIRED)
    if payer.bank_id not in BICS:
        return Errors.single(BANK_PATH, UNKNOWN_BIC, bank_id=payer.bank_id)
    return Errors()


def _giro_batch(batch: PaymentBatch) -> GiroBatch:
    return GiroBatch(
        payment_run_id=batch.run.id,
        payer=giro_payer(batch.payer),
        payees=[_payee(pay, batch.payees[pay.employee_id]) for pay in batch.due_by(GIRO)],
        created=batch.created,
    )


def _payee(pay: NettPay, payee: Payee) -> GiroPayee:
    account = None
    if payee.account_number is not None and payee.bank_id is not None:
        account = BankAccount(payee.bank_id, payee.branch_code or "", payee.account_number)
    name, paynow = payee.employee.name, payee.paynow
    return GiroPayee(pay.employee_id, pay.payslip_id, name, account, pay.cents, pay.pay_date, paynow)
