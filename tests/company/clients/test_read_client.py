"""GET /clients/:id"""

from tests.support.problems import assert_problem
from tests.support.running import Member


def test_it_works(account: Member) -> None:
    client_id = account.new_client(name="Kopi Trading")
    answer = account.get(f"/clients/{client_id}")
    assert list(answer.json()) == ["client"]
    assert answer.json()["client"]["id"] == client_id


def test_an_unknown_client_is_not_found(account: Member) -> None:
    assert assert_problem(account.get("/clients/999999999"), 404)["message"] == "Client 999999999 does not exist"
