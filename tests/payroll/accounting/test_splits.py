"""GET and PUT accounting_splits, of a client and of an employee."""

from typing import Any

import pytest

from tests.payroll.accounting.runs import put, saved
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.races import at_once, while_changing

BAD_ID = "must be letters a to z, digits, hyphens and underscores, and start with a letter or a digit"


def splits_path(company: Company) -> str:
    return f"/clients/{company.id}/accounting_splits"


def read_splits(company: Company) -> dict[str, Any]:
    body: dict[str, Any] = company.member.get(splits_path(company)).json()
    return body


def create_splits(company: Company, *names: str) -> list[str]:
    """Create splits by employee, and return their IDs."""
    splits = [{"name": name} for name in names]
    answer = saved(put(company, splits_path(company), {"mode": "employee", "splits": splits}))
    return [split["id"] for split in answer["splits"]]


def employee_path(employee_id: int) -> str:
    return f"/employees/{employee_id}/accounting_splits"


def test_splits_are_saved_and_read(company: Company) -> None:
    answer = saved(
        put(company, splits_path(company), {"mode": "employee", "splits": [{"name": "Sales"}, {"name": "Ops"}]})
    )
    assert answer["message"] == "The accounting splits have been saved"
    assert answer["id"] == company.id
    assert read_splits(company) == {"mode": "employee", "splits": answer["splits"]}
    assert [split["name"] for split in answer["splits"]] == ["Sales", "Ops"]
    assert all(isinstance(split["id"], str) for split in answer["splits"])


def test_journals_are_not_divided_by_default(company: Company) -> None:
    assert read_splits(company) == {"mode": "none", "splits": []}


def test_in_the_mode_pay_point_the_pay_points_are_the_splits(company: Company) -> None:
    pay_points = [company.member.new_pay_point(company.id, name=name) for name in ("Warehouse", "Office")]
    saved(put(company, splits_path(company), {"mode": "pay_point"}))
    expected = [{"id": str(pay_points[0]), "name": "Warehouse"}, {"id": str(pay_points[1]), "name": "Office"}]
    assert read_splits(company) == {"mode": "pay_point", "splits": expected}


@pytest.mark.parametrize("mode", ["none", "pay_point", "employee"])
def test_the_splits_that_were_read_can_be_put_back(company: Company, mode: str) -> None:
    company.member.new_pay_point(company.id)
    saved(put(company, splits_path(company), {"mode": mode, "splits": [{"name": "Sales"}]}))
    before = read_splits(company)
    assert before["mode"] == mode
    saved(put(company, splits_path(company), before))
    assert read_splits(company) == before


def test_splits_are_renamed_added_and_removed(company: Company) -> None:
    sales, _ = create_splits(company, "Sales", "Ops")
    answer = saved(
        put(
            company,
            splits_path(company),
            {"mode": "employee", "splits": [{"id": int(sales), "name": "Selling"}, {"name": "Admin"}]},
        )
    )
    assert [split["name"] for split in answer["splits"]] == ["Selling", "Admin"]
    assert answer["splits"][0]["id"] == sales


def test_two_splits_can_swap_names(company: Company) -> None:
    first, second = create_splits(company, "Sales", "Ops")
    swapped = [{"id": first, "name": "Ops"}, {"id": second, "name": "Sales"}]
    saved(put(company, splits_path(company), {"mode": "employee", "splits": swapped}))
    assert read_splits(company)["splits"] == swapped


def test_splits_are_kept_in_other_modes(company: Company) -> None:
    employee_id = company.hire()
    sales, ops = create_splits(company, "Sales", "Ops")
    put(company, employee_path(employee_id), {sales: 100})
    answer = saved(put(company, splits_path(company), {"mode": "none", "splits": [{"name": "New"}]}))
    assert answer["warnings"] == {"splits": "Ignored: splits apply only if the mode is employee."}
    assert answer["splits"] == []
    splits = [{"id": sales, "name": "Sales"}, {"id": ops, "name": "Ops"}]
    saved(put(company, splits_path(company), {"mode": "employee", "splits": splits}))
    assert company.member.get(employee_path(employee_id)).json() == {sales: 100}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {"mode": "is required"}),
        ({"mode": "department"}, {"mode": "must be one of none, pay_point, employee"}),
        ({"mode": "employee"}, {"splits": "is required when mode is employee"}),
        ({"mode": "employee", "splits": []}, {"splits": "is required when mode is employee"}),
        ({"mode": "employee", "splits": "Sales"}, {"splits": "must be an array"}),
        ({"mode": "employee", "splits": [{"name": "x"}] * 501}, {"splits": "must have at most 500 items"}),
        (
            {
                "mode": "employee",
                "splits": [
                    "Sales",
                    {"name": " "},
                    {"name": 5},
                    {"id": "a b", "name": "A"},
                    {"id": "x" * 51, "name": "B"},
                    {"id": True, "name": "C"},
                    {"id": "0", "name": "D"},
                    {"id": 1.5, "name": "E"},
                    {"id": -1, "name": "F"},
                ],
            },
            {
                "splits.0": "must be an object",
                "splits.1.name": "is required",
                "splits.2.name": "must be a string",
                "splits.3.id": BAD_ID,
                "splits.4.id": "must be 1 to 50 characters",
                "splits.5.id": "must be a string",
                "splits.6.id": "must not be 0, the ID of the split for unassigned employees",
                "splits.7.id": "must be a string",
                "splits.8.id": BAD_ID,
            },
        ),
        (
            {"mode": "employee", "splits": [{"id": 1, "name": "Sales"}, {"id": "1", "name": " SALES"}]},
            {
                "splits.1.id": "must not appear twice",
                "splits.1.name": "must not appear twice",
            },
        ),
    ],
)
def test_every_error_is_reported_and_nothing_is_saved(
    company: Company, body: dict[str, Any], expected: dict[str, str]
) -> None:
    before = company.member.service.fingerprint()
    assert field_errors(put(company, splits_path(company), body)) == expected
    assert company.member.service.fingerprint() == before


