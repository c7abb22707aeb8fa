"""HTTP behaviour that all operations share."""

import json
import re
from datetime import datetime

import httpx
import pytest

from gaji.web.operations import Operation
from tests.support.case_tables import for_every
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member
from tests.web.every_operation import READS, WRITES, TenantRecords, Writer, path, sent, title

pytestmark = pytest.mark.slow

every_read = for_every("operation", READS, title)
every_write = for_every("operation", WRITES, title)

# These differ between any two requests.
PER_REQUEST_HEADERS = ("x-request-id", "date")
DIFFERENT_EACH_TIME = ("/employees/{employee_id}/personal_data", "/employees/{employee_id}/personal_data.pdf")
"""Each response has the time of the request, and the downloads until then."""


def same(first: httpx.Response, second: httpx.Response) -> bool:
    """Return whether two responses are the same, byte for byte."""
    headers = [
        {name: value for name, value in response.headers.items() if name not in PER_REQUEST_HEADERS}
        for response in (first, second)
    ]
    return first.status_code == second.status_code and first.content == second.content and headers[0] == headers[1]


@every_read
def test_both_base_paths_respond_identically_with_and_without_a_trailing_slash(
    tenant: TenantRecords, operation: Operation
) -> None:
    account = tenant.member
    where, _, operation_query = path(operation, tenant.ids).partition("?")
    headers = {"Authorization": account.key}
    paged_query = [f"{operation_query}&page=1&per_page=1"] if operation.paged else []
    for query in (operation_query, *paged_query):
        responses = [
            account.service.http.get(f"{account.service.url}{base}{where}{slash}?{query}", headers=headers)
            for base in ("/v1", "/api/v1")
            for slash in ("", "/")
        ]
        assert {response.status_code for response in responses} == {200}
        if operation.path not in DIFFERENT_EACH_TIME:
            assert all(same(responses[0], other) for other in responses[1:])


@every_write
def test_a_write_works_under_the_other_base_path_and_returns_200_with_a_message(
    writer: Writer, operation: Operation
) -> None:
    def send(tenant: TenantRecords) -> httpx.Response:
        member, request = tenant.member, sent(operation, tenant.ids)
        return member.service.http.request(
            operation.method,
            f"{member.service.url}/api/v1{path(operation, tenant.ids)}/",
            headers={**request.pop("headers", {}), "Authorization": member.key},
            **request,
        )

    response = writer.write(send)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert operation.response_schema is not None
    if operation.response_schema.get("type") == "array":  # bulk input has a message for each entity
        assert all(entity["message"] for entity in body)
        return
    assert body["message"]
    assert set(operation.response_schema["required"]) <= set(body) <= set(operation.response_schema["properties"])


@pytest.mark.parametrize("content_type", ["application/json", "application/pdf", "text/plain", "nonsense", ""])
def test_a_get_request_may_carry_any_content_type(account: Member, content_type: str) -> None:
    response = account.get("/clients", headers={"Content-Type": content_type})
    assert response.status_code == 200


def test_a_get_request_may_carry_a_body_which_is_ignored(account: Member) -> None:
    assert account.call("GET", "/clients", content=b"not json").status_code == 200


def test_a_json_body_without_a_content_type_is_accepted(account: Member) -> None:
    response = account.call("POST", "/clients", content=b'{"name": "Kopi Trading"}')
    assert "content-type" not in response.request.headers
    assert response.status_code == 200, response.text


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON", "application/x+json"])
def test_json_is_accepted_with_any_of_its_content_types(account: Member, content_type: str) -> None:
    response = account.call("POST", "/clients", content=b'{"name": "Kopi"}', headers={"Content-Type": content_type})
    assert response.status_code == 200, response.text


def test_head_responds_like_get_without_the_body(account: Member) -> None:
    got, head = account.get("/clients"), account.call("HEAD", "/clients")
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["content-length"] == got.headers["content-length"]


@pytest.mark.parametrize("bank_id", [7171, "7171"])
def test_ids_in_bodies_may_be_integers_or_numeric_strings(account: Member, bank_id: int | str) -> None:
    bank = {"bank_id": bank_id, "account_number": "0012345678", "branch_code": "001"}
    client_id = account.new_client(bank_account=bank)
    assert account.get(f"/clients/{client_id}").json()["client"]["bank_account"]["bank_id"] == 7171


