"""The request for a console page, and the responses that a page can give."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from gaji.company.clients import service as clients
from gaji.company.clients.service import ClientMembership
from gaji.console import cookies
from gaji.console.glossary import ROLE_NAMES
from gaji.console.rendering import HTML, PAGE_HEADERS, render
from gaji.console.uploads import MULTIPART, parse_multipart
from gaji.core.errors import Forbidden, GajiError, MalformedRequest, NotFound, Unauthenticated
from gaji.core.threads import PAGES
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant
from gaji.db.tenant_reader import RequestedRecord
from gaji.identity.sessions import SignedInUser
from gaji.people.self_service.service import EmployeeAccess
from gaji.web.app_state import AppState
from gaji.web.asgi import HTTPScope, header, request_context, site_url
from gaji.web.responses import HttpResponse, build_response

LOCAL_PATH = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")
"""A path of the console. A path that starts with two slashes would be another site."""
FORM_TYPE = "application/x-www-form-urlencoded"
MAX_FIELDS = 20_000
PAGE_SIZES = (50, 100, 200, 500)
"""The numbers of rows that a list can show."""
MAX_PAGE_NUMBER = 1_000_000
NOTICE_LIFETIME_S = 60
COLLECTIONS = {
    "client_id": "clients",
    "employee_id": "employees",
    "payment_run_id": "payment_runs",
    "payslip_id": "payslips",
}
"""The collection of the record that a path starts with, by the name of its ID."""


class UnrenderedPage(HttpResponse, frozen=True, kw_only=True):
    """A page whose template has not been rendered yet, because that can take long."""

    build: Callable[[], HttpResponse]


async def render_page(response: HttpResponse, *, in_thread: bool) -> HttpResponse:
    """Return the response, after rendering it if it is an unrendered page."""
    if not isinstance(response, UnrenderedPage):
        return response
    return await PAGES.run(response.build) if in_thread else response.build()


@dataclass
class PageRequest:
    """A request for a page: path parameters, query, form, session and the ways to respond."""

    scope: HTTPScope
    state: AppState
    ids: Mapping[str, int]
    """Path parameters that are IDs."""
    names: Mapping[str, str]
    """The other path parameters."""
    body: bytes
    user: SignedInUser | None
    """The signed-in user."""
    secret: str
    """Signs the forms on the page: the session token, or the visitor cookie before sign-in."""
    notice: str = ""
    """The message of the previous page, shown once."""
    headers: cookies.Headers = field(default_factory=list)
    """Headers that every response to this request carries."""
    access: EmployeeAccess | None = None
    """The employments of the user, if they were loaded."""
    allows_replica: bool = False
    """Whether a replica may serve the reads of the page."""

    @cached_property
    def tenant(self) -> Tenant:
        """The tenancy of the signed-in user, which services run in.

        On a page about one record, only the company of that record is visible.
        """
        records = ((COLLECTIONS[name], record_id) for name, record_id in self.ids.items() if name in COLLECTIONS)
        return self._enter(next(records, None))

    @cached_property
    def tenant_of_all_companies(self) -> Tenant:
        """The tenancy of the signed-in user with all companies, whatever the page is about."""
        return self._enter(None)

    def _enter(self, record: RequestedRecord | None) -> Tenant:
        if self.user is None:
            raise Unauthenticated("Please sign in")
        return Tenant(
            self.state.pool,
            self.state.vault,
            self.user.caller,
            request_context(self.scope)["request_id"],
            actor="console",
            allows_replica=self.allows_replica,
            record=record,
        )

    def forget_tenancy(self) -> None:
        """Build the tenancy again when it is next used, because the user or the replica changed."""
        for name in ("tenant", "tenant_of_all_companies"):
            self.__dict__.pop(name, None)

    @cached_property
    def query(self) -> dict[str, str]:
        """Query parameters. A repeated parameter has its last value."""
        return {name: values[-1] for name, values in self.queries.items()}

    @cached_property
    def queries(self) -> dict[str, list[str]]:
        """Query parameters with all their values."""
        return _parse_form(self.scope["query_string"])

    @cached_property
    def form(self) -> dict[str, str]:
        """Submitted form fields. A repeated field has its last value."""
        return {name: values[-1] for name, values in self.fields.items()}

    @cached_property
    def fields(self) -> dict[str, list[str]]:
        """Submitted form fields with all their values."""
        media_type = self._content_type.partition(";")[0].strip().lower()
        if media_type == MULTIPART:
            return self._multipart[0]
        return _parse_form(self.body) if media_type == FORM_TYPE else {}

    @property
    def files(self) -> dict[str, bytes]:
        """Uploaded files by field name."""
        return self._multipart[1] if self._content_type.lower().startswith(MULTIPART) else {}

    @cached_property
    def _multipart(self) -> tuple[dict[str, list[str]], dict[str, bytes]]:
        return parse_multipart(self._content_type, self.body)

    @property
    def _content_type(self) -> str:
        return header(self.scope, b"content-type") or ""

    @property
    def path(self) -> str:
        """The requested path."""
        return self.scope["path"]

    @property
    def address(self) -> str:
        """The client's network address."""
        client = self.scope["client"]
        return client[0] if client else ""

    @property
    def is_late(self) -> bool:
        """Whether the form records late news about a finalised period."""
        return self.form.get("late") == "true"

    @property
    def back_path(self) -> str:
        """The page that the form was on, or an empty string."""
        path = self.form.get("back", "") or previous_path(self.scope)
        return path if LOCAL_PATH.fullmatch(path) else ""

    def page_number(self) -> int:
        """Return the requested page of a list, counted from 1."""
        text = self.query.get("page", "1")
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_PAGE_NUMBER))
        return min(max(int(text), 1), MAX_PAGE_NUMBER) if is_number else 1

    def list_page(self, size: int) -> ListPage:
        """Return the requested page of a list. `size` is the number of rows, unless the query chooses another one."""
        chosen = self.query.get("per_page", "")
        return ListPage(self.page_number(), int(chosen) if chosen in map(str, PAGE_SIZES) else size)

    def url_with(self, **changes: str) -> str:
        """Return the URL of the page with other parameters, from the first page on. An empty text removes one."""
        pairs = [
            (name, value)
            for name, values in self.queries.items()
            if name not in ("page", "format", *changes)
            for value in values
            if value
        ]
        query = urlencode([*pairs, *((name, value) for name, value in changes.items() if value)])
        return f"{self.path}?{query}" if query else self.path

    async def companies(self) -> list[ClientMembership]:
        """Load the user's companies."""
        return await clients.list_memberships(self.tenant_of_all_companies)

    async def company(self, client_id: int) -> ClientMembership:
        """Load one of the user's companies. Raises NotFound for any other."""
        company = await clients.find_membership(self.tenant, client_id)
        if company is None:
            raise NotFound(f"Company {client_id} does not exist")
        return company

    async def writable_company(self, client_id: int) -> ClientMembership:
        """Load a company that the user may change. Raises Forbidden if the role is read-only."""
        company = await self.company(client_id)
        if not company.can_write:
            raise Forbidden(f"Your role ({ROLE_NAMES[company.role].lower()}) can view {company.name} but not change it")
        return company

    @property
    def acting_user_id(self) -> int:
        """The ID of the user that the session acts as, or 0 without a session."""
        return self.user.caller.user_id if self.user else 0

    def render(self, template: str, /, *, status: int = 200, **values: Any) -> HttpResponse:
        """Return the page that a template renders. The console renders it in a thread."""
        token = cookies.form_token(self.secret, self.acting_user_id) if self.secret else ""
        defaults = {
            "user": self.user,
            "form_token": token,
            "notice": self.notice.removeprefix(cookies.REFUSAL_MARK),
            "is_refusal": self.notice.startswith(cookies.REFUSAL_MARK),
            "path": self.path,
            "submitted": self.form,
            "site_url": site_url(self.scope),
            "company": None,
            "access": self.access,
            "employment": None,
            "next_company": None,
            "waiting_here": None,
        }

        def build() -> HttpResponse:
            return self.respond(status, render(template, **{**defaults, **values}).encode(), HTML)

        return UnrenderedPage(status, [], b"", build=build)

    def respond(
        self, status: int, body: bytes, media_type: str, *headers: tuple[str, str], file: Any = None
    ) -> HttpResponse:
        """Return a response that browsers do not cache."""
        if self.notice:
            self.headers.append(cookies.clear_cookie(self.scope, cookies.NOTICE))
        return build_response(status, body, media_type, [*PAGE_HEADERS, *self.headers, *headers], file)

    def redirect(self, path: str, notice: str = "") -> HttpResponse:
        """Redirect to another page, which shows the notice."""
        if notice:
            text = notice[: cookies.MAX_NOTICE_CHARACTERS]
            self.headers.append(cookies.set_cookie(self.scope, cookies.NOTICE, text, NOTICE_LIFETIME_S))
        return build_response(303, b"", HTML, [*PAGE_HEADERS, *self.headers, ("Location", path)])