def test_names_that_are_equal_only_in_the_database_are_rejected(company: Company) -> None:
    # Python lower-cases a final sigma differently from other sigmas. PostgreSQL does not.
    splits = [{"name": "\u0391\u03a3"}, {"name": "\u03b1\u03c3"}]
    answer = put(company, splits_path(company), {"mode": "employee", "splits": splits})
    assert field_errors(answer) == {"splits": "must have different names"}


def test_the_caller_can_choose_the_ids(company: Company) -> None:
    employee_id = company.hire()
    splits = [{"id": "kitchen", "name": "Kitchen"}, {"id": 4100, "name": "Outlets"}]
    expected = [{"id": "kitchen", "name": "Kitchen"}, {"id": "4100", "name": "Outlets"}]
    assert saved(put(company, splits_path(company), {"mode": "employee", "splits": splits}))["splits"] == expected
    saved(put(company, employee_path(employee_id), {"kitchen": 60, "4100": 40}))
    assert company.member.get(employee_path(employee_id)).json() == {"kitchen": 60, "4100": 40}
    renamed = [{"id": "kitchen", "name": "Central kitchen"}, expected[1]]
    assert saved(put(company, splits_path(company), {"mode": "employee", "splits": renamed}))["splits"] == renamed
    assert company.member.get(employee_path(employee_id)).json() == {"kitchen": 60, "4100": 40}


def test_the_server_chooses_an_id_that_is_not_in_use(company: Company) -> None:
    number = int(create_splits(company, "First")[0])
    taken = [{"id": number + i, "name": f"Split {i}"} for i in range(1, 20)]
    saved(put(company, splits_path(company), {"mode": "employee", "splits": taken}))
    answer = put(company, splits_path(company), {"mode": "employee", "splits": [*taken, {"name": "New"}]})
    ids = [split["id"] for split in saved(answer)["splits"]]
    assert len(set(ids)) == len(ids) == 20


def test_two_clients_can_choose_the_same_id(company: Company) -> None:
    other = Company.of(company.member)
    for client, name in ((company, "Mine"), (other, "Theirs")):
        saved(put(client, splits_path(client), {"mode": "employee", "splits": [{"id": "sales", "name": name}]}))
    assert read_splits(company)["splits"] == [{"id": "sales", "name": "Mine"}]
    assert read_splits(other)["splits"] == [{"id": "sales", "name": "Theirs"}]


def test_a_split_with_employees_cannot_be_removed(company: Company) -> None:
    employee_id = company.hire()
    sales, ops = create_splits(company, "Sales", "Ops")
    put(company, employee_path(employee_id), {sales: 100})
    before = company.member.service.fingerprint()
    answer = put(company, splits_path(company), {"mode": "employee", "splits": [{"id": ops, "name": "Ops"}]})
    assert assert_problem(answer, 409)["message"] == (
        f"Employees are assigned to Sales ({sales}); assign them to other splits before removing it"
    )
    assert company.member.service.fingerprint() == before


def test_the_percentages_of_an_employee_are_saved_and_replaced(company: Company) -> None:
    employee_id = company.hire()
    a, b, c = create_splits(company, "A", "B", "C")
    assert company.member.get(employee_path(employee_id)).json() == {}
    answer = put(company, employee_path(employee_id), {a: 33.34, b: "33.33", c: 33.33})
    assert saved(answer) == {"message": "The accounting splits of the employee have been saved", "id": employee_id}
    read = company.member.get(employee_path(employee_id))
    assert read.json() == {a: 33.34, b: 33.33, c: 33.33}
    assert read.text == f'{{"{a}":33.34,"{b}":33.33,"{c}":33.33}}'
    saved(put(company, employee_path(employee_id), {"accounting_splits": {b: "50.50", c: 49.5, a: 0}}))
    assert company.member.get(employee_path(employee_id)).json() == {b: 50.5, c: 49.5}
    saved(put(company, employee_path(employee_id), {}))
    assert company.member.get(employee_path(employee_id)).json() == {}


