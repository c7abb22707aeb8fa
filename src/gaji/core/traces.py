"""OpenTelemetry traces of requests, transactions, background tasks and documents.

They are off unless the operator sets OTEL_EXPORTER_OTLP_ENDPOINT, which needs the extra `gaji[otel]`. Spans have
routes, names of tasks and IDs, but no values or messages, because these can be personal data.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from gaji.core.settings import SettingsError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

ENDPOINT_VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT"
ERROR_STATUS = 500
_NO_SPAN: "AbstractContextManager[Span | None]" = nullcontext()

_provider: "TracerProvider | None" = None
_tracer: "Tracer | None" = None


def enable_if_configured(service: str, environment: Mapping[str, str] = os.environ) -> None:
    """Start sending spans if the operator has set a receiver. Raises SettingsError if packages are missing.

    Call it in the process that creates the spans, after any fork, because they are sent by a thread.
    """
    global _provider, _tracer
    if _tracer is not None or not environment.get(ENDPOINT_VARIABLE):
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"{ENDPOINT_VARIABLE} needs the extra gaji[otel]: the package {error.name} is not installed"
        ) from error
    name = environment.get("OTEL_SERVICE_NAME") or service
    _provider = TracerProvider(resource=Resource.create({"service.name": name}))
    _provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _tracer = _provider.get_tracer("gaji")


def disable() -> None:
    """Send the spans that wait, and stop. Does nothing if tracing is off."""
    global _provider, _tracer
    if _provider is not None:
        _provider.shutdown()
    _provider = _tracer = None


def span(name: str, attributes: Mapping[str, str | int] | None = None) -> "AbstractContextManager[Span | None]":
    """Return a context manager for a span, which is the parent of those that begin inside. It yields None if off."""
    if _tracer is None:
        return _NO_SPAN
    return _tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    )


def request_span(headers: Iterable[tuple[bytes, bytes]]) -> "AbstractContextManager[Span | None]":
    """Return a context manager for the span of a request. The caller's `traceparent` makes it part of their trace."""
    if _tracer is None:
        return _NO_SPAN
    from opentelemetry.trace import SpanKind
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers if name == b"traceparent"}
    return _tracer.start_as_current_span(
        "request",
        context=TraceContextTextMapPropagator().extract(carrier),
        kind=SpanKind.SERVER,
        record_exception=False,
        set_status_on_exception=False,
    )


def describe_request(request: "Span", method: str, context: Mapping[str, str | int]) -> None:
    """Set the name and attributes of the span of a request, when its route and status are known."""
    from opentelemetry.trace import StatusCode

    route, status = str(context.get("route", "unknown")), int(context["status"])
    request.update_name(f"{method} {route}")
    request.set_attributes({"http.request.method": method, "http.route": route, "http.response.status_code": status})
    request.set_attribute("gaji.request_id", context["request_id"])
    if "client_id" in context:
        request.set_attribute("gaji.client_id", context["client_id"])
    if status >= ERROR_STATUS:
        request.set_status(StatusCode.ERROR)


def start_span(name: str) -> "Span | None":
    """Begin a span that its caller ends. It has no children."""
    return None if _tracer is None else _tracer.start_span(name)
