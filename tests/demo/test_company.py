"""The company of the demo, as the services and the command make it."""

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest

from gaji.company.clients import service as clients
from gaji.company.custom_fields import service as custom_fields
from gaji.company.pay_points import service as pay_points
from gaji.core.errors import NotFound
from gaji.core.settings import Settings
from gaji.db.tenancy import Tenant
from gaji.demo import Demo, Progress, demo
from gaji.demo.people import Facts, people
from gaji.demo.roster import ROSTER
from gaji.identity import service as accounts
from gaji.people.employees import service as employees
from tests.demo.made import TODAY, Company, Heard, made_company
from tests.support.running import as_environment

SEED = 1
COUNT = 60


@pytest.fixture(scope="module")
def company(settings: Settings) -> Iterator[Company]:
    with made_company(settings, SEED, COUNT, months=1) as made:
        yield made


def test_it_works(company: Company) -> None:
    assert len(company.employees()) == COUNT
    assert (company.made.base_path, company.made.email) == ("/v1", "demo1@gaji.example")
    assert company.heard.steps["Employees"] == [(COUNT, COUNT)]
    runs = company.heard.steps["Payment runs"]
    assert runs == [(count, len(runs)) for count in range(1, len(runs) + 1)]
    assert company.heard.there == []


def test_there_is_one_wave_of_each_frequency(company: Company) -> None:
    found = {wave["frequency"]: wave for wave in company.waves()}
    assert found.keys() == {"monthly", "twice_a_month", "fortnightly", "weekly"}
    assert [name for name, wave in found.items() if wave["pay_dates"]["enabled"]] == ["twice_a_month"]
    assert [name for name, wave in found.items() if wave["custom_name"]] == ["weekly"]
    paid = Counter(employee["wave_id"] for employee in company.employees())
    assert paid.keys() == {wave["id"] for wave in found.values()}
    assert paid[found["monthly"]["id"]] > COUNT / 2


def test_the_features_that_the_waves_need_are_on(company: Company) -> None:
    client = msgspec.json.decode(company.runner.run(clients.read_client(company.tenant, company.client_id)))
    assert client["features"]["custom_wave_names"]
    assert client["features"]["pay_dates"]


def test_there_are_three_pay_points_with_people(company: Company) -> None:
    places = company.listed(pay_points.list_pay_points(company.tenant, company.client_id, None))
    assert {place["id"] for place in places} == {employee["pay_point_id"] for employee in company.employees()}
    assert len(places) == 3


def test_some_employees_have_values_in_the_custom_fields(company: Company) -> None:
    fields = company.listed(custom_fields.list_fields(company.tenant, company.client_id, None))
    assert [field["type"] for field in fields] == ["dropdown", "text"]
    having = [employee for employee in company.employees() if employee["custom_fields"]]
    assert 0 < len(having) < COUNT
    assert all(employee["custom_fields"].keys() == {str(field["id"]) for field in fields} for employee in having)


def test_the_people_are_those_of_the_seed_and_the_day(company: Company) -> None:
    fields = company.listed(custom_fields.list_fields(company.tenant, company.client_id, None))
    facts = Facts(
        today=TODAY,
        waves={wave["frequency"]: wave["id"] for wave in company.waves()},
        pay_points=sorted({employee["pay_point_id"] for employee in company.employees()}),
        uniform_field=fields[0]["id"],
        uniform_sizes=[option["id"] for option in fields[0]["options"]],
        locker_field=fields[1]["id"],
    )
    came_back = [archetype.case for archetype in ROSTER].index("Left and came back, works three days a week")
    for index, (saved, body) in enumerate(zip(company.employees(), people(SEED, COUNT, facts), strict=True)):
        compared = {name: value for name, value in body.items() if name not in ("custom_fields", "physical_address")}
        if index == came_back:
            del compared["appointment_date"]
        assert {name: saved[name] for name in compared} == compared


def test_leavers_left_for_different_reasons(company: Company) -> None:
    ended = [
        (period["termination_code"], period["attribs"]["ir21"], period["end_date"])
        for employee in company.employees("service_periods")
        for one in employee["service_periods"]
        if (period := one["service_period"])["end_date"]
    ]
    assert sorted(ended) == [
        (1, False, "2026-03-31"),
        (1, False, "2026-09-14"),
        (3, False, "2026-07-09"),
        (4, False, "2026-12-31"),
        (5, True, "2026-10-31"),
        (6, False, "2026-10-31"),
    ]


