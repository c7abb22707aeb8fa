"""Reports of the console: totals, charts and saved selections."""

import io
import re
from decimal import Decimal
from typing import Any

import openpyxl
import pytest

from gaji.console.report_charts import MonthlyChart, RankedAmounts, summarise_rows
from gaji.console.report_table import PER_PAGE, select_rows
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.payroll.payment_runs.runs import hired, paid
from tests.support.company import Company
from tests.support.running import Service

FEBRUARY = "2026-02-28"
JANUARY = {"start_date": "2026-01-01", "end_date": "2026-01-31"}
ACCOUNTS = frozenset({"Basic salary", "Total deduction", "Nett pay"})


def payslip(number: str, date: str, basic: str, deduction: str, nett: str, **fields: str) -> dict[str, Any]:
    """Return a row of a transaction history."""
    amounts = {"Basic salary": basic, "Total deduction": deduction, "Nett pay": nett}
    return {"employee": number, "Date": date, **amounts, **fields}


def variance(number: str, kind: str, item: str, previous: str, selected: str, change: str) -> dict[str, Any]:
    """Return a row of a variance report."""
    amounts = {"Previous": previous, "Selected": selected, "Variance": change}
    return {"employee": number, "Type": kind, "Transaction": {"name": item, "caption": item}, **amounts}


def test_totals_are_of_all_rows_and_of_accounts_only() -> None:
    rows = [
        payslip(str(number), "2026-01-31", "$1,000.10", "$200.00", "-$0.05", Bonus="$5.00")
        for number in range(PER_PAGE + 500)
    ]
    result = select_rows("transaction_history", rows, ACCOUNTS)
    [total] = result.totals
    assert dict(zip(result.keys, total.cells, strict=True)) == {
        "Date": "",
        "Basic salary": "$600,060.00",
        "Total deduction": "$120,000.00",
        "Nett pay": "-$30.00",
        "Bonus": "",
    }


def test_a_report_is_sorted_by_what_is_shown(owner: ConsoleUser, company: Company) -> None:
    people = (("Zul", "Ang", "2000.00"), ("Bala", "Chen", "3000.00"), ("Ali", "Bakar", "900.00"))
    for first_name, last_name, salary in people:
        hired(company, salary, first_name=first_name, last_name=last_name, name_format=2)
    paid(company)
    path = (
        f"/companies/{company.id}/reports/transaction_history?start_date=2026-01-01&end_date=2026-01-31&humanize=true"
    )

    def surnames(sort: str) -> list[str]:
        return re.findall(r'<tr><th scope="row">(\w+) \w+ <span', owner.get(f"{path}&sort={sort}").text)

    assert surnames("employee") == ["Ang", "Bakar", "Chen"]
    assert surnames("-employee") == ["Chen", "Bakar", "Ang"]
    assert surnames("Basic+salary") == ["Bakar", "Ang", "Chen"]
    page = owner.get(f"{path}&sort=-Basic+salary")
    assert 'aria-sort="descending"' in page.text
    assert "$5,900.00" in page_text(page)


def test_totals_of_a_variance_are_those_of_the_payslips() -> None:
    rows = [
        variance("1", "Income", "Basic salary", "$1,000.00", "$1,100.00", "$100.00"),
        variance("1", "Summary", "Nett pay", "$800.00", "$880.00", "$80.00"),
        variance("2", "Income", "Basic salary", "$500.00", "$500.00", "$0.00"),
        variance("2", "Total", "Total deduction", "$100.00", "$100.00", "$0.00"),
        variance("2", "Summary", "Nett pay", "$400.00", "$400.00", "$0.00"),
    ]
    result = select_rows("variance", rows, frozenset())
    assert result.unchanged_count == 3
    assert [(total.name, *total.cells[2:]) for total in result.totals] == [
        ("Total deduction", "$100.00", "$100.00", "$0.00"),
        ("Nett pay", "$1,200.00", "$1,280.00", "$80.00"),
    ]


