"""GET /payment_runs/:id/accounting/files: read back with a plain CSV reader, the files give the journal exactly."""

import csv
import io
from collections import Counter
from decimal import Decimal
from typing import Any

import httpx
import msgspec
import pytest

from tests.payroll.accounting.runs import put, saved
from tests.payroll.payment_runs.runs import hired, opened, paid
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import created

Amounts = dict[tuple[str, str, str], Decimal]
"""By account, item and split; credits are negative."""


def files(company: Company, run_id: int) -> dict[str, dict[str, Any]]:
    answer = company.member.get(f"/payment_runs/{run_id}/accounting/files")
    assert answer.status_code == 200, answer.text
    return {element["file"]["name"]: element["file"] for element in answer.json()}


def download(company: Company, run_id: int, name: str) -> httpx.Response:
    return company.member.get(f"/payment_runs/{run_id}/accounting/files/{name}")


def rows(company: Company, run_id: int, name: str) -> list[dict[str, str]]:
    answer = download(company, run_id, name)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))


def captions(company: Company) -> dict[str, str]:
    items = company.member.get(f"/clients/{company.id}/items_and_outputs").json()
    return {str(item["item"]): item["caption"] for item in items} | {"nett_pay": "Nett pay"}


def journal(company: Company, run_id: int) -> Amounts:
    """Return the journal as the API returns it, by account, caption of the item, and name of the split."""
    content = company.member.get(f"/payment_runs/{run_id}/accounting").content
    [document] = msgspec.json.Decoder(float_hook=Decimal).decode(content)
    names = {split["id"]: split["name"] for split in document["accounting_splits"]} | {"": "", "0": ""}
    texts = captions(company)
    return {
        (posting["label"], texts[posting["line_item"]], names[split]): sign * Decimal(amount)
        for side, sign in (("debit", 1), ("credit", -1))
        for posting in document[side]
        for split, amount in posting["amount"].items()
        if amount
    }


def map_all(company: Company, run_id: int) -> dict[str, str]:
    """Map every account of a journal, and return the accounts by code. Their names are `Payroll:<account>`."""
    accounts = dict.fromkeys(account for account, _, _ in journal(company, run_id))
    codes = {account: str(number) for number, account in enumerate(accounts, 400)}
    body = [{"account": account, "code": code, "name": f"Payroll:{account}"} for account, code in codes.items()]
    saved(put(company, f"/clients/{company.id}/account_mappings", body))
    return {code: account for account, code in codes.items()}


def divided_company(company: Company) -> int:
    """Pay three employees of two pay points and of none, one with a custom item. Returns the run."""
    kitchen, office = (company.member.new_pay_point(company.id, name=name) for name in ("Kitchen", "Büro, 办公室"))
    saved(put(company, f"/clients/{company.id}/accounting_splits", {"mode": "pay_point"}))
    shift = {"name": "Night shift", "kind": "allowance", "input": "per_employee"}
    item = created(company.member.post(f"/clients/{company.id}/calculation_definitions", shift))
    mei = hired(company, "3000.01", pay_point_id=kitchen)
    hired(company, "4000.00", pay_point_id=office)
    hired(company, "2222.22")
    amount = {"calc_type": item, "calculation_details": {"amount": "80.00"}}
    saved(company.member.post(f"/employees/{mei}/calculations", amount))
    return paid(company)


def test_the_generic_file_is_the_journal(company: Company) -> None:
    run_id = divided_company(company)
    read = rows(company, run_id, "journal.csv")
    assert list(read[0]) == [
        "date",
        "narration",
        "account",
        "account_name",
        "cost_centre",
        "debit",
        "credit",
        "description",
    ]
    amounts = {
        (row["account_name"], row["description"], row["cost_centre"]): Decimal(row["debit"] or 0)
        - Decimal(row["credit"] or 0)
        for row in read
    }
    assert len(amounts) == len(read)
    assert amounts == journal(company, run_id)
    assert {row["date"] for row in read} == {"2026-01-31"}
    assert {row["narration"] for row in read} == {f"Payroll 31 Jan 2026, run {run_id}"}
    assert any(row["description"] == "Night shift" and row["cost_centre"] == "Kitchen" for row in read)


