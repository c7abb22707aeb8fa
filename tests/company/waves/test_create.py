"""POST /clients/:client_id/waves: every rule of a new wave, and how its dates are normalised."""

import calendar
from datetime import date
from typing import Any

import pytest

from tests.support.company import FORTNIGHTLY, MONTHLY, TWICE_A_MONTH, WEEKLY, Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import created

FEATURES = {"custom_wave_names": True, "pay_dates": True}
RELATIVE = {"enabled": True, "type": "relative", "days_offset": 3, "when": "after"}
FIXED = {"enabled": True, "type": "fixed", "day": 28, "when": "current"}
INTERIM = {"interim_day": 14, "interim_when": "next"}


@pytest.fixture
def featured(company: Company) -> Company:
    """The company with both features of waves enabled."""
    company.member.patch(f"/clients/{company.id}", {"features": FEATURES})
    return company


def create_and_read(company: Company, **supplied: Any) -> dict[str, Any]:
    """Create a wave and read it back."""
    wave: dict[str, Any] = company.member.get(f"/waves/{company.wave(**supplied)}").json()["wave"]
    return wave


def refusal(company: Company, supplied: dict[str, Any]) -> dict[str, str]:
    """Return the errors of a create that is rejected, after checking that it changed nothing."""
    before = company.member.service.fingerprint()
    errors = field_errors(company.member.post(f"/clients/{company.id}/waves", supplied))
    assert company.member.service.fingerprint() == before
    return errors


def test_it_works(company: Company) -> None:
    answer = company.member.post(f"/clients/{company.id}/waves", MONTHLY)
    assert answer.json() == {"message": "The wave has been created", "id": answer.json()["id"]}


def test_the_attributes_are_the_top_level_object_and_the_wrapper_is_accepted_too(company: Company) -> None:
    assert created(company.member.post(f"/clients/{company.id}/waves", {"wave": WEEKLY}))
    assert refusal(company, {"wave": {"frequency": "daily"}}) == {
        "frequency": "must be one of weekly, fortnightly, twice_a_month, monthly",
        "first_end_date": "is required",
    }


def test_an_unknown_attribute_is_ignored_and_named(company: Company) -> None:
    supplied = {**WEEKLY, "first_end_dat": "2024-01-05", "pay_dates": None}
    answer = company.member.post(f"/clients/{company.id}/waves", supplied)
    assert answer.json()["warnings"] == {"first_end_dat": "Unknown attribute, ignored. Did you mean first_end_date?"}


@pytest.mark.parametrize("name", ["frequency", "first_end_date"])
def test_frequency_and_first_end_date_are_required(company: Company, name: str) -> None:
    assert refusal(company, {key: value for key, value in WEEKLY.items() if key != name}) == {name: "is required"}


@pytest.mark.parametrize("supplied", [WEEKLY, FORTNIGHTLY, TWICE_A_MONTH, MONTHLY])
def test_every_frequency_is_possible(company: Company, supplied: dict[str, Any]) -> None:
    wave_id = company.wave(**supplied)
    simplified = company.member.get(f"/waves/{wave_id}?format=simplified").json()["wave"]
    assert simplified["frequency"] == supplied["frequency"]


def test_twice_a_month_without_an_interim_day_is_rejected(company: Company) -> None:
    supplied = {key: value for key, value in TWICE_A_MONTH.items() if key != "interim_day_of_month"}
    assert refusal(company, supplied) == {"interim_day_of_month": "is required when frequency is twice_a_month"}


@pytest.mark.parametrize("supplied", [MONTHLY, TWICE_A_MONTH])
def test_last_day_of_month_is_required_if_monthly_or_twice_a_month(company: Company, supplied: dict[str, Any]) -> None:
    without = {key: value for key, value in supplied.items() if key != "last_day_of_month"}
    assert refusal(company, without) == {"last_day_of_month": f"is required when frequency is {supplied['frequency']}"}


def test_days_of_the_month_are_optional_otherwise(company: Company) -> None:
    assert (
        create_and_read(company, **WEEKLY, last_day_of_month=5, interim_day_of_month=40 - 9)["first_end_date"]
        == "2008-01-04"
    )
    assert create_and_read(company, **MONTHLY, interim_day_of_month=15)["interim_first_end_date"] is None