def previous_path(scope: HTTPScope) -> str:
    """Return the page of this site that the request comes from, or an empty string."""
    address = urlsplit(header(scope, b"referer") or "")
    if address.netloc != (header(scope, b"host") or ""):
        return ""
    return f"{address.path}?{address.query}" if address.query else address.path


def is_from_other_site(scope: HTTPScope) -> bool:
    """Return whether another site has sent the request, as far as the browser says it."""
    return header(scope, b"sec-fetch-site") in ("cross-site", "same-site")


def error_page(request: PageRequest, error: GajiError) -> HttpResponse:
    """Return the page for an error."""
    request.headers += error.headers.items()
    return request.render("error.html", status=error.status, error=error, **error_values(request.scope))


def error_values(scope: HTTPScope) -> dict[str, str | bool]:
    """Return what an error page shows of the request: its ID, whether it is a GET, and the way to try again."""
    is_form = scope["method"] == "POST"
    query = scope["query_string"].decode("latin-1")
    path = previous_path(scope) if is_form else scope["path"] + (f"?{query}" if query else "")
    return {
        "request_id": request_context(scope)["request_id"],
        "is_get": scope["method"] == "GET",
        "retry_path": path if LOCAL_PATH.fullmatch(path) else "",
        "retry_label": "Back to the form" if is_form else "Try again",
    }


def page_not_found(request: PageRequest) -> NotFound:
    """Return the error for a path that no page has."""
    return NotFound(f"No page found at {request.path[:200]}")


def _parse_form(text: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(text.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except (UnicodeDecodeError, ValueError):
        raise MalformedRequest("The form could not be read") from None
