"""Calculation definitions: list, create, change, delete."""

from functools import partial
from typing import Any

import pytest

from tests.payroll.calculations.requests import (
    create_calculation,
    create_item,
    create_profile,
    draft_id,
    find_calculation,
)
from tests.payroll.payment_runs.runs import hired
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
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


def definitions_path(company: Company) -> str:
    return f"/clients/{company.id}/calculation_definitions"


def definitions(company: Company) -> list[dict[str, Any]]:
    return [element["calculation_definition"] for element in company.member.get(definitions_path(company)).json()]


def creation_errors(company: Company, attributes: dict[str, Any]) -> dict[str, str]:
    """Return the errors of an invalid custom item, after checking that nothing was saved."""
    before = company.member.service.fingerprint()
    errors = field_errors(company.member.post(definitions_path(company), attributes))
    assert company.member.service.fingerprint() == before
    return errors


def test_a_custom_item_is_created_and_listed(company: Company) -> None:
    body = {"name": "Night shift", "kind": "allowance", "input": "rate_quantity"}
    answer = company.member.post(definitions_path(company), body)
    assert answer.json() == {"message": "The custom item has been created", "id": answer.json()["id"]}
    [element] = company.member.get(definitions_path(company)).json()
    assert list(element) == ["calculation_definition"]
    definition = element["calculation_definition"]
    assert list(definition) == FIELDS
    assert {name: definition[name] for name in FIELDS[:3]} == {
        "id": answer.json()["id"],
        "client_id": company.id,
        "name": "Night shift",
    }


@pytest.mark.parametrize(
    ("attributes", "expected"),
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
def test_treatments_default_by_kind(company: Company, attributes: dict[str, Any], expected: tuple[Any, ...]) -> None:
    create_item(company, name="An item", input="per_employee", **attributes)
    [definition] = definitions(company)
    assert tuple(definition[name] for name in TREATMENTS) == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
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
def test_every_input_is_possible(company: Company, attributes: dict[str, Any], expected: dict[str, Any]) -> None:
    create_item(company, name="An item", kind="income", **attributes)
    [definition] = definitions(company)
    empty = dict.fromkeys(("amount", "percentage", "percentage_of", "formula"))
    assert {name: definition[name] for name in empty} == {**empty, **expected}


@pytest.mark.parametrize(
    ("attributes", "expected"),
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
        ({"amount": 5}, {"amount": "is only allowed when input is fixed"}),
        ({"formula": "1"}, {"formula": "is only allowed when input is formula"}),
        ({"input": "formula"}, {"formula": "is required when input is formula"}),
        ({"input": "percentage", "percentage": 1001}, {"percentage": "must be at most 1000"}),
        ({"input": "percentage", "percentage_of": []}, {"percentage_of": "must be an array of 1 to 50 items"}),
        (
            {"input": "percentage", "percentage_of": ["basic_salry", "cpf_employee", 999999]},
            {
                "percentage_of.0": "payslip item basic_salry does not exist in this client; did you mean basic_salary?",
                "percentage_of.1": "payslip item cpf_employee does not exist in this client",
                "percentage_of.2": "payslip item 999999 does not exist in this client",
            },
        ),
        (
            {"input": "percentage", "percentage_of": ["bonus", "bonus"]},
            {"percentage_of": "must not contain the same item twice"},
        ),
        ({"kind": "deduction", "cpf": "ordinary"}, {"cpf": "is only allowed when kind is income or allowance"}),
        (
            {"kind": "benefit", "sdl": True, "funds": True, "gross_rate": True},
            dict.fromkeys(("sdl", "funds", "gross_rate"), "is only allowed when kind is income or allowance"),
        ),
        (
            {"kind": "reimbursement", "taxable": True},
            {"taxable": "is only allowed when kind is income or allowance or benefit"},
        ),
        ({"taxable": False, "ir8a": "a"}, {"ir8a": "is only allowed when taxable is true"}),
        ({"kind": "benefit", "ir8a": "a"}, {"ir8a": "must be one of d8, d9, f when kind is benefit"}),
        ({"kind": "reimbursement", "ir8a": "a"}, {"ir8a": "is not allowed when kind is reimbursement"}),
    ],
)
def test_every_error_is_reported(company: Company, attributes: dict[str, Any], expected: dict[str, str]) -> None:
    body = {"name": "An item", "kind": "income", "input": "per_employee", **attributes}
    assert creation_errors(company, {name: value for name, value in body.items() if value is not None}) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("basic_salry * 2", "character 1: unknown item `basic_salry`; did you mean basic_salary?"),
        ("2 * (basic_salary", "character 5: this bracket is not closed"),
        ("1 / 0", "character 3: this always divides by zero"),
        ("1 + cpf_employee", "character 5: unknown item `cpf_employee`"),
        ("basic_salary.pay_type", "character 1: the item `basic_salary` has no input `pay_type`"),
        ("1" * 10_000, "character 1001: a formula can have at most 1,000 characters; this one has 10,000"),
        ("__import__('os')", "character 1: unknown function `__import__`; the functions are min, max, round, if"),
        ("1 +\x00 2", "character 4: a formula cannot contain character U+0000"),
    ],
)
def test_an_error_in_a_formula_points_at_the_character(company: Company, formula: str, expected: str) -> None:
    body = {"name": "An item", "kind": "income", "input": "formula", "formula": formula}
    message = creation_errors(company, body)["formula"]
    assert message.startswith(expected)


