"""Idempotency-Key: a write that is sent twice takes effect once."""

import asyncio
import hashlib
import secrets
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import asyncpg
import httpx
import pytest

from gaji.core.vault import SealedCell
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member, Service

REPLAYED = "idempotent-replayed"


def key() -> dict[str, str]:
    """A header with a new key."""
    return {"Idempotency-Key": secrets.token_hex(8)}


def clients(member: Member) -> int:
    return len(member.get("/clients").json())


@contextmanager
def constraint(service: Service, table: str, check: str) -> Iterator[None]:
    """Add a constraint that makes a write fail unexpectedly."""
    service.as_owner(f"ALTER TABLE {table} ADD CONSTRAINT fault CHECK ({check}) NOT VALID")
    try:
        yield
    finally:
        service.as_owner(f"ALTER TABLE {table} DROP CONSTRAINT fault")


def test_the_same_key_with_the_same_request_replays_the_stored_response(account: Member) -> None:
    once = key()
    first = account.post("/clients", {"name": "Kopi", "nmae": 1}, headers=once)
    again = account.post("/clients", {"name": "Kopi", "nmae": 1}, headers=once)
    assert first.status_code == again.status_code == 200
    assert again.content == first.content
    assert again.headers["content-type"] == first.headers["content-type"]
    assert REPLAYED not in first.headers
    assert again.headers[REPLAYED] == "true"
    assert again.headers["x-request-id"] != first.headers["x-request-id"]
    assert clients(account) == 1


def test_without_a_key_the_same_request_happens_twice(account: Member) -> None:
    account.new_client()
    account.new_client()
    assert clients(account) == 2


def test_the_same_key_with_a_different_request_is_a_validation_failure(account: Member) -> None:
    once = key()
    account.post("/clients", {"name": "Kopi"}, headers=once)
    response = account.post("/clients", {"name": "Teh"}, headers=once)
    assert field_errors(response) == {"Idempotency-Key": "was already used with a different request"}
    assert clients(account) == 1


def test_both_base_paths_and_the_trailing_slash_are_one_path_for_a_key(account: Member) -> None:
    once = key()
    first = account.post("/clients", {"name": "Kopi"}, headers=once)
    for where in ("/v1/clients/", "/api/v1/clients", "/api/v1/clients/"):
        headers = {"Authorization": account.key, "Content-Type": "application/json", **once}
        address = account.service.url + where
        again = account.service.http.post(address, content=first.request.content, headers=headers)
        assert again.content == first.content
    assert clients(account) == 1


def test_a_key_is_scoped_to_the_path(account: Member) -> None:
    once = key()
    one, other = account.new_client(), account.new_client()
    for client_id in (one, other):
        response = account.post(f"/clients/{client_id}/pay_points", {"name": "Warehouse"}, headers=once)
        assert REPLAYED not in response.headers
    assert len(account.get(f"/clients/{other}/pay_points").json()) == 1


def test_a_key_is_scoped_to_the_method(account: Member) -> None:
    once = key()
    pay_point_id = account.new_pay_point(account.new_client())
    assert account.patch(f"/pay_points/{pay_point_id}", {"name": "Depot"}, headers=once).status_code == 200
    response = account.delete(f"/pay_points/{pay_point_id}", headers=once)
    assert response.json() == {"message": "The pay point has been deleted"}


def test_a_key_is_scoped_to_the_user(account: Member, service: Service) -> None:
    once = key()
    account.post("/clients", {"name": "Kopi"}, headers=once)
    response = service.new_account().post("/clients", {"name": "Kopi"}, headers=once)
    assert response.status_code == 200
    assert REPLAYED not in response.headers


def test_two_api_keys_of_one_user_share_the_scope(account: Member) -> None:
    once = key()
    first = account.post("/clients", {"name": "Kopi"}, headers=once)
    again = account.with_another_key().post("/clients", {"name": "Kopi"}, headers=once)
    assert again.content == first.content


def test_a_delete_is_replayed_although_the_record_is_gone(account: Member) -> None:
    once = key()
    pay_point_id = account.new_pay_point(account.new_client())
    first = account.delete(f"/pay_points/{pay_point_id}", headers=once)
    assert account.delete(f"/pay_points/{pay_point_id}", headers=once).content == first.content
    assert_problem(account.delete(f"/pay_points/{pay_point_id}"), 404)


