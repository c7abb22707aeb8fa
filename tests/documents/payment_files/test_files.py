"""The files of a payment run: what banks and hands pay is what the payslips say, and what cannot be paid is named."""

import csv
import io
from hashlib import sha256
from typing import Any

import httpx
import pytest

from gaji.core import clock
from tests.documents import dbs_reader, uob_reader
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, opened, paid, payslips
from tests.payroll.payslips.slips import detail
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.problems import faults, refused
from tests.support.running import Member, created

PAYER: dict[str, Any] = {
    "bank_id": 7171,
    "account_number": "001-234567-8",
    "branch_code": "001",
    "account_name": "Kopi Trading Pte Ltd",
    "company_id": "KOPI01",
}
UOB_PAYER = {**PAYER, "bank_id": 7375}
GIRO: dict[str, Any] = {"payment_method": "eft_manual", "bank_account": BANK_ACCOUNT}
OCBC = {"bank_id": 7339, "account_number": "5011234567", "branch_code": "501"}
LIST = "payment_list.csv"


@pytest.fixture
def company(account: Member) -> Company:
    """A company that pays from an account with DBS."""
    return Company.of(account, bank_account=PAYER)


def files(company: Company, run_id: int) -> dict[str, dict[str, Any]]:
    answer = company.member.get(f"/payment_runs/{run_id}/files")
    assert answer.status_code == 200, answer.text
    return {one["file"]["name"]: one["file"] for one in answer.json()}


def download(company: Company, run_id: int, name: str) -> httpx.Response:
    return company.member.get(f"/payment_runs/{run_id}/files/{name}")


def nett_pay(company: Company, run_id: int) -> dict[int, int]:
    """By employee, the cents that payslips of a run pay, as the API shows them."""
    return {
        one["employee_id"]: int(dict(detail(company, one["id"])["grand_total"])["nett_pay"].replace(".", ""))
        for one in payslips(company, run_id)
    }


def test_it_works(company: Company) -> None:
    mei, ravi = hired(company, **GIRO), hired(company, "3000.00", first_name="Ravi", **GIRO | {"bank_account": OCBC})
    run_id = paid(company)
    answer = download(company, run_id, "dbs_giro.csv")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == f'attachment; filename="dbs_giro_{run_id}.csv"'
    found, expected = dbs_reader.read(answer.content), nett_pay(company, run_id)
    assert [one.cents for one in found.payments] == [expected[mei], expected[ravi]]
    assert found.total_cents == sum(expected.values())
    slips = [str(one["id"]) for one in payslips(company, run_id)]
    assert [one.fields[5] for one in found.payments] == slips
    assert [[one.fields[number] for number in (3, 8, 11, 16, 18, 19)] for one in found.payments] == [
        ["0012345678", "31012026", "Mei Ling Tan", "0052312891", "7171", "005"],
        ["0012345678", "31012026", "Ravi Tan", "1234567", "7339", "501"],
    ]
    assert files(company, run_id) == {
        "dbs_giro.csv": {
            "name": "dbs_giro.csv",
            "bank": "DBS",
            "description": "Payments by GIRO from an account with DBS (IDEAL UFF 1.9.3, BPY)",
            "payments": 2,
            "pay_dates": ["2026-01-31"],
            "methods": [{"payment_method": "eft_manual", "payments": 2, "total": sum(expected.values()) / 100}],
            "withheld": [],
            "file_name": f"dbs_giro_{run_id}.csv",
            "media_type": "text/csv",
            "total": sum(expected.values()) / 100,
            "bytes": len(answer.content),
            "sha256": sha256(answer.content).hexdigest(),
            "converted": [],
            "errors": {},
        }
    }


