"""The Postman collection: every operation as a request, with variables for the address and the key."""

import json
import re
from collections.abc import Iterator
from typing import Any

from gaji.app import OPERATIONS
from gaji.web.docs.postman import COLLECTION_SCHEMA, postman_collection
from gaji.web.openapi import inline_document
from tests.support.running import Member

COLLECTION = postman_collection(inline_document(OPERATIONS))
CREATE_CLIENT = ("POST", "/clients")


def requests() -> Iterator[dict[str, Any]]:
    for folder in COLLECTION["item"]:
        for item in folder["item"]:
            yield item["request"]


def documented_path(request: dict[str, Any]) -> str:
    """Return the path of a request as it is in the OpenAPI document."""
    path = "/" + "/".join(request["url"]["path"])
    return re.sub(r":(\w+)", r"{\1}", path).replace("{{", "{").replace("}}", "}")


def test_it_has_each_operation_once() -> None:
    assert COLLECTION["info"]["schema"] == COLLECTION_SCHEMA
    described = sorted((request["method"], documented_path(request)) for request in requests())
    assert described == sorted((operation.method, operation.path) for operation in OPERATIONS)


def test_every_variable_is_declared() -> None:
    declared = {variable["key"] for variable in COLLECTION["variable"]}
    assert set(re.findall(r"{{(\w+)}}", json.dumps([COLLECTION["item"], COLLECTION["auth"]]))) == declared
    for request in requests():
        names = {segment[1:] for segment in request["url"]["path"] if segment.startswith(":")}
        assert names == {variable["key"] for variable in request["url"]["variable"]}


def test_bodies_are_the_examples_of_the_document() -> None:
    [create] = [request for request in requests() if (request["method"], documented_path(request)) == CREATE_CLIENT]
    document = inline_document(OPERATIONS)
    example = document["paths"]["/clients"]["post"]["requestBody"]["content"]["application/json"]["example"]
    assert json.loads(create["body"]["raw"]) == example
    assert create["header"] == [{"key": "Content-Type", "value": "application/json"}]


def test_it_is_served_and_its_requests_work(account: Member) -> None:
    service = account.service
    served = service.http.get(f"{service.url}/docs/postman.json").json()
    values = {variable["key"]: variable["value"] for variable in served["variable"]} | {"api_key": account.key}
    [folder] = [folder for folder in served["item"] if folder["name"] == "Clients"]
    [request] = [item["request"] for item in folder["item"] if item["request"]["url"]["path"] == ["clients"]][:1]
    settings = {entry["key"]: entry["value"] for entry in served["auth"]["apikey"]}
    address = request["url"]["raw"].replace("{{base_url}}", values["base_url"])
    headers = {settings["key"]: settings["value"].replace("{{api_key}}", values["api_key"])}
    assert service.http.request(request["method"], address, headers=headers).status_code == 200