def test_while_the_first_is_still_running_the_second_gets_409_with_retry_after(account: Member) -> None:
    once = key()
    client_id = account.new_client()
    where = f"/clients/{client_id}"
    with ThreadPoolExecutor() as threads:
        with account.service.holding("SELECT FROM clients WHERE id = $1 FOR UPDATE", client_id):
            first = threads.submit(account.patch, where, {"name": "Teh"}, headers=once)
            account.service.wait_until_blocked()
            second = account.patch(where, {"name": "Teh"}, headers=once)
            assert "still running" in assert_problem(second, 409)["message"]
            assert int(second.headers["retry-after"]) >= 1
        assert first.result().status_code == 200
    third = account.patch(where, {"name": "Teh"}, headers=once)
    assert third.content == first.result().content
    assert third.headers[REPLAYED] == "true"


def test_of_many_concurrent_requests_exactly_one_takes_effect(account: Member) -> None:
    once = key()
    with ThreadPoolExecutor(12) as threads:
        responses = list(threads.map(lambda _: account.post("/clients", {"name": "Kopi"}, headers=once), range(24)))
    assert {response.status_code for response in responses} <= {200, 409}
    assert len({response.json()["id"] for response in responses if response.status_code == 200}) == 1
    assert clients(account) == 1


def test_a_4xx_response_is_stored_and_replayed(account: Member) -> None:
    once = key()
    client_id = account.new_client()
    taken = account.new_pay_point(client_id, name="Warehouse")
    where = f"/clients/{client_id}/pay_points"
    first = account.post(where, {"name": "Warehouse"}, headers=once)
    assert list(field_errors(first)) == ["name"]
    account.delete(f"/pay_points/{taken}")
    again = account.post(where, {"name": "Warehouse"}, headers=once)
    assert again.status_code == 422
    assert again.content == first.content
    assert again.headers["content-type"] == "application/problem+json"
    assert again.headers[REPLAYED] == "true"
    assert account.get(where).json() == []


def test_broken_json_is_stored_and_replayed(account: Member) -> None:
    once = key()
    first = account.call("POST", "/clients", content=b"{", headers=once)
    again = account.call("POST", "/clients", content=b"{", headers=once)
    assert_problem(first, 400)
    assert again.content == first.content


def test_a_409_response_is_not_stored(account: Member) -> None:
    once = key()
    pay_point_id = account.new_pay_point(account.new_client())
    service = account.service
    service.as_owner(
        "CREATE TABLE users_of_places AS SELECT client_id, id AS pay_point_id FROM pay_points WHERE id = $1",
        pay_point_id,
    )
    try:
        service.as_owner("ALTER TABLE users_of_places ADD FOREIGN KEY (client_id, pay_point_id) REFERENCES pay_points")
        assert_problem(account.delete(f"/pay_points/{pay_point_id}", headers=once), 409)
    finally:
        service.as_owner("DROP TABLE users_of_places")
    response = account.delete(f"/pay_points/{pay_point_id}", headers=once)
    assert response.status_code == 200
    assert REPLAYED not in response.headers


def test_a_5xx_response_is_not_stored_and_nothing_is_saved(account: Member) -> None:
    once = key()
    before = account.service.fingerprint()
    with constraint(account.service, "clients", "name <> 'Fault'"):
        assert_problem(account.post("/clients", {"name": "Fault"}, headers=once), 500)
    assert account.service.fingerprint() == before
    response = account.post("/clients", {"name": "Fault"}, headers=once)
    assert response.status_code == 200
    assert REPLAYED not in response.headers


def test_the_effect_and_its_stored_response_are_one_transaction(account: Member) -> None:
    before = account.service.fingerprint()
    with constraint(account.service, "idempotent_answers", "idempotency_key <> 'fault'"):
        response = account.post("/clients", {"name": "Kopi"}, headers={"Idempotency-Key": "fault"})
    assert_problem(response, 500)
    assert account.service.fingerprint() == before
    client_id = account.post("/clients", {"name": "Kopi"}, headers={"Idempotency-Key": "fault"}).json()["id"]
    rows = account.service.as_owner(
        "SELECT DISTINCT xmin::text FROM clients WHERE id = $1 "
        "UNION SELECT xmin::text FROM idempotent_answers WHERE idempotency_key = 'fault'",
        client_id,
    )
    assert len(rows) == 1


@pytest.mark.parametrize("length", [1, 255])
def test_a_key_of_up_to_255_characters_is_honoured(account: Member, length: int) -> None:
    once = {"Idempotency-Key": "k" * length}
    first = account.post("/clients", {"name": "Kopi"}, headers=once)
    assert first.status_code == 200
    assert account.post("/clients", {"name": "Kopi"}, headers=once).content == first.content


@pytest.mark.parametrize("text", ["k" * 256, "", "tab\tinside"])
def test_any_other_key_is_a_validation_failure(account: Member, text: str) -> None:
    response = account.post("/clients", {"name": "Kopi"}, headers={"Idempotency-Key": text})
    assert field_errors(response) == {"Idempotency-Key": "must be 1 to 255 printable characters"}
    assert clients(account) == 0


