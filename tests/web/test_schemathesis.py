"""Generated requests over the OpenAPI document: no 5xx, and no undocumented response."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import hypothesis
import pytest
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

from tests.support.running import Member, Service
from tests.web.every_operation import TABLE, XLSX, tenant_with_records

pytestmark = pytest.mark.slow

# Workbooks are sent as the bytes that they are.
schemathesis.serializer.alias(XLSX, "application/octet-stream")

LEAST_REQUESTS = 2000
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def service(own_service: Service) -> Service:
    """A server for the many generated records."""
    return own_service


@dataclass(frozen=True)
class Plan:
    """A generated request to one operation: valid or not, for existing or random records."""

    operation: Any
    mode: GenerationMode
    known: dict[str, Any] | None


def plans(schema: Any, ids: dict[str, Any]) -> Iterator[Plan]:
    for result in schema.get_all_operations():
        operation = result.ok()
        row = TABLE[operation.label]
        words = {name: str(value) for name, value in {**ids, **row.words}.items() if f"{{{name}}}" in operation.path}
        for mode in GenerationMode:
            for known in [None, words] if words else [None]:
                if (
                    mode is GenerationMode.POSITIVE
                    or operation.body
                    or (known is None and any(operation.iter_parameters()))
                ):
                    yield Plan(operation, mode, known)


def test_at_least_2000_generated_requests_get_documented_responses(account: Member) -> None:
    served = account.service.http.get(f"{account.service.url}/openapi.json").json()
    del served["security"]  # so that the generator leaves the key alone
    schema = schemathesis.openapi.from_dict(served)
    todo = sorted(plans(schema, tenant_with_records(account)), key=lambda plan: plan.operation.method == "delete")
    sent: list[int] = []
    with requests.Session() as session:
        session.headers["Authorization"] = account.key
        for plan in todo:
            _run(plan, account, session, sent, examples=LEAST_REQUESTS * 5 // 4 // len(todo))
    assert len(sent) >= LEAST_REQUESTS
    # 429 is for reports and imports: more of them are asked for here than may wait.
    assert {200, 400, 404, 422} <= set(sent) <= {200, 400, 404, 409, 422, 429}


def _run(plan: Plan, account: Member, session: requests.Session, sent: list[int], examples: int) -> None:
    @hypothesis.given(case=plan.operation.as_strategy(generation_mode=plan.mode, path_parameters=plan.known))
    @hypothesis.settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    def check(case: Case[Any]) -> None:
        response = case.call(base_url=f"{account.service.url}/v1", session=session)
        sent.append(response.status_code)
        case.validate_response(response, checks=CHECKS)

    # Some parameters accept every string, so no invalid value can be generated for them.
    unfitting = plan.mode is GenerationMode.NEGATIVE
    with contextlib.suppress(hypothesis.errors.Unsatisfiable) if unfitting else contextlib.nullcontext():
        check()