@pytest.mark.parametrize("name", ["interim_day_of_month", "last_day_of_month"])
@pytest.mark.parametrize("day", [0, 32, -1])
def test_a_day_of_the_month_is_1_to_31(company: Company, name: str, day: int) -> None:
    assert refusal(company, {**TWICE_A_MONTH, name: day}) == {name: "must be from 1 to 31"}


@pytest.mark.parametrize("day", range(1, 32))
def test_every_day_from_1_to_31_is_normalised_into_january_2008(company: Company, day: int) -> None:
    end = date(2024, 2, min(day, 29))
    wave = create_and_read(company, frequency="monthly", last_day_of_month=day, first_end_date=str(end))
    assert (wave["first_end_date"], wave["first_period_offset"]) == (f"2008-01-{day:02d}", 193)


@pytest.mark.parametrize(
    ("interim", "last", "message"),
    [
        (30, 31, "30 and 31 are the same day in a short month; one of them must be below 28"),
        (28, 31, "28 and 31 are the same day in a short month; one of them must be below 28"),
        (29, 28, "29 and 28 are the same day in a short month; one of them must be below 28"),
        (15, 15, "must differ from last_day_of_month"),
    ],
)
def test_the_two_days_of_twice_a_month_must_differ_and_not_both_be_28_or_more(
    company: Company, interim: int, last: int, message: str
) -> None:
    supplied = {
        **TWICE_A_MONTH,
        "interim_day_of_month": interim,
        "last_day_of_month": last,
        "first_end_date": "2024-01-31",
    }
    assert refusal(company, supplied) == {"interim_day_of_month": message}


@pytest.mark.parametrize("day", range(1, 8))
def test_a_weekly_first_end_date_is_moved_into_the_first_week_of_2008(company: Company, day: int) -> None:
    supplied = date(2026, 2, day)
    wave = create_and_read(company, frequency="weekly", first_end_date=str(supplied))
    normal = date.fromisoformat(wave["first_end_date"])
    assert date(2008, 1, 1) <= normal <= date(2008, 1, 7)
    assert (supplied - normal).days == 7 * wave["first_period_offset"]


@pytest.mark.parametrize("day", range(1, 15))
def test_a_fortnightly_first_end_date_is_moved_into_the_first_two_weeks_of_2008(company: Company, day: int) -> None:
    supplied = date(2026, 2, day)
    wave = create_and_read(company, frequency="fortnightly", first_end_date=str(supplied))
    normal = date.fromisoformat(wave["first_end_date"])
    assert date(2008, 1, 1) <= normal <= date(2008, 1, 14)
    assert (supplied - normal).days == 14 * wave["first_period_offset"]


@pytest.mark.parametrize(
    ("first_end", "offset"),
    [("2008-01-31", 0), ("2008-02-29", 1), ("2007-12-31", -1), ("1999-02-28", -107), ("2026-02-28", 217)],
)
def test_a_monthly_offset_counts_months_before_and_after_2008(company: Company, first_end: str, offset: int) -> None:
    wave = create_and_read(company, frequency="monthly", last_day_of_month=31, first_end_date=first_end)
    assert (wave["first_end_date"], wave["first_period_offset"]) == ("2008-01-31", offset)


@pytest.mark.parametrize(
    ("interim", "last", "first_end", "offset"),
    [
        (15, 31, "2008-01-31", 0),
        (15, 31, "2008-02-15", 1),
        (15, 31, "2008-01-15", -1),
        (15, 31, "2026-03-15", 435),
        (15, 31, "2026-02-28", 434),
        (20, 5, "2008-01-05", 0),
        (20, 5, "2008-01-20", 1),
        (31, 10, "2008-02-29", 3),
    ],
)
def test_a_twice_a_month_offset_counts_half_months(
    company: Company, interim: int, last: int, first_end: str, offset: int
) -> None:
    wave = create_and_read(
        company,
        frequency="twice_a_month",
        interim_day_of_month=interim,
        last_day_of_month=last,
        first_end_date=first_end,
    )
    assert wave["first_end_date"] == f"2008-01-{last:02d}"
    assert wave["interim_first_end_date"] == f"2008-01-{interim:02d}"
    assert wave["first_period_offset"] == offset


