"""The forms of reports, and the addresses that they show."""

import html
import io
import re
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlencode

import httpx
import openpyxl
import pytest

from gaji.core import clock
from tests.console.console_user import ConsoleUser, page_text
from tests.console.sample_company import FEBRUARY
from tests.payroll.payment_runs.runs import hired, opened, paid, read
from tests.support.company import Company


def test_reports_are_shown_and_downloaded(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    path = f"/companies/{company.id}/reports/transaction_history"
    query = "?start_date=2026-01-01&end_date=2026-01-31"
    page = page_text(owner.get(path + query))
    assert "1 row" in page
    assert "$4,200.00" in page
    csv = owner.get(f"{path}{query}&format=csv")
    assert csv.headers["content-disposition"] == 'attachment; filename="transaction_history.csv"'
    assert "4200.00" in csv.text
    sheet = openpyxl.load_workbook(io.BytesIO(owner.get(f"{path}{query}&format=xlsx").content)).active
    assert sheet.max_row == 2
    wrong = owner.get(f"{path}?start_date=2026-02-01&end_date=2026-01-31")
    assert wrong.status_code == 422
    assert "must not be before the start date" in page_text(wrong)
    for name in ("variance", "comparison_leave", "leave_liability_v2", "tracked_balances", "employee_tax_incentive"):
        assert owner.get(f"/companies/{company.id}/reports/{name}").status_code == 200
    assert owner.get(f"/companies/{company.id}/reports/nothing").status_code == 404


class FormReader(HTMLParser):
    """Reads what a browser sends when the form of a report is submitted as it is shown."""

    def __init__(self, page: httpx.Response) -> None:
        super().__init__()
        self.pairs: list[tuple[str, str]] = []
        self._in_form, self._select = False, ""
        self.feed(page.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the successful controls."""
        values = dict(attrs)
        if tag == "form":
            self._in_form = values.get("method") == "get" and "/reports/" in (values.get("action") or "")
        elif tag == "select" and self._in_form:
            self._select = values["name"] or ""
            self.pairs.append((self._select, ""))
        elif tag == "option" and self._select and "selected" in values:
            self.pairs[-1] = (self._select, values["value"] or "")
        elif tag == "input" and self._in_form and (values.get("type") != "checkbox" or "checked" in values):
            self.pairs.append((values["name"] or "", values["value"] or ""))

    def handle_endtag(self, tag: str) -> None:
        """Leave a form or a select."""
        if tag == "form":
            self._in_form = False
        elif tag == "select":
            self._select = ""


@pytest.mark.parametrize("report", ["transaction_history", "comparison_leave"])
def test_the_url_of_a_report_is_a_complete_request_for_the_api(
    owner: ConsoleUser, company: Company, report: str
) -> None:
    field_id = company.field(name="Cost centre, main", type="text")
    company.patch(hired(company), custom_fields={str(field_id): "4100"})
    paid(company)
    page = owner.get(f"/companies/{company.id}/reports/{report}")
    dates = {"start_date": "2026-01-01", "end_date": "2026-01-31"}
    query = urlencode([(name, dates.get(name, value)) for name, value in FormReader(page).pairs])
    values = company.member.get(f"/clients/{company.id}/reports").json()
    sent = parse_qs(query)
    if report == "transaction_history":
        assert sent["account_names"] == values["account_names"]
        assert sent["custom_fields"] == values["custom_fields"]
        assert "Cost centre, main" in sent["custom_fields"]
    else:
        assert sent["leave_types"] == list(company.member.get(f"/clients/{company.id}/leave_types").json())
    shown = owner.get(f"/companies/{company.id}/reports/{report}?{query}")
    assert shown.status_code == 200, page_text(shown)
    answer = company.member.get(f"/clients/{company.id}/reports/{report}?{query}")
    assert answer.status_code == 200, answer.text
    assert answer.json()
    [api_request] = re.findall(r"<code>GET (/v1/[^<]*)</code>", shown.text)
    assert company.member.get(html.unescape(api_request).removeprefix("/v1")).json() == answer.json()
    if report == "transaction_history":
        assert answer.json()[0]["Cost centre, main"] == "4100"
        [csv] = re.findall(r'href="([^"]*format=csv)"', shown.text)
        assert "Insurance" not in owner.get(html.unescape(csv)).text.splitlines()[0]


def test_the_url_of_a_variance_report_has_its_period(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    query = urlencode(FormReader(owner.get(f"/companies/{company.id}/reports/variance")).pairs)
    assert set(parse_qs(query)) == {"humanize", "wave_id", "period_offset"}
    assert company.member.get(f"/clients/{company.id}/reports/variance?{query}").status_code == 200


def test_a_name_that_looks_like_a_date_is_not_formatted(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    assert company.patch(employee_id, first_name="2026-99-99").status_code == 200
    paid(company)
    query = "start_date=2026-01-01&end_date=2026-01-31&custom_fields=first_name"
    page = owner.get(f"/companies/{company.id}/reports/transaction_history?{query}")
    assert page.status_code == 200
    assert "2026-99-99" in page_text(page)


def test_custom_fields_with_the_names_of_other_columns_are_shown(owner: ConsoleUser, company: Company) -> None:
    names = {"Reason": "Relief", "Month": "March", "Variance": "$0.00"}
    values = {str(company.field(name=name, type="text")): value for name, value in names.items()}
    company.patch(hired(company), custom_fields=values)
    paid(company)
    path = f"/companies/{company.id}/reports/transaction_history?start_date=2026-01-01&end_date=2026-01-31"
    for name, text in {**names, "Variance": "$4,200.00"}.items():
        page = owner.get(f"{path}&custom_fields={name}&account_names=Basic%20salary")
        assert page.status_code == 200
        assert text in page_text(page)


def test_variance_shows_differences(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    run_id = opened(company, FEBRUARY)
    offset = read(company, run_id)["period_offset"]
    path = f"/companies/{company.id}/reports/variance?wave_id={company.wave_id}&period_offset={offset}"
    same = owner.get(path)
    assert "0 rows, " in page_text(same)
    assert "<svg viewBox" not in same.text
    employee_id = hired(company, first_name="Siti", last_name="Aminah", appointment_date="2026-02-01")
    number = company.employee(employee_id)["number"]
    text = owner.get(path)
    assert f"Siti Aminah {number}" in page_text(text)
    assert 'aria-label="Change by item, all employees: Basic salary $4,200.00' in text.text


def selected_options(page: httpx.Response) -> list[str]:
    """Return the selected options of a page."""
    return re.findall(r'<option value="([^"]*)" selected>', page.text)


def test_the_variance_form_defaults_to_the_current_period(owner: ConsoleUser, company: Company) -> None:
    [wave] = company.member.get(f"/clients/{company.id}/reports").json()["waves"]
    today = next(period for period in wave["period_offsets"] if period["period_end_date"] >= str(clock.today()))
    page = owner.get(f"/companies/{company.id}/reports/variance")
    assert selected_options(page) == [str(company.wave_id), str(today["period_offset"])]
