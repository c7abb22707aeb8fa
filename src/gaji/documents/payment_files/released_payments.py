"""Pay that was released after tax clearance, and whose bank file was not downloaded."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time

from gaji.company.clients.queries import find_clients_with_account
from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.documents.payment_files import repository
from gaji.documents.payment_files.downloaded_files import DownloadedPayment, decode_payments
from gaji.documents.payment_files.payment_batch import GIRO
from gaji.payroll.payment_runs.queries import MAX_DAYS_LATE
from gaji.payroll.withheld_payments.queries import EmployeeRelease, load_releases_to_employees

RELEASED = "released"
"""The suffix of the files with released payments. Later ones of a run have a number too."""
FILE_NAME = rf"_({RELEASED}(_[0-9]+)?)[.][^.]+$"
"""Matches the names of these files. The first group is the suffix."""


@dataclass(frozen=True)
class ReleasedPay:
    """What was released to employees of a run and is in no bank file that was downloaded since."""

    run_id: int
    cents: int


@dataclass(frozen=True)
class ReleaseDownload:
    """A file with a released payment that was downloaded."""

    run_id: int
    suffix: str
    payments: Sequence[DownloadedPayment]
    downloaded_at: datetime

    def pays(self, release: EmployeeRelease) -> bool:
        """Return whether the file may pay a release. Files of before a run was reopened do not."""
        return (
            self.run_id == release.payment_run_id
            and self.downloaded_at >= release.created_at
            and [(payment.payslip_id, payment.cents) for payment in self.payments]
            == [(release.payslip_id, release.cents)]
        )


async def load_released_pay(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[ReleasedPay]]:
    """Load the released pay that no downloaded bank file has, by client and run. Clients without any are left out.

    Only what a bank file can pay: to employees who are paid by GIRO, by clients with a bank account. Clients may pay
    without the file, so old releases are left out.
    """
    since = datetime.combine(clock.today() - MAX_DAYS_LATE, time(), clock.SINGAPORE)
    releases = await load_releases_to_employees(tx, client_ids, GIRO, since)
    if not releases:
        return {}
    clients = await find_clients_with_account(tx, sorted({release.client_id for release in releases}))
    run_ids = sorted({release.payment_run_id for release in releases})
    rows = await repository.load_named_downloads(tx, sorted(clients), run_ids, FILE_NAME)
    downloads = [
        ReleaseDownload(row["payment_run_id"], match[1], decode_payments(row["amounts"]), row["last_downloaded_at"])
        for row in rows
        if (match := re.search(FILE_NAME, row["name"]))
    ]
    cents: dict[tuple[int, int], int] = defaultdict(int)
    for release in find_undownloaded(releases, downloads):
        if release.client_id in clients:
            cents[release.client_id, release.payment_run_id] += release.cents
    waiting: dict[int, list[ReleasedPay]] = {}
    for (client_id, run_id), total_cents in cents.items():
        waiting.setdefault(client_id, []).append(ReleasedPay(run_id, total_cents))
    return waiting


def find_undownloaded(
    releases: Iterable[EmployeeRelease], downloads: Sequence[ReleaseDownload]
) -> list[EmployeeRelease]:
    """Return the releases that are in none of the files. A file has one release, in one of the bank's formats.

    Files are numbered in each format, so files of two employees can have the same suffix.
    """
    used: set[tuple[int, str, int]] = set()
    undownloaded = []
    for release in releases:
        keys = ((file.run_id, file.suffix, release.payslip_id) for file in downloads if file.pays(release))
        key = next((key for key in keys if key not in used), None)
        if key is None:
            undownloaded.append(release)
        else:
            used.add(key)
    return undownloaded
