"""GET and PUT accounting_splits, of a client and of an employee."""

from typing import Any

import pytest

from tests.payroll.accounting.runs import put, saved
from tests.support.company import Company
from tests.support.problems import faults, refused
from tests.support.races import at_once, while_changing


def where(company: Company) -> str:
    return f"/clients/{company.id}/accounting_splits"


def read(company: Company) -> dict[str, Any]:
    found: dict[str, Any] = company.member.get(where(company)).json()
    return found


def split(company: Company, *names: str) -> list[str]:
    """Let a company have these splits, by employee; gives their ids."""
    answer = saved(put(company, where(company), {"mode": "employee", "splits": [{"name": name} for name in names]}))
    return [one["id"] for one in answer["splits"]]


def of_employee(employee_id: int) -> str:
    return f"/employees/{employee_id}/accounting_splits"


def test_it_works(company: Company) -> None:
    answer = saved(put(company, where(company), {"mode": "employee", "splits": [{"name": "Sales"}, {"name": "Ops"}]}))
    assert answer["message"] == "The accounting splits have been saved"
    assert answer["id"] == company.id
    assert read(company) == {"mode": "employee", "splits": answer["splits"]}
    assert [one["name"] for one in answer["splits"]] == ["Sales", "Ops"]
    assert all(isinstance(one["id"], str) for one in answer["splits"])


def test_at_first_nothing_is_divided(company: Company) -> None:
    assert read(company) == {"mode": "none", "splits": []}


def test_by_pay_point_the_pay_points_are_the_splits(company: Company) -> None:
    places = [company.member.new_pay_point(company.id, name=name) for name in ("Warehouse", "Office")]
    saved(put(company, where(company), {"mode": "pay_point"}))
    expected = [{"id": str(places[0]), "name": "Warehouse"}, {"id": str(places[1]), "name": "Office"}]
    assert read(company) == {"mode": "pay_point", "splits": expected}


@pytest.mark.parametrize("mode", ["none", "pay_point", "employee"])
def test_what_was_read_can_be_put_back(company: Company, mode: str) -> None:
    company.member.new_pay_point(company.id)
    saved(put(company, where(company), {"mode": mode, "splits": [{"name": "Sales"}]}))
    before = read(company)
    assert before["mode"] == mode
    saved(put(company, where(company), before))
    assert read(company) == before


def test_splits_are_renamed_added_and_removed(company: Company) -> None:
    sales, _ = split(company, "Sales", "Ops")
    answer = saved(
        put(
            company,
            where(company),
            {"mode": "employee", "splits": [{"id": int(sales), "name": "Selling"}, {"name": "Admin"}]},
        )
    )
    assert [one["name"] for one in answer["splits"]] == ["Selling", "Admin"]
    assert answer["splits"][0]["id"] == sales


def test_two_splits_can_exchange_their_names(company: Company) -> None:
    one, other = split(company, "Sales", "Ops")
    exchanged = [{"id": one, "name": "Ops"}, {"id": other, "name": "Sales"}]
    saved(put(company, where(company), {"mode": "employee", "splits": exchanged}))
    assert read(company)["splits"] == exchanged


