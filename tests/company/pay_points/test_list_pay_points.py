"""GET /clients/:client_id/pay_points and /pay_points/:id"""

from tests.support.problems import assert_problem
from tests.support.running import Member


def test_it_works(account: Member) -> None:
    client_id = account.new_client()
    pay_point_id = account.new_pay_point(
        client_id, name="Warehouse", physical_address={"st_name": "7 Pioneer Sector 1"}
    )
    [element] = account.get(f"/clients/{client_id}/pay_points").json()
    pay_point = element["pay_point"]
    references = {"external_id", "metadata"}
    assert set(pay_point) == references | {"id", "name", "created_at", "updated_at", "client_id", "physical_address"}
    assert (pay_point["id"], pay_point["client_id"], pay_point["name"]) == (pay_point_id, client_id, "Warehouse")
    assert pay_point["physical_address"] == {
        "unit_no": "",
        "complex": "",
        "st_name": "7 Pioneer Sector 1",
        "postal_code": "",
    }
    assert account.get(f"/pay_points/{pay_point_id}").json() == element


def test_it_shows_the_pay_points_of_this_client_only(account: Member) -> None:
    first, other = account.new_client(), account.new_client()
    account.new_pay_point(first)
    assert account.get(f"/clients/{other}/pay_points").json() == []


def test_an_unknown_client_is_not_found_rather_than_empty(account: Member) -> None:
    assert_problem(account.get("/clients/999999999/pay_points"), 404)
