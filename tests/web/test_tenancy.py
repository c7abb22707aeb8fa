"""Tenancy over HTTP: every operation, called with another tenant's key and with none."""

import pytest

from gaji.app import OPERATIONS
from gaji.web.operations import Operation
from tests.support.case_tables import for_every
from tests.support.problems import assert_problem
from tests.support.running import Member, Service
from tests.web.every_operation import (
    MARK,
    READS,
    TABLE,
    WRITES,
    Foreign,
    TenantRecords,
    Writer,
    path,
    sent,
    title,
)

pytestmark = pytest.mark.slow

every_operation = for_every("operation", OPERATIONS, title)


@pytest.fixture(scope="module")
def stranger(service: Service) -> Member:
    """A user of another account."""
    return service.new_account()


@pytest.fixture(scope="module")
def limited(tenant: TenantRecords) -> Member:
    """A user of the tenant, with a key that is limited to another client."""
    return tenant.member.with_another_key(client_ids=[tenant.member.new_client(name="The other one")])


def test_every_operation_is_in_the_table() -> None:
    assert [title(operation) for operation in OPERATIONS] == list(TABLE)


@every_operation
def test_without_a_key_nothing_is_served_and_nothing_changes(tenant: TenantRecords, operation: Operation) -> None:
    account, ids = tenant.member, tenant.ids
    before = account.service.fingerprint()
    request = sent(operation, ids)
    headers = {**request.pop("headers", {}), "Authorization": None}
    response = account.call(operation.method, path(operation, ids), headers=headers, **request)
    assert_problem(response, 401)
    assert account.service.fingerprint() == before


@every_operation
def test_another_tenant_neither_sees_nor_changes_anything(
    tenant: TenantRecords, stranger: Member, operation: Operation
) -> None:
    account, ids = tenant.member, tenant.ids
    service = account.service
    row = TABLE[title(operation)]
    if row.foreign is Foreign.NOT_FOUND:
        versions = service.fingerprint()
        response = stranger.call(operation.method, path(operation, ids), **sent(operation, ids))
        assert MARK not in response.text
        assert_problem(response, 404)
        assert service.fingerprint() == versions
        return
    clients, before = account.get("/clients").text, service.rows()
    response = stranger.call(operation.method, path(operation, ids), **sent(operation, ids))
    assert MARK not in response.text
    assert response.status_code == 200
    after = service.rows()
    assert all(set(rows) <= set(after[table]) for table, rows in before.items())
    assert account.get("/clients").text == clients


@every_operation
def test_a_key_limited_to_another_client_of_the_account_gets_the_same_as_a_stranger(
    tenant: TenantRecords, limited: Member, operation: Operation
) -> None:
    account, ids = tenant.member, tenant.ids
    before = account.service.fingerprint()
    row = TABLE[title(operation)]
    response = limited.call(operation.method, path(operation, ids), **sent(operation, ids))
    assert MARK not in response.text
    if row.foreign is Foreign.NOT_FOUND:
        assert_problem(response, 404)
    else:
        assert response.status_code == (403 if operation.writes else 200)
    assert account.service.fingerprint() == before


@for_every("operation", READS, title)
def test_the_tenant_itself_is_shown_its_records(tenant: TenantRecords, operation: Operation) -> None:
    response = tenant.member.call(operation.method, path(operation, tenant.ids), **sent(operation, tenant.ids))
    assert response.status_code == 200, response.text


@for_every("operation", WRITES, title)
def test_the_tenant_itself_may_write(writer: Writer, operation: Operation) -> None:
    response = writer.write(
        lambda tenant: tenant.member.call(operation.method, path(operation, tenant.ids), **sent(operation, tenant.ids))
    )
    assert response.status_code == 200, response.text
