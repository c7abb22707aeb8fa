"""The bank file formats that are supported, and which of them the bank of an account accepts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gaji.core.bank_accounts import CIMB, DBS, OCBC, UOB
from gaji.documents.certainty import ONE_SOURCE, TWO_SOURCES, Certainty
from gaji.documents.giro import cimb, dbs, ocbc, pain001, uob
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.giro.fields import name_field

OTHER_BANKS = "pain.001"
"""The name of the format, for banks that have none of their own."""


class PayNowUse(StrEnum):
    """How a format treats employees with a PayNow number."""

    NONE = "none"
    """All payments go to accounts."""
    WITH_ACCOUNTS = "with_accounts"
    """A file has payments to PayNow numbers and to accounts."""
    SEPARATE = "separate"
    """Payments to PayNow numbers are in another file of the bank."""
    ALONE = "alone"
    """A file has only payments to PayNow numbers."""


@dataclass(frozen=True)
class GiroFormat:
    """The payment file format of one bank, or of all other banks."""

    bank: str
    bank_id: int | None
    """The payer's bank. A bank only accepts files for its own accounts. None: every bank without a format."""
    name: str
    """The name of the file in the API."""
    title: str
    """What people call it."""
    media_type: str
    description: str
    certainty: Certainty
    encode: Callable[[GiroBatch], bytes]
    file_name: Callable[[GiroBatch], str]
    """Returns the file name that the bank expects."""
    max_name_length: int
    max_cents: int
    replaced_characters: frozenset[str] = frozenset()
    """Characters with a meaning in the format. They become spaces in names."""
    required_payer_fields: Sequence[str] = ()
    max_company_id_length: int | None = None
    max_payments: int | None = None
    single_pay_date: bool = False
    """Whether all payments must have the same pay date."""
    paynow: PayNowUse = PayNowUse.NONE

    @property
    def has_paynow(self) -> bool:
        """Whether payments can go to PayNow numbers."""
        return self.paynow in (PayNowUse.WITH_ACCOUNTS, PayNowUse.ALONE)

    def name_in_file(self, payee: GiroPayee) -> str:
        """Return the payee's name as it appears in the file."""
        return name_field(payee.name, self.max_name_length, self.replaced_characters)