def test_circular_references_between_custom_items_are_rejected(company: Company) -> None:
    first = create_item(company, name="First", kind="income", input="rate_quantity")
    formula = f"calc.{first} + calc.{first}.quantity * 2"
    second = create_item(company, name="Second", kind="income", input="formula", formula=formula)
    third = create_item(company, name="Third", kind="income", input="percentage", percentage_of=[second])
    before = company.member.service.fingerprint()
    path = f"/calculation_definitions/{second}"
    assert field_errors(company.member.patch(path, {"formula": f"calc.{second}"})) == {
        "formula": f"is a circular reference: {second} refers to itself"
    }
    assert field_errors(company.member.patch(path, {"formula": f"calc.{third} + 1"})) == {
        "formula": f"is a circular reference: {second} refers to {third}, which refers to {second}"
    }
    assert company.member.service.fingerprint() == before


def test_concurrent_changes_cannot_create_a_circular_reference(company: Company) -> None:
    first, second = (create_item(company, name=name, kind="income", input="formula", formula="1") for name in "AB")
    paths = {f"/calculation_definitions/{first}": second, f"/calculation_definitions/{second}": first}
    answers = at_once([partial(company.member.patch, path, {"formula": f"calc.{to}"}) for path, to in paths.items()])
    assert sorted(answer.status_code for answer in answers) == [200, 422]


def test_names_are_unique_in_a_client_regardless_of_case(company: Company) -> None:
    create_item(company, name="Night", kind="income", input="per_employee")
    body = {"name": " NIGHT ", "kind": "income", "input": "per_employee"}
    assert creation_errors(company, body) == {"name": "NIGHT is already in use"}
    other = create_item(company, name="Day", kind="income", input="per_employee")
    assert field_errors(company.member.patch(f"/calculation_definitions/{other}", {"name": "night"})) == {
        "name": "night is already in use"
    }
    assert company.member.patch(f"/calculation_definitions/{other}", {"name": "DAY"}).status_code == 200
    assert create_item(Company.of(company.member), name="Night", kind="income", input="per_employee")


def test_an_update_changes_the_supplied_attributes_and_their_defaults(company: Company) -> None:
    definition_id = create_item(company, name="Night", kind="income", input="per_employee", funds=False)
    answer = company.member.patch(f"/calculation_definitions/{definition_id}", {"cpf": "none", "knd": "x"})
    assert answer.json() == {
        "message": "The custom item has been updated",
        "id": definition_id,
        "warnings": {"knd": "Unknown attribute, ignored. Did you mean kind?"},
    }
    [definition] = definitions(company)
    assert tuple(definition[name] for name in TREATMENTS) == ("none", True, False, False, False, "a")
    company.member.patch(f"/calculation_definitions/{definition_id}", {"kind": "deduction"})
    [definition] = definitions(company)
    assert tuple(definition[name] for name in TREATMENTS) == ("none", False, False, False, False, None)


def test_an_update_recalculates_drafts(company: Company) -> None:
    employee_id = company.hire()
    night = create_item(company, name="Night", kind="income", input="fixed", amount=20)
    create_calculation(company, f"clients/{company.id}", night)
    owner = f"employees/{employee_id}"
    assert find_calculation(company, owner, night)["outputs"] == {str(night): "20.00"}
    company.member.patch(f"/calculation_definitions/{night}", {"amount": 30})
    assert find_calculation(company, owner, night)["outputs"] == {str(night): "30.00"}


