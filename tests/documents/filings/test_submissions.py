"""CPF submissions are recorded: a further file has only what is new."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.documents import ezpay_reader
from tests.documents.ezpay_reader import EzPay
from tests.documents.filings.test_cpf_file import NUMBER, download, filings, single_filing
from tests.payroll.payment_runs.runs import done, hired, opened, paid, payslips
from tests.payroll.payslips.slips import enter
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member


@pytest.fixture
def company(account: Member) -> Company:
    """A company that can file."""
    return Company.of(account, cpf_submission_number=NUMBER)


def file(response: httpx.Response) -> EzPay:
    assert response.status_code == 200, response.text
    return ezpay_reader.read(response.content)


def pay_bonus(company: Company, employee_ids: Sequence[int], amount: str) -> int:
    """Pay a bonus with a special run for January."""
    run_id = opened(company, special=True, employee_ids=list(employee_ids))
    for payslip in payslips(company, run_id):
        enter(company, f"payslips/{payslip['id']}", "bonus", amount=amount)
    done(company, run_id, "finalise")
    return run_id


def change_salary(company: Company, run_id: int, employee_id: int, amount: str) -> None:
    """Reopen the run and finalise it with another salary."""
    done(company, run_id, "unfinalise")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount=amount)
    done(company, run_id, "finalise")


def compared(filing: dict[str, Any]) -> dict[str, tuple[float, float, float]]:
    return {row["payment_code"]: (row["submitted"], row["current"], row["difference"]) for row in filing["comparison"]}


def test_a_download_is_recorded_with_user_totals_and_hash(company: Company) -> None:
    hired(company)
    paid(company)
    before = single_filing(company)
    assert (before["state"], before["advice_code"], before["submissions"]) == ("not_submitted", 1, [])
    assert (before["submitted"], before["current"], before["difference"]) == (0, 1565.5, 1565.5)
    data = download(company).content
    after = single_filing(company)
    [submission] = after["submissions"]
    assert (after["state"], after["difference"], after["changes"], after["refunds"]) == ("submitted", 0, [], [])
    assert submission["sha256"] == after["sha256"] == before["sha256"]
    assert {name: submission[name] for name in ("advice_code", "employees", "total", "downloads", "file_name")} == {
        "advice_code": 1,
        "employees": 1,
        "total": 1565.5,
        "downloads": 1,
        "file_name": "202699999EPTE01JAN202601.DTL",
    }
    assert submission["downloaded_by"]
    assert submission["downloaded_at"].endswith("+08:00")
    assert compared(after) == {"01": (1554, 1554, 0), "04": (1.5, 1.5, 0), "11": (10, 10, 0)}
    assert download(company).content == data


def test_an_unchanged_month_gives_the_same_file_and_the_same_submission(company: Company) -> None:
    employee_id = hired(company)
    run_id = paid(company)
    data = download(company).content
    viewer = company.member.colleague(company.id, "viewer")
    assert viewer.get(f"/clients/{company.id}/filings/2026-01/cpf").content == data
    done(company, run_id, "unfinalise")
    done(company, run_id, "finalise")
    assert download(company).content == data
    [submission] = single_filing(company)["submissions"]
    assert submission["downloads"] == 3
    assert submission["downloaded_by"] == submission["last_downloaded_by"]
    company.member.patch(f"/employees/{employee_id}", {"employee": {"first_name": "Mei Lin"}})
    renamed = download(company).content
    assert renamed != data
    assert ezpay_reader.read(renamed).header["advice_code"] == "01"


def test_downloads_at_the_same_time_are_one_submission(company: Company) -> None:
    hired(company)
    paid(company)
    with ThreadPoolExecutor(4) as threads:
        contents = {response.content for response in threads.map(lambda _: download(company), range(4))}
    assert len(contents) == 1
    [submission] = single_filing(company)["submissions"]
    assert submission["downloads"] == 4


def test_a_further_file_has_only_what_is_new(company: Company) -> None:
    mei, ravi = hired(company), hired(company, "3000.00", race="INDIAN", first_name="Ravi")
    paid(company)
    first = file(download(company))
    pay_bonus(company, [ravi], "1000.00")
    filing = single_filing(company)
    assert (filing["state"], filing["advice_code"], filing["employees"]) == ("changed", 2, 1)
    assert filing["difference"] == filing["total"] > 370
    second = file(download(company))
    record = second.details_of("01")[company.employee(ravi)["nric"]]
    assert second.header["advice_code"] == "02"
    assert list(second.details_of("01")) == [company.employee(ravi)["nric"]]
    assert (int(record["amount"]), int(record["ordinary"]), int(record["additional"])) == (37_000, 300_000, 100_000)
    after = single_filing(company)
    for code in ("01", "03", "04", "11"):
        month = round(compared(after)[code][1] * 100)
        assert first.amount(code) + second.amount(code) == month
    assert [submission["advice_code"] for submission in after["submissions"]] == [1, 2]
    assert file(download(company)) == second
    assert after["state"] == "submitted"
    assert company.employee(mei)["nric"] in first.details_of("01")


def test_what_was_submitted_too_much_is_listed_as_a_refund(company: Company) -> None:
    mei = hired(company)
    ravi = hired(company, "3000.00", race="INDIAN", first_name="Ravi")
    run_id = paid(company)
    data = download(company).content
    change_salary(company, run_id, mei, "4000.00")
    filing = single_filing(company)
    assert filing["state"] == "changed"
    assert {(refund["employee_id"], refund["payment_code"]): refund["amount"] for refund in filing["refunds"]} == {
        (mei, "01"): 74.0,
        (None, "11"): 1.0,
    }
    assert [
        (change["employee_id"], change["submitted"], change["current"], change["difference"])
        for change in filing["changes"]
    ] == [(mei, 1554.0, 1480.0, -74.0), (None, 18.0, 17.0, -1.0)]
    # Nothing is new, so the download is the first file again.
    assert download(company).content == data
    done(company, run_id, "unfinalise")
    enter(company, f"employees/{ravi}", "basic_salary", fixed_amount="3100.00")
    done(company, run_id, "finalise")
    second = file(download(company))
    assert list(second.details_of("01")) == [company.employee(ravi)["nric"]]
    assert second.amount("01") == 3700
    assert [refund["employee_id"] for refund in single_filing(company)["refunds"]] == [mei, None]


def test_a_month_without_payslips_after_a_submission_is_refunded_completely(company: Company) -> None:
    hired(company)
    run_id = paid(company)
    data = download(company).content
    done(company, run_id, "unfinalise")
    assert company.member.call("DELETE", f"/payment_runs/{run_id}").status_code == 200
    filing = single_filing(company)
    assert (filing["state"], filing["current"], filing["difference"]) == ("changed", 0, -1565.5)
    assert sum(refund["amount"] for refund in filing["refunds"]) == 1565.5
    assert download(company).content == data


def test_a_submission_that_was_not_sent_can_be_discarded(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    first = file(download(company))
    pay_bonus(company, [employee_id], "1000.00")
    download(company)
    [one_id, two_id] = [submission["id"] for submission in single_filing(company)["submissions"]]
    answer = company.member.call("DELETE", f"/cpf_submissions/{one_id}")
    assert "is not the last one of its month" in assert_problem(answer, 409)["message"]
    viewer = company.member.colleague(company.id, "viewer")
    assert_problem(viewer.call("DELETE", f"/cpf_submissions/{two_id}"), 403)
    for submission_id in (two_id, one_id):
        answer = company.member.call("DELETE", f"/cpf_submissions/{submission_id}")
        assert answer.json() == {"message": "The CPF submission has been discarded"}
        assert_problem(company.member.call("DELETE", f"/cpf_submissions/{submission_id}"), 404)
    assert single_filing(company)["state"] == "not_submitted"
    whole = file(download(company))
    assert whole.header["advice_code"] == "01"
    assert whole.amount("01") == first.amount("01") + 37_000


def test_an_advice_code_is_used_once(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    assert file(download(company, query="?advice_code=7")).header["advice_code"] == "07"
    assert file(download(company, query="?advice_code=7")).header["advice_code"] == "07"
    assert field_errors(download(company, query="?advice_code=8")) == {
        "advice_code": "nothing is new since the submission with advice code 7; leave the parameter out"
    }
    pay_bonus(company, [employee_id], "1000.00")
    assert field_errors(download(company, query="?advice_code=7")) == {
        "advice_code": "7 was used by an earlier submission of 2026-01"
    }
    assert file(download(company)).header["advice_code"] == "08"


def test_a_file_with_errors_is_not_recorded(account: Member) -> None:
    company = Company.of(account)
    hired(company)
    paid(company)
    assert download(company).status_code == 422
    hiding = account.with_another_key(hide_identifiers=True)
    account.patch(f"/clients/{company.id}", {"cpf_submission_number": NUMBER})
    assert_problem(hiding.get(f"/clients/{company.id}/filings/2026-01/cpf"), 403)
    assert single_filing(company)["submissions"] == []
    assert download(company).status_code == 200
    assert len(single_filing(company)["submissions"]) == 1
    assert filings(company, "2026-02").json() == []
