"""Operations: declarations of the API, each one method on one path.

The `endpoints` module of a resource declares its operations on a `Router`. The routing, the checks before each request,
the OpenAPI document and the tenancy tests are derived from these declarations.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, Any, TypedDict, Unpack
from urllib.parse import unquote

import msgspec

from gaji.core.errors import ErrorCode, MalformedRequest, invalid
from gaji.core.field_types import FieldType, JsonSchema
from gaji.core.validation import RequestBody
from gaji.db.json_lists import ListPage, bare_json_array, json_array
from gaji.db.record_changes import ChangedRecords, ChangeRequest
from gaji.db.tenancy import Tenant
from gaji.db.tenant_reader import RequestedRecord
from gaji.web import paging
from gaji.web.asgi import HTTPScope, header, public_url
from gaji.web.json_body import decode_json
from gaji.web.query_parameters import QueryParameter
from gaji.web.sparse_fields import RecordForm, record_form
from gaji.web.updated_since import UPDATED_SINCE, change_headers, requested_changes

JSON = "application/json"
RULES_VERSION = "X-Rules-Version"
REPLAYED = "Idempotent-Replayed"
WRITE_METHODS = ("POST", "PUT", "PATCH", "DELETE")

FIRST_RECORD = re.compile(r"/(\w+)/{(\w+)}")
"""The start of a path that is about one record: its collection, and the name of its ID."""
NOT_OF_ONE_CLIENT = ("constants", "webhook_endpoints")
"""Collections whose elements do not each belong to one client."""

INTEGER_TOO_LONG = ErrorCode("integer_too_long", "contains an integer that is too long")


class Response(msgspec.Struct, frozen=True):
    """The response of an operation. Default: JSON with status 200."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    media_type: str = JSON
    file: IO[bytes] | None = None
    """Sent instead of the body, in chunks, and then closed. For content too large to hold in memory."""

    def with_rules_version(self, versions: Iterable[str]) -> "Response":
        """Return the response with a header that names the versions of the statutory parameters."""
        names = ", ".join(sorted(set(versions)))
        return msgspec.structs.replace(self, headers={**self.headers, RULES_VERSION: names}) if names else self


class Request(msgspec.Struct, dict=True):
    """An authenticated request to an operation."""

    tenant: Tenant
    operation: "Operation"
    ids: Mapping[str, int]
    """The identifiers in the path."""
    names: Mapping[str, str]
    """The other parameters in the path."""
    parameters: Mapping[str, Any]
    """The declared parameters that the request has, parsed: those of the query, and those in `path_types`."""
    scope: HTTPScope
    raw_body: bytes
    prepared: Any = None
    """The result of `Operation.prepare`."""

    @property
    def query_string(self) -> bytes:
        """The part of the URL after the question mark."""
        return self.scope["query_string"]

    @property
    def url(self) -> str:
        """The URL without its query, for links."""
        return public_url(self.scope) + self.scope["path"]

    @property
    def accept_header(self) -> str:
        """The Accept header."""
        return header(self.scope, b"accept") or ""

    @cached_property
    def query(self) -> dict[str, list[str]]:
        """The query parameters as they were sent, each with all its values."""
        return parse_query_string(self.query_string)

    @property
    def page(self) -> ListPage | None:
        """The requested page, or None for the complete list."""
        return paging.requested_page(self.parameters)

    @cached_property
    def json_value(self) -> Any:
        """The JSON value of the body. Numbers with a fraction are decimals."""
        if not self.raw_body:
            raise MalformedRequest("The body is empty; send a JSON object")
        try:
            return decode_json(self.raw_body)
        except msgspec.ValidationError:  # The only values without a representation are integers of thousands of digits.
            raise invalid("body", INTEGER_TOO_LONG) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise MalformedRequest(f"The body is not JSON: {error or 'it is nested too deeply'}") from None

    @cached_property
    def body(self) -> RequestBody:
        """The JSON object of the body."""
        if not isinstance(self.json_value, dict):
            raise MalformedRequest("The body must be a JSON object")
        return RequestBody(self.json_value)

    @property
    def warnings(self) -> Mapping[str, str]:
        """The warnings about the body, as far as it has been parsed."""
        return self.body.warnings if "body" in self.__dict__ else {}

    @property
    def changes(self) -> ChangeRequest | None:
        """The requested changes, or None for a list of records. Raises ValidationError."""
        return requested_changes(self.parameters)

    def changes_response(self, resource: str | None, records: ChangedRecords) -> Response:
        """Return the response for the changed records of a list, with the cursor for the next request.

        Without a resource, the elements are not wrapped.
        """
        elements = records.elements
        body = bare_json_array(elements) if resource is None else json_array(resource, elements)
        return Response(body, headers=change_headers(records, self.url, self.query))

    def list_response(
        self, resource: str, elements_and_total: tuple[list[str], int], page: ListPage | None = None
    ) -> Response:
        """Return the response for a list: an array of wrapped elements, with paging headers if it is a page.

        Default: the requested page. Lists that are always in pages pass theirs.
        """
        elements, total = elements_and_total
        return Response(json_array(resource, elements), headers=self._paging_headers(total, page or self.page))

    def bare_list_response(self, elements_and_total: tuple[list[str], int]) -> Response:
        """Return the response for a list whose elements are not wrapped."""
        elements, total = elements_and_total
        return Response(bare_json_array(elements), headers=self._paging_headers(total, self.page))

    def _paging_headers(self, total: int, page: ListPage | None) -> dict[str, str]:
        return paging.paging_headers(page, total, self.url, self.query) if page else {}


