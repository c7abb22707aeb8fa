"""API keys that hide identifiers cannot find out by trying which ones a client has."""

import secrets
from typing import Any

import pytest

from gaji.people.employees.identifier_probes import MAX_REFUSALS
from tests.support.company import Company, attributes
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member

NRIC, FREE_NRIC = "S9812387C", "T5717279C"
IN_USE = {"nric": "is the NRIC of another employee of this client"}


@pytest.fixture
def hiding(company: Company) -> Member:
    """A key that hides identifiers of a client in which one NRIC is in use."""
    company.hire(nric=NRIC)
    return company.member.with_another_key(hide_identifiers=True)


def probe(member: Member, company: Company, nric: str = NRIC, **headers: str) -> Any:
    body = {"employee": {"wave_id": company.wave_id, **attributes(nric=nric)}}
    return member.post(company.people, body, headers=headers)


def refuse_before(company: Company, member: Member, count: int, minutes: int = 1) -> None:
    """Record that a key was refused identifiers some minutes ago."""
    company.member.service.as_owner(
        "UPDATE api_key_uses SET refused_identifiers = $2, refusals_since = now() - make_interval(mins => $3) "
        "WHERE key_id = $1",
        member.get("/me").json()["api_key"]["id"],
        count,
        minutes,
    )


def test_the_refusal_names_nobody_and_owners_see_it(company: Company, hiding: Member) -> None:
    response = probe(hiding, company)
    assert field_errors(response) == IN_USE
    assert "Member" not in response.text
    [event] = [row["access_event"] for row in company.member.get("/access_events?kind=identifier_taken").json()]
    assert (event["path"], event["count"]) == (f"/clients/{company.id}/employees", 1)
    assert event["api_key_id"] == hiding.get("/me").json()["api_key"]["id"]


@pytest.mark.parametrize("with_key", [False, True])
def test_refusals_are_counted_also_with_an_idempotency_key(company: Company, hiding: Member, with_key: bool) -> None:
    refuse_before(company, hiding, MAX_REFUSALS - 1)
    headers = {"Idempotency-Key": secrets.token_hex(8)} if with_key else {}
    assert field_errors(probe(hiding, company, **headers)) == IN_USE
    response = probe(hiding, company)
    assert_problem(response, 429)
    assert 3400 < int(response.headers["Retry-After"]) <= 3600


def test_at_the_limit_the_answer_is_the_same_whether_it_is_in_use_or_not(company: Company, hiding: Member) -> None:
    refuse_before(company, hiding, MAX_REFUSALS)
    employee_id = company.hire()
    answers = [
        hiding.post(company.people, {"employee": {"wave_id": company.wave_id, **attributes(nric=nric)}})
        for nric in (NRIC, FREE_NRIC)
    ]
    answers += [hiding.patch(f"/employees/{employee_id}", {"nric": nric}) for nric in (NRIC, FREE_NRIC)]
    assert [answer.status_code for answer in answers] == [429] * 4
    assert hiding.patch(f"/employees/{employee_id}", {"job_title": "Cook"}).status_code == 200


def test_a_bulk_request_cannot_ask_for_more_than_the_limit(company: Company, hiding: Member) -> None:
    employee_id = company.hire()
    refuse_before(company, hiding, MAX_REFUSALS)
    bulk = f"{company.people}/bulk"
    new = {"wave_id": company.wave_id, **attributes(nric=NRIC)}
    assert hiding.post(bulk, {"employees": [new]}).status_code == 429
    change = {"employees": [{"id": employee_id, "nric": NRIC}]}
    assert hiding.patch(bulk, change).status_code == 429


def test_the_count_ends_after_an_hour(company: Company, hiding: Member) -> None:
    refuse_before(company, hiding, MAX_REFUSALS, minutes=61)
    assert field_errors(probe(hiding, company)) == IN_USE
    assert field_errors(probe(hiding, company)) == IN_USE


def test_other_keys_are_not_limited(company: Company, hiding: Member) -> None:
    refuse_before(company, hiding, MAX_REFUSALS)
    assert field_errors(probe(company.member, company)) == IN_USE
    assert field_errors(probe(company.member.with_another_key(hide_identifiers=True), company)) == IN_USE
