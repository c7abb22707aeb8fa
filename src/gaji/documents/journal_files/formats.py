"""The layouts of journal files: our own, Xero's manual journals and QuickBooks Online's journal entries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gaji.documents.certainty import OWN_LAYOUT, Certainty
from gaji.documents.journal_files.entries import JournalEntry, JournalHeader
from gaji.engine.money import decimal_text
from gaji.payroll.account_mappings.schemas import ExportSettings

Rows = Sequence[Sequence[object]]
"""The rows of a file, with the header first."""

GENERIC_COLUMNS = ("date", "narration", "account", "account_name", "cost_centre", "debit", "credit", "description")
XERO_COLUMNS = (
    "*Narration",
    "*Date",
    "Description",
    "*AccountCode",
    "*TaxRate",
    "*Amount",
    "TrackingName1",
    "TrackingOption1",
    "TrackingName2",
    "TrackingOption2",
)
QUICKBOOKS_COLUMNS = ("JournalNo", "JournalDate", "AccountName", "Debits", "Credits", "Description", "Name")
XERO_MAX_ROWS = 300
XERO_DATE = "%d/%m/%Y"
QUICKBOOKS_DATES = {"DD/MM/YYYY": "%d/%m/%Y", "MM/DD/YYYY": "%m/%d/%Y", "YYYY-MM-DD": "%Y-%m-%d"}


@dataclass(frozen=True)
class JournalFormat:
    """A layout of journal files."""

    name: str
    """The name of its files, without the number of the part and the extension."""
    program: str | None
    """The accounting program that reads it."""
    description: str
    certainty: Certainty
    build_rows: Callable[[JournalHeader, Sequence[JournalEntry], ExportSettings], Rows]
    required: str | None = None
    """The attribute of an account mapping that every entry needs."""
    max_rows: int | None = None


def generic_rows(header: JournalHeader, entries: Sequence[JournalEntry], settings: ExportSettings) -> Rows:
    """Return the rows of our own layout. Accounts without a mapping have their names from the journal."""
    rows = (
        (
            header.day,
            header.narration,
            entry.code or entry.name or entry.account,
            entry.name or entry.account,
            entry.split_name,
            *_debit_and_credit(entry),
            entry.description,
        )
        for entry in entries
    )
    return [GENERIC_COLUMNS, *rows]


def xero_rows(header: JournalHeader, entries: Sequence[JournalEntry], settings: ExportSettings) -> Rows:
    """Return the rows of a manual journal of Xero. Credits are negative."""
    day = header.day.strftime(XERO_DATE)
    category = settings.xero_tracking_category
    rows = (
        (
            header.narration,
            day,
            entry.description,
            entry.code,
            settings.xero_tax_rate,
            decimal_text(entry.cents),
            *((category, entry.split_name) if category and entry.split_name else ("", "")),
            "",
            "",
        )
        for entry in entries
    )
    return [XERO_COLUMNS, *rows]


def quickbooks_rows(header: JournalHeader, entries: Sequence[JournalEntry], settings: ExportSettings) -> Rows:
    """Return the rows of a journal entry of QuickBooks Online, with a column for splits if one is chosen."""
    day = header.day.strftime(QUICKBOOKS_DATES[settings.quickbooks_date_format])
    column = settings.quickbooks_split_column
    rows = (
        (
            f"PAY-{header.run_id}",
            day,
            entry.name,
            *_debit_and_credit(entry),
            entry.description,
            "",
            *((entry.split_name,) if column else ()),
        )
        for entry in entries
    )
    return [(*QUICKBOOKS_COLUMNS, *((column.capitalize(),) if column else ())), *rows]


def _debit_and_credit(entry: JournalEntry) -> tuple[str, str]:
    """Return the cells of an amount. The other one is blank."""
    text = decimal_text(abs(entry.cents))
    return (text, "") if entry.cents > 0 else ("", text)


FORMATS = (
    JournalFormat("journal", None, "Journal for any program", OWN_LAYOUT, generic_rows),
    JournalFormat(
        "xero",
        "Xero",
        "Manual journals of Xero, up to 300 lines in a file",
        Certainty("A", "Layout from Xero's help; the order of the columns from one other source"),
        xero_rows,
        required="code",
        max_rows=XERO_MAX_ROWS,
    ),
    JournalFormat(
        "quickbooks_online",
        "QuickBooks Online",
        "Journal entry of QuickBooks Online",
        Certainty("A", "Layout from the help of QuickBooks Online; its limit of rows is not published"),
        quickbooks_rows,
        required="name",
    ),
)
