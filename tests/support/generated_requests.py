"""Requests that schemathesis generates from the OpenAPI document, and checks of the responses."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import hypothesis
import requests
import schemathesis
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from gaji.app import OPERATIONS
from tests.support.running import Member
from tests.web.every_operation import TABLE, tenant_with_records

# Files are sent as the bytes that they are.
for media_type in {media_type for operation in OPERATIONS for media_type in operation.body_media_types}:
    schemathesis.serializer.alias(media_type, "application/octet-stream")

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
]
"""For every response. Those with complete records also conform to their schema."""
EXPECTED_STATUSES = {200, 400, 404, 409, 412, 422, 429}
"""429 is for reports and imports: more of them are requested than may be queued."""
MAX_RESPONSE_S = 2.0
MAX_ATTEMPTS = 3


@dataclass
class RequestLog:
    """The requests that were sent: how many received each status, the slowest, and failed checks."""

    statuses: Counter[int] = field(default_factory=Counter)
    slowest_s: float = 0
    slowest: str = ""
    failures: list[str] = field(default_factory=list)

    def record(self, label: str, status: int, elapsed_s: float) -> None:
        """Count a response."""
        self.statuses[status] += 1
        if elapsed_s > self.slowest_s:
            self.slowest_s, self.slowest = elapsed_s, label

    def __str__(self) -> str:
        counts = ", ".join(f"{number} x {status}" for status, number in sorted(self.statuses.items()))
        return f"{self.statuses.total()} requests ({counts}), slowest {self.slowest_s:.2f} s ({self.slowest})"


@dataclass(frozen=True)
class RequestPlan:
    """Requests to one operation: valid or not, for existing or random records."""

    operation: Any
    mode: GenerationMode
    known: dict[str, Any] | None


def fastest_s(elapsed_s: float, repeat: Callable[[], float]) -> float:
    """Return the time of a request. A slow one is repeated, because the machine may only have been busy."""
    times_s = [elapsed_s]
    while min(times_s) > MAX_RESPONSE_S and len(times_s) < MAX_ATTEMPTS:
        times_s.append(repeat())
    return min(times_s)


def send_generated_requests(member: Member, minimum: int, seed: int, log: RequestLog) -> None:
    """Send at least about `minimum` requests to all operations, and record them. The seed repeats the same requests."""
    served = member.service.http.get(f"{member.service.url}/openapi.json").json()
    del served["security"]  # so that the generator leaves the key alone
    schema = schemathesis.openapi.from_dict(served)
    plans = sorted(_plans(schema, tenant_with_records(member)), key=lambda plan: plan.operation.method == "delete")
    with requests.Session() as session:
        session.headers["Authorization"] = member.key
        for plan, examples in zip(plans, _spread(minimum * 5 // 4, len(plans)), strict=True):
            _run(plan, member, session, log, seed, examples)


def _spread(total: int, plans: int) -> list[int]:
    """Return how many requests each plan sends: about `total` together, and at least one each."""
    return [max(1, (index + 1) * total // plans - index * total // plans) for index in range(plans)]


def _plans(schema: Any, ids: dict[str, Any]) -> Iterator[RequestPlan]:
    for result in schema.get_all_operations():
        operation = result.ok()
        row = TABLE[operation.label]
        values = {**ids, **row.words, **{name: ids[other] for name, other in row.instead.items()}}
        words = {name: str(value) for name, value in values.items() if f"{{{name}}}" in operation.path}
        for mode in GenerationMode:
            for known in [None, words] if words else [None]:
                if (
                    mode is GenerationMode.POSITIVE
                    or operation.body
                    or (known is None and any(operation.iter_parameters()))
                ):
                    yield RequestPlan(operation, mode, known)


def _run(
    plan: RequestPlan, member: Member, session: requests.Session, log: RequestLog, seed: int, examples: int
) -> None:
    @hypothesis.seed(seed)
    @hypothesis.given(case=plan.operation.as_strategy(generation_mode=plan.mode, path_parameters=plan.known))
    @hypothesis.settings(
        max_examples=examples,
        derandomize=False,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    def check(case: Case[Any]) -> None:
        def send() -> Any:
            return case.call(base_url=f"{member.service.url}/v1", session=session)

        response = send()
        log.record(plan.operation.label, response.status_code, fastest_s(response.elapsed, lambda: send().elapsed))
        sparse = {"fields", "updated_since"} & set(case.query or ())
        case.validate_response(response, checks=[*CHECKS] if sparse else [*CHECKS, response_schema_conformance])

    try:
        check()
    except hypothesis.errors.Unsatisfiable as error:
        # Some parameters accept every string, so no invalid value can be generated for them.
        if plan.mode is GenerationMode.POSITIVE:
            log.failures.append(f"{plan.operation.label}: {error}")
    except Exception as error:
        log.failures.append(f"{plan.operation.label} ({plan.mode.value}): {error}")
