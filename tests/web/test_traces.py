"""Traces for OpenTelemetry, sent to a receiver over HTTP."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from gaji.core import traces
from gaji.core.settings import SettingsError
from gaji.tasks.supervisor import _observe
from tests.support.running import Service, running_service

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = f"00-{TRACE_ID}-b7ad6b7169203331-01"


class Receiver:
    """An HTTP server that keeps the spans it receives."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def environment(self) -> dict[str, str]:
        address = f"http://127.0.0.1:{self.server.server_port}"
        return {traces.ENDPOINT_VARIABLE: address, "OTEL_EXPORTER_OTLP_COMPRESSION": "none"}

    def spans(self) -> list[Any]:
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        scopes = [scope for request in requests for part in request.resource_spans for scope in part.scope_spans]
        return [span for scope in scopes for span in scope.spans]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


def attributes(span: Any) -> dict[str, Any]:
    return {item.key: item.value.string_value or item.value.int_value for item in span.attributes}


def test_a_request_is_part_of_the_trace_of_its_caller(service: Service, tmp_path: Path, receiver: Receiver) -> None:
    account = service.new_account()
    with running_service(service.settings, tmp_path, receiver.environment, ["--no-worker"]) as traced:
        member = replace(account, service=traced)
        client_id = member.new_client(name="Tan Ah Kow Trading")
        member.get(f"/clients/{client_id}", headers={"traceparent": TRACEPARENT})
        member.get("/clients/999999999")
    spans = {span.name: span for span in receiver.spans() if span.trace_id.hex() == TRACE_ID}
    request = spans["GET /v1/clients/{client_id}"]
    assert request.parent_span_id.hex() == "b7ad6b7169203331"
    assert attributes(request)["http.response.status_code"] == 200
    assert attributes(request)["gaji.client_id"] == client_id
    assert spans["read"].parent_span_id == request.span_id
    assert any(span.name == "transaction" for span in receiver.spans())
    assert not any(b"Tan Ah Kow" in body for body in receiver.bodies)


def test_a_failed_task_is_traced_without_its_message(monkeypatch: pytest.MonkeyPatch, receiver: Receiver) -> None:
    async def fail() -> None:
        raise ValueError("Tan Ah Kow")

    for name, value in receiver.environment.items():
        monkeypatch.setenv(name, value)
    traces.enable_if_configured("gaji-worker")
    try:
        asyncio.run(_observe("recalculate", fail(), {"client_id": 4}))
    finally:
        traces.disable()
    assert [span.name for span in receiver.spans()] == ["recalculate"]
    assert not any(b"Tan Ah Kow" in body for body in receiver.bodies)


def test_without_a_receiver_nothing_is_imported() -> None:
    program = (
        "import sys; from gaji.core import traces; traces.enable_if_configured('gaji', {})\n"
        "with traces.span('task') as span, traces.request_span([]) as request: assert span is request is None\n"
        "assert traces.start_span('read') is None and 'opentelemetry' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(SettingsError, match=r"needs the extra gaji\[otel\]"):
        traces.enable_if_configured("gaji", {traces.ENDPOINT_VARIABLE: "http://127.0.0.1:4318"})
