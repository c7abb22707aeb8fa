"""The CPF file of a month: its totals equal those of the payslips, and its errors name the employees."""

from collections import Counter
from hashlib import sha256
from typing import Any

import httpx
import pytest

from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.documents.ezpay.file_format import MONTHS
from gaji.law.late_contributions import interest_cents
from gaji.law.months import Month
from tests.documents import ezpay_reader
from tests.documents.ezpay_reader import EzPay
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, listed, opened, paid, payslips
from tests.payroll.payslips.slips import detail, enter
from tests.support.company import WEEKLY, Company, of_status
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member, created

NUMBER = "202699999EPTE01"
CODES = {"mbmf": "02", "sinda": "03", "cdac": "04", "ecf": "05", "community_chest": "10", "sdl": "11"}
SUBMISSION_FIELDS = (
    *("state", "comparison", "submitted", "current", "difference", "changes", "refunds", "submissions"),
    *("payable_separately", "open_draft_count", "open_drafts", "open_periods"),
)
WEEKS = ("2026-01-02", "2026-01-09", "2026-01-16", "2026-01-23", "2026-01-30")


@pytest.fixture
def company(account: Member) -> Company:
    """A company that can file."""
    return Company.of(account, cpf_submission_number=NUMBER)


def filings(company: Company, month: str = "2026-01") -> httpx.Response:
    return company.member.get(f"/clients/{company.id}/filings/{month}")


def download(company: Company, month: str = "2026-01", query: str = "") -> httpx.Response:
    return company.member.get(f"/clients/{company.id}/filings/{month}/cpf{query}")


def read(company: Company, month: str = "2026-01") -> EzPay:
    answer = download(company, month)
    assert answer.status_code == 200, answer.text
    return ezpay_reader.read(answer.content)


def single_filing(company: Company, month: str = "2026-01") -> dict[str, Any]:
    """Return the CPF filing of a month."""
    [filing] = [element["filing"] for element in filings(company, month).json() if element["filing"]["name"] == "cpf"]
    result: dict[str, Any] = filing
    return result


def foreigner(company: Company, legal_status: str, salary: str, **attributes: Any) -> int:
    attributes = {"appointment_date": "2026-01-01", **attributes}
    employee_id = created(company.post(of_status(legal_status, **attributes)))
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount=salary)
    return employee_id


def sums(company: Company, month: str) -> dict[int, Counter[str]]:
    """Return the totals by employee and item, from the payslips that the API returns."""
    totals: dict[int, Counter[str]] = {}
    for run in listed(company):
        if run["period_end_date"].startswith(month):
            for slip in payslips(company, run["id"]):
                totals.setdefault(slip["employee_id"], Counter()).update(_items(detail(company, slip["id"])))
    return totals


def _items(slip: dict[str, Any]) -> dict[str, int]:
    groups = [slip["income"], slip["deduction"], *(group for _, group in slip["sideline"])]
    return {item: int(amount.replace(".", "")) for lines in groups for item, amount in lines}


def test_it_works(company: Company) -> None:
    employee_id = hired(company)
    run_id = paid(company)
    answer = download(company)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/plain; charset=us-ascii"
    assert answer.headers["content-disposition"] == 'attachment; filename="202699999EPTE01JAN202601.DTL"'
    assert answer.headers["x-rules-version"]
    file = ezpay_reader.read(answer.content)
    employee = company.employee(employee_id)
    mei = file.details_of("01")[employee["nric"]]
    assert [mei[name] for name in ("amount", "ordinary", "additional", "status", "name", "month")] == [
        f"{84000 + 71400:012}",
        f"{420000:010}",
        "0" * 10,
        "N",
        "Mei Ling Tan",
        "202601",
    ]
    assert [file.header[name] for name in ("employer", "payment_type", "serial", "advice_code")] == [
        "202699999E",
        "PTE",
        "01",
        "01",
    ]
    [finalised] = company.member.service.as_owner(
        "SELECT finalised_at AT TIME ZONE 'Asia/Singapore' AS at FROM payment_runs WHERE id = $1", run_id
    )
    assert file.header["created_on"] + file.header["created_at"] == f"{finalised['at']:%Y%m%d%H%M%S}"