def parse_query_string(query_string: bytes) -> dict[str, list[str]]:
    """Return the parameters of a query, each with all its values, also empty ones.

    This is `urllib.parse.parse_qs`, which takes several times as long.

    >>> parse_query_string(b"ids=1&ids=2&email=siti%40example.com&search=")
    {'ids': ['1', '2'], 'email': ['siti@example.com'], 'search': ['']}
    """
    values: dict[str, list[str]] = {}
    text = query_string.decode("latin-1").replace("+", " ")
    decode = unquote if "%" in text else str
    for part in text.split("&"):
        if part:
            name, _, value = part.partition("=")
            values.setdefault(decode(name), []).append(decode(value))
    return values


def json_response(value: object, **headers: str) -> Response:
    """Return a response with a value as JSON."""
    return Response(msgspec.json.encode(value), headers=headers)


def saved_response(message: str, *, warnings: Mapping[str, str] | None = None, **values: object) -> Response:
    """Return the response to a write: a message, further values such as the ID, and any warnings."""
    body: dict[str, object] = {"message": message, **values}
    if warnings:
        body["warnings"] = warnings
    return json_response(body)


def pending_response(message: str, *, warnings: Mapping[str, str] | None = None, **values: object) -> Response:
    """Return the response to a write that was accepted but has not taken effect: status 202."""
    return msgspec.structs.replace(saved_response(message, warnings=warnings, **values), status=202)


def is_identifier(parameter: str) -> bool:
    """Return whether a path parameter is the ID of a record in Gaji."""
    return parameter == "id" or (parameter.endswith("_id") and parameter != "external_id")


Handler = Callable[[Request], Awaitable[Response]]
Prepare = Callable[[Request], Awaitable[Any]]


