"""The forms that payment files have, bank by bank."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gaji.documents.giro import dbs, uob
from gaji.documents.giro.accounts import DBS, UOB
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.ascii_names import spelled


@dataclass(frozen=True)
class Form:
    """One of them."""

    bank: str
    bank_id: int
    """Of the payer: a bank takes only files about its own accounts."""
    name: str
    """Of the file among those of a run."""
    media_type: str
    description: str
    written: Callable[[GiroBatch], bytes]
    file_name: Callable[[GiroBatch], str]
    """What the file is called where it is handed in."""
    name_letters: int
    """Room for the name of an employee."""
    most_cents: int
    blanked: frozenset[str]
    """What becomes a space in a name, because it has a meaning in the form."""
    needs_of_payer: Sequence[str] = ()
    one_day: bool = False
    """Whether all is paid on the same day."""

    def name_of(self, payee: GiroPayee) -> str:
        """The name as the file has it."""
        return spelled(payee.name, self.blanked)[: self.name_letters].rstrip()


FORMS = (
    Form(
        bank="DBS",
        bank_id=DBS,
        name="dbs_giro.csv",
        media_type="text/csv",
        description="Payments by GIRO from an account with DBS (IDEAL UFF 1.9.3, BPY)",
        written=dbs.written,
        file_name=dbs.file_name,
        name_letters=dbs.NAME_LETTERS,
        most_cents=dbs.MOST_CENTS,
        blanked=dbs.BLANKED,
    ),
    Form(
        bank="UOB",
        bank_id=UOB,
        name="uob_giro.txt",
        media_type="text/plain",
        description="Payments by GIRO from an account with UOB (UFF-SG, IBG)",
        written=uob.written,
        file_name=uob.file_name,
        name_letters=uob.NAME_LETTERS,
        most_cents=uob.MOST_CENTS,
        blanked=uob.BLANKED,
        needs_of_payer=("account_name", "company_id"),
        one_day=True,
    ),
)