def test_the_list_has_totals_and_a_hash(company: Company) -> None:
    employee_id = hired(company, first_name="Thị  Ánh", last_name="Nguyễn", name_format=2)
    paid(company)
    data = download(company).content
    filing = single_filing(company)
    assert {name: filing[name] for name in filing if name not in SUBMISSION_FIELDS} == {
        "name": "cpf",
        "month": "2026-01",
        "due_date": "2026-02-16",
        "late_interest": 0.0,
        "advice_code": 1,
        "certainty": {
            "grade": "B",
            "note": "Checked against two descriptions of the format. Check what the portal shows before you submit",
        },
        "employees": 1,
        "payments": [
            {"payment_code": "01", "name": "CPF", "amount": 1554.0, "employees": 1},
            {"payment_code": "04", "name": "CDAC", "amount": 1.5, "employees": 1},
            {"payment_code": "11", "name": "Skills development levy", "amount": 10.0, "employees": 1},
        ],
        "file_name": "202699999EPTE01JAN202601.DTL",
        "media_type": "text/plain",
        "total": 1565.5,
        "bytes": len(data),
        "sha256": sha256(data).hexdigest(),
        "converted": [{"employee_id": employee_id, "name": "Nguyễn Thị  Ánh", "in_file": "Nguyen Thi Anh"}],
        "errors": {},
    }


def test_interest_on_late_contributions_is_shown_until_the_file_is_downloaded(company: Company) -> None:
    hired(company)
    paid(company)
    law = current_law()
    interest = interest_cents(
        law.late_contributions, law.due_dates, law.holidays, Month(2026, 1), 155_400, clock.today()
    )
    assert single_filing(company)["late_interest"] == interest / 100 > 0
    download(company)
    assert single_filing(company)["late_interest"] == 0


def test_the_same_month_gives_the_same_bytes(company: Company) -> None:
    hired(company)
    paid(company)
    assert download(company).content == download(company).content


