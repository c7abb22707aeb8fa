"""Every way to change a bank account, to finalise a pay run and to get a payment file needs the second person."""

import ast
import inspect
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import gaji
from gaji.integrations.mcp.write_tools import WriteTools
from gaji.tabular import XLSX
from tests.approvals.second_person import NEW, TwoPeople, two_people
from tests.console.console_user import ConsoleUser, signed_in_user
from tests.payroll.payment_runs.runs import opened, read
from tests.support.running import Member
from tests.web.every_operation import workbook

FILE = "uob_giro.txt"
FLAT = {f"bank_account.{name}": value for name, value in NEW.items()}
WRITERS = {
    "people/employees/account_changes.py",
    "people/employees/change_requests.py",
    "people/employees/bulk_update.py",
    "people/employees/service.py",
    "company/clients/account_changes.py",
    "company/clients/service.py",
}
"""The modules that update employees and clients: they request approval, or do what was approved."""


@pytest.fixture
def people(account: Member) -> TwoPeople:
    """A company that requires approval."""
    return two_people(account)


def console(people: TwoPeople) -> ConsoleUser:
    return signed_in_user(people.officer)


def submitted(user: ConsoleUser, page: str, **changes: str) -> Any:
    """Submit the form of a page with some other values."""
    return user.post(page, {**FormValues(user.get(page).text).values, **changes})


class FormValues(HTMLParser):
    """The values of the fields on a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._select = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the value of an input, or of the selected option."""
        attributes = dict(attrs)
        name = attributes.get("name") or ""
        if tag == "select":
            self._select = name
        elif tag == "option" and "selected" in attributes:
            self.values[self._select] = attributes.get("value") or ""
        elif tag == "input" and name and (attributes.get("type") != "checkbox" or "checked" in attributes):
            self.values[name] = attributes.get("value") or ""


def patch_employee(people: TwoPeople) -> Any:
    return people.officer.patch(f"/employees/{people.employee_id}", {"employee": {"bank_account": NEW}})


def patch_employee_by_external_id(people: TwoPeople) -> Any:
    people.company.patch(people.employee_id, external_id="HR-1")
    path = f"/clients/{people.company.id}/employees/external/HR-1"
    return people.officer.patch(path, {"employee": {"bank_account": NEW}})


def patch_with_a_new_wave(people: TwoPeople) -> Any:
    wave_id = people.company.wave(frequency="weekly", first_end_date="2026-01-02")
    change = {"bank_account": NEW, "wave_id": wave_id}
    return people.officer.patch(f"/employees/{people.employee_id}", {"employee": change})


def bulk_input(people: TwoPeople) -> Any:
    entities = [{"id": str(people.employee_id), "attributes": FLAT}]
    return people.officer.post(f"/clients/{people.company.id}/bulk_input", {"entities": entities})


def bulk_input_of_a_birthdate_too(people: TwoPeople) -> Any:
    entities = [{"id": str(people.employee_id), "attributes": {**FLAT, "birthdate": "1991-01-01"}}]
    return people.officer.post(f"/clients/{people.company.id}/bulk_input", {"entities": entities})


def bulk_update(people: TwoPeople) -> Any:
    body = {"employees": [{"id": people.employee_id, "bank_account": NEW}]}
    return people.officer.patch(f"/clients/{people.company.id}/employees/bulk", body)


def import_workbook(people: TwoPeople) -> Any:
    row = {"number": people.company.employee(people.employee_id)["number"], **FLAT}
    path = f"/clients/{people.company.id}/employees/import"
    return people.officer.call("POST", path, content=workbook([row]), headers={"Content-Type": XLSX})


def console_employee_form(people: TwoPeople) -> Any:
    values = {name: str(value) for name, value in FLAT.items()}
    return submitted(console(people), f"/employees/{people.employee_id}/edit", **values)


