"""Custom items and their preview."""

from typing import Any

import pytest

from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company


@pytest.fixture
def items(company: Company) -> str:
    """Where the custom items of the company are."""
    return f"/companies/{company.id}/settings/items"


def definitions(company: Company) -> list[dict[str, Any]]:
    """The custom items as the API shows them."""
    result = company.member.get(f"/clients/{company.id}/calculation_definitions").json()
    return [element["calculation_definition"] for element in result]


MEAL = {"name": "Meal money", "kind": "allowance", "input": "formula", "formula": "min(basic_salary * 0.05, 300)"}


def test_a_new_item_gets_the_defaults_of_its_kind(owner: ConsoleUser, company: Company, items: str) -> None:
    answer = owner.post(f"{items}/new", MEAL)
    assert (answer.status_code, answer.headers["location"]) == (303, items)
    [item] = definitions(company)
    assert (item["name"], item["formula"]) == (MEAL["name"], MEAL["formula"])
    assert (item["cpf"], item["taxable"], item["gross_rate"], item["ir8a"]) == ("ordinary", True, True, "d1_other")
    text = page_text(owner.get(items))
    assert f"Meal money {item['id']} Allowance A formula min(basic_salary * 0.05, 300)" in text


@pytest.mark.parametrize(
    ("formula", "character"), [("basic_salary ** 2", 15), ("basic_slary * 2", 1), ("(1 + 2", 1), ("1 +", 4)]
)
def test_a_formula_error_names_the_character(owner: ConsoleUser, items: str, formula: str, character: int) -> None:
    answer = owner.post(f"{items}/new", {**MEAL, "formula": formula})
    assert answer.status_code == 422
    assert f"character {character}:" in page_text(answer)
    assert 'id="formula-error"' in answer.text
    assert f"{formula.split('*')[0].strip()}" in answer.text
    assert "\n" + " " * (character - 1) + "^</pre>" in answer.text


def test_a_formula_is_previewed_without_saving(owner: ConsoleUser, company: Company, items: str) -> None:
    hired(company, "4200.00", first_name="Aisha")
    before = company.member.service.fingerprint()
    answer = owner.post(f"{items}/new", {**MEAL, "try": "true"})
    assert answer.status_code == 200, page_text(answer)
    text = page_text(answer)
    assert "Aisha Tan, period ending 31 Jan 2026: Meal money $210.00, nett pay" in text
    assert "4,200.00 × 0.05" in text.replace("4200.00", "4,200.00")
    assert 'value="min(basic_salary * 0.05, 300)"' in answer.text
    assert definitions(company) == []
    after = company.member.service.fingerprint()
    changing = {"console_sessions", "sign_in_attempts"}
    assert {name: rows for name, rows in before.items() if name not in changing} == {
        name: rows for name, rows in after.items() if name not in changing
    }


def test_a_preview_uses_the_entered_inputs(owner: ConsoleUser, company: Company, items: str) -> None:
    hired(company, "4200.00")
    number = hired(company, "1000.00", number="B7", first_name="Wei Jie")
    data = {"name": "Night shift", "kind": "allowance", "input": "rate_quantity", "try": "true"}
    form_data = {"try.employee": "B7", "try.inputs": "rate=15, quantity=8"}
    text = page_text(owner.post(f"{items}/new", {**data, **form_data}))
    assert "Wei Jie Tan, period ending 31 Jan 2026: Night shift $120.00" in text
    assert company.employee(number)["number"] == "B7"


def test_preview_errors_are_shown_at_their_fields(owner: ConsoleUser, company: Company, items: str) -> None:
    answer = owner.post(f"{items}/new", {**MEAL, "try": "true", "try.inputs": "nonsense"})
    assert answer.status_code == 422
    assert "the company has no employees in service" in page_text(answer)
    assert 'id="try-inputs-error"' in answer.text
    hired(company, first_name="Aisha")
    hired(company, first_name="Wei Jie")
    both = owner.post(f"{items}/new", {**MEAL, "try": "true", "try.employee": "Tan"})
    assert "matches 2 employees" in page_text(both)
    unknown = owner.post(f"{items}/new", {**MEAL, "try": "true", "try.inputs": "hours=8"})
    assert unknown.status_code == 422
    assert 'id="try-inputs-error"' in unknown.text
    wrong = owner.post(f"{items}/new", {**MEAL, "formula": "1 +", "try": "true"})
    assert wrong.status_code == 422
    assert 'id="formula-error"' in wrong.text


def test_a_change_of_an_item_is_previewed_and_saved(owner: ConsoleUser, company: Company, items: str) -> None:
    hired(company, "4200.00")
    owner.post(f"{items}/new", MEAL)
    [item] = definitions(company)
    page = f"{items}/{item['id']}/edit"
    changed = {**MEAL, "formula": "basic_salary * 0.1"}
    assert "Meal money $420.00" in page_text(owner.post(page, {**changed, "try": "true"}))
    assert definitions(company)[0]["formula"] == MEAL["formula"]
    assert owner.post(page, {**changed, "kind": "deduction"}).status_code == 303
    [now] = definitions(company)
    assert (now["kind"], now["formula"], now["cpf"]) == ("deduction", "basic_salary * 0.1", "none")


def test_an_item_can_be_a_percentage_of_several_items(owner: ConsoleUser, company: Company, items: str) -> None:
    data = {"name": "Share", "kind": "allowance", "input": "percentage", "percentage": "5"}
    answer = owner.post(f"{items}/new", {**data, "percentage_of": "basic_salary, comission"})
    assert answer.status_code == 422
    assert "did you mean commission?" in page_text(answer)
    assert 'id="percentage_of-error"' in answer.text
    assert owner.post(f"{items}/new", {**data, "percentage_of": "basic_salary, commission"}).status_code == 303
    assert definitions(company)[0]["percentage_of"] == ["basic_salary", "commission"]


def test_all_errors_are_listed(owner: ConsoleUser, items: str) -> None:
    answer = owner.post(f"{items}/new", {"input": "fixed", "amount": "x", "cpf": "some", "formula": "1"})
    assert answer.status_code == 422
    for name in ("name", "kind", "amount", "cpf", "formula"):
        assert f'id="{name}-error"' in answer.text
    assert 'value="x"' in answer.text


def test_an_item_in_use_cannot_be_deleted(owner: ConsoleUser, company: Company, items: str) -> None:
    owner.post(f"{items}/new", MEAL)
    [first] = definitions(company)
    owner.post(f"{items}/new", {**MEAL, "name": "Double", "formula": f"calc.{first['id']} * 2"})
    page = f"{items}/{first['id']}"
    refused = owner.post(f"{page}/delete", page=f"{page}/edit")
    assert refused.status_code == 409
    assert "referred to by Double" in page_text(refused)
    second = definitions(company)[1]["id"]
    assert owner.post(f"{items}/{second}/delete", page=f"{page}/edit").status_code == 303
    assert [item["id"] for item in definitions(company)] == [first["id"]]


def test_viewers_cannot_change_or_preview_items(company: Company, viewer: ConsoleUser, items: str) -> None:
    assert viewer.get(items).status_code == 200
    assert viewer.get(f"{items}/new").status_code == 403
    assert viewer.post(f"{items}/new", {**MEAL, "try": "true"}, page="/password").status_code == 403
    signed_out_user = signed_in_user(company.member.service.new_account())
    assert signed_out_user.get(items).status_code == 404
