"""Checks on a batch before its payment file is encoded. All errors are reported at once."""

from collections.abc import Iterator

from gaji.core.bank_accounts import NUMBER_PATH, strip_separators
from gaji.core.errors import ErrorCode, Errors, FieldError
from gaji.documents.ascii_names import name_error, to_ascii
from gaji.documents.giro.bank_formats import GiroFormat
from gaji.documents.giro.batch import GiroBatch, GiroPayee, GiroPayer
from gaji.engine.money import format_dollars

ACCOUNT_PATH = "bank_account"

NO_BANK_ACCOUNT = ErrorCode("giro_without_bank_account", "is paid by GIRO but has no bank account")
PAYNOW_NOT_IN_FILE = ErrorCode(
    "paynow_not_in_file", "has a PayNow number but no bank account; {bank} files pay to bank accounts only"
)
UNPAYABLE_AMOUNT = ErrorCode("unpayable_amount", "{amount} cannot be paid; the maximum is {maximum}")
PAYER_NUMBER_NOT_DIGITS = ErrorCode("payer_account_not_digits", "must contain only digits for a {bank} file")
REQUIRED_FOR_BANK = ErrorCode("required_for_bank_file", "is required for a {bank} file")
COMPANY_ID_TOO_LONG = ErrorCode("company_id_too_long", "must be at most {max_length} characters for a {bank} file")
TOO_MANY_PAYMENTS = ErrorCode("too_many_payments", "{count} payments; a {bank} file allows at most {maximum}")
NO_PAYMENTS = ErrorCode("no_payments", "there are no payments, because all of them are withheld")
SEVERAL_PAY_DATES = ErrorCode(
    "several_pay_dates", "the payslips have different pay dates, {dates}; a {bank} file allows only one"
)


def payee_errors(giro_format: GiroFormat, batch: GiroBatch) -> dict[int, list[FieldError]]:
    """Return by employee what the format cannot hold."""
    errors: dict[int, list[FieldError]] = {}
    for payee in batch.payees:
        if problems := list(_payee_errors(giro_format, payee)):
            errors.setdefault(payee.employee_id, []).extend(problems)
    return errors


def payer_errors(giro_format: GiroFormat, batch: GiroBatch) -> Errors:
    """Return by attribute of the client what is missing or what the format cannot hold."""
    errors = account_errors(giro_format, batch.payer)
    if not batch.payees:
        errors.add("payments", NO_PAYMENTS)
    if giro_format.max_payments is not None and len(batch.payees) > giro_format.max_payments:
        maximum = giro_format.max_payments
        errors.add("payments", TOO_MANY_PAYMENTS, count=len(batch.payees), bank=giro_format.bank, maximum=maximum)
    pay_dates = sorted({payee.pay_date for payee in batch.payees})
    if len(pay_dates) > 1 and giro_format.single_pay_date:
        errors.add("pay_date", SEVERAL_PAY_DATES, dates=pay_dates, bank=giro_format.bank)
    return errors


def account_errors(giro_format: GiroFormat, payer: GiroPayer) -> Errors:
    """Return by attribute what is missing from the payer's account or what the format cannot hold."""
    errors = Errors()
    digits = strip_separators(payer.account_number)
    if not (digits.isascii() and digits.isdecimal()):
        errors.add(NUMBER_PATH, PAYER_NUMBER_NOT_DIGITS, bank=giro_format.bank)
    for name in giro_format.required_payer_fields:
        path = f"{ACCOUNT_PATH}.{name}"
        value = getattr(payer, name)
        if not value:
            errors.add(path, REQUIRED_FOR_BANK, bank=giro_format.bank)
        elif error := name_error(path, value, to_ascii(value, giro_format.replaced_characters)):
            errors[path] = error
    limit = giro_format.max_company_id_length
    if limit is not None and len(payer.company_id or "") > limit:
        path = f"{ACCOUNT_PATH}.company_id"
        errors.add_if_absent(path, COMPANY_ID_TOO_LONG, max_length=limit, bank=giro_format.bank)
    return errors


def _payee_errors(giro_format: GiroFormat, payee: GiroPayee) -> Iterator[FieldError]:
    if giro_format.has_paynow and payee.paynow:
        pass  # The account is not in the file.
    elif payee.bank_account is None and payee.paynow:
        yield FieldError(ACCOUNT_PATH, PAYNOW_NOT_IN_FILE, {"bank": giro_format.bank})
    elif payee.bank_account is None:
        yield FieldError(ACCOUNT_PATH, NO_BANK_ACCOUNT)
    else:
        yield from payee.bank_account.errors()
    if error := name_error("name", payee.name, to_ascii(payee.name, giro_format.replaced_characters)):
        yield error
    if not 0 < payee.amount_cents <= giro_format.max_cents:
        amount, maximum = format_dollars(payee.amount_cents), format_dollars(giro_format.max_cents)
        yield FieldError("amount", UNPAYABLE_AMOUNT, {"amount": amount, "maximum": maximum})