GIRO_FORMATS = (
    GiroFormat(
        bank="DBS",
        bank_id=DBS,
        name="dbs_giro.csv",
        title="GIRO file for DBS",
        media_type="text/csv",
        description="Payments by GIRO from an account with DBS (IDEAL UFF 1.9.3, BPY)",
        certainty=TWO_SOURCES,
        encode=dbs.encode,
        file_name=dbs.file_name,
        max_name_length=dbs.MAX_NAME_LENGTH,
        max_cents=dbs.MAX_CENTS,
        replaced_characters=dbs.REPLACED_CHARACTERS,
        required_payer_fields=("account_name", "company_id"),
        max_company_id_length=dbs.MAX_COMPANY_ID_LENGTH,
    ),
    GiroFormat(
        bank="UOB",
        bank_id=UOB,
        name="uob_giro.txt",
        title="GIRO file for UOB",
        media_type="text/plain",
        description="Payments by GIRO from an account with UOB (UFF-SG, IBG)",
        certainty=ONE_SOURCE,
        encode=uob.encode_giro,
        file_name=uob.giro_file_name,
        max_name_length=uob.MAX_NAME_LENGTH,
        max_cents=uob.MAX_CENTS,
        replaced_characters=uob.REPLACED_CHARACTERS,
        required_payer_fields=("account_name", "company_id"),
        single_pay_date=True,
        paynow=PayNowUse.SEPARATE,
    ),
    GiroFormat(
        bank="UOB",
        bank_id=UOB,
        name="uob_paynow.txt",
        title="PayNow file for UOB",
        media_type="text/plain",
        description="Payments to PayNow numbers from an account with UOB (UFF-SG, IBGPN). Send it with the GIRO file",
        certainty=ONE_SOURCE,
        encode=uob.encode_paynow,
        file_name=uob.paynow_file_name,
        max_name_length=uob.MAX_NAME_LENGTH,
        max_cents=uob.MAX_CENTS,
        replaced_characters=uob.REPLACED_CHARACTERS,
        required_payer_fields=("account_name", "company_id"),
        single_pay_date=True,
        paynow=PayNowUse.ALONE,
    ),
    GiroFormat(
        bank="OCBC",
        bank_id=OCBC,
        name="ocbc_giro.txt",
        title="GIRO file for OCBC",
        media_type="text/plain",
        description="Payments by GIRO from an account with OCBC (GIROFASTWITHINV)",
        certainty=TWO_SOURCES,
        encode=ocbc.encode_giro,
        file_name=ocbc.giro_file_name,
        max_name_length=ocbc.MAX_NAME_LENGTH,
        max_cents=ocbc.MAX_CENTS,
        single_pay_date=True,
        paynow=PayNowUse.WITH_ACCOUNTS,
    ),
    GiroFormat(
        bank="OCBC",
        bank_id=OCBC,
        name="ocbc_fast.txt",
        title="FAST file for OCBC",
        media_type="text/plain",
        description="Payments by FAST from an account with OCBC (GIROFASTWITHINV). Use it instead of the GIRO file",
        certainty=TWO_SOURCES,
        encode=ocbc.encode_fast,
        file_name=ocbc.fast_file_name,
        max_name_length=ocbc.MAX_NAME_LENGTH,
        max_cents=ocbc.MAX_FAST_CENTS,
        single_pay_date=True,
        paynow=PayNowUse.WITH_ACCOUNTS,
    ),
    GiroFormat(
        bank="CIMB",
        bank_id=CIMB,
        name="cimb_giro.csv",
        title="GIRO file for CIMB",
        media_type="text/csv",
        description="Payments by GIRO from an account with CIMB (BizChannel)",
        certainty=ONE_SOURCE,
        encode=cimb.encode,
        file_name=cimb.file_name,
        max_name_length=cimb.MAX_NAME_LENGTH,
        max_cents=cimb.MAX_CENTS,
        replaced_characters=cimb.REPLACED_CHARACTERS,
        required_payer_fields=("account_name",),
        max_payments=cimb.MAX_PAYMENTS,
        single_pay_date=True,
    ),
    GiroFormat(
        bank=OTHER_BANKS,
        bank_id=None,
        name="pain001_03.xml",
        title="ISO 20022 file, version 03",
        media_type="application/xml",
        description="Payments in ISO 20022 (pain.001.001.03), for banks without a format of their own",
        certainty=ONE_SOURCE,
        encode=pain001.encode_03,
        file_name=pain001.file_name_03,
        max_name_length=pain001.MAX_NAME_LENGTH,
        max_cents=pain001.MAX_CENTS,
        replaced_characters=pain001.REPLACED_CHARACTERS,
        required_payer_fields=("account_name",),
    ),
    GiroFormat(
        bank=OTHER_BANKS,
        bank_id=None,
        name="pain001_09.xml",
        title="ISO 20022 file, version 09",
        media_type="application/xml",
        description="Payments in ISO 20022 (pain.001.001.09). Use it instead of version 03 if your bank wants it",
        certainty=ONE_SOURCE,
        encode=pain001.encode_09,
        file_name=pain001.file_name_09,
        max_name_length=pain001.MAX_NAME_LENGTH,
        max_cents=pain001.MAX_CENTS,
        replaced_characters=pain001.REPLACED_CHARACTERS,
        required_payer_fields=("account_name",),
        paynow=PayNowUse.WITH_ACCOUNTS,
    ),
)


def formats_of_bank(bank_id: int | None) -> list[GiroFormat]:
    """Return the formats that an account with a bank can use. None: those of no particular bank."""
    formats = [giro_format for giro_format in GIRO_FORMATS if giro_format.bank_id == bank_id]
    return formats or [giro_format for giro_format in GIRO_FORMATS if giro_format.bank_id is None]