def test_the_xero_file_is_the_journal(company: Company) -> None:
    run_id = divided_company(company)
    accounts = map_all(company, run_id)
    settings = {"xero_tracking_category": "Department"}
    saved(company.member.call("PATCH", f"/clients/{company.id}/accounting_export_settings", json=settings))
    read = rows(company, run_id, "xero.csv")
    assert list(read[0]) == [
        "*Narration",
        "*Date",
        "Description",
        "*AccountCode",
        "*TaxRate",
        "*Amount",
        "TrackingName1",
        "TrackingOption1",
        "TrackingName2",
        "TrackingOption2",
    ]
    amounts = {
        (accounts[row["*AccountCode"]], row["Description"], row["TrackingOption1"]): Decimal(row["*Amount"])
        for row in read
    }
    assert len(amounts) == len(read)
    assert amounts == journal(company, run_id)
    assert sum(amounts.values()) == 0
    assert {row["*Date"] for row in read} == {"31/01/2026"}
    assert {row["*TaxRate"] for row in read} == {"No Tax (0%)"}
    assert {(row["TrackingName1"], row["TrackingOption1"]) for row in read} == {
        ("Department", "Kitchen"),
        ("Department", "Büro, 办公室"),
        ("", ""),
    }


def test_the_quickbooks_file_is_the_journal(company: Company) -> None:
    run_id = divided_company(company)
    map_all(company, run_id)
    settings = {"quickbooks_split_column": "class", "quickbooks_date_format": "YYYY-MM-DD"}
    saved(company.member.call("PATCH", f"/clients/{company.id}/accounting_export_settings", json=settings))
    read = rows(company, run_id, "quickbooks_online.csv")
    columns = ["JournalNo", "JournalDate", "AccountName", "Debits", "Credits", "Description", "Name", "Class"]
    assert list(read[0]) == columns
    amounts = {
        (row["AccountName"].removeprefix("Payroll:"), row["Description"], row["Class"]): Decimal(row["Debits"] or 0)
        - Decimal(row["Credits"] or 0)
        for row in read
    }
    assert len(amounts) == len(read)
    assert amounts == journal(company, run_id)
    assert all(bool(row["Debits"]) != bool(row["Credits"]) for row in read)
    assert not any(row[column].startswith("-") for row in read for column in ("Debits", "Credits"))
    assert {(row["JournalNo"], row["JournalDate"]) for row in read} == {(f"PAY-{run_id}", "2026-01-31")}


def test_unmapped_items_are_listed_and_nothing_is_generated(company: Company) -> None:
    hired(company)
    run_id = paid(company)
    listed = files(company, run_id)
    assert list(listed) == ["journal.csv", "xero.csv", "quickbooks_online.csv"]
    assert listed["journal.csv"]["errors"] == {}
    xero = listed["xero.csv"]
    assert xero["bytes"] is None
    assert xero["sha256"] is None
    message = "Basic salary, debited to Salaries and wages, has no account code"
    assert xero["errors"]["items.basic_salary.debit"] == message
    assert {"items.cpf_employee.credit", "items.cpf_employer.debit", "items.nett_pay.credit"} <= set(xero["errors"])
    assert xero["certainty"]["grade"] == "A"
    answer = download(company, run_id, "xero.csv")
    assert answer.status_code == 422
    assert field_errors(answer) == xero["errors"]
    codes = [{"account": account, "code": "1"} for account in {key[0] for key in journal(company, run_id)}]
    saved(put(company, f"/clients/{company.id}/account_mappings", codes))
    assert download(company, run_id, "xero.csv").status_code == 200
    assert all("account name" in error for error in files(company, run_id)["quickbooks_online.csv"]["errors"].values())


