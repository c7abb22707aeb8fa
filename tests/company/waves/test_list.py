"""GET /clients/:client_id/waves and GET /waves/:id: the full and the simplified form."""

import re
from datetime import datetime
from typing import Any

import pytest

from tests.support.company import FORTNIGHTLY, MONTHLY, TWICE_A_MONTH, WEEKLY, Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member

FULL = {
    "id",
    "length_months",
    "length_weeks",
    "first_end_date",
    "first_period_offset",
    "notification_days_before",
    "finalisation_days_before",
    "payslip_payment_day",
    "client_id",
    "interim_first_end_date",
    "created_at",
    "updated_at",
    "custom_name",
    "pay_dates",
    "name",
}
SIMPLIFIED = {
    "id",
    "first_end_date",
    "client_id",
    "interim_first_end_date",
    "created_at",
    "updated_at",
    "custom_name",
    "pay_dates",
    "name",
    "frequency",
}
FREQUENCIES = {"weekly": WEEKLY, "fortnightly": FORTNIGHTLY, "twice_a_month": TWICE_A_MONTH, "monthly": MONTHLY}


def listed(company: Company, query: str = "") -> list[dict[str, Any]]:
    return [element["wave"] for element in company.member.get(f"/clients/{company.id}/waves{query}").json()]


def test_it_works(company: Company) -> None:
    [wave] = listed(company)
    timestamps = [wave.pop(name) for name in ("created_at", "updated_at")]
    assert wave == {
        "id": company.wave_id,
        "length_months": 1,
        "length_weeks": 0,
        "first_end_date": "2008-01-31",
        "first_period_offset": 192,
        "notification_days_before": None,
        "finalisation_days_before": None,
        "payslip_payment_day": None,
        "client_id": company.id,
        "interim_first_end_date": None,
        "custom_name": None,
        "pay_dates": {"enabled": False},
        "name": "Monthly, ending on the last day",
    }
    for timestamp in timestamps:
        assert timestamp.endswith("+08:00")
        assert datetime.fromisoformat(timestamp)


def test_every_element_is_wrapped_in_ascending_id_order(company: Company) -> None:
    ids = [company.wave_id, *(company.wave(**supplied) for supplied in FREQUENCIES.values())]
    elements = company.member.get(f"/clients/{company.id}/waves").json()
    assert [list(element) for element in elements] == [["wave"]] * 5
    assert [element["wave"]["id"] for element in elements] == ids


def test_the_full_form_has_exactly_its_fields(company: Company) -> None:
    assert set(listed(company)[0]) == FULL


def test_the_simplified_form_leaves_out_the_lengths_and_offsets_and_has_the_frequency(company: Company) -> None:
    for supplied in FREQUENCIES.values():
        company.wave(**supplied)
    simplified = listed(company, "?format=simplified")
    assert [set(wave) for wave in simplified] == [SIMPLIFIED] * 5
    assert [wave["frequency"] for wave in simplified] == ["monthly", *FREQUENCIES]
    for full, other in zip(listed(company), simplified, strict=True):
        assert {name: full[name] for name in SIMPLIFIED - {"frequency"}} == {
            name: value for name, value in other.items() if name != "frequency"
        }


@pytest.mark.parametrize(
    ("frequency", "months", "weeks"),
    [("monthly", 1, 0), ("twice_a_month", 1, 0), ("fortnightly", 0, 2), ("weekly", 0, 1)],
)
def test_length_months_and_length_weeks_by_frequency(company: Company, frequency: str, months: int, weeks: int) -> None:
    wave_id = company.wave(**FREQUENCIES[frequency])
    wave = company.member.get(f"/waves/{wave_id}").json()["wave"]
    assert (wave["length_months"], wave["length_weeks"]) == (months, weeks)


def test_only_twice_a_month_has_an_interim_first_end_date(company: Company) -> None:
    for supplied in FREQUENCIES.values():
        company.wave(**supplied)
    interim = {wave["frequency"]: wave["interim_first_end_date"] for wave in listed(company, "?format=simplified")}
    assert interim == {"weekly": None, "fortnightly": None, "monthly": None, "twice_a_month": "2008-01-15"}


def test_the_name_is_a_descriptive_label(company: Company) -> None:
    for supplied in FREQUENCIES.values():
        company.wave(**supplied)
    assert [wave["name"] for wave in listed(company)][1:] == [
        "Weekly, ending on Friday",
        "Fortnightly, ending on Friday",
        "Twice a month, ending on day 15 and the last day",
        "Monthly, ending on the last day",
    ]


@pytest.mark.parametrize("query", ["", "?format=simplified"])
def test_a_single_read_answers_the_element_of_the_list(company: Company, query: str) -> None:
    [element] = company.member.get(f"/clients/{company.id}/waves{query}").json()
    assert company.member.get(f"/waves/{company.wave_id}{query}").json() == element


@pytest.mark.parametrize("value", ["full", "SIMPLIFIED", "simplified,full"])
def test_any_other_format_is_a_validation_failure(company: Company, value: str) -> None:
    for where in (f"/clients/{company.id}/waves", f"/waves/{company.wave_id}"):
        assert field_errors(company.member.get(f"{where}?format={value}")) == {"format": "must be one of simplified"}


def test_a_client_without_waves_has_an_empty_list(account: Member) -> None:
    assert account.get(f"/clients/{account.new_client()}/waves").json() == []


def test_waves_are_paged(company: Company) -> None:
    later = company.wave(**WEEKLY)
    answer = company.member.get(f"/clients/{company.id}/waves?format=simplified&page=2&per_page=1")
    assert [element["wave"]["id"] for element in answer.json()] == [later]
    assert answer.headers["x-total-count"] == "2"
    assert re.search(r'format=simplified&page=1&per_page=1>; rel="prev"', answer.headers["link"])


def test_a_wave_that_does_not_exist_is_a_404(company: Company) -> None:
    for where in ("/waves/999999999", "/clients/999999999/waves"):
        assert_problem(company.member.get(where), 404)
