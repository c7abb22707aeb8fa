"""`updated_since`: a copy that follows the changes of a list ends equal to the list, whoever writes meanwhile."""

import asyncio
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import httpx
import pytest

from tests.support.company import Company
from tests.support.mirrors import BEGINNING, ClientMirror, ListMirror
from tests.support.problems import assert_problem
from tests.support.random_changes import RandomChanges
from tests.support.running import Service, created

WRITERS, TRANSACTIONS, CHANGES = 4, 50, 10
"""The transactions of each writer, and the changes of each transaction."""
RANDOM_CHANGES = 2000


@pytest.fixture
def points(company: Company) -> ListMirror:
    """A copy of the pay points of a company."""
    return ListMirror(company.member.get, f"/clients/{company.id}/pay_points")


@contextmanager
def open_transaction(service: Service, statement: str, *arguments: Any) -> Iterator[None]:
    """A transaction that has run a statement and commits at the end of the block."""
    run = service.runner.run
    connection = run(asyncpg.connect(**(service.database.login or {})))
    transaction = connection.transaction()
    try:
        run(transaction.start())
        run(connection.execute(statement, *arguments))
        yield
        run(transaction.commit())
    finally:
        run(connection.close())


def test_only_what_changed_is_returned_and_deletions_are_tombstones(company: Company, points: ListMirror) -> None:
    member = company.member
    first, second = (member.new_pay_point(company.id, name=name) for name in ("Office", "Warehouse"))
    points.follow()
    assert points.read_ids == [first, second]
    points.follow()
    assert points.read_ids == []
    member.patch(f"/pay_points/{first}", {"name": "Head office"})
    member.delete(f"/pay_points/{second}")
    points.follow()
    assert points.read_ids == [first, second]
    assert points.records == points.source()


def test_a_change_that_commits_late_is_not_missed(company: Company, points: ListMirror) -> None:
    member = company.member
    early, late = (member.new_pay_point(company.id, name=name) for name in ("Early", "Late"))
    points.follow()
    statement = "UPDATE gaji.pay_points SET name = 'Changed', updated_at = now() WHERE id = $1"
    with open_transaction(member.service, statement, early):
        member.patch(f"/pay_points/{late}", {"name": "Later"})
        points.follow()
        assert points.read_ids == []  # The later change waits for the earlier one.
    points.follow()
    assert points.read_ids == [early, late]
    assert points.records == points.source()


def test_an_employee_changes_with_its_periods(company: Company) -> None:
    mirror = ListMirror(company.member.get, company.people, per_page=1)
    employee_id, other_id = company.hire(), company.hire()
    mirror.follow()
    assert mirror.read_ids == [employee_id, other_id]
    wave_id = company.wave(frequency="weekly", first_end_date="2024-01-05")
    company.leave(other_id)
    assert company.patch(employee_id, wave_id=wave_id).status_code == 200
    mirror.follow()
    assert mirror.read_ids == [other_id, employee_id]
    assert company.act(other_id, "reinstate", appointment_date="2025-09-01").status_code == 200
    assert company.member.delete(f"/employees/{employee_id}").status_code == 200
    mirror.follow()
    assert mirror.read_ids == [other_id, employee_id]
    assert mirror.records == mirror.source()
    assert mirror.records[other_id]["appointment_date"] == "2025-09-01"


def test_runs_that_are_not_finalised_are_always_returned(company: Company) -> None:
    member, employee_id = company.member, company.hire(appointment_date="2026-01-01")
    runs = f"/clients/{company.id}/payment_runs"
    run_id = created(member.post(runs, {"wave_id": company.wave_id, "period_end_date": "2026-01-31"}))
    mirror = ListMirror(member.get, runs)
    mirror.follow()
    details = {"pay_type": "monthly", "fixed_amount": "4000"}
    body = {"calc_type": "basic_salary", "calculation_details": details}
    created(member.post(f"/employees/{employee_id}/calculations", body))
    mirror.follow()
    assert mirror.read_ids == [run_id]
    assert mirror.records == mirror.source()
    assert mirror.records[run_id]["total"] > 0
    assert member.post(f"/payment_runs/{run_id}/finalise").status_code == 200
    mirror.follow()
    mirror.follow()
    assert (mirror.read_ids, mirror.records) == ([], mirror.source())


