"""A Postman collection from the OpenAPI document: a folder for each tag, with a request for each operation."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from gaji.web.docs.samples import needs_value, parameter_sample

COLLECTION_SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
BASE_URL, API_KEY = "base_url", "api_key"
JSON = "application/json"
PARAMETER = re.compile(r"{(\w+)}")


def postman_collection(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the collection. Its variables are the address of the service, the API key, and the IDs in file names."""
    folders: dict[str, dict[str, Any]] = {
        tag["name"]: {"name": tag["name"], "description": tag["description"], "item": []} for tag in document["tags"]
    }
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            folders[operation["tags"][0]]["item"].append(_item(path, method, operation))
    info = document["info"]
    return {
        "info": {"name": info["title"], "description": info["description"], "schema": COLLECTION_SCHEMA},
        "auth": _auth(),
        "variable": [
            {"key": BASE_URL, "value": document["servers"][0]["url"]},
            {"key": API_KEY, "value": ""},
            *({"key": name, "value": value} for name, value in _values_in_files(document["paths"]).items()),
        ],
        "item": list(folders.values()),
    }


def _auth() -> dict[str, Any]:
    settings = {"key": "Authorization", "value": f"{{{{{API_KEY}}}}}", "in": "header"}
    return {"type": "apikey", "apikey": [{"key": key, "value": value} for key, value in settings.items()]}


def _values_in_files(paths: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters that are only a part of a segment, which Postman does not know as path parameters."""
    return {
        parameter["name"]: str(parameter_sample(parameter))
        for path, methods in paths.items()
        for operation in methods.values()
        for parameter in operation["parameters"]
        if f"{{{parameter.get('name')}}}." in path
    }


def _item(path: str, method: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    request: dict[str, Any] = {"method": method.upper(), "header": [], "url": _url(path, operation)}
    for media_type, media in operation.get("requestBody", {}).get("content", {}).items():
        request["header"] = [{"key": "Content-Type", "value": media_type}]
        request["body"] = _body(media_type, media)
        break
    return {"name": operation["summary"].removesuffix("."), "request": request, "response": []}


def _body(media_type: str, media: Mapping[str, Any]) -> dict[str, Any]:
    if media_type != JSON:
        return {"mode": "file", "file": {"src": ""}}
    raw = json.dumps(media["example"], indent=2, ensure_ascii=False)
    return {"mode": "raw", "raw": raw, "options": {"raw": {"language": "json"}}}


def _url(path: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    segments = [_segment(segment) for segment in path.strip("/").split("/")]
    described = [parameter for parameter in operation["parameters"] if "$ref" not in parameter]
    query = {parameter["name"]: str(parameter_sample(parameter)) for parameter in described if needs_value(parameter)}
    return {
        "raw": "/".join((f"{{{{{BASE_URL}}}}}", *segments)) + (f"?{urlencode(query)}" if query else ""),
        "host": [f"{{{{{BASE_URL}}}}}"],
        "path": segments,
        "variable": list(_path_variables(segments, described)),
        "query": [
            {
                "key": parameter["name"],
                "value": query.get(parameter["name"], ""),
                "description": parameter["description"],
                "disabled": parameter["name"] not in query,
            }
            for parameter in described
            if parameter["in"] == "query"
        ],
    }


def _segment(segment: str) -> str:
    """Return a segment of a path: `:id` for a parameter, and `{{id}}.pdf` for one with an extension."""
    if match := PARAMETER.fullmatch(segment):
        return f":{match[1]}"
    return PARAMETER.sub(r"{{\1}}", segment)


def _path_variables(segments: list[str], parameters: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for parameter in parameters:
        if f":{parameter['name']}" in segments:
            value = str(parameter_sample(parameter))
            yield {"key": parameter["name"], "value": value, "description": parameter["description"]}
