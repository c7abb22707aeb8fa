"""ASGI application for the console: finds the page, loads the session, checks the form token and renders errors."""

from collections.abc import Sequence
from urllib.parse import quote

from gaji.console import cookies, unsent_forms
from gaji.console.auth import step_up
from gaji.console.error_messages import summarise
from gaji.console.pages import Confirmation, Page
from gaji.console.rendering import HTML, PAGE_HEADERS, render
from gaji.console.request import (
    NOTICE_LIFETIME_S,
    PageRequest,
    error_page,
    error_values,
    is_from_other_site,
    previous_path,
    render_page,
)
from gaji.console.routes import PAGES
from gaji.core.errors import (
    Conflict,
    Forbidden,
    GajiError,
    MethodNotAllowed,
    Unauthenticated,
    Unavailable,
    ValidationError,
)
from gaji.db.replica import ReplicaFailed
from gaji.db.tenancy import StaleAccess
from gaji.identity import sessions
from gaji.web import problems
from gaji.web.app_state import AppState
from gaji.web.asgi import (
    MAX_BODY_BYTES,
    MAX_SIGNED_OUT_BYTES,
    HTTPApp,
    HTTPScope,
    Receive,
    Send,
    check_content_length,
    header,
    read_body,
    request_context,
)
from gaji.web.lifespan import Lifespan
from gaji.web.responses import HttpResponse, build_response, error_response, log_failure
from gaji.web.route_table import Route, RouteTable

OTHER_PREFIXES = frozenset({"docs", "problems", "openapi.json", "healthz", "metrics", "readyz", "v1", "api"})
"""First path segments that do not belong to the console."""
MAX_ATTEMPTS = 3
TOKEN_FIELD = "form_token"  # noqa: S105 - the name of a field
TOKEN_HEADER = b"x-form-token"


SIGN_OUT = "/sign-out"
FORM_KEPT = "You were signed out. Sign in to get your entries back"
FORM_LOST = cookies.REFUSAL_MARK + "You were signed out, so nothing was saved. Sign in and enter it again"


class SessionEnded(Unauthenticated):
    """There is no session. The headers keep the form that was sent, if any."""

    def __init__(self, saved_cookies: cookies.Headers) -> None:
        super().__init__("Please sign in")
        self.saved_cookies = saved_cookies


class Console:
    """Serves the pages of the console and passes all other requests on."""

    def __init__(self, lifespan: Lifespan, others: HTTPApp) -> None:
        self._lifespan = lifespan
        self._others = others
        self._routes = RouteTable(PAGES, base="")

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if _belongs_to_others(scope):
            await self._others(scope, receive, send)
            return
        try:
            route, values = self._routes.find(scope["method"], scope["path"])
        except GajiError as error:
            if _accepts_html(scope):
                await _signed_out_error_page(scope, error)(scope, receive, send)
            elif isinstance(error, MethodNotAllowed):
                await error_response(error, scope)(scope, receive, send)
            else:
                await self._others(scope, receive, send)
            return
        request_context(scope)["route"] = route.operation.path
        page_response = await self._respond(route, values, scope, receive)
        await page_response(scope, receive, send)

    async def _respond(
        self, route: Route[Page], values: Sequence[str], scope: HTTPScope, receive: Receive
    ) -> HttpResponse:
        request: PageRequest | None = None
        try:
            request = await self._load_request(route, values, scope, receive)
            page_response = await _run_handler(route.operation, request)
            # Pages for signing in are small, and do not wait for other pages.
            return await render_page(page_response, in_thread=not route.operation.public)
        except Unauthenticated as error:
            return self._redirect_to_sign_in(scope, error)
        except Exception as error:
            http_error = problems.to_http_error(error)
            if http_error.status >= 500:
                log_failure(error, http_error, request_context(scope)["request_id"])
            if not _accepts_html(scope):
                return error_response(http_error, scope)
            if request and (refusal := self._refuse_in_place(route.operation, request, http_error)):
                return refusal
            page = error_page(request, http_error) if request else _signed_out_error_page(scope, http_error)
            return await render_page(page, in_thread=False)

    def _refuse_in_place(self, page: Page, request: PageRequest, error: GajiError) -> HttpResponse | None:
        """Return to the page of the form, which says why nothing has changed. None if there is no such page."""
        is_refusal = isinstance(error, ValidationError | Conflict) and request.user is not None
        path = request.back_path if is_refusal and request.scope["method"] == "POST" else ""
        summary = summarise(error)
        if not self._is_page(path) or summary is None:
            return None
        refusal = page.confirm.refusal if isinstance(page.confirm, Confirmation) and isinstance(error, Conflict) else ""
        text = refusal or ": ".join(filter(None, (summary.headline, "; ".join(summary.lines))))
        return request.redirect(path, cookies.REFUSAL_MARK + text)

    def _is_page(self, path: str) -> bool:
        """Return whether a path can be opened. A page that asks for confirmation is only shown after a form."""
        try:
            self._routes.find("GET", path.partition("?")[0])
        except GajiError:
            return False
        return bool(path)

    def _redirect_to_sign_in(self, scope: HTTPScope, error: Unauthenticated) -> HttpResponse:
        """Redirect to the sign-in page, which continues with the requested page, or with the form that was sent."""
        saved_cookies = error.saved_cookies if isinstance(error, SessionEnded) else []
        query = scope["query_string"].decode("latin-1")
        path = f"{scope['path']}?{query}" if query else scope["path"]
        notices = []
        if scope["method"] == "POST":
            path = unsent_forms.PATH if saved_cookies else previous_path(scope)
            if not self._is_page(path):
                path = "/"
            if _accepts_html(scope) and scope["path"] != SIGN_OUT:
                notice = FORM_KEPT if saved_cookies else FORM_LOST
                notices = [cookies.set_cookie(scope, cookies.NOTICE, notice, NOTICE_LIFETIME_S)]
        next_query = f"?next={quote(path, safe='/')}" if path not in ("", "/") else ""
        headers = (
            [cookies.clear_cookie(scope, cookies.SESSION)] if cookies.SESSION in cookies.read_cookies(scope) else []
        )
        location = ("Location", f"/sign-in{next_query}")
        return build_response(303, b"", HTML, [*PAGE_HEADERS, *headers, *saved_cookies, *notices, location])

    async def _load_request(
        self, route: Route[Page], values: Sequence[str], scope: HTTPScope, receive: Receive
    ) -> PageRequest:
        state = self._lifespan.state()
        max_bytes = MAX_SIGNED_OUT_BYTES if route.operation.public else MAX_BODY_BYTES
        check_content_length(scope, max_bytes)
        stored = {} if route.operation.static else cookies.read_cookies(scope)
        token = stored.get(cookies.SESSION, "")
        user = await sessions.find_session(state.pool, token) if token else None
        if user is None and not route.operation.public:
            raise SessionEnded(await _keep_form(scope, receive, state, token))
        if user is not None:
            request_context(scope).update(account_id=user.caller.account_id, user_id=user.caller.user_id)
        account_id = user.caller.account_id if user else 0
        body = await read_body(receive, account_id, max_bytes) if route.operation.method == "POST" else b""
        secret = token if user else stored.get(cookies.VISITOR, "")
        request = PageRequest(scope, state, {}, {}, body, user, secret, stored.get(cookies.NOTICE, ""))
        if not secret:
            request.secret = cookies.new_visitor_secret()
            request.headers.append(cookies.set_cookie(scope, cookies.VISITOR, request.secret))
        if route.operation.method == "POST":
            _require_form_token(request)
            keeps_form = route.operation.path in step_up.PATHS
            if user is not None and cookies.UNSENT_FORM in stored and not keeps_form:
                request.headers.append(cookies.clear_cookie(scope, cookies.UNSENT_FORM))
        request.ids, request.names = route.parse_values(values)
        request.allows_replica = route.operation.allows_replica
        return request


