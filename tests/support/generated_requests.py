"""Requests that are generated from the OpenAPI document, and checks of the responses against it."""

import http.client
import itertools
import json
import string
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import jsonschema_rs

from tests.support.generated_values import ValueGenerator
from tests.support.running import WAIT_S, Member
from tests.web.every_operation import TABLE, filled, tenant_with_records

EXPECTED_STATUSES = {200, 202, 304, 400, 403, 404, 409, 412, 415, 422, 429}
"""202 is for changes that a second person approves, 403 for cancelling those of others, 429 for more reports and
imports than may be queued."""
MAX_RESPONSE_S = 2.0
MAX_ATTEMPTS = 3
JSON = "application/json"
JSON_WEIGHT = 5
"""How many requests are sent to operations that read or take JSON, for each to another one: a file takes longer."""
NOT_AN_OBJECT = (b"", b"{", b"[]", b"null", b"1", b'"x"', b"\xff\xfe", b"\xef\xbb\xbf{}", b"PK\x03\x04", b"%PDF-1.4")
DEEP_OR_LONG = (b'{"a":' * 2000 + b"1" + b"}" * 2000, b"[" * 5000, b"x" * 100_000)
ODD_OBJECTS = (b"{}", b'{"a":1,"a":2}', b'{"a":NaN}', b'{"a":1e1000000}', b'{"a":"\\ud800"}', b'{"a":-0}')
ODD_BODIES = (*NOT_AN_OBJECT, *DEEP_OR_LONG, *ODD_OBJECTS)
NOT_IN_A_PATH = set("/\\?#\ud800")


@dataclass
class RequestLog:
    """The requests that were sent: how many received each status, the slowest, and failed checks."""

    responses: Counter[tuple[str, int]] = field(default_factory=Counter)
    slowest_s: float = 0
    slowest: str = ""
    failures: list[str] = field(default_factory=list)

    @property
    def statuses(self) -> Counter[int]:
        """How many responses had each status."""
        counts: Counter[int] = Counter()
        for (_, status), number in self.responses.items():
            counts[status] += number
        return counts

    def count(self, method: str, *statuses: int) -> int:
        """Return how many responses to a method had one of these statuses."""
        return sum(
            number
            for (label, status), number in self.responses.items()
            if label.split()[0] == method and status in statuses
        )

    def labels(self, *statuses: int) -> set[str]:
        """Return the operations that have responded with one of these statuses."""
        return {label for label, status in self.responses if status in statuses}

    def record(self, label: str, status: int, elapsed_s: float) -> None:
        """Count a response."""
        self.responses[label, status] += 1
        if elapsed_s > self.slowest_s:
            self.slowest_s, self.slowest = elapsed_s, label

    def __str__(self) -> str:
        counts = ", ".join(f"{number} x {status}" for status, number in sorted(self.statuses.items()))
        total = self.statuses.total()
        return f"{total} requests ({counts}), slowest {self.slowest_s:.2f} s ({self.slowest})"


@dataclass(frozen=True)
class DescribedOperation:
    """An operation as the OpenAPI document describes it."""

    label: str
    method: str
    path: str
    parameters: Sequence[Mapping[str, Any]]
    media_types: Sequence[str]
    """Of the body."""
    body_schema: Mapping[str, Any] | None
    responses: Mapping[str, Mapping[str, Any]]

    @property
    def weight(self) -> int:
        """How often it is called in comparison with others."""
        is_read = self.method == "GET" and JSON in self.responses["200"]["content"]
        return JSON_WEIGHT if is_read or self.body_schema else 1

    def placed(self, where: str) -> list[Mapping[str, Any]]:
        """Return the parameters in the path, the query or the headers."""
        return [parameter for parameter in self.parameters if parameter["in"] == where]


@dataclass(frozen=True)
class GeneratedRequest:
    """A request to an operation."""

    operation: DescribedOperation
    target: str
    headers: Mapping[str, str]
    body: bytes | None

    def __str__(self) -> str:
        return f"{self.operation.method} {self.target} {self.headers or ''} {(self.body or b'')[:300]!r}"


