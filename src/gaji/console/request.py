"""A request: one request to one page, by someone who is signed in or about to be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs

from litestar.types import HTTPScope

from gaji.company.clients import service as clients
from gaji.company.clients.service import ClientOfCaller
from gaji.console import cookies
from gaji.console.rendering import HTML, PAGE_HEADERS, render
from gaji.console.uploads import MULTIPART, parts_of
from gaji.core.errors import Forbidden, GajiError, MalformedRequest, NotFound, Unauthenticated
from gaji.db.json_lists import Page as ListPage
from gaji.db.tenancy import Tenant
from gaji.identity.sessions import Person
from gaji.people.self_service.service import Standing
from gaji.web.responses import Response, response
from gaji.web.asgi import header, request_notes
from gaji.web.dispatch import Service

FORM = "application/x-www-form-urlencoded"
MOST_FIELDS = 20_000
MOST_PAGE = 1_000_000
NOTICE_S = 60


@dataclass
class PageRequest:
    """What a page gets to know of a request, and how it answers."""

    scope: HTTPScope
    service: Service
    ids: Mapping[str, int]
    names: Mapping[str, str]
    body: bytes
    person: Person | None
    secret: str
    """What the forms on the page are signed with: the token of the session, or that of a visitor."""
    notice: str = ""
    headers: cookies.Headers = field(default_factory=list)
    """To be sent with whatever is answered."""
    standing: Standing | None = None
    """Whether they are an employee of a company, where that was asked."""

    @cached_property
    def tenant(self) -> Tenant:
        """The way to the services, in the tenancy of whoever is signed in."""
        if self.person is None:
            raise Unauthenticated("Please sign in")
        request_id = request_notes(self.scope)["request_id"]
        return Tenant(self.service.pool, self.service.vault, self.person.caller, request_id, actor="console")

    @cached_property
    def query(self) -> dict[str, str]:
        """The query parameters; of one that is there twice, the last."""
        return {name: values[-1] for name, values in self.queries.items()}

    @cached_property
    def queries(self) -> dict[str, list[str]]:
        """The query parameters, each with all its values."""
        return _parsed(self.scope["query_string"])

    @cached_property
    def form(self) -> dict[str, str]:
        """What was filled in; of a field that is there twice, the last."""
        return {name: values[-1] for name, values in self.fields.items()}

    @cached_property
    def fields(self) -> dict[str, list[str]]:
        """What was filled in, each field with all its values."""
        kind = self._content_type.partition(";")[0].strip().lower()
        if kind == MULTIPART:
            return self._parts[0]
        return _parsed(self.body) if kind == FORM else {}

    @property
    def files(self) -> dict[str, bytes]:
        """The files that were sent along."""
        return self._parts[1] if self._content_type.lower().startswith(MULTIPART) else {}

    @cached_property
    def _parts(self) -> tuple[dict[str, list[str]], dict[str, bytes]]:
        return parts_of(self._content_type, self.body)

    @property
    def _content_type(self) -> str:
        return header(self.scope, b"content-type") or ""

    @property
    def path(self) -> str:
        """The path that was asked for."""
        return self.scope["path"]

    @property
    def address(self) -> str:
        """Where the request comes from."""
        client = self.scope["client"]
        return client[0] if client else ""

    def page_number(self) -> int:
        """The page of a list that was asked for, from 1."""
        text = self.query.get("page", "1")
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_PAGE))
        return min(max(int(text), 1), MOST_PAGE) if is_number else 1

    def list_page(self, size: int) -> ListPage:
        """The same for services."""
        return ListPage(self.page_number(), size)

    async def companies(self) -> list[ClientOfCaller]:
        """The companies of whoever is signed in."""
        return await clients.list_with_roles(self.tenant)

    async def company(self, client_id: int) -> ClientOfCaller:
        """One of them; raises NotFound for any other."""
        found = await clients.find_with_role(self.tenant, client_id)
        if found is None:
            raise NotFound(f"There is no client {client_id}")
        return found

    async def own_company(self, client_id: int) -> ClientOfCaller:
        """One that whoever is signed in may change; raises Forbidden for one that they only read."""
        found = await self.company(client_id)
        if not found.writes:
            raise Forbidden(f"The role {found.role} may read client {client_id} but not change it")
        return found

    def show(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """The page that a template makes."""
        token = cookies.form_token(self.secret) if self.secret else ""
        known = {"person": self.person, "form_token": token, "notice": self.notice, "path": self.path, "company": None}
        text = render(template, **{**known, "standing": self.standing, "job": None, **values})
        return self.send(status, text.encode(), HTML)

    def send(self, status: int, body: bytes, media_type: str, *headers: tuple[str, str], file: Any = None) -> Response:
        """An answer that no browser keeps."""
        if self.notice:
            self.headers.append(cookies.forget(self.scope, cookies.NOTICE))
        return response(status, body, media_type, [*PAGE_HEADERS, *self.headers, *headers], file)

    def go(self, path: str, notice: str = "") -> Response:
        """Lead on to another page, with a word to show there."""
        if notice:
            self.headers.append(
                cookies.keep(self.scope, cookies.NOTICE, notice[: cookies.MOST_NOTICE_CHARACTERS], NOTICE_S)
            )
        return response(303, b"", HTML, [*PAGE_HEADERS, *self.headers, ("Location", path)])


def problem(request: PageRequest, error: GajiError) -> Response:
    """The page that says what was refused, in the words of the API."""
    request.headers += error.headers.items()
    request_id = request_notes(request.scope)["request_id"]
    return request.render("error.html", status=error.status, error=error, request_id=request_id)


def _parsed(text: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(text.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except (UnicodeDecodeError, ValueError):
        raise MalformedRequest("The form could not be read") from None