def test_a_company_with_uob_gets_a_file_for_uob(account: Member) -> None:
    company = Company.of(account, bank_account=UOB_PAYER)
    mei = hired(company, first_name="Ánh", last_name="Nguyễn", **GIRO)
    run_id = paid(company)
    answer = download(company, run_id, "uob_giro.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    found = uob_reader.read(answer.content)
    assert {number: found.batch[number] for number in (3, 4, 7, 12, 14)} == {
        3: "20260131",
        4: "KOPI01",
        7: f"RUN{run_id}",
        12: "0012345678",
        14: "Kopi Trading Pte Ltd",
    }
    assert found.total_cents == nett_pay(company, run_id)[mei]
    assert found.details[0].fields[19] == "DBSSSGSGXXX"
    shown = files(company, run_id)
    assert shown.keys() == {"uob_giro.txt"}
    assert shown["uob_giro.txt"]["sha256"] == sha256(answer.content).hexdigest()
    assert shown["uob_giro.txt"]["converted"] == [{"employee_id": mei, "name": "Ánh Nguyễn", "in_file": "Anh Nguyen"}]
    [finalised] = account.service.as_owner(
        "SELECT finalised_at AT TIME ZONE 'Asia/Singapore' AS at FROM payment_runs WHERE id = $1", run_id
    )
    name = f"PAIDE{finalised['at']:%d%m}{(run_id - 1) % 999 + 1:03}"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'


def test_who_is_paid_by_hand_is_in_a_list_of_its_own(company: Company) -> None:
    people = {
        hired(company, first_name="美玲", last_name="陈", name_format=2, payment_method="cheque"): "cheque",
        hired(company, "2000.00", first_name="Ravi, the elder"): "cash",
        hired(company, "2500.00", first_name="Siti"): "cash",
    }
    giro = hired(company, **GIRO)
    run_id = paid(company)
    answer = download(company, run_id, LIST)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))
    expected = nett_pay(company, run_id)
    numbers = {company.employee(one)["number"]: one for one in people}
    assert [(numbers[row["employee_number"]], row["payment_method"], row["pay_date"]) for row in rows] == [
        (one, method, JANUARY) for one, method in sorted(people.items(), key=lambda one: one[::-1])
    ]
    assert {numbers[row["employee_number"]]: int(row["amount"].replace(".", "")) for row in rows} == {
        one: expected[one] for one in people
    }
    assert {row["name"] for row in rows} == {"陈 美玲", "Ravi, the elder Tan", "Siti Tan"}
    shown = files(company, run_id)
    assert shown.keys() == {"dbs_giro.csv", LIST}
    assert [(one["payment_method"], one["payments"]) for one in shown[LIST]["methods"]] == [("cash", 2), ("cheque", 1)]
    assert shown[LIST]["total"] * 100 == pytest.approx(sum(expected[one] for one in people))
    assert shown["dbs_giro.csv"]["total"] * 100 == pytest.approx(expected[giro])
    assert shown[LIST]["sha256"] == sha256(answer.content).hexdigest()


def test_the_payment_date_is_the_pay_date_of_the_wave(account: Member) -> None:
    company = Company.of(account, bank_account=UOB_PAYER, features={"pay_dates": True})
    pay_dates = {"enabled": True, "type": "relative", "days_offset": 3, "when": "after"}
    answer = account.patch(f"/waves/{company.wave_id}", {"pay_dates": pay_dates})
    assert answer.status_code == 200, answer.text
    hired(company, **GIRO)
    run_id = paid(company)
    assert uob_reader.read(download(company, run_id, "uob_giro.txt").content).batch[3] == "20260203"
    assert files(company, run_id)["uob_giro.txt"]["pay_dates"] == ["2026-02-03"]


def test_the_same_run_gives_the_same_bytes(company: Company) -> None:
    hired(company, **GIRO)
    run_id = paid(company)
    assert download(company, run_id, "dbs_giro.csv").content == download(company, run_id, "dbs_giro.csv").content


def test_someone_who_gets_nothing_is_in_no_file(company: Company) -> None:
    hired(company, "0.00", **GIRO)
    run_id = paid(company)
    assert files(company, run_id) == {}
    message = refused(download(company, run_id, "dbs_giro.csv"), 404)["message"]
    assert message == f"Payment run {run_id} has no file 'dbs_giro.csv'; it has none"


def test_a_run_that_is_not_finalised_has_no_files(company: Company) -> None:
    hired(company, **GIRO)
    run_id = opened(company)
    for answer in (company.member.get(f"/payment_runs/{run_id}/files"), download(company, run_id, "dbs_giro.csv")):
        message = refused(answer, 409)["message"]
        assert message == f"Payment run {run_id} of 2026-01-31 is not finalised, so it cannot be paid"


@pytest.mark.parametrize("name", ["uob_giro.txt", "ocbc_giro.txt", "cimb", "x" * 300, "dbs_giro"])
def test_a_file_that_there_is_not_is_not_found(company: Company, name: str) -> None:
    hired(company, **GIRO)
    run_id = paid(company)
    assert "it has dbs_giro.csv" in refused(download(company, run_id, name), 404)["message"]


