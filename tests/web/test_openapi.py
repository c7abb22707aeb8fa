"""The OpenAPI document: valid, complete, with real schemas, examples and errors for every operation."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema  # type: ignore[import-untyped]
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from gaji.app import OPERATIONS
from gaji.core.errors import PROBLEMS
from gaji.web.openapi import TAGS, document
from gaji.web.operations import Operation
from tests.support.case_tables import for_every
from tests.support.company import Company
from tests.support.mirrors import BEGINNING
from tests.support.running import Service
from tests.web.every_operation import READS, WRITES, TenantRecords, Writer, example_body, path, title

pytestmark = pytest.mark.slow

DOCUMENT = document(OPERATIONS)
COMPONENTS = {"components": {"schemas": DOCUMENT["components"]["schemas"]}}
MAX_CHANGED_ATTRIBUTES = 3
"""Updates usually change a few attributes. A sample with all of them looks as if all were needed."""
every_operation = for_every("operation", OPERATIONS, title)


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
    jsonschema.Draft202012Validator(schema | COMPONENTS).validate(value)


def inner(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object inside a JSON value, except in examples."""
    if isinstance(value, dict):
        yield value
        value = [child for name, child in value.items() if name not in ("example", "examples")]
    if isinstance(value, list):
        for child in value:
            yield from inner(child)


def test_it_is_served_without_a_key_and_matches_the_operations(service: Service) -> None:
    response = service.http.get(f"{service.url}/openapi.json")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json() == document(OPERATIONS, service.url)


def test_it_is_a_valid_document_of_openapi_3_1() -> None:
    assert DOCUMENT["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(DOCUMENT).iter_errors()) == []


def test_its_addresses_are_absolute_and_follow_the_settings(service: Service) -> None:
    served = service.http.get(f"{service.url}/openapi.json").json()
    assert served["servers"][0]["url"] == f"{service.url}/v1"
    assert [server["url"] for server in DOCUMENT["servers"]] == [
        "http://127.0.0.1:8000/v1",
        "http://127.0.0.1:8000/api/v1",
    ]
    assert document(OPERATIONS, "https://pay.example.com")["servers"][0]["url"] == "https://pay.example.com/v1"


def test_every_tag_is_described() -> None:
    assert [tag["name"] for tag in DOCUMENT["tags"]] == list(TAGS)
    assert all(tag["description"] for tag in DOCUMENT["tags"])


def test_objects_and_enumerations_outside_of_components_are_references() -> None:
    """Generators name what is not a reference after its position, such as `body_type_1`."""
    unnamed = [node for node in inner(DOCUMENT["paths"]) if "properties" in node or len(node.get("enum", ())) > 1]
    assert unnamed == []
    schemas = DOCUMENT["components"]["schemas"]
    for name, schema in schemas.items():
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]+", name)
        assert schema["title"] == name
        for child in schema.get("properties", {}).values():
            assert "properties" not in child, name
            assert len(child.get("enum", ())) <= 1, name


def test_no_schema_has_a_default_that_a_client_would_send_by_itself() -> None:
    """A generated client once reset the CPF rates of an employee with each update."""
    assert [node for node in inner(DOCUMENT) if "default" in node and not isinstance(node["default"], dict)] == []
    rates = DOCUMENT["components"]["schemas"]["EmployeeInput"]["properties"]["pr_cpf_rates"]
    assert 'Default: `"GG"`.' in rates["description"]
    rates = DOCUMENT["components"]["schemas"]["EmployeeUpdate"]["properties"]["pr_cpf_rates"]
    assert "Default:" not in rates["description"]


def test_the_elements_of_every_array_have_a_type() -> None:
    arrays = [node for node in inner(DOCUMENT) if "array" in node.get("type", ())]
    assert [node for node in arrays if "items" not in node and "prefixItems" not in node] == []


def test_reports_months_and_lists_are_closed_types() -> None:
    reports = DOCUMENT["paths"]["/clients/{client_id}/reports/{report}"]["post"]
    assert {"$ref": "#/components/schemas/ReportId"} in [parameter["schema"] for parameter in reports["parameters"][:2]]
    month = DOCUMENT["paths"]["/clients/{client_id}/filings/{month}"]["get"]["parameters"][1]
    assert "pattern" in month["schema"]
    assert "transaction_history" in DOCUMENT["components"]["schemas"]["ReportId"]["enum"]
    rows = DOCUMENT["components"]["schemas"]["ReportRow"]["anyOf"]
    assert len(rows) == len(DOCUMENT["components"]["schemas"]["ReportId"]["enum"])


def test_the_response_to_a_create_links_to_the_record() -> None:
    links = DOCUMENT["paths"]["/clients/{client_id}/payment_runs"]["post"]["responses"]["200"]["links"]
    assert links["finalise_payment_run"] == {
        "operationId": "finalise_payment_run",
        "parameters": {"payment_run_id": "$response.body#/id"},
    }
    names = {described(operation)["operationId"] for operation in OPERATIONS}
    targets = [link["operationId"] for node in inner(DOCUMENT["paths"]) for link in node.get("links", {}).values()]
    assert set(targets) <= names
    assert len(targets) > 40


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
    assert all(parameter["description"] for parameter in parameters)
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
    assert media["example"] is not None
    assert_matches(media["example"], media["schema"])


