"""Ledger accounts, journal splits and leave policies."""

import re
from typing import Any

import pytest

from tests.console.console_user import ConsoleUser, page_forms, page_text
from tests.leave.people import leave_types
from tests.support.company import Company


@pytest.fixture
def settings(company: Company) -> str:
    """Where the settings of the company are."""
    return f"/companies/{company.id}/settings"


def values_of(page: str) -> dict[str, str]:
    """What the form on a page would send without a change."""
    result = dict(re.findall(r'<input id="[^"]*" name="([^"]+)" value="([^"]*)"', page))
    assert len(result) > 30
    return {name: value.replace("&#39;", "'").replace("&amp;", "&") for name, value in result.items()}


def accounts_of(company: Company) -> dict[str, dict[str, Any]]:
    """The accounts of the company by item."""
    result = company.member.get(f"/clients/{company.id}/accounts").json()
    return {str(element["account"]["item"]): element["account"] for element in result}


def test_a_cleared_account_returns_to_its_default(owner: ConsoleUser, company: Company, settings: str) -> None:
    page = f"{settings}/accounts"
    before = accounts_of(company)
    form_data = values_of(owner.get(page).text)
    answer = owner.post(page, {**form_data, "basic_salary.debit_account": "6100 Salaries"})
    assert answer.status_code == 303, page_text(answer)
    after = accounts_of(company)
    assert after["basic_salary"]["debit_account"] == "6100 Salaries"
    assert {item: item_ for item, item_ in after.items() if item != "basic_salary"} == {
        item: item_ for item, item_ in before.items() if item != "basic_salary"
    }
    assert owner.post(page, {**form_data, "basic_salary.debit_account": ""}).status_code == 303
    assert accounts_of(company) == before


def test_account_errors_are_shown_at_their_fields(owner: ConsoleUser, company: Company, settings: str) -> None:
    page = f"{settings}/accounts"
    form_data = values_of(owner.get(page).text)
    wrong = {"basic_salary.debit_account": "x" * 101, "sdl.category": "y" * 101}
    answer = owner.post(page, {**form_data, **wrong})
    assert answer.status_code == 422
    assert 'id="basic_salary-debit_account-error"' in answer.text
    assert 'id="sdl-category-error"' in answer.text
    assert "x" * 101 in answer.text
    assert accounts_of(company)["basic_salary"]["debit_account"] != "x" * 101


def test_journals_are_split_by_employee(owner: ConsoleUser, company: Company, settings: str) -> None:
    page = f"{settings}/splits"
    answer = owner.post(page, {"mode": "employee", "new_split.1": "Sales", "new_split.2": "Kitchen"})
    assert answer.status_code == 303, page_text(answer)
    result = company.member.get(f"/clients/{company.id}/accounting_splits").json()
    assert [split["name"] for split in result["splits"]] == ["Sales", "Kitchen"]
    sales = result["splits"][0]["id"]
    assert owner.post(page, {"mode": "employee", f"split.{sales}": "Shop"}).status_code == 303
    result = company.member.get(f"/clients/{company.id}/accounting_splits").json()
    assert result == {"mode": "employee", "splits": [{"id": sales, "name": "Shop"}]}


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"mode": "employee"}, "new_split-1"),
        ({"mode": ""}, "mode"),
        ({"mode": "employee", "new_split.1": "Sales", "new_split.2": "sales"}, "new_split-2"),
        ({"mode": "pay_point", "new_split.1": "Sales"}, "new_split-1"),
    ],
)
def test_split_errors_are_shown_at_their_fields(
    owner: ConsoleUser, settings: str, data: dict[str, str], field: str
) -> None:
    answer = owner.post(f"{settings}/splits", data)
    assert answer.status_code == 422
    assert f'id="{field}-error"' in answer.text


