"""The supported payment file formats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gaji.documents.ascii_names import to_ascii
from gaji.documents.giro import dbs, uob
from gaji.documents.giro.accounts import DBS, UOB
from gaji.documents.giro.batch import GiroBatch, GiroPayee


@dataclass(frozen=True)
class GiroFormat:
    """The payment file format of one bank."""

    bank: str
    bank_id: int
    """The payer's bank. A bank only accepts files for its own accounts."""
    name: str
    """The name of the file in the API."""
    media_type: str
    description: str
    encode: Callable[[GiroBatch], bytes]
    file_name: Callable[[GiroBatch], str]
    """Returns the file name that the bank expects."""
    max_name_length: int
    max_cents: int
    replaced_characters: frozenset[str]
    """Characters with a meaning in the format. They become spaces in names."""
    required_payer_fields: Sequence[str] = ()
    single_pay_date: bool = False
    """Whether all payments must have the same pay date."""

    def name_in_file(self, payee: GiroPayee) -> str:
        """Return the payee's name as it appears in the file."""
        return to_ascii(payee.name, self.replaced_characters)[: self.max_name_length].rstrip()


GIRO_FORMATS = (
    GiroFormat(
        bank="DBS",
        bank_id=DBS,
        name="dbs_giro.csv",
        media_type="text/csv",
        description="Payments by GIRO from an account with DBS (IDEAL UFF 1.9.3, BPY)",
        encode=dbs.encode,
        file_name=dbs.file_name,
        max_name_length=dbs.MAX_NAME_LENGTH,
        max_cents=dbs.MAX_CENTS,
        replaced_characters=dbs.REPLACED_CHARACTERS,
    ),
    GiroFormat(
        bank="UOB",
        bank_id=UOB,
        name="uob_giro.txt",
        media_type="text/plain",
        description="Payments by GIRO from an account with UOB (UFF-SG, IBG)",
        encode=uob.encode,
        file_name=uob.file_name,
        max_name_length=uob.MAX_NAME_LENGTH,
        max_cents=uob.MAX_CENTS,
        replaced_characters=uob.REPLACED_CHARACTERS,
        required_payer_fields=("account_name", "company_id"),
        single_pay_date=True,
    ),
)
