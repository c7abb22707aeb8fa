"""The files of a payment run: their totals equal those of the payslips, and their errors name the employees."""

import csv
import io
from hashlib import sha256
from typing import Any

import httpx
import pytest

from gaji.core import clock
from tests.documents import dbs_reader, uob_reader
from tests.documents.test_giro import READERS
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, opened, paid, payslips
from tests.payroll.payslips.slips import detail, enter
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.problems import assert_problem, field_errors
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
    return {element["file"]["name"]: element["file"] for element in answer.json()}


def download(company: Company, run_id: int, name: str) -> httpx.Response:
    return company.member.get(f"/payment_runs/{run_id}/files/{name}")


def nett_pay(company: Company, run_id: int) -> dict[int, int]:
    """Return the nett pay in cents by employee, from the payslips that the API returns."""
    return {
        payslip["employee_id"]: int(dict(detail(company, payslip["id"])["grand_total"])["nett_pay"].replace(".", ""))
        for payslip in payslips(company, run_id)
    }


def test_it_works(company: Company) -> None:
    mei, ravi = hired(company, **GIRO), hired(company, "3000.00", first_name="Ravi", **GIRO | {"bank_account": OCBC})
    run_id = paid(company)
    answer = download(company, run_id, "dbs_giro.csv")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == f'attachment; filename="dbs_giro_{run_id}.csv"'
    file, expected = dbs_reader.read(answer.content), nett_pay(company, run_id)
    assert [payment.cents for payment in file.payments] == [expected[mei], expected[ravi]]
    assert file.total_cents == sum(expected.values())
    slips = [str(payslip["id"]) for payslip in payslips(company, run_id)]
    assert [payment.fields[5] for payment in file.payments] == slips
    assert [[payment.fields[number] for number in (3, 8, 11, 16, 18, 19)] for payment in file.payments] == [
        ["0012345678", "30012026", "Mei Ling Tan", "0052312891", "7171", "005"],
        ["0012345678", "30012026", "Ravi Tan", "1234567", "7339", "501"],
    ]
    listed = files(company, run_id)
    assert len(listed["dbs_giro.csv"]["downloads"]) == 1
    assert [warning.partition(" is ")[2][:6] for warning in listed["dbs_giro.csv"]["warnings"]] == ["in the"]
    assert listed | {"dbs_giro.csv": listed["dbs_giro.csv"] | {"downloads": [], "warnings": []}} == {
        "dbs_giro.csv": {
            "name": "dbs_giro.csv",
            "bank": "DBS",
            "description": "Payments by GIRO from an account with DBS (IDEAL UFF 1.9.3, BPY)",
            "certainty": {
                "grade": "B",
                "note": "Checked against two descriptions of the bank's format. Test the first file with your bank",
            },
            "payments": 2,
            "paynow": 0,
            "pay_dates": ["2026-01-30"],
            "methods": [{"payment_method": "eft_manual", "payments": 2, "total": sum(expected.values()) / 100}],
            "withheld": [],
            "file_name": f"dbs_giro_{run_id}.csv",
            "media_type": "text/csv",
            "total": sum(expected.values()) / 100,
            "bytes": len(answer.content),
            "sha256": sha256(answer.content).hexdigest(),
            "converted": [],
            "errors": {},
            "downloads": [],
            "changes": [],
            "warnings": [],
        }
    }