def test_totals_and_details_equal_those_of_the_payslips(company: Company) -> None:
    weekly = company.wave(**{**WEEKLY, "first_end_date": WEEKS[0]})
    people = {
        "monthly": hired(company, "5000.00"),
        "malay": hired(company, "2000.00", race="MALAY", religion="ISLAM", first_name="Siti"),
        "eurasian": hired(company, "2400.00", race="EURASIAN"),
        "indian": hired(company, "3100.00", race="INDIAN", first_name="Ravi"),
        "weekly": hired(company, "700.00", wave_id=weekly, race="CHINESE-INDIAN"),
        "pass": foreigner(company, "FOREIGNER", "6000.00", race="TAMIL"),
        "permit": foreigner(company, "FOREIGNER_WP", "1200.00", religion="ISLAM", pass_from="2025-06-01"),
    }
    enter(company, f"employees/{people['permit']}", "foreign_worker_levy", amount="450.00")
    enter(company, f"employees/{people['malay']}", "community_chest", amount="5.00")
    enter(company, f"employees/{people['weekly']}", "community_chest", amount="1.50")
    company.leave(people["eurasian"], "2026-01-20")
    paid(company)
    for end in WEEKS:
        paid(company, end, wave_id=weekly)
    special = opened(company, JANUARY, special=True, employee_ids=[people["monthly"]])
    enter(company, f"payslips/{payslips(company, special)[0]['id']}", "bonus", amount="1234.50")
    done(company, special, "finalise")

    file, expected = read(company), sums(company, "2026-01")
    numbers = {name: _number(company, employee_id) for name, employee_id in people.items()}
    separate = {"mbmf": expected[people["permit"]]["mbmf"], "sinda": expected[people["pass"]]["sinda"]}
    for item, code in CODES.items():
        due = sum(amounts[item] for amounts in expected.values()) - separate.get(item, 0)
        assert due > 0, item
        assert file.amount(code) == (due // 100 * 100 if item == "sdl" else due)
    shares = {
        employee_id: amounts["cpf_employee"] + amounts["cpf_employer"] for employee_id, amounts in expected.items()
    }
    assert file.amount("01") == sum(shares.values())
    assert {account: int(record["amount"]) for account, record in file.details_of("01").items()} == {
        numbers[name]: shares[people[name]] for name in ("monthly", "malay", "eurasian", "indian", "weekly")
    }
    assert file.details_of("02").keys() == {numbers["malay"]}
    assert file.details_of("03").keys() == {numbers["indian"]}
    wages = {
        name: (int(record["ordinary"]), int(record["additional"])) for name, record in _by_name(file, numbers).items()
    }
    assert wages["monthly"] == (500_000, 123_450)
    assert wages["weekly"] == (expected[people["weekly"]]["basic_salary"], 0)
    assert {name: record["status"] for name, record in _by_name(file, numbers).items()} == {
        "monthly": "N",
        "malay": "N",
        "eurasian": "O",
        "indian": "N",
        "weekly": "N",
    }
    filing = single_filing(company)
    assert {paid["payment_code"]: round(paid["amount"] * 100) for paid in filing["payments"]} == {
        code: file.amount(code) for code in ("01", *CODES.values())
    }
    assert int(file.trailer["total"]) == round(filing["total"] * 100)
    assert [(row["employee_id"], row["payment_code"], round(row["amount"] * 100)) for row in separately(filing)] == [
        (people["pass"], "03", separate["sinda"]),
        (people["permit"], "02", separate["mbmf"]),
    ]


def separately(filing: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(filing["payable_separately"], key=lambda row: row["employee_id"])


def test_the_levy_is_listed_as_payable_to_the_ministry_of_manpower(company: Company) -> None:
    permit = foreigner(company, "FOREIGNER_WP", "1200.00", pass_from="2025-06-01")
    enter(company, f"employees/{permit}", "foreign_worker_levy", amount="450.00")
    paid(company)
    answer = filings(company)
    assert "," not in answer.headers["x-rules-version"]
    [cpf, levy] = [element["filing"] for element in answer.json()]
    assert levy == {
        "name": "foreign_worker_levy",
        "month": "2026-01",
        "due_date": "2026-02-19",
        "payable_to": "Ministry of Manpower",
        "employees": 1,
        "total": 450.0,
        "amounts": [{"employee_id": permit, "amount": 450.0}],
    }
    assert [payment["payment_code"] for payment in cpf["payments"]] == ["11"]
    assert [record["payment_code"] for record in read(company).summaries] == ["11"]


def test_community_chest_has_a_summary_with_the_number_of_donors(company: Company) -> None:
    for number in range(2):
        enter(company, f"employees/{hired(company, first_name=f'Donor {number}')}", "community_chest", amount="5.00")
    hired(company)
    paid(company)
    [summary] = [record for record in read(company).summaries if record["payment_code"] == "10"]
    assert (int(summary["amount"]), int(summary["donors"])) == (1000, 2)


def test_drafts_of_the_month_in_no_run_are_pointed_out(company: Company) -> None:
    hired(company)
    paid(company)
    assert single_filing(company)["open_draft_count"] == 0
    weekly = company.wave(**{**WEEKLY, "first_end_date": WEEKS[0]})
    unpaid = hired(company, "700.00", wave_id=weekly)
    filing = single_filing(company)
    assert filing["open_draft_count"] == 1
    [draft] = filing["open_drafts"]
    assert (draft["employee_id"], draft["date"]) == (unpaid, WEEKS[0])


def test_periods_that_reach_into_the_month_and_are_not_finalised_are_listed(company: Company) -> None:
    hired(company)
    paid(company)
    assert single_filing(company)["open_periods"] == []
    reaches = company.wave(**{**WEEKLY, "first_end_date": "2026-02-06"})
    employee_id = hired(company, "700.00", wave_id=reaches, appointment_date="2026-01-31")
    filing = single_filing(company)
    period = {"wave_id": reaches, "period_end_date": "2026-02-06", "payment_run_id": None, "payslips": 1}
    assert filing["open_periods"] == [period]
    assert [draft["employee_id"] for draft in filing["open_drafts"]] == [employee_id]
    paid(company, "2026-02-06", wave_id=reaches)
    assert single_filing(company)["open_periods"] == []


def test_a_wave_that_is_late_is_listed_with_its_earlier_period(company: Company) -> None:
    late = company.wave(**{**WEEKLY, "first_end_date": WEEKS[0]})
    hired(company, appointment_date="2026-02-01")
    hired(company, "700.00", wave_id=late)
    run_id = opened(company, WEEKS[0], wave_id=late)
    paid(company, FEBRUARY)
    period = {"wave_id": late, "period_end_date": WEEKS[0], "payment_run_id": run_id, "payslips": 1}
    assert single_filing(company, "2026-02")["open_periods"] == [period]


def _number(company: Company, employee_id: int) -> str:
    employee = company.employee(employee_id)
    number: str = employee["nric"] or employee["fin"]
    return number


def _by_name(file: EzPay, numbers: dict[str, str]) -> dict[str, ezpay_reader.Record]:
    names = {number: name for name, number in numbers.items()}
    return {names[account]: record for account, record in file.details_of("01").items()}


def test_employees_are_existing_or_leavers_in_the_next_month(company: Company) -> None:
    stays, leaves = hired(company), hired(company, first_name="Arun")
    paid(company)
    company.leave(leaves, "2026-02-28")
    paid(company, FEBRUARY)
    records = read(company, "2026-02").details_of("01")
    assert records[_number(company, stays)]["status"] == "E"
    assert records[_number(company, leaves)]["status"] == "L"
    assert {record["month"] for record in records.values()} == {"202602"}


def test_the_advice_code_is_in_every_record_and_in_the_file_name(company: Company) -> None:
    hired(company)
    paid(company)
    answer = download(company, query="?advice_code=2")
    assert ezpay_reader.read(answer.content).trailer["advice_code"] == "02"
    assert f"PTE01{MONTHS[0]}202602.DTL" in answer.headers["content-disposition"]


def test_filing_conflicts_with_an_open_run(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    for answer in (filings(company), download(company)):
        problem = assert_problem(answer, 409)
        assert problem["message"] == "Filing for 2026-01 is not possible until its payment runs are finalised"
        assert problem["errors"] == {f"payment_runs.{run_id}": "the payment run of 2026-01-31 is not finalised"}
    done(company, run_id, "finalise")
    february = opened(company, FEBRUARY)
    assert download(company).status_code == 200
    done(company, february, "finalise")
    done(company, february, "unfinalise")
    assert_problem(download(company, "2026-02"), 409)


def test_filing_conflicts_with_an_open_special_run(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    opened(company, JANUARY, special=True, employee_ids=[employee_id])
    assert_problem(download(company), 409)


def test_a_month_without_payments_has_no_filing(company: Company) -> None:
    hired(company, "0.00")
    assert filings(company).json() == []
    assert "nothing payable" in assert_problem(download(company), 404)["message"]
    paid(company)
    assert filings(company).json() == []
    assert_problem(download(company), 404)


@pytest.mark.parametrize("month", ["2026-13", "2026-1", "202601", "2026-00", "january", "0000-01", "2026-01-01"])
def test_invalid_months_are_rejected(company: Company, month: str) -> None:
    for answer in (filings(company, month), download(company, month)):
        assert field_errors(answer) == {"month": "must be a month such as 2026-01"}


@pytest.mark.parametrize("code", ["0", "100", "x", ""])
def test_invalid_advice_codes_and_months_are_reported_together(company: Company, code: str) -> None:
    assert field_errors(download(company, "2026", f"?advice_code={code}")).keys() == {"advice_code", "month"}


def test_all_errors_of_employees_and_employer_are_reported_at_once(account: Member) -> None:
    company = Company.of(account)
    chinese = hired(company, first_name="美玲", last_name="陈", name_format=2)
    underscore = hired(company, first_name="Mei_Ling", last_name="Tan")
    hired(company, first_name="Fine", last_name="Lim")
    paid(company)
    company.member.service.as_owner("UPDATE employees SET nric_sealed = NULL WHERE id = $1", underscore)
    number = {employee_id: company.employee(employee_id)["number"] for employee_id in (chinese, underscore)}
    expected = {
        "cpf_submission_number": "is required on the client: the file identifies the employer by it",
        f"employees.{chinese}": f"陈 美玲 ({number[chinese]}): the name 陈 美玲 contains characters that the file does "
        "not support: 陈 美 玲",
        f"employees.{underscore}": f"Mei_Ling Tan ({number[underscore]}): CPF is payable but the employee has no NRIC; "
        "the name Mei_Ling Tan contains characters that the file does not support: _",
    }
    answer = download(company)
    assert field_errors(answer) == expected
    assert answer.json()["message"] == "The CPF file of 2026-01 cannot be generated: see errors"
    filing = single_filing(company)
    assert filing["errors"] == expected
    assert filing["bytes"] is filing["sha256"] is filing["file_name"] is None
    assert filing["total"] > 0


def test_amounts_with_an_identity_number_that_the_file_refuses_are_paid_separately(company: Company) -> None:
    hired(company)
    arun = foreigner(company, "FOREIGNER", "6000.00", race="TAMIL", first_name="Arun")
    director = foreigner(company, "FD_OTHER", "9000.00", religion="ISLAM")
    paid(company)
    filing = single_filing(company)
    assert [(row["employee_id"], row["payment_code"], row["name"], row["amount"]) for row in separately(filing)] == [
        (arun, "03", "SINDA", 9.0),
        (director, "02", "MBMF", 24.0),
    ]
    assert filing["errors"] == {}
    assert {record["account"][0] for record in read(company).details} <= {"S", "T"}


def test_a_number_for_voluntary_contributions_cannot_pay_funds_and_levies(account: Member) -> None:
    company = Company.of(account, cpf_submission_number="202699999EVCT01")
    hired(company)
    paid(company)
    assert field_errors(download(company)) == {
        "cpf_submission_number": "VCT numbers are for voluntary contributions; the CPF Board rejects CDAC, Skills "
        "development levy under them"
    }


def test_wages_that_are_too_large_are_errors(company: Company) -> None:
    employee_id = hired(company, "100000000.00")
    paid(company)
    [(key, message)] = field_errors(download(company)).items()
    assert key == f"employees.{employee_id}"
    assert "ordinary wages for the month is $100,000,000.00; the file allows at most $99,999,999.99" in message


def test_negative_amounts_are_errors(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    company.member.service.as_owner("UPDATE payslips SET additional = -100 WHERE employee_id = $1", employee_id)
    [message] = field_errors(download(company)).values()
    assert "additional wages for the month is negative: -$1.00" in message


def test_a_key_that_hides_identifiers_can_list_but_not_download(company: Company) -> None:
    hired(company)
    paid(company)
    hiding = company.member.with_another_key(hide_identifiers=True)
    path = f"/clients/{company.id}/filings/2026-01"
    assert hiding.get(path).json() == filings(company).json()
    assert "identifiers" in assert_problem(hiding.get(f"{path}/cpf"), 403)["message"]


def test_a_viewer_can_download_without_recording_and_an_employee_cannot(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    path = f"/clients/{company.id}/filings/2026-01/cpf"
    viewer, reading = company.member.colleague(company.id, "viewer"), company.member.with_another_key(read_only=True)
    contents = {viewer.get(path).content, reading.get(path).content}
    filing = company.member.get(f"/clients/{company.id}/filings/2026-01").json()[0]["filing"]
    assert filing["submissions"] == []
    assert contents == {download(company).content}
    assert_problem(company.member.colleague(company.id, "employee", employee_id).get(path), 404)
