"""The package gaji-client: its operations against a server, retries, errors, pages and webhooks."""

import asyncio
import base64
import hashlib
import hmac
import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gaji.app import OPERATIONS
from tests.support.company import Company
from tests.support.running import Member

pytestmark = pytest.mark.slow

SOURCES = Path(__file__).parents[2] / "clients/python"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SENT_AT_S = 1614265330
SIGNED = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "Webhook-Timestamp": str(SENT_AT_S),
    "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
"""The example of the Standard Webhooks libraries."""
PAYLOAD = b'{"test": 2432232314}'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and its generated modules."""
    folder = tmp_path_factory.mktemp("python_client")
    shutil.copytree(SOURCES / "src", folder, dirs_exist_ok=True)
    printed = subprocess.run([sys.executable, "-m", "gaji.cli.main", "openapi"], check=True, capture_output=True)
    (folder / "openapi.json").write_bytes(printed.stdout)
    command = [sys.executable, str(SOURCES / "generate.py"), "openapi.json", "gaji_client"]
    subprocess.run(command, cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def package(folder: Path) -> Iterator[Any]:
    """The package."""
    sys.path.insert(0, str(folder))
    yield importlib.import_module("gaji_client")
    sys.path.remove(str(folder))


@pytest.fixture
def no_delays(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry at once."""
    monkeypatch.setattr(importlib.import_module("gaji_client.retries"), "FIRST_DELAY_S", 0.0)


def examples() -> list[str]:
    """Return the programs of the README."""
    return re.findall(r"```python\n(.*?)```", (SOURCES / "README.md").read_text(), flags=re.S)


def answering(*responses: httpx.Response | Exception) -> tuple[list[httpx.Request], Callable[..., httpx.Response]]:
    """Return the requests that are made, and a handler with these responses, of which the last one is repeated."""
    requests: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        response = responses[min(len(requests), len(responses)) - 1]
        if isinstance(response, Exception):
            raise response
        return response

    return requests, handle


def test_it_is_strictly_typed_with_a_method_for_every_operation(folder: Path, package: Any) -> None:
    for number, program in enumerate(examples()):
        (folder / f"example_{number}.py").write_text(program)
    files = [f"example_{number}.py" for number in range(len(examples()))]
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=cache", "--config-file=", *files, "gaji_client"]
    check = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert check.returncode == 0, check.stdout
    for client in (package.Gaji, package.AsyncGaji):
        assert [operation.name for operation in OPERATIONS if not hasattr(client, operation.name)] == []


def test_the_programs_of_the_readme_run_a_month(folder: Path, account: Member) -> None:
    environment = {**os.environ, "GAJI_KEY": account.key, "GAJI_URL": account.service.url, "PYTHONPATH": str(folder)}
    outputs = [
        subprocess.run([sys.executable, "-c", program], env=environment, check=False, capture_output=True, text=True)
        for program in examples()
    ]
    assert [output.returncode for output in outputs] == [0, 0, 0], [output.stderr for output in outputs]
    assert "['basic_salary', '4200.00']" in outputs[0].stdout
    assert "{'nric': 'S1234567A has the wrong check letter'}" in outputs[0].stdout
    assert outputs[1].stdout == "['Mei Ling']\n"
    assert re.fullmatch(r"\{\d+: 'Mei Ling'\}\n", outputs[2].stdout)


def test_iterators_follow_the_pages(package: Any, company: Company) -> None:
    names = {f"Outlet {number}" for number in range(5)}
    for name in names:
        company.member.new_pay_point(company.id, name=name)
    url, key = company.member.service.url, company.member.key
    with package.Gaji(key, url) as gaji:
        elements = list(gaji.iterate_pay_points(company.id, per_page=2))
    assert {element["pay_point"]["name"] for element in elements} == names

    async def iterate() -> list[Any]:
        async with package.AsyncGaji(key, url) as gaji:
            return [element async for element in gaji.iterate_pay_points(company.id, per_page=2)]

    assert asyncio.run(iterate()) == elements


def test_changes_are_followed_with_a_cursor(package: Any, company: Company) -> None:
    first, second = (company.member.new_pay_point(company.id, name=name) for name in ("Office", "Warehouse"))
    url, key = company.member.service.url, company.member.key
    with package.Gaji(key, url) as gaji:
        changes = gaji.list_changed_pay_points(company.id, "2026-01-01T00:00:00+08:00", per_page=1)
        assert ([element["pay_point"]["id"] for element in changes.elements], changes.has_more) == ([first], True)
        changes = gaji.list_changed_pay_points(company.id, changes.cursor)
        assert ([element["pay_point"]["id"] for element in changes.elements], changes.has_more) == ([second], False)
        gaji.delete_pay_point(first)

    async def list_changes() -> Any:
        async with package.AsyncGaji(key, url) as gaji:
            return await gaji.list_changed_pay_points(company.id, changes.cursor)

    [element] = asyncio.run(list_changes()).elements
    assert (element["pay_point"]["id"], element["pay_point"]["deleted"]) == (first, True)


