"""Calculation definitions: list, create, change, delete."""

from functools import partial
from typing import Any

import pytest

from tests.payroll.calculations.entered import draft, entered, item, one, profile
from tests.support.company import Company
from tests.support.problems import faults, refused
from tests.support.races import at_once

FIELDS = [
    "id",
    "client_id",
    "name",
    "kind",
    "input",
    "cpf",
    "taxable",
    "sdl",
    "funds",
    "gross_rate",
    "ir8a",
    "amount",
    "percentage",
    "percentage_of",
    "formula",
    "created_at",
    "updated_at",
]
TREATMENTS = ("cpf", "taxable", "sdl", "funds", "gross_rate", "ir8a")


def where(company: Company) -> str:
    return f"/clients/{company.id}/calculation_definitions"


def definitions(company: Company) -> list[dict[str, Any]]:
    return [element["calculation_definition"] for element in company.member.get(where(company)).json()]


def refusal(company: Company, given: dict[str, Any]) -> dict[str, str]:
    """The faults of a custom item, which leaves nothing behind."""
    before = company.member.service.fingerprint()
    found = faults(company.member.post(where(company), given))
    assert company.member.service.fingerprint() == before
    return found


def test_it_works(company: Company) -> None:
    body = {"name": "Night shift", "kind": "allowance", "input": "rate_quantity"}
    answer = company.member.post(where(company), body)
    assert answer.json() == {"message": "The custom item has been created", "id": answer.json()["id"]}
    [element] = company.member.get(where(company)).json()
    assert list(element) == ["calculation_definition"]
    shown = element["calculation_definition"]
    assert list(shown) == FIELDS
    assert {name: shown[name] for name in FIELDS[:3]} == {
        "id": answer.json()["id"],
        "client_id": company.id,
        "name": "Night shift",
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kind": "income"}, ("ordinary", True, True, True, False, "a")),
        ({"kind": "allowance"}, ("ordinary", True, True, True, True, "d1_other")),
        ({"kind": "income", "cpf": "additional", "ir8a": "b"}, ("additional", True, True, True, False, "b")),
        ({"kind": "income", "cpf": "none", "taxable": False}, ("none", False, False, False, False, None)),
        ({"kind": "income", "cpf": "none", "sdl": True}, ("none", True, True, False, False, "a")),
        ({"kind": "deduction"}, ("none", False, False, False, False, None)),
        ({"kind": "deduction", "ir8a": "donation"}, ("none", False, False, False, False, "donation")),
        ({"kind": "benefit"}, ("none", True, False, False, False, "d9")),
        ({"kind": "employer_contribution"}, ("none", False, False, False, False, None)),
        ({"kind": "reimbursement"}, ("none", False, False, False, False, None)),
    ],
)
def test_treatments_follow_from_the_kind_unless_they_are_said(
    company: Company, given: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    item(company, name="An item", input="per_employee", **given)
    [shown] = definitions(company)
    assert tuple(shown[name] for name in TREATMENTS) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"input": "fixed", "amount": 12.5}, {"amount": "12.50"}),
        ({"input": "per_employee"}, {}),
        ({"input": "per_payslip"}, {}),
        ({"input": "rate_quantity"}, {}),
        ({"input": "percentage"}, {"percentage_of": ["basic_salary"]}),
        (
            {"input": "percentage", "percentage": 2.5, "percentage_of": ["basic_salary", "overtime"]},
            {"percentage": "2.5", "percentage_of": ["basic_salary", "overtime"]},
        ),
        (
            {"input": "formula", "formula": "min(basic_salary * 0.05, 300)"},
            {"formula": "min(basic_salary * 0.05, 300)"},
        ),
    ],
)
def test_every_input_is_possible(company: Company, given: dict[str, Any], expected: dict[str, Any]) -> None:
    item(company, name="An item", kind="income", **given)
    [shown] = definitions(company)
    nothing = dict.fromkeys(("amount", "percentage", "percentage_of", "formula"))
    assert {name: shown[name] for name in nothing} == {**nothing, **expected}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"name": None, "kind": None, "input": None},
            {"name": "is required", "kind": "is required", "input": "is required"},
        ),
        (
            {"kind": "tip"},
            {"kind": "must be one of income, allowance, deduction, benefit, employer_contribution, reimbursement"},
        ),
        ({"input": "fixed"}, {"amount": "is required when input is fixed"}),
        ({"input": "fixed", "amount": -1}, {"amount": "must not be negative"}),
        ({"amount": 5}, {"amount": "is only possible when input is fixed"}),
        ({"formula": "1"}, {"formula": "is only possible when input is formula"}),
        ({"input": "formula"}, {"formula": "is required when input is formula"}),
        ({"input": "percentage", "percentage": 1001}, {"percentage": "must not be above 1,000"}),
        ({"input": "percentage", "percentage_of": []}, {"percentage_of": "must be an array of 1 to 50 items"}),
        (
            {"input": "percentage", "percentage_of": ["basic_salry", "cpf_employee", 999999]},
            {
                "percentage_of.0": "there is no item `basic_salry` to take a percentage of; did you mean basic_salary?",
                "percentage_of.1": "there is no item `cpf_employee` to take a percentage of",
                "percentage_of.2": "there is no item `999999` to take a percentage of",
            },
        ),
        (
            {"input": "percentage", "percentage_of": ["bonus", "bonus"]},
            {"percentage_of": "must not have the same item twice"},
        ),
        ({"kind": "deduction", "cpf": "ordinary"}, {"cpf": "is only possible when kind is income or allowance"}),
        (
            {"kind": "benefit", "sdl": True, "funds": True, "gross_rate": True},
            dict.fromkeys(("sdl", "funds", "gross_rate"), "is only possible when kind is income or allowance"),
        ),
        (
            {"kind": "reimbursement", "taxable": True},
            {"taxable": "is only possible when kind is income, allowance, benefit"},
        ),
        ({"taxable": False, "ir8a": "a"}, {"ir8a": "is only possible when taxable is true"}),
        ({"kind": "benefit", "ir8a": "a"}, {"ir8a": "must be one of d8, d9, f when kind is benefit"}),
        ({"kind": "reimbursement", "ir8a": "a"}, {"ir8a": "is not possible when kind is reimbursement"}),
    ],
)
def test_every_fault_is_named(company: Company, given: dict[str, Any], expected: dict[str, str]) -> None:
    body = {"name": "An item", "kind": "income", "input": "per_employee", **given}
    assert refusal(company, {name: value for name, value in body.items() if value is not None}) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("basic_salry * 2", "character 1: there is no item `basic_salry`; did you mean basic_salary?"),
        ("2 * (basic_salary", "character 5: this bracket is never closed"),
        ("1 / 0", "character 3: this always divides by zero"),
        ("1 + cpf_employee", "character 5: there is no item `cpf_employee`"),
        ("basic_salary.pay_type", "character 1: the item `basic_salary` has no input `pay_type`"),
        ("1" * 10_000, "character 1001: a formula has at most 1,000 characters; this one has 10,000"),
        ("__import__('os')", "character 1: there is no function `__import__`; there are min, max, round, if"),
        ("1 +\x00 2", "character 4: a formula has no character U+0000"),
    ],
)
def test_a_fault_in_a_formula_points_at_the_character(company: Company, formula: str, expected: str) -> None:
    body = {"name": "An item", "kind": "income", "input": "formula", "formula": formula}
    found = refusal(company, body)["formula"]
    assert found.startswith(expected)