@pytest.mark.parametrize("day", [29, 30, 31])
def test_days_29_to_31_fall_back_to_the_last_day_of_a_shorter_month(company: Company, day: int) -> None:
    for year in (2023, 2024):
        last = calendar.monthrange(year, 2)[1]
        assert create_and_read(company, frequency="monthly", last_day_of_month=day, first_end_date=f"{year}-02-{last}")
    near = {"frequency": "monthly", "last_day_of_month": day, "first_end_date": "2024-02-28"}
    assert list(refusal(company, near)) == ["first_end_date"]


@pytest.mark.parametrize(
    ("supplied", "ends"),
    [
        (MONTHLY, "2026-03-31 and 2026-04-30"),
        (TWICE_A_MONTH, "2026-04-15 and 2026-04-30"),
        ({**MONTHLY, "last_day_of_month": 20}, "2026-03-20 and 2026-04-20"),
    ],
)
def test_a_first_end_date_that_ends_no_period_is_rejected_with_those_that_do(
    company: Company, supplied: dict[str, Any], ends: str
) -> None:
    assert refusal(company, {**supplied, "first_end_date": "2026-04-16"}) == {
        "first_end_date": f"2026-04-16 is not the end of a period; the nearest end dates are {ends}"
    }


@pytest.mark.parametrize(
    "supplied", ["2026-02-30", "31.01.2026", "2026-1-31", 20260131, "", "1899-12-31", "2200-01-01"]
)
def test_an_invalid_first_end_date_is_named(company: Company, supplied: object) -> None:
    assert list(refusal(company, {**MONTHLY, "first_end_date": supplied})) == ["first_end_date"]


def test_custom_name_on_a_client_without_the_feature_is_an_error(company: Company) -> None:
    assert refusal(company, {**WEEKLY, "custom_name": "Crew"}) == {
        "custom_name": "cannot be set because the feature custom_wave_names is not enabled for this client"
    }


@pytest.mark.parametrize("pay_dates", [RELATIVE, {"enabled": False}])
def test_pay_dates_on_a_client_without_the_feature_are_an_error(company: Company, pay_dates: dict[str, Any]) -> None:
    assert refusal(company, {**WEEKLY, "pay_dates": pay_dates}) == {
        "pay_dates": "cannot be set because the feature pay_dates is not enabled for this client"
    }


def test_custom_name_and_pay_dates_read_back_where_the_features_are_enabled(featured: Company) -> None:
    wave = create_and_read(featured, **WEEKLY, custom_name="Crew", pay_dates=RELATIVE)
    assert (wave["custom_name"], wave["pay_dates"]) == ("Crew", RELATIVE)
    assert wave["name"] == "Weekly, ending on Friday"


def test_pay_dates_that_are_not_enabled_need_nothing_else(featured: Company) -> None:
    assert create_and_read(featured, **WEEKLY, pay_dates={"enabled": False})["pay_dates"] == {"enabled": False}


@pytest.mark.parametrize(
    ("pay_dates", "expected"),
    [
        ({"enabled": False, "type": "sometimes"}, {"pay_dates.type": "must be one of relative, fixed"}),
        ({"enabled": False, "day": 32}, {"pay_dates.day": "must be from 1 to 31"}),
        (
            {"enabled": False, "type": "relative", "when": "later"},
            {"pay_dates.when": "must be one of before, after, previous, current, next"},
        ),
    ],
)
def test_unknown_values_are_rejected_even_if_pay_dates_are_disabled(
    featured: Company, pay_dates: dict[str, Any], expected: dict[str, str]
) -> None:
    answer = featured.member.post(f"/clients/{featured.id}/waves", {**WEEKLY, "pay_dates": pay_dates})
    assert field_errors(answer) == expected


@pytest.mark.parametrize("frequency", [WEEKLY, FORTNIGHTLY, TWICE_A_MONTH, MONTHLY])
@pytest.mark.parametrize("when", ["before", "after"])
def test_relative_pay_dates_are_possible_for_every_frequency(
    featured: Company, frequency: dict[str, Any], when: str
) -> None:
    supplied = {**RELATIVE, "when": when}
    assert create_and_read(featured, **frequency, pay_dates=supplied)["pay_dates"] == supplied


