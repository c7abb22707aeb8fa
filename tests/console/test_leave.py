"""The leave calendar."""

import re

import pytest

from tests.console.console_user import ConsoleUser, page_text
from tests.leave.people import OnLeave
from tests.support.company import Company

DAY = "2026-03-03"
AWAY = 8


@pytest.fixture
def path(company: Company) -> str:
    """The page of leave, of a company with eight people who are away on the same day."""
    for number in range(AWAY):
        OnLeave.hired(company, first_name=f"Person {number}").take(DAY, "unpaid_leave")
    return f"/companies/{company.id}/leave"


def test_a_calendar_day_shows_six_employees_and_the_number_of_others(owner: ConsoleUser, path: str) -> None:
    page = owner.get(f"{path}?month=2026-03")
    assert len(re.findall(r'<li title="Person', page.text)) == 6
    assert "+ 2 more on 3 Mar 2026" in page_text(page)
    assert f"?month=2026-03&amp;day={DAY}#day" in page.text
    assert "Away on" not in page_text(page)


def test_a_day_page_lists_everyone_who_is_away(owner: ConsoleUser, path: str) -> None:
    text = page_text(owner.get(f"{path}?month=2026-03&day={DAY}"))
    assert "Away on 3 Mar 2026" in text
    assert "1–8 of 8" in text
    assert all(f"Person {number} Tan Unpaid leave Full day" in text for number in range(AWAY))
    assert "No one is away" in page_text(owner.get(f"{path}?day={DAY}&page=2"))


@pytest.mark.parametrize("day", ["soon", "2026-02-30", "", "0", "%00"])
def test_an_invalid_day_is_ignored(owner: ConsoleUser, company: Company, day: str) -> None:
    page = owner.get(f"/companies/{company.id}/leave?day={day}")
    assert page.status_code == 200
    assert "Away on" not in page_text(page)


@pytest.mark.parametrize("month", ["soon", "2026-13", "20٢٥-01", "1899-12", "%00"])
def test_an_invalid_month_means_the_current_month(owner: ConsoleUser, company: Company, month: str) -> None:
    path = f"/companies/{company.id}/leave"
    page = owner.get(f"{path}?month={month}")
    assert page.status_code == 200
    assert page_text(page) == page_text(owner.get(path))
