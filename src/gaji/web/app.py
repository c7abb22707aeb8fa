"""The application of one server process: every operation, and the pages about them."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import litestar
import msgspec
from litestar import Litestar, Request, get
from litestar.enums import HttpMethod
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

import gaji.clients.api
import gaji.constants.api
import gaji.custom_fields.api
import gaji.employees.api
import gaji.pay_points.api
import gaji.service_periods.api
import gaji.take_on.api
import gaji.waves.api
from gaji.db.database import locate
from gaji.db.reach import is_unreachable, out_of_reach
from gaji.db.tenancy import acquire, open_pool
from gaji.errors import Malformed, MethodNotAllowed, NotFound
from gaji.secret import open_vault
from gaji.settings import Settings
from gaji.web import openapi, pages, reference
from gaji.web.authentication import Authenticator
from gaji.web.gateway import Gateway, Response, log, origin, refusal, response
from gaji.web.limits import RateLimiter
from gaji.web.operations import Operation
from gaji.web.serving import Service, serve

OPERATIONS: Sequence[Operation] = (
    *gaji.clients.api.routes.operations,
    *gaji.pay_points.api.routes.operations,
    *gaji.waves.api.routes.operations,
    *gaji.employees.api.routes.operations,
    *gaji.service_periods.api.routes.operations,
    *gaji.custom_fields.api.routes.operations,
    *gaji.take_on.api.routes.operations,
    *gaji.constants.api.routes.operations,
)

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
TRY_EVERY_S = 0.5


def create() -> ASGIApp:
    """The application, with the settings of the environment."""
    return application(Settings.from_environment())


def application(settings: Settings, *, log: bool = True) -> ASGIApp:
    """The application with these settings."""

    @asynccontextmanager
    async def open_service(app: Litestar) -> AsyncIterator[None]:
        app.state.service = None
        database = locate(settings)
        pool = await open_pool(database.as_application("gaji serve"))

        async def make_ready() -> None:
            vault = await open_vault(database, settings)
            app.state.service = Service(pool, vault, Authenticator(pool, vault), RateLimiter(settings.rate_limit))

        trying = await _now_or_later(make_ready)
        try:
            yield
        finally:
            if trying is not None:
                trying.cancel()
            await pool.close()

    app = Litestar(
        route_handlers=[*(_handler(operation) for operation in OPERATIONS), *_pages()],
        lifespan=[open_service],
        exception_handlers={Exception: _refuse},
        openapi_config=None,
        logging_config=None,
    )
    return Gateway(app, log=log)


async def _now_or_later(make_ready: Callable[[], Awaitable[None]]) -> asyncio.Task[None] | None:
    """Make the service ready; where its database is away, go on trying in the task that is given back.

    A process that ended instead would be started again and end again, and the server gives up on such a process.
    """
    try:
        await make_ready()
    except Exception as error:
        if not is_unreachable(error):
            raise
        return asyncio.create_task(_keep_trying(make_ready))
    return None


async def _keep_trying(make_ready: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(TRY_EVERY_S)
        try:
            return await make_ready()
        except Exception as error:
            log("not ready", error=type(error).__name__)


def _ready(app: Litestar) -> Service:
    service: Service | None = app.state.service
    if service is None:
        raise out_of_reach()
    return service


def _handler(operation: Operation) -> HTTPRouteHandler:
    """The route of an operation.

    It is answered where middleware is called. From there to a handler Litestar makes a request, the arguments of a
    signature and a response of its own, which an operation does not need and which take as long as its query.
    """

    def answering(app: ASGIApp) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            answered = await serve(_ready(scope["app"]), operation, scope, receive, scope["path_params"])
            await answered(scope, receive, send)

        return answer

    async def unused() -> None:
        """What Litestar would call behind the middleware."""

    path = "/v1" + re.sub(r"{(\w+)}", r"{\1:str}", operation.path)
    method = HttpMethod(operation.method)
    return HTTPRouteHandler(path, http_method=method, name=operation.name, status_code=200, middleware=[answering])(
        unused
    )


def _refuse(request: Request[Any, Any, Any], error: Exception) -> litestar.Response[bytes]:
    """Turn what Litestar refuses by itself into our words."""
    path = request.scope["path"]
    if isinstance(error, NotFoundException):
        error = NotFound(f"There is nothing at {path[:200]}")
    elif isinstance(error, MethodNotAllowedException):
        error = _not_allowed(path)
    elif isinstance(error, HTTPException) and error.status_code < 500:
        error = Malformed("The request could not be read")
    refused = refusal(error, request.scope)
    headers = {name.decode(): value.decode("latin-1") for name, value in refused.headers}
    return litestar.Response(
        refused.body, status_code=refused.status, headers=headers, media_type=headers["content-type"]
    )


def _not_allowed(path: str) -> MethodNotAllowed:
    methods = [
        operation.method
        for operation in OPERATIONS
        if re.fullmatch(re.sub(r"{\w+}", "[^/]+", "/v1" + operation.path), path.rstrip("/"))
    ]
    allowed = ", ".join(methods or ["GET"])
    return MethodNotAllowed(f"This path can be used with {allowed}", headers={"Allow": allowed})


def _pages() -> list[HTTPRouteHandler]:
    """What is served beside the API: health, the OpenAPI document, and the pages to read it."""
    document = openapi.document(OPERATIONS)
    openapi_bytes = msgspec.json.encode(document)
    reference_page = reference.page(document)
    constants_page = reference.constants_page()
    problem_pages = reference.problem_pages()

    @get("/healthz")
    async def healthz() -> ASGIApp:
        """The process is up."""
        return _json({"status": "up"})

    @get("/readyz")
    async def readyz(request: Request[Any, Any, Any]) -> ASGIApp:
        """The process can serve: it reaches its database."""
        service = _ready(request.app)
        connection = await acquire(service.pool)
        try:
            await connection.fetchval("SELECT 1")
        finally:
            service.pool.release(connection)
        return _json({"status": "ready"})

    @get("/openapi.json")
    async def openapi_json() -> ASGIApp:
        """The OpenAPI document."""
        return response(200, openapi_bytes, "application/json")

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
        return response(200, pages.STYLESHEET, "text/css; charset=utf-8", KEPT_BY_BROWSERS)

    @get(pages.ICON_PATH)
    async def icon() -> ASGIApp:
        """The mark of the pages."""
        return response(200, pages.ICON, "image/svg+xml", KEPT_BY_BROWSERS)

    @get("/problems/{kind:str}")
    async def problem(request: Request[Any, Any, Any], kind: str) -> ASGIApp:
        """What a kind of problem means."""
        if kind not in problem_pages:
            raise NotFound(f"There is no kind of problem {kind[:60]!r}")
        return _html(problem_pages[kind], request)

    return [healthz, readyz, openapi_json, docs, docs_constants, stylesheet, icon, problem]


def _json(value: object) -> Response:
    return response(200, msgspec.json.encode(value), "application/json")


def _html(page: str, request: Request[Any, Any, Any]) -> Response:
    """A page, with the address that the reader found the service at in its examples."""
    text = reference.addressed(page, origin(request.scope))
    return response(200, text.encode(), "text/html; charset=utf-8", PAGE_HEADERS)
