"""PATCH /clients/:id"""

from concurrent.futures import ThreadPoolExecutor

from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member

BANK = {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"}


def test_it_works(account: Member) -> None:
    client_id = account.new_client()
    answer = account.patch(f"/clients/{client_id}", {"name": "Teh Trading"})
    assert answer.json() == {"message": "The client has been updated", "id": client_id}
    assert account.get(f"/clients/{client_id}").json()["client"]["name"] == "Teh Trading"


def test_it_moves_updated_at_and_leaves_created_at(account: Member) -> None:
    client_id = account.new_client()
    before = account.get(f"/clients/{client_id}").json()["client"]
    account.patch(f"/clients/{client_id}", {"name": "Teh"})
    after = account.get(f"/clients/{client_id}").json()["client"]
    assert after["created_at"] == before["created_at"]
    assert after["updated_at"] > before["updated_at"]


def test_the_id_in_the_body_does_nothing(account: Member) -> None:
    client_id = account.new_client()
    assert account.patch(f"/clients/{client_id}", {"id": client_id + 1}).status_code == 200
    assert account.get(f"/clients/{client_id}").json()["client"]["id"] == client_id


def test_a_changed_bank_account_keeps_what_is_not_supplied(account: Member) -> None:
    client_id = account.new_client(bank_account={**BANK, "company_id": "KOPI01"})
    account.patch(f"/clients/{client_id}", {"bank_account": {"account_number": "9988776655"}})
    assert account.get(f"/clients/{client_id}").json()["client"]["bank_account"] == {
        **BANK,
        "account_number": "9988776655",
        "account_name": None,
        "company_id": "KOPI01",
    }


def test_a_bank_account_can_be_taken_away_and_given_again(account: Member) -> None:
    client_id = account.new_client(bank_account=BANK)
    for bank in (None, BANK):
        assert account.patch(f"/clients/{client_id}", {"bank_account": bank}).status_code == 200
        read = account.get(f"/clients/{client_id}").json()["client"]["bank_account"]
        assert (read and read["account_number"]) == (bank and bank["account_number"])


def test_a_feature_can_be_switched_without_touching_the_others(account: Member) -> None:
    client_id = account.new_client(features={"pay_dates": True})
    account.patch(f"/clients/{client_id}", {"features": {"leave_any_day": True}})
    features = account.get(f"/clients/{client_id}").json()["client"]["features"]
    assert features == {
        "custom_wave_names": False,
        "pay_dates": True,
        "regular_hours_v2": True,
        "leave_any_day": True,
        "payslip_passwords": False,
        "payslip_attachments": False,
    }


def test_two_updates_at_once_lose_nothing(account: Member) -> None:
    client_id = account.new_client()
    lines = ("unit_no", "complex", "st_name", "postal_code")
    with ThreadPoolExecutor() as threads:
        for _ in range(5):
            changes = [{"physical_address": {line: line}} for line in lines] + [{"uen": "202699999E"}]
            answers = list(threads.map(lambda change: account.patch(f"/clients/{client_id}", change), changes))
            assert {answer.status_code for answer in answers} == {200}
            client = account.get(f"/clients/{client_id}").json()["client"]
            assert client["physical_address"] == {line: line for line in lines}
            assert client["uen"] == "202699999E"
            account.patch(f"/clients/{client_id}", {"physical_address": None, "uen": None})


def test_an_unknown_client_is_not_found(account: Member) -> None:
    assert_problem(account.patch("/clients/999999999", {"name": "x"}), 404)


def test_an_error_is_named(account: Member) -> None:
    client_id = account.new_client()
    assert list(field_errors(account.patch(f"/clients/{client_id}", {"name": ""}))) == ["name"]
