"""Which certificates are out of date: the answer from marks equals the answer from generating all of them again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.documents.tax_certificates.certificate_client import generate, review
from tests.documents.tax_certificates.test_appendices import CAR, OPTION
from tests.documents.tax_certificates.test_year_end import release_all
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, act, ask, done, hired, paid
from tests.payroll.payslips.slips import enter
from tests.support.company import Company, new_nric
from tests.support.running import Service, created


@dataclass
class YearEndCompany:
    """A company with two employees, one of them not paid yet, and certificates of January."""

    company: Company
    employees: list[int]
    item_id: int
    runs: list[int] = field(default_factory=list)
    records: list[str] = field(default_factory=list)

    def send(self, method: str, path: str, body: Any = None) -> None:
        """Send a request. It may be rejected, which changes nothing."""
        answer = self.company.member.call(method, path, json=body)
        assert answer.status_code < 500, answer.text

    def record(self, employee_id: int, resource: str, body: dict[str, Any]) -> None:
        """Add a tax record of an employee."""
        path = f"/employees/{employee_id}/{resource}"
        self.records.append(f"/{resource}/{created(self.company.member.post(path, body))}")

    def read(self) -> list[Any]:
        """Return what the review list and the check of the year say."""
        base = f"/clients/{self.company.id}/tax_certificates"
        answers = [self.company.member.get(f"{base}?year=2026"), self.company.member.get(f"{base}/check?year=2026")]
        return [answer.json() for answer in answers]

    def read_generated(self) -> list[Any]:
        """Return the same from generating all certificates again, as after a change of the rules."""
        version = "UPDATE tax_certificate_years SET generated_with = {} WHERE client_id = $1"
        as_owner = self.company.member.service.as_owner
        as_owner(version.format("'x' || generated_with"), self.company.id)
        answers = self.read()
        as_owner(version.format("substr(generated_with, 2)"), self.company.id)
        return answers


Action = Callable[[YearEndCompany, int], object]


def finalise_another(tried: YearEndCompany, employee_id: int) -> None:
    answer = ask(tried.company, FEBRUARY)
    if answer.status_code == 200:
        tried.runs.append(created(answer))
        act(tried.company, tried.runs[-1], "finalise")


def employee(**changes: Any) -> Action:
    return lambda tried, employee_id: tried.company.patch(employee_id, **changes)


ACTIONS: Mapping[str, Action] = {
    "rename": employee(last_name="Lim"),
    "rename back": employee(last_name="Tan"),
    "change the job": employee(job_title="Head cook"),
    "change the NRIC": lambda tried, employee_id: tried.company.patch(employee_id, nric=new_nric()),
    "move": employee(physical_address={"type": "L", "block_no": "1", "st_name": "Ubi", "postal_code": "408564"}),
    "change the telephone": employee(mobile_number="91234567"),
    "change in bulk": lambda tried, employee_id: tried.send(
        "POST",
        f"/clients/{tried.company.id}/bulk_input",
        {"entities": [{"employee_id": employee_id, "attributes": {"job_title": "Waiter"}}]},
    ),
    "leave": lambda tried, employee_id: tried.company.act(
        employee_id, "end_service", termination_date="2026-03-31", termination_code=1, ir21=False
    ),
    "leave with an IR21": lambda tried, employee_id: tried.company.act(
        employee_id, "end_service", termination_date="2026-02-28", termination_code=1, ir21=True
    ),
    "stay": lambda tried, employee_id: tried.company.act(employee_id, "undo_end_service"),
    "return": lambda tried, employee_id: tried.company.act(employee_id, "reinstate", appointment_date="2026-06-01"),
    "enter opening balances": lambda tried, employee_id: tried.send(
        "PUT", f"/employees/{employee_id}/take_on_balances", {"year": 2026, "ir8a": {"a": "100.00"}}
    ),
    "clear opening balances": lambda tried, employee_id: tried.send(
        "PUT", f"/employees/{employee_id}/take_on_balances", {"year": 2026}
    ),
    "provide a car": lambda tried, employee_id: tried.record(employee_id, "benefits_in_kind", CAR),
    "exercise options": lambda tried, employee_id: tried.record(employee_id, "share_gains", OPTION),
    "remove a record": lambda tried, _: tried.send("DELETE", tried.records.pop()) if tried.records else None,
    "reopen": lambda tried, _: act(tried.company, tried.runs[-1], "unfinalise"),
    "finalise": lambda tried, _: act(tried.company, tried.runs[-1], "finalise"),
    "finalise another": finalise_another,
    "move the item": lambda tried, _: tried.send("PATCH", f"/calculation_definitions/{tried.item_id}", {"ir8a": "a"}),
    "change the item": lambda tried, _: tried.send(
        "PATCH", f"/calculation_definitions/{tried.item_id}", {"cpf": "additional", "ir8a": "d1_other"}
    ),
    "rename the company": lambda tried, _: tried.send("PATCH", f"/clients/{tried.company.id}", {"name": "Teh Tarik"}),
    "join earlier": employee(appointment_date="2025-12-01"),
    "generate": lambda tried, _: generate(tried.company),
    "release all": lambda tried, _: release_all(tried.company),
}


def new_company(service: Service) -> YearEndCompany:
    company = Company.of(service.new_account())
    item = {"name": "Night shift", "kind": "allowance", "input": "per_employee"}
    item_id = created(company.member.post(f"/clients/{company.id}/calculation_definitions", item))
    mei = hired(company, last_name="Tan")
    enter(company, f"employees/{mei}", str(item_id), amount="88.80")
    run_id = paid(company, JANUARY)
    tried = YearEndCompany(company, [mei, hired(company, appointment_date="2026-02-01")], item_id, [run_id])
    generate(company)
    return tried


steps = st.lists(st.tuples(st.sampled_from(sorted(ACTIONS)), st.integers(0, 1)), min_size=2, max_size=6)


@given(steps)
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_marks_give_the_same_answer_as_generating_again(service: Service, steps: Sequence[tuple[str, int]]) -> None:
    tried = new_company(service)
    for name, number in steps:
        ACTIONS[name](tried, tried.employees[number])
        assert tried.read() == tried.read_generated(), name


def test_each_change_alone_is_noticed(service: Service) -> None:
    tried = new_company(service)
    for name, action in ACTIONS.items():
        action(tried, tried.employees[0])
        assert tried.read() == tried.read_generated(), name


def test_a_change_that_is_taken_back_leaves_nothing_out_of_date(company: Company) -> None:
    employee_id = hired(company, job_title="Cook")
    run_id = paid(company)
    generate(company)
    company.patch(employee_id, job_title="Head cook")
    assert review(company, employee_id)["dirty"] is True
    company.patch(employee_id, job_title="Cook")
    assert review(company, employee_id)["dirty"] is False
    done(company, run_id, "unfinalise")
    assert review(company, employee_id)["dirty"] is True
    done(company, run_id, "finalise")
    assert review(company, employee_id)["dirty"] is False
