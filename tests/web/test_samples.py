"""Every sample of the API reference and of the Postman collection is sent to a fresh demo, and none fails."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import httpx
import pytest

from gaji.app import OPERATIONS
from gaji.core.settings import Settings
from gaji.db.installation import open_installation
from gaji.demo.account import Demo, create_demo
from gaji.web.operations import Operation
from tests.support.images import png
from tests.support.running import Service, running_service
from tests.web.every_operation import (
    CERTIFICATE,
    EMPLOYEE,
    TABLE,
    TenantRecords,
    Writer,
    example_body,
    filled,
    path,
    title,
    workbook,
)
from tests.web.samples import Sample, load_samples

pytestmark = pytest.mark.slow

EMPLOYEES, MONTHS = 20, 3
TODAY = "2026-11-17"
"""The last payslips of the demo depend on it, and the samples have dates of 2026."""
ORDER = ("GET", "PATCH", "PUT", "POST", "DELETE")
"""Reads come first, so that they see the demo as it is."""
SUCCESS = (200, 202, 204)
REJECTED = (404, 409, 422)
"""What a sample may get whose record does not exist in the demo, or is in another state."""
REJECTED_READS = (404,)
"""A read has no body, so a 422 is an error in the sample."""
OTHER_WORDS = {"download_cpf_file", "remove_dated_change"}
"""Operations whose path has a month or date of which the tenant has records, instead of the one in the sample."""
OTHER_QUERIES = {"print_tax_certificates": "year=2026"}
"""Values that select the records of the tenant. The sample selects those of the last year, of which it has none."""
MIN_VERBATIM = 115
"""At least so many samples work in the demo exactly as they are shown, one after the other."""


@pytest.fixture(scope="module")
def demo(settings: Settings) -> Demo:
    """The demo company in a database of its own."""
    with pytest.MonkeyPatch.context() as patch, open_installation(settings) as installation:
        patch.setenv("GAJI_TODAY", TODAY)
        return asyncio.run(create_demo(installation, 1, EMPLOYEES, MONTHS))


@pytest.fixture(scope="module")
def service(settings: Settings, demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with the demo."""
    variables = {"GAJI_RATE_LIMIT": "0", "GAJI_TODAY": TODAY}
    with running_service(settings, tmp_path_factory.mktemp("samples"), variables) as running:
        yield running


@pytest.fixture(scope="module")
def samples(service: Service) -> dict[str, Sample]:
    """The samples by operation."""
    return load_samples(service)


def test_every_operation_has_a_sample(samples: dict[str, Sample]) -> None:
    assert sorted(samples) == sorted(operation.name for operation in OPERATIONS)


def test_every_sample_works(service: Service, demo: Demo, samples: dict[str, Sample]) -> None:
    writer, files, failures, verbatim = Writer(service), _files(), {}, 0
    for operation in sorted(OPERATIONS, key=lambda operation: ORDER.index(operation.method)):
        sample = samples[operation.name]
        response = sample.send(service.http, demo.api_key, files)
        if response.status_code in SUCCESS:
            verbatim += 1
            continue
        rejected = REJECTED_READS if operation.method == "GET" else REJECTED
        assert response.status_code in rejected, (operation.name, response.text)

        def send(tenant: TenantRecords, operation: Operation = operation, sample: Sample = sample) -> httpx.Response:
            own_files = files | {"employees.xlsx": _employees(tenant.ids)}
            return _of_tenant(service, operation, sample, tenant).send(service.http, tenant.member.key, own_files)

        response = writer.write(send)
        if response.status_code not in SUCCESS:
            failures[operation.name] = response.text
    assert failures == {}
    assert verbatim >= MIN_VERBATIM


def test_requests_of_the_postman_collection_are_the_samples(service: Service, samples: dict[str, Sample]) -> None:
    collection = service.http.get(f"{service.url}/docs/postman.json").json()
    variables = {variable["key"]: variable["value"] for variable in collection["variable"]}
    [key_header] = [entry["value"] for entry in collection["auth"]["apikey"] if entry["key"] == "key"]
    requests = [item["request"] for folder in collection["item"] for item in folder["item"]]
    shown = {(sample.method, sample.url): sample for sample in samples.values()}
    assert len(requests) == len(samples) == len(shown)
    for request in requests:
        sample = shown[request["method"], _url(request["url"], variables)]
        headers = [(key_header, "$GAJI_KEY"), *((entry["key"], entry["value"]) for entry in request["header"])]
        assert list(sample.headers) == headers
        if "raw" in request.get("body", {}):
            assert json.loads(request["body"]["raw"]) == json.loads(sample.body or "")
        else:
            assert ("body" in request) == (sample.file_name is not None)


def _of_tenant(service: Service, operation: Operation, sample: Sample, tenant: TenantRecords) -> Sample:
    """Return a sample with the IDs of a tenant's records instead of its own."""
    words = TABLE[title(operation)].words.values()
    assert operation.name in OTHER_WORDS or all(f"/{word}" in sample.url for word in words), sample.url
    query = OTHER_QUERIES.get(operation.name, sample.url.partition("?")[2])
    url = f"{service.url}/v1{path(operation, tenant.ids).partition('?')[0]}" + (f"?{query}" if query else "")
    if sample.body is None:
        return replace(sample, url=url)
    return replace(sample, url=url, body=json.dumps(example_body(operation, json.loads(sample.body), tenant.ids)))


def _url(url: dict[str, Any], variables: dict[str, str]) -> str:
    """Return the address of a request in the collection, with the values of its variables."""
    values = {variable["key"]: variable["value"] for variable in url["variable"]}
    address = re.sub(r"/:(\w+)", lambda match: f"/{values[match[1]]}", url["raw"])
    return re.sub(r"{{(\w+)}}", lambda match: variables[match[1]], address)


def _files() -> dict[str, bytes]:
    return {"logo.png": png(), "certificate.pdf": CERTIFICATE, "employees.xlsx": _employees({"wave_id": 1})}


def _employees(ids: Mapping[str, Any]) -> bytes:
    return workbook([filled(EMPLOYEE, ids)])
