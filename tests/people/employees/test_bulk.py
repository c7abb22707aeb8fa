"""Bulk create of employees: results, errors, and equality with single creates."""

import asyncio
import secrets
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

import msgspec
import pytest

from gaji.company.clients import service as clients
from gaji.core.errors import NotFound, ValidationError
from gaji.core.settings import Settings
from gaji.db.installation import Installation, open_installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo.company import set_up_company
from gaji.demo.people import CompanyContext, EmployeeBody, generate_people
from gaji.identity.repository import insert_account
from gaji.identity.service import find_user
from gaji.people.employees import service
from gaji.people.employees.bulk_create import create_employees

T = TypeVar("T")
TODAY = date(2026, 11, 15)
TABLES = ("employees", "service_periods", "wave_periods", "employee_numbers")
VOLATILE = ("id", "created_at", "updated_at", "employee_id")


@dataclass(frozen=True)
class Company:
    """A client without employees, in its own account."""

    installation: Installation
    runner: asyncio.Runner
    tenant: Tenant
    client_id: int
    facts: CompanyContext

    def people(self, count: int, seed: int = 1) -> list[EmployeeBody]:
        return list(generate_people(seed, count, self.facts))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def create(self, bodies: list[EmployeeBody]) -> list[int]:
        return self.run(create_employees(self.tenant, self.client_id, bodies))

    def refused(self, bodies: list[EmployeeBody]) -> dict[str, str]:
        """Return the errors of a batch that is rejected, after checking that it changed nothing."""
        before = [self.rows(table) for table in TABLES]
        with pytest.raises(ValidationError) as refusal:
            self.create(bodies)
        assert [self.rows(table) for table in TABLES] == before
        return refusal.value.errors.messages()

    def elements(self) -> list[dict[str, Any]]:
        include = {"service_periods", "wave_periods"}
        page = self.run(service.list_employees(self.tenant, self.client_id, include, None))
        return [msgspec.json.decode(element) for element in page.elements]

    def numbers(self) -> list[str]:
        return [element["number"] for element in self.elements()]

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return the client's rows of a table."""
        order = "client_id" if table == "employee_numbers" else "id"
        return [
            msgspec.json.decode(row["row"])
            for row in self.as_owner(
                f"SELECT to_jsonb(t) AS row FROM {table} t WHERE client_id = $1 ORDER BY {order}", self.client_id
            )
        ]

    def as_owner(self, statement: str, *arguments: Any) -> list[Any]:
        async def fetch() -> list[Any]:
            async with self.installation.database.maintenance("test") as connection:
                rows: list[Any] = await connection.fetch(statement, *arguments)
                return rows

        return self.run(fetch())


@pytest.fixture(scope="module")
def installation(settings: Settings) -> Iterator[Installation]:
    with open_installation(settings) as opened:
        yield opened


@pytest.fixture
def company(installation: Installation) -> Iterator[Company]:
    with asyncio.Runner() as runner:
        pool = runner.run(open_pool(installation.database.as_application("test")))
        tenant = runner.run(_tenant(installation, pool))
        client_id, _ = runner.run(
            clients.create_client(
                tenant, {"name": "Kopi Trading", "features": {"custom_wave_names": True, "pay_dates": True}}
            )
        )
        facts = runner.run(set_up_company(tenant, client_id, TODAY))
        yield Company(installation, runner, tenant, client_id, facts)
        runner.run(pool.close())


async def _tenant(installation: Installation, pool: Any) -> Tenant:
    email = f"{secrets.token_hex(6)}@example.com"
    async with installation.database.maintenance() as connection:
        await insert_account(connection, "An account", email, "no password opens this")
    return Tenant(pool, installation.vault, await find_user(installation.database, email))


def test_it_works(company: Company) -> None:
    bodies = company.people(3)
    ids = company.create(bodies)
    elements = company.elements()
    assert [element["id"] for element in elements] == ids == sorted(ids)
    assert [element["first_name"] for element in elements] == [body["first_name"] for body in bodies]
    assert [element["number"] for element in elements] == ["1", "2", "3"]


def test_no_accounts_are_valid(company: Company) -> None:
    assert company.create([]) == []
    assert company.rows("employee_numbers") == []


def test_the_rows_are_those_of_creating_them_one_by_one(company: Company) -> None:
    bodies = company.people(60)
    bodies[4]["number"] = "7"
    many = _saved(company, lambda: company.create(bodies))
    company.as_owner("DELETE FROM employees WHERE client_id = $1", company.client_id)
    company.as_owner("DELETE FROM employee_numbers WHERE client_id = $1", company.client_id)

    def one_by_one() -> None:
        for body in bodies:
            company.run(service.create_employee(company.tenant, company.client_id, body))

    single = _saved(company, one_by_one)
    assert many == single
    assert len(many["employees"]) == len(many["service_periods"]) == len(many["wave_periods"]) == 60