@pytest.mark.parametrize(
    ("percents", "total"),
    [((50, 40), "90"), ((50, 50.01), "100.01"), ((33.33, 33.33), "66.66"), ((0, 0), "0"), ((100, 100), "200")],
)
def test_percentages_must_add_up_to_100(company: Company, percents: tuple[float, float], total: str) -> None:
    employee_id = company.hire()
    a, b = create_splits(company, "A", "B")
    before = company.member.service.fingerprint()
    answer = put(company, employee_path(employee_id), {a: percents[0], b: percents[1]})
    assert field_errors(answer) == {"accounting_splits": f"must add up to 100, not {total}"}
    assert company.member.service.fingerprint() == before


@pytest.mark.parametrize("percent", [-1, 101, 33.333, "1e1", " 50", "many", True, None, [50], {"a": 1}, "5_0", 1e300])
def test_a_percentage_is_from_0_to_100_with_two_decimals(company: Company, percent: object) -> None:
    employee_id = company.hire()
    a, b = create_splits(company, "A", "B")
    answer = put(company, employee_path(employee_id), {a: percent, b: 50})
    assert field_errors(answer) == {a: "must be a percentage from 0 to 100 with at most 2 decimals"}


def test_up_to_a_hundred_unknown_splits_are_reported(company: Company) -> None:
    employee_id = company.hire()
    create_splits(company, "A")
    [foreign] = create_splits(Company.of(company.member), "A")
    unknown = "is not the ID of an accounting split of this client"
    answer = put(company, employee_path(employee_id), {foreign: 50, "sales": 25, "0": 25})
    assert field_errors(answer) == dict.fromkeys([foreign, "sales", "0"], unknown)
    many = {f"{number:070d}": 1 for number in range(1000)}
    assert len(field_errors(put(company, employee_path(employee_id), many))) <= 100


@pytest.mark.parametrize("mode", ["none", "pay_point"])
def test_employees_can_be_divided_only_in_the_mode_employee(company: Company, mode: str) -> None:
    employee_id = company.hire()
    [split_id] = create_splits(company, "A")
    put(company, splits_path(company), {"mode": mode})
    assert mode in assert_problem(put(company, employee_path(employee_id), {split_id: 100}), 409)["message"]


def test_deleting_an_employee_deletes_their_shares(company: Company) -> None:
    employee_id = company.hire()
    [split_id] = create_splits(company, "A")
    put(company, employee_path(employee_id), {split_id: 100})
    assert company.member.delete(f"/employees/{employee_id}").status_code == 200
    saved(put(company, splits_path(company), {"mode": "employee", "splits": [{"name": "B"}]}))


def test_an_employee_or_a_client_that_does_not_exist_is_a_404(company: Company) -> None:
    assert_problem(company.member.get(employee_path(999_999_999)), 404)
    assert_problem(put(company, employee_path(999_999_999), {}), 404)
    assert_problem(company.member.get("/clients/999999999/accounting_splits"), 404)
    assert_problem(put(company, "/clients/999999999/accounting_splits", {"mode": "none"}), 404)


def test_a_viewer_can_read_but_not_change(company: Company) -> None:
    employee_id = company.hire()
    viewer = company.member.colleague(company.id, "viewer")
    before = company.member.service.fingerprint()
    assert viewer.get(splits_path(company)).status_code == 200
    assert viewer.get(employee_path(employee_id)).status_code == 200
    assert_problem(viewer.call("PUT", splits_path(company), json={"mode": "none"}), 403)
    assert_problem(viewer.call("PUT", employee_path(employee_id), json={}), 403)
    assert company.member.service.fingerprint() == before


def test_concurrent_changes_are_serialised(company: Company) -> None:
    bodies = [{"mode": "employee", "splits": [{"name": "A"}, {"name": name}]} for name in "BCDEF"]
    answers = at_once([lambda body=body: put(company, splits_path(company), body) for body in bodies])  # type: ignore[misc]
    assert [answer.status_code for answer in answers] == [200] * 5
    assert len(read_splits(company)["splits"]) == 2


def test_a_split_that_is_deleted_concurrently_is_unknown(company: Company) -> None:
    employee_id = company.hire()
    a, b = create_splits(company, "A", "B")
    answer = while_changing(
        company.member.service,
        "DELETE FROM accounting_splits WHERE client_id = $1 AND key = $2",
        company.id,
        b,
        request=lambda: put(company, employee_path(employee_id), {a: 50, b: 50}),
    )
    assert field_errors(answer) == {b: "is not the ID of an accounting split of this client"}


def test_a_split_that_is_assigned_concurrently_is_not_removed(company: Company) -> None:
    employee_id = company.hire()
    a, b = create_splits(company, "A", "B")
    answer = while_changing(
        company.member.service,
        "INSERT INTO employee_accounting_splits (client_id, employee_id, split_id, share) "
        "SELECT client_id, $2, id, 10000 FROM accounting_splits WHERE client_id = $1 AND key = $3",
        company.id,
        employee_id,
        b,
        request=lambda: put(company, splits_path(company), {"mode": "employee", "splits": [{"id": a, "name": "A"}]}),
    )
    assert "please try again" in assert_problem(answer, 409)["message"]
    assert len(read_splits(company)["splits"]) == 2