@pytest.mark.parametrize("when", ["previous", "current", "next"])
def test_fixed_pay_dates_are_possible_by_the_month(featured: Company, when: str) -> None:
    supplied = {**FIXED, "when": when}
    assert create_and_read(featured, **MONTHLY, pay_dates=supplied)["pay_dates"] == supplied
    both = {**supplied, **INTERIM}
    assert create_and_read(featured, **TWICE_A_MONTH, pay_dates=both)["pay_dates"] == both


@pytest.mark.parametrize("frequency", [WEEKLY, FORTNIGHTLY])
def test_fixed_pay_dates_on_a_weekly_or_fortnightly_wave_are_rejected(
    featured: Company, frequency: dict[str, Any]
) -> None:
    assert refusal(featured, {**frequency, "pay_dates": FIXED}) == {
        "pay_dates.type": f"must be relative when frequency is {frequency['frequency']}"
    }


@pytest.mark.parametrize(
    ("pay_dates", "expected"),
    [
        ({}, {"pay_dates.enabled": "is required"}),
        (
            {"enabled": True},
            {
                "pay_dates.type": "is required when enabled is true",
                "pay_dates.when": "is required when enabled is true",
            },
        ),
        (
            {"enabled": True, "type": "relative", "when": "after"},
            {"pay_dates.days_offset": "is required when type is relative"},
        ),
        ({"enabled": True, "type": "fixed", "when": "next"}, {"pay_dates.day": "is required when type is fixed"}),
        ({**RELATIVE, "when": "next"}, {"pay_dates.when": "must be one of before, after when type is relative"}),
        ({**FIXED, "when": "after"}, {"pay_dates.when": "must be one of previous, current, next when type is fixed"}),
        ({**FIXED, "day": 32}, {"pay_dates.day": "must be from 1 to 31"}),
        ({**FIXED, "days_offset": 2}, {"pay_dates.days_offset": "is only allowed when type is relative"}),
        ({**RELATIVE, "day": 2}, {"pay_dates.day": "is only allowed when type is fixed"}),
        ({**RELATIVE, "type": "monthly"}, {"pay_dates.type": "must be one of relative, fixed"}),
        ({**RELATIVE, "enabled": "yes"}, {"pay_dates.enabled": "must be true or false"}),
        ([], {"pay_dates": "must be an object"}),
    ],
)
def test_pay_date_attributes_and_when_each_is_required(
    featured: Company, pay_dates: Any, expected: dict[str, str]
) -> None:
    errors = refusal(featured, {**MONTHLY, "pay_dates": pay_dates})
    assert {name: errors[name] for name in expected} == expected


def test_interim_pay_dates_are_required_if_twice_a_month_and_fixed(featured: Company) -> None:
    expected = "is required when frequency is twice_a_month and type is fixed"
    assert refusal(featured, {**TWICE_A_MONTH, "pay_dates": FIXED}) == {
        "pay_dates.interim_day": expected,
        "pay_dates.interim_when": expected,
    }
    wrong = {**FIXED, "interim_day": 0, "interim_when": "after"}
    assert refusal(featured, {**TWICE_A_MONTH, "pay_dates": wrong}) == {
        "pay_dates.interim_day": "must be from 1 to 31",
        "pay_dates.interim_when": "must be one of previous, current, next",
    }


def test_all_errors_of_a_wave_are_reported_at_once(company: Company) -> None:
    supplied = {
        **MONTHLY,
        "first_end_date": "2024-01-15",
        "custom_name": 5,
        "pay_dates": {"enabled": True, "type": "fixed", "when": "after", "day": 40},
    }
    assert set(refusal(company, supplied)) == {
        "first_end_date",
        "custom_name",
        "pay_dates",
        "pay_dates.day",
        "pay_dates.when",
    }


def test_a_wave_of_a_client_that_does_not_exist_is_a_404(company: Company) -> None:
    assert_problem(company.member.post("/clients/999999999/waves", WEEKLY), 404)
