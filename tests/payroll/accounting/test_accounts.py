"""GET and PUT /clients/:client_id/accounts."""

from typing import Any

import pytest

from gaji.engine.catalogue import SYSTEM_TYPES, build_catalogue
from tests.payroll.accounting.runs import put, saved
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import created

DEFAULT_ACCOUNTS = {
    "item": "basic_salary",
    "category": "Earnings",
    "debit_account": "Salaries and wages",
    "credit_account": "Salaries payable",
}


def accounts_path(company: Company) -> str:
    return f"/clients/{company.id}/accounts"


def list_accounts(company: Company) -> dict[str, dict[str, Any]]:
    elements = company.member.get(accounts_path(company)).json()
    assert all(list(element) == ["account"] for element in elements)
    return {element["account"]["item"]: element["account"] for element in elements}


def test_accounts_are_saved_and_listed(company: Company) -> None:
    account = {"item": "basic_salary", "category": "Staff", "debit_account": "6100 Pay", "credit_account": "2150 Owed"}
    answer = saved(put(company, accounts_path(company), [{"account": account}]))
    assert answer == {"message": "The accounts have been saved", "id": company.id}
    assert list_accounts(company)["basic_salary"] == account


def test_every_payslip_item_and_nett_pay_have_accounts(company: Company) -> None:
    accounts = list_accounts(company)
    assert list(accounts) == [*build_catalogue().lines, "nett_pay"]
    assert accounts["basic_salary"] == DEFAULT_ACCOUNTS
    assert accounts["cpf_employee"] == {
        "item": "cpf_employee",
        "category": "CPF",
        "debit_account": "Salaries payable",
        "credit_account": "CPF payable",
    }
    assert accounts["nett_pay"]["credit_account"] == accounts["nett_pay"]["debit_account"] == "Salaries payable"


def test_a_put_replaces_all_accounts_and_fills_in_defaults(company: Company) -> None:
    put(company, accounts_path(company), [{"account": {"item": "basic_salary", "debit_account": "6100"}}])
    assert list_accounts(company)["basic_salary"] == DEFAULT_ACCOUNTS | {"debit_account": "6100"}
    put(company, accounts_path(company), [{"account": {"item": "bonus", "category": None, "debit_account": " "}}])
    assert list_accounts(company)["basic_salary"] == DEFAULT_ACCOUNTS
    assert company.member.service.as_owner("SELECT FROM ledger_accounts WHERE client_id = $1", company.id) == []


def test_the_listed_accounts_can_be_put_back(company: Company) -> None:
    put(company, accounts_path(company), [{"account": {"item": "sdl", "category": "Levy", "credit_account": "2300"}}])
    read = company.member.get(accounts_path(company)).json()
    for body in (read, {"accounts": read}, [element["account"] for element in read]):
        saved(put(company, accounts_path(company), body))
        assert company.member.get(accounts_path(company)).json() == read


def test_an_empty_array_restores_the_default_accounts(company: Company) -> None:
    before = list_accounts(company)
    put(company, accounts_path(company), [{"account": {"item": "sdl", "category": "Levy"}}])
    saved(put(company, accounts_path(company), []))
    assert list_accounts(company) == before


def test_items_without_an_override_follow_the_account_of_nett_pay(company: Company) -> None:
    put(
        company,
        accounts_path(company),
        [{"item": "nett_pay", "credit_account": "2100"}, {"item": "bonus", "credit_account": "Salaries payable"}],
    )
    accounts = list_accounts(company)
    assert (accounts["nett_pay"]["debit_account"], accounts["nett_pay"]["credit_account"]) == ("2100", "2100")
    assert accounts["basic_salary"]["credit_account"] == "2100"
    assert accounts["loan"]["debit_account"] == "2100"
    assert accounts["bonus"]["credit_account"] == "Salaries payable"


@pytest.mark.parametrize("number", [str, int])
def test_a_custom_item_is_named_by_its_number(company: Company, number: type) -> None:
    definition = {"name": "Night shift", "kind": "allowance", "input": "per_payslip"}
    item = created(company.member.post(f"/clients/{company.id}/calculation_definitions", definition))
    assert list_accounts(company)[str(item)]["debit_account"] == "Allowances"
    saved(put(company, accounts_path(company), [{"item": number(item), "debit_account": "6190"}]))
    assert list_accounts(company)[str(item)]["debit_account"] == "6190"