def test_every_fault_of_every_employee_is_said_at_once(company: Company) -> None:
    def giro(**account: Any) -> dict[str, Any]:
        return {"payment_method": "eft_manual", "bank_account": {**BANK_ACCOUNT, **account}}

    people = {
        "branch code 006 is not the branch of their account number": giro(branch_code="006"),
        "their account number has 8 digits; the bank's have 9 digits (POSB) or 10 (DBS)": giro(
            account_number="00523128"
        ),
        "their account number has characters other than digits and hyphens": giro(account_number="SG05DBS99"),
        "branch code A-1 is not three digits": giro(bank_id=7302, branch_code="A-1"),
        "the name 陈 has characters that the file cannot carry: 陈": {**giro(), "first_name": "陈", "name_format": 3},
        "branch code 501 is not the branch of their account number": giro(
            bank_id=7339, branch_code="501", account_number="1234567"
        ),
        "they are paid by GIRO, but have no bank account": giro(),
        "their bank 1234 has no known code": giro(bank_id=7302),
        "$999,999,999.99": giro(),
    }
    ids = {fault: hired(company, **given) for fault, given in people.items()}
    hired(company, first_name="Fine", **GIRO)
    run_id = paid(company)
    behind = company.member.service.as_owner
    *_, without, unknown, rich = ids.values()
    behind("UPDATE employees SET bank_id = NULL, account_number_sealed = NULL WHERE id = $1", without)
    behind("UPDATE employees SET bank_id = 1234 WHERE id = $1", unknown)
    behind("UPDATE payslips SET nett_pay = 100000000000 WHERE employee_id = $1 AND finalised", rich)

    answer = download(company, run_id, "dbs_giro.csv")
    found = faults(answer)
    assert found.keys() == {f"employees.{employee_id}" for employee_id in ids.values()}
    for fault, employee_id in ids.items():
        told = found[f"employees.{employee_id}"]
        assert fault in told
        assert f"({company.employee(employee_id)['number']}): " in told
    assert answer.json()["message"] == f"The file dbs_giro.csv of payment run {run_id} cannot be made: see errors"
    shown = files(company, run_id)["dbs_giro.csv"]
    assert shown["errors"] == found
    assert shown["payments"] == len(ids) + 1
    assert shown["bytes"] is shown["sha256"] is None


def test_two_payments_to_one_employee_are_each_paid(company: Company) -> None:
    employee_id = hired(company, **GIRO)
    paid(company)
    other = opened(company, FEBRUARY, special=True, employee_ids=[employee_id])
    slip = payslips(company, other)[0]["id"]
    bonus = {"calc_type": "reimbursement", "calculation_details": {"amount": "12.30"}}
    created(company.member.post(f"/payslips/{slip}/calculations", bonus))
    done(company, other, "finalise")
    [payment] = dbs_reader.read(download(company, other, "dbs_giro.csv").content).payments
    assert (payment.fields[5], payment.cents, payment.fields[8]) == (str(slip), 1230, "28022026")


@pytest.mark.parametrize(
    ("payer", "expected"),
    [
        (None, {"bank_account": "is required of the client: a file of {bank} names the account that pays"}),
        (
            {**PAYER, "bank_id": 7339},
            {"bank_account.bank_id": "wages are paid from an account with OCBC Bank; there are files for DBS and UOB"},
        ),
    ],
)
def test_without_an_account_at_a_bank_whose_files_are_known_both_files_say_what_is_amiss(
    account: Member, payer: dict[str, Any] | None, expected: dict[str, str]
) -> None:
    company = Company.of(account, bank_account=payer)
    hired(company, **GIRO)
    run_id = paid(company)
    shown = files(company, run_id)
    assert shown.keys() == {"dbs_giro.csv", "uob_giro.txt"}
    for name, file in shown.items():
        told = {key: text.format(bank=file["bank"]) for key, text in expected.items()}
        assert file["errors"] == faults(download(company, run_id, name)) == told


def test_what_uob_needs_of_the_payer_is_asked_for_together_with_what_is_wrong_with_employees(account: Member) -> None:
    payer = {"bank_id": 7375, "account_number": "AB12345678", "branch_code": "001"}
    company = Company.of(account, bank_account=payer)
    employee_id = hired(company, **GIRO, first_name="陈", name_format=3)
    assert faults(download(company, paid(company), "uob_giro.txt")).keys() == {
        "bank_account.account_number",
        "bank_account.account_name",
        "bank_account.company_id",
        f"employees.{employee_id}",
    }


