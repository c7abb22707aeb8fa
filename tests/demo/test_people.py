"""The people of the demo: the same for the same seed and day, valid on any day, and every case among them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from gaji.company.custom_fields.rules import CustomField
from gaji.core.constants import LISTS
from gaji.demo.jobs import JOBS
from gaji.demo.people import COMMUNITIES, Body, Facts, people
from gaji.demo.roster import ROSTER
from gaji.law import fin, nric
from gaji.people.employees.rules import EMPLOYEE, ClientFacts

TODAY = date(2026, 11, 15)
FACTS = Facts(
    today=TODAY,
    waves={"monthly": 1, "twice_a_month": 2, "fortnightly": 3, "weekly": 4},
    pay_points=(1, 2, 3),
    uniform_field=7,
    uniform_sizes=(11, 12, 13, 14),
    locker_field=8,
)
CLIENT = ClientFacts(
    wave_ids=set(FACTS.waves.values()),
    pay_point_ids=set(FACTS.pay_points),
    custom_fields={
        7: CustomField(7, "Uniform size", "dropdown", False, (11, 12, 13, 14)),
        8: CustomField(8, "Locker", "text", False, ()),
    },
    manual_numbers=False,
)
EVERYONE = 60
SMALLEST = 25


def made(count: int = EVERYONE, seed: int = 1, today: date = TODAY) -> list[Body]:
    return list(people(seed, count, replace(FACTS, today=today)))


def months_since(day: str, today: date = TODAY) -> int:
    then = date.fromisoformat(day)
    return (today.year - then.year) * 12 + today.month - then.month


def has(**wanted: Any) -> Callable[[Body], bool]:
    return lambda person: all(person.get(name) == value for name, value in wanted.items())


def resident(person: Body) -> bool:
    return person["legal_status"] in ("CITIZEN", "PR")


def reaches(age: int, months: int) -> Callable[[Body], bool]:
    """Whose birthday in this many months makes them this old."""
    return lambda person: months_since(person["birthdate"]) + months == 12 * age


def pr_year(year: int, rates: str) -> Callable[[Body], bool]:
    def check(person: Body) -> bool:
        if person["legal_status"] != "PR" or person.get("pr_cpf_rates", "GG") != rates:
            return False
        months = months_since(person["pr_date"])
        return {1: months <= 12, 2: 12 < months <= 24, 3: months > 24}[year]

    return check


def address(kind: str) -> Callable[[Body], bool]:
    return lambda person: bool(person.get("physical_address", {}).get("type") == kind)


def identity(attribute: str, series: str) -> Callable[[Body], bool]:
    return lambda person: bool(person.get(attribute, "").startswith(series))


CASES: dict[str, Callable[[Body], bool]] = {
    **{entry.name: has(legal_status=entry.value) for entry in LISTS["legal_status"]},
    **{entry.name: has(payment_method=entry.value) for entry in LISTS["payment_method"]},
    **{f"address {entry.value}": address(str(entry.value)) for entry in LISTS["address_type"]},
    **{f"wave {name}": has(wave_id=wave_id) for name, wave_id in FACTS.waves.items()},
    **{f"group {entry.value}": has(employment_act_group=entry.value) for entry in LISTS["employment_act_group"]},
    **{f"pass {entry.value}": has(work_pass=entry.value) for entry in LISTS["work_pass"] if entry.value != "OTHER"},
    **{f"name format {entry.value}": has(name_format=entry.value) for entry in LISTS["name_format"]},
    "CDAC": lambda person: resident(person) and person["race"] == "CHINESE",
    "SINDA, resident": lambda person: resident(person) and person["race"] in ("INDIAN", "TAMIL"),
    "SINDA, Employment Pass": has(work_pass="EP", race="INDIAN"),
    "ECF": lambda person: resident(person) and person["race"] == "EURASIAN",
    "MBMF, citizen": has(legal_status="CITIZEN", race="MALAY", religion="ISLAM"),
    "MBMF, work permit": has(legal_status="FOREIGNER_WP", religion="ISLAM"),
    "MBMF and SINDA": has(legal_status="CITIZEN", race="INDIAN", religion="ISLAM"),
    "PR year 1": pr_year(1, "GG"),
    "PR year 2": pr_year(2, "GG"),
    "PR year 3": pr_year(3, "GG"),
    "PR year 1, full": pr_year(1, "FF"),
    "PR year 2, full employer": pr_year(2, "FG"),
    "PR who became a citizen": lambda person: bool(person.get("citizenship_date") and person["pr_date"]),
    **{f"turns {age} this month": reaches(age, 0) for age in (55, 60, 65, 70)},
    "born from 2000 on": identity("nric", "T"),
    "born before 1968": lambda person: person.get("nric", "")[:2] in ("S0", "S1"),
    "custom fields": lambda person: set(person.get("custom_fields", ())) == {"7", "8"},
}
"""What a company of 25 shows already."""

MORE_CASES: dict[str, Callable[[Body], bool]] = {
    **{f"turned {age} last month": reaches(age, -1) for age in (55, 60, 65, 70)},
    **{f"turns {age} next month": reaches(age, 1) for age in (55, 60, 65, 70)},
    "PR year 1, full employer": pr_year(1, "FG"),
    "PR year 2, full": pr_year(2, "FF"),
    "PR since this month": lambda person: person["legal_status"] == "PR" and months_since(person["pr_date"]) == 0,
    "PR, last month of year 1": lambda person: person["legal_status"] == "PR" and months_since(person["pr_date"]) == 12,
    "PR, last month of year 2": lambda person: person["legal_status"] == "PR" and months_since(person["pr_date"]) == 24,
    "MBMF and CDAC": has(legal_status="CITIZEN", race="CHINESE", religion="ISLAM"),
    "double-barrelled, CDAC": has(race="CHINESE-INDIAN"),
    "double-barrelled, SINDA": has(race="MALAYALEE-CHINESE"),
    "Sikh": has(race="SIKH", religion="SIKHISM"),
    "Sri Lankan": has(race="SRI_LANKAN"),
    **{f"Muslim, {race}": has(race=race, religion="ISLAM") for race in ("JAVANESE", "BOYANESE", "ARAB", "INDONESIAN")},
    "no fund": lambda person: has(legal_status="CITIZEN", race="CAUCASIAN")(person) and person["religion"] != "ISLAM",
    "pass OTHER": has(legal_status="FOREIGNER", work_pass="OTHER"),
    **{f"FIN {series}": identity("fin", series) for series in "FGM"},
    "no address": lambda person: "physical_address" not in person,
    "exempt from SDL": has(sdl_exempt=True),
    "exempt from CPF": has(cpf_exempt=True),
    "joined this month": lambda person: months_since(person["appointment_date"]) == 0,
    "begins next month": lambda person: months_since(person["appointment_date"]) == -1,
}


@pytest.mark.parametrize("case", CASES)
def test_a_company_of_25_has_the_most_telling_cases(case: str) -> None:
    assert any(CASES[case](person) for person in made(SMALLEST))


@pytest.mark.parametrize("case", [*CASES, *MORE_CASES])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_company_of_60_has_every_case(case: str, seed: int) -> None:
    check = (CASES | MORE_CASES)[case]
    assert any(check(person) for person in made(seed=seed))


def test_the_roster_leaves_room_for_people_that_are_drawn() -> None:
    assert SMALLEST < len(ROSTER) < EVERYONE


def test_the_roster_has_leavers_of_several_kinds() -> None:
    departures = [archetype.departure for archetype in ROSTER if archetype.departure]
    assert len({departure.code for departure in departures}) >= 4
    assert sum(departure.ir21 for departure in departures) == 1
    assert sum(departure.months > 0 for departure in departures) == 1
    assert sum(departure.back_in_months is not None for departure in departures) == 1


def test_the_same_seed_and_day_give_the_same_people() -> None:
    assert made(200) == made(200)


def test_another_seed_gives_other_people() -> None:
    one, other = made(200), made(200, seed=2)
    assert not {person.get("nric") for person in one} & {person["nric"] for person in other if "nric" in person}


def test_more_people_only_add_to_fewer() -> None:
    assert made(200)[:SMALLEST] == made(SMALLEST)


def numbers(everyone: Sequence[Body]) -> list[str]:
    return [number for person in everyone for name in ("nric", "fin") if (number := person.get(name))]


def test_five_thousand_people_have_valid_identity_numbers_of_their_own() -> None:
    everyone = made(5000)
    found = numbers(everyone)
    assert len(set(found)) == len(found) >= 4990
    assert all(nric.is_valid(number) or fin.is_valid(number) for number in found)
    assert Counter(number[0] for number in found).keys() == set("STFGM")
    assert len({person["email"] for person in everyone}) == len(everyone)


def test_an_nric_fits_the_birthdate() -> None:
    for person in made(2000):
        if "nric" not in person:
            continue
        year = int(person["birthdate"][:4])
        beginning = f"{'T' if year >= 2000 else 'S'}{year % 100:02}"
        assert person["nric"].startswith(beginning if year >= 1968 else ("S0", "S1")), person


def test_a_fin_fits_the_years_in_which_its_series_was_issued() -> None:
    for person in made(2000)[len(ROSTER) :]:
        if "fin" in person:
            year = int(person["appointment_date"][:4])
            assert person["fin"][0] == ("F" if year < 2000 else "G" if year < 2022 else "M"), person


def test_a_pass_is_running_when_the_company_is_made() -> None:
    for person in made(2000):
        if "pass_to" in person:
            assert person["appointment_date"] <= person["pass_from"] < person["pass_to"]
            assert person["pass_to"] >= TODAY.isoformat()


@pytest.mark.parametrize(
    "today",
    [date(2024, 2, 29), date(2026, 1, 1), date(2026, 3, 31), TODAY, date(2026, 12, 31), date(2031, 5, 30)],
    ids=str,
)
def test_everyone_is_valid_on_any_day(today: date, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAJI_TODAY", today.isoformat())
    for person in made(300, today=today):
        assert not EMPLOYEE.parse_create(person, CLIENT.check).warnings


def test_most_people_are_paid_monthly() -> None:
    paid = Counter(person["wave_id"] for person in made(1000))
    assert paid[FACTS.waves["monthly"]] > 600
    assert min(paid.values()) > 10


def test_everyone_works_and_is_called_as_the_company_knows() -> None:
    assert {archetype.job for archetype in ROSTER} <= set(JOBS)
    assert {archetype.community for archetype in ROSTER} <= set(COMMUNITIES)
    assert {community.home for community in COMMUNITIES.values()} <= {entry.value for entry in LISTS["nationality"]}
