"""Which released payments are in no bank file that was downloaded since."""

from datetime import datetime, timedelta

from gaji.core import clock
from gaji.documents.payment_files.downloaded_files import DownloadedPayment
from gaji.documents.payment_files.released_payments import ReleaseDownload, find_undownloaded
from gaji.payroll.withheld_payments.queries import EmployeeRelease

RELEASED_AT = datetime(2026, 3, 2, 10, 30, tzinfo=clock.SINGAPORE)


def release(cents: int = 50_000, payslip_id: int = 7) -> EmployeeRelease:
    """Return a release."""
    return EmployeeRelease(1, 3, payslip_id, cents, RELEASED_AT)


def download(
    suffix: str = "released", cents: int = 50_000, hours: int = 1, run_id: int = 3, payslip_id: int = 7
) -> ReleaseDownload:
    """Return a file with a released payment, downloaded some hours after the release."""
    payments = [DownloadedPayment(payslip_id, 5, cents)]
    return ReleaseDownload(run_id, suffix, payments, RELEASED_AT + timedelta(hours=hours))


def test_a_release_is_paid_by_a_file_with_its_payslip_and_amount() -> None:
    assert find_undownloaded([release()], [download()]) == []
    for other in (download(cents=50_001), download(run_id=4)):
        assert find_undownloaded([release()], [other]) == [release()]
    assert find_undownloaded([release(payslip_id=8)], [download()]) == [release(payslip_id=8)]


def test_a_file_of_before_the_run_was_reopened_does_not_count() -> None:
    assert find_undownloaded([release()], [download(hours=-1)]) == [release()]


def test_two_releases_of_one_amount_need_two_files() -> None:
    twice = [release(), release()]
    assert find_undownloaded(twice, [download()]) == [release()]
    # The same file in another format of the bank.
    assert find_undownloaded(twice, [download(), download(hours=2)]) == [release()]
    assert find_undownloaded(twice, [download(), download("released_2")]) == []


def test_the_first_releases_of_two_formats_have_the_same_suffix() -> None:
    # UOB takes payments to PayNow numbers in a file of their own.
    releases = [release(), release(payslip_id=8)]
    assert find_undownloaded(releases, [download(), download(payslip_id=8)]) == []
    assert find_undownloaded(releases, [download(payslip_id=8)]) == releases[:1]