def test_custom_items_refer_to_each_other_but_not_in_a_circle(company: Company) -> None:
    first = item(company, name="First", kind="income", input="rate_quantity")
    formula = f"calc.{first} + calc.{first}.quantity * 2"
    second = item(company, name="Second", kind="income", input="formula", formula=formula)
    third = item(company, name="Third", kind="income", input="percentage", percentage_of=[second])
    before = company.member.service.fingerprint()
    path = f"/calculation_definitions/{second}"
    assert faults(company.member.patch(path, {"formula": f"calc.{second}"})) == {
        "formula": f"goes in a circle: {second} refers to itself"
    }
    assert faults(company.member.patch(path, {"formula": f"calc.{third} + 1"})) == {
        "formula": f"goes in a circle: {second} refers to {third}, which refers to {second}"
    }
    assert company.member.service.fingerprint() == before


def test_of_two_items_that_refer_to_each_other_at_one_moment_one_is_refused(company: Company) -> None:
    first, second = (item(company, name=name, kind="income", input="formula", formula="1") for name in "AB")
    paths = {f"/calculation_definitions/{first}": second, f"/calculation_definitions/{second}": first}
    answers = at_once([partial(company.member.patch, path, {"formula": f"calc.{to}"}) for path, to in paths.items()])
    assert sorted(answer.status_code for answer in answers) == [200, 422]


def test_names_are_unique_in_a_client_whatever_their_capitals(company: Company) -> None:
    item(company, name="Night", kind="income", input="per_employee")
    taken = {"name": "is the name of another custom item of this client"}
    assert refusal(company, {"name": " NIGHT ", "kind": "income", "input": "per_employee"}) == taken
    other = item(company, name="Day", kind="income", input="per_employee")
    assert faults(company.member.patch(f"/calculation_definitions/{other}", {"name": "night"})) == taken
    assert company.member.patch(f"/calculation_definitions/{other}", {"name": "DAY"}).status_code == 200
    assert item(Company.of(company.member), name="Night", kind="income", input="per_employee")


