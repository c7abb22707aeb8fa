"""The fingerprint of the database, with which other tests check that a rejected request changes nothing."""

from tests.support.running import Member, Service


def test_it_changes_with_every_committed_change(service: Service, account: Member) -> None:
    client_id = account.new_client()
    before = service.fingerprint()
    assert service.fingerprint() == before
    service.as_owner("UPDATE clients SET name = name WHERE id = $1", client_id)
    updated = service.fingerprint()
    assert {name for name in before if before[name] != updated[name]} >= {"clients"}
    assert account.delete(f"/pay_points/{account.new_pay_point(client_id)}").status_code == 200
    assert service.fingerprint() != updated


def test_it_does_not_change_with_reads(service: Service, account: Member) -> None:
    client_id = account.new_client()
    before = service.fingerprint()
    assert account.get(f"/clients/{client_id}").status_code == 200
    assert service.fingerprint() == before