def test_splits_stay_while_another_mode_is_chosen(company: Company) -> None:
    employee_id = company.hire()
    sales, ops = split(company, "Sales", "Ops")
    put(company, of_employee(employee_id), {sales: 100})
    answer = saved(put(company, where(company), {"mode": "none", "splits": [{"name": "New"}]}))
    assert answer["warnings"] == {"splits": "Ignored: splits are named only with the mode employee."}
    assert answer["splits"] == []
    kept = [{"id": sales, "name": "Sales"}, {"id": ops, "name": "Ops"}]
    saved(put(company, where(company), {"mode": "employee", "splits": kept}))
    assert company.member.get(of_employee(employee_id)).json() == {sales: 100}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {"mode": "is required"}),
        ({"mode": "department"}, {"mode": "must be one of none, pay_point, employee"}),
        ({"mode": "employee"}, {"splits": "is required when mode is employee"}),
        ({"mode": "employee", "splits": []}, {"splits": "is required when mode is employee"}),
        ({"mode": "employee", "splits": "Sales"}, {"splits": "must be an array of at most 500 splits"}),
        ({"mode": "employee", "splits": [{"name": "x"}] * 501}, {"splits": "must be an array of at most 500 splits"}),
        (
            {"mode": "employee", "splits": ["Sales", {"name": " "}, {"name": 5}, {"id": "a", "name": "A"}]},
            {
                "splits.0": "must be an object",
                "splits.1.name": "is required",
                "splits.2.name": "must be a string",
                "splits.3.id": "must be an integer",
            },
        ),
        (
            {"mode": "employee", "splits": [{"id": 1, "name": "Sales"}, {"id": "1", "name": " SALES"}]},
            {
                "splits.0.id": "there is no accounting split 1 in this client",
                "splits.1.id": "must not be given twice",
                "splits.1.name": "must not be given twice",
            },
        ),
    ],
)
def test_every_fault_is_named_and_nothing_is_saved(
    company: Company, body: dict[str, Any], expected: dict[str, str]
) -> None:
    before = company.member.service.fingerprint()
    assert faults(put(company, where(company), body)) == expected
    assert company.member.service.fingerprint() == before


def test_names_that_only_the_database_takes_for_the_same_are_a_fault(company: Company) -> None:
    # The small form of the last letter depends on where it stands; PostgreSQL does not look.
    splits = [{"name": "\u0391\u03a3"}, {"name": "\u03b1\u03c3"}]
    answer = put(company, where(company), {"mode": "employee", "splits": splits})
    assert faults(answer) == {"splits": "two of them have the same name"}


def test_a_split_of_another_client_is_unknown(company: Company) -> None:
    other = Company.of(company.member)
    [foreign] = split(other, "Sales")
    answer = put(company, where(company), {"mode": "employee", "splits": [{"id": foreign, "name": "Mine"}]})
    assert faults(answer) == {"splits.0.id": f"there is no accounting split {foreign} in this client"}


def test_a_split_that_employees_have_a_share_in_cannot_be_left_out(company: Company) -> None:
    employee_id = company.hire()
    sales, ops = split(company, "Sales", "Ops")
    put(company, of_employee(employee_id), {sales: 100})
    before = company.member.service.fingerprint()
    answer = put(company, where(company), {"mode": "employee", "splits": [{"id": ops, "name": "Ops"}]})
    assert refused(answer, 409)["message"] == (
        f"Employees are divided over Sales ({sales}); divide them over others before it is removed"
    )
    assert company.member.service.fingerprint() == before


def test_the_splits_of_an_employee(company: Company) -> None:
    employee_id = company.hire()
    one, two, three = split(company, "A", "B", "C")
    assert company.member.get(of_employee(employee_id)).json() == {}
    answer = put(company, of_employee(employee_id), {one: 33.34, two: "33.33", three: 33.33})
    assert saved(answer) == {"message": "The accounting splits of the employee have been saved", "id": employee_id}
    found = company.member.get(of_employee(employee_id))
    assert found.json() == {one: 33.34, two: 33.33, three: 33.33}
    assert found.text == f'{{"{one}":33.34,"{two}":33.33,"{three}":33.33}}'
    saved(put(company, of_employee(employee_id), {"accounting_splits": {two: "50.50", three: 49.5, one: 0}}))
    assert company.member.get(of_employee(employee_id)).json() == {two: 50.5, three: 49.5}
    saved(put(company, of_employee(employee_id), {}))
    assert company.member.get(of_employee(employee_id)).json() == {}


@pytest.mark.parametrize(
    ("percents", "total"),
    [((50, 40), "90"), ((50, 50.01), "100.01"), ((33.33, 33.33), "66.66"), ((0, 0), "0"), ((100, 100), "200")],
)
def test_percentages_add_up_to_100(company: Company, percents: tuple[float, float], total: str) -> None:
    employee_id = company.hire()
    one, two = split(company, "A", "B")
    before = company.member.service.fingerprint()
    answer = put(company, of_employee(employee_id), {one: percents[0], two: percents[1]})
    assert faults(answer) == {"accounting_splits": f"must add up to 100, not {total}"}
    assert company.member.service.fingerprint() == before


