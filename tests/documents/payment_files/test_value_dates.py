"""When a run is paid: its payment date, the value date of its files, and the legal deadline."""

from datetime import date, timedelta

import pytest

from gaji.core import clock
from gaji.law.due_dates import is_working_day, next_working_day
from tests.documents import uob_reader
from tests.documents.payment_files.test_files import GIRO, UOB_PAYER, download, files
from tests.payroll.payment_runs.runs import done, hired, listed, opened, paid, payslips, read
from tests.support.company import Company
from tests.support.law import LAW
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member

HOLIDAYS = LAW.holidays
FILE = "uob_giro.txt"


@pytest.fixture
def company(account: Member) -> Company:
    """A company that pays from an account with UOB and may set pay dates."""
    return Company.of(account, bank_account=UOB_PAYER, features={"pay_dates": True})


def next_bank_day() -> date:
    return next_working_day(clock.today() + timedelta(days=1), HOLIDAYS)


def next_day(weekday: int) -> date:
    """Return the next day with this weekday that is no public holiday."""
    days = (clock.today() + timedelta(days=number) for number in range(1, 60))
    return next(day for day in days if day.weekday() == weekday and day not in HOLIDAYS.names)


def next_holiday() -> date:
    return min(day for day in HOLIDAYS.names if day > clock.today() and day.weekday() < 5)


def value_date_in_file(company: Company, run_id: int, query: str = "") -> str:
    answer = download(company, run_id, f"{FILE}{query}")
    assert answer.status_code == 200, answer.text
    return uob_reader.read(answer.content).batch[3]


def test_a_file_has_the_value_date_of_the_query(company: Company) -> None:
    value_date = next_bank_day()
    hired(company, **GIRO)
    run_id = paid(company)
    assert value_date_in_file(company, run_id) == "20260130"  # 31 January 2026 is a Saturday
    assert value_date_in_file(company, run_id, f"?value_date={value_date}") == f"{value_date:%Y%m%d}"
    listed_file = company.member.get(f"/payment_runs/{run_id}/files?value_date={value_date}").json()[0]["file"]
    assert listed_file["pay_dates"] == [str(value_date)]
    assert listed_file["warnings"] == [
        f"{value_date} is after 2026-02-07, the last day on which the salary of the period to 2026-01-31 may be paid"
    ]


def test_value_dates_that_banks_refuse_are_rejected(company: Company) -> None:
    hired(company, **GIRO)
    run_id = paid(company)
    today, holiday = clock.today(), next_holiday()
    reasons = {
        next_day(6): "is a Sunday; banks make payments on working days only",
        next_day(5): "is a Saturday; banks make payments on working days only",
        holiday: f"is a public holiday ({HOLIDAYS.names[holiday]}); banks make payments on working days",
        today - timedelta(days=1): f"is in the past; today is {today}",
    }
    for day, reason in reasons.items():
        for answer in (
            download(company, run_id, f"{FILE}?value_date={day}"),
            company.member.get(f"/payment_runs/{run_id}/files?value_date={day}"),
        ):
            assert f"{day} {reason}" in field_errors(answer)["value_date"]
    assert files(company, run_id)[FILE]["downloads"] == []


def test_a_value_date_that_is_no_date_is_rejected(company: Company) -> None:
    hired(company, **GIRO)
    run_id = paid(company)
    assert field_errors(download(company, run_id, f"{FILE}?value_date=soon")).keys() == {"value_date"}


def test_a_run_has_a_payment_date_of_its_own(company: Company) -> None:
    hired(company, **GIRO)
    run_id = opened(company)
    assert read(company, run_id)["payment_date"] == listed(company)[0]["payment_date"] == "2026-01-31"
    answer = company.member.patch(f"/payment_runs/{run_id}", {"payment_date": "2026-01-30"})
    assert answer.json() == {"message": "The payment run has been updated", "id": run_id}
    done(company, run_id, "finalise")
    assert read(company, run_id)["payment_date"] == "2026-01-30"
    assert value_date_in_file(company, run_id) == "20260130"
    company.member.patch(f"/payment_runs/{run_id}", {"payment_date": None})
    assert read(company, run_id)["payment_date"] == "2026-01-31"
    answer = company.member.patch(f"/payment_runs/{run_id}", {"payment_date": "2030-01-01"})
    assert field_errors(answer) == {"payment_date": "must be from 2025-01-30 to 2027-02-01"}
    company.member.patch(f"/payment_runs/{run_id}", {"posted_to_accounting_system": True})
    assert read(company, run_id)["payment_date"] == "2026-01-31"


def test_the_wave_moves_pay_dates_to_a_working_day(company: Company) -> None:
    hired(company, **GIRO)
    pay_dates = {"enabled": True, "type": "fixed", "day": 31, "when": "current"}
    for choice, payment_date, value_date in (
        ("previous", "2026-01-30", "2026-01-30"),
        ("next", "2026-02-02", "2026-02-02"),
        ("keep", "2026-01-31", "2026-01-30"),
    ):
        body = {"pay_dates": {**pay_dates, "non_working_day": choice}}
        assert company.member.patch(f"/waves/{company.wave_id}", body).status_code == 200
        run_id = paid(company)
        assert read(company, run_id)["payment_date"] == payment_date
        assert files(company, run_id)[FILE]["pay_dates"] == [value_date]
        done(company, run_id, "unfinalise")
        company.member.call("DELETE", f"/payment_runs/{run_id}")
    assert not is_working_day(date(2026, 1, 31), HOLIDAYS)


