"""The employees of the demo: the same for the same seed and day, valid on any day, with every case."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from gaji.company.custom_fields.values import CustomField
from gaji.core.constants import CONSTANT_LISTS
from gaji.demo.jobs import JOBS
from gaji.demo.people import COMMUNITIES, CompanyContext, EmployeeBody, generate_people
from gaji.demo.roster import ROSTER
from gaji.engine.periods import PaySchedule
from gaji.law import fin, nric
from gaji.people.employees.rules import ClientContext
from gaji.people.employees.schemas import EMPLOYEE

TODAY = date(2026, 11, 15)
CONTEXT = CompanyContext(
    today=TODAY,
    waves={"monthly": 1, "twice_a_month": 2, "fortnightly": 3, "weekly": 4},
    pay_points=(1, 2, 3),
    uniform_field=7,
    uniform_sizes=(11, 12, 13, 14),
    locker_field=8,
)
CLIENT = ClientContext(
    schedules={wave_id: PaySchedule("monthly") for wave_id in CONTEXT.waves.values()},
    pay_point_ids=set(CONTEXT.pay_points),
    custom_fields={
        7: CustomField(7, "Uniform size", "dropdown", False, {str(size): "" for size in (11, 12, 13, 14)}),
        8: CustomField(8, "Locker", "text", False, {}),
    },
    manual_numbers=False,
)
EVERYONE = 60
SMALLEST = 25


def generate(count: int = EVERYONE, seed: int = 1, today: date = TODAY) -> list[EmployeeBody]:
    return list(generate_people(seed, count, replace(CONTEXT, today=today)))


def months_since(day: str, today: date = TODAY) -> int:
    then = date.fromisoformat(day)
    return (today.year - then.year) * 12 + today.month - then.month


def has(**attributes: Any) -> Callable[[EmployeeBody], bool]:
    return lambda employee: all(employee.get(name) == value for name, value in attributes.items())


def resident(employee: EmployeeBody) -> bool:
    return employee["legal_status"] in ("CITIZEN", "PR")


def reaches(age: int, months: int) -> Callable[[EmployeeBody], bool]:
    """Match employees who reach an age in this many months."""
    return lambda employee: months_since(employee["birthdate"]) + months == 12 * age


def pr_year(year: int, rates: str) -> Callable[[EmployeeBody], bool]:
    def check(employee: EmployeeBody) -> bool:
        if employee["legal_status"] != "PR" or employee.get("pr_cpf_rates", "GG") != rates:
            return False
        months = months_since(employee["pr_date"])
        return {1: months <= 12, 2: 12 < months <= 24, 3: months > 24}[year]

    return check


def address(kind: str) -> Callable[[EmployeeBody], bool]:
    return lambda employee: bool(employee.get("physical_address", {}).get("type") == kind)


def identity(attribute: str, series: str) -> Callable[[EmployeeBody], bool]:
    return lambda employee: bool(employee.get(attribute, "").startswith(series))


CASES: dict[str, Callable[[EmployeeBody], bool]] = {
    **{entry.name: has(legal_status=entry.value) for entry in CONSTANT_LISTS["legal_status"]},
    **{entry.name: has(payment_method=entry.value) for entry in CONSTANT_LISTS["payment_method"]},
    **{f"address {entry.value}": address(str(entry.value)) for entry in CONSTANT_LISTS["address_type"]},
    **{f"wave {name}": has(wave_id=wave_id) for name, wave_id in CONTEXT.waves.items()},
    **{
        f"group {entry.value}": has(employment_act_group=entry.value)
        for entry in CONSTANT_LISTS["employment_act_group"]
    },
    **{
        f"pass {entry.value}": has(work_pass=entry.value)
        for entry in CONSTANT_LISTS["work_pass"]
        if entry.value != "OTHER"
    },
    **{f"name format {entry.value}": has(name_format=entry.value) for entry in CONSTANT_LISTS["name_format"]},
    "CDAC": lambda employee: resident(employee) and employee["race"] == "CHINESE",
    "SINDA, resident": lambda employee: resident(employee) and employee["race"] in ("INDIAN", "TAMIL"),
    "SINDA, Employment Pass": has(work_pass="EP", race="INDIAN"),
    "ECF": lambda employee: resident(employee) and employee["race"] == "EURASIAN",
    "MBMF, citizen": has(legal_status="CITIZEN", race="MALAY", religion="ISLAM"),
    "MBMF, work permit": has(legal_status="FOREIGNER_WP", religion="ISLAM"),
    "MBMF and SINDA": has(legal_status="CITIZEN", race="INDIAN", religion="ISLAM"),
    "PR year 1": pr_year(1, "GG"),
    "PR year 2": pr_year(2, "GG"),
    "PR year 3": pr_year(3, "GG"),
    "PR year 1, full": pr_year(1, "FF"),
    "PR year 2, full employer": pr_year(2, "FG"),
    "PR who became a citizen": lambda employee: bool(employee.get("citizenship_date") and employee["pr_date"]),
    **{f"turns {age} this month": reaches(age, 0) for age in (55, 60, 65, 70)},
    "born from 2000 on": identity("nric", "T"),
    "born before 1968": lambda employee: employee.get("nric", "")[:2] in ("S0", "S1"),
    "custom fields": lambda employee: set(employee.get("custom_fields", ())) == {"7", "8"},
}
"""Cases in a company of 25 employees."""

MORE_CASES: dict[str, Callable[[EmployeeBody], bool]] = {
    **{f"turned {age} last month": reaches(age, -1) for age in (55, 60, 65, 70)},
    **{f"turns {age} next month": reaches(age, 1) for age in (55, 60, 65, 70)},
    "PR year 1, full employer": pr_year(1, "FG"),
    "PR year 2, full": pr_year(2, "FF"),
    "PR since this month": lambda employee: employee["legal_status"] == "PR" and months_since(employee["pr_date"]) == 0,
    "PR, last month of year 1": lambda employee: (
        employee["legal_status"] == "PR" and months_since(employee["pr_date"]) == 12
    ),
    "PR, last month of year 2": lambda employee: (
        employee["legal_status"] == "PR" and months_since(employee["pr_date"]) == 24
    ),
    "MBMF and CDAC": has(legal_status="CITIZEN", race="CHINESE", religion="ISLAM"),
    "double-barrelled, CDAC": has(race="CHINESE-INDIAN"),
    "double-barrelled, SINDA": has(race="MALAYALEE-CHINESE"),
    "Sikh": has(race="SIKH", religion="SIKHISM"),
    "Sri Lankan": has(race="SRI_LANKAN"),
    **{f"Muslim, {race}": has(race=race, religion="ISLAM") for race in ("JAVANESE", "BOYANESE", "ARAB", "INDONESIAN")},
    "no fund": lambda employee: (
        has(legal_status="CITIZEN", race="CAUCASIAN")(employee) and employee["religion"] != "ISLAM"
    ),
    "pass OTHER": has(legal_status="FOREIGNER", work_pass="OTHER"),
    **{f"FIN {series}": identity("fin", series) for series in "FGM"},
    "no address": lambda employee: "physical_address" not in employee,
    "exempt from SDL": has(sdl_exempt=True),
    "exempt from CPF": has(cpf_exempt=True),
    "joined this month": lambda employee: months_since(employee["appointment_date"]) == 0,
    "begins next month": lambda employee: months_since(employee["appointment_date"]) == -1,
}


@pytest.mark.parametrize("case", CASES)
def test_a_company_of_25_has_the_most_important_cases(case: str) -> None:
    assert any(CASES[case](employee) for employee in generate(SMALLEST))


@pytest.mark.parametrize("case", [*CASES, *MORE_CASES])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_company_of_60_has_every_case(case: str, seed: int) -> None:
    check = (CASES | MORE_CASES)[case]
    assert any(check(employee) for employee in generate(seed=seed))


def test_a_company_of_60_has_drawn_employees() -> None:
    assert SMALLEST < len(ROSTER) < EVERYONE


def test_the_roster_has_leavers_of_several_kinds() -> None:
    departures = [archetype.departure for archetype in ROSTER if archetype.departure]
    assert len({departure.code for departure in departures}) >= 4
    assert sum(departure.ir21 for departure in departures) == 1
    assert sum(departure.months > 0 for departure in departures) == 1
    assert sum(departure.back_in_months is not None for departure in departures) == 1


def test_the_same_seed_and_day_give_the_same_employees() -> None:
    assert generate(200) == generate(200)


def test_another_seed_gives_different_employees() -> None:
    first, second = generate(200), generate(200, seed=2)
    assert not {employee.get("nric") for employee in first} & {
        employee["nric"] for employee in second if "nric" in employee
    }


def test_a_higher_count_only_appends_employees() -> None:
    assert generate(200)[:SMALLEST] == generate(SMALLEST)


def numbers(employees: Sequence[EmployeeBody]) -> list[str]:
    return [number for employee in employees for name in ("nric", "fin") if (number := employee.get(name))]


def test_identity_numbers_are_valid_and_unique() -> None:
    employees = generate(5000)
    identity_numbers = numbers(employees)
    assert len(set(identity_numbers)) == len(identity_numbers) >= 4990
    assert all(nric.is_valid(number) or fin.is_valid(number) for number in identity_numbers)
    assert Counter(number[0] for number in identity_numbers).keys() == set("STFGM")
    assert len({employee["email"] for employee in employees}) == len(employees)


def test_nrics_match_the_birthdate() -> None:
    for employee in generate(2000):
        if "nric" not in employee:
            continue
        year = int(employee["birthdate"][:4])
        prefix = f"{'T' if year >= 2000 else 'S'}{year % 100:02}"
        assert employee["nric"].startswith(prefix if year >= 1968 else ("S0", "S1")), employee


def test_fins_match_the_years_of_their_series() -> None:
    for employee in generate(2000)[len(ROSTER) :]:
        if "fin" in employee:
            year = int(employee["appointment_date"][:4])
            assert employee["fin"][0] == ("F" if year < 2000 else "G" if year < 2022 else "M"), employee


def test_passes_are_valid() -> None:
    for employee in generate(2000):
        if "pass_to" in employee:
            assert employee["appointment_date"] <= employee["pass_from"] < employee["pass_to"]
            assert employee["pass_to"] >= TODAY.isoformat()


@pytest.mark.parametrize(
    "today",
    [date(2024, 2, 29), date(2026, 1, 1), date(2026, 3, 31), TODAY, date(2026, 12, 31), date(2031, 5, 30)],
    ids=str,
)
def test_employees_are_valid_on_any_day(today: date, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAJI_TODAY", today.isoformat())
    for employee in generate(300, today=today):
        assert not EMPLOYEE.parse_create(employee, CLIENT.check).warnings


def test_most_employees_are_paid_monthly() -> None:
    paid = Counter(employee["wave_id"] for employee in generate(1000))
    assert paid[CONTEXT.waves["monthly"]] > 600
    assert min(paid.values()) > 10


def test_the_roster_uses_known_jobs_and_communities() -> None:
    assert {archetype.job for archetype in ROSTER} <= set(JOBS)
    assert {archetype.community for archetype in ROSTER} <= set(COMMUNITIES)
    assert {community.home for community in COMMUNITIES.values()} <= {
        entry.value for entry in CONSTANT_LISTS["nationality"]
    }