@pytest.mark.parametrize(("value", "stored"), [(True, True), (False, False), ("true", True), ("false", False)])
def test_booleans_may_be_json_booleans_or_the_strings_true_and_false(
    account: Member, value: bool | str, stored: bool
) -> None:
    client_id = account.new_client(features={"pay_dates": value})
    assert account.get(f"/clients/{client_id}").json()["client"]["features"]["pay_dates"] is stored


@pytest.mark.parametrize("value", ["TRUE", "yes", 1, 0, [], {}])
def test_nothing_else_is_a_boolean(account: Member, value: object) -> None:
    response = account.post("/clients", {"name": "Kopi", "features": {"pay_dates": value}})
    assert field_errors(response) == {"features.pay_dates": "must be true or false"}


def test_an_unknown_attribute_is_ignored_and_named_in_warnings(account: Member) -> None:
    body = {"name": "Kopi", "nmae": "Teh", "features": {"pay_date": True}, "zzz": [1]}
    response = account.post("/clients", body)
    assert response.status_code == 200
    assert response.json()["warnings"] == {
        "nmae": "Unknown attribute, ignored. Did you mean name?",
        "features.pay_date": "Unknown attribute, ignored. Did you mean pay_dates?",
        "zzz": "Unknown attribute, ignored.",
    }
    assert account.get(f"/clients/{response.json()['id']}").json()["client"]["name"] == "Kopi"


def test_an_unknown_attribute_of_an_update_is_named_in_warnings(account: Member) -> None:
    client_id = account.new_client()
    response = account.patch(f"/clients/{client_id}", {"uenn": "202699999E"})
    assert response.json() == {
        "message": "The client has been updated",
        "id": client_id,
        "warnings": {"uenn": "Unknown attribute, ignored. Did you mean uen?"},
    }


def test_many_unknown_attributes_are_handled_quickly_and_counted(account: Member) -> None:
    body = {"name": "Kopi"} | {f"attribute_{number}": number for number in range(200_000)} | {"n" * 100_000: 1}
    response = account.post("/clients", body)
    assert response.status_code == 200
    assert response.elapsed.total_seconds() < 10
    warnings = response.json()["warnings"]
    assert len(warnings) <= 101
    assert warnings["attribute_0"].startswith("Unknown attribute, ignored.")
    assert "199,901 more" in list(warnings.values())[-1]


