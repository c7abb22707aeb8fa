"""GET and PUT /clients/:client_id/accounts."""

from typing import Any

import pytest

from gaji.db.tenancy import Tenant, open_pool
from gaji.engine.catalogue import SYSTEM_TYPES, build_catalogue
from gaji.identity.service import find_user
from gaji.payroll.accounting.service import account_outputs
from tests.payroll.accounting.runs import put, saved
from tests.support.company import Company
from tests.support.problems import faults, refused
from tests.support.running import created

USUAL = {
    "item": "basic_salary",
    "category": "Earnings",
    "debit_account": "Salaries and wages",
    "credit_account": "Salaries payable",
}


def where(company: Company) -> str:
    return f"/clients/{company.id}/accounts"


def listed(company: Company) -> dict[str, dict[str, Any]]:
    found = company.member.get(where(company)).json()
    assert all(list(one) == ["account"] for one in found)
    return {one["account"]["item"]: one["account"] for one in found}


def test_it_works(company: Company) -> None:
    given = {"item": "basic_salary", "category": "Staff", "debit_account": "6100 Pay", "credit_account": "2150 Owed"}
    answer = saved(put(company, where(company), [{"account": given}]))
    assert answer == {"message": "The accounts have been saved", "id": company.id}
    assert listed(company)["basic_salary"] == given


def test_every_item_of_a_payslip_has_accounts_and_so_has_what_is_paid_out(company: Company) -> None:
    found = listed(company)
    assert list(found) == [*build_catalogue().lines, "nett_pay"]
    assert found["basic_salary"] == USUAL
    assert found["cpf_employee"] == {
        "item": "cpf_employee",
        "category": "CPF",
        "debit_account": "Salaries payable",
        "credit_account": "CPF payable",
    }
    assert found["nett_pay"]["credit_account"] == found["nett_pay"]["debit_account"] == "Salaries payable"


def test_what_is_left_out_is_usual_and_a_put_replaces_all(company: Company) -> None:
    put(company, where(company), [{"account": {"item": "basic_salary", "debit_account": "6100"}}])
    assert listed(company)["basic_salary"] == USUAL | {"debit_account": "6100"}
    put(company, where(company), [{"account": {"item": "bonus", "category": None, "debit_account": " "}}])
    assert listed(company)["basic_salary"] == USUAL
    assert company.member.service.as_owner("SELECT FROM ledger_accounts WHERE client_id = $1", company.id) == []


def test_what_was_read_can_be_put_back(company: Company) -> None:
    put(company, where(company), [{"account": {"item": "sdl", "category": "Levy", "credit_account": "2300"}}])
    read = company.member.get(where(company)).json()
    for body in (read, {"accounts": read}, [one["account"] for one in read]):
        saved(put(company, where(company), body))
        assert company.member.get(where(company)).json() == read


def test_an_empty_array_goes_back_to_the_usual_accounts(company: Company) -> None:
    before = listed(company)
    put(company, where(company), [{"account": {"item": "sdl", "category": "Levy"}}])
    saved(put(company, where(company), []))
    assert listed(company) == before


def test_the_account_of_nett_pay_is_followed_by_those_who_say_nothing_else(company: Company) -> None:
    put(
        company,
        where(company),
        [{"item": "nett_pay", "credit_account": "2100"}, {"item": "bonus", "credit_account": "Salaries payable"}],
    )
    found = listed(company)
    assert (found["nett_pay"]["debit_account"], found["nett_pay"]["credit_account"]) == ("2100", "2100")
    assert found["basic_salary"]["credit_account"] == "2100"
    assert found["loan"]["debit_account"] == "2100"
    assert found["bonus"]["credit_account"] == "Salaries payable"


@pytest.mark.parametrize("number", [str, int])
def test_a_custom_item_is_named_by_its_number(company: Company, number: type) -> None:
    definition = {"name": "Night shift", "kind": "allowance", "input": "per_payslip"}
    item = created(company.member.post(f"/clients/{company.id}/calculation_definitions", definition))
    assert listed(company)[str(item)]["debit_account"] == "Allowances"
    saved(put(company, where(company), [{"item": number(item), "debit_account": "6190"}]))
    assert listed(company)[str(item)]["debit_account"] == "6190"