def test_days_of_leave_are_added_by_type() -> None:
    days = {
        "Accrual": Decimal("0.1"),
        "Entitlement": None,
        "Taken": Decimal("0.2"),
        "Adjustment": 0,
        "Balance": Decimal("7.5"),
    }
    rows = [
        {"employee": str(number), "leave_type": name, "Date": "2026-01-31", **days}
        for number in range(3)
        for name in ("annual", "sick")
    ]
    totals = select_rows("comparison_leave", rows, frozenset()).totals
    assert [(total.name, *total.cells[2:]) for total in totals] == [
        ("Annual", "0.3", "", "0.6", "0", "22.5"),
        ("Sick", "0.3", "", "0.6", "0", "22.5"),
    ]
    chart = summarise_rows("comparison_leave", rows, frozenset())
    assert isinstance(chart, RankedAmounts)
    assert [(name, chart.format_amount(amount)) for name, amount in chart.amounts] == [
        ("Annual", "0.6"),
        ("Sick", "0.6"),
    ]


@pytest.mark.parametrize(("months", "names"), [(2, ["Jan 2025", "Feb 2025"]), (13, ["2025", "2026"])])
def test_pay_is_charted_by_month_or_year(months: int, names: list[str]) -> None:
    dates = [f"{2025 + index // 12}-{index % 12 + 1:02}-28" for index in range(months)]
    rows = [payslip("1", date, "$1,000.00", "$200.00", "$800.00") for date in dates]
    summary = summarise_rows("transaction_history", rows, ACCOUNTS)
    assert isinstance(summary, MonthlyChart)
    assert [bar.name for bar in summary.chart.bars] == names
    assert sum(bar.total for bar in summary.chart.bars) == months * 100_000


def test_one_month_is_charted_by_item() -> None:
    rows = [payslip("1", "2026-01-31", "$1,000.00", "$200.00", "$800.00")]
    assert summarise_rows("transaction_history", rows, ACCOUNTS) == RankedAmounts(
        "Largest items", [("Basic salary", 100_000)]
    )


def test_employees_with_the_largest_loans_are_ranked_by_name() -> None:
    rows = [{"employee": str(n), "Loans": f"${n}00.00", "Savings": "$0.00", "Garnishees": "$0.00"} for n in range(12)]
    summary = summarise_rows("tracked_balances", rows, frozenset())
    assert isinstance(summary, RankedAmounts)
    ranking = summary.draw({"11": "Siti Aminah"})
    assert ranking is not None
    assert [bar.name for bar in ranking.bars] == ["Siti Aminah", *map(str, range(10, 3, -1))]


def report_path(company: Company) -> str:
    """Return the path of the transaction history."""
    return f"/companies/{company.id}/reports/transaction_history"


def saved_rows(company: Company) -> list[dict[str, Any]]:
    """Return the saved selections of a company."""
    rows = company.member.service.as_owner(
        "SELECT id, name, parameters::text FROM report_selections WHERE client_id = $1 ORDER BY id", company.id
    )
    return [dict(row) for row in rows]


def save(user: ConsoleUser, company: Company, name: str, **fields: str) -> Any:
    """Save a selection of the transaction history of January."""
    data = {**JANUARY, "account_names": "Basic salary", "name": name, **fields}
    return user.post(f"{report_path(company)}/selections", data, page="/password")


