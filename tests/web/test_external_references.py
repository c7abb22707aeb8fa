"""`external_id` and `metadata` of clients, employees, pay points, payment runs and calculations."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
import pytest

from tests.support.company import Company, attributes
from tests.support.problems import assert_problem, field_errors
from tests.support.races import at_once
from tests.support.running import created

METADATA = {"cost_centre": "4100", "note": ""}
TYPES = ("transport_allowance", "annual_bonus", "insurance")
BONUS = {"calc_type": "annual_bonus", "calculation_details": {"amount": "500.00"}}


@dataclass(frozen=True)
class Resource:
    """How the records of one resource are created and read."""

    company: Company
    name: str
    list_path: str

    def create(self, **references: Any) -> httpx.Response:
        """Create a record with these references."""
        company = self.company
        bodies: dict[str, dict[str, Any]] = {
            "client": {"name": "Laksa House"},
            "employee": attributes(wave_id=company.wave_id, appointment_date="2026-01-01"),
            "calculation": {
                "calc_type": TYPES[len(self.elements()) % len(TYPES)],
                "calculation_details": {"amount": "90.00"},
            },
            "pay_point": {"name": f"Pay point {len(self.elements())}"},
            "payment_run": {
                "wave_id": company.wave_id,
                "period_end_date": "2026-01-31",
                "special": True,
            },
        }
        if self.name == "payment_run":
            bodies["payment_run"]["employee_ids"] = [company.hire(appointment_date="2026-01-01")]
        return company.member.post(self.list_path, {self.name: {**bodies[self.name], **references}})

    def update(self, record_id: int, **references: Any) -> httpx.Response:
        """Update the references of a record."""
        return self.company.member.patch(f"/{self.name}s/{record_id}", {self.name: references})

    def elements(self, query: str = "") -> list[dict[str, Any]]:
        """The records of the list."""
        response = self.company.member.get(self.list_path + query)
        return [element.get(self.name, element) for element in response.json()]

    def references(self, record_id: int) -> tuple[str | None, dict[str, str]]:
        """The references of a record in the list."""
        [element] = self.elements(f"?ids={record_id}")
        return element["external_id"], element["metadata"]


@pytest.fixture(params=["client", "employee", "pay_point", "payment_run", "calculation"])
def resource(request: pytest.FixtureRequest, company: Company) -> Resource:
    """Each resource that has references."""
    name: str = request.param
    return Resource(company, name, "/clients" if name == "client" else f"/clients/{company.id}/{name}s")


def test_they_are_stored_changed_and_cleared(resource: Resource) -> None:
    record_id = created(resource.create(external_id="HR-0042", metadata=METADATA))
    assert resource.references(record_id) == ("HR-0042", METADATA)
    assert resource.update(record_id, metadata={"cost_centre": None, "team": "A"}).status_code == 200
    assert resource.references(record_id) == ("HR-0042", {"note": "", "team": "A"})
    assert resource.update(record_id, external_id=None, metadata=None).status_code == 200
    assert resource.references(record_id) == (None, {})
    assert resource.references(created(resource.create())) == (None, {})


def test_an_external_id_is_unique_and_finds_its_record(resource: Resource) -> None:
    first, second = created(resource.create(external_id="A.1")), created(resource.create())
    assert [element["id"] for element in resource.elements("?external_id=A.1")] == [first]
    for response in (resource.create(external_id="A.1"), resource.update(second, external_id="A.1")):
        problem = assert_problem(response, 422)
        assert [(error["path"], error["code"]) for error in problem["error_details"]] == [
            ("external_id", "external_id_taken")
        ]
    assert resource.update(first, external_id="A.1").status_code == 200
    assert resource.update(first, external_id="A.2").status_code == 200
    assert resource.update(second, external_id="A.1").status_code == 200


def test_of_two_records_that_get_the_same_external_id_at_once_one_succeeds(resource: Resource) -> None:
    ids = [created(resource.create()) for _ in range(2)]
    responses = at_once([partial(resource.update, record_id, external_id="X") for record_id in ids])
    assert sorted(response.status_code for response in responses) == [200, 422]


def test_other_clients_can_use_the_same_external_id(company: Company) -> None:
    other = Company.of(company.member)
    assert [created(each.post(attributes(external_id="HR-1"))) for each in (company, other)]


@pytest.mark.parametrize(
    ("references", "paths"),
    [
        ({"external_id": "a/b"}, ["external_id"]),
        ({"external_id": ".."}, ["external_id"]),
        ({"external_id": "x" * 101}, ["external_id"]),
        ({"metadata": "x"}, ["metadata"]),
        ({"metadata": {"k" * 41: "x"}}, ["metadata"]),
        ({"metadata": {"": "x"}}, ["metadata"]),
        ({"metadata": {f"k{number}": "x" for number in range(51)}}, ["metadata"]),
        ({"metadata": {"a": "x" * 501, "b": 4}}, ["metadata.a", "metadata.b"]),
        ({"metadata": {"a": "x" * 501, "k" * 41: "x"}}, ["metadata", "metadata.a"]),
    ],
)
def test_values_that_are_not_valid_are_rejected(company: Company, references: Any, paths: list[str]) -> None:
    body = {"name": "Warehouse", **references}
    assert list(field_errors(company.member.post(f"/clients/{company.id}/pay_points", body))) == paths


def test_50_keys_of_40_characters_with_500_each_are_accepted(company: Company) -> None:
    metadata = {f"{number:040}": "x" * 500 for number in range(50)}
    employee_id = created(company.post(attributes(metadata=metadata)))
    assert company.employee(employee_id)["metadata"] == metadata


def test_an_employee_is_read_changed_and_deleted_by_external_id(company: Company) -> None:
    member, employee_id = company.member, created(company.post(attributes(external_id="HR:1@sg")))
    path = f"{company.people}/external/HR:1@sg"
    response = member.get(path)
    assert response.json() == member.get(f"/employees/{employee_id}").json()
    assert response.headers["etag"] == member.get(f"/employees/{employee_id}").headers["etag"]
    assert created(member.patch(path, {"employee": {"job_title": "Cook"}})) == employee_id
    stale = {"If-Match": response.headers["etag"]}
    assert_problem(member.patch(path, {"employee": {"job_title": "Chef"}}, headers=stale), 412)
    assert company.employee(employee_id)["job_title"] == "Cook"
    assert member.delete(path).status_code == 200
    assert_problem(member.get(path), 404)


def test_a_calculation_of_any_level_is_read_changed_and_deleted_by_external_id(company: Company) -> None:
    member, employee_id = company.member, company.hire()
    payslip_id = member.get(f"/employees/{employee_id}/payslips").json()[0]["payslip"]["id"]
    owners = {"C": f"/clients/{company.id}", "E": f"/employees/{employee_id}", "P": f"/payslips/{payslip_id}"}
    for external_id, owner in owners.items():
        body = BONUS | {"external_id": external_id, "metadata": METADATA}
        calculation_id = created(member.post(f"{owner}/calculations", body))
        path = f"/clients/{company.id}/calculations/external/{external_id}"
        response = member.get(path)
        assert (response.json()["id"], response.json()["metadata"]) == (calculation_id, METADATA)
        assert response.json() == member.get(f"/calculations/{calculation_id}").json()
        assert created(member.patch(path, {"calculation_details": {"amount": "7.00"}})) == calculation_id
        stale = {"If-Match": response.headers["etag"]}
        assert_problem(member.patch(path, {"skip": True}, headers=stale), 412)
    listed = member.get(f"/payslips/{payslip_id}/calculations").json()
    assert [element["external_id"] for element in listed if element["system_type"] == "annual_bonus"] == ["P"]
    assert member.delete(path).status_code == 200
    assert_problem(member.get(path), 404)
    listed = member.get(f"/payslips/{payslip_id}/calculations").json()
    [inherited] = [element for element in listed if element["system_type"] == "annual_bonus"]
    assert (inherited["id"], inherited["external_id"], inherited["metadata"]) == (None, None, {})


def test_references_of_a_calculation_have_no_date_and_survive_other_changes(company: Company) -> None:
    member, employee_id = company.member, company.hire(appointment_date="2026-01-01")
    calculations = f"/employees/{employee_id}/calculations"
    calculation_id = created(member.post(calculations, BONUS | {"valid_from": "2199-01-01"}))
    assert member.patch(f"/calculations/{calculation_id}", {"external_id": "F-1"}).status_code == 200
    entities = [{"id": employee_id, "attributes": {"calc.annual_bonus.amount": "3.00"}}]
    response = member.post(f"/clients/{company.id}/bulk_input", {"entities": entities})
    assert response.json()[0]["success"] == "true"
    [history] = member.get(f"/employees/{employee_id}/calculation_history").json()
    assert [values["valid_from"] for values in history["values"]] == [None, "2199-01-01"]
    [element] = member.get(f"{calculations}?external_id=F-1").json()
    assert (element["id"], element["inputs"]["amount"]) == (calculation_id, "3.00")


def test_a_finalised_payslip_shows_the_references_of_its_calculations(company: Company) -> None:
    member, employee_id = company.member, company.hire(appointment_date="2026-01-01")
    calculation_id = created(member.post(f"/employees/{employee_id}/calculations", BONUS | {"external_id": "F-1"}))
    run = {"wave_id": company.wave_id, "period_end_date": "2026-01-31"}
    run_id = created(member.post(f"/clients/{company.id}/payment_runs", run))
    assert member.post(f"/payment_runs/{run_id}/finalise").status_code == 200
    assert member.patch(f"/calculations/{calculation_id}", {"metadata": METADATA}).status_code == 200
    [payslip] = member.get(f"/employees/{employee_id}/payslips?finalised=true").json()
    own = {"calc_type": "insurance", "calculation_details": {"amount": "2.00"}, "external_id": "F-2"}
    path = f"/payslips/{payslip['payslip']['id']}/calculations"
    assert member.post(f"{path}?late=true", own).status_code == 200
    listed = member.get(f"{path}?late=true").json()
    assert {element["external_id"] for element in listed} == {None, "F-2"}
    assert member.get(f"/clients/{company.id}/calculations/external/F-2").json()["metadata"] == {}


@pytest.mark.parametrize("external_id", ["HR-2", "4%2F2", "%00", "x" * 200])
def test_an_unknown_external_id_is_not_found(company: Company, external_id: str) -> None:
    assert_problem(company.member.get(f"{company.people}/external/{external_id}"), 404)


def test_the_console_and_bulk_updates_keep_them(company: Company) -> None:
    employee_id = created(company.post(attributes(external_id="HR-1", metadata=METADATA)))
    entities = [{"id": employee_id, "attributes": {"job_title": "Cook"}}]
    response = company.member.post(f"/clients/{company.id}/bulk_input", {"entities": entities})
    assert response.json()[0]["success"] == "true"
    employee = company.employee(employee_id)
    assert (employee["job_title"], employee["external_id"], employee["metadata"]) == ("Cook", "HR-1", METADATA)