def test_the_pay_of_someone_whose_taxes_are_to_be_cleared_is_withheld_until_it_is_released(account: Member) -> None:
    company = Company.of(account, bank_account=UOB_PAYER)
    leaver = hired(company, first_name="Arun", **GIRO)
    by_hand = hired(company, first_name="Siti")
    free = hired(company, **GIRO)
    company.leave(leaver, "2026-02-20", ir21=True)
    company.leave(by_hand, "2026-02-28", ir21=True)
    company.leave(free, "2026-02-20")
    january = paid(company)
    assert [one["payments"] for one in files(company, january).values()] == [2, 1]
    run_id = paid(company, FEBRUARY)
    slips = {one["employee_id"]: one["id"] for one in payslips(company, run_id)}
    amounts = nett_pay(company, run_id)
    shown = files(company, run_id)
    for name, employee_id in (("uob_giro.txt", leaver), (LIST, by_hand)):
        [withheld] = shown[name]["withheld"]
        assert (withheld["payslip_id"], withheld["employee_id"]) == (slips[employee_id], employee_id)
        assert round(withheld["amount"] * 100) == amounts[employee_id]
    assert shown[LIST]["payments"] == 0
    assert uob_reader.read(download(company, run_id, "uob_giro.txt").content).total_cents == amounts[free]

    for employee_id in (leaver, by_hand, leaver):
        answer = account.post(f"/payslips/{slips[employee_id]}/release_payment")
        assert answer.json() == {"message": "The payment of the payslip has been released", "id": slips[employee_id]}
    after, today = files(company, run_id), str(clock.today())
    assert list(after) == ["uob_giro.txt", "uob_giro_released.txt", "payment_list_released.csv"]
    assert all(one["withheld"] == [] for one in after.values())
    assert after["uob_giro_released.txt"]["pay_dates"] == after["payment_list_released.csv"]["pay_dates"] == [today]
    # Nobody is paid twice by sending the run's file again.
    assert uob_reader.read(download(company, run_id, "uob_giro.txt").content).total_cents == amounts[free]
    apart = uob_reader.read(download(company, run_id, "uob_giro_released.txt").content)
    assert apart.total_cents == amounts[leaver]
    assert account.service.as_owner(
        "SELECT count(*) AS times FROM audit_log WHERE action = 'payment_releases.insert' AND client_id = $1",
        company.id,
    ) == [{"times": 2}]

    done(company, run_id, "unfinalise")
    done(company, run_id, "finalise")
    assert [len(one["withheld"]) for one in files(company, run_id).values()] == [1, 1]


def test_a_file_of_which_everything_is_withheld_is_refused(company: Company) -> None:
    leaver = hired(company, **GIRO)
    company.leave(leaver, "2026-01-31", ir21=True)
    run_id = paid(company)
    expected = {"payments": "there are none: all of them are withheld"}
    assert faults(download(company, run_id, "dbs_giro.csv")) == expected
    assert len(files(company, run_id)["dbs_giro.csv"]["withheld"]) == 1


def test_only_a_finalised_payslip_can_be_released(company: Company) -> None:
    hired(company, **GIRO)
    run_id = opened(company)
    slip = payslips(company, run_id)[0]["id"]
    path = f"/payslips/{slip}/release_payment"
    assert "is not finalised" in refused(company.member.post(path), 409)["message"]
    done(company, run_id, "finalise")
    refused(company.member.colleague(company.id, "viewer").post(path), 403)
    assert company.member.colleague(company.id, "payroll").post(path).status_code == 200


def test_a_key_that_hides_identifiers_gets_the_list_of_who_is_paid_by_hand_and_no_account_numbers(
    company: Company,
) -> None:
    hired(company, **GIRO)
    hired(company)
    run_id = paid(company)
    hiding = company.member.with_another_key(hide_identifiers=True)
    path = f"/payment_runs/{run_id}/files"
    assert hiding.get(path).json() == company.member.get(path).json()
    assert hiding.get(f"{path}/{LIST}").content == download(company, run_id, LIST).content
    assert "identifiers" in refused(hiding.get(f"{path}/dbs_giro.csv"), 403)["message"]


def test_a_viewer_may_pay_and_an_employee_may_not(company: Company) -> None:
    employee_id = hired(company, **GIRO)
    run_id = paid(company)
    done(company, run_id, "release")
    path = f"/payment_runs/{run_id}/files/dbs_giro.csv"
    assert company.member.colleague(company.id, "viewer").get(path).status_code == 200
    employee = company.member.colleague(company.id, "employee", employee_id)
    refused(employee.get(path), 404)
    slip = payslips(company, run_id)[0]["id"]
    refused(employee.post(f"/payslips/{slip}/release_payment"), 404)
