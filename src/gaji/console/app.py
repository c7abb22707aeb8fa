"""The way of a request through a page: who visits, with which form, and what is shown when it is refused."""

from collections.abc import Sequence
from urllib.parse import quote

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from gaji.console import cookies
from gaji.console.pages import Page
from gaji.console.rendering import HTML, PAGE_HEADERS, render
from gaji.console.routes import PAGES
from gaji.console.request import PageRequest, problem
from gaji.core.errors import Forbidden, GajiError, MethodNotAllowed, Unauthenticated, Unavailable
from gaji.db.tenancy import AccessChanged
from gaji.identity import sessions
from gaji.web import problems
from gaji.web.responses import Response, log_failure, refusal, response
from gaji.web.lifespan import Opening
from gaji.web.asgi import check_announced_size, header, read_body, request_notes
from gaji.web.route_table import Route, Routing

OTHERS = frozenset({"docs", "problems", "openapi.json", "healthz", "readyz", "v1", "api"})
"""The first words of paths that are not the console's."""
MOST_TRIES = 3
TOKEN_FIELD = "form_token"  # noqa: S105 - the name of a field
TOKEN_HEADER = b"x-form-token"


class Console:
    """Answers what is a page of the console, and hands everything else on."""

    def __init__(self, opening: Opening, others: ASGIApp) -> None:
        self._opening = opening
        self._others = others
        self._routing = Routing(PAGES, base="")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != ScopeType.HTTP or _is_others(scope):
            await self._others(scope, receive, send)
            return
        try:
            route, values = self._routing.find(scope["method"], scope["path"])
        except GajiError as error:
            if _reads_pages(scope):
                await _bare_problem(scope, error)(scope, receive, send)
            elif isinstance(error, MethodNotAllowed):
                await refusal(error, scope)(scope, receive, send)
            else:
                await self._others(scope, receive, send)
            return
        answer = await self._answer(route, values, scope, receive)
        await answer(scope, receive, send)

    async def _answer(self, route: Route[Page], values: Sequence[str], scope: HTTPScope, receive: Receive) -> Response:
        request: PageRequest | None = None
        try:
            request = await self._visit(route, values, scope, receive)
            return await _run(route.operation, request)
        except Unauthenticated:
            return _to_sign_in(scope)
        except Exception as error:
            refused = problems.as_refusal(error)
            if refused.status >= 500:
                log_failure(error, refused, request_notes(scope)["request_id"])
            if not _reads_pages(scope):
                return refusal(refused, scope)
            return problem(request, refused) if request else _bare_problem(scope, refused)

    async def _visit(self, route: Route[Page], values: Sequence[str], scope: HTTPScope, receive: Receive) -> PageRequest:
        service = self._opening.service()
        check_announced_size(scope)
        kept = {} if route.operation.for_whoever else cookies.read(scope)
        token = kept.get(cookies.SESSION, "")
        person = await sessions.find(service.pool, token) if token else None
        if person is None and not route.operation.public:
            raise Unauthenticated("Please sign in")
        if person is not None:
            request_notes(scope)["user_id"] = person.caller.user_id
        body = await read_body(receive) if route.operation.method == "POST" else b""
        secret = token if person else kept.get(cookies.VISITOR, "")
        request = PageRequest(scope, service, {}, {}, body, person, secret, kept.get(cookies.NOTICE, ""))
        if not secret:
            request.secret = cookies.new_visitor()
            request.headers.append(cookies.keep(scope, cookies.VISITOR, request.secret))
        if route.operation.method == "POST":
            _check_form(request)
        request.ids, request.names = route.read(values)
        return request


async def _run(page: Page, request: PageRequest) -> Response:
    for _ in range(MOST_TRIES):
        try:
            return await page.handler(request)
        except AccessChanged:
            # Nothing was done yet: the first transaction refused to open.
            token = cookies.read(request.scope).get(cookies.SESSION, "")
            request.person = await sessions.find(request.service.pool, token)
            request.__dict__.pop("tenant", None)
            if request.person is None:
                raise Unauthenticated("Please sign in") from None
    raise Unavailable("The access of this user is changing; please try again", retry_after_s=1)


def _check_form(request: PageRequest) -> None:
    """Refuse what no page of ours sent."""
    if header(request.scope, b"sec-fetch-site") in ("cross-site", "same-site"):
        raise Forbidden("This form was sent from another site, so nothing was done")
    token = header(request.scope, TOKEN_HEADER) or request.form.get(TOKEN_FIELD, "")
    if not cookies.fits(request.secret, token):
        raise Forbidden("This form is too old or was not made for you, so nothing was done; go back and load it again")


def _is_others(scope: HTTPScope) -> bool:
    # One path has no slash, that of OPTIONS *.
    first = scope["path"].partition("/")[2].partition("/")[0]
    return first in OTHERS or (not first and not _reads_pages(scope))


def _reads_pages(scope: HTTPScope) -> bool:
    """Whether whoever asks is a browser: others get problem documents."""
    return "text/html" in (header(scope, b"accept") or "")


def _to_sign_in(scope: HTTPScope) -> Response:
    query = scope["query_string"].decode("latin-1")
    there = quote(f"{scope['path']}?{query}" if query else scope["path"], safe="/")
    after = f"?next={there}" if scope["method"] == "GET" and scope["path"] != "/" else ""
    ended = [cookies.forget(scope, cookies.SESSION)] if cookies.SESSION in cookies.read(scope) else []
    return response(303, b"", HTML, [*PAGE_HEADERS, *ended, ("Location", f"/sign-in{after}")])


def _bare_problem(scope: HTTPScope, error: GajiError) -> Response:
    """The page that says what was refused, to someone of whom nothing is known."""
    request_id = request_notes(scope)["request_id"]
    values = {"person": None, "company": None, "form_token": "", "notice": "", "path": scope["path"]}
    text = render("error.html", error=error, request_id=request_id, **values)
    return response(error.status, text.encode(), HTML, [*PAGE_HEADERS, *error.headers.items()])
