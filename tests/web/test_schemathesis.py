"""Generated requests over the OpenAPI document: no 5xx, and no undocumented response. `make torture` sends more."""

import pytest

from tests.support.generated_requests import EXPECTED_STATUSES, RequestLog, send_generated_requests
from tests.support.running import Member, Service

pytestmark = pytest.mark.slow

MIN_REQUESTS = 1000


@pytest.fixture(scope="module")
def service(own_service: Service) -> Service:
    """A server for the many generated records."""
    return own_service


def test_at_least_1000_generated_requests_get_documented_responses(account: Member) -> None:
    log = RequestLog()
    send_generated_requests(account, MIN_REQUESTS, seed=0, log=log)
    assert not log.failures, "\n".join(log.failures)
    assert log.statuses.total() >= MIN_REQUESTS
    assert {200, 400, 404, 422} <= set(log.statuses) <= EXPECTED_STATUSES