def test_a_read_ignores_the_idempotency_key(account: Member) -> None:
    once = key()
    assert account.get("/clients", headers=once).json() == []
    account.new_client()
    assert len(account.get("/clients", headers=once).json()) == 1
    assert _stored(account.service, once) == []


def test_the_digest_of_the_request_and_the_response_are_kept_encrypted(account: Member) -> None:
    once = key()
    response = account.post("/clients", {"name": "Kopi Very Secret", "Very Secret": 1}, headers=once)
    assert "Very Secret" in response.text
    [row] = _stored(account.service, once)
    digest = hashlib.sha256(response.request.content).digest()
    assert digest not in row["request_sealed"]
    cell = SealedCell(0, "idempotent_answers", row["id"], "request_sealed")
    assert account.service.vault.open_bytes(row["request_sealed"], cell) == digest
    assert b"Secret" not in row["answer_sealed"]
    assert b"message" not in row["answer_sealed"]
    assert set(row) == {
        "id",
        "user_id",
        "method",
        "path",
        "idempotency_key",
        "limited_key_id",
        "request_sealed",
        "status",
        "answer_sealed",
        "created_at",
    }


def test_a_key_is_honoured_for_24_hours_and_no_longer(account: Member) -> None:
    once = key()
    first = account.post("/clients", {"name": "Kopi"}, headers=once)
    _age(account.service, once, "23 hours 59 minutes")
    assert account.post("/clients", {"name": "Kopi"}, headers=once).content == first.content
    _age(account.service, once, "24 hours 1 second")
    third = account.post("/clients", {"name": "Teh"}, headers=once)
    assert third.status_code == 200
    assert third.json()["id"] != first.json()["id"]
    assert account.post("/clients", {"name": "Teh"}, headers=once).content == third.content


def test_the_worker_deletes_responses_older_than_24_hours(account: Member) -> None:
    old, young = key(), key()
    for once in (old, young):
        account.post("/clients", {"name": "Kopi"}, headers=once)
    _age(account.service, old, "25 hours")

    async def forget() -> Any:
        connection = await asyncpg.connect(**account.service.database.as_application("test"))
        try:
            return await connection.fetchval("SELECT forget_old_answers()")
        finally:
            await connection.close()

    assert asyncio.run(forget()) == 1
    assert _stored(account.service, old) == []
    assert len(_stored(account.service, young)) == 1


def test_a_replay_needs_an_active_key_that_may_write(account: Member) -> None:
    once = key()
    account.post("/clients", {"name": "Kopi"}, headers=once)
    reader = account.with_another_key(read_only=True)
    assert_problem(reader.post("/clients", {"name": "Kopi"}, headers=once), 403)
    assert_problem(account.post("/clients", {"name": "Kopi"}, headers={**once, "Authorization": None}), 401)


def _stored(service: Service, once: dict[str, str]) -> list[Any]:
    return service.as_owner(
        "SELECT * FROM idempotent_answers WHERE idempotency_key = $1", httpx.Headers(once)["idempotency-key"]
    )


def _age(service: Service, once: dict[str, str], age: str) -> None:
    service.as_owner(
        f"UPDATE idempotent_answers SET created_at = now() - interval '{age}' WHERE idempotency_key = $1",
        once["Idempotency-Key"],
    )


@pytest.mark.parametrize("arrived", [b"", b'{"name":', b'{"name":"Kopi"}'])
def test_an_upload_that_was_cut_off_does_nothing_and_leaves_the_key_free(account: Member, arrived: bytes) -> None:
    once = key()
    host, port = account.service.url.removeprefix("http://").split(":")
    head = (
        f"POST /v1/clients HTTP/1.1\r\nHost: {host}\r\nAuthorization: {account.key}\r\n"
        f"Idempotency-Key: {once['Idempotency-Key']}\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n"
    )
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode() + arrived)
    time.sleep(0.3)
    assert clients(account) == 0
    retried = account.post("/clients", {"name": "Kopi"}, headers=once)
    assert retried.status_code == 200
    assert REPLAYED not in retried.headers
    assert clients(account) == 1


def test_a_key_limited_to_some_clients_repeats_only_its_own_answers(account: Member) -> None:
    seen, hidden = account.new_client(), account.new_client()
    limited = account.with_another_key(client_ids=[seen])
    once = key()
    body = {"name": "Depot"}
    assert account.post(f"/clients/{hidden}/pay_points", body, headers=once).status_code == 200
    assert_problem(limited.post(f"/clients/{hidden}/pay_points", body, headers=once), 404)
    assert_problem(limited.post(f"/clients/{hidden}/pay_points", {"name": "Other"}, headers=key()), 404)
