"""A finalised payslip shows what it showed when it was finalised, whatever changes later."""

from collections.abc import Callable

import pytest

from gaji.payroll.snapshots.differences import MAX_PAYSLIPS
from tests.documents import dbs_reader
from tests.payroll.calculations.requests import create_calculation, find_calculation
from tests.payroll.payment_runs.crowd import crowded
from tests.payroll.payment_runs.runs import done, opened, payslips, read, until_ready
from tests.payroll.payslips.slips import draft
from tests.payroll.snapshots.paid_company import TAKEN_ON, PaidCompany, pay_company
from tests.support.company import Company, new_nric
from tests.support.running import Member, created

MANY = 120


@pytest.fixture
def paid_company(account: Member) -> PaidCompany:
    """A company whose January is finalised."""
    return pay_company(account)


def change_employee(paid: PaidCompany) -> None:
    changes = {
        "first_name": "Mei Hua",
        "name_format": 2,
        "job_title": "Manager",
        "payment_method": "cash",
        "bank_account": {"bank_id": 7339, "account_number": "5011234567", "branch_code": "501"},
        "nric": new_nric(),
        "birthdate": "1950-01-01",
        "race": "INDIAN",
        "pay_point_id": None,
    }
    assert paid.company.patch(paid.mei, **changes).status_code == 200


def change_calculations(paid: PaidCompany) -> None:
    company, mei = paid.company, f"employees/{paid.mei}"
    create_calculation(company, mei, "basic_salary", fixed_amount="9999.00")
    create_calculation(company, f"employees/{paid.ravi}", "donation", amount="12.00")
    create_calculation(company, f"clients/{company.id}", "insurance", amount="8.00")
    own_item = find_calculation(company, mei, paid.item_id)
    assert company.member.delete(f"/calculations/{own_item['id']}").status_code == 200


def change_regular_hours(paid: PaidCompany) -> None:
    body = {
        "calc_type": "week_hours",
        "effective_date": "2026-02-01",
        "calculation_details": {"schedule": "fixed", "works_mon": True, "works_sat": True},
    }
    answer = paid.member.patch(f"/employees/{paid.mei}/inherited_calculations", body)
    assert answer.status_code == 200, answer.text


def delete_profile(paid: PaidCompany) -> None:
    assert paid.member.delete(f"/profile_mappings/{paid.mapping_id}").status_code == 200
    assert paid.member.delete(f"/profiles/{paid.profile_id}").status_code == 200


def change_profile(paid: PaidCompany) -> None:
    body = {"name": "Chefs", "calculations": {"transport_allowance": {"amount": 1}, "donation": {"amount": 2}}}
    assert paid.member.patch(f"/profiles/{paid.profile_id}", body).status_code == 200


def change_definition(paid: PaidCompany) -> None:
    path = f"/calculation_definitions/{paid.item_id}"
    assert paid.member.patch(path, {"name": "Heat", "kind": "deduction"}).status_code == 200


def delete_definition(paid: PaidCompany) -> None:
    calculation = find_calculation(paid.company, f"employees/{paid.mei}", paid.unused_item_id)
    assert paid.member.delete(f"/calculations/{calculation['id']}").status_code == 200
    assert paid.member.delete(f"/calculation_definitions/{paid.unused_item_id}").status_code == 200


def change_accounts(paid: PaidCompany) -> None:
    accounts = [
        {"item": "basic_salary", "category": "Pay", "debit_account": "6100 Salaries", "credit_account": "2100 Owed"},
        {"item": "nett_pay", "debit_account": "2000 Nett", "credit_account": "2000 Nett"},
    ]
    answer = paid.member.call("PUT", f"/clients/{paid.company.id}/accounts", json=accounts)
    assert answer.status_code == 200, answer.text


def change_splits(paid: PaidCompany) -> None:
    member, path = paid.member, f"/clients/{paid.company.id}/accounting_splits"
    assert member.call("PUT", f"/employees/{paid.mei}/accounting_splits", json={}).status_code == 200
    splits = paid.get(path)["splits"]
    renamed = [{**splits[0], "name": "Counter"}, {"name": "Store"}]
    assert member.call("PUT", path, json={"mode": "employee", "splits": renamed}).status_code == 200


def change_split_mode(paid: PaidCompany) -> None:
    path = f"/clients/{paid.company.id}/accounting_splits"
    assert paid.member.call("PUT", path, json={"mode": "pay_point"}).status_code == 200


def change_pay_point(paid: PaidCompany) -> None:
    assert paid.member.patch(f"/pay_points/{paid.pay_point_id}", {"name": "Bar"}).status_code == 200


def change_client(paid: PaidCompany) -> None:
    changes = {
        "name": "Teh Holdings Pte Ltd",
        "uen": None,
        "physical_address": {"unit_no": "#01-01", "complex": "", "st_name": "1 Teh Road", "postal_code": "123456"},
        "bank_account": {"bank_id": 7375, "account_number": "1234567890", "branch_code": "030"},
    }
    answer = paid.member.patch(f"/clients/{paid.company.id}", changes)
    assert answer.status_code == 200, answer.text


