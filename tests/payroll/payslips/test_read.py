"""GET /employees/:employee_id/payslips, GET /payslips/:id and its explanation, and payslips with their employees."""

import json
from decimal import Decimal

from tests.payroll.payslips.slips import detail, draft, enter, finalise, slips
from tests.support.company import Company


def paid(company: Company, salary: str = "4200.00") -> int:
    """An employee with a salary."""
    employee_id = company.hire(appointment_date="2026-01-01")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount=salary)
    return employee_id


def test_it_works(company: Company) -> None:
    employee_id = paid(company)
    [found] = slips(company, employee_id)
    assert detail(company, found["id"]) == {
        "income": [["basic_salary", "4200.00"], ["total", "4200.00"]],
        "deduction": [["cpf_employee", "840.00"], ["cdac", "1.50"], ["total", "841.50"]],
        "grand_total": [["nett_pay", "3358.50"]],
        "sideline": [["employer_contribution", [["cpf_employer", "714.00"], ["sdl", "10.50"]]]],
        "leave": {},
        "id": found["id"],
    }


def test_the_list_is_in_ascending_id_order_and_its_nett_pay_a_number_with_its_cents(company: Company) -> None:
    employee_id = paid(company)
    finalise(company, employee_id)
    answer = company.member.get(f"/employees/{employee_id}/payslips")
    found = [one["payslip"] for one in json.loads(answer.text, parse_float=Decimal)]
    assert [one["date"] for one in found] == ["2026-01-31", "2026-02-28"]
    assert [one["id"] for one in found] == sorted(one["id"] for one in found)
    assert [one["nett_pay"] for one in found] == [Decimal("3358.50")] * 2
    assert [one["finalised"] for one in found] == [True, False]


def test_the_list_is_paged_when_asked(company: Company) -> None:
    employee_id = paid(company)
    finalise(company, employee_id)
    answer = company.member.get(f"/employees/{employee_id}/payslips?page=2&per_page=1")
    assert [one["payslip"]["date"] for one in answer.json()] == ["2026-02-28"]
    assert answer.headers["X-Total-Count"] == "2"


def test_computed_results_name_their_rules_version(company: Company) -> None:
    employee_id = paid(company)
    payslip_id = draft(company, employee_id)
    [row] = company.member.service.as_owner("SELECT rules_version FROM payslips WHERE id = $1", payslip_id)
    paths = (
        f"/employees/{employee_id}/payslips",
        f"/payslips/{payslip_id}",
        f"/payslips/{payslip_id}/explanation",
        f"{company.people}?include=recent_payslips",
    )
    assert [company.member.get(path).headers["X-Rules-Version"] for path in paths] == [row["rules_version"]] * 4
    assert "X-Rules-Version" not in company.member.get(company.people).headers


def test_the_explanation_covers_every_line_and_total(company: Company) -> None:
    payslip_id = draft(company, paid(company))
    told = company.member.get(f"/payslips/{payslip_id}/explanation").json()
    slip = detail(company, payslip_id)
    lines = [*slip["income"], *slip["deduction"], *slip["sideline"][0][1], *slip["grand_total"]]
    assert [[one["item"], one["amount"]] for one in told["explanation"]] == lines
    cpf = told["explanation"][2]
    assert cpf["parameters"][0].keys() == {"name", "value", "since", "source"}
    assert told["attention"] == told["remarks"] == []


def test_an_unknown_payslip_is_not_found(company: Company) -> None:
    for path in ("/payslips/999999", "/payslips/999999/explanation", "/employees/999999/payslips"):
        assert company.member.get(path).status_code == 404


def test_recent_payslips_are_the_last_twelve_in_chronological_order(company: Company) -> None:
    employee_id = paid(company)
    for _ in range(13):
        finalise(company, employee_id)
    [found] = company.listed("?include=recent_payslips")
    assert [one["payslip"]["date"] for one in found["recent_payslips"]] == [
        one["date"] for one in slips(company, employee_id)[-12:]
    ]


def test_recent_payslips_with_data_have_their_items_by_caption(company: Company) -> None:
    employee_id = paid(company)
    [found] = company.listed("?include=recent_payslips_with_data")
    [element] = found["recent_payslips_with_data"]
    [shown] = slips(company, employee_id)
    assert element["payslip"] == {
        **shown,
        "data": {
            "income": [["Basic salary", "4200.00"], ["Total", "4200.00"]],
            "deduction": [["CPF, employee's share", "840.00"], ["CDAC", "1.50"], ["Total", "841.50"]],
            "grand_total": [["Nett pay", "3358.50"]],
            "sideline": [
                [
                    "employer_contribution",
                    [["CPF, employer's share", "714.00"], ["Skills development levy", "10.50"]],
                ]
            ],
            "leave_payments": {},
        },
    }


def test_an_employee_sees_their_own_payslips_once_they_are_released(company: Company) -> None:
    employee_id, other = paid(company), paid(company)
    own, theirs = finalise(company, employee_id), finalise(company, other)
    myself = company.member.colleague(company.id, "employee", employee_id)
    assert myself.get(f"/employees/{employee_id}/payslips").json() == []
    assert myself.get(f"/payslips/{own}").status_code == 404
    company.member.service.as_owner("UPDATE payslips SET ss_released = true WHERE id IN ($1, $2)", own, theirs)
    [element] = myself.get(f"/employees/{employee_id}/payslips").json()
    assert element["payslip"]["id"] == own
    assert myself.get(f"/payslips/{own}").json()["payslip"] == detail(company, own)
    told = myself.get(f"/payslips/{own}/explanation")
    assert told.json() == company.member.get(f"/payslips/{own}/explanation").json()
    assert myself.get(f"/payslips/{theirs}").status_code == 404
    assert myself.get(f"/employees/{other}/payslips").status_code == 404