def test_every_fault_is_named_and_nothing_is_saved(company: Company) -> None:
    put(company, where(company), [{"item": "sdl", "category": "Levy"}])
    before = company.member.service.fingerprint()
    answer = put(
        company,
        where(company),
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
    assert faults(answer) == {
        "0.item": "there is no item basic_salry; did you mean basic_salary?",
        "0.debit_account": "must be a string",
        "1.item": "is required",
        "1.category": "must be 1 to 100 characters",
        "1.credit_account": "must not contain control characters",
        "3.item": "sdl is given twice",
        "4": "must be an object",
        "5.account": "must be an object",
        "6.item": "must be the name of an item, or the number of a custom one",
        "7.item": "there is no item week_hours",
    }
    assert company.member.service.fingerprint() == before


def test_an_account_cannot_be_on_both_sides_of_an_item(company: Company) -> None:
    answer = put(
        company,
        where(company),
        [
            {"item": "sdl", "credit_account": "Skills development levy"},
            {"item": "nett_pay", "debit_account": "Bonuses"},
        ],
    )
    assert faults(answer) == {
        "0.credit_account": "Skills development levy is what sdl is debited to as well",
        "1.credit_account": "Bonuses is what annual_bonus is debited to as well",
    }


def test_what_is_paid_out_has_one_account(company: Company) -> None:
    answer = put(company, where(company), [{"item": "nett_pay", "debit_account": "a", "credit_account": "b"}])
    assert faults(answer) == {"0.debit_account": "must be the credit_account of nett_pay, b"}


def test_more_accounts_than_items_are_refused_at_once(company: Company) -> None:
    answer = put(company, where(company), [{"item": "nothing"}] * 5000)
    assert faults(answer) == {"accounts": f"must be at most one for each of the {len(build_catalogue().lines) + 1} items"}


def test_an_unknown_attribute_is_named(company: Company) -> None:
    answer = saved(put(company, where(company), [{"item": "sdl", "debit": "6300"}]))
    assert answer["warnings"] == {"0.debit": "Unknown attribute, ignored."}


@pytest.mark.parametrize("body", [{}, {"account": {}}, {"accounts": {}}, "sdl", 5, None])
def test_a_body_without_an_array_is_malformed(company: Company, body: object) -> None:
    refused(put(company, where(company), body), 400)


def test_the_list_can_be_paged(company: Company) -> None:
    answer = company.member.get(f"{where(company)}?page=1&per_page=2")
    assert [one["account"]["item"] for one in answer.json()] == ["basic_salary", "overtime"]
    assert answer.headers["x-total-count"] == str(len(build_catalogue().lines) + 1)
    assert len(SYSTEM_TYPES) < len(build_catalogue().lines) + 1


def test_a_viewer_reads_and_does_not_put(company: Company) -> None:
    viewer = company.member.colleague(company.id, "viewer")
    before = company.member.service.fingerprint()
    assert viewer.get(where(company)).status_code == 200
    refused(viewer.call("PUT", where(company), json=[]), 403)
    assert company.member.service.fingerprint() == before


def test_a_change_is_in_the_audit_log(company: Company) -> None:
    put(company, where(company), [{"item": "sdl", "category": "Levy"}])
    put(company, where(company), [{"item": "sdl", "category": "Levy", "debit_account": "6300"}])
    put(company, where(company), [{"item": "sdl", "category": "Levy", "debit_account": "6300"}])
    rows = company.member.service.as_owner(
        "SELECT action FROM audit_log WHERE client_id = $1 AND action LIKE 'ledger_accounts.%' ORDER BY id", company.id
    )
    assert [row["action"] for row in rows] == ["ledger_accounts.insert", "ledger_accounts.update"]


def test_other_resources_get_amounts_by_ledger_account(company: Company) -> None:
    saved(put(company, where(company), [{"item": "cpf_employer", "debit_account": "6200 CPF"}]))
    lines = {"basic_salary": "3000.00", "overtime": "120.50", "cpf_employee": "600.00", "cpf_employer": "510.00"}
    server = company.member.service

    async def ask() -> dict[str, str]:
        pool = await open_pool(server.database.as_application("test"))
        try:
            tenant = Tenant(pool, server.vault, await find_user(server.database, company.member.email))
            async with tenant.reading() as tx:
                return await account_outputs(tx, company.id, lines)
        finally:
            await pool.close()

    assert server.runner.run(ask()) == {
        "Salaries and wages": "3120.50",
        "CPF payable": "600.00",
        "6200 CPF": "510.00",
    }