def test_a_selection_is_saved_opened_and_deleted(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    answer = save(owner, company, "Basic pay", keep_dates="true")
    assert answer.status_code == 303, page_text(answer)
    opened = owner.get(owner.get(answer.headers["location"]).headers["location"])
    text = page_text(opened)
    assert "Selection Basic pay saved" in text
    assert "$4,200.00" in text
    assert "Nett pay" not in re.findall(r"<thead>.*?</thead>", opened.text, re.DOTALL)[-1]
    assert "Basic pay" in page_text(owner.get(f"/companies/{company.id}/reports"))
    log = page_text(owner.get(f"/companies/{company.id}/settings/changes"))
    assert "added the saved selection Basic pay" in log
    assert "Transaction history" in log
    [row] = saved_rows(company)
    deleted = owner.post(f"/companies/{company.id}/report_selections/{row['id']}/delete", page="/password")
    assert deleted.headers["location"] == report_path(company)
    assert saved_rows(company) == []
    assert owner.get(answer.headers["location"]).status_code == 404


def test_a_selection_without_dates_shows_the_latest_period(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    answer = save(owner, company, "Latest")
    assert saved_rows(company)[0]["parameters"] == '{"account_names": ["Basic salary"]}'
    location = owner.get(answer.headers["location"]).headers["location"]
    assert "start_date=" in location
    assert JANUARY["start_date"] not in location
    variance = {"wave_id": str(company.wave_id), "period_offset": "0", "name": "Check"}
    path = f"/companies/{company.id}/reports/variance"
    offset = company.member.get(f"/clients/{company.id}/reports").json()["waves"][0]["period_offsets"][0]
    variance["period_offset"] = str(offset["period_offset"])
    answer = owner.post(f"{path}/selections", variance, page="/password")
    assert owner.get(owner.get(answer.headers["location"]).headers["location"]).status_code == 200


def test_selections_that_are_not_valid_are_not_saved(owner: ConsoleUser, company: Company, service: Service) -> None:
    other = Company.of(service.new_account())
    assert save(owner, company, "Mine").status_code == 303
    for fields, status in (
        ({"name": "mine "}, 422),
        ({"name": ""}, 422),
        ({"name": "x" * 61}, 422),
        ({"name": "New", "account_names": "Nothing"}, 422),
        ({"name": "New", "start_date": "2026-13-01"}, 422),
        ({"name": "New", "wave_ids": str(other.wave_id)}, 422),
    ):
        assert save(owner, company, **fields).status_code == status, fields
    assert [row["name"] for row in saved_rows(company)] == ["Mine"]
    assert saved_rows(other) == []


def test_viewers_open_selections_but_do_not_save_them(owner: ConsoleUser, company: Company) -> None:
    location = save(owner, company, "Shared", keep_dates="true").headers["location"]
    viewer = signed_in_user(company.member.colleague(company.id, "viewer"))
    page = viewer.get(viewer.get(location).headers["location"])
    assert "Shared" in page_text(page)
    assert "Save this selection" not in page_text(page)
    assert save(viewer, company, "Other").status_code == 403


def test_a_report_has_a_limited_number_of_selections(owner: ConsoleUser, company: Company) -> None:
    company.member.service.as_owner(
        "INSERT INTO report_selections (client_id, report, name, parameters) "
        "SELECT $1, 'transaction_history', n::text, '{}' FROM generate_series(1, 50) n",
        company.id,
    )
    assert save(owner, company, "One more").status_code == 409


def test_the_spreadsheet_of_a_report_is_for_people(owner: ConsoleUser, company: Company) -> None:
    hired(company, "3000.00", first_name="Bala", last_name="Chen")
    paid(company)
    path = f"/companies/{company.id}/reports/transaction_history"
    page = page_text(owner.get(path))
    assert "Pay items and totals (" in page
    assert "Employee details (" in page
    query = "start_date=2026-01-01&end_date=2026-01-31&custom_fields=Last name"
    workbook = openpyxl.load_workbook(io.BytesIO(owner.get(f"{path}?{query}&format=xlsx").content))
    [sheet] = workbook.worksheets
    header, row = sheet.rows
    cells = {str(name.value): cell for name, cell in zip(header, row, strict=True)}
    assert cells.keys() >= {"Employee", "Date", "Nett pay"}
    assert cells["Date"].is_date
    assert str(cells["Date"].value) == "2026-01-31 00:00:00"
    assert cells["Date"].number_format == "d mmm yyyy"
    assert cells["Nett pay"].value == 2399
    for name, cell in cells.items():
        assert len(name) < sheet.column_dimensions[cell.column_letter].width <= 42
    csv_text = owner.get(f"{path}?{query}&format=csv").text
    assert csv_text.startswith("employee,")
    assert "2026-01-31" in csv_text
