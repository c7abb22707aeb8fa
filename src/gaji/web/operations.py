"""Operations: one method on one path, with all that is to be known about it in one place.

A resource's `api` declares its operations on a `Routes`. From the declarations come the routing, the checks that hold
for every request, the OpenAPI document and the table of the tenancy test.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import IO, Any
from urllib.parse import parse_qs

import msgspec
from litestar.types import HTTPScope

from gaji.core.errors import MalformedRequest
from gaji.core.validation import JsonSchema
from gaji.db.json_lists import Page, array_of, bare_array
from gaji.db.tenancy import Tenant
from gaji.web import paging
from gaji.web.asgi import header, origin

JSON = "application/json"
RULES_VERSION = "X-Rules-Version"
WRITING = ("POST", "PUT", "PATCH", "DELETE")

_decode_exactly = msgspec.json.Decoder(float_hook=Decimal).decode


class Response(msgspec.Struct, frozen=True):
    """What an operation answers: bytes of JSON as a rule, with 200."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    media_type: str = JSON
    file: IO[bytes] | None = None
    """In place of a body that would be too large to hold; it is sent in pieces and closed."""

    def by_rules(self, versions: Iterable[str]) -> "Response":
        """The same, saying with which sets of the law's figures it was calculated."""
        named = ", ".join(sorted(versions))
        return msgspec.structs.replace(self, headers={**self.headers, RULES_VERSION: named}) if named else self


class Request(msgspec.Struct, dict=True):
    """One request to one operation, authenticated and within its limits."""

    tenant: Tenant
    operation: "Operation"
    ids: Mapping[str, int]
    """The identifiers in the path."""
    names: Mapping[str, str]
    """The other parameters in the path."""
    scope: HTTPScope
    """What the server knows of the request."""
    raw_body: bytes

    @property
    def query_string(self) -> bytes:
        """What follows the question mark."""
        return self.scope["query_string"]

    @property
    def address(self) -> str:
        """Scheme, host and path of the request, for links."""
        return origin(self.scope) + self.scope["path"]

    @property
    def accepted(self) -> str:
        """The media types that the caller asks for, as they were sent."""
        return header(self.scope, b"accept") or ""

    @cached_property
    def query(self) -> dict[str, list[str]]:
        """The query parameters, each with all its values."""
        return parse_qs(self.query_string.decode("latin-1"), keep_blank_values=True)

    @cached_property
    def page(self) -> Page | None:
        """The page that was asked for, if any was."""
        return paging.parse_page(self.query) if self.query_string else None

    @cached_property
    def value(self) -> Any:
        """The JSON value in the body; exact decimals, no floats."""
        if not self.raw_body:
            raise MalformedRequest("The body is empty; send a JSON object")
        try:
            return _decode_exactly(self.raw_body)
        except InvalidOperation:
            raise MalformedRequest("The body has a number that is beyond all bounds") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise MalformedRequest(f"The body is not JSON: {error or 'it is nested too deeply'}") from None

    @cached_property
    def body(self) -> dict[str, Any]:
        """The JSON object in the body."""
        if not isinstance(self.value, dict):
            raise MalformedRequest("The body must be a JSON object")
        return self.value

    def listed(self, resource: str, found: tuple[list[str], int]) -> Response:
        """The answer of a list: a bare array, with the paging headers when a page was asked for."""
        elements, total = found
        return Response(array_of(resource, elements), headers=self._paging(total))

    def listed_bare(self, found: tuple[list[str], int]) -> Response:
        """The answer of a list whose elements are not wrapped."""
        elements, total = found
        return Response(bare_array(elements), headers=self._paging(total))

    def _paging(self, total: int) -> dict[str, str]:
        return paging.paging_headers(self.page, total, self.address, self.query) if self.page else {}


def answer(value: object, **headers: str) -> Response:
    """An answer of plain values."""
    return Response(msgspec.json.encode(value), headers=headers)


def saved(message: str, *, warnings: Mapping[str, str] | None = None, **values: object) -> Response:
    """The answer of a write: a message, what the caller needs to go on, and warnings when there are any."""
    body: dict[str, object] = {"message": message, **values}
    if warnings:
        body["warnings"] = warnings
    return answer(body)


def is_identifier(parameter: str) -> bool:
    """Whether a parameter of a path is the number of a record."""
    return parameter == "id" or parameter.endswith("_id")


Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class QueryParameter:
    """A query parameter for the documentation."""

    name: str
    schema: JsonSchema
    description: str


@dataclass(frozen=True)
class Operation:
    """One method on one path. `{client_id}` in it is an identifier, `{list_name}` a word, `{id}.pdf` has an ending."""

    method: str
    path: str
    handler: Handler
    tag: str
    summary: str
    answers: JsonSchema | None = None
    """The schema of the JSON that it answers; without one it answers files alone."""
    files: Sequence[str] = ()
    """The media types of files that it answers where they are asked for."""
    takes: JsonSchema | None = None
    """The schema of the body; without one a body is ignored."""
    takes_file: str | None = None
    """The media type of a file that the body is, in place of JSON."""
    example: Any = None
    """An answer as it may look."""
    query: Sequence[QueryParameter] = ()
    paged: bool = False
    by_rules: bool = False
    """Whether the answer has amounts that the law's figures gave."""
    writes: bool = False
    statuses: Sequence[int] = ()
    """Refusals beyond those that every operation can give."""
    not_yet: str = ""
    """When it answers 202 with a message alone, in words."""
    nothing_yet: str = ""
    """When it answers 204, in words."""

    @property
    def name(self) -> str:
        """The name of the operation in the OpenAPI document."""
        return self.handler.__name__


class Router:
    """The operations of one resource, in the order of their declaration."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.operations: list[Operation] = []

    def get(self, path: str, **details: Any) -> Callable[[Handler], Handler]:
        """Declare a read."""
        return self._declare("GET", path, **details)

    def post(self, path: str, **details: Any) -> Callable[[Handler], Handler]:
        """Declare a write that creates or acts."""
        return self._declare("POST", path, **details)

    def patch(self, path: str, **details: Any) -> Callable[[Handler], Handler]:
        """Declare a write that changes what is supplied."""
        return self._declare("PATCH", path, **details)

    def put(self, path: str, **details: Any) -> Callable[[Handler], Handler]:
        """Declare a write that replaces."""
        return self._declare("PUT", path, **details)

    def delete(self, path: str, **details: Any) -> Callable[[Handler], Handler]:
        """Declare a removal."""
        return self._declare("DELETE", path, **details)

    def _declare(self, method: str, path: str, **details: Any) -> Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            summary = (handler.__doc__ or "").strip().splitlines()[0]
            details.setdefault("writes", method in WRITING)
            self.operations.append(Operation(method, path, handler, tag=self.tag, summary=summary, **details))
            return handler

        return declare