@every_operation
def test_every_operation_with_a_body_has_an_example_that_matches_its_schema(operation: Operation) -> None:
    if operation.body_schema is None:
        assert "requestBody" not in described(operation)
        return
    for media in described(operation)["requestBody"]["content"].values():
        assert media["example"]
        assert_matches(media["example"], media["schema"])


JSON_WRITES = [operation for operation in WRITES if operation.body_schema and not operation.body_media_types]


@for_every("operation", [operation for operation in OPERATIONS if operation.method == "PATCH"], title)
def test_the_example_of_an_update_is_a_partial_change(operation: Operation) -> None:
    [content] = described(operation)["requestBody"]["content"].values()
    [example] = content["example"] if isinstance(content["example"], list) else [content["example"]]
    attributes = example.get("employee", example)
    assert len(attributes) <= MAX_CHANGED_ATTRIBUTES


@for_every("operation", JSON_WRITES, title)
def test_the_example_of_every_body_is_accepted(writer: Writer, operation: Operation) -> None:
    [media] = described(operation)["requestBody"]["content"].values()

    def send(tenant: TenantRecords) -> httpx.Response:
        body = example_body(operation, media["example"], tenant.ids)
        return tenant.member.call(operation.method, path(operation, tenant.ids), json=body)

    response = writer.write(send)
    assert response.status_code == 200, (media["example"], response.text)
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
    for status in documented - {"200", "202", "204", "304"}:
        media = resolved(described(operation)["responses"][status])["content"]["application/problem+json"]
        for example in media["examples"].values():
            assert example["value"]["status"] == int(status)
            assert_matches(example["value"], resolved(media["schema"]))


@for_every("error", PROBLEMS, lambda error: error.kind)
def test_every_kind_of_problem_is_described_with_an_example(error: Any) -> None:
    response = DOCUMENT["components"]["responses"][str(error.status)]
    assert error.__doc__ in response["description"]
    example = response["content"]["application/problem+json"]["examples"][error.kind]["value"]
    assert example["type"] == f"/problems/{error.kind}"


@for_every("operation", [operation for operation in OPERATIONS if operation.writes], title)
def test_every_write_documents_the_idempotency_key(operation: Operation) -> None:
    names = [resolved(parameter)["name"] for parameter in described(operation)["parameters"]]
    assert "Idempotency-Key" in names


@for_every("operation", READS, title)
def test_a_real_response_matches_the_documented_schema(tenant: TenantRecords, operation: Operation) -> None:
    response = tenant.member.get(path(operation, tenant.ids))
    content = described(operation)["responses"]["200"]["content"]
    if operation.response_schema is None:
        assert response.headers["content-type"].partition(";")[0] in content
        assert response.content
        return
    assert_matches(response.json(), content["application/json"]["schema"])


def with_query(where: str, query: str) -> str:
    """Return a path with one more query parameter."""
    return f"{where}{'&' if '?' in where else '?'}{query}"


@for_every("operation", [operation for operation in READS if operation.has_changes], title)
def test_real_changes_match_the_documented_schema(tenant: TenantRecords, operation: Operation) -> None:
    response = tenant.member.get(with_query(path(operation, tenant.ids), f"updated_since={BEGINNING}"))
    assert_matches(response.json(), described(operation)["responses"]["200"]["content"]["application/json"]["schema"])


def test_deleted_records_match_the_documented_schema(company: Company) -> None:
    point_id, employee_id = company.member.new_pay_point(company.id), company.hire()
    company.member.delete(f"/pay_points/{point_id}")
    company.member.delete(f"/employees/{employee_id}")
    for collection, record_id in (("pay_points", point_id), ("employees", employee_id)):
        changes = company.member.get(f"/clients/{company.id}/{collection}?updated_since={BEGINNING}").json()
        [record] = [record for element in changes for record in element.values() if record["id"] == record_id]
        assert_matches(record, {"$ref": "#/components/schemas/DeletedRecord"})
        media = DOCUMENT["paths"][f"/clients/{{client_id}}/{collection}"]["get"]["responses"]["200"]["content"]
        assert_matches(changes, media["application/json"]["schema"])


def record_schema(operation: Operation) -> dict[str, Any]:
    """Return the documented schema of the records in a response."""
    schema = resolved(described(operation)["responses"]["200"]["content"]["application/json"]["schema"])
    schema = resolved(schema.get("items", schema))
    if schema.get("additionalProperties") is False:
        [schema] = schema["properties"].values()
    return resolved(schema["oneOf"][0] if operation.has_changes and "oneOf" in schema else schema)


@for_every("operation", [operation for operation in READS if operation.record_form], title)
def test_sparse_records_have_the_documented_attributes(tenant: TenantRecords, operation: Operation) -> None:
    assert operation.record_form is not None
    names = operation.record_form.attributes[-2:]
    response = tenant.member.get(with_query(path(operation, tenant.ids), f"fields={','.join(names)}"))
    assert response.status_code == 200
    content = response.json()
    schema = record_schema(operation)
    variants = [resolved(variant) for variant in schema.get("anyOf", [schema])]
    properties = {name: value for variant in variants for name, value in variant["properties"].items()}
    assert "`fields`" in described(operation)["responses"]["200"]["description"]
    for element in content if operation.record_form.is_list else [content]:
        for record in element.values() if operation.record_form.is_wrapped else [element]:
            assert set(record) <= {"id", *names}
            for name, value in record.items():
                assert_matches(value, properties[name])


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
