"""The route table: the operation for a method and a path."""

import pytest

from gaji.core.errors import MethodNotAllowed, NotFound
from gaji.web.operations import Operation, Request, Response
from gaji.web.route_table import RouteTable


def operation(method: str, path: str) -> Operation:
    async def handler(call: Request) -> Response:
        return Response(b"")

    return Operation(method, path, handler, tag="", summary="", response_schema={})


LIST = operation("GET", "/clients")
CREATE = operation("POST", "/clients")
READ = operation("GET", "/clients/{client_id}")
WAVES = operation("GET", "/clients/{id}/waves")
BULK = operation("POST", "/clients/bulk")
ENTRY = operation("GET", "/clients/{client_id}/lists/{list_name}")
PDF = operation("GET", "/clients/{client_id}.pdf")
ROUTING = RouteTable([LIST, CREATE, READ, WAVES, BULK, ENTRY, PDF])


@pytest.mark.parametrize(
    ("method", "path", "operation", "ids", "names"),
    [
        ("GET", "/v1/clients", LIST, {}, {}),
        ("GET", "/v1/clients/", LIST, {}, {}),
        ("POST", "/v1/clients", CREATE, {}, {}),
        ("GET", "/v1/clients/7", READ, {"client_id": 7}, {}),
        ("GET", "/v1/clients/7/waves", WAVES, {"id": 7}, {}),
        ("POST", "/v1/clients/bulk", BULK, {}, {}),
        ("GET", "/v1/clients/7.pdf", PDF, {"client_id": 7}, {}),
        ("GET", "/v1/clients/7.pdf/", PDF, {"client_id": 7}, {}),
        ("GET", "/v1/clients/7/lists/b c", ENTRY, {"client_id": 7}, {"list_name": "b c"}),
    ],
)
def test_it_works(method: str, path: str, operation: Operation, ids: dict[str, int], names: dict[str, str]) -> None:
    route, values = ROUTING.find(method, path)
    assert route.operation == operation
    assert route.parse_values(values) == (ids, names)


@pytest.mark.parametrize(
    "value", ["0", "07", "-1", "abc", "1.0", "x.pdf", ".pdf", "7.pdf.pdf", "7.doc", "1" * 19, "１"]
)
def test_an_invalid_identifier_is_not_found(value: str) -> None:
    route, values = ROUTING.find("GET", f"/v1/clients/{value}")
    with pytest.raises(NotFound, match="IDs are whole numbers"):
        route.parse_values(values)


def test_a_name_with_a_null_character_is_not_found() -> None:
    """The database cannot compare it with a name."""
    route, values = ROUTING.find("GET", "/v1/clients/7/lists/b\x00c")
    with pytest.raises(NotFound, match="null character"):
        route.parse_values(values)


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v2/clients", "/v1/nowhere", "/v1/clients/7/nowhere", "/v1/clients/7/lists"]
)
def test_an_unknown_path_is_not_found(path: str) -> None:
    with pytest.raises(NotFound, match="Nothing found at"):
        ROUTING.find("GET", path)


def test_an_unsupported_method_lists_the_supported_ones() -> None:
    with pytest.raises(MethodNotAllowed, match="GET, POST") as result:
        ROUTING.find("PUT", "/v1/clients")
    assert result.value.headers == {"Allow": "GET, POST"}


def test_a_word_is_preferred_to_a_parameter() -> None:
    with pytest.raises(MethodNotAllowed):
        ROUTING.find("GET", "/v1/clients/bulk")


def test_declaring_an_operation_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        RouteTable([READ, operation("GET", "/clients/{id}")])