def test_clients_are_followed(company: Company) -> None:
    member = company.member
    mirror = ListMirror(member.get, "/clients", per_page=1)
    other_id = member.new_client()
    mirror.follow()
    assert mirror.read_ids == [company.id, other_id]
    member.patch(f"/clients/{company.id}", {"metadata": {"team": "A"}})
    mirror.follow()
    assert mirror.read_ids == [company.id]
    assert mirror.records == mirror.source()


def test_a_client_that_becomes_visible_is_a_change(company: Company) -> None:
    member = company.member
    colleague = member.colleague(company.id, "viewer")
    mirror = ListMirror(colleague.get, "/clients")
    mirror.follow()
    other_id = member.new_client()
    mirror.follow()
    assert mirror.read_ids == []
    [user] = member.service.as_owner(
        "SELECT user_id FROM memberships WHERE client_id = $1 AND role = 'viewer'", company.id
    )
    insert = "INSERT INTO memberships (client_id, user_id, role) VALUES ($1, $2, 'viewer')"
    member.service.as_owner(insert, other_id, user["user_id"])
    mirror.follow()
    assert mirror.read_ids == [other_id]


def test_calculations_of_a_client_change_with_their_accounts_and_items(company: Company) -> None:
    member, client = company.member, f"/clients/{company.id}"
    item = {"name": "Meals", "kind": "income", "input": "per_employee"}
    item_id = created(member.post(f"{client}/calculation_definitions", item))
    body = {"calculation_details": {"amount": "90.00"}}
    custom_id = created(member.post(f"{client}/calculations", body | {"calc_type": item_id}))
    bonus_id = created(member.post(f"{client}/calculations", body | {"calc_type": "annual_bonus"}))
    mirror = ListMirror(member.get, f"{client}/calculations")
    mirror.follow()
    assert mirror.read_ids == [custom_id, bonus_id]
    created(member.post(f"/employees/{company.hire()}/calculations", body | {"calc_type": "annual_bonus"}))
    mirror.follow()
    assert mirror.read_ids == []
    accounts = [{"item": "annual_bonus", "debit_account": "Bonuses"}]
    assert member.call("PUT", f"{client}/accounts", json=accounts).status_code == 200
    mirror.follow()
    assert mirror.records == mirror.source()
    assert member.delete(f"/calculations/{bonus_id}").status_code == 200
    mirror.follow()
    assert (mirror.read_ids, mirror.records) == ([bonus_id], mirror.source())


def test_leave_changes_with_types_services_and_payslips(company: Company) -> None:
    member, employee_id = company.member, company.hire(appointment_date="2026-01-01")
    types = {name: int(type_id) for type_id, name in member.get(f"/clients/{company.id}/leave_types").json().items()}
    dates = [{"type_id": types["unpaid_leave"], "date": day} for day in ("2026-01-06", "2026-02-03")]
    early, late = (created(member.post(f"/employees/{employee_id}/leave_days", day)) for day in dates)
    adjustment = {"type_id": types["annual_leave"], "date": "2026-01-06", "days": 1, "reason": "Overtime"}
    created(member.post(f"/employees/{employee_id}/leave_adjustments", adjustment))
    request = {"dates": [dates[0] | {"date": "2026-03-03"}]}
    request_id = created(member.post(f"/employees/{employee_id}/leave_requests", request))
    names = ("leave_days", "leave_adjustments", "leave_requests")
    days, _, requests = mirrors = [ListMirror(member.get, f"/employees/{employee_id}/{name}") for name in names]

    def follow() -> list[list[int]]:
        for mirror in mirrors:
            mirror.follow()
            assert mirror.records == mirror.source()
        return [mirror.read_ids for mirror in mirrors]

    assert follow()[0] == [early, late]
    assert follow() == [[], [], []]
    run = {"wave_id": company.wave_id, "period_end_date": "2026-01-31"}
    run_id = created(member.post(f"/clients/{company.id}/payment_runs", run))
    assert member.post(f"/payment_runs/{run_id}/finalise").status_code == 200
    follow()
    assert days.records[early]["payslip_id"] is not None
    assert member.patch(f"/leave_types/{types['unpaid_leave']}", {"name": "No pay leave"}).status_code == 200
    assert follow()[0] == [early, late]
    assert requests.records[request_id]["dates"][0]["type"] == "No pay leave"
    company.leave(employee_id, "2026-02-01")
    follow()
    assert list(days.records) == [early]