def test_a_company_with_uob_gets_a_uob_file(account: Member) -> None:
    company = Company.of(account, bank_account=UOB_PAYER)
    mei = hired(company, first_name="Ánh", last_name="Nguyễn", **GIRO)
    run_id = paid(company)
    answer = download(company, run_id, "uob_giro.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    file = uob_reader.read(answer.content)
    assert {number: file.batch[number] for number in (3, 4, 7, 12, 14)} == {
        3: "20260130",
        4: "KOPI01",
        7: f"RUN{run_id}",
        12: "0012345678",
        14: "Kopi Trading Pte Ltd",
    }
    assert file.total_cents == nett_pay(company, run_id)[mei]
    assert file.details[0].fields[19] == "DBSSSGSGXXX"
    listed = files(company, run_id)
    assert listed.keys() == {"uob_giro.txt"}
    assert listed["uob_giro.txt"]["sha256"] == sha256(answer.content).hexdigest()
    assert listed["uob_giro.txt"]["converted"] == [{"employee_id": mei, "name": "Ánh Nguyễn", "in_file": "Anh Nguyen"}]
    [finalised] = account.service.as_owner(
        "SELECT finalised_at AT TIME ZONE 'Asia/Singapore' AS at FROM payment_runs WHERE id = $1", run_id
    )
    name = f"PAIDE{finalised['at']:%d%m}{(run_id - 1) % 999 + 1:03}"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'


def test_cash_and_cheque_payments_are_in_a_separate_list(company: Company) -> None:
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
    numbers = {company.employee(employee_id)["number"]: employee_id for employee_id in people}
    assert [(numbers[row["employee_number"]], row["payment_method"], row["pay_date"]) for row in rows] == [
        (employee_id, method, JANUARY) for employee_id, method in sorted(people.items(), key=lambda item: item[::-1])
    ]
    assert {numbers[row["employee_number"]]: int(row["amount"].replace(".", "")) for row in rows} == {
        employee_id: expected[employee_id] for employee_id in people
    }
    assert {row["name"] for row in rows} == {"陈 美玲", "Ravi, the elder Tan", "Siti Tan"}
    listed = files(company, run_id)
    assert listed.keys() == {"dbs_giro.csv", LIST}
    assert [(method["payment_method"], method["payments"]) for method in listed[LIST]["methods"]] == [
        ("cash", 2),
        ("cheque", 1),
    ]
    assert listed[LIST]["total"] * 100 == pytest.approx(sum(expected[employee_id] for employee_id in people))
    assert listed["dbs_giro.csv"]["total"] * 100 == pytest.approx(expected[giro])
    assert listed[LIST]["sha256"] == sha256(answer.content).hexdigest()
    # The pay date is a Saturday, which matters to banks only.
    assert listed["dbs_giro.csv"]["warnings"]
    assert listed[LIST]["warnings"] == []


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


def test_payslips_without_nett_pay_are_in_no_file(company: Company) -> None:
    hired(company, "0.00", **GIRO)
    run_id = paid(company)
    assert files(company, run_id) == {}
    message = assert_problem(download(company, run_id, "dbs_giro.csv"), 404)["message"]
    assert message == f"Payment run {run_id} has no file 'dbs_giro.csv'; it has no files"


def test_a_run_that_is_not_finalised_has_no_files(company: Company) -> None:
    hired(company, **GIRO)
    run_id = opened(company)
    for answer in (company.member.get(f"/payment_runs/{run_id}/files"), download(company, run_id, "dbs_giro.csv")):
        message = assert_problem(answer, 409)["message"]
        assert message == f"Payment run {run_id} of 2026-01-31 is not finalised and cannot be paid"


@pytest.mark.parametrize("name", ["uob_giro.txt", "ocbc_giro.txt", "cimb", "x" * 300, "dbs_giro"])
def test_unknown_files_are_not_found(company: Company, name: str) -> None:
    hired(company, **GIRO)
    run_id = paid(company)
    assert "it has dbs_giro.csv" in assert_problem(download(company, run_id, name), 404)["message"]


def test_all_employee_errors_are_reported_at_once(company: Company) -> None:
    def giro(**account: Any) -> dict[str, Any]:
        return {"payment_method": "eft_manual", "bank_account": {**BANK_ACCOUNT, **account}}

    people = {
        "branch code 006 does not match the account number": giro(branch_code="006"),
        "the account number has 8 digits; this bank uses 9 digits (POSB) or 10 (DBS)": giro(account_number="00523128"),
        "the account number contains characters other than digits and hyphens": giro(account_number="SG05DBS99"),
        "branch code A-1 is not three digits": giro(bank_id=7302, branch_code="A-1"),
        "the name 陈 contains characters that the file does not support: 陈": {
            **giro(),
            "first_name": "陈",
            "name_format": 3,
        },
        "branch code 501 does not match the account number": giro(
            bank_id=7339, branch_code="501", account_number="1234567"
        ),
        "is paid by GIRO but has no bank account": giro(),
        "bank 1234 has no known BIC": giro(bank_id=7302),
        "$999,999,999.99": giro(),
    }
    ids = {problem: hired(company, **attributes) for problem, attributes in people.items()}
    hired(company, first_name="Fine", **GIRO)
    run_id = paid(company)
    execute = company.member.service.as_owner
    *_, without, unknown, rich = ids.values()
    execute("UPDATE payslip_snapshots SET account_number_sealed = NULL WHERE employee_id = $1", without)
    execute("UPDATE payslip_snapshots SET bank_id = 1234 WHERE employee_id = $1", unknown)
    execute("UPDATE payslips SET nett_pay = 100000000000 WHERE employee_id = $1 AND finalised", rich)

    answer = download(company, run_id, "dbs_giro.csv")
    errors = field_errors(answer)
    assert errors.keys() == {f"employees.{employee_id}" for employee_id in ids.values()}
    for problem, employee_id in ids.items():
        message = errors[f"employees.{employee_id}"]
        assert problem in message
        assert f"({company.employee(employee_id)['number']}): " in message
    assert answer.json()["message"] == f"The file dbs_giro.csv of payment run {run_id} cannot be generated: see errors"
    file = files(company, run_id)["dbs_giro.csv"]
    assert file["errors"] == errors
    assert file["payments"] == len(ids) + 1
    assert file["bytes"] is file["sha256"] is None


def test_special_runs_are_paid_separately(company: Company) -> None:
    employee_id = hired(company, **GIRO)
    paid(company)
    other = opened(company, FEBRUARY, special=True, employee_ids=[employee_id])
    slip = payslips(company, other)[0]["id"]
    bonus = {"calc_type": "reimbursement", "calculation_details": {"amount": "12.30"}}
    created(company.member.post(f"/payslips/{slip}/calculations", bonus))
    done(company, other, "finalise")
    [payment] = dbs_reader.read(download(company, other, "dbs_giro.csv").content).payments
    assert (payment.fields[5], payment.cents, payment.fields[8]) == (str(slip), 1230, "27022026")


def test_without_an_account_the_files_have_errors(account: Member) -> None:
    company = Company.of(account, bank_account=None)
    hired(company, **GIRO)
    run_id = paid(company)
    listed = files(company, run_id)
    assert list(listed) == ["pain001_03.xml", "pain001_09.xml"]
    expected = {"bank_account": "is required on the client: the file names the account that pays"}
    for name, file in listed.items():
        assert file["errors"] == field_errors(download(company, run_id, name)) == expected


@pytest.mark.parametrize(
    ("bank_id", "names"),
    [
        (7339, ["ocbc_giro.txt", "ocbc_fast.txt"]),
        (7986, ["cimb_giro.csv"]),
        (7302, ["pain001_03.xml", "pain001_09.xml"]),
        (7232, ["pain001_03.xml", "pain001_09.xml"]),
    ],
)
def test_every_bank_has_a_file_that_pays_the_same(account: Member, bank_id: int, names: list[str]) -> None:
    company = Company.of(account, bank_account={**PAYER, "bank_id": bank_id})
    mei = hired(company, first_name="Ánh", last_name="Nguyễn", **GIRO)
    hired(company, "3000.00", first_name="Ravi", payment_method="eft_manual", bank_account=OCBC)
    run_id = paid(company)
    listed = files(company, run_id)
    assert list(listed) == names
    for name in names:
        answer = download(company, run_id, name)
        assert answer.status_code == 200, answer.text
        file = READERS[name](answer.content)
        assert file.total_cents == sum(nett_pay(company, run_id).values()) == round(listed[name]["total"] * 100)
        assert listed[name]["payments"] == 2
        assert listed[name]["sha256"] == sha256(answer.content).hexdigest()
        assert listed[name]["converted"] == [{"employee_id": mei, "name": "Ánh Nguyễn", "in_file": "Anh Nguyen"}]
        assert listed[name]["certainty"]["grade"] in ("B", "C")
        assert listed[name]["certainty"]["note"]
    assert f"it has {' and '.join(names)}" in assert_problem(download(company, run_id, "dbs_giro.csv"), 404)["message"]


def test_an_employee_is_paid_by_paynow_where_the_file_has_it(account: Member) -> None:
    company = Company.of(account, bank_account={**PAYER, "bank_id": 7302})
    mei = hired(company, paynow="9123 4567", **GIRO)
    run_id = paid(company)
    company.patch(mei, paynow=None)
    listed = files(company, run_id)
    assert {name: file["paynow"] for name, file in listed.items()} == {"pain001_03.xml": 0, "pain001_09.xml": 1}
    [transfer] = READERS["pain001_09.xml"](download(company, run_id, "pain001_09.xml").content).transfers
    assert (transfer.paynow, transfer.account) == (("MSISDN", "+6591234567"), "")
    [transfer] = READERS["pain001_03.xml"](download(company, run_id, "pain001_03.xml").content).transfers
    assert (transfer.paynow, transfer.account) == (None, GIRO["bank_account"]["account_number"])


def test_a_uob_run_has_a_separate_file_of_payments_to_paynow_numbers(account: Member) -> None:
    company = Company.of(account, bank_account=UOB_PAYER)
    mei, ravi = hired(company, paynow="9123 4567", **GIRO), hired(company, "3000.00", **GIRO)
    run_id = paid(company)
    expected = nett_pay(company, run_id)
    listed = files(company, run_id)
    assert {name: (file["payments"], file["paynow"]) for name, file in listed.items()} == {
        "uob_giro.txt": (1, 0),
        "uob_paynow.txt": (1, 1),
    }
    contents = {name: uob_reader.read(download(company, run_id, name).content) for name in listed}
    assert {name: (file.batch[2], file.total_cents) for name, file in contents.items()} == {
        "uob_giro.txt": ("IBG", expected[ravi]),
        "uob_paynow.txt": ("IBGPN", expected[mei]),
    }
    [detail] = contents["uob_paynow.txt"].details
    assert (detail.fields[19], detail.fields[20]) == ("MSISDN", "+6591234567")
    assert len({file["file_name"] for file in listed.values()}) == 2


def test_a_name_that_no_layout_can_hold_is_refused_and_named(account: Member) -> None:
    company = Company.of(account, bank_account={**PAYER, "bank_id": 7302})
    employee_id = hired(company, first_name="陈", name_format=3, **GIRO)
    run_id = paid(company)
    for name in ("pain001_03.xml", "pain001_09.xml"):
        [(key, message)] = field_errors(download(company, run_id, name)).items()
        assert key == f"employees.{employee_id}"
        assert "contains characters that the file does not support: 陈" in message
        assert files(company, run_id)[name]["downloads"] == []


def test_payer_and_employee_errors_are_reported_together(account: Member) -> None:
    payer = {"bank_id": 7375, "account_number": "AB12345678", "branch_code": "001"}
    company = Company.of(account, bank_account=payer)
    employee_id = hired(company, **GIRO, first_name="陈", name_format=3)
    assert field_errors(download(company, paid(company), "uob_giro.txt")).keys() == {
        "bank_account.account_number",
        "bank_account.account_name",
        "bank_account.company_id",
        f"employees.{employee_id}",
    }


def test_payments_awaiting_tax_clearance_are_withheld_until_released(account: Member) -> None:
    company = Company.of(account, bank_account=UOB_PAYER)
    leaver = hired(company, first_name="Arun", **GIRO)
    cash_leaver = hired(company, first_name="Siti")
    free = hired(company, **GIRO)
    company.leave(leaver, "2026-02-20", ir21=True)
    company.leave(cash_leaver, "2026-02-28", ir21=True)
    company.leave(free, "2026-02-20")
    january = paid(company)
    assert [file["payments"] for file in files(company, january).values()] == [2, 1]
    run_id = paid(company, FEBRUARY)
    slips = {payslip["employee_id"]: payslip["id"] for payslip in payslips(company, run_id)}
    amounts = nett_pay(company, run_id)
    listed = files(company, run_id)
    for name, employee_id in (("uob_giro.txt", leaver), (LIST, cash_leaver)):
        [withheld] = listed[name]["withheld"]
        assert (withheld["payslip_id"], withheld["employee_id"]) == (slips[employee_id], employee_id)
        assert round(withheld["amount"] * 100) == amounts[employee_id]
    assert listed[LIST]["payments"] == 0
    assert uob_reader.read(download(company, run_id, "uob_giro.txt").content).total_cents == amounts[free]

    for employee_id in (leaver, cash_leaver, leaver):
        answer = account.post(f"/payslips/{slips[employee_id]}/release_payment")
        assert answer.json() == {"message": "The payment of the payslip has been released", "id": slips[employee_id]}
    after, today = files(company, run_id), str(clock.today())
    assert list(after) == ["uob_giro.txt", "uob_giro_released.txt", "payment_list_released.csv"]
    assert all(file["withheld"] == [] for file in after.values())
    assert after["uob_giro_released.txt"]["pay_dates"] == after["payment_list_released.csv"]["pay_dates"] == [today]
    # Sending the run's file again does not pay anyone twice.
    assert uob_reader.read(download(company, run_id, "uob_giro.txt").content).total_cents == amounts[free]
    released = uob_reader.read(download(company, run_id, "uob_giro_released.txt").content)
    assert released.total_cents == amounts[leaver]
    assert account.service.as_owner(
        "SELECT count(*) AS times FROM audit_log WHERE action = 'payment_releases.insert' AND client_id = $1",
        company.id,
    ) == [{"times": 2}]

    done(company, run_id, "unfinalise")
    done(company, run_id, "finalise")
    assert [len(file["withheld"]) for file in files(company, run_id).values()] == [1, 1]


def test_a_file_with_all_payments_withheld_is_an_error(company: Company) -> None:
    leaver = hired(company, **GIRO)
    company.leave(leaver, "2026-01-31", ir21=True)
    run_id = paid(company)
    expected = {"payments": "there are no payments, because all of them are withheld"}
    assert field_errors(download(company, run_id, "dbs_giro.csv")) == expected
    assert len(files(company, run_id)["dbs_giro.csv"]["withheld"]) == 1


def test_only_a_finalised_payslip_can_be_released(company: Company) -> None:
    hired(company, **GIRO)
    run_id = opened(company)
    slip = payslips(company, run_id)[0]["id"]
    path = f"/payslips/{slip}/release_payment"
    assert "is not finalised" in assert_problem(company.member.post(path), 409)["message"]
    done(company, run_id, "finalise")
    assert_problem(company.member.colleague(company.id, "viewer").post(path), 403)
    assert company.member.colleague(company.id, "payroll").post(path).status_code == 200


def test_a_key_that_hides_identifiers_can_only_download_the_payment_list(
    company: Company,
) -> None:
    hired(company, **GIRO)
    hired(company)
    run_id = paid(company)
    hiding = company.member.with_another_key(hide_identifiers=True)
    path = f"/payment_runs/{run_id}/files"
    assert hiding.get(path).json() == company.member.get(path).json()
    assert hiding.get(f"{path}/{LIST}").content == download(company, run_id, LIST).content
    assert "identifiers" in assert_problem(hiding.get(f"{path}/dbs_giro.csv"), 403)["message"]


def test_a_viewer_can_download_without_recording_and_an_employee_cannot(company: Company) -> None:
    employee_id = hired(company, **GIRO)
    run_id = paid(company)
    done(company, run_id, "release")
    path = f"/payment_runs/{run_id}/files/dbs_giro.csv"
    viewer, reading = company.member.colleague(company.id, "viewer"), company.member.with_another_key(read_only=True)
    contents = {viewer.get(path).content, reading.get(path).content}
    assert files(company, run_id)["dbs_giro.csv"]["downloads"] == []
    assert contents == {download(company, run_id, "dbs_giro.csv").content}
    employee = company.member.colleague(company.id, "employee", employee_id)
    assert_problem(employee.get(path), 404)
    slip = payslips(company, run_id)[0]["id"]
    assert_problem(employee.post(f"/payslips/{slip}/release_payment"), 404)


def test_downloads_are_recorded_and_later_changes_are_listed(company: Company) -> None:
    employee_id = hired(company, **GIRO)
    run_id = paid(company)
    assert files(company, run_id)["dbs_giro.csv"]["downloads"] == []
    data = download(company, run_id, "dbs_giro.csv").content
    assert download(company, run_id, "dbs_giro.csv").content == data
    file = files(company, run_id)["dbs_giro.csv"]
    [recorded] = file["downloads"]
    assert {name: recorded[name] for name in ("sha256", "payments", "total", "downloads", "file_name")} == {
        "sha256": sha256(data).hexdigest(),
        "payments": 1,
        "total": file["total"],
        "downloads": 2,
        "file_name": f"dbs_giro_{run_id}.csv",
    }
    assert recorded["downloaded_by"] == recorded["last_downloaded_by"]
    assert file["changes"] == []

    before = nett_pay(company, run_id)[employee_id]
    done(company, run_id, "unfinalise")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4300.00")
    done(company, run_id, "finalise")
    [change] = files(company, run_id)["dbs_giro.csv"]["changes"]
    now = nett_pay(company, run_id)[employee_id]
    assert (change["employee_id"], round(change["downloaded"] * 100), round(change["current"] * 100)) == (
        employee_id,
        before,
        now,
    )
    assert round(change["difference"] * 100) == now - before > 0
    download(company, run_id, "dbs_giro.csv")
    file = files(company, run_id)["dbs_giro.csv"]
    assert len(file["downloads"]) == 2
    assert file["changes"] == []


def test_changes_are_those_since_the_download_that_was_last(company: Company) -> None:
    employee_id = hired(company, **GIRO)
    run_id = paid(company)
    data = download(company, run_id, "dbs_giro.csv").content
    for amount in ("4300.00", "4200.00"):
        done(company, run_id, "unfinalise")
        enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount=amount)
        done(company, run_id, "finalise")
        assert len(files(company, run_id)["dbs_giro.csv"]["changes"]) == 1
        last = download(company, run_id, "dbs_giro.csv").content
        assert files(company, run_id)["dbs_giro.csv"]["changes"] == []
    assert last == data


def test_a_file_with_errors_is_not_recorded(company: Company) -> None:
    hired(company, **GIRO, first_name="陈", name_format=3)
    run_id = paid(company)
    assert download(company, run_id, "dbs_giro.csv").status_code == 422
    assert files(company, run_id)["dbs_giro.csv"]["downloads"] == []
