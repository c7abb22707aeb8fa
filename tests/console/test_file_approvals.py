"""Approval of payment files in the console: request, decide and download, for one company and for several."""

from datetime import date, timedelta
from html import escape
from urllib.parse import urlencode

import pytest

from gaji.core import clock
from gaji.documents.payment_files.value_dates import non_working_reason
from tests.approvals.second_person import TwoPeople, pending, require_approval
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


def approve(people: TwoPeople, approval_id: int) -> None:
    """Approve a request as the owner."""
    answer = people.owner.post(f"/approvals/{approval_id}/approve", {})
    assert answer.status_code == 200, answer.text


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


def test_a_file_with_a_past_date_needs_a_value_date_before_it_is_requested(people: TwoPeople) -> None:
    officer, page = signed_in_user(people.officer), files_path(people)
    answer = officer.get(page)
    assert "Enter a value date above before you request the approval" in page_text(answer)
    assert 'name="approve"' not in answer.text
    [day] = value_dates(1)
    answer = officer.get(f"{page}?value_date={day}")
    assert "Enter a value date above" not in page_text(answer)
    assert 'name="approve"' in answer.text


def test_a_request_keeps_the_value_date_and_the_way_back(people: TwoPeople) -> None:
    officer, page = signed_in_user(people.officer), files_path(people)
    [day] = value_dates(1)
    back = f"/companies/payment_files?client_id={people.company.id}&value_date={day}"
    query = urlencode({"value_date": day, "return_to": back})
    form = officer.get(f"{page}?{query}")
    assert f'name="return_to" value="{escape(back)}"' in form.text
    answer = officer.post(page, {"approve": FILE, "value_date": str(day), "return_to": back})
    assert answer.headers["location"] == f"{page}?{query}"
    text = page_text(officer.get(answer.headers["location"]))
    assert f"Date in the file {day_text(day)}" in text
    assert "The file can be downloaded when another person approves it" in text
    assert "Back to the payment files" in text


def test_a_file_that_was_approved_with_another_date_is_named(people: TwoPeople) -> None:
    officer, page = signed_in_user(people.officer), files_path(people)
    day, later = value_dates(2)
    approval_id = request_file(people, day)
    shown = f'<a href="{page}?value_date={day}">Show that file</a>'
    for query in ("", f"?value_date={later}"):
        answer = officer.get(f"{page}{query}")
        assert f"The approval of the file was requested with the date {day_text(day)}." in page_text(answer)
        assert shown in answer.text
    approve(people, approval_id)
    for query in ("", f"?value_date={later}"):
        answer = officer.get(f"{page}{query}")
        assert f"The file was approved with the date {day_text(day)}." in page_text(answer)
        assert "The content of the file" not in page_text(answer)
        assert shown in answer.text
    assert "Show that file" not in officer.get(f"{page}?value_date={day}").text
    assert officer.get(f"{page}?value_date={day}&download={FILE}").status_code == 200


def test_a_file_of_a_pay_run_that_was_finalised_again_needs_another_approval(people: TwoPeople) -> None:
    officer, page = signed_in_user(people.officer), files_path(people)
    [day] = value_dates(1)
    approval_id = request_file(people, day)
    approve(people, approval_id)
    text = "The content of the file has changed since it was approved"
    assert text not in page_text(officer.get(f"{page}?value_date={day}"))
    run = page.removesuffix("/files")
    assert people.owner.post(f"{run}/unfinalise").status_code == 200
    approve(people, pending(people.officer.post(f"{run}/finalise")))
    assert text in page_text(officer.get(f"{page}?value_date={day}"))