@dataclass(frozen=True)
class ReceivedResponse:
    """The response to a request."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    elapsed_s: float


def send_generated_requests(member: Member, number: int, seed: int, log: RequestLog) -> None:
    """Send requests to all operations and record the responses. The seed repeats the same requests.

    Records are deleted last.
    """
    document = member.service.http.get(f"{member.service.url}/openapi.json").json()
    generator = RequestGenerator(document, tenant_with_records(member), Random(seed))
    checks = ResponseChecks(document)
    with closing(Connection(member)) as connection:
        for request in generator.create(number):
            responses = connection.send_until_fast(request)
            elapsed_s = min(response.elapsed_s for response in responses)
            log.record(request.operation.label, responses[0].status, elapsed_s)
            for response in responses:
                log.failures += [f"{problem}: {request}" for problem in checks.problems(request, response)]


class Connection:
    """A connection that stays open. It takes much less time than a general client."""

    def __init__(self, member: Member) -> None:
        address = urlsplit(member.service.url)
        self.connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=WAIT_S)
        self.authorization = {"Authorization": member.key}

    def close(self) -> None:
        """Close it."""
        self.connection.close()

    def send_until_fast(self, request: GeneratedRequest) -> list[ReceivedResponse]:
        """Send a request, and repeat it if it was slow, because the machine may only have been busy."""
        responses = [self._send(request)]
        while responses[-1].elapsed_s > MAX_RESPONSE_S and len(responses) < MAX_ATTEMPTS:
            responses.append(self._send(request))
        return responses

    def _send(self, request: GeneratedRequest) -> ReceivedResponse:
        start = time.monotonic()
        headers = {**self.authorization, **request.headers}
        self.connection.request(request.operation.method, f"/v1{request.target}", request.body, headers)
        response = self.connection.getresponse()
        body = response.read()
        return ReceivedResponse(response.status, dict(response.getheaders()), body, time.monotonic() - start)


def described_operations(document: Mapping[str, Any]) -> Iterator[DescribedOperation]:
    """Yield every operation of a document."""
    components = document["components"]
    for path, methods in document["paths"].items():
        for method, details in methods.items():
            content = details.get("requestBody", {}).get("content", {})
            yield DescribedOperation(
                f"{method.upper()} {path}",
                method.upper(),
                path,
                [_resolved(parameter, components) for parameter in details["parameters"]],
                list(content),
                content.get(JSON, {}).get("schema"),
                {status: _resolved(response, components) for status, response in details["responses"].items()},
            )


def _resolved(node: Mapping[str, Any], components: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the target of a reference."""
    if "$ref" not in node:
        return node
    kind, name = node["$ref"].split("/")[-2:]
    target: Mapping[str, Any] = components[kind][name]
    return target


