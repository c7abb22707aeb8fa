"""GET /clients"""

import httpx

from tests.support.running import Member


def test_it_works(account: Member) -> None:
    client_id = account.new_client(name="Kopi Trading")
    answer = account.get("/clients/")
    assert answer.status_code == 200
    [element] = answer.json()
    assert element["client"]["id"] == client_id
    assert element["client"]["name"] == "Kopi Trading"


def test_both_base_paths_answer_the_same(account: Member) -> None:
    account.new_client()
    alias = httpx.get(f"{account.service.url}/api/v1/clients", headers={"Authorization": account.key})
    assert alias.json() == account.get("/clients/").json()


def test_a_new_account_has_none(account: Member) -> None:
    assert account.get("/clients").json() == []


def test_it_shows_every_client_of_the_account_and_no_other(account: Member) -> None:
    account.service.new_account().new_client()
    ids = [account.new_client() for _ in range(3)]
    assert [element["client"]["id"] for element in account.get("/clients").json()] == ids