def test_the_closest_mapping_wins(company: Company) -> None:
    run_id = divided_company(company)
    map_all(company, run_id)
    points = company.member.get(f"/clients/{company.id}/pay_points").json()
    [kitchen] = [str(point["pay_point"]["id"]) for point in points if point["pay_point"]["name"] == "Kitchen"]
    changes = [
        {"account": "CPF payable", "code": "826"},
        {"account": "CPF payable", "split_id": kitchen, "code": "826K"},
        {"account": "CPF payable", "item": "cpf_employer", "code": "827"},
        {"account": "CPF payable", "item": "cpf_employer", "split_id": "0", "code": "827N"},
    ]
    saved(company.member.call("PATCH", f"/clients/{company.id}/account_mappings", json=changes))
    settings = {"xero_tracking_category": "Department"}
    saved(company.member.call("PATCH", f"/clients/{company.id}/accounting_export_settings", json=settings))
    codes = {
        (row["Description"], row["TrackingOption1"]): row["*AccountCode"]
        for row in rows(company, run_id, "xero.csv")
        if row["Description"].startswith("CPF") and Decimal(row["*Amount"]) < 0
    }
    texts = captions(company)
    employee, employer = texts["cpf_employee"], texts["cpf_employer"]
    assert codes == {
        (employee, "Kitchen"): "826K",
        (employee, "Büro, 办公室"): "826",
        (employee, ""): "826",
        (employer, "Kitchen"): "827",
        (employer, "Büro, 办公室"): "827",
        (employer, ""): "827N",
    }


def test_a_long_journal_is_divided_into_xero_files_that_balance(company: Company) -> None:
    points = [company.member.new_pay_point(company.id, name=f"Outlet {number}") for number in range(45)]
    saved(put(company, f"/clients/{company.id}/accounting_splits", {"mode": "pay_point"}))
    for number, point in enumerate(points):
        hired(company, f"{3000 + number}.{number:02}", pay_point_id=point)
    run_id = paid(company)
    accounts = map_all(company, run_id)
    settings = {"xero_tracking_category": "Outlet"}
    saved(company.member.call("PATCH", f"/clients/{company.id}/accounting_export_settings", json=settings))
    listed = [file for file in files(company, run_id).values() if file["program"] == "Xero"]
    assert [file["name"] for file in listed] == [f"xero_{number}.csv" for number in range(1, len(listed) + 1)]
    assert len(listed) >= 2
    amounts: Counter[tuple[str, str, str]] = Counter()
    for number, file in enumerate(listed, 1):
        read = rows(company, run_id, file["name"])
        assert len(read) == file["lines"] <= 300
        assert sum(Decimal(row["*Amount"]) for row in read) == 0
        assert {row["*Narration"] for row in read} == {f"Payroll 31 Jan 2026, run {run_id} ({number}/{len(listed)})"}
        for row in read:
            key = (accounts[row["*AccountCode"]], row["Description"], row["TrackingOption1"])
            amounts[key] += Decimal(row["*Amount"])  # type: ignore[assignment]
    assert amounts == journal(company, run_id)


def test_the_accounts_of_a_finalised_run_are_mapped_as_they_are_now(company: Company) -> None:
    hired(company)
    run_id = paid(company)
    before = download(company, run_id, "journal.csv").content
    renamed = [{"item": "basic_salary", "debit_account": "6100 Salaries"}]
    saved(put(company, f"/clients/{company.id}/accounts", renamed))
    assert download(company, run_id, "journal.csv").content == before
    map_all(company, run_id)
    assert download(company, run_id, "xero.csv").status_code == 200


def test_only_finalised_runs_have_files(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    for path in ("files", "files/journal.csv"):
        answer = company.member.get(f"/payment_runs/{run_id}/accounting/{path}")
        assert f"Payment run {run_id} of 2026-01-31 is not finalised" in assert_problem(answer, 409)["message"]


@pytest.mark.parametrize("name", ["xero_2.csv", "sage.csv", "x" * 300])
def test_an_unknown_file_is_not_found(company: Company, name: str) -> None:
    hired(company)
    run_id = paid(company)
    answer = download(company, run_id, name)
    assert f"The journal of payment run {run_id} has no file" in assert_problem(answer, 404)["message"]
