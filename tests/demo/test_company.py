"""The demo company, created by the services and by the command."""

import asyncio
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import msgspec
import pytest

from gaji.app import OPERATIONS
from gaji.company.clients import service as clients
from gaji.company.custom_fields import service as custom_fields
from gaji.company.pay_points import service as pay_points
from gaji.core.bank_accounts import account_notes
from gaji.core.errors import NotFound
from gaji.core.settings import Settings
from gaji.db.tenancy import JoinedTransactions, Tenant
from gaji.demo.account import Demo, create_demo
from gaji.demo.people import CompanyContext, generate_people
from gaji.demo.progress import Progress
from gaji.demo.roster import ROSTER
from gaji.identity import service as accounts
from gaji.people.employees import service as employees
from gaji.web.asgi import HTTPScope
from gaji.web.openapi import document
from gaji.web.operations import Operation, Request
from tests.demo.demo_company import TODAY, DemoCompany, RecordedProgress, create_demo_company
from tests.support.preloaded import run_gaji
from tests.support.running import as_environment

pytestmark = pytest.mark.slow

SEED = 1
COUNT = 60
CREATES = [
    operation
    for operation in OPERATIONS
    if re.fullmatch(r"/clients/{client_id}/[a-z_]+", operation.path)
    and operation.method == "POST"
    and operation.body_schema
    and not operation.body_media_types
    and operation.name != "open_payment_run"  # The periods of the demo depend on the day.
]
"""What creates records of a client from a JSON body."""
DOCUMENT = document(OPERATIONS)


class RolledBack(Exception):
    """Ends a transaction that is not to be committed."""


@pytest.fixture(scope="module")
def company(settings: Settings) -> Iterator[DemoCompany]:
    with create_demo_company(settings, SEED, COUNT, months=1) as demo_company:
        yield demo_company


def test_it_works(company: DemoCompany) -> None:
    assert len(company.employees()) == COUNT
    assert (company.demo.base_path, company.demo.email) == ("/v1", "demo1@gaji.example")
    assert company.progress.steps["Employees"] == [(COUNT, COUNT)]
    runs = company.progress.steps["Payment runs"]
    assert runs == [(count, len(runs)) for count in range(1, len(runs) + 1)]
    assert company.progress.existing == []


def test_there_is_one_wave_of_each_frequency(company: DemoCompany) -> None:
    waves = {wave["frequency"]: wave for wave in company.waves()}
    assert waves.keys() == {"monthly", "twice_a_month", "fortnightly", "weekly"}
    assert [name for name, wave in waves.items() if wave["pay_dates"]["enabled"]] == ["twice_a_month"]
    assert [name for name, wave in waves.items() if wave["custom_name"]] == ["weekly"]
    paid = Counter(employee["wave_id"] for employee in company.employees())
    assert paid.keys() == {wave["id"] for wave in waves.values()}
    assert paid[waves["monthly"]["id"]] > COUNT / 2


def test_the_features_that_the_waves_need_are_on(company: DemoCompany) -> None:
    client = msgspec.json.decode(company.runner.run(clients.read_client(company.tenant, company.client_id)))
    assert client["features"]["custom_wave_names"]
    assert client["features"]["pay_dates"]


def test_nothing_contradicts_in_the_bank_accounts(company: DemoCompany) -> None:
    client = msgspec.json.decode(company.runner.run(clients.read_client(company.tenant, company.client_id)))
    assert list(account_notes(client["bank_account"])) == []
    assert [note for employee in company.employees() for note in account_notes(employee["bank_account"])] == []


def test_there_are_three_pay_points_with_employees(company: DemoCompany) -> None:
    pay_points_listed = company.decode_list(pay_points.list_pay_points(company.tenant, company.client_id, None))
    assert {pay_point["id"] for pay_point in pay_points_listed} == {
        employee["pay_point_id"] for employee in company.employees()
    }
    assert len(pay_points_listed) == 3


def test_some_employees_have_values_in_the_custom_fields(company: DemoCompany) -> None:
    fields = company.decode_list(custom_fields.list_fields(company.tenant, company.client_id, None))
    assert [field["type"] for field in fields] == ["dropdown", "text"]
    having = [employee for employee in company.employees() if employee["custom_fields"]]
    assert 0 < len(having) < COUNT
    assert all(employee["custom_fields"].keys() == {str(field["id"]) for field in fields} for employee in having)


def test_employees_depend_on_the_seed_and_the_day(company: DemoCompany) -> None:
    fields = company.decode_list(custom_fields.list_fields(company.tenant, company.client_id, None))
    context = CompanyContext(
        today=TODAY,
        waves={wave["frequency"]: wave["id"] for wave in company.waves()},
        pay_points=sorted({employee["pay_point_id"] for employee in company.employees()}),
        uniform_field=fields[0]["id"],
        uniform_sizes=[option["id"] for option in fields[0]["options"]],
        locker_field=fields[1]["id"],
    )
    came_back = [archetype.case for archetype in ROSTER].index("Rehired after leaving, works three days a week")
    for index, (saved, body) in enumerate(zip(company.employees(), generate_people(SEED, COUNT, context), strict=True)):
        compared = {name: value for name, value in body.items() if name not in ("custom_fields", "physical_address")}
        if index == came_back:
            del compared["appointment_date"]
        assert {name: saved[name] for name in compared} == compared


def test_leavers_left_for_different_reasons(company: DemoCompany) -> None:
    ended = [
        (period["termination_code"], period["attribs"]["ir21"], period["end_date"])
        for employee in company.employees("service_periods")
        for element in employee["service_periods"]
        if (period := element["service_period"])["end_date"]
    ]
    assert sorted(ended) == [
        (1, False, "2026-03-31"),
        (1, False, "2026-09-14"),
        (3, False, "2026-07-09"),
        (4, False, "2026-12-31"),
        (5, True, "2026-10-31"),
        (6, False, "2026-10-31"),
    ]


