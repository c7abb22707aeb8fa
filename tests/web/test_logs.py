"""Logs: one JSON line for each request, without personal data and without keys."""

import json

import pytest

from gaji.identity.key_format import generate_key
from tests.support.running import Member

NRIC = "S1234567D"
NAME = "Tan Ah Kow Reginald"
ACCOUNT = "0099887766"
EMAIL = "tan.ah.kow@example.com"
PERSONAL = (NRIC, NAME, "Tan%20Ah", ACCOUNT, EMAIL, "tan.ah.kow")


def test_a_request_leaves_one_json_line_with_its_id_who_what_and_how_long(account: Member) -> None:
    client_id = account.new_client()
    account.patch(f"/clients/{client_id}", {"name": "Kopi"}, headers={"X-Request-Id": "logged-request"})
    [line] = account.service.logged("logged-request")
    assert line["event"] == "request"
    assert (line["method"], line["path"], line["status"]) == ("PATCH", f"/v1/clients/{client_id}", 200)
    assert (line["level"], line["route"], line["client_id"]) == ("info", "/v1/clients/{client_id}", client_id)
    assert isinstance(line["ms"], float)
    assert isinstance(line["at"], str)
    [key] = account.service.as_owner(
        "SELECT k.id, k.user_id, u.account_id FROM api_keys k JOIN users u ON u.id = k.user_id WHERE u.email = $1",
        account.email,
    )
    assert (line["account_id"], line["user_id"], line["key_id"]) == (key["account_id"], key["user_id"], key["id"])


def test_every_line_is_json_and_every_request_has_its_id(account: Member) -> None:
    account.get("/clients")
    account.get("/constants/%0a%22%e2%80%a8")
    account.call("POST", "/clients", content=b"{")
    account.get("/clients", headers={"X-Request-Id": "the-last-request"})
    account.service.logged("the-last-request")
    lines = [json.loads(line) for line in account.service.log_lines()]
    assert all(line["request_id"] for line in lines if line["event"] == "request")
    assert len([line for line in lines if line["event"] == "request"]) >= 4


def test_no_line_holds_personal_data_or_a_key(account: Member) -> None:
    service = account.service
    unknown, client_id = generate_key(), account.new_client(name=NAME)
    bank = {"bank_id": 7171, "account_number": ACCOUNT, "branch_code": "001", "account_name": NAME}
    service.as_owner("ALTER TABLE clients ADD CONSTRAINT fault CHECK (name <> 'Tan Ah Kow Reginald Fault') NOT VALID")
    try:
        responses = [
            account.post("/clients", {"name": NAME, "bank_account": bank}),
            account.post("/clients", {"name": NAME, "bank_account": bank, "uen": NRIC, NRIC: NAME}),
            account.post("/clients", {"name": f"{NAME} Fault", "bank_account": bank}),
            account.patch(f"/clients/{client_id}", {"name": NAME, "bank_account": bank}),
            account.post(f"/clients/{client_id}/pay_points", {"name": NAME}),
            account.post(f"/clients/{client_id}/pay_points", {"name": NAME}),
            account.call("POST", "/clients", content=f'{{"name": "{NAME}", {NRIC}'.encode()),
            account.get(f"/clients?nric={NRIC}&name={NAME}&email={EMAIL}"),
            account.get(f"/clients?page={NRIC}"),
            account.get(f"/clients/{NRIC}"),
            account.get(f"/constants/{NAME}"),
            account.get(f"/{EMAIL}/{NAME}"),
            account.get("/clients", headers={"User-Agent": NAME, "Referer": f"http://x/{NRIC}", "X-Name": NAME}),
            account.post("/clients", {"name": NAME}, headers={"Idempotency-Key": f"{NRIC} {EMAIL}"}),
            account.get("/clients", headers={"Authorization": unknown}),
            account.get("/clients", headers={"Authorization": f"Basic {account.key}"}),
            account.get("/clients", headers={"X-Request-Id": f"{NAME} {NRIC}"}),
            account.get(f"/clients?key={account.key}", headers={"X-Request-Id": "the-last-of-them"}),
        ]
    finally:
        service.as_owner("ALTER TABLE clients DROP CONSTRAINT fault")
    statuses = [response.status_code for response in responses]
    assert {200, 400, 401, 404, 422, 500} == set(statuses)
    account.service.logged("the-last-of-them")
    log = service.log.read_text()
    assert '"event":"failure"' in log
    for secret in (*PERSONAL, account.key, unknown, account.key[5:], account.email, service.settings.secret_key or "?"):
        assert secret not in log


@pytest.mark.parametrize("path", ["/clients/12", "/clients", "/constants/bank_id"])
def test_words_of_the_interface_and_identifiers_are_shown(account: Member, path: str) -> None:
    request_id = f"shown-{path.replace('/', '.')}-{account.email.split('@')[0]}"
    account.get(path, headers={"X-Request-Id": request_id})
    assert account.service.logged(request_id)[0]["path"] == f"/v1{path}"
