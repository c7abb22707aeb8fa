"""Approval of payment files in the console: request, decide and download, for one company and for several."""

from datetime import date, timedelta

import pytest

from gaji.core import clock
from gaji.documents.payment_files.value_dates import non_working_reason
from tests.approvals.second_person import TwoPeople, require_approval
from tests.console.console_user import page_text, signed_in_user
from tests.documents.payment_files.test_files import GIRO, UOB_PAYER
from tests.payroll.payment_runs.runs import hired, listed, paid
from tests.support.company import Company
from tests.support.running import Member

FILE = "uob_giro.txt"


@pytest.fixture
def people(account: Member) -> TwoPeople:
    """A company that requires approval since January was finalised. The payment date has passed."""
    company = Company.of(account, name="Tampines Bakery", bank_account=UOB_PAYER)
    employee_id = hired(company, **GIRO)
    paid(company)
    return TwoPeople(company, account, require_approval(company), employee_id)


def value_dates(number: int) -> list[date]:
    """Return the next working days."""
    days = (clock.today() + timedelta(days=distance) for distance in range(1, 60))
    return [day for day in days if not non_working_reason(day)][:number]


def day_text(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def files_path(people: TwoPeople) -> str:
    """The page of the payment files of the only run."""
    [run] = listed(people.company)
    return f"/payment_runs/{run['id']}/files"


def request_file(people: TwoPeople, day: date | None = None) -> int:
    """Request the approval of the file as the officer. Return the approval."""
    query = f"?value_date={day}" if day else ""
    answer = people.officer.post(f"{files_path(people)}/{FILE}/request_approval{query}")
    assert answer.status_code == 200, answer.text
    return int(answer.json()["approval"]["id"])


def test_who_approves_a_file_sees_its_date(people: TwoPeople) -> None:
    owner, page = signed_in_user(people.owner), f"/companies/{people.company.id}/approvals"
    request_file(people)
    text = page_text(owner.get(page))
    assert "Date in the file 30 Jan 2026" in text
    assert "The date in the file has passed, and banks refuse past dates" in text
    [day] = value_dates(1)
    request_file(people, day)
    text = page_text(owner.get(page))
    assert f"Date in the file {day_text(day)}" in text
    assert "has passed" not in text
