"""GET /clients/:id/deadlines: what is due, and when."""

from datetime import date, timedelta
from typing import Any

from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.documents.deadlines.schemas import PROPERTIES, DeadlineType
from gaji.documents.deadlines.service import Deadline
from gaji.documents.filings.service import cpf_due_date, levy_due_date
from gaji.law.months import Month
from gaji.law.tax import clearance_filing_due
from tests.documents.tax_certificates.certificate_client import generate_and_release
from tests.leave.people import leave_types
from tests.payroll.payment_runs.runs import JANUARY, hired, opened, paid
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company, of_status
from tests.support.problems import field_errors


def due(company: Company, query: str = "") -> list[dict[str, Any]]:
    """The deadlines of a company, without what is null."""
    response = company.member.get(f"/clients/{company.id}/deadlines{query}")
    assert response.status_code == 200, response.text
    deadlines = [element["deadline"] for element in response.json()]
    assert all(item.keys() == PROPERTIES.keys() for item in deadlines)
    return [{name: value for name, value in item.items() if value is not None} for item in deadlines]


def request_leave(company: Company, employee_id: int, first_day: date) -> tuple[int, str]:
    """A leave request for the first possible day from a day on, and that day."""
    unpaid = leave_types(company.member, company.id)["unpaid_leave"]
    for number in range(14):
        day = str(first_day + timedelta(days=number))
        body = {"dates": [{"date": day, "type_id": unpaid}]}
        response = company.member.post(f"/employees/{employee_id}/leave_requests", body)
        if response.status_code == 200:
            return int(response.json()["id"]), day
    raise AssertionError(response.text)


def test_everything_that_is_due_is_listed(company: Company) -> None:
    month = Month.from_date(clock.today())
    first_day, last_day = str(month.first_day), str(month.last_day)
    employee_id = hired(company, appointment_date=first_day)
    worker_id = hired(company, **{**of_status("FOREIGNER_WP"), "appointment_date": first_day, "pass_from": first_day})
    enter(company, f"employees/{worker_id}", "foreign_worker_levy", amount="450.00")
    director = {**of_status("FD_OTHER"), "appointment_date": first_day, "sdl_exempt": True, "tax_resident": False}
    director_id = hired(company, **director)
    payslip_id = draft(company, director_id)
    enter(company, f"payslips/{payslip_id}", "directors_fee", amount="1000.00", approval_date=first_day)
    paid(company, last_day)
    request_id, day = request_leave(company, employee_id, (month + 1).first_day)
    next_end = str((month + 1).last_day)
    deadlines = due(company, f"?until={(month + 2).last_day}")
    assert [item["due_date"] for item in deadlines] == sorted(item["due_date"] for item in deadlines)
    assert sorted(deadlines, key=lambda item: str(item["type"])) == [
        {"type": "cpf", "due_date": str(cpf_due_date(month)), "overdue": False, "month": str(month)},
        {
            "type": "foreign_worker_levy",
            "due_date": str(levy_due_date(month)),
            "overdue": False,
            "amount": 450.0,
            "month": str(month),
        },
        {
            "type": "leave_request",
            "due_date": day,
            "overdue": False,
            "leave_request_id": request_id,
            "employee_id": employee_id,
        },
        {
            "type": "pay_run",
            "due_date": next_end,
            "overdue": False,
            "wave_id": company.wave_id,
            "period_end_date": next_end,
            "payslips": 3,
            "attention": 0,
        },
        {
            "type": "withholding_tax",
            "due_date": str((month + 2).first_day + timedelta(days=14)),
            "overdue": False,
            "amount": 240.0,
            "employee_id": director_id,
            "payslip_id": payslip_id,
        },
    ]
    assert due(company, f"?until={last_day}") == []


def test_open_runs_are_listed_once_and_are_overdue_after_their_pay_date(company: Company) -> None:
    employee_id = hired(company)
    [unopened] = due(company)
    assert (unopened["due_date"], unopened["overdue"]) == (JANUARY, True)
    assert "payment_run_id" not in unopened
    run_id = opened(company)
    special_id = opened(company, "2026-02-28", special=True, employee_ids=[employee_id])
    assert [(item["payment_run_id"], item.get("payslips")) for item in due(company)] == [
        (run_id, 1),
        (special_id, None),
    ]
    assert [item["payment_run_id"] for item in due(company, "?until=2026-01-31")] == [run_id]


def test_something_is_overdue_from_the_day_after_its_due_date() -> None:
    deadline = Deadline(DeadlineType.CPF, date(2026, 2, 16), 155400, Month(2026, 1))
    assert [deadline.to_json(date(2026, 2, day))["overdue"] for day in (15, 16, 17)] == [False, False, True]


def test_tax_certificates_are_due_until_they_are_released(company: Company) -> None:
    today = clock.today()
    due_date = f"{today.year + 1}-03-01"
    hired(company, appointment_date=f"{today.year}-01-01")
    query = f"?until={due_date}"
    assert "ir8a" not in {item["type"] for item in due(company, query)}
    paid(company, f"{today.year}-01-31")
    expected = {"type": "ir8a", "due_date": due_date, "overdue": False, "year": today.year}
    assert expected in due(company, query)
    assert expected not in due(company, f"?until={today.year + 1}-02-28")
    generate_and_release(company, today.year)
    assert "ir8a" not in {item["type"] for item in due(company, query)}


def test_tax_certificates_of_the_last_year_are_overdue(company: Company) -> None:
    today = clock.today()
    year = today.year - (1 if today > date(today.year, 3, 1) else 2)
    hired(company, appointment_date=f"{year}-12-01")
    paid(company, f"{year}-12-31")
    expected = {"type": "ir8a", "due_date": f"{year + 1}-03-01", "overdue": True, "year": year}
    assert expected in due(company)


def test_tax_clearance_is_due_while_pay_is_withheld(company: Company) -> None:
    today = clock.today()
    last_day = today + timedelta(days=50)
    leaver_id = hired(company, appointment_date=str(today.replace(day=1)))
    company.leave(leaver_id, str(last_day), ir21=True, notice_date=str(today))
    due_date = clearance_filing_due(current_law().tax, today, last_day)
    expected = {"type": "ir21", "due_date": str(due_date), "overdue": False, "employee_id": leaver_id}
    assert expected in due(company, f"?until={due_date}")
    assert expected not in due(company, f"?until={due_date - timedelta(days=1)}")
    assert company.act(leaver_id, "end_service", ir21_filed_on=str(today)).status_code == 200
    assert "ir21" not in {item["type"] for item in due(company, f"?until={due_date}")}
    assert company.act(leaver_id, "end_service", ir21_filed_on=None).status_code == 200
    assert expected in due(company, f"?until={due_date}")
    assert company.act(leaver_id, "undo_end_service").status_code == 200
    assert "ir21" not in {item["type"] for item in due(company, f"?until={due_date}")}


def test_until_must_be_a_date(company: Company) -> None:
    response = company.member.get(f"/clients/{company.id}/deadlines?until=soon")
    assert field_errors(response).keys() == {"until"}