def change_take_on(paid: PaidCompany) -> None:
    body = {**TAKEN_ON, "cpf_employee": "777.00"}
    assert paid.member.call("PUT", f"/employees/{paid.mei}/take_on_balances", json=body).status_code == 200


def end_service(paid: PaidCompany) -> None:
    paid.company.leave(paid.mei, "2026-01-31", ir21=True)


CHANGES: tuple[Callable[[PaidCompany], None], ...] = (
    change_employee,
    change_calculations,
    change_regular_hours,
    change_profile,
    delete_profile,
    change_definition,
    delete_definition,
    change_accounts,
    change_splits,
    change_split_mode,
    change_pay_point,
    change_client,
    change_take_on,
    end_service,
)


def test_no_change_of_other_records_changes_a_finalised_run(paid_company: PaidCompany) -> None:
    before = paid_company.responses()
    for change in CHANGES:
        change(paid_company)
        assert paid_company.responses() == before, change.__name__


def test_calculations_show_the_inputs_levels_and_outputs_of_finalisation(paid_company: PaidCompany) -> None:
    [mei, _] = paid_company.payslip_ids
    change_calculations(paid_company)
    change_profile(paid_company)
    change_accounts(paid_company)
    delete_profile(paid_company)
    calculations = paid_company.calculations(mei)
    assert calculations["basic_salary"]["inputs"]["fixed_amount"] == "4200.00"
    assert calculations["basic_salary"]["outputs"] == {"basic_salary": "4200.00"}
    assert calculations["basic_salary"]["account_outputs"] == {"Salaries and wages": "4200.00"}
    assert calculations["insurance"]["inputs"]["amount"] == "3.00"
    assert calculations["transport_allowance"]["profile_id"] == paid_company.profile_id
    assert calculations["transport_allowance"]["inputs"]["amount"] == "150.00"
    assert calculations[str(paid_company.item_id)]["inputs"] == {"amount": "40.00"}
    assert calculations["bonus"]["id"] == paid_company.payslip_calculation_id
    assert "donation" not in calculations


def test_the_pdf_shows_names_job_title_and_account_of_finalisation(paid_company: PaidCompany) -> None:
    change_employee(paid_company)
    change_client(paid_company)
    change_definition(paid_company)
    text = paid_company.pdf(paid_company.payslip_ids[0])
    for words in ("Mei Ling Tan", "Barista", "Kopi Trading Pte Ltd", "10 Ubi Crescent", "202699999E", "GIRO", "2891"):
        assert words in text
    assert "Cold room" in text
    assert "Kitchen" in text
    for words in ("Mei Hua", "Manager", "Teh", "Heat"):
        assert words not in text


def test_the_journal_shows_accounts_and_splits_of_finalisation(paid_company: PaidCompany) -> None:
    change_accounts(paid_company)
    change_splits(paid_company)
    [journal] = paid_company.get(f"/payment_runs/{paid_company.run_id}/accounting")
    assert [split["name"] for split in journal["accounting_splits"]] == ["Front", "Back", "Unassigned"]
    labels = {line["line_item"]: line["label"] for line in (*journal["debit"], *journal["credit"])}
    assert labels["basic_salary"] == "Salaries and wages"
    assert labels["nett_pay"] == "Salaries payable"
    salary = next(line for line in journal["debit"] if line["line_item"] == "basic_salary")
    assert list(salary["amount"].values()) == [2520.0, 1680.0, 3100.0]


def test_the_bank_file_pays_the_accounts_of_finalisation(paid_company: PaidCompany) -> None:
    change_employee(paid_company)
    change_client(paid_company)
    file = dbs_reader.read(paid_company.get(f"/payment_runs/{paid_company.run_id}/files/dbs_giro.csv"))
    [payment] = file.payments
    fields = [payment.fields[number] for number in (3, 11, 16, 18)]
    assert fields == ["0012345678", "Mei Ling Tan", "0052312891", "7171"]


def test_payslips_in_lists_have_the_captions_of_finalisation(paid_company: PaidCompany) -> None:
    change_definition(paid_company)
    [mei, _] = payslips(paid_company.company, paid_company.run_id)
    assert ["Cold room", "40.00"] in mei["data"]["income"]
    [employee, _] = paid_company.company.listed("?include=recent_payslips_with_data")
    assert ["Cold room", "40.00"] in employee["recent_payslips_with_data"][0]["payslip"]["data"]["income"]


def test_a_draft_shows_changes_at_once(paid_company: PaidCompany) -> None:
    payslip_id = draft(paid_company.company, paid_company.mei)
    change_employee(paid_company)
    change_client(paid_company)
    change_calculations(paid_company)
    text = paid_company.pdf(payslip_id)
    assert all(words in text for words in ("Tan Mei Hua", "Manager", "Teh Holdings"))
    assert paid_company.calculations(payslip_id)["basic_salary"]["inputs"]["fixed_amount"] == "9999.00"


