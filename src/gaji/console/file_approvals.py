"""What pages say about the approval of payment files, and the addresses of these files."""

from collections.abc import Sequence
from datetime import date
from urllib.parse import urlencode

from gaji.approvals.models import Approval
from gaji.console.formats import format_day, format_list
from gaji.documents.payment_files.approvals import requested_dates
from gaji.documents.payment_files.service import PaymentFile
from gaji.documents.payment_files.value_dates import VALUE_DATE, is_valid


def files_path(run_id: int, value_date: date | None = None, return_to: str = "", anchor: str = "") -> str:
    """Return the address of the payment files of a run.

    >>> files_path(7, date(2026, 11, 20), anchor="approval-3")
    '/payment_runs/7/files?value_date=2026-11-20#approval-3'
    """
    query = urlencode({name: value for name, value in ((VALUE_DATE, value_date), ("return_to", return_to)) if value})
    return f"/payment_runs/{run_id}/files" + (f"?{query}" if query else "") + (f"#{anchor}" if anchor else "")


def requested_value_date(approval: Approval) -> date | None:
    """Return the value date with which a file is the one that was requested. None if it is no longer possible."""
    dates = requested_dates(approval)
    return dates[0] if len(dates) == 1 and is_valid(dates[0]) else None


def has_other_dates(file: PaymentFile, approval: Approval) -> bool:
    """Return whether the file that was requested has other dates."""
    dates = requested_dates(approval)
    return bool(dates) and dates != sorted({pay.pay_date for pay in file.pays})


def dates_phrase(days: Sequence[date]) -> str:
    """Return dates as a part of a sentence.

    >>> dates_phrase([date(2026, 11, 20)]), dates_phrase([date(2026, 11, 20), date(2026, 11, 23)])
    ('the date 20 Nov 2026', 'the dates 20 Nov 2026 and 23 Nov 2026')
    """
    return f"the {'date' if len(days) == 1 else 'dates'} {format_list([format_day(day) for day in days])}"


def other_request_text(file: PaymentFile) -> str:
    """Return that the file was approved or requested with another date or other content. Empty if it was not."""
    other = file.approval.other if file.approval else None
    if other is None:
        return ""
    if not has_other_dates(file, other):
        since = "its approval was requested" if other.is_pending else "it was approved"
        return f"The content of the file has changed since {since}"
    dates = dates_phrase(requested_dates(other))
    if other.is_pending:
        return f"The approval of the file was requested with {dates}. A request with another date replaces it"
    return f"The file was approved with {dates}. Another date needs another approval"