def test_drafts_are_always_returned(company: Company) -> None:
    member, employee_id = company.member, company.hire(appointment_date="2026-01-01")
    mirror = ListMirror(member.get, f"/employees/{employee_id}/payslips", per_page=1)
    mirror.follow()
    [draft_id] = mirror.read_ids
    body = {"calc_type": "annual_bonus", "calculation_details": {"amount": "4000.00"}}
    created(member.post(f"/employees/{employee_id}/calculations", body))
    mirror.follow()
    assert (mirror.read_ids, mirror.records) == ([draft_id], mirror.source())
    run = {"wave_id": company.wave_id, "period_end_date": "2026-01-31"}
    run_id = created(member.post(f"/clients/{company.id}/payment_runs", run))
    for action in ("finalise", "release", "unfinalise"):
        assert member.post(f"/payment_runs/{run_id}/{action}").status_code == 200
        mirror.follow()
        assert mirror.records == mirror.source()
    assert member.delete(f"/payment_runs/{run_id}").status_code == 200
    company.leave(employee_id, "2026-01-15")
    mirror.follow()
    assert mirror.records == mirror.source()


def test_employees_cannot_follow_changes(company: Company) -> None:
    employee_id = company.hire()
    someone = company.member.colleague(company.id, "employee", employee_id)
    for name in ("payslips", "leave_days", "leave_requests", "leave_adjustments"):
        assert someone.get(f"/employees/{employee_id}/{name}").status_code == 200
        assert_problem(someone.get(f"/employees/{employee_id}/{name}?updated_since={BEGINNING}"), 403)


def test_waves_are_followed_in_the_simplified_form_too(company: Company) -> None:
    path = f"/clients/{company.id}/waves?format=simplified"
    assert company.member.get(f"{path}&updated_since={BEGINNING}").json() == company.member.get(path).json()


def test_an_instant_leaves_out_earlier_changes(company: Company, points: ListMirror) -> None:
    member = company.member
    member.new_pay_point(company.id, name="Office")
    later = member.new_pay_point(company.id, name="Warehouse")
    points.position = member.get(points.path).json()[1]["pay_point"]["updated_at"]
    points.per_page = 1
    points.follow()
    assert points.read_ids == [later]


@pytest.mark.parametrize(
    ("query", "path", "code"),
    [
        ("updated_since=", "updated_since", "not_a_position"),
        ("updated_since=2026-03-31", "updated_since", "not_a_position"),
        ("updated_since=0001-01-01T00:00:00%2B08:00", "updated_since", "not_a_position"),
        ("updated_since=c_zzz", "updated_since", "not_a_position"),
        ("updated_since=c_WyJhIiwxLDEsbnVsbF0", "updated_since", "cursor_expired"),
        (f"updated_since={BEGINNING}&page=2", "page", "not_with_updated_since"),
        (f"updated_since={BEGINNING}&ids=1", "ids", "not_with_updated_since"),
    ],
)
def test_positions_and_combinations_that_are_not_valid_are_rejected(
    company: Company, query: str, path: str, code: str
) -> None:
    problem = assert_problem(company.member.get(f"/clients/{company.id}/pay_points?{query}"), 422)
    assert [(error["path"], error["code"]) for error in problem["error_details"]] == [(path, code)]


