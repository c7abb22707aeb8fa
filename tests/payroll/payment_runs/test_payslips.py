"""GET /payment_runs/:id/payslips."""

from tests.payroll.calculations.requests import create_item
from tests.payroll.payment_runs.runs import done, hired, opened, payslips
from tests.payroll.payslips.slips import detail, enter, slips
from tests.support.company import Company

FIELDS = [
    "id",
    "date",
    "special",
    "finalised",
    "dirty",
    "nett_pay",
    "ss_released",
    "payment_run_id",
    "employee_id",
    "data",
]


def test_it_works(company: Company) -> None:
    employee_id = hired(company, "4200.00")
    run_id = opened(company)
    [slip] = payslips(company, run_id)
    assert list(slip) == FIELDS
    assert {name: slip[name] for name in FIELDS[:-2]} == slips(company, employee_id)[0]
    assert slip["nett_pay"] == 3358.5
    assert slip["data"] == {
        "income": [["Basic salary", "4200.00"], ["Total", "4200.00"]],
        "deduction": slip["data"]["deduction"],
        "grand_total": [["Nett pay", "3358.50"]],
        "sideline": slip["data"]["sideline"],
        "leave_payments": {},
    }
    assert dict(slip["data"]["deduction"])["Total"] == "841.50"


def test_items_are_keyed_by_caption_and_match_the_detail_form(company: Company) -> None:
    night = create_item(company, name='Night "shift" é', kind="allowance", input="per_employee")
    employee_id = hired(company)
    enter(company, f"employees/{employee_id}", str(night), amount="120.50")
    [slip] = payslips(company, opened(company))
    assert ['Night "shift" é', "120.50"] in slip["data"]["income"]
    form = detail(company, slip["id"])
    for section in ("income", "deduction", "grand_total"):
        assert [amount for _, amount in slip["data"][section]] == [amount for _, amount in form[section]]
        assert not {name for name, _ in slip["data"][section]} & {str(name) for name, _ in form[section]}
    assert [group for group, _ in slip["data"]["sideline"]] == [group for group, _ in form["sideline"]]


def test_they_come_in_the_order_of_their_ids_and_in_pages(company: Company) -> None:
    for _ in range(3):
        hired(company)
    run_id = opened(company)
    ids = [slip["id"] for slip in payslips(company, run_id)]
    assert ids == sorted(ids)
    answer = company.member.get(f"/payment_runs/{run_id}/payslips?page=2&per_page=2")
    assert [element["payslip"]["id"] for element in answer.json()] == ids[2:]
    assert answer.headers["x-total-count"] == "3"
    assert answer.headers["x-rules-version"]


def test_one_that_waits_for_calculation_has_neither_nett_pay_nor_items(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    [before] = payslips(company, run_id)
    company.member.service.as_owner("UPDATE payslips SET dirty = true WHERE id = $1", before["id"])
    [slip] = payslips(company, run_id)
    assert slip["dirty"] is True
    assert "nett_pay" not in slip
    assert slip["data"] == {"income": [], "deduction": [], "grand_total": [], "sideline": [], "leave_payments": {}}


def test_calculating_the_run_again_brings_it_up_to_date(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    before = payslips(company, run_id)
    company.member.service.as_owner("UPDATE payslips SET dirty = true WHERE payment_run_id = $1", run_id)
    done(company, run_id, "calculate")
    assert payslips(company, run_id) == before


def test_changed_inputs_appear_in_the_run_immediately(company: Company) -> None:
    employee_id = hired(company, "4200.00")
    run_id = opened(company)
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="5000.00")
    [slip] = payslips(company, run_id)
    assert slip["data"]["income"][0] == ["Basic salary", "5000.00"]
    assert slip["payment_run_id"] == run_id