def test_an_update_changes_only_what_is_supplied_and_what_follows_from_it(company: Company) -> None:
    definition_id = item(company, name="Night", kind="income", input="per_employee", funds=False)
    answer = company.member.patch(f"/calculation_definitions/{definition_id}", {"cpf": "none", "knd": "x"})
    assert answer.json() == {
        "message": "The custom item has been updated",
        "id": definition_id,
        "warnings": {"knd": "Unknown attribute, ignored. Did you mean kind?"},
    }
    [shown] = definitions(company)
    assert tuple(shown[name] for name in TREATMENTS) == ("none", True, False, False, False, "a")
    company.member.patch(f"/calculation_definitions/{definition_id}", {"kind": "deduction"})
    [shown] = definitions(company)
    assert tuple(shown[name] for name in TREATMENTS) == ("none", False, False, False, False, None)


def test_drafts_follow_a_change(company: Company) -> None:
    employee_id = company.hire()
    night = item(company, name="Night", kind="income", input="fixed", amount=20)
    entered(company, f"clients/{company.id}", night)
    where = f"employees/{employee_id}"
    assert one(company, where, night)["outputs"] == {str(night): "20.00"}
    company.member.patch(f"/calculation_definitions/{night}", {"amount": 30})
    assert one(company, where, night)["outputs"] == {str(night): "30.00"}


def test_what_was_read_can_be_sent_back(company: Company) -> None:
    item(company, name="A", kind="income", input="fixed", amount=5, ir8a="b")
    item(company, name="B", kind="deduction", input="percentage", percentage=5)
    item(company, name="C", kind="benefit", input="formula", formula="amount * 2")
    before = definitions(company)
    for shown in before:
        answer = company.member.patch(f"/calculation_definitions/{shown['id']}", {"calculation_definition": shown})
        assert set(answer.json()) == {"message", "id"}
    after = [{**new, "updated_at": old["updated_at"]} for new, old in zip(definitions(company), before, strict=True)]
    assert after == before


def test_the_input_of_an_item_in_use_stays(company: Company) -> None:
    definition_id = item(company, name="Night", kind="income", input="per_employee")
    entered(company, f"employees/{company.hire()}", definition_id, amount=5)
    before = company.member.service.fingerprint()
    answer = company.member.patch(f"/calculation_definitions/{definition_id}", {"input": "rate_quantity"})
    assert refused(answer, 409)["message"] == (
        f"Custom item {definition_id} has calculations with the inputs of per_employee, "
        "so its input cannot change; delete them first"
    )
    assert company.member.service.fingerprint() == before
    assert company.member.patch(f"/calculation_definitions/{definition_id}", {"name": "Day"}).status_code == 200


def test_a_change_that_breaks_another_item_is_refused(company: Company) -> None:
    rate = item(company, name="Night", kind="income", input="rate_quantity")
    user = item(company, name="Extra", kind="income", input="formula", formula=f"calc.{rate}.quantity")
    answer = company.member.patch(f"/calculation_definitions/{rate}", {"input": "per_employee"})
    assert refused(answer, 409)["message"] == (
        f"Custom item {rate} cannot change in this way. Extra ({user}) refers to it: "
        f"the item `{rate}` has no input `quantity`"
    )


def test_an_item_that_nothing_uses_can_be_deleted(company: Company) -> None:
    definition_id = item(company, name="Night", kind="income", input="per_employee")
    answer = company.member.delete(f"/calculation_definitions/{definition_id}")
    assert answer.json() == {"message": "The custom item has been deleted"}
    assert definitions(company) == []


def test_an_item_in_use_cannot_be_deleted(company: Company) -> None:
    employee_id = company.hire()
    ids = [item(company, name=name, kind="income", input="per_employee") for name in "ABCD"]
    drivers = profile(company, "Drivers", **{str(ids[0]): {"amount": 5}})
    entered(company, f"clients/{company.id}", ids[1], amount=5)
    user = item(company, name="Extra", kind="income", input="percentage", percentage_of=[ids[2]])
    company.member.service.as_owner(
        "UPDATE payslips SET lines = $2 WHERE id = $1",
        draft(company, employee_id),
        f'{{"income": [["{ids[3]}", "5.00"], ["total", "5.00"]]}}',
    )
    reasons = [
        f"is used by the profile {drivers}; delete what uses it first",
        "is used by 1 calculation; delete what uses it first",
        f"is named in Extra ({user}); change these first",
        "stands on payslips and cannot be deleted",
    ]
    before = company.member.service.fingerprint()
    for definition_id, reason in zip(ids, reasons, strict=True):
        message = refused(company.member.delete(f"/calculation_definitions/{definition_id}"), 409)["message"]
        assert message == f"Custom item {definition_id} {reason}"
    assert company.member.service.fingerprint() == before


def test_records_that_are_not_there_are_not_found(company: Company) -> None:
    refused(company.member.get("/clients/9999999/calculation_definitions"), 404)
    refused(company.member.patch("/calculation_definitions/9999999", {"name": "x"}), 404)
    refused(company.member.delete("/calculation_definitions/9999999"), 404)