def test_changes_of_another_tenant_are_not_found(company: Company) -> None:
    stranger = company.member.service.new_account()
    assert_problem(stranger.get(f"{company.people}?updated_since={BEGINNING}"), 404)


def test_sparse_fields_apply_to_changes(company: Company) -> None:
    employee_id = company.hire()
    response = company.member.get(f"{company.people}?updated_since={BEGINNING}&fields=id")
    assert response.json() == [{"employee": {"id": employee_id}}]


def test_changes_of_another_server_are_adopted(company: Company, points: ListMirror) -> None:
    member = company.member
    point_id = member.new_pay_point(company.id, name="Office")
    service = member.service
    service.as_owner("UPDATE last_changes SET transaction = 1::bigint << 60 WHERE client_id = $1", company.id)
    points.follow()
    assert points.read_ids == []
    service.as_owner("SELECT adopt_last_changes()")
    points.position = BEGINNING
    points.follow()
    assert points.read_ids == [point_id]


def test_a_mirror_is_equal_after_2000_changes_by_concurrent_writers(company: Company, points: ListMirror) -> None:
    login = company.member.service.database.login or {}
    points.per_page = 37
    writers = threading.Thread(target=lambda: asyncio.run(_write_all(login, company.id)))
    writers.start()
    while writers.is_alive():
        points.follow()
    points.follow()
    assert points.records == points.source()
    [changed] = company.member.service.as_owner(
        "SELECT count(DISTINCT transaction) AS transactions, count(deleted_at) AS deleted FROM last_changes "
        "WHERE client_id = $1 AND resource = 'pay_point'",
        company.id,
    )
    assert changed["transactions"] > WRITERS
    assert changed["deleted"] > 0


def test_mirrors_of_all_lists_and_of_the_feed_are_equal_after_2000_random_changes(company: Company) -> None:
    member = company.member

    def call(method: str, path: str, body: Any) -> httpx.Response:
        return member.call(method, path, json=body)

    changes = RandomChanges(call, company.id, company.wave_id, random.Random(23), bulk_size=40)
    mirror = ClientMirror(member.get, company.id, per_page=37)
    while changes.made < RANDOM_CHANGES:
        changes.make(RANDOM_CHANGES // 8)
        mirror.follow()
    assert mirror.check() > 50


async def _write_all(login: dict[str, Any], client_id: int) -> None:
    await asyncio.gather(*(_write(login, client_id, seed) for seed in range(WRITERS)))


async def _write(login: dict[str, Any], client_id: int, seed: int) -> None:
    """Insert, update and delete pay points at random in transactions of random length, some of which roll back."""
    choose = random.Random(seed)
    point_ids: list[int] = []
    connection = await asyncpg.connect(**login)
    try:
        for number in range(TRANSACTIONS):
            transaction, before = connection.transaction(), list(point_ids)
            await transaction.start()
            for change in range(CHANGES):
                await _change(connection, client_id, choose, point_ids, f"{seed} {number} {change}")
            await asyncio.sleep(choose.random() / 100)
            if choose.random() < 0.1:
                await transaction.rollback()
                point_ids = before
            else:
                await transaction.commit()
    finally:
        await connection.close()


async def _change(
    connection: asyncpg.Connection, client_id: int, choose: random.Random, point_ids: list[int], name: str
) -> None:
    action = choose.random()
    if not point_ids or action < 0.3:
        insert = "INSERT INTO gaji.pay_points (client_id, name) VALUES ($1, $2) RETURNING id"
        point_ids.append(await connection.fetchval(insert, client_id, name))
    elif action < 0.8:
        update = "UPDATE gaji.pay_points SET name = $2, updated_at = now() WHERE id = $1"
        await connection.execute(update, choose.choice(point_ids), name)
    else:
        deleted_id = point_ids.pop(choose.randrange(len(point_ids)))
        await connection.execute("DELETE FROM gaji.pay_points WHERE id = $1", deleted_id)
