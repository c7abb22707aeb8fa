"""GET calculation_types and items_and_outputs."""

from typing import Any

from gaji.engine.catalogue import LEVELS, SYSTEM_TYPES
from tests.payroll.calculations.requests import create_item, post_calculation
from tests.support.company import Company
from tests.support.problems import assert_problem


def list_types(company: Company) -> dict[str, dict[str, Any]]:
    rows = company.member.get(f"/clients/{company.id}/calculation_types").json()
    return {row["calc_type"]: row for row in rows}


def test_every_type_is_listed_with_its_inputs_and_treatment(company: Company) -> None:
    night = create_item(company, name="Night", kind="allowance", input="per_payslip", gross_rate=False)
    types = list_types(company)
    assert list(types) == [*SYSTEM_TYPES, str(night)]
    assert types["transport_allowance"]["name"] == "Transport allowance"
    assert types["transport_allowance"]["section"] == "income"
    assert types["transport_allowance"]["inputs"][0] == {
        "name": "amount",
        "type": "money",
        "required": False,
        "description": "The allowance per payslip.",
        "levels": list(LEVELS),
    }
    assert types["transport_allowance"]["inputs"][1]["default"] is False
    assert types["annual_bonus"]["alternatives"] == ["amount", "months"]
    assert types["basic_salary"]["inputs"][0]["allowed_values"] == ["monthly", "daily", "hourly"]
    assert types["basic_salary"]["items"] == [
        "basic_salary",
        "overtime",
        "overtime_previous",
        "rest_day_pay",
        "public_holiday_pay",
        "public_holiday_off_pay",
    ]
    assert types[str(night)] == {
        "calc_type": str(night),
        "name": "Night",
        "section": "income",
        "calculation_def_id": night,
        "inputs": [
            {"name": "amount", "type": "money", "required": False, "description": "The amount.", "levels": ["payslip"]}
        ],
        "alternatives": [],
        "items": [str(night)],
        "treatment": {"cpf": "ordinary", "sdl": True, "funds": True, "gross_rate": False, "ir8a": "d1_other"},
    }


def test_every_listed_input_can_be_saved(company: Company) -> None:
    owner = f"clients/{company.id}"
    values = {"money": "5.00", "quantity": "2", "halves": "0.5", "percentage": "5", "boolean": True, "text": "x"}
    values["integer"] = 5
    for name, calculation_type in list_types(company).items():
        details = {
            field["name"]: field.get("allowed_values", [values.get(field["type"], "2026-01-31")])[0]
            for field in calculation_type["inputs"]
            if "client" in field["levels"] and field["name"] not in calculation_type["alternatives"][1:]
        }
        if name == "week_hours":
            cycle = {"cycle": "8 8 8 8 8 0 0 / 8 8 8 8 8 4 0", "cycle_start": "2026-01-31"}
            assert post_calculation(company, owner, name, **cycle).status_code == 200
            assert post_calculation(company, owner, name, **dict.fromkeys(cycle)).status_code == 200
            exclusive = ("leave", "partial", "cycle")
            details = {name: value for name, value in details.items() if not name.startswith(exclusive)}
        expected = 200 if calculation_type["inputs"] else 422
        assert post_calculation(company, owner, name, **details).status_code == expected, name


def test_every_item_is_listed_with_caption_section_and_account(company: Company) -> None:
    night = create_item(company, name="Night", kind="employer_contribution", input="per_payslip")
    items = company.member.get(f"/clients/{company.id}/items_and_outputs").json()
    assert items[0] == {
        "item": "basic_salary",
        "caption": "Basic salary",
        "section": "income",
        "account": "Salaries and wages",
    }
    assert items[-1] == {
        "item": str(night),
        "caption": "Night",
        "section": "employer_contribution",
        "account": "Other employer contributions",
    }
    names = [row["item"] for row in items]
    assert {"overtime", "cpf_employee", "cpf_employer", "sdl", "benefit_in_kind"} <= set(names)
    assert "week_hours" not in names
    assert len(names) == len(set(names))


def test_lists_can_be_paged(company: Company) -> None:
    for path in ("calculation_types", "items_and_outputs"):
        answer = company.member.get(f"/clients/{company.id}/{path}?page=1&per_page=2")
        assert len(answer.json()) == 2
        assert int(answer.headers["X-Total-Count"]) > 30
        assert_problem(company.member.get(f"/clients/9999999/{path}"), 404)