ACCOUNT_PATHS: dict[str, Callable[[TwoPeople], Any]] = {
    "PATCH of the employee": patch_employee,
    "PATCH by external ID": patch_employee_by_external_id,
    "PATCH with another wave": patch_with_a_new_wave,
    "bulk_input": bulk_input,
    "bulk_input of a period attribute": bulk_input_of_a_birthdate_too,
    "bulk PATCH": bulk_update,
    "import of a workbook": import_workbook,
    "form of the console": console_employee_form,
}


@pytest.mark.parametrize("way", ACCOUNT_PATHS)
def test_no_way_changes_the_account_of_an_employee(people: TwoPeople, way: str) -> None:
    before = people.account()
    answer = ACCOUNT_PATHS[way](people)
    assert answer.status_code in (200, 202, 303), answer.text
    assert people.account() == before
    [approval] = people.approvals()
    assert (approval["kind"], approval["status"]) == ("employee_bank_account", "pending")
    assert approval["details"]["after"]["bank_account"] == NEW
    if answer.status_code == 200:
        assert str(approval["id"]) in answer.text  # a bulk response says which approval is pending
    assert people.owner.post(f"/approvals/{approval['id']}/approve").status_code == 200
    assert people.account() == NEW


def patch_client(people: TwoPeople) -> Any:
    return people.officer.patch(f"/clients/{people.company.id}", {"bank_account": {"account_number": "9988776655"}})


def console_company_form(people: TwoPeople) -> Any:
    values = {"bank_account.account_number": "9988776655"}
    return submitted(console(people), f"/companies/{people.company.id}/details", **values)


@pytest.mark.parametrize("way", [patch_client, console_company_form])
def test_no_way_changes_the_account_of_the_company(people: TwoPeople, way: Callable[[TwoPeople], Any]) -> None:
    path = f"/clients/{people.company.id}"
    before = people.owner.get(path).json()["client"]["bank_account"]
    assert way(people).status_code in (202, 303)
    assert people.owner.get(path).json()["client"]["bank_account"] == before
    assert [approval["kind"] for approval in people.approvals()] == ["client_bank_account"]


def finalise_by_api(people: TwoPeople, run_id: int) -> Any:
    return people.officer.post(f"/payment_runs/{run_id}/finalise")


def finalise_in_the_console(people: TwoPeople, run_id: int) -> Any:
    return console(people).post(f"/payment_runs/{run_id}/finalise")


@pytest.mark.parametrize("way", [finalise_by_api, finalise_in_the_console])
def test_no_way_finalises_a_run_or_gets_a_file(people: TwoPeople, way: Callable[[TwoPeople, int], Any]) -> None:
    run_id = opened(people.company)
    assert way(people, run_id).status_code in (202, 303)
    assert read(people.company, run_id)["finalised"] is False
    [approval] = people.approvals()
    assert people.owner.post(f"/approvals/{approval['id']}/approve").status_code == 200
    path = f"/payment_runs/{run_id}/files"
    by_console = console(people).get(f"{path}?download={FILE}")
    for answer in (people.officer.get(f"{path}/{FILE}"), by_console):
        assert answer.status_code == 409
        assert "attachment" not in answer.headers.get("content-disposition", "")


def test_only_known_modules_update_employees_and_clients() -> None:
    callers = {
        str(module.relative_to(Path(gaji.__file__).parent))
        for module in Path(gaji.__file__).parent.rglob("*.py")
        if _updates_accounts(module)
    }
    assert callers == WRITERS


def _updates_accounts(module: Path) -> bool:
    text = module.read_text()
    uses_repository = any(
        f"from gaji.{package} import repository" in text for package in ("people.employees", "company.clients")
    )
    names = {
        node.func.attr
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "repository"
    }
    return uses_repository and bool(names & {"update", "update_many"})


def test_no_tool_of_the_mcp_server_changes_accounts_or_finalises() -> None:
    tools = {name for name, _ in inspect.getmembers(WriteTools, inspect.isfunction) if not name.startswith("_")}
    assert tools == {"enter_pay_item", "open_pay_run", "approve_leave_request", "decline_leave_request"}
