"""The OpenAPI document: valid, complete, with real schemas, examples and errors for every operation."""

import re
from collections.abc import Iterator
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
import schemathesis

from gaji.app import OPERATIONS
from gaji.core.errors import PROBLEMS
from gaji.web.openapi import document
from gaji.web.operations import Operation
from tests.support.running import Member, Service
from tests.web.every_operation import READS, TenantRecords, path, title

DOCUMENT = document(OPERATIONS)
every_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=title)


def described(operation: Operation) -> dict[str, Any]:
    entry: dict[str, Any] = DOCUMENT["paths"][operation.path][operation.method.lower()]
    return entry


def resolved(reference: dict[str, Any]) -> dict[str, Any]:
    """Return the target of a `$ref`."""
    if "$ref" not in reference:
        return reference
    target: Any = DOCUMENT
    for part in reference["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return dict(target)


def assert_matches(value: Any, schema: dict[str, Any]) -> None:
    """Check a value against a schema. Other tests check the schemas, which takes much longer."""
    jsonschema.Draft202012Validator(schema).validate(value)


def inner(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object inside a JSON value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for child in value:
            yield from inner(child)


def test_it_is_served_without_a_key_and_matches_the_operations(service: Service) -> None:
    response = service.http.get(f"{service.url}/openapi.json")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json() == DOCUMENT


def test_it_is_a_valid_document_of_openapi_3_1() -> None:
    assert DOCUMENT["openapi"].startswith("3.1.")
    schemathesis.openapi.from_dict(DOCUMENT).validate()


def test_it_has_exactly_the_declared_operations() -> None:
    there = {(method.upper(), where) for where, methods in DOCUMENT["paths"].items() for method in methods}
    assert there == {(operation.method, operation.path) for operation in OPERATIONS}


def test_operation_ids_are_unique() -> None:
    names = [described(operation)["operationId"] for operation in OPERATIONS]
    assert len(names) == len(set(names))


def test_every_reference_leads_somewhere() -> None:
    references = [node for node in inner(DOCUMENT) if "$ref" in node]
    assert references
    assert all(resolved(reference) for reference in references)


@every_operation
def test_every_operation_has_a_summary_and_its_path_parameters(operation: Operation) -> None:
    this = described(operation)
    assert this["summary"]
    parameters = [resolved(parameter) for parameter in this["parameters"]]
    assert {parameter["name"] for parameter in parameters if parameter["in"] == "path"} == set(
        re.findall(r"{(\w+)}", operation.path)
    )


@every_operation
def test_every_schema_is_valid_json_schema(operation: Operation) -> None:
    this = described(operation)
    contents = [this["responses"]["200"]["content"]]
    if "requestBody" in this:
        contents.append(this["requestBody"]["content"])
    for content in contents:
        for media in content.values():
            jsonschema.Draft202012Validator.check_schema(media["schema"])


def test_the_schemas_of_components_are_valid_json_schema() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for response in DOCUMENT["components"]["responses"].values():
        for media in response["content"].values():
            jsonschema.Draft202012Validator.check_schema(media["schema"])


@every_operation
def test_every_operation_has_an_example_response_that_matches_its_schema(operation: Operation) -> None:
    content = described(operation)["responses"]["200"]["content"]
    if operation.response_schema is None:
        assert set(content) == set(operation.file_types) != set()
        return
    media = content["application/json"]
    examples = [media["example"]] if "example" in media else media["schema"].get("examples", [])
    assert examples
    for example in examples:
        assert_matches(example, media["schema"])


@every_operation
def test_every_operation_with_a_body_has_an_example_that_matches_its_schema(operation: Operation) -> None:
    if operation.body_schema is None:
        assert "requestBody" not in described(operation)
        return
    [media] = described(operation)["requestBody"]["content"].values()
    assert media["example"]
    assert_matches(media["example"], media["schema"])


def test_the_example_of_a_client_and_of_a_pay_point_can_be_sent(account: Member) -> None:
    client_id = account.new_client()
    for where in ("/clients", "/clients/{client_id}", "/clients/{client_id}/pay_points"):
        for method in {"post", "patch"} & set(DOCUMENT["paths"][where]):
            [media] = DOCUMENT["paths"][where][method]["requestBody"]["content"].values()
            response = account.call(method.upper(), where.format(client_id=client_id), json=media["example"])
            assert response.status_code == 200, response.text
            assert "warnings" not in response.json()


@every_operation
def test_every_operation_documents_the_errors_it_can_give(operation: Operation) -> None:
    documented = set(described(operation)["responses"])
    expected = {"200", "401", "404", "422", "429", "500", "503"}
    if operation.writes:
        expected |= {"403", "409"}
    if operation.body_schema is not None:
        expected |= {"400", "413", "415"}
    assert expected <= documented
    for status in documented - {"200", "202", "204"}:
        media = resolved(described(operation)["responses"][status])["content"]["application/problem+json"]
        for example in media["examples"].values():
            assert example["value"]["status"] == int(status)
            assert_matches(example["value"], resolved(media["schema"]))


@pytest.mark.parametrize("error", PROBLEMS, ids=lambda error: error.kind)
def test_every_kind_of_problem_is_described_with_an_example(error: Any) -> None:
    response = DOCUMENT["components"]["responses"][str(error.status)]
    assert error.__doc__ in response["description"]
    example = response["content"]["application/problem+json"]["examples"][error.kind]["value"]
    assert example["type"] == f"/problems/{error.kind}"


@pytest.mark.parametrize("operation", [operation for operation in OPERATIONS if operation.writes], ids=title)
def test_every_write_documents_the_idempotency_key(operation: Operation) -> None:
    names = [resolved(parameter)["name"] for parameter in described(operation)["parameters"]]
    assert "Idempotency-Key" in names


@pytest.mark.parametrize("operation", READS, ids=title)
def test_a_real_response_matches_the_documented_schema(tenant: TenantRecords, operation: Operation) -> None:
    response = tenant.member.get(path(operation, tenant.ids))
    content = described(operation)["responses"]["200"]["content"]
    if operation.response_schema is None:
        assert response.headers["content-type"].partition(";")[0] in content
        assert response.content
        return
    assert_matches(response.json(), content["application/json"]["schema"])


def test_the_key_is_documented_as_the_bare_authorization_header() -> None:
    [scheme] = DOCUMENT["components"]["securitySchemes"].values()
    assert (scheme["type"], scheme["in"], scheme["name"]) == ("apiKey", "header", "Authorization")
    assert DOCUMENT["security"]


def test_the_browsable_page_names_every_operation_and_loads_nothing_external(service: Service) -> None:
    response = service.http.get(f"{service.url}/docs")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in response.headers["content-security-policy"]
    for operation in OPERATIONS:
        assert operation.path in response.text
    loaded = re.findall(r"""(?:src|<link[^>]+href)=["']([^"']+)""", response.text)
    assert [address for address in loaded if not address.startswith("/")] == []
