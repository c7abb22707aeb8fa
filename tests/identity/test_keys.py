"""API keys: shown once, stored as a keyed hash, limited, overlapping, expiring, revoked."""

import asyncio
import hashlib
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gaji.core.errors import NotFound, ValidationError
from gaji.identity import service as accounts
from gaji.identity.key_format import ALPHABET, PREFIX, generate_key
from gaji.identity.repository import ApiKey
from tests.support.problems import assert_problem
from tests.support.running import Member, Service, running_service

BANK = {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"}


@pytest.fixture(scope="module")
def second_process(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Another server on the same database."""
    with running_service(service.settings, tmp_path_factory.mktemp("second"), arguments=["--no-worker"]) as running:
        yield running


def refused_401(member: Member, **headers: str | bytes | None) -> str:
    response = member.get("/clients", headers=headers)
    message: str = assert_problem(response, 401)["message"]
    assert response.headers["www-authenticate"] == 'ApiKey realm="gaji"'
    return message


def key_id(member: Member) -> int:
    rows = member.service.as_owner(
        "SELECT id FROM api_keys WHERE key_hash = $1", member.service.vault.api_key_hash(member.key)
    )
    key_id: int = rows[0]["id"]
    return key_id


def revoke(member: Member) -> None:
    asyncio.run(accounts.revoke_key(member.service.database, key_id(member)))


def test_a_request_without_a_key_is_401(account: Member) -> None:
    assert "Authorization header" in refused_401(account, Authorization=None)
    assert "Authorization header" in refused_401(account, Authorization="")


def test_an_unknown_key_is_401(account: Member) -> None:
    assert "not valid" in refused_401(account, Authorization=generate_key())
    assert "not valid" in refused_401(account, Authorization="nonsense")
    assert "not valid" in refused_401(account, Authorization=b"\xe9" * 51)


def test_a_key_may_be_sent_after_bearer(account: Member) -> None:
    assert account.get("/clients", headers={"Authorization": f"Bearer {account.key}"}).status_code == 200
    assert account.get("/clients", headers={"Authorization": f"bearer  {account.key}"}).status_code == 200


def test_a_key_with_another_scheme_is_401_and_the_message_says_why(account: Member) -> None:
    assert "with or without Bearer" in refused_401(account, Authorization=f"Basic {account.key}")
    assert "not valid" in refused_401(account, Authorization="Bearer")


@pytest.mark.parametrize("position", [0, 5, 20, 44, 45, 50])
def test_a_key_with_one_character_changed_is_401(account: Member, position: int) -> None:
    other = "x" if account.key[position] != "x" else "y"
    refused_401(account, Authorization=account.key[:position] + other + account.key[position + 1 :])


def test_a_truncated_or_extended_key_is_401(account: Member) -> None:
    refused_401(account, Authorization=account.key[:-1])
    refused_401(account, Authorization=account.key + "0")
    refused_401(account, Authorization=account.key.upper())


def test_a_revoked_key_is_401_from_the_next_request_on(account: Member) -> None:
    assert account.get("/clients").status_code == 200
    revoke(account)
    assert "revoked" in refused_401(account)
    assert_problem(account.post("/clients", {"name": "Kopi"}), 401)


def test_a_revoked_key_is_401_at_once_in_every_process_that_remembers_it(
    account: Member, second_process: Service
) -> None:
    there = replace(account, service=second_process)
    assert account.get("/clients").status_code == there.get("/clients").status_code == 200
    revoke(account)
    for path in ("/clients", "/constants", "/constants/gender", "/clients/1"):
        assert_problem(there.get(path), 401)
        assert_problem(account.get(path), 401)


def test_an_expired_key_is_401(account: Member) -> None:
    expired = account.with_another_key(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    refused_401(expired)


def test_a_key_expires_while_it_is_remembered(account: Member) -> None:
    for lifetime_s in (1, 5, 25):
        expires_at = datetime.now(UTC) + timedelta(seconds=lifetime_s)
        short = account.with_another_key(expires_at=expires_at)
        response = short.get("/clients")
        if datetime.now(UTC) < expires_at:  # otherwise the machine was too busy to use it in time
            break
    assert response.status_code == 200
    time.sleep(max((expires_at - datetime.now(UTC)).total_seconds(), 0) + 0.1)
    refused_401(short)


def test_a_key_with_an_expiry_in_the_future_works(account: Member) -> None:
    later = account.with_another_key(expires_at=datetime.now(UTC) + timedelta(days=1))
    assert later.get("/clients").status_code == 200


def test_the_keys_of_a_user_who_was_disabled_are_401_at_once(account: Member) -> None:
    assert account.get("/clients").status_code == 200
    account.service.as_owner("UPDATE users SET disabled_at = now() WHERE email = $1", account.email)
    refused_401(account)


def test_a_read_only_key_reads_and_is_403_when_it_writes(account: Member) -> None:
    client_id = account.new_client()
    pay_point_id = account.new_pay_point(client_id)
    reader = account.with_another_key(read_only=True)
    assert reader.get(f"/clients/{client_id}").status_code == 200
    before = account.service.fingerprint()
    for response in (
        reader.post("/clients", {"name": "Kopi"}),
        reader.patch(f"/clients/{client_id}", {"name": "Teh"}),
        reader.post(f"/clients/{client_id}/pay_points", {"name": "Depot"}),
        reader.delete(f"/pay_points/{pay_point_id}"),
    ):
        assert "read-only" in assert_problem(response, 403)["message"]
    assert account.service.fingerprint() == before


def test_a_key_limited_to_clients_sees_and_changes_only_them(account: Member) -> None:
    mine, other = account.new_client(name="Mine"), account.new_client(name="Other")
    limited = account.with_another_key(client_ids=[mine])
    assert [element["client"]["id"] for element in limited.get("/clients").json()] == [mine]
    assert limited.patch(f"/clients/{mine}", {"name": "Changed"}).status_code == 200
    assert_problem(limited.get(f"/clients/{other}"), 404)
    assert_problem(limited.patch(f"/clients/{other}", {"name": "Changed"}), 404)
    assert_problem(limited.get(f"/clients/{other}/pay_points"), 404)


def test_a_key_limited_to_clients_cannot_create_others(account: Member) -> None:
    limited = account.with_another_key(client_ids=[account.new_client()])
    before = account.service.fingerprint()
    assert "limited" in assert_problem(limited.post("/clients", {"name": "Kopi"}), 403)["message"]
    assert account.service.fingerprint() == before


def test_a_limited_key_whose_clients_are_taken_away_sees_none_at_once(account: Member) -> None:
    limited = account.with_another_key(client_ids=[account.new_client()])
    assert len(limited.get("/clients").json()) == 1
    account.service.as_owner("DELETE FROM api_key_clients WHERE key_id = $1", key_id(limited))
    assert limited.get("/clients").json() == []


def test_a_key_cannot_be_limited_to_a_client_of_somebody_else(account: Member, service: Service) -> None:
    theirs = service.new_account().new_client()
    with pytest.raises(ValidationError, match="attribute"):
        account.another_key(client_ids=[theirs])


def test_a_key_can_be_made_not_to_see_identifiers(account: Member) -> None:
    client_id = account.new_client(bank_account=BANK)
    hiding = account.with_another_key(hide_identifiers=True)
    for client in (
        hiding.get("/clients").json()[0]["client"],
        hiding.get("/clients?page=1").json()[0]["client"],
        hiding.get(f"/clients/{client_id}").json()["client"],
    ):
        assert client["bank_account"]["account_number"] == "******5678"
    assert account.get(f"/clients/{client_id}").json()["client"]["bank_account"]["account_number"] == "0012345678"


def test_an_identifier_of_four_characters_is_masked_completely(account: Member) -> None:
    client_id = account.new_client(bank_account={**BANK, "account_number": "1234"})
    hiding = account.with_another_key(hide_identifiers=True)
    assert hiding.get(f"/clients/{client_id}").json()["client"]["bank_account"]["account_number"] == "****"


def test_a_masked_identifier_that_is_sent_back_is_not_saved(account: Member) -> None:
    client_id = account.new_client(bank_account=BANK)
    hiding = account.with_another_key(hide_identifiers=True)
    read = hiding.get(f"/clients/{client_id}").json()
    assert_problem(hiding.patch(f"/clients/{client_id}", read), 422)
    assert hiding.patch(f"/clients/{client_id}", {"bank_account": {"branch_code": "002"}}).status_code == 200
    bank = account.get(f"/clients/{client_id}").json()["client"]["bank_account"]
    assert (bank["account_number"], bank["branch_code"]) == ("0012345678", "002")


def test_a_key_has_a_recognisable_prefix_and_a_checksum(account: Member) -> None:
    assert account.key.startswith(PREFIX)
    assert set(account.key.removeprefix(PREFIX)) <= set(ALPHABET)
    assert len(account.key) == 51


def test_a_key_is_stored_only_as_a_keyed_hash(account: Member) -> None:
    service = account.service
    account.get("/clients")
    secret_part = account.key.removeprefix(PREFIX)
    everything = "\n".join(row for rows in service.rows().values() for row in rows)
    assert account.email in everything
    for form in (
        account.key,
        secret_part[:-6],
        account.key.encode().hex(),
        hashlib.sha256(account.key.encode()).hexdigest(),
        hashlib.sha1(account.key.encode(), usedforsecurity=False).hexdigest(),
    ):
        assert form not in everything
    assert service.vault.api_key_hash(account.key).hex() in everything


def test_two_keys_overlap_so_that_one_can_be_rotated(account: Member) -> None:
    successor = account.with_another_key(name="Successor")
    assert account.get("/clients").status_code == successor.get("/clients").status_code == 200
    revoke(account)
    refused_401(account)
    assert successor.get("/clients").status_code == 200


def test_a_key_has_a_name_and_a_last_used_time(account: Member) -> None:
    named = account.with_another_key(name="Accounting export", read_only=True)
    before = listed(account)["Accounting export"]
    assert before.last_used_at is None
    assert before.hint == named.key[-4:]
    named.get("/clients")
    last_used_at = listed(account)["Accounting export"].last_used_at
    assert last_used_at is not None
    assert abs(datetime.now(UTC) - last_used_at) < timedelta(seconds=30)


def test_a_key_that_was_revoked_cannot_be_revoked_again(account: Member) -> None:
    number = key_id(account)
    revoke(account)
    with pytest.raises(NotFound, match="does not exist or is already revoked"):
        asyncio.run(accounts.revoke_key(account.service.database, number))


def test_a_key_of_an_unknown_user_cannot_be_made(service: Service) -> None:
    with pytest.raises(NotFound, match="No user"):
        service.create_key("nobody@example.com")


def listed(member: Member) -> dict[str, ApiKey]:
    """Return the keys of a member by name."""
    keys = asyncio.run(accounts.list_keys(member.service.database, member.email))
    return {key.name: key for key in keys}