def test_one_employee_came_back(company: DemoCompany) -> None:
    twice = [employee for employee in company.employees("service_periods") if len(employee["service_periods"]) > 1]
    (employee,) = twice
    first, second = (element["service_period"] for element in employee["service_periods"])
    assert (first["end_date"], second["start_date"], second["end_date"]) == ("2026-03-31", "2026-06-01", None)


def test_creating_it_again_keeps_the_company_and_adds_a_key(company: DemoCompany) -> None:
    before = company.employees()
    progress = RecordedProgress()
    again = company.run(create_demo(company.installation, SEED, 200, 5, progress))
    assert (again.client_id, again.email) == (company.client_id, company.demo.email)
    assert again.api_key != company.demo.api_key
    assert again.password != company.demo.password
    assert (progress.existing, progress.steps) == ([COUNT], {})
    assert company.employees() == before


def test_a_setting_fixes_the_password(company: DemoCompany) -> None:
    installation = company.installation
    fixed = replace(installation, settings=replace(installation.settings, demo_password="seven green kettles"))
    assert company.run(create_demo(fixed, SEED)).password == "seven green kettles"


def test_another_seed_creates_a_separate_account(company: DemoCompany) -> None:
    demo = company.runner.run(create_demo(company.installation, 2, 30, 0))
    caller = company.runner.run(accounts.find_user(company.installation.database, demo.email))
    other = Tenant(company.tenant._pool, company.installation.vault, caller)
    assert [client["id"] for client in company.decode_list(clients.list_clients(other, None))] == [demo.client_id]
    with pytest.raises(NotFound):
        company.runner.run(employees.list_employees(other, company.client_id, set(), None))
    with pytest.raises(NotFound):
        company.runner.run(employees.read_employee(other, company.employees()[0]["id"]))
    theirs = company.decode_list(employees.list_employees(other, demo.client_id, set(), None))
    assert len(theirs) == 30
    assert not {employee["id"] for employee in theirs} & {employee["id"] for employee in company.employees()}


def test_concurrent_commands_create_one_company(company: DemoCompany) -> None:
    async def both() -> list[Demo]:
        return await asyncio.gather(*(create_demo(company.installation, 3, 5, 1) for _ in range(2)))

    first, second = company.runner.run(both())
    assert first.client_id == second.client_id


@pytest.mark.parametrize("after", ["Employees", "Payment runs"])
def test_an_interrupted_creation_is_finished_by_the_next_command(company: DemoCompany, after: str) -> None:
    class Interruption(Progress):
        def update(self, label: str, done: int, total: int) -> None:
            if label == after and done >= total // 2:
                raise RuntimeError("interrupted")

    seed = {"Employees": 4, "Payment runs": 5}[after]
    with pytest.raises(RuntimeError, match="interrupted"):
        company.run(create_demo(company.installation, seed, 25, 1, Interruption()))
    progress = RecordedProgress()
    finished = company.run(create_demo(company.installation, seed, 25, 1, progress))
    assert progress.existing == []
    assert _runs_and_payslips(company, finished) == _runs_and_payslips(company, company.demo, employees_limit=25)


def _runs_and_payslips(company: DemoCompany, demo: Demo, employees_limit: int = 25) -> tuple[int, int]:
    """Return the number of runs, all finalised and released, and of the payslips of the first employees."""

    async def count() -> tuple[int, int]:
        async with company.installation.database.maintenance("test") as connection:
            runs = await connection.fetch(
                "SELECT finalised AND released FROM payment_runs WHERE client_id = $1", demo.client_id
            )
            assert all(done for (done,) in runs)
            payslips = await connection.fetchval(
                "SELECT count(*) FROM payslips WHERE client_id = $1 AND NOT withdrawn AND NOT dirty AND employee_id IN "
                "(SELECT id FROM employees WHERE client_id = $1 ORDER BY id LIMIT $2)",
                demo.client_id,
                employees_limit,
            )
            return len(runs), payslips

    return company.run(count())


def test_running_the_command_twice_prints_the_same_company(settings: Settings) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["demo", "--seed", "7", "--months", "1", *arguments]
        result = run_gaji(command, {"GAJI_TODAY": TODAY.isoformat(), **as_environment(settings)})
        result.check_returncode()
        return result

    first, second = run("--employees", "30", "--json"), run("--employees", "40", "--json")
    demo, again = msgspec.json.decode(first.stdout), msgspec.json.decode(second.stdout)
    assert list(demo) == ["base_path", "api_key", "client_id", "email", "password"]
    assert [demo[name] for name in ("base_path", "client_id", "email")] == [
        again[name] for name in ("base_path", "client_id", "email")
    ]
    assert first.stderr == ""
    assert "already exists, with 30 employees" in second.stderr
    assert demo["password"] not in run("--employees", "30").stdout


@pytest.mark.parametrize("operation", CREATES, ids=lambda operation: operation.name)
def test_it_accepts_the_documented_example_of_each_new_record(company: DemoCompany, operation: Operation) -> None:
    [media] = DOCUMENT["paths"][operation.path]["post"]["requestBody"]["content"].values()
    tenant, body = company.tenant, msgspec.json.encode(media["example"])
    scope = HTTPScope(
        type="http", method="POST", scheme="http", path=operation.path, query_string=b"", headers=[], client=None
    )

    async def create_and_roll_back() -> None:
        async with JoinedTransactions(tenant):
            await operation.handler(Request(tenant, operation, {"client_id": company.client_id}, {}, {}, scope, body))
            raise RolledBack

    with suppress(RolledBack):
        company.runner.run(create_and_roll_back())