def test_every_error_is_reported_and_nothing_is_saved(company: Company) -> None:
    put(company, accounts_path(company), [{"item": "sdl", "category": "Levy"}])
    before = company.member.service.fingerprint()
    answer = put(
        company,
        accounts_path(company),
        [
            {"account": {"item": "basic_salry", "debit_account": 5}},
            {"account": {"category": "x" * 101, "credit_account": "a\tb"}},
            {"item": "sdl"},
            {"item": "sdl"},
            "sdl",
            {"account": "sdl"},
            {"item": {"name": "sdl"}},
            {"item": "week_hours"},
        ],
    )
    assert field_errors(answer) == {
        "0.item": "payslip item basic_salry does not exist in this client; did you mean basic_salary?",
        "0.debit_account": "must be a string",
        "1.item": "is required",
        "1.category": "must be 1 to 100 characters",
        "1.credit_account": "must not contain control characters",
        "3.item": "must not appear twice",
        "4": "must be an object",
        "5.account": "must be an object",
        "6.item": "must be the name of a payslip item, or the number of a custom item",
        "7.item": "payslip item week_hours does not exist in this client",
    }
    assert company.member.service.fingerprint() == before


def test_an_account_cannot_be_on_both_sides_of_an_item(company: Company) -> None:
    answer = put(
        company,
        accounts_path(company),
        [
            {"item": "sdl", "credit_account": "Skills development levy"},
            {"item": "nett_pay", "debit_account": "Bonuses"},
        ],
    )
    assert field_errors(answer) == {
        "0.credit_account": "must differ from the account that sdl is debited to, Skills development levy",
        "1.credit_account": "must differ from the account that annual_bonus is debited to, Bonuses",
    }


def test_nett_pay_has_one_account(company: Company) -> None:
    answer = put(company, accounts_path(company), [{"item": "nett_pay", "debit_account": "a", "credit_account": "b"}])
    assert field_errors(answer) == {"0.debit_account": "must be the credit_account of nett_pay, b"}


def test_more_accounts_than_items_are_rejected(company: Company) -> None:
    answer = put(company, accounts_path(company), [{"item": "nothing"}] * 5000)
    assert field_errors(answer) == {"accounts": f"must have at most {len(build_catalogue().lines) + 1} items"}


def test_an_unknown_attribute_causes_a_warning(company: Company) -> None:
    answer = saved(put(company, accounts_path(company), [{"item": "sdl", "debit": "6300"}]))
    assert answer["warnings"] == {"0.debit": "Unknown attribute, ignored."}


@pytest.mark.parametrize("body", [{}, {"account": {}}, {"accounts": {}}, "sdl", 5, None])
def test_a_body_without_an_array_is_malformed(company: Company, body: object) -> None:
    assert_problem(put(company, accounts_path(company), body), 400)


def test_the_list_can_be_paged(company: Company) -> None:
    answer = company.member.get(f"{accounts_path(company)}?page=1&per_page=2")
    assert [element["account"]["item"] for element in answer.json()] == ["basic_salary", "overtime"]
    assert answer.headers["x-total-count"] == str(len(build_catalogue().lines) + 1)
    assert len(SYSTEM_TYPES) < len(build_catalogue().lines) + 1


def test_a_viewer_can_read_but_not_change(company: Company) -> None:
    viewer = company.member.colleague(company.id, "viewer")
    before = company.member.service.fingerprint()
    assert viewer.get(accounts_path(company)).status_code == 200
    assert_problem(viewer.call("PUT", accounts_path(company), json=[]), 403)
    assert company.member.service.fingerprint() == before


def test_a_change_is_in_the_audit_log(company: Company) -> None:
    put(company, accounts_path(company), [{"item": "sdl", "category": "Levy"}])
    put(company, accounts_path(company), [{"item": "sdl", "category": "Levy", "debit_account": "6300"}])
    put(company, accounts_path(company), [{"item": "sdl", "category": "Levy", "debit_account": "6300"}])
    rows = company.member.service.as_owner(
        "SELECT action FROM audit_log WHERE client_id = $1 AND action LIKE 'ledger_accounts.%' ORDER BY id", company.id
    )
    assert [row["action"] for row in rows] == ["ledger_accounts.insert", "ledger_accounts.update"]