def _saved(company: Company, create: Any) -> dict[str, Any]:
    """Return everything that a create saves, without IDs, timestamps and ciphertexts."""
    (marker,) = company.as_owner("SELECT coalesce(max(id), 0) AS id FROM audit_log")
    create()
    audited = company.as_owner(
        "SELECT action, actor, account_id, before::text, after::text FROM audit_log "
        "WHERE client_id = $1 AND id > $2 ORDER BY action, id",
        company.client_id,
        marker["id"],
    )
    return {
        **{table: [_comparable(row) for row in company.rows(table)] for table in TABLES},
        "elements": [_without(element, VOLATILE) for element in _flattened(company.elements())],
        "audit": [(*list(row.values())[:4], _without(msgspec.json.decode(row["after"]), VOLATILE)) for row in audited],
    }


def _comparable(row: dict[str, Any]) -> dict[str, Any]:
    sealed = [name for name in row if name.endswith("_sealed")]
    return {**_without(row, VOLATILE), **{name: row[name] is not None for name in sealed}}


def _without(row: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _flattened(elements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for element in elements:
        for resource in ("service_period", "wave_period"):
            element[f"{resource}s"] = [_without(wrapped[resource], VOLATILE) for wrapped in element[f"{resource}s"]]
    return elements


def test_every_error_of_every_body_is_named_and_nothing_is_saved(company: Company) -> None:
    bodies = company.people(4)
    bodies[0] |= {"birthdate": "2027-01-01", "wave_id": 999_999_999}
    del bodies[2]["gender"]
    bodies[3]["physical_address"] = {"type": "L", "address_line1": "1 Road"}
    assert company.refused(bodies).keys() == {
        "0.birthdate",
        "0.wave_id",
        "2.gender",
        "3.physical_address.address_line1",
    }


def test_a_duplicate_identifier_is_rejected(company: Company) -> None:
    bodies = company.people(10)
    bodies[2]["nric"] = bodies[0]["nric"].lower()
    bodies[9]["fin"] = bodies[7]["fin"]
    bodies[3]["number"] = bodies[5]["number"] = "K7"
    assert company.refused(bodies) == {
        "2.nric": "duplicates 0.nric",
        "5.number": "duplicates 3.number",
        "9.fin": "duplicates 7.fin",
    }


def test_an_identifier_of_another_employee_is_reported_with_other_errors(company: Company) -> None:
    bodies = company.people(8)
    company.create(bodies)
    others = company.people(8, seed=2)
    others[1]["nric"] = bodies[0]["nric"]
    others[7] |= {"fin": bodies[7]["fin"], "gender": "X"}
    others[3]["number"] = "2"
    assert company.refused(others) == {
        "1.nric": "is the NRIC of another employee of this client",
        "3.number": "is the number of another employee of this client",
        "7.fin": "is the FIN of another employee of this client",
        "7.gender": "must be one of M, F",
    }


def test_numbers_continue_and_skip_those_in_use(company: Company) -> None:
    first, second = company.people(4), company.people(4, seed=2)
    first[0]["number"] = "5"
    company.create(first)
    assert company.numbers() == ["5", "1", "2", "3"]
    second[3]["number"] = "6"
    company.create(second)
    assert company.numbers()[4:] == ["4", "7", "8", "6"]
    _, validated = company.run(service.create_employee(company.tenant, company.client_id, company.people(1, seed=3)[0]))
    assert validated.data.number == "9"


def test_a_client_that_numbers_its_employees_needs_their_numbers(company: Company) -> None:
    mode = {"employee_number_mode": "EMPLOYEE_NUMBER_MANUAL"}
    company.run(clients.update_client(company.tenant, company.client_id, mode))
    bodies = company.people(2)
    bodies[0]["number"] = "A1"
    assert company.refused(bodies).keys() == {"1.number"}
    bodies[1]["number"] = "A2"
    company.create(bodies)
    assert company.numbers() == ["A1", "A2"]


def test_concurrent_batches_get_different_numbers(company: Company) -> None:
    async def both() -> None:
        await asyncio.gather(
            *(create_employees(company.tenant, company.client_id, company.people(25, seed)) for seed in (1, 2, 3))
        )

    company.run(both())
    assert sorted(map(int, company.numbers())) == list(range(1, 76))


def test_of_batches_at_one_moment_with_one_nric_one_is_saved_and_the_others_learn_which_it_was(
    company: Company,
) -> None:
    batches = [company.people(25, seed) for seed in (1, 2, 3)]
    shared = company.people(1, seed=4)[0]["nric"]
    for batch in batches:
        batch[12]["nric"] = shared

    async def all_at_once() -> list[list[int] | BaseException]:
        creating = (create_employees(company.tenant, company.client_id, batch) for batch in batches)
        return await asyncio.gather(*creating, return_exceptions=True)

    answers = company.run(all_at_once())
    refusals = [answer.errors.messages() for answer in answers if isinstance(answer, ValidationError)]
    assert refusals == [{"12.nric": "is the NRIC of another employee of this client"}] * 2
    assert len(company.elements()) == 25


def test_a_client_of_another_account_is_not_found(company: Company) -> None:
    stranger = company.run(_tenant(company.installation, company.tenant._pool))
    with pytest.raises(NotFound):
        company.run(create_employees(stranger, company.client_id, company.people(1)))
    assert company.rows("employees") == []
