"""Pay that is withheld for tax clearance (IR21): from the notice date on, released in parts, with a trail."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from gaji.core import clock
from gaji.law.months import Month
from tests.documents import dbs_reader
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH, done, hired, opened, paid, payslips
from tests.payroll.payslips.slips import enter
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.problems import assert_problem, field_errors
from tests.support.races import at_once
from tests.support.running import Member

PAYER: dict[str, Any] = {
    "bank_id": 7171,
    "account_number": "001-234567-8",
    "branch_code": "001",
    "account_name": "Kopi Trading Pte Ltd",
    "company_id": "KOPI01",
}
GIRO: dict[str, Any] = {"payment_method": "eft_manual", "bank_account": BANK_ACCOUNT}
NOTICE: dict[str, Any] = {"notice_date": "2026-01-15", "ir21": True}


@pytest.fixture
def company(account: Member) -> Company:
    """A company that pays from an account with DBS."""
    return Company.of(account, bank_account=PAYER)


def slip_of(company: Company, run_id: int, employee_id: int) -> int:
    [slip] = [payslip["id"] for payslip in payslips(company, run_id) if payslip["employee_id"] == employee_id]
    return int(slip)


def release(company: Company, slip: int, **body: Any) -> httpx.Response:
    return company.member.post(f"/payslips/{slip}/release_payment", body or None)


def withheld(company: Company, employee_id: int) -> list[dict[str, Any]]:
    answer = company.member.get(f"/employees/{employee_id}/withheld_payments")
    assert answer.status_code == 200, answer.text
    return [element["withheld_payment"] for element in answer.json()]


def trail(company: Company, slip: int) -> list[tuple[float, str]]:
    answer = company.member.get(f"/payslips/{slip}/payment_releases")
    assert answer.status_code == 200, answer.text
    elements = [element["payment_release"] for element in answer.json()]
    assert all(element["payslip_id"] == slip and element["created_at"].endswith("+08:00") for element in elements)
    return [(element["amount"], element["to"]) for element in elements]


def files(company: Company, run_id: int) -> dict[str, dict[str, Any]]:
    answer = company.member.get(f"/payment_runs/{run_id}/files")
    assert answer.status_code == 200, answer.text
    return {element["file"]["name"]: element["file"] for element in answer.json()}


def is_clearance_due(company: Company) -> bool:
    response = company.member.get(f"/clients/{company.id}/deadlines")
    assert response.status_code == 200, response.text
    return any(element["deadline"]["type"] == "ir21" for element in response.json())


def leaver(company: Company, salary: str = "5000.00", end_date: str | None = "2026-02-14", **given: Any) -> int:
    """Return a foreigner without CPF or funds whose notice is in January and whose last day is in February."""
    employee_id = hired(
        company,
        salary,
        legal_status="FOREIGNER",
        fin="G1612350T",
        nationality="IN",
        race="OTHER",
        sdl_exempt=True,
        **GIRO,
        **given,
    )
    if end_date is not None:
        company.leave(employee_id, end_date, **NOTICE)
    return employee_id


def test_everything_payable_from_the_notice_date_on_is_withheld(company: Company) -> None:
    employee_id, colleague = leaver(company), hired(company, **GIRO)
    january, february = paid(company), paid(company, FEBRUARY)
    listed = withheld(company, employee_id)
    assert [(payment["date"], payment["withheld"]) for payment in listed] == [
        (JANUARY, 5000.0),
        (FEBRUARY, listed[1]["nett_pay"]),
    ]
    for run_id, payment in zip((january, february), listed, strict=True):
        file = files(company, run_id)["dbs_giro.csv"]
        assert file["payments"] == 1
        assert file["withheld"] == [
            {"payslip_id": payment["payslip_id"], "employee_id": employee_id, "amount": payment["withheld"]}
        ]
    assert withheld(company, colleague) == []


def test_pay_before_the_notice_date_is_not_withheld(company: Company) -> None:
    employee_id = leaver(company)
    company.act(employee_id, "end_service", notice_date="2026-02-01")
    january = paid(company)
    assert files(company, january)["dbs_giro.csv"]["payments"] == 1
    paid(company, FEBRUARY)
    assert [payment["date"] for payment in withheld(company, employee_id)] == [FEBRUARY]


def test_pay_of_a_run_that_is_paid_after_the_notice_date_is_withheld_when_it_is_finalised_again(
    company: Company,
) -> None:
    employee_id = leaver(company, end_date=None)
    january = paid(company)
    company.leave(employee_id, "2026-02-27", notice_date="2026-02-19", ir21=True)
    for payment_date, is_withheld in ((None, False), ("2026-02-18", False), ("2026-02-19", True)):
        body = {"payment_run": {"payment_date": payment_date}}
        assert company.member.patch(f"/payment_runs/{january}", body).status_code == 200
        done(company, january, "unfinalise")
        done(company, january, "finalise")
        assert [payment["date"] for payment in withheld(company, employee_id)] == ([JANUARY] if is_withheld else [])
    assert [payment["amount"] for payment in files(company, january)["dbs_giro.csv"]["withheld"]] == [5000.0]


def test_without_ir21_nothing_is_withheld(company: Company) -> None:
    employee_id = leaver(company)
    company.act(employee_id, "end_service", ir21=False)
    january = paid(company)
    assert files(company, january)["dbs_giro.csv"]["withheld"] == []
    assert withheld(company, employee_id) == []


def test_a_directive_is_carried_out_in_two_parts(company: Company) -> None:
    employee_id = leaver(company)
    january = paid(company)
    slip = slip_of(company, january, employee_id)
    answer = release(company, slip, amount="1200.50", to="iras")
    assert answer.json() == {
        "message": "$1,200.50 of the payslip has been released to the tax authority",
        "id": slip,
    }
    assert list(files(company, january)) == ["dbs_giro.csv"]
    assert files(company, january)["dbs_giro.csv"]["withheld"][0]["amount"] == 3799.5
    assert release(company, slip).json()["message"] == "The payment of the payslip has been released"
    assert trail(company, slip) == [(1200.5, "iras"), (3799.5, "employee")]
    [payment] = withheld(company, employee_id)
    assert (payment["released_to_iras"], payment["released_to_employee"], payment["withheld"]) == (1200.5, 3799.5, 0.0)
    released = files(company, january)["dbs_giro_released.csv"]
    assert (released["total"], released["pay_dates"]) == (3799.5, [str(clock.today())])
    assert not any("last day on which the salary" in warning for warning in released["warnings"])


def test_each_release_to_the_employee_has_its_own_file(company: Company) -> None:
    employee_id = leaver(company)
    january = paid(company)
    slip = slip_of(company, january, employee_id)
    for amount in (1000, "250.25"):
        assert release(company, slip, amount=amount, to="employee").status_code == 200
    assert {name: file["total"] for name, file in files(company, january).items() if "released" in name} == {
        "dbs_giro_released.csv": 1000.0,
        "dbs_giro_released_2.csv": 250.25,
    }
    second = company.member.get(f"/payment_runs/{january}/files/dbs_giro_released_2.csv")
    assert [payment.cents for payment in dbs_reader.read(second.content).payments] == [25025]
    assert withheld(company, employee_id)[0]["withheld"] == 3749.75


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"amount": "5000.01"}, {"amount": "must not be above 5000.00, which is what is withheld"}),
        ({"amount": 0}, {"amount": "must be above 0"}),
        ({"amount": -1}, {"amount": "must not be negative"}),
        ({"amount": "all"}, {"amount": "must be an amount such as 1234.50"}),
        ({"to": "bank"}, {"to": "must be one of employee, iras"}),
        (
            {"amount": 6000, "to": 1},
            {
                "amount": "must not be above 5000.00, which is what is withheld",
                "to": "must be one of employee, iras",
            },
        ),
    ],
)
def test_an_invalid_release_is_rejected_and_nothing_is_saved(
    company: Company, body: dict[str, Any], errors: dict[str, str]
) -> None:
    employee_id = leaver(company)
    slip = slip_of(company, paid(company), employee_id)
    assert field_errors(release(company, slip, **body)) == errors
    assert trail(company, slip) == []


def test_a_second_release_cannot_exceed_the_rest(company: Company) -> None:
    employee_id = leaver(company)
    slip = slip_of(company, paid(company), employee_id)
    assert release(company, slip, amount=4000).status_code == 200
    expected = {"amount": "must not be above 1000.00, which is what is withheld"}
    assert field_errors(release(company, slip, amount="1000.01", to="iras")) == expected
    assert release(company, slip, amount=1000, to="iras").status_code == 200
    assert field_errors(release(company, slip, amount=1)) == {
        "amount": "must not be above 0.00, which is what is withheld"
    }


def test_two_releases_at_once_never_exceed_what_is_withheld(company: Company) -> None:
    employee_id = leaver(company)
    slip = slip_of(company, paid(company), employee_id)
    answers = at_once([lambda: release(company, slip, amount=3000)] * 2)
    assert sorted(answer.status_code for answer in answers) == [200, 422]
    assert trail(company, slip) == [(3000.0, "employee")]


def test_a_payment_that_is_not_withheld_cannot_be_released_in_part(company: Company) -> None:
    employee_id = hired(company, **GIRO)
    slip = slip_of(company, paid(company), employee_id)
    assert release(company, slip).status_code == 200
    assert "amount" in field_errors(release(company, slip, amount=1))
    assert trail(company, slip) == []


def test_a_once_off_payment_after_the_last_day_is_withheld_too(company: Company) -> None:
    employee_id = leaver(company)
    for end in (JANUARY, FEBRUARY):
        paid(company, end)
    hired(company, **GIRO)
    run_id = opened(company, FEBRUARY, special=True, employee_ids=[employee_id])
    slip = payslips(company, run_id)[0]["id"]
    enter(company, f"payslips/{slip}", "reimbursement", amount="80.00")
    done(company, run_id, "finalise")
    assert withheld(company, employee_id)[-1]["withheld"] == 80.0


def test_the_pay_of_a_new_service_is_not_withheld(company: Company) -> None:
    employee_id = leaver(company)
    for end in (JANUARY, FEBRUARY):
        paid(company, end)
    assert company.act(employee_id, "reinstate", appointment_date="2026-03-01").status_code == 200
    march = paid(company, MARCH)
    assert files(company, march)["dbs_giro.csv"]["withheld"] == []
    assert [payment["date"] for payment in withheld(company, employee_id)] == [JANUARY, FEBRUARY]


def test_employees_cannot_see_what_is_withheld(company: Company) -> None:
    employee_id = leaver(company)
    january = paid(company)
    done(company, january, "release")
    slip = slip_of(company, january, employee_id)
    employee = company.member.colleague(company.id, "employee", employee_id)
    assert_problem(employee.get(f"/employees/{employee_id}/withheld_payments"), 403)
    assert_problem(employee.get(f"/payslips/{slip}/payment_releases"), 403)
    viewer = company.member.colleague(company.id, "viewer")
    assert viewer.get(f"/payslips/{slip}/payment_releases").json() == []
    assert_problem(viewer.post(f"/payslips/{slip}/release_payment"), 403)


def test_tax_clearance_is_due_until_the_last_days_are_paid_and_released(company: Company) -> None:
    last_month = Month.from_date(clock.today()) + -1
    first_month = last_month + -1
    employee_id = leaver(company, appointment_date=str(first_month.first_day), end_date=None)
    notice: dict[str, Any] = {"notice_date": str(first_month.first_day), "ir21": True}
    company.leave(employee_id, str(last_month.first_day + timedelta(days=12)), **notice)
    for month in (first_month, last_month):
        assert is_clearance_due(company)
        run_id = paid(company, str(month.last_day))
        assert is_clearance_due(company)
        assert release(company, slip_of(company, run_id, employee_id)).status_code == 200
    assert not is_clearance_due(company)
