"""ETag, If-None-Match and If-Match"""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from gaji.app import OPERATIONS
from gaji.web.operations import Operation
from tests.support.running import Member
from tests.web.every_operation import TenantRecords, Writer, path, sent, title

TAGGED = [operation for operation in OPERATIONS if operation.has_entity_tag]
CONDITIONAL = [
    operation for operation in OPERATIONS if operation.writes and operation.path in {tagged.path for tagged in TAGGED}
]
STALE = {"If-Match": '"0"'}


def test_reads_of_one_record_have_tags() -> None:
    assert {operation.path for operation in TAGGED} >= {
        "/clients/{client_id}",
        "/pay_points/{pay_point_id}",
        "/waves/{wave_id}",
        "/employees/{employee_id}",
        "/calculations/{calculation_id}",
        "/payslips/{payslip_id}",
        "/payment_runs/{payment_run_id}",
    }


@pytest.mark.parametrize("operation", TAGGED, ids=title)
def test_a_read_with_the_current_tag_is_a_304_without_a_body(tenant: TenantRecords, operation: Operation) -> None:
    where = path(operation, tenant.ids)
    tag = tenant.member.get(where).headers["etag"]
    response = tenant.member.get(where, headers={"If-None-Match": f'"0", W/{tag}'})
    assert (response.status_code, response.content, response.headers["etag"]) == (304, b"", tag)
    assert "content-length" not in response.headers or response.headers["content-length"] == "0"
    assert tenant.member.get(where, headers={"If-None-Match": '"0"'}).status_code == 200


@pytest.mark.parametrize("operation", CONDITIONAL, ids=title)
def test_a_write_of_a_stale_record_is_a_412_that_changes_nothing(tenant: TenantRecords, operation: Operation) -> None:
    where = path(operation, tenant.ids)
    before = tenant.member.service.client_rows(tenant.ids["client_id"])
    response = tenant.member.call(operation.method, where, **sent(operation, tenant.ids), headers=STALE)
    assert response.status_code == 412, response.text
    assert response.json()["type"].endswith("/problems/precondition")
    assert tenant.member.service.client_rows(tenant.ids["client_id"]) == before


@pytest.mark.parametrize("operation", CONDITIONAL, ids=title)
def test_a_write_of_the_record_that_was_read_works(writer: Writer, operation: Operation) -> None:
    def send(tenant: TenantRecords) -> httpx.Response:
        where = path(operation, tenant.ids)
        tag = tenant.member.get(where).headers.get("etag", '"0"')
        return tenant.member.call(operation.method, where, **sent(operation, tenant.ids), headers={"If-Match": tag})

    response = writer.write(send)
    assert response.status_code == 200, response.text


def test_a_write_that_changes_no_tagged_record_is_a_412(account: Member) -> None:
    assert account.post("/clients", {"name": "Kopi"}, headers=STALE).status_code == 412


def test_any_version_matches_an_asterisk(account: Member) -> None:
    client_id = account.new_client()
    response = account.patch(f"/clients/{client_id}", {"name": "Changed"}, headers={"If-Match": "*"})
    assert response.status_code == 200


def test_a_key_that_sees_masked_values_has_other_tags(tenant: TenantRecords) -> None:
    where = f"/employees/{tenant.ids['employee_id']}"
    masked = tenant.member.with_another_key(hide_identifiers=True)
    assert masked.get(where).headers["etag"] != tenant.member.get(where).headers["etag"]


def test_a_412_is_not_stored_for_its_idempotency_key(account: Member) -> None:
    where = f"/clients/{account.new_client()}"
    key = {"Idempotency-Key": "rename"}
    assert account.patch(where, {"name": "Changed"}, headers=key | STALE).status_code == 412
    current = {"If-Match": account.get(where).headers["etag"]}
    first = account.patch(where, {"name": "Changed"}, headers=key | current)
    again = account.patch(where, {"name": "Changed"}, headers=key | current)
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.headers["idempotent-replayed"] == "true"


def test_of_writers_at_the_same_time_one_wins(account: Member) -> None:
    where = f"/clients/{account.new_client()}"
    condition = {"If-Match": account.get(where).headers["etag"]}

    def rename(number: int) -> int:
        return account.patch(where, {"name": f"Name {number}"}, headers=condition).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(rename, range(8)))
    assert statuses == [200, *[412] * 7]