async def _run_handler(page: Page, request: PageRequest) -> HttpResponse:
    """Run the handler, again if the user's access changed since the session was loaded, or if the replica failed."""
    for _ in range(MAX_ATTEMPTS):
        try:
            return await page.handler(request)
        except StaleAccess:
            # The first transaction did not open, so the handler has changed nothing yet.
            token = cookies.read_cookies(request.scope).get(cookies.SESSION, "")
            request.user = await sessions.find_session(request.state.pool, token)
            request.forget_tenancy()
            if request.user is None:
                raise Unauthenticated("Please sign in") from None
        except ReplicaFailed:
            request.allows_replica = False
            request.forget_tenancy()
    raise Unavailable("Your access is being changed; please try again", retry_after_s=1)


async def _keep_form(scope: HTTPScope, receive: Receive, state: AppState, token: str) -> cookies.Headers:
    """Return the cookie that keeps a form whose session has ended, so that it comes back after sign-in."""
    if scope["method"] != "POST" or not token:
        return []
    try:
        check_content_length(scope, MAX_SIGNED_OUT_BYTES)
        request = PageRequest(scope, state, {}, {}, await read_body(receive, 0, MAX_SIGNED_OUT_BYTES), None, token)
        value = unsent_forms.seal_form(request, _require_form_token(request))
    except GajiError:
        return []
    return [cookies.set_cookie(scope, cookies.UNSENT_FORM, value, unsent_forms.LIFETIME_S)] if value else []


def _require_form_token(request: PageRequest) -> int:
    """Reject forms that were not rendered by the console for this session. Return the user who filled in the form."""
    if is_from_other_site(request.scope):
        raise Forbidden("This form was sent from another site, so nothing was saved")
    token = header(request.scope, TOKEN_HEADER) or request.form.get(TOKEN_FIELD, "")
    user_id = cookies.read_form_token(request.secret, token)
    if user_id is None:
        raise Forbidden("This form has expired, so nothing was saved. Go back, reload the page and try again")
    return user_id


def _belongs_to_others(scope: HTTPScope) -> bool:
    # The path of `OPTIONS *` has no slash.
    first = scope["path"].partition("/")[2].partition("/")[0]
    return first in OTHER_PREFIXES or (not first and not _accepts_html(scope))


def _accepts_html(scope: HTTPScope) -> bool:
    """Return whether the client is a browser. Other clients get problem documents."""
    return "text/html" in (header(scope, b"accept") or "")


def _signed_out_error_page(scope: HTTPScope, error: GajiError) -> HttpResponse:
    """Return the error page for a request whose session was not loaded."""
    values = {"user": None, "company": None, "form_token": "", "notice": "", "is_refusal": False, "path": scope["path"]}
    values["next_company"] = None
    text = render("error.html", error=error, **error_values(scope), **values)
    return build_response(error.status, text.encode(), HTML, [*PAGE_HEADERS, *error.headers.items()])