def test_a_run_that_is_paid_cannot_be_changed(company: Company) -> None:
    hired(company, **GIRO)
    run_id = opened(company)
    path = f"/payment_runs/{run_id}"
    assert (
        "is not finalised and cannot be marked as paid"
        in assert_problem(company.member.post(f"{path}/mark_paid"), 409)["message"]
    )
    done(company, run_id, "finalise")
    assert (read(company, run_id)["paid_at"], read(company, run_id)["paid_by"]) == (None, None)
    assert_problem(company.member.colleague(company.id, "viewer").post(f"{path}/mark_paid"), 403)
    done(company, run_id, "mark_paid")
    run = read(company, run_id)
    assert run["paid_at"].endswith("+08:00")
    assert run["paid_by"]
    done(company, run_id, "mark_paid")
    assert read(company, run_id) == run == run | {key: listed(company)[0][key] for key in ("paid_at", "paid_by")}
    problem = assert_problem(company.member.post(f"{path}/unfinalise"), 409)
    assert "is marked as paid and cannot be unfinalised; mark it as not paid first" in problem["message"]
    assert_problem(company.member.patch(path, {"payment_date": "2026-01-30"}), 409)
    assert company.member.patch(path, {"posted_to_accounting_system": True}).status_code == 200
    done(company, run_id, "mark_not_paid")
    assert read(company, run_id)["paid_at"] is None
    done(company, run_id, "unfinalise")


def test_a_run_is_paid_on_the_day_that_is_recorded(company: Company) -> None:
    hired(company, **GIRO)
    run_id = paid(company)
    path = f"/payment_runs/{run_id}/mark_paid"
    too_late = clock.today() + timedelta(days=32)
    for day in ("soon", "2024-01-31", str(too_late)):
        assert field_errors(company.member.post(path, {"payment_date": day})).keys() == {"payment_date"}
    assert read(company, run_id)["paid_at"] is None
    for _ in range(2):
        assert company.member.post(path, {"payment_date": "2026-02-03"}).status_code == 200
    assert read(company, run_id)["payment_date"] == "2026-02-03"
    assert_problem(company.member.post(path, {"payment_date": "2026-02-04"}), 409)
    assert files(company, run_id)[FILE]["pay_dates"] == ["2026-02-03"]


def test_a_download_has_its_value_date(company: Company) -> None:
    value_date = next_bank_day()
    hired(company, **GIRO)
    run_id = paid(company)
    download(company, run_id, f"{FILE}?value_date={value_date}")
    download(company, run_id, FILE)
    downloads = files(company, run_id)[FILE]["downloads"]
    assert [item["value_date"] for item in downloads] == [str(value_date), "2026-01-30"]


def test_a_payment_that_the_bank_returned_is_reissued_alone(company: Company) -> None:
    mei, ravi = hired(company, **GIRO), hired(company, "3000.00", first_name="Ravi", **GIRO)
    run_id = paid(company)
    path = f"/payment_runs/{run_id}/reissues"
    slips = {slip["employee_id"]: slip["id"] for slip in payslips(company, run_id)}
    body = {"payslip_ids": [slips[ravi]]}
    assert "is not marked as paid" in assert_problem(company.member.post(path, body), 409)["message"]
    done(company, run_id, "mark_paid")
    assert field_errors(company.member.post(path, {"payslip_ids": [slips[ravi], 999_999]})) == {
        "payslip_ids.1": "payslip 999999 is not a payment of this payment run"
    }
    assert field_errors(company.member.post(path, {"payslip_ids": []})).keys() == {"payslip_ids"}
    account = {"bank_id": 7339, "account_number": "5011234567", "branch_code": "501"}
    assert company.member.patch(f"/employees/{ravi}", {"bank_account": account}).status_code == 200
    before = download(company, run_id, FILE).content
    answer = company.member.post(path, body)
    assert answer.json()["message"] == "The payments have been reissued"
    [reissue] = company.member.get(path).json()
    assert reissue["payment_reissue"]["payslip_ids"] == [slips[ravi]]
    assert reissue["payment_reissue"]["created_by"]

    names = files(company, run_id)
    assert list(names) == [FILE, "uob_giro_reissue.txt"]
    assert names["uob_giro_reissue.txt"]["pay_dates"] == [str(clock.today())]
    [detail] = uob_reader.read(download(company, run_id, "uob_giro_reissue.txt").content).details
    assert (detail.fields[2], detail.fields[19], detail.fields[20]) == (str(slips[ravi]), "OCBCSGSGXXX", "5011234567")
    assert download(company, run_id, FILE).content == before
    assert len(uob_reader.read(before).details) == 2
    done(company, run_id, "mark_not_paid")
    assert list(files(company, run_id)) == [FILE]
    assert mei


def test_a_withheld_payment_cannot_be_reissued(company: Company) -> None:
    leaver = hired(company, **GIRO)
    hired(company, first_name="Ravi", **GIRO)
    company.leave(leaver, "2026-01-31", ir21=True)
    run_id = paid(company)
    done(company, run_id, "mark_paid")
    [slip] = [slip["id"] for slip in payslips(company, run_id) if slip["employee_id"] == leaver]
    answer = company.member.post(f"/payment_runs/{run_id}/reissues", {"payslip_ids": [slip]})
    assert "is subject to tax clearance" in field_errors(answer)["payslip_ids.0"]


def test_a_deleted_run_takes_its_records_with_it(company: Company) -> None:
    hired(company, **GIRO)
    run_id = paid(company)
    download(company, run_id, FILE)
    done(company, run_id, "unfinalise")
    assert company.member.call("DELETE", f"/payment_runs/{run_id}").status_code == 200
    assert opened(company)