def test_an_etag_makes_a_write_conditional(package: Any, company: Company) -> None:
    employee_id = company.hire()
    headers: dict[str, str] = {}
    with package.Gaji(company.member.key, company.member.service.url) as gaji:
        gaji.read_employee(employee_id, response_headers=headers)
        update = {"employee": {"job_title": "Supervisor"}}
        gaji.update_employee(employee_id, update, if_match=headers["etag"])
        with pytest.raises(package.PreconditionFailedError):
            gaji.update_employee(employee_id, update, if_match=headers["etag"])


def test_errors_have_classes_and_the_problem(package: Any, company: Company) -> None:
    url, key = company.member.service.url, company.member.key
    with package.Gaji(key, url) as gaji:
        with pytest.raises(package.ValidationError) as error:
            gaji.create_pay_point(company.id, {})
        assert error.value.errors == {"name": "is required"}
        assert (error.value.status, error.value.kind) == (422, "validation")
        assert error.value.request_id
        with pytest.raises(package.NotFoundError):
            gaji.read_client(999_999_999)
        with pytest.raises(package.PreconditionFailedError):
            gaji.update_client(company.id, {"name": "Changed"}, if_match='"another version"')
    with package.Gaji("gaji_wrong", url) as stranger, pytest.raises(package.AuthenticationError):
        stranger.list_clients()


@pytest.mark.usefixtures("no_delays")
def test_a_write_is_repeated_with_the_same_idempotency_key(package: Any) -> None:
    in_progress = httpx.Response(409, json={"type": "/problems/in-progress", "message": "Wait"})
    saved = {"message": "Saved", "id": 4}
    responses = (httpx.ReadTimeout("slow"), httpx.Response(503), in_progress, httpx.Response(200, json=saved))
    requests, handler = answering(*responses)
    with package.Gaji("key", transport=httpx.MockTransport(handler)) as gaji:
        assert gaji.create_client({"name": "Kopi"})["id"] == 4
    assert len({request.headers["Idempotency-Key"] for request in requests}) == 1
    assert len(requests) == 4
    requests, handler = answering(httpx.Response(503), httpx.Response(200, json=saved))

    async def create() -> Any:
        async with package.AsyncGaji("key", transport=httpx.MockTransport(handler)) as gaji:
            return await gaji.create_client({"name": "Kopi"}, idempotency_key="job-7")

    assert asyncio.run(create())["id"] == 4
    assert [request.headers["Idempotency-Key"] for request in requests] == ["job-7", "job-7"]


@pytest.mark.usefixtures("no_delays")
def test_retries_end_and_conflicts_are_not_repeated(package: Any) -> None:
    requests, handler = answering(httpx.Response(429, json={"message": "Too many"}))
    with package.Gaji("key", transport=httpx.MockTransport(handler)) as gaji, pytest.raises(package.RateLimitError):
        gaji.list_clients()
    assert len(requests) == 5
    requests, handler = answering(httpx.Response(409, json={"type": "/problems/conflict", "message": "Finalised"}))
    with package.Gaji("key", transport=httpx.MockTransport(handler)) as gaji, pytest.raises(package.ConflictError):
        gaji.finalise_payment_run(7)
    assert len(requests) == 1


def test_a_webhook_is_verified(package: Any) -> None:
    verify = package.verify_webhook
    assert verify(SECRET, SIGNED, PAYLOAD, now_s=SENT_AT_S) == {"test": 2432232314}
    other = base64.b64encode(b"another secret").decode()
    assert verify([other, SECRET], SIGNED, PAYLOAD, now_s=SENT_AT_S)
    wrong: list[tuple[Any, dict[str, str], bytes, int]] = [
        (other, SIGNED, PAYLOAD, SENT_AT_S),
        (SECRET, SIGNED, PAYLOAD + b" ", SENT_AT_S),
        (SECRET, {**SIGNED, "Webhook-Id": "another"}, PAYLOAD, SENT_AT_S),
        (SECRET, SIGNED, PAYLOAD, SENT_AT_S + 301),
        (SECRET, SIGNED, PAYLOAD, SENT_AT_S - 301),
        (SECRET, {**SIGNED, "Webhook-Timestamp": "soon"}, PAYLOAD, SENT_AT_S),
        (SECRET, {}, PAYLOAD, SENT_AT_S),
        (SECRET, {**SIGNED, "Webhook-Signature": _signature(b"v0")}, PAYLOAD, SENT_AT_S),
    ]
    for secrets, headers, body, now_s in wrong:
        with pytest.raises(package.InvalidWebhook):
            verify(secrets, headers, body, now_s=now_s)


def _signature(version: bytes) -> str:
    """Return a signature of another version, which is not accepted."""
    digest = hmac.new(b"key", PAYLOAD, hashlib.sha256).digest()
    return f"{version.decode()},{base64.b64encode(digest).decode()}"