def test_a_response_can_be_sent_back_without_warnings(account: Member) -> None:
    bank = {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"}
    client_id = account.new_client(bank_account=bank, uen="202699999E")
    read = account.get(f"/clients/{client_id}").json()
    for form in (read, read["client"]):
        assert account.patch(f"/clients/{client_id}", form).json() == {
            "message": "The client has been updated",
            "id": client_id,
        }
    after = account.get(f"/clients/{client_id}").json()
    assert after["client"].pop("updated_at") >= read["client"].pop("updated_at")
    assert after == read


def test_the_wrapper_is_accepted_and_left_out_of_error_keys(account: Member) -> None:
    assert account.post("/clients", {"client": {"name": "Kopi"}}).status_code == 200
    response = account.post("/clients", {"client": {"name": "", "features": {"pay_dates": 7}}})
    assert set(field_errors(response)) == {"name", "features.pay_dates"}
    warned = account.post("/clients", {"client": {"name": "Kopi", "uenn": "x"}})
    assert set(warned.json()["warnings"]) == {"uenn"}


def test_null_in_an_update_clears_an_optional_attribute(account: Member) -> None:
    bank = {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"}
    client_id = account.new_client(uen="202699999E", bank_account=bank, physical_address={"st_name": "Ubi Crescent"})
    cleared = {"uen": None, "bank_account": None, "physical_address": {"st_name": None}}
    assert account.patch(f"/clients/{client_id}", cleared).status_code == 200
    client = account.get(f"/clients/{client_id}").json()["client"]
    assert client["uen"] is None
    assert client["bank_account"] is None
    assert client["physical_address"]["st_name"] == ""


def test_an_update_changes_only_what_is_supplied_also_inside_objects(account: Member) -> None:
    client_id = account.new_client(uen="202699999E", physical_address={"st_name": "Ubi Crescent", "unit_no": "#01-02"})
    account.patch(f"/clients/{client_id}", {"physical_address": {"unit_no": "#08-15"}})
    client = account.get(f"/clients/{client_id}").json()["client"]
    assert client["uen"] == "202699999E"
    assert client["physical_address"] == {
        "unit_no": "#08-15",
        "complex": "",
        "st_name": "Ubi Crescent",
        "postal_code": "",
    }


def test_required_rules_are_checked_on_the_merged_record(account: Member) -> None:
    client_id = account.new_client()
    where = f"/clients/{client_id}"
    assert field_errors(account.patch(where, {"name": None})) == {"name": "is required"}
    incomplete = account.patch(where, {"bank_account": {"bank_id": 7171}})
    assert field_errors(incomplete) == {
        "bank_account.account_number": "is required",
        "bank_account.branch_code": "is required",
    }
    bank = {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"}
    assert account.patch(where, {"bank_account": bank}).status_code == 200
    assert account.patch(where, {"bank_account": {"branch_code": "002"}}).status_code == 200
    assert field_errors(account.patch(where, {"bank_account": {"branch_code": None}})) == {
        "bank_account.branch_code": "is required"
    }


def test_an_empty_update_is_no_error(account: Member) -> None:
    client_id = account.new_client()
    assert account.patch(f"/clients/{client_id}", {}).status_code == 200


def test_timestamps_carry_the_offset_of_singapore(account: Member) -> None:
    client_id = account.new_client()
    account.new_pay_point(client_id)
    client = account.get(f"/clients/{client_id}").json()["client"]
    pay_point = account.get(f"/clients/{client_id}/pay_points").json()[0]["pay_point"]
    for record in (client, pay_point):
        for name in ("created_at", "updated_at"):
            assert record[name].endswith("+08:00")
            assert datetime.fromisoformat(record[name]).utcoffset() is not None


def test_lists_are_complete_bare_arrays_of_wrapped_elements_in_ascending_id_order(account: Member) -> None:
    ids = [account.new_client(name=name) for name in "cabd"]
    account.patch(f"/clients/{ids[0]}", {"name": "z"})
    listed = account.get("/clients").json()
    assert [list(element) for element in listed] == [["client"]] * 4
    assert [element["client"]["id"] for element in listed] == sorted(ids)
    places = [account.new_pay_point(ids[0], name=name) for name in "cab"]
    account.patch(f"/pay_points/{places[1]}", {"name": "z"})
    assert [element["pay_point"]["id"] for element in account.get(f"/clients/{ids[0]}/pay_points").json()] == places


def test_a_single_read_returns_the_element_of_the_list_in_the_same_wrapper(account: Member) -> None:
    client_id = account.new_client()
    assert account.get(f"/clients/{client_id}").json() == account.get("/clients").json()[0]


def test_text_outside_ascii_reads_back_as_it_was_written(account: Member) -> None:
    name = "Café 裕廊 🏭 \\ \" ' <&>"
    for content in (json.dumps({"name": name}), json.dumps({"name": name}, ensure_ascii=False)):
        response = account.call("POST", "/clients", content=content.encode())
        assert account.get(f"/clients/{response.json()['id']}").json()["client"]["name"] == name


def test_without_a_rate_limit_there_are_no_rate_limit_headers(account: Member) -> None:
    assert account.service.settings.rate_limit == 0
    response = account.get("/clients")
    assert not [name for name in response.headers if name.startswith("x-ratelimit")]


def test_no_response_header_is_repeated(account: Member) -> None:
    for response in (account.get("/clients?page=1"), account.get("/nowhere"), account.get("/clients/0")):
        names = [name for name, _ in response.headers.multi_items()]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("page", ["/healthz", "/readyz"])
def test_health_checks_need_no_key(account: Member, page: str) -> None:
    response = account.service.http.get(f"{account.service.url}{page}")
    assert response.status_code == 200
    assert response.headers["x-request-id"]


def test_other_versions_of_the_interface_are_not_found(account: Member) -> None:
    for where in ("/v2/clients", "/api/clients", "/api/v1clients", "/v1clients", "/clients", "/"):
        assert_problem(account.service.http.get(f"{account.service.url}{where}"), 404)


def test_timestamps_always_have_six_digits_of_a_second(account: Member) -> None:
    for _ in range(12):
        account.new_client()
    for element in account.get("/clients").json():
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+08:00", element["client"]["created_at"])


@pytest.mark.parametrize("path", ["/clients", "/clients/0"])
def test_responses_are_not_stored_and_their_type_is_not_guessed(account: Member, path: str) -> None:
    answer = account.get(path)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_browsers_are_told_to_keep_using_https(account: Member) -> None:
    assert "strict-transport-security" not in account.get("/clients").headers
    for page in ("/v1/clients", "/console/sign_in"):
        answer = account.service.http.get(account.service.url + page, headers={"X-Forwarded-Proto": "https"})
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