def policy_of(company: Company, type_id: int) -> dict[str, Any]:
    """The policy that holds today."""
    result: dict[str, Any] = company.member.get(f"/leave_types/{type_id}/policy").json()["policy"]
    return result


def test_a_leave_type_is_created_with_a_policy(owner: ConsoleUser, company: Company, settings: str) -> None:
    assert owner.post(f"{settings}/leave_types/new", {"name": "study_leave"}).status_code == 303
    type_id = leave_types(company.member, company.id)["study_leave"]
    data = {
        "accrual": "yearly",
        "least_months": "3",
        "paid": "true",
        "carry_over.limit": "2.5",
        "entitlement0.year": "1",
        "entitlement0.days": "5",
        "entitlement2.year": "3",
        "entitlement2.days": "7",
    }
    answer = owner.post(f"{settings}/leave_types/{type_id}/edit", data)
    assert answer.status_code == 303, page_text(answer)
    policy = policy_of(company, type_id)
    assert policy["entitlement"] == [{"year": 1, "days": 5}, {"year": 3, "days": 7}]
    assert (policy["accrual"], policy["least_months"], policy["paid"]) == ("yearly", 3, True)
    assert policy["carry_over"] == {"limit": 2.5, "expiry_months": None}
    assert (policy["prorate"], policy["below_zero"]) == (False, False)
    text = page_text(owner.get(f"{settings}/leave_types"))
    assert f"Study leave {type_id} 5 to 7 All of it on the first day of a year of service Yes" in text


def test_saving_the_policy_form_unchanged_keeps_the_policy(owner: ConsoleUser, company: Company, settings: str) -> None:
    type_id = leave_types(company.member, company.id)["annual_leave"]
    before = policy_of(company, type_id)
    page = owner.get(f"{settings}/leave_types/{type_id}/edit").text
    form_data = dict(re.findall(r'<input id="[^"]*" name="([^"]+)" type="(?:text|date)" value="([^"]*)"', page))
    ticked = dict.fromkeys(
        re.findall(r'<input type="checkbox" id="[^"]*" name="([^"]+)" value="true" checked', page), "true"
    )
    data = {**form_data, **ticked, "accrual": before["accrual"]}
    answer = owner.post(f"{settings}/leave_types/{type_id}/edit", data)
    assert answer.status_code == 303, page_text(answer)
    after = policy_of(company, type_id)
    assert {**after, "effective_date": None} == {**before, "effective_date": None}


def test_policy_errors_are_shown_at_their_fields_and_the_statutory_minimum_applies(
    owner: ConsoleUser, company: Company, settings: str
) -> None:
    type_id = leave_types(company.member, company.id)["annual_leave"]
    page = f"{settings}/leave_types/{type_id}/edit"
    data = {"accrual": "monthly", "least_months": "99", "entitlement0.year": "2", "entitlement0.days": "x"}
    answer = owner.post(page, data)
    assert answer.status_code == 422
    for name in ("least_months", "entitlement0-year", "entitlement0-days"):
        assert f'id="{name}-error"' in answer.text, page_text(answer)
    poor = {"accrual": "monthly", "entitlement0.year": "1", "entitlement0.days": "1", "paid": "true"}
    answer = owner.post(page, poor)
    assert answer.status_code == 422
    assert 'id="entitlement0-year-error"' in answer.text


def test_a_leave_type_is_renamed_and_deleted(owner: ConsoleUser, company: Company, settings: str) -> None:
    owner.post(f"{settings}/leave_types/new", {"name": "study_leave"})
    type_id = leave_types(company.member, company.id)["study_leave"]
    page = f"{settings}/leave_types/{type_id}"
    taken = owner.post(f"{page}/rename", {"name": "annual_leave"}, page=f"{page}/edit")
    assert taken.status_code == 422
    assert 'id="name-error"' in taken.text
    assert owner.post(f"{page}/rename", {"name": "exam_leave"}, page=f"{page}/edit").status_code == 303
    assert leave_types(company.member, company.id)["exam_leave"] == type_id
    assert owner.post(f"{page}/delete", page=f"{page}/edit").status_code == 303
    assert "exam_leave" not in leave_types(company.member, company.id)