def test_finalising_again_takes_the_new_state_and_says_what_differs(paid_company: PaidCompany) -> None:
    assert read(paid_company.company, paid_company.run_id)["differences"] is None
    before = paid_company.responses()
    for change in (change_employee, change_client, change_accounts, change_splits, change_definition):
        change(paid_company)
    transport = {"calc_type": "transport_allowance", "calculation_details": {"amount": "199.00"}}
    created(
        paid_company.member.post(
            f"/employees/{paid_company.ravi}/calculations", transport | {"valid_from": "2026-01-01"}
        )
    )
    body = paid_company.finalise_again()
    after = paid_company.responses()
    unchanged = {path for path in before if after.get(path) == before[path]}
    assert unchanged <= {f"/calculations/{paid_company.payslip_calculation_id}"}
    assert "Tan Mei Hua" in after[f"/payslips/{paid_company.payslip_ids[0]}.pdf"]

    differences = body["differences"]
    assert differences["count"] == 2
    assert [payslip["employee_id"] for payslip in differences["payslips"]] == [paid_company.mei, paid_company.ravi]
    ravi = {entry["item"]: (entry["before"], entry["after"]) for entry in differences["payslips"][1]["items"]}
    assert ravi["transport_allowance"] == ("99.00", "199.00")
    assert ravi["total_income"] == ("3199.00", "3299.00")
    assert read(paid_company.company, paid_company.run_id)["differences"] == differences

    done(paid_company.company, paid_company.run_id, "unfinalise")
    assert read(paid_company.company, paid_company.run_id)["differences"] is None


def test_finalising_again_without_a_change_says_that_nothing_differs(paid_company: PaidCompany) -> None:
    before = paid_company.responses()
    body = paid_company.finalise_again()
    assert body["differences"] == {"count": 0, "payslips": []}
    run, files = f"/payment_runs/{paid_company.run_id}", f"/payment_runs/{paid_company.run_id}/files"
    after = paid_company.responses()
    for path, content in after.items():
        if path != run and not path.startswith(files):  # these contain the time of finalising
            assert content == before[path], path


def test_a_payslip_that_is_new_in_the_run_differs_from_nothing(paid_company: PaidCompany) -> None:
    company = paid_company.company
    done(company, paid_company.run_id, "unfinalise")
    joiner = company.hire(appointment_date="2026-01-15")
    create_calculation(company, f"employees/{joiner}", "basic_salary", fixed_amount="1000.00")
    answer = company.member.post(f"/payment_runs/{paid_company.run_id}/finalise").json()
    [payslip] = answer["differences"]["payslips"]
    assert payslip["employee_id"] == joiner
    assert {entry["before"] for entry in payslip["items"]} == {None}


def test_at_most_100_payslips_that_differ_are_listed(company: Company) -> None:
    company = crowded(company, MANY)
    run_id = opened(company)
    until_ready(company, run_id)
    done(company, run_id, "finalise")
    done(company, run_id, "unfinalise")
    create_calculation(company, f"clients/{company.id}", "donation", amount="1.00")
    until_ready(company, run_id)
    differences = company.member.post(f"/payment_runs/{run_id}/finalise").json()["differences"]
    assert differences["count"] == MANY
    assert len(differences["payslips"]) == MAX_PAYSLIPS


def test_snapshots_exist_exactly_for_finalised_payslips(paid_company: PaidCompany) -> None:
    def stored() -> list[tuple[int, ...]]:
        rows = paid_company.member.service.as_owner(
            "SELECT (SELECT count(*) FROM payslip_snapshots WHERE client_id = $1) AS payslips, "
            "(SELECT count(*) FROM payment_run_snapshots WHERE client_id = $1) AS runs, "
            "(SELECT count(*) FROM reopened_payslips WHERE client_id = $1) AS reopened",
            paid_company.company.id,
        )
        return [tuple(row.values()) for row in rows]

    assert stored() == [(2, 1, 0)]
    done(paid_company.company, paid_company.run_id, "unfinalise")
    assert stored() == [(0, 0, 2)]
    done(paid_company.company, paid_company.run_id, "finalise")
    assert stored() == [(2, 1, 0)]
    done(paid_company.company, paid_company.run_id, "unfinalise")
    assert paid_company.member.delete(f"/payment_runs/{paid_company.run_id}").status_code == 200
    assert stored() == [(0, 0, 0)]


def test_account_numbers_in_snapshots_are_encrypted(paid_company: PaidCompany) -> None:
    rows = paid_company.member.service.as_owner(
        "SELECT s::text AS payslip, r::text AS run FROM payslip_snapshots s JOIN payment_run_snapshots r "
        "ON r.client_id = s.client_id WHERE s.client_id = $1",
        paid_company.company.id,
    )
    for row in rows:
        assert "0052312891" not in row["payslip"]
        assert "234567-8" not in row["run"].replace("*-", "")