@pytest.mark.parametrize("percent", [-1, 101, 33.333, "1e1", " 50", "many", True, None, [50], {"a": 1}, "5_0", 1e300])
def test_a_percentage_is_from_0_to_100_with_two_decimals(company: Company, percent: object) -> None:
    employee_id = company.hire()
    one, two = split(company, "A", "B")
    answer = put(company, of_employee(employee_id), {one: percent, two: 50})
    assert faults(answer) == {one: "must be a percentage from 0 to 100 with at most 2 decimals"}


def test_every_unknown_split_is_named_up_to_a_hundred(company: Company) -> None:
    employee_id = company.hire()
    split(company, "A")
    [foreign] = split(Company.of(company.member), "A")
    unknown = "there is no such accounting split in this client"
    answer = put(company, of_employee(employee_id), {foreign: 50, "sales": 25, "0": 25})
    assert faults(answer) == dict.fromkeys([foreign, "sales", "0"], unknown)
    many = {f"{place:070d}": 1 for place in range(1000)}
    assert len(faults(put(company, of_employee(employee_id), many))) <= 100


@pytest.mark.parametrize("mode", ["none", "pay_point"])
def test_employees_are_divided_only_by_employee(company: Company, mode: str) -> None:
    employee_id = company.hire()
    [one] = split(company, "A")
    put(company, where(company), {"mode": mode})
    assert mode in refused(put(company, of_employee(employee_id), {one: 100}), 409)["message"]


def test_who_is_deleted_leaves_no_shares(company: Company) -> None:
    employee_id = company.hire()
    [one] = split(company, "A")
    put(company, of_employee(employee_id), {one: 100})
    assert company.member.delete(f"/employees/{employee_id}").status_code == 200
    saved(put(company, where(company), {"mode": "employee", "splits": [{"name": "B"}]}))


def test_an_employee_or_a_client_that_does_not_exist_is_a_404(company: Company) -> None:
    refused(company.member.get(of_employee(999_999_999)), 404)
    refused(put(company, of_employee(999_999_999), {}), 404)
    refused(company.member.get("/clients/999999999/accounting_splits"), 404)
    refused(put(company, "/clients/999999999/accounting_splits", {"mode": "none"}), 404)


def test_a_viewer_reads_and_does_not_put(company: Company) -> None:
    employee_id = company.hire()
    viewer = company.member.colleague(company.id, "viewer")
    before = company.member.service.fingerprint()
    assert viewer.get(where(company)).status_code == 200
    assert viewer.get(of_employee(employee_id)).status_code == 200
    refused(viewer.call("PUT", where(company), json={"mode": "none"}), 403)
    refused(viewer.call("PUT", of_employee(employee_id), json={}), 403)
    assert company.member.service.fingerprint() == before


def test_changes_at_the_same_moment_come_one_after_the_other(company: Company) -> None:
    bodies = [{"mode": "employee", "splits": [{"name": "A"}, {"name": name}]} for name in "BCDEF"]
    answers = at_once([lambda body=body: put(company, where(company), body) for body in bodies])  # type: ignore[misc]
    assert [answer.status_code for answer in answers] == [200] * 5
    assert len(read(company)["splits"]) == 2


def test_a_split_that_goes_while_an_employee_is_divided_over_it_is_unknown(company: Company) -> None:
    employee_id = company.hire()
    one, two = split(company, "A", "B")
    answer = while_changing(
        company.member.service,
        "DELETE FROM accounting_splits WHERE client_id = $1 AND id = $2",
        company.id,
        int(two),
        request=lambda: put(company, of_employee(employee_id), {one: 50, two: 50}),
    )
    assert faults(answer) == {two: "there is no such accounting split in this client"}


def test_a_split_that_an_employee_is_just_being_divided_over_stays(company: Company) -> None:
    employee_id = company.hire()
    one, two = split(company, "A", "B")
    answer = while_changing(
        company.member.service,
        "INSERT INTO employee_accounting_splits (client_id, employee_id, split_id, share) VALUES ($1, $2, $3, 10000)",
        company.id,
        employee_id,
        int(two),
        request=lambda: put(company, where(company), {"mode": "employee", "splits": [{"id": one, "name": "A"}]}),
    )
    assert "please try again" in refused(answer, 409)["message"]
    assert len(read(company)["splits"]) == 2