@dataclass(frozen=True)
class Operation:
    """One method on one path.

    In the path, `{client_id}` is an identifier, `{list_name}` a word, and `{id}.pdf` has an extension.
    """

    method: str
    path: str
    handler: Handler
    tag: str
    summary: str
    response_schema: JsonSchema | None = None
    """The schema of the JSON response. None if the operation returns only files."""
    file_types: Sequence[str] = ()
    """The media types of files that the operation can return."""
    body_schema: JsonSchema | None = None
    """The schema of the body. If None, a body is ignored."""
    body_media_types: Sequence[str] = ()
    """The media types of the body, if it is a file instead of JSON."""
    body_example: Any = None
    """An example of the body. Default: the examples of its attributes."""
    example: Any = None
    """An example of the response."""
    query: Sequence[QueryParameter] = ()
    query_example: Mapping[str, Any] = field(default_factory=dict)
    """The query parameters of the sample request, if it needs any."""
    checks_query: bool = False
    """Whether the handler validates the query itself, because the path decides which parameters are allowed."""
    path_types: Mapping[str, FieldType] = field(default_factory=dict)
    """The types of path parameters that are neither identifiers nor names of records."""
    path_schemas: Mapping[str, JsonSchema] = field(default_factory=dict)
    """The schemas of path parameters that are not parsed, such as names from a fixed list."""
    paged: bool = False
    has_changes: bool = False
    """Whether `updated_since` limits the list to changed records."""
    has_rules_version: bool = False
    """Whether the response has a header with the versions of the statutory parameters."""
    headers: Sequence[str] = ()
    """Further response headers, described in the OpenAPI document."""
    writes: bool = False
    allows_replica: bool = False
    """Whether a replica may serve it. It only reads, and starts over on the primary if the replica fails."""
    allows_read_only_keys: bool = False
    """Whether a read-only key may call it although it writes: it does not change the client's data."""
    prepare: "Prepare | None" = None
    """Does what takes long and needs no transaction, before a request with an Idempotency-Key begins one."""
    error_statuses: Sequence[int] = ()
    """Error statuses in addition to those that every operation can return."""
    pending_when: str = ""
    """When the operation returns 202 instead, as a sentence."""
    pending_schema: JsonSchema | None = None
    """The schema of the response with 202. Default: a message only."""
    no_content_when: str = ""
    """When the operation returns 204, as a sentence."""

    @property
    def name(self) -> str:
        """The name of the operation in the OpenAPI document."""
        return self.handler.__name__

    @cached_property
    def _record_in_path(self) -> tuple[str, str] | None:
        """The collection and the name of the ID of the record of a client that the path starts with."""
        match = FIRST_RECORD.match(self.path)
        return (match[1], match[2]) if match and match[1] not in NOT_OF_ONE_CLIENT else None

    def requested_record(self, ids: Mapping[str, int]) -> RequestedRecord | None:
        """Return the record that a request is about, or None if it can concern several clients."""
        if self._record_in_path is None:
            return None
        collection, name = self._record_in_path
        return collection, ids[name]

    @cached_property
    def has_entity_tag(self) -> bool:
        """Whether it reads one record by its ID, so that its response has an ETag."""
        ends_with_id = re.search(r"{(id|\w+_id)}$", self.path) is not None
        return self.method == "GET" and ends_with_id and self.response_schema is not None

    @cached_property
    def query_parameters(self) -> Mapping[str, QueryParameter]:
        """All query parameters by name, those for changes, fields and paging included."""
        fields = (self.record_form.parameter,) if self.record_form else ()
        changes = (UPDATED_SINCE,) if self.has_changes else ()
        parameters = (*self.query, *changes, *fields, *(paging.PAGE_PARAMETERS if self.paged else ()))
        return {parameter.name: parameter for parameter in parameters}

    @cached_property
    def record_form(self) -> RecordForm | None:
        """The form of the records that a list or the read of one record returns, if it has named attributes."""
        reads_records = self.method == "GET" and (self.paged or self.has_entity_tag)
        return record_form(self.response_schema) if reads_records and not self.checks_query else None


class OperationDetails(TypedDict, total=False):
    """The optional fields of an operation."""

    response_schema: JsonSchema | None
    file_types: Sequence[str]
    body_schema: JsonSchema | None
    body_media_types: Sequence[str]
    body_example: Any
    example: Any
    query: Sequence[QueryParameter]
    query_example: Mapping[str, Any]
    checks_query: bool
    path_types: Mapping[str, FieldType]
    path_schemas: Mapping[str, JsonSchema]
    paged: bool
    has_changes: bool
    has_rules_version: bool
    headers: Sequence[str]
    writes: bool
    allows_replica: bool
    allows_read_only_keys: bool
    prepare: "Prepare | None"
    error_statuses: Sequence[int]
    pending_when: str
    pending_schema: JsonSchema | None
    no_content_when: str


class Router:
    """The operations of one resource, in the order of their declaration."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.operations: list[Operation] = []

    def get(self, path: str, **details: Unpack[OperationDetails]) -> Callable[[Handler], Handler]:
        """Declare a read."""
        return self._declare("GET", path, **details)

    def post(self, path: str, **details: Unpack[OperationDetails]) -> Callable[[Handler], Handler]:
        """Declare a write that creates a record or performs an action."""
        return self._declare("POST", path, **details)

    def patch(self, path: str, **details: Unpack[OperationDetails]) -> Callable[[Handler], Handler]:
        """Declare a partial update."""
        return self._declare("PATCH", path, **details)

    def put(self, path: str, **details: Unpack[OperationDetails]) -> Callable[[Handler], Handler]:
        """Declare a replacement."""
        return self._declare("PUT", path, **details)

    def delete(self, path: str, **details: Unpack[OperationDetails]) -> Callable[[Handler], Handler]:
        """Declare a deletion."""
        return self._declare("DELETE", path, **details)

    def _declare(self, method: str, path: str, **details: Unpack[OperationDetails]) -> Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            summary = (handler.__doc__ or "").strip().splitlines()[0]
            details.setdefault("writes", method in WRITE_METHODS)
            self.operations.append(Operation(method, path, handler, tag=self.tag, summary=summary, **details))
            return handler

        return declare
