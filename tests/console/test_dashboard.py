"""The dashboard of a company."""

from gaji.core import clock
from gaji.law.months import Month
from tests.console.console_user import ConsoleUser, page_text
from tests.console.sample_company import FEBRUARY
from tests.payroll.payment_runs.runs import hired, opened, paid
from tests.support.company import Company


def test_the_dashboard_shows_the_status_of_pay_schedules(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    page = page_text(owner.get(f"/companies/{company.id}"))
    assert "Not opened Late 28 Feb 2026" in page
    assert "Not released" in page
    opened(company, FEBRUARY)
    assert "In progress Late 28 Feb 2026" in page_text(owner.get(f"/companies/{company.id}"))


def test_the_dashboard_shows_late_payslips(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    assert "1 payslip was due on 31 Jan 2026" in page_text(owner.get(f"/companies/{company.id}"))


def test_the_dashboard_shows_what_changes_next_month(owner: ConsoleUser, company: Company) -> None:
    today = clock.today()
    next_month = Month.from_date(today) + 1
    birthdate = (next_month - 1 - 55 * 12).first_day
    older = hired(company, first_name="Ah Kow", last_name="Lim", birthdate=str(birthdate))
    hired(company, first_name="Siti", last_name="Aminah", appointment_date=str(next_month.first_day))
    page = page_text(owner.get(f"/companies/{company.id}"))
    assert "Ah Kow Lim CPF rates for employees above 55" in page
    assert "Siti Aminah Joins the company 1 " in page
    left = {"employee_action": {"termination_date": str(today), "termination_code": 1, "ir21": False}}
    assert company.member.post(f"/employees/{older}/service_periods/end_service", left).status_code == 200
    page = page_text(owner.get(f"/companies/{company.id}"))
    assert "Last day of service" in page
    assert "above 55" not in page


def test_the_dashboard_lists_many_changes_of_rates_on_demand(owner: ConsoleUser, company: Company) -> None:
    birthdate = (Month.from_date(clock.today()) - 55 * 12).first_day
    for number in range(7):
        hired(company, first_name=f"Ah Kow {number}", last_name="Lim", birthdate=str(birthdate))
    page = owner.get(f"/companies/{company.id}").text
    visible, _, rest = page.partition("<summary>CPF rates change for 2 more employees</summary>")
    assert (visible.count("employees above 55"), rest.count("employees above 55")) == (5, 2)


def test_the_dashboard_shows_overdue_filings(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    dashboard = page_text(owner.get(f"/companies/{company.id}"))
    assert "CPF file of Jan 2026 no file was downloaded by 16 Feb 2026" in dashboard
