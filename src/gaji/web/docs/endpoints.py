"""What is served beside the API: health, the OpenAPI document, and the pages to read it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import litestar
import msgspec
from litestar import Litestar, Request, get
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from gaji.core.errors import MalformedRequest, MethodNotAllowed, NotFound
from gaji.core.logs import stop_waiting
from gaji.db.tenancy import acquire
from gaji.web import openapi
from gaji.web import docs as pages
from gaji.web.docs import reference
from gaji.web.responses import HttpResponse, error_response, build_response
from gaji.web.lifespan import Lifespan
from gaji.web.operations import Operation
from gaji.web.asgi import origin

PAGE_HEADERS = (
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)
KEPT_BY_BROWSERS = (("Cache-Control", "public, max-age=86400"), ("X-Content-Type-Options", "nosniff"))


def site(opening: Lifespan, operations: Sequence[Operation]) -> ASGIApp:
    """The application with the pages; it opens the service when the process starts and closes it at the end."""

    @asynccontextmanager
    async def whole_life(app: Litestar) -> AsyncIterator[None]:
        await opening.startup()
        try:
            yield
        finally:
            await opening.shutdown()
            stop_waiting()

    return Litestar(
        route_handlers=[*_health(opening), *_pages(operations)],
        lifespan=[whole_life],
        exception_handlers={Exception: _refuse},
        openapi_config=None,
        logging_config=None,
    )


def _refuse(request: Request[Any, Any, Any], error: Exception) -> litestar.Response[bytes]:
    """Turn what Litestar refuses by itself into our words."""
    path = request.scope["path"]
    if isinstance(error, NotFoundException):
        error = NotFound(f"There is nothing at {path[:200]}")
    elif isinstance(error, MethodNotAllowedException):
        error = MethodNotAllowed("This path can be used with GET", headers={"Allow": "GET"})
    elif isinstance(error, HTTPException) and error.status_code < 500:
        error = MalformedRequest("The request could not be read")
    refused = error_response(error, request.scope)
    headers = {name.decode(): value.decode("latin-1") for name, value in refused.headers}
    return litestar.Response(
        refused.body, status_code=refused.status, headers=headers, media_type=headers["content-type"]
    )


def _health(opening: Lifespan) -> list[HTTPRouteHandler]:
    """What those who watch over the process ask for."""

    @get("/healthz")
    async def healthz() -> ASGIApp:
        """The process is up."""
        return _json({"status": "up"})

    @get("/readyz")
    async def readyz() -> ASGIApp:
        """The process can serve: it reaches its database."""
        service = opening.state()
        connection = await acquire(service.pool)
        try:
            await connection.fetchval("SELECT 1")
        finally:
            service.pool.release(connection)
        return _json({"status": "ready"})

    return [healthz, readyz]


def _pages(operations: Sequence[Operation]) -> list[HTTPRouteHandler]:
    """The OpenAPI document, and the pages to read it."""
    document = openapi.document(operations)
    openapi_bytes = msgspec.json.encode(document)
    reference_page = reference.page(document)
    constants_page = reference.constants_page()
    problem_pages = reference.problem_pages()

    @get("/openapi.json")
    async def openapi_json() -> ASGIApp:
        """The OpenAPI document."""
        return build_response(200, openapi_bytes, "application/json")

    @get("/docs")
    async def docs(request: Request[Any, Any, Any]) -> ASGIApp:
        """The OpenAPI document as a page."""
        return _html(reference_page, request)

    @get("/docs/constants")
    async def docs_constants(request: Request[Any, Any, Any]) -> ASGIApp:
        """The data lists as a page."""
        return _html(constants_page, request)

    @get(pages.STYLESHEET_PATH)
    async def stylesheet() -> ASGIApp:
        """How the pages look."""
        return build_response(200, pages.STYLESHEET, "text/css; charset=utf-8", KEPT_BY_BROWSERS)

    @get(pages.ICON_PATH)
    async def icon() -> ASGIApp:
        """The mark of the pages."""
        return build_response(200, pages.ICON, "image/svg+xml", KEPT_BY_BROWSERS)

    @get("/problems/{kind:str}")
    async def problem(request: Request[Any, Any, Any], kind: str) -> ASGIApp:
        """What a kind of problem means."""
        if kind not in problem_pages:
            raise NotFound(f"There is no kind of problem {kind[:60]!r}")
        return _html(problem_pages[kind], request)

    return [openapi_json, docs, docs_constants, stylesheet, icon, problem]


def _json(value: object) -> HttpResponse:
    return build_response(200, msgspec.json.encode(value), "application/json")


def _html(page: str, request: Request[Any, Any, Any]) -> HttpResponse:
    """A page, with the address that the reader found the service at in its examples."""
    text = reference.addressed(page, origin(request.scope))
    return build_response(200, text.encode(), "text/html; charset=utf-8", PAGE_HEADERS)
