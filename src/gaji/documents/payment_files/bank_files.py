"""The GIRO file of a payment run for the payer's bank."""

from collections.abc import Sequence

from gaji.company.clients.queries import PayerAccount
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import ErrorCode, Errors
from gaji.documents.file_result import FileResult, TransliteratedName, employee_errors
from gaji.documents.giro.accounts import BANK_PATH, BankAccount
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.giro.formats import GIRO_FORMATS, GiroFormat
from gaji.documents.giro.rules import ACCOUNT_PATH, payee_errors, payer_errors
from gaji.documents.payment_files.payers import giro_payer
from gaji.documents.payment_files.payment_batch import GIRO, PaymentBatch
from gaji.payroll.payslips.statutory_totals import NettPay
from gaji.payroll.snapshots.queries import Payee

BANKS = {entry.value: entry.name for entry in CONSTANT_LISTS["bank_id"]}

PAYER_ACCOUNT_REQUIRED = ErrorCode(
    "payer_account_required", "is required on the client: a {bank} file names the account that pays"
)
NO_FORMAT_FOR_BANK = ErrorCode(
    "no_file_format_for_bank", "wages are paid from an account with {bank}; files are available for {available}"
)


def formats_for(payer: PayerAccount | None) -> Sequence[GiroFormat]:
    """Return the formats of the payer's bank. If there are none, return all, so that their errors are reported."""
    formats = [giro_format for giro_format in GIRO_FORMATS if payer and giro_format.bank_id == payer.bank_id]
    return formats or GIRO_FORMATS


def build_bank_file(giro_format: GiroFormat, batch: PaymentBatch) -> FileResult:
    """Encode the file in one format, or collect the errors that prevent it."""
    giro_batch = _giro_batch(batch)
    errors = _bank_errors(giro_format, batch.payer) or payer_errors(giro_format, giro_batch)
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


def _bank_errors(giro_format: GiroFormat, payer: PayerAccount | None) -> Errors:
    if payer is None:
        return Errors.single(ACCOUNT_PATH, PAYER_ACCOUNT_REQUIRED, bank=giro_format.bank)
    if payer.bank_id != giro_format.bank_id:
        bank = BANKS.get(payer.bank_id, str(payer.bank_id))
        available = " and ".join(available_format.bank for available_format in GIRO_FORMATS)
        return Errors.single(BANK_PATH, NO_FORMAT_FOR_BANK, bank=bank, available=available)
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
    return GiroPayee(pay.employee_id, pay.payslip_id, payee.employee.name, account, pay.cents, pay.pay_date)
