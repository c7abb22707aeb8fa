"""Leave by law through the server: GET /employees/:id/statutory_leave, balances, movements and leave days."""

from typing import Any

from tests.leave.people import OnLeave
from tests.support.company import Company
from tests.support.problems import field_errors
from tests.support.running import created

CITIZEN: dict[str, Any] = {"name": "Wei Ming", "citizenship": "CITIZEN"}
OTHER: dict[str, Any] = {"name": "Wei Ming", "citizenship": "OTHER"}
ADOPTED: dict[str, Any] = {"relationship": "adopted", "adoption_date": "2026-03-02"}
# Gender of the parent, child, date, and the balances that differ from zero. The wave's first period is January 2024.
SITUATIONS: list[tuple[str, dict[str, Any], str, dict[str, float]]] = [
    (
        "F",
        {**CITIZEN, "birthdate": "2026-05-15"},
        "2026-05-15",
        {"childcare_leave": 6, "infant_care_leave": 12, "maternity_leave": 80, "shared_parental_leave": 25},
    ),
    (
        "M",
        {**CITIZEN, "birthdate": "2026-05-15", "shared_parental_weeks": 8},
        "2026-05-15",
        {"childcare_leave": 6, "infant_care_leave": 12, "paternity_leave": 20, "shared_parental_leave": 40},
    ),
    (
        "M",
        {**CITIZEN, "birthdate": "2025-04-01"},
        "2025-12-31",
        {"childcare_leave": 6, "infant_care_leave": 12, "paternity_leave": 20, "shared_parental_leave": 15},
    ),
    (
        "M",
        {**CITIZEN, "birthdate": "2024-12-01", "shared_parental_weeks": 4},
        "2024-12-31",
        {"childcare_leave": 5, "infant_care_leave": 12, "paternity_leave": 10, "shared_parental_leave": 20},
    ),
    ("F", {**OTHER, "birthdate": "2026-05-15"}, "2026-05-15", {"childcare_leave": 2, "maternity_leave": 60}),
    ("M", {**OTHER, "birthdate": "2026-05-15"}, "2026-05-15", {"childcare_leave": 2}),
    ("M", {**CITIZEN, "birthdate": "2018-05-15"}, "2026-05-15", {"extended_childcare_leave": 2}),
    ("M", {**CITIZEN, "birthdate": "2013-05-15"}, "2026-05-15", {}),
    (
        "F",
        {**CITIZEN, **ADOPTED, "birthdate": "2025-11-15"},
        "2026-03-02",
        {"childcare_leave": 6, "infant_care_leave": 12, "adoption_leave": 60},
    ),
    (
        "F",
        {**CITIZEN, "birthdate": "2025-11-15", "relationship": "stepchild"},
        "2026-03-02",
        {"childcare_leave": 6, "infant_care_leave": 12},
    ),
]
WITHOUT_CHILDREN = ("annual_leave", "sick_leave", "hospitalisation_leave")


def test_each_situation_gives_the_statutory_days(company: Company) -> None:
    for gender, child, date, expected in SITUATIONS:
        parent = OnLeave.hired(company, gender=gender)
        created(parent.member.post(parent.path("children"), child))
        balances = parent.balances(date)
        actual = {name: days for name, days in balances.items() if name not in WITHOUT_CHILDREN}
        assert actual == expected, (gender, child)
        for name in expected:
            assert sum(days for _, _, days in parent.movements(date, name)) == expected[name]


def test_a_grant_can_be_taken_and_the_rest_lapses(company: Company) -> None:
    parent = OnLeave.hired(company, gender="M")
    created(parent.member.post(parent.path("children"), {**CITIZEN, "birthdate": "2024-05-15"}))
    days = ("2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06", "2026-03-09")
    for day in days[:5]:
        parent.take(day, "childcare_leave")
    parent.take(days[5], "childcare_leave", hours=4)
    too_much = parent.post("2026-03-10", "childcare_leave")
    assert field_errors(too_much) == {
        "date": "the childcare_leave balance would be -0.5 days on 2026-03-10 (0.5 available)"
    }
    movements = parent.movements("2027-01-01", "childcare_leave")
    assert [movement for movement in movements if movement[1] != "taken"][-3:] == [
        ("2026-01-01", "grant", 6),
        ("2027-01-01", "lapse", -0.5),
        ("2027-01-01", "grant", 6),
    ]


def test_grants_are_explained_with_their_source(company: Company) -> None:
    parent = OnLeave.hired(company, gender="M")
    created(parent.member.post(parent.path("children"), {**CITIZEN, "birthdate": "2026-05-15"}))
    answer = parent.member.get(parent.path("statutory_leave"), params={"date": "2026-06-01"})
    assert answer.status_code == 200, answer.text
    by_type = {element["statutory_leave"]["type"]: element["statutory_leave"] for element in answer.json()}
    paternity = by_type["paternity_leave"]
    assert (paternity["from"], paternity["to"], paternity["days"]) == ("2026-05-15", "2027-05-14", 20)
    assert [fact["result"] for fact in paternity["explanations"]] == ["4", "4", "20"]
    assert paternity["explanations"][0]["source"].startswith("Child Development Co-Savings Act 2001")
    assert by_type["childcare_leave"]["days"] == 6
    assert by_type["extended_childcare_leave"]["days"] == 0
    assert parent.member.get(parent.path("statutory_leave"), params={"date": "2024-01-31"}).json() == []


def test_annual_and_sick_leave_are_explained_for_the_year_of_service(company: Company) -> None:
    person = OnLeave.hired(company)
    person.take("2026-03-02", "sick_leave")
    person.take("2026-03-03", "hospitalisation_leave")
    answer = person.member.get(person.path("statutory_leave"), params={"date": "2026-03-31"})
    by_type = {element["statutory_leave"]["type"]: element["statutory_leave"] for element in answer.json()}
    assert by_type.keys() == {"annual_leave", "sick_leave", "hospitalisation_leave"}
    assert {(each["from"], each["to"]) for each in by_type.values()} == {("2026-02-01", "2027-01-31")}
    assert {name: each["days"] for name, each in by_type.items()} == {
        "annual_leave": 2,
        "sick_leave": 14,
        "hospitalisation_leave": 60,
    }
    left = {name: each["explanations"][1]["result"] for name, each in by_type.items()}
    assert left == {"annual_leave": "9", "sick_leave": "13", "hospitalisation_leave": "58"}