class RequestGenerator:
    """Creates requests from the schemas of the document and from the table of all operations."""

    def __init__(self, document: Mapping[str, Any], ids: Mapping[str, Any], random: Random) -> None:
        self.operations = list(described_operations(document))
        self.ids = ids
        self.random = random
        self.values = ValueGenerator(random, document["components"]["schemas"], ids)

    def create(self, number: int) -> Iterator[GeneratedRequest]:
        """Yield so many requests in random order, deletions last."""
        weighted = [operation for operation in self.operations for _ in range(operation.weight)]
        chosen = list(itertools.islice(itertools.cycle(weighted), number))
        self.random.shuffle(chosen)
        for operation in sorted(chosen, key=lambda operation: operation.method == "DELETE"):
            yield self._request(operation)

    def _request(self, operation: DescribedOperation) -> GeneratedRequest:
        query = self._parameters(operation.placed("query"))
        headers = {name: _header_text(value) for name, value in self._parameters(operation.placed("header"))}
        target = self._path(operation) + ("?" + urlencode(query, errors="replace") if query else "")
        media_type, body = self._body(operation)
        return GeneratedRequest(operation, target, headers | ({"Content-Type": media_type} if media_type else {}), body)

    def _path(self, operation: DescribedOperation) -> str:
        """Return the path of existing records, of others, or with values that are not allowed."""
        row = TABLE[operation.label]
        known = {**self.ids, **row.words, **{name: self.ids[other] for name, other in row.instead.items()}}
        kind = self.random.choices(["known", "valid", "odd"], [8, 1, 1])[0]
        words = {
            parameter["name"]: str(known[parameter["name"]])
            if kind == "known" and parameter["name"] in known
            else self._word(parameter["schema"], kind)
            for parameter in operation.placed("path")
        }
        return operation.path.format(**{name: quote(word, safe="") for name, word in words.items()})

    def _word(self, schema: Mapping[str, Any], kind: str) -> str:
        """Return a segment of a path: never one that is removed or split before it is read."""
        value = self.values.odd_value() if kind == "odd" else self.values.create(schema)
        word = "".join(character for character in str(value)[:500] if character not in NOT_IN_A_PATH)
        return word if word.strip(".") else "0"

    def _parameters(self, parameters: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
        """Return some of the parameters, most of them with valid values."""
        values = [
            (
                parameter["name"],
                self.values.odd_value() if self.random.random() < 0.15 else self.values.create(parameter["schema"]),
            )
            for parameter in parameters
            if self.random.random() < (0.95 if parameter.get("required") else 0.25)
        ]
        return [(name, _parameter_text(value)) for name, value in values]

    def _body(self, operation: DescribedOperation) -> tuple[str | None, bytes | None]:
        if not operation.media_types:
            return None, None
        media_type = self.random.choice(operation.media_types) if self.random.random() < 0.98 else "text/plain"
        if self.random.random() < 0.05:
            return media_type, self.random.choice(ODD_BODIES)
        if operation.body_schema is None:
            return media_type, self._file(operation)
        return media_type, json.dumps(self._json_body(operation)).encode()

    def _json_body(self, operation: DescribedOperation) -> Any:
        example = filled(TABLE[operation.label].body, self.ids)
        is_example = example is not None and self.random.random() < 0.5
        body = example if is_example else self.values.create(operation.body_schema or {})
        return self.values.mutate(body) if self.random.random() < 0.9 else body

    def _file(self, operation: DescribedOperation) -> bytes:
        """Return a file that can be read, or one with a damaged, missing or added part."""
        row = TABLE[operation.label]
        file = row.file(filled(row.body, self.ids)) if row.file else b"%PDF-1.4\n%%EOF\n"
        if self.random.random() < 0.5:
            return file
        start = self.random.randrange(len(file))
        return (
            file[:start]
            + self.random.randbytes(self.random.randint(0, 20))
            + file[start + self.random.randint(0, 20) :]
        )


def _parameter_text(value: Any) -> str:
    """Return a value as it is sent in a query or header."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value))[:2000] if isinstance(value, list) else str(value)[:2000]


def _header_text(value: str) -> str:
    """Return the characters of a value that a client can send."""
    return "".join(character for character in value if character in string.printable[:95]) or "x"


class ResponseChecks:
    """Compares responses with the document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.components = document["components"]
        self.validators: dict[str, jsonschema_rs.Draft202012Validator] = {}

    def problems(self, request: GeneratedRequest, response: ReceivedResponse) -> Iterator[str]:
        """Yield what is undocumented: the status, the media type, a header or the body."""
        described = request.operation.responses.get(str(response.status))
        if response.status >= 500 or described is None:
            yield f"status {response.status}, body {response.body[:300]!r}"
            return
        yield from self._header_problems(described.get("headers", {}), response.headers)
        yield from self._body_problems(described.get("content", {}), response)

    def _header_problems(self, described: Mapping[str, Any], headers: Mapping[str, str]) -> Iterator[str]:
        sent = {name.lower(): value for name, value in headers.items()}
        for name, reference in described.items():
            header, value = _resolved(reference, self.components), sent.get(name.lower())
            if value is None and header.get("required"):
                yield f"header {name} is missing"
            elif value is not None and header["schema"]["type"] == "integer" and not value.isdecimal():
                yield f"header {name} is {value}"

    def _body_problems(self, content: Mapping[str, Any], response: ReceivedResponse) -> Iterator[str]:
        media_type = response.headers.get("content-type", "").split(";")[0]
        if not content:
            return
        if media_type not in content:
            yield f"media type {media_type!r}"
        elif media_type.endswith("json"):
            value = json.loads(response.body)
            for error in self._validator(content[media_type]["schema"]).iter_errors(value):
                yield f"{error.message[:300]} at {list(error.instance_path)}"

    def _validator(self, schema: Mapping[str, Any]) -> jsonschema_rs.Draft202012Validator:
        key = json.dumps(schema)
        if key not in self.validators:
            whole = {**schema, "components": {"schemas": self.components["schemas"]}}
            self.validators[key] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
        return self.validators[key]
