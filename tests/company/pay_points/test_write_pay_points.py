"""POST /clients/:client_id/pay_points, PATCH and DELETE /pay_points/:id"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member


@pytest.fixture
def client_id(account: Member) -> int:
    return account.new_client()


def names(member: Member, client_id: int) -> list[str]:
    return [element["pay_point"]["name"] for element in member.get(f"/clients/{client_id}/pay_points").json()]


def test_creating_works(account: Member, client_id: int) -> None:
    answer = account.post(f"/clients/{client_id}/pay_points", {"name": "Warehouse"})
    assert answer.json() == {"message": "The pay point has been created", "id": answer.json()["id"]}
    assert names(account, client_id) == ["Warehouse"]


def test_updating_works(account: Member, client_id: int) -> None:
    pay_point_id = account.new_pay_point(client_id, physical_address={"complex": "Ubi Techpark"})
    answer = account.patch(f"/pay_points/{pay_point_id}", {"name": "Depot"})
    assert answer.json() == {"message": "The pay point has been updated", "id": pay_point_id}
    [element] = account.get(f"/clients/{client_id}/pay_points").json()
    assert element["pay_point"]["name"] == "Depot"
    assert element["pay_point"]["physical_address"]["complex"] == "Ubi Techpark"


def test_deleting_works(account: Member, client_id: int) -> None:
    pay_point_id = account.new_pay_point(client_id)
    assert account.delete(f"/pay_points/{pay_point_id}").json() == {"message": "The pay point has been deleted"}
    assert names(account, client_id) == []
    assert_problem(account.delete(f"/pay_points/{pay_point_id}"), 404)
    assert_problem(account.patch(f"/pay_points/{pay_point_id}", {"name": "x"}), 404)


def test_the_wrapper_is_accepted(account: Member, client_id: int) -> None:
    answer = account.post(f"/clients/{client_id}/pay_points", {"pay_point": {"name": "Warehouse"}})
    assert answer.status_code == 200
    pay_point_id = answer.json()["id"]
    assert account.patch(f"/pay_points/{pay_point_id}", {"pay_point": {"name": "Depot"}}).status_code == 200
    assert names(account, client_id) == ["Depot"]


@pytest.mark.parametrize("name", ["Warehouse", "WAREHOUSE"])
def test_a_name_is_unique_in_its_client_whatever_its_capitals(account: Member, client_id: int, name: str) -> None:
    account.new_pay_point(client_id, name="Warehouse")
    other = account.new_pay_point(client_id, name="Depot")
    taken = {"name": f"{name} is already in use"}
    assert field_errors(account.post(f"/clients/{client_id}/pay_points", {"name": name})) == taken
    assert field_errors(account.patch(f"/pay_points/{other}", {"name": name})) == taken
    assert names(account, client_id) == ["Warehouse", "Depot"]


def test_another_client_may_use_the_same_name(account: Member, client_id: int) -> None:
    account.new_pay_point(client_id)
    account.new_pay_point(account.new_client())


def test_a_pay_point_keeps_its_own_name(account: Member, client_id: int) -> None:
    pay_point_id = account.new_pay_point(client_id, name="Warehouse")
    assert account.patch(f"/pay_points/{pay_point_id}", {"name": "warehouse"}).status_code == 200


def test_of_two_concurrent_creates_with_the_same_name_one_is_rejected(account: Member, client_id: int) -> None:
    where = f"/clients/{client_id}/pay_points"
    with ThreadPoolExecutor() as threads:
        answers = list(threads.map(lambda _: account.post(where, {"name": "Warehouse"}), range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [422] * 7
    assert names(account, client_id) == ["Warehouse"]


def test_a_pay_point_needs_a_name(account: Member, client_id: int) -> None:
    assert field_errors(account.post(f"/clients/{client_id}/pay_points", {})) == {"name": "is required"}


def test_a_client_id_in_the_body_does_not_move_it(account: Member, client_id: int) -> None:
    pay_point_id = account.new_pay_point(client_id)
    other = account.new_client()
    assert account.patch(f"/pay_points/{pay_point_id}", {"client_id": other, "name": "Depot"}).status_code == 200
    assert names(account, client_id) == ["Depot"]
    assert names(account, other) == []


def test_a_name_in_use_is_reported_with_all_other_errors(account: Member) -> None:
    client_id = account.new_client()
    account.new_pay_point(client_id, name="Depot")
    answer = account.post(f"/clients/{client_id}/pay_points", {"name": " depot ", "physical_address": {"unit_no": 5}})
    assert set(field_errors(answer)) == {"name", "physical_address.unit_no"}
