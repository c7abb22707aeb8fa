"""Forms that refer to records of another company are not found."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from gaji.console.pages import Page
from gaji.console.routes import PAGES
from tests.console.console_user import ConsoleUser, signed_in_user
from tests.console.sample_company import FEBRUARY, SampleCompany, create_sample_company
from tests.support.company import Company, attributes
from tests.support.running import Service, created

ID = re.compile(r"{([a-z_]+_id)}")
UNCHANGED = {"console_sessions", "sign_in_attempts"}
"""What changes with signing in."""
SPLITS = {"mode": "employee", "splits": [{"name": "Kitchen"}, {"name": "Bar"}]}


@dataclass(frozen=True)
class Scene:
    """Someone with a company, another company that is also theirs, and one of another account."""

    one: ConsoleUser
    own: SampleCompany
    sibling: SampleCompany
    foreign: SampleCompany

    def others(self, whose: str) -> dict[str, int]:
        """The records of another company."""
        return (self.sibling if whose == "sibling" else self.foreign).ids


def stocked(company: Company) -> SampleCompany:
    """SampleCompany with everything that a form can name."""
    sample = create_sample_company(company)
    member, client = company.member, f"/clients/{company.id}"
    field = company.field(name="Size", type="dropdown", options=[{"name": "Small"}, {"name": "Large"}])
    listed = member.get(f"{client}/custom_employee_fields").json()
    options = [
        element["custom_employee_field"]["options"]
        for element in listed
        if element["custom_employee_field"]["id"] == field
    ]
    splits = member.call("PUT", f"{client}/accounting_splits", json=SPLITS)
    assert splits.status_code == 200, splits.text
    assert member.post(f"{client}/tax_certificates", {"year": 2026}).status_code == 200
    key_id = member.service.as_owner(
        "SELECT k.id FROM api_keys k JOIN users u ON u.id = k.user_id WHERE u.email = $1", member.email
    )[0]["id"]
    [certificate] = member.service.as_owner("SELECT id FROM tax_certificates WHERE client_id = $1", company.id)
    [split, *_] = member.get(f"{client}/accounting_splits").json()["splits"]
    more = {
        "own_type_id": created(member.post(f"{client}/leave_types", {"name": "Garden leave"})),
        "size_id": field,
        "option_id": options[0][0]["id"],
        "certificate_id": certificate["id"],
        "split_id": split["id"],
        "key_id": key_id,
    }
    return SampleCompany(company, {**sample.ids, **more})


@pytest.fixture(scope="module")
def scene(service: Service) -> Scene:
    """One for all tests here: nothing is ever changed."""
    member = service.new_account()
    own_id, sibling = (stocked(Company.of(member)) for _ in range(2))
    return Scene(signed_in_user(member), own_id, sibling, stocked(Company.of(service.new_account())))


def refused(scene: Scene, path: str, data: dict[str, str]) -> None:
    """Send a form, which is answered as if the record did not exist, and changes nothing."""
    before = scene.one.member.service.fingerprint()
    answer = scene.one.post(path, data, page="/password")
    assert answer.status_code == 404, (answer.status_code, answer.headers.get("location"), answer.text)
    after = scene.one.member.service.fingerprint()
    assert {name for name in after if after[name] != before[name]} <= UNCHANGED


WITH_TWO = [page for page in PAGES if page.method == "POST" and len(ID.findall(page.path)) > 1]


def test_the_list_of_forms_is_not_empty() -> None:
    assert len(WITH_TWO) > 15


@pytest.mark.parametrize("whose", ["sibling", "foreign"])
@pytest.mark.parametrize("page", WITH_TWO, ids=lambda page: page.path)
def test_a_path_with_a_record_of_another_company_is_not_found(scene: Scene, page: Page, whose: str) -> None:
    names = ID.findall(page.path)
    for own_id in range(1, len(names)):
        ids = {
            name: (scene.own.ids if index < own_id else scene.others(whose))[name] for index, name in enumerate(names)
        }
        for decision in ("approve", "decline") if "{decision}" in page.path else ("",):
            path = page.path.format(**ids, decision=decision, name="basic_salary", valid_from="2026-01-01")
            refused(scene, path, {"name": "Forged", "calc_type": "basic_salary", "role": "owner"})


def test_keys_and_companies_of_another_account_are_not_found(scene: Scene) -> None:
    refused(scene, f"/api-keys/{scene.foreign.ids['key_id']}/revoke", {})
    refused(scene, f"/companies/{scene.foreign.company.id}/pay_points/new", {"name": "Forged"})


def test_a_pay_item_of_another_employee_is_not_found(scene: Scene) -> None:
    company = scene.own.company
    other_id = company.hire(first_name="Other")
    refused(scene, f"/employees/{other_id}/calculations/{scene.own.ids['calculation_id']}/delete", {})


def _newcomer(**given: int) -> dict[str, str]:
    return {name: str(value).lower() for name, value in attributes(**given).items()}


Others = dict[str, int]
FIELDS: dict[str, tuple[str, Callable[[Others], dict[str, str]]]] = {
    "the wave of a pay run": (
        "/companies/{client_id}/payment_runs",
        lambda ids: {"wave_id": str(ids["wave_id"]), "period_end_date": FEBRUARY},
    ),
    "the wave of a once-off run": (
        "/companies/{client_id}/payment_runs/new",
        lambda ids: {"wave_id": str(ids["wave_id"]), "period_end_date": FEBRUARY, "employee_ids": "{employee_id}"},
    ),
    "the employee of a once-off run": (
        "/companies/{client_id}/payment_runs/new",
        lambda ids: {
            "wave_id": "{wave_id}",
            "period_end_date": FEBRUARY,
            "employee_ids": str(ids["employee_id"]),
        },
    ),
    "the wave of a newcomer": ("/companies/{client_id}/employees/new", lambda ids: _newcomer(wave_id=ids["wave_id"])),
    "the pay point of a newcomer": (
        "/companies/{client_id}/employees/new",
        lambda ids: _newcomer(pay_point_id=ids["pay_point_id"]),
    ),
    "a custom field of a newcomer": (
        "/companies/{client_id}/employees/new",
        lambda ids: {**_newcomer(), f"custom_fields.{ids['field_id']}": "7"},
    ),
    "an option of a newcomer's custom field": (
        "/companies/{client_id}/employees/new",
        lambda ids: {**_newcomer(), "custom_fields.{size_id}": str(ids["option_id"])},
    ),
    "the pay point of an employee": (
        "/employees/{employee_id}/edit",
        lambda ids: {"updated_at": "{updated_at}", **_newcomer(pay_point_id=ids["pay_point_id"])},
    ),
    "the wave of an employee": (
        "/employees/{employee_id}/edit",
        lambda ids: {"updated_at": "{updated_at}", **_newcomer(wave_id=ids["wave_id"])},
    ),
    "the type of leave days": (
        "/employees/{employee_id}/leave_days",
        lambda ids: {"type_id": str(ids["own_type_id"]), "from": "2026-02-11"},
    ),
    "the type of a leave day": (
        "/employees/{employee_id}/leave_days/{leave_day_id}/edit",
        lambda ids: {"type_id": str(ids["own_type_id"]), "date": "2026-02-13"},
    ),
    "leave days to cancel": (
        "/employees/{employee_id}/leave_days/cancel",
        lambda ids: {"day_id": str(ids["leave_day_id"])},
    ),
    "the type of an adjustment": (
        "/employees/{employee_id}/leave_adjustments/new",
        lambda ids: {"type_id": str(ids["own_type_id"]), "date": "2026-02-13", "days": "1", "reason": "Forged"},
    ),
    "the type of leave that was left elsewhere": (
        "/employees/{employee_id}/take_on/edit",
        lambda ids: {"year": "2026", f"leave.{ids['own_type_id']}": "3"},
    ),
    "the item of an employee": (
        "/employees/{employee_id}/calculations",
        lambda ids: {"calc_type": str(ids["definition_id"]), "calculation_details.amount": "5"},
    ),
    "the item of a payslip": (
        "/payslips/{payslip_id}/calculations",
        lambda ids: {"calc_type": str(ids["definition_id"]), "calculation_details.amount": "5"},
    ),
    "the item of a profile": (
        "/companies/{client_id}/settings/profiles/{profile_id}/edit",
        lambda ids: {"name": "Drivers", "calc_type": str(ids["definition_id"])},
    ),
    "an item to be taken out of a profile": (
        "/companies/{client_id}/settings/profiles/{profile_id}/calculations/{other_definition_id}/delete",
        lambda ids: {},
    ),
    "a certificate": (
        "/companies/{client_id}/tax_certificates",
        lambda ids: {"year": "2026", "certificate_id": str(ids["certificate_id"])},
    ),
    "an option of a custom field": (
        "/companies/{client_id}/settings/custom_fields/{size_id}/edit",
        lambda ids: {"name": "Size", "type": "dropdown", f"option.{ids['option_id']}": "Forged"},
    ),
    "the ledger account of an item": (
        "/companies/{client_id}/settings/accounts",
        lambda ids: {f"{ids['definition_id']}.debit_account": "Forged"},
    ),
    "a split": (
        "/companies/{client_id}/settings/splits",
        lambda ids: {"mode": "employee", f"split.{ids['split_id']}": "Forged"},
    ),
}


@pytest.mark.parametrize("whose", ["sibling", "foreign"])
@pytest.mark.parametrize("named", FIELDS)
def test_a_form_field_with_a_record_of_another_company_is_not_found(scene: Scene, named: str, whose: str) -> None:
    refused(scene, *filled(scene.own, named, scene.others(whose)))


def filled(own: SampleCompany, named: str, others: Others) -> tuple[str, dict[str, str]]:
    """Where a form of a company is sent, and what it says."""
    path, data = FIELDS[named]
    employee = own.company.employee(own.ids["employee_id"])
    ids = {**own.ids, "other_definition_id": others["definition_id"], "updated_at": employee["updated_at"]}
    return path.format(**ids), {name.format(**ids): value.format(**ids) for name, value in data(others).items()}


def test_the_same_forms_accept_records_of_the_same_company(service: Service) -> None:
    own_id = stocked(Company.of(service.new_account()))
    night_shift = {str(own_id.ids["definition_id"]): {"amount": 5}}
    changed = own_id.company.member.patch(f"/profiles/{own_id.ids['profile_id']}", {"calculations": night_shift})
    assert changed.status_code == 200, changed.text
    user = signed_in_user(own_id.company.member)
    for named in FIELDS:
        path, data = filled(own_id, named, own_id.ids)
        answer = user.post(path, data, page="/password")
        assert answer.status_code in (303, 409, 422), (named, answer.status_code, answer.text)


def test_a_key_cannot_be_limited_to_a_company_of_another_account(scene: Scene) -> None:
    refused(scene, "/api-keys", {"name": "Rostering", "client_ids": str(scene.foreign.company.id)})


@pytest.mark.parametrize("whose", ["sibling", "foreign"])
def test_a_leave_type_of_another_company_is_not_found(scene: Scene, whose: str) -> None:
    employee_id, company = scene.own.ids["employee_id"], scene.own.company
    user = signed_in_user(company.member.colleague(company.id, "employee", employee_id))
    data = {"type_id": str(scene.others(whose)["own_type_id"]), "from": "2026-02-11"}
    assert user.post(f"/own/{employee_id}/leave", data, page="/password").status_code == 404


@pytest.mark.parametrize("whose", ["sibling", "foreign"])
def test_the_grid_rejects_records_of_another_company(scene: Scene, whose: str) -> None:
    others, own_id = scene.others(whose), scene.own.ids
    entities = [
        {"id": others["employee_id"], "attributes": {"first_name": "Forged"}},
        {"id": own_id["employee_id"], "payslip_id": others["payslip_id"], "attributes": {"calc.bonus.amount": 1}},
        {"id": own_id["employee_id"], "attributes": {f"calc.{others['definition_id']}.amount": 1}},
    ]
    before = scene.one.member.service.fingerprint()
    answer = scene.one.browser.post(
        f"/companies/{scene.own.company.id}/bulk_input",
        json={"entities": entities},
        headers={"X-Form-Token": scene.one.token("/password")},
    )
    assert answer.status_code == 200
    assert all(element["errors"] for element in answer.json())
    after = scene.one.member.service.fingerprint()
    assert {name for name in after if after[name] != before[name]} <= UNCHANGED


def test_a_certificate_of_another_company_is_not_found(scene: Scene) -> None:
    sibling = scene.sibling
    certificate_id = sibling.ids["certificate_id"]
    answer = scene.one.get(f"/companies/{scene.own.company.id}/tax_certificates?pdf={certificate_id}")
    assert answer.status_code == 404