def test_viewers_cannot_change_accounts_splits_or_policies(
    viewer: ConsoleUser, company: Company, settings: str
) -> None:
    type_id = leave_types(company.member, company.id)["annual_leave"]
    for name in ("accounts", "splits", "leave_types"):
        page = viewer.get(f"{settings}/{name}")
        assert page.status_code == 200
        assert [form for form in page_forms(page) if form[0] == "post"] == []
    own_id = f"leave_types/{type_id}"
    for path in ("accounts", "splits", "leave_types/new", f"{own_id}/edit", f"{own_id}/rename"):
        assert viewer.post(f"{settings}/{path}", {"mode": "pay_point"}, page="/password").status_code == 403


def mappings_of(company: Company) -> list[tuple[Any, ...]]:
    """The account mappings of the company."""
    result = company.member.get(f"/clients/{company.id}/account_mappings").json()
    return [tuple(element["account_mapping"].values()) for element in result]


def mapping_field(page: str, label: str) -> str:
    """The name of the field with this label."""
    [name] = re.findall(rf'name="([^"]+)"[^>]* aria-label="{re.escape(label)}"', page)
    return str(name)


def test_accounts_of_the_program_are_entered_by_account_by_item_and_by_split(
    owner: ConsoleUser, company: Company, settings: str
) -> None:
    office = company.member.new_pay_point(company.id, name="Office")
    assert owner.post(f"{settings}/splits", {"mode": "pay_point"}).status_code == 303
    page = f"{settings}/account_mappings"
    shown = owner.get(page).text
    code, name = (mapping_field(shown, f"{column} of CPF payable") for column in ("Code", "Name"))
    assert owner.post(page, {code: "826", name: "CPF:Payable"}).status_code == 303
    by_split = owner.get(f"{page}?split={office}").text
    assert 'placeholder="826"' in by_split
    assert owner.post(f"{page}?split={office}", {code: "826K"}).status_code == 303
    by_item = owner.get(f"{page}?by=item").text
    caption = next(text for text in re.findall(r'aria-label="Code of CPF payable, ([^"]+)"', by_item))
    item_code = mapping_field(by_item, f"Code of CPF payable, {caption}")
    answer = owner.post(f"{page}?by=item", {item_code: "827"})
    assert answer.headers["location"] == f"{page}?by=item"
    stored = mappings_of(company)
    assert {(account, split, code, name) for account, _, split, code, name in stored} == {
        ("CPF payable", None, "826", "CPF:Payable"),
        ("CPF payable", str(office), "826K", None),
        ("CPF payable", None, "827", None),
    }
    assert len([item for _, item, *_ in stored if item]) == 1
    assert owner.post(page, {code: "", name: ""}).status_code == 303
    assert len(mappings_of(company)) == 2
    wrong = owner.post(page, {code: "x" * 101})
    assert wrong.status_code == 422
    assert f'id="{code.replace(".", "-")}-error"' in wrong.text
    assert owner.get(f"{page}?split=nowhere").status_code == 404
    assert owner.get(f"{page}?run=999999999").status_code == 404


def test_import_settings_are_saved(owner: ConsoleUser, company: Company, settings: str) -> None:
    page = f"{settings}/accounting_export/edit"
    values = {"xero_tax_rate": "Exempt", "quickbooks_date_format": "YYYY-MM-DD", "quickbooks_split_column": "class"}
    answer = owner.post(page, values)
    assert answer.status_code == 303, page_text(answer)
    stored = company.member.get(f"/clients/{company.id}/accounting_export_settings").json()
    assert stored == {**values, "xero_tracking_category": None}
    assert owner.post(page, {**values, "quickbooks_split_column": "no"}).status_code == 422
