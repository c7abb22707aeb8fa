"""Generated requests over the OpenAPI document: no 5xx, and no undocumented response. `make torture` sends more."""

import pytest

from gaji.app import OPERATIONS
from tests.support.generated_requests import EXPECTED_STATUSES, RequestLog, send_generated_requests
from tests.support.running import Member, Service
from tests.web.every_operation import title

pytestmark = pytest.mark.slow

SEEDS = range(2)
REQUESTS = 10_000
"""With all seeds together."""


@pytest.fixture(scope="module")
def service(own_service: Service) -> Service:
    """A server for the many generated records."""
    return own_service


@pytest.mark.parametrize("seed", SEEDS)
def test_10_000_generated_requests_get_documented_responses(account: Member, seed: int) -> None:
    log = RequestLog()
    send_generated_requests(account, REQUESTS // len(SEEDS), seed, log)
    assert not log.failures, "\n".join(log.failures)
    assert log.statuses.total() == REQUESTS // len(SEEDS)
    assert {200, 400, 404, 409, 412, 415, 422} <= set(log.statuses) <= EXPECTED_STATUSES
    assert log.labels(*EXPECTED_STATUSES) == {title(operation) for operation in OPERATIONS}
    assert len(log.labels(200, 202)) > 0.75 * len(OPERATIONS)