def test_one_employee_came_back(company: Company) -> None:
    twice = [employee for employee in company.employees("service_periods") if len(employee["service_periods"]) > 1]
    (employee,) = twice
    first, second = (one["service_period"] for one in employee["service_periods"])
    assert (first["end_date"], second["start_date"], second["end_date"]) == ("2026-03-31", "2026-06-01", None)


def test_making_it_again_keeps_the_company_and_gives_another_key(company: Company) -> None:
    before = company.employees()
    heard = Heard()
    again = company.run(demo(company.installation, SEED, 200, 5, heard))
    assert (again.client_id, again.email, again.password) == (
        company.client_id,
        company.made.email,
        company.made.password,
    )
    assert again.api_key != company.made.api_key
    assert (heard.there, heard.steps) == ([COUNT], {})
    assert company.employees() == before


def test_another_seed_makes_an_account_that_sees_nothing_of_the_first(company: Company) -> None:
    made = company.runner.run(demo(company.installation, 2, 30))
    caller = company.runner.run(accounts.find_user(company.installation.database, made.email))
    other = Tenant(company.tenant._pool, company.installation.vault, caller)
    assert [client["id"] for client in company.listed(clients.list_clients(other, None))] == [made.client_id]
    with pytest.raises(NotFound):
        company.runner.run(employees.list_employees(other, company.client_id, set(), None))
    with pytest.raises(NotFound):
        company.runner.run(employees.read_employee(other, company.employees()[0]["id"]))
    theirs = company.listed(employees.list_employees(other, made.client_id, set(), None))
    assert len(theirs) == 30
    assert not {one["id"] for one in theirs} & {one["id"] for one in company.employees()}


def test_two_commands_at_one_moment_make_one_company(company: Company) -> None:
    async def both() -> list[Demo]:
        return await asyncio.gather(*(demo(company.installation, 3, 5) for _ in range(2)))

    one, other = company.runner.run(both())
    assert one.client_id == other.client_id


@pytest.mark.parametrize("after", ["Employees", "Payment runs"])
def test_a_company_whose_making_was_cut_short_is_finished_by_the_next_command(company: Company, after: str) -> None:
    class CutShort(Progress):
        def made(self, what: str, count: int, of: int) -> None:
            if what == after and count >= of // 2:
                raise RuntimeError("cut short")

    seed = {"Employees": 4, "Payment runs": 5}[after]
    with pytest.raises(RuntimeError, match="cut short"):
        company.run(demo(company.installation, seed, 25, 1, CutShort()))
    heard = Heard()
    finished = company.run(demo(company.installation, seed, 25, 1, heard))
    assert heard.there == []
    assert _runs_and_payslips(company, finished) == _runs_and_payslips(company, company.made, places=25)


def _runs_and_payslips(company: Company, made: Demo, places: int = 25) -> tuple[int, int]:
    """How many runs there are, all finalised and released, and how many payslips the first people have."""

    async def count() -> tuple[int, int]:
        async with company.installation.database.maintenance("test") as connection:
            runs = await connection.fetch(
                "SELECT finalised AND released FROM payment_runs WHERE client_id = $1", made.client_id
            )
            assert all(done for (done,) in runs)
            payslips = await connection.fetchval(
                "SELECT count(*) FROM payslips WHERE client_id = $1 AND NOT withdrawn AND NOT dirty AND employee_id IN "
                "(SELECT id FROM employees WHERE client_id = $1 ORDER BY id LIMIT $2)",
                made.client_id,
                places,
            )
            return len(runs), payslips

    return company.run(count())


def test_the_command_run_twice_prints_the_same_company(settings: Settings) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gaji.cli.main", "demo", "--seed", "7", *arguments],
            env={"GAJI_TODAY": TODAY.isoformat(), **as_environment(settings)},
            capture_output=True,
            text=True,
            check=True,
        )

    first, second = run("--employees", "30", "--json"), run("--employees", "40", "--json")
    made, again = msgspec.json.decode(first.stdout), msgspec.json.decode(second.stdout)
    assert list(made) == ["base_path", "api_key", "client_id", "email", "password"]
    assert {**made, "api_key": ""} == {**again, "api_key": ""}
    assert first.stderr == ""
    assert "was there already, with 30 employees" in second.stderr
    assert made["password"] in run("--employees", "30").stdout