def test_a_listed_definition_can_be_sent_back(company: Company) -> None:
    create_item(company, name="A", kind="income", input="fixed", amount=5, ir8a="b")
    create_item(company, name="B", kind="deduction", input="percentage", percentage=5)
    create_item(company, name="C", kind="benefit", input="formula", formula="amount * 2")
    before = definitions(company)
    for definition in before:
        body = {"calculation_definition": definition}
        answer = company.member.patch(f"/calculation_definitions/{definition['id']}", body)
        assert set(answer.json()) == {"message", "id"}
    after = [{**new, "updated_at": old["updated_at"]} for new, old in zip(definitions(company), before, strict=True)]
    assert after == before


def test_the_input_of_an_item_in_use_cannot_change(company: Company) -> None:
    definition_id = create_item(company, name="Night", kind="income", input="per_employee")
    create_calculation(company, f"employees/{company.hire()}", definition_id, amount=5)
    before = company.member.service.fingerprint()
    answer = company.member.patch(f"/calculation_definitions/{definition_id}", {"input": "rate_quantity"})
    assert assert_problem(answer, 409)["message"] == (
        f"Custom item {definition_id} has calculations with the inputs of per_employee, "
        "so its input cannot change; delete them first"
    )
    assert company.member.service.fingerprint() == before
    assert company.member.patch(f"/calculation_definitions/{definition_id}", {"name": "Day"}).status_code == 200


def test_a_change_that_breaks_another_item_is_rejected(company: Company) -> None:
    rate = create_item(company, name="Night", kind="income", input="rate_quantity")
    user = create_item(company, name="Extra", kind="income", input="formula", formula=f"calc.{rate}.quantity")
    answer = company.member.patch(f"/calculation_definitions/{rate}", {"input": "per_employee"})
    assert assert_problem(answer, 409)["message"] == (
        f"Custom item {rate} cannot be changed in this way. Extra ({user}) refers to it: "
        f"the item `{rate}` has no input `quantity`"
    )


def test_an_unused_item_can_be_deleted(company: Company) -> None:
    definition_id = create_item(company, name="Night", kind="income", input="per_employee")
    answer = company.member.delete(f"/calculation_definitions/{definition_id}")
    assert answer.json() == {"message": "The custom item has been deleted"}
    assert definitions(company) == []


def test_an_item_in_use_cannot_be_deleted(company: Company) -> None:
    employee_id = company.hire()
    ids = [create_item(company, name=name, kind="income", input="per_employee") for name in "ABCD"]
    drivers = create_profile(company, "Drivers", **{str(ids[0]): {"amount": 5}})
    create_calculation(company, f"clients/{company.id}", ids[1], amount=5)
    user = create_item(company, name="Extra", kind="income", input="percentage", percentage_of=[ids[2]])
    company.member.service.as_owner(
        "UPDATE payslips SET lines = $2 WHERE id = $1",
        draft_id(company, employee_id),
        f'{{"income": [["{ids[3]}", "5.00"], ["total", "5.00"]]}}',
    )
    reasons = [
        f"is used by the profile {drivers}; remove it there first",
        "is used by 1 calculation; remove it there first",
        f"is referred to by Extra ({user}); change these first",
        "appears on payslips and cannot be deleted",
    ]
    before = company.member.service.fingerprint()
    for definition_id, reason in zip(ids, reasons, strict=True):
        message = assert_problem(company.member.delete(f"/calculation_definitions/{definition_id}"), 409)["message"]
        assert message == f"Custom item {definition_id} {reason}"
    assert company.member.service.fingerprint() == before


def test_unknown_records_are_not_found(company: Company) -> None:
    assert_problem(company.member.get("/clients/9999999/calculation_definitions"), 404)
    assert_problem(company.member.patch("/calculation_definitions/9999999", {"name": "x"}), 404)
    assert_problem(company.member.delete("/calculation_definitions/9999999"), 404)


def test_the_explanation_shows_inputs_as_they_were_entered(company: Company) -> None:
    item = create_item(company, name="Delivery", kind="income", input="rate_quantity")
    employee_id = hired(company)
    enter(company, f"employees/{employee_id}", str(item), rate="18.00", quantity="4.5")
    path = f"/payslips/{draft(company, employee_id)}/explanation"
    explanation = company.member.get(path).json()["explanation"]
    [line] = [line for line in explanation if str(line["item"]) == str(item)]
    assert line["amount"] == "81.00"
    assert (line["inputs"]["rate"], line["inputs"]["quantity"]) == ("18.00", "4.5")
