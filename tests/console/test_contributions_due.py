"""The contributions on the dashboard are those of the filings."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from gaji.console.formats import format_day
from gaji.core import clock
from gaji.documents.filings.payable import PayableMonth
from gaji.documents.filings.service import cpf_due_date, levy_due_date
from gaji.law.months import Month
from gaji.payroll.payslips.statutory_totals import Contributions
from tests.console.console_user import ConsoleUser, page_text
from tests.payroll.payment_runs.runs import done, hired, paid
from tests.payroll.payment_runs.test_corrections import change_salary, corrected
from tests.payroll.payslips.slips import enter
from tests.support.company import Company, of_status
from tests.support.running import Member, Service

TILES = re.compile(
    r"CPF due by (?P<due>[\w ]+?) \$(?P<cpf>[\d,.]+) .*?SDL \$(?P<sdl>[\d,.]+), funds \$(?P<funds>[\d,.]+) "
    r"Foreign worker levy \$(?P<levy>[\d,.]+) .*?For (?P<month>\w+ \d+), from finalised payslips"
)


def this_month() -> Month:
    return Month.from_date(clock.today())


def last_month() -> Month:
    return this_month() - 1


@pytest.fixture
def company(account: Member) -> Company:
    """A company that can file."""
    return Company.of(account, cpf_submission_number="202699999EPTE01")


def shown(owner: ConsoleUser, company: Company) -> dict[str, str]:
    """The month and the amounts on the dashboard."""
    tiles = TILES.search(page_text(owner.get(f"/companies/{company.id}")))
    assert tiles
    return {name: tiles[name].replace(",", "") for name in ("month", "cpf", "sdl", "funds", "levy")}


def filed(company: Company, month: Month) -> dict[str, str]:
    """The month and the amounts of its filings."""
    answer = company.member.get(f"/clients/{company.id}/filings/{month}")
    assert answer.status_code == 200, answer.text
    filings: dict[str, Any] = {item["filing"]["name"]: item["filing"] for item in answer.json()}
    amounts = {payment["name"]: payment["amount"] for payment in filings["cpf"]["payments"]}
    cpf, sdl = amounts.pop("CPF"), amounts.pop("Skills development levy")
    levy = filings.get("foreign_worker_levy", {"total": 0})["total"]
    values = {"cpf": cpf, "sdl": sdl, "funds": sum(amounts.values()), "levy": levy}
    return {"month": f"{month.first_day:%b %Y}", **{name: f"{value:.2f}" for name, value in values.items()}}


def test_a_correction_belongs_to_the_month_that_it_corrects(owner: ConsoleUser, company: Company) -> None:
    start = str(last_month().first_day)
    employee_id = hired(company, "3000.00", appointment_date=start)
    run_id = paid(company, str(last_month().last_day))
    before = shown(owner, company)
    change_salary(company, employee_id, "3300.00", start)
    corrected(company, run_id)
    after = shown(owner, company)
    assert float(after["cpf"]) - float(before["cpf"]) == 111
    assert after == filed(company, last_month())


def test_the_month_before_stays_until_it_is_submitted(owner: ConsoleUser, company: Company) -> None:
    start = str(last_month().first_day)
    hired(company, appointment_date=start)
    worker_id = hired(company, **{**of_status("FOREIGNER_WP"), "appointment_date": start, "pass_from": start})
    enter(company, f"employees/{worker_id}", "foreign_worker_levy", amount="450.00")
    paid(company, str(last_month().last_day))
    paid(company, str(this_month().last_day))
    assert shown(owner, company) == filed(company, last_month())
    home = f"/companies/{company.id}"
    assert "The CPF file of the month was downloaded." not in page_text(owner.get(home))
    assert owner.get(f"{home}/filings?month={last_month()}&download=cpf").status_code == 200
    if shown(owner, company)["month"] == f"{last_month().first_day:%b %Y}":
        assert "The CPF file of the month was downloaded." in page_text(owner.get(home))


def test_the_levy_of_last_month_stays_on_the_dashboard_after_its_due_date(owner: ConsoleUser, company: Company) -> None:
    start, home = str(last_month().first_day), f"/companies/{company.id}"
    hired(company, appointment_date=start)
    worker_id = hired(company, **{**of_status("FOREIGNER_WP"), "appointment_date": start, "pass_from": start})
    enter(company, f"employees/{worker_id}", "foreign_worker_levy", amount="450.00")
    paid(company, str(last_month().last_day))
    paid(company, str(this_month().last_day))
    assert owner.get(f"{home}/filings?month={last_month()}&download=cpf").status_code == 200
    page, due = owner.get(home), levy_due_date(last_month())
    assert f'<a href="{home}/filings?month={last_month()}">$450.00</a>' in page.text
    levy = f"Foreign worker levy $450.00 for {last_month().first_day:%b %Y}; "
    if due < clock.today():
        assert f"{levy}was due on {format_day(due)}. Payments of the levy are not recorded here" in page_text(page)
    else:
        payable = f"payable to the Ministry of Manpower by GIRO or PayNow, by {format_day(due)}"
        assert levy + payable in page_text(page)


def test_a_correction_after_the_cpf_file_needs_attention_until_the_next_file(
    owner: ConsoleUser, company: Company
) -> None:
    start = str(last_month().first_day)
    employee_id = hired(company, "3000.00", appointment_date=start)
    run_id = paid(company, str(last_month().last_day))
    home = f"/companies/{company.id}"
    note = f"CPF for {last_month().first_day:%b %Y} a pay run was finalised after the CPF file was downloaded"
    download = f"{home}/filings?month={last_month()}&download=cpf"
    assert owner.get(download).status_code == 200
    assert note not in page_text(owner.get(home))
    change_salary(company, employee_id, "3300.00", start)
    corrected(company, run_id)
    assert note in page_text(owner.get(home))
    assert owner.get(download).status_code == 200
    assert note not in page_text(owner.get(home))


def test_a_week_of_two_months_is_divided_as_in_the_filings(owner: ConsoleUser, company: Company) -> None:
    end = this_month().first_day + timedelta(days=2)
    wave_id = company.wave(frequency="weekly", first_end_date=str(end))
    hired(company, "1200.00", wave_id=wave_id, appointment_date=str(end - timedelta(days=6)))
    paid(company, str(end), wave_id=wave_id)
    assert shown(owner, company) == filed(company, last_month())


def test_a_week_that_ends_in_the_next_month_makes_its_month_overdue(owner: ConsoleUser, company: Company) -> None:
    month = this_month() - 2
    end = month.first_day + timedelta(days=2)
    wave_id = company.wave(frequency="weekly", first_end_date=str(end))
    hired(company, "1200.00", wave_id=wave_id, appointment_date=str(end - timedelta(days=6)))
    paid(company, str(end), wave_id=wave_id)
    months = [month - 1, month]
    answer = company.member.get(f"/clients/{company.id}/deadlines").json()
    deadlines = [element["deadline"] for element in answer]
    assert [item["month"] for item in deadlines if item["type"] == "cpf"] == [str(item) for item in months]
    dashboard = owner.get(f"/companies/{company.id}").text
    assert all(f"/companies/{company.id}/filings?month={item}" in dashboard for item in months)
    assert f"filings?month={months[0]}" in owner.get("/companies").text


def test_a_month_is_due_until_it_is_submitted_and_its_due_dates_passed() -> None:
    month = Month(2026, 10)
    cpf_day, levy_day, late = cpf_due_date(month), levy_due_date(month), levy_due_date(month) + timedelta(days=1)
    assert cpf_day < levy_day
    cpf, levy = Contributions(cpf_employer=100), Contributions(cpf_employer=100, levy=100)
    assert PayableMonth(month, cpf, submitted_at=None).is_due(late)
    assert PayableMonth(month, cpf, submitted_at=datetime.now(UTC)).is_due(cpf_day)
    assert not PayableMonth(month, cpf, submitted_at=datetime.now(UTC)).is_due(levy_day)
    assert PayableMonth(month, levy, submitted_at=datetime.now(UTC)).is_due(levy_day)
    assert not PayableMonth(month, levy, submitted_at=datetime.now(UTC)).is_due(late)
    assert not PayableMonth(month, Contributions(levy=100), submitted_at=None).is_due(late)


def test_filings_open_on_the_month_that_is_due(owner: ConsoleUser, company: Company) -> None:
    path = f"/companies/{company.id}/filings"
    assert f'value="{last_month()}"' in owner.get(path).text
    hired(company, "3000.00", appointment_date=str(this_month().first_day))
    paid(company, str(this_month().last_day))
    assert f'value="{this_month()}"' in owner.get(path).text
    assert f'href="{path}?month={this_month()}"' in owner.get(f"/companies/{company.id}").text
    assert company.member.get(f"/clients/{company.id}/filings/{this_month()}/cpf").status_code == 200
    assert f'value="{this_month()}"' in owner.get(path).text


def test_a_pay_run_is_not_done_before_its_cpf_file_is_downloaded(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00", appointment_date=str(last_month().first_day))
    run_id = paid(company, str(last_month().last_day))
    complete_run(company, run_id)
    page = owner.get(f"/payment_runs/{run_id}")
    assert "All done" not in page_text(page)
    assert "Download the CPF file" in page_text(page)
    assert f'href="/companies/{company.id}/filings?month={last_month()}"' in page.text
    assert company.member.get(f"/clients/{company.id}/filings/{last_month()}/cpf").status_code == 200
    assert "All done" in page_text(owner.get(f"/payment_runs/{run_id}"))
    change_salary(company, employee_id, "3300.00", str(last_month().first_day))
    correction_id = corrected(company, run_id)
    complete_run(company, correction_id)
    assert "Check the CPF file" in page_text(owner.get(f"/payment_runs/{correction_id}"))
    assert company.member.get(f"/clients/{company.id}/filings/{last_month()}/cpf").status_code == 200
    assert "All done" in page_text(owner.get(f"/payment_runs/{correction_id}"))


def test_a_reopened_pay_run_that_changed_nothing_needs_no_cpf_file(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00", appointment_date=str(last_month().first_day))
    run_id = paid(company, str(last_month().last_day))
    path, home = f"/payment_runs/{run_id}", f"/companies/{company.id}"
    assert company.member.get(f"/clients/{company.id}/filings/{last_month()}/cpf").status_code == 200
    for action in ("unfinalise", "finalise"):
        done(company, run_id, action)
    complete_run(company, run_id)
    assert "All done" in page_text(owner.get(path))
    assert "a pay run was finalised after the CPF file was downloaded" not in page_text(owner.get(home))
    assert company.member.post(f"{path}/mark_not_paid", {}).status_code == 200
    done(company, run_id, "unfinalise")
    change_salary(company, employee_id, "3300.00", str(last_month().first_day))
    done(company, run_id, "finalise")
    complete_run(company, run_id)
    assert "Check the CPF file" in page_text(owner.get(path))
    assert "a pay run was finalised after the CPF file was downloaded" in page_text(owner.get(home))


def test_the_contributions_of_a_large_month_are_not_compared(
    owner: ConsoleUser, company: Company, service: Service
) -> None:
    start, end = str(last_month().first_day), str(last_month().last_day)
    wave_id = company.wave(frequency="monthly", last_day_of_month=31, first_end_date=end)
    hired(company, "3000.00", appointment_date=start)
    hired(company, "3000.00", appointment_date=start, wave_id=wave_id)
    large_id, run_id = paid(company, end), paid(company, end, wave_id=wave_id)
    assert company.member.get(f"/clients/{company.id}/filings/{last_month()}/cpf").status_code == 200
    for action in ("unfinalise", "finalise"):
        done(company, run_id, action)
    complete_run(company, run_id)
    path, home = f"/payment_runs/{run_id}", f"/companies/{company.id}"
    later = "a pay run was finalised after the CPF file was downloaded"
    assert "All done" in page_text(owner.get(path))
    assert later not in page_text(owner.get(home))
    service.as_login("UPDATE payment_runs SET payslip_count = 1000 WHERE id = $1", large_id)
    assert "Check the CPF file" in page_text(owner.get(path))
    assert later in page_text(owner.get(home))


def test_the_cpf_file_of_a_month_waits_for_its_other_periods(owner: ConsoleUser, company: Company) -> None:
    hired(company, "3000.00", appointment_date=str(last_month().first_day))
    wave = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": str(last_month().last_day)}
    other = company.member.post(f"/clients/{company.id}/waves", wave)
    assert other.status_code == 200, other.text
    company.hire(wave_id=other.json()["id"], appointment_date=str(last_month().first_day))
    run_id = paid(company, str(last_month().last_day))
    complete_run(company, run_id)
    page = page_text(owner.get(f"/payment_runs/{run_id}"))
    assert "All done for now" in page
    assert "when the other pay periods of the month are finalised" in page


def complete_run(company: Company, run_id: int) -> None:
    """Mark a finalised run as paid, release it and post its journal."""
    path = f"/payment_runs/{run_id}"
    assert company.member.post(f"{path}/mark_paid", {}).status_code == 200
    assert company.member.post(f"{path}/release").status_code == 200
    assert company.member.patch(path, {"posted_to_accounting_system": True}).status_code == 200


def test_a_correction_is_a_cost_of_the_month_that_it_corrects(owner: ConsoleUser, company: Company) -> None:
    start = str(this_month().first_day)
    employee_id = hired(company, "3000.00", appointment_date=start)
    run_id = paid(company, str(this_month().last_day))
    home = f"/companies/{company.id}"
    assert "Up to date" in page_text(owner.get(home))
    before = cost(owner.get(home).text)
    change_salary(company, employee_id, "3300.00", start)
    assert "its proposed pay date is" in page_text(owner.get(f"/payment_runs/{run_id}/correct"))
    corrected(company, run_id)
    assert cost(owner.get(home).text) - before == Decimal("351.75")
    history = page_text(owner.get(f"{home}/payment_runs"))
    assert f"Correction of {this_month().last_day:%-d %b %Y} with the period to" in history


def cost(page: str) -> Decimal:
    """The cost of the only month in the chart of the dashboard."""
    [text] = re.findall(r'"Payroll cost by month: \w+ \d+ \$([\d,.]+)"', page)
    return Decimal(text.replace(",", ""))
