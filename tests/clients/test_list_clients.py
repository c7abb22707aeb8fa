"""GET /clients"""

import httpx

from tests.running import Member


def test_it_works(account: Member) -> None:
    with account.http as http:
        created = http.post("/clients", json={"name": "Kopi Trading"})
        assert created.status_code == 200, created.text
        answer = http.get("/clients/")
    assert answer.status_code == 200
    assert [element["client"]["id"] for element in answer.json()] == [created.json()["id"]]


def test_both_base_paths_answer_the_same(account: Member) -> None:
    with account.http as http:
        http.post("/clients", json={"name": "Kopi Trading"})
        plain = http.get("/clients/")
    alias = httpx.get(f"{account.service.url}/api/v1/clients", headers={"Authorization": account.key})
    assert alias.json() == plain.json()
