"""Any sequence of changes leaves everything that the API returns about a finalised run unchanged."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.payroll.snapshots.paid_company import PaidCompany, pay_company
from tests.support.running import Service

MAX_CHANGES = 12

names = st.text("abcdefghij klm", min_size=1, max_size=12).map(lambda text: f"X{text}".strip())
cents = st.integers(1, 900_000).map(lambda amount: f"{amount // 100}.{amount % 100:02d}")
people = st.sampled_from(["mei", "ravi"])
attributes = st.fixed_dictionaries(
    {},
    optional={
        "first_name": names,
        "last_name": names,
        "name_format": st.sampled_from([1, 2, 3]),
        "job_title": st.none() | names,
        "payment_method": st.sampled_from(["cash", "cheque"]),
        "bank_account": st.just({"bank_id": 7339, "account_number": "5011234567", "branch_code": "501"}),
        "birthdate": st.sampled_from(["1950-01-01", "1971-06-30", "2001-12-31"]),
        "race": st.sampled_from(["CHINESE", "INDIAN", "MALAY"]),
        "cpf_exempt": st.booleans(),
        "pay_point_id": st.none(),
    },
)
amounts = st.dictionaries(
    st.sampled_from(["transport_allowance", "union_fee", "donation", "bonus", "insurance"]),
    cents.map(lambda amount: {"amount": amount}),
    max_size=3,
)
addresses = st.fixed_dictionaries({"unit_no": names, "complex": names, "st_name": names, "postal_code": names})
payers = st.sampled_from([7171, 7375]).map(
    lambda bank_id: {"bank_id": bank_id, "account_number": "9876543210", "branch_code": "030", "account_name": "X"}
)
week = st.fixed_dictionaries({"schedule": st.just("fixed"), "works_mon": st.booleans(), "works_sat": st.booleans()})
accounts = st.lists(
    st.fixed_dictionaries(
        {
            "item": st.sampled_from(["basic_salary", "cpf_employer", "cdac", "bonus", "transport_allowance"]),
            "category": names,
            "debit_account": names.map("D {}".format),
            "credit_account": names.map("C {}".format),
        }
    ),
    max_size=3,
    unique_by=lambda account: account["item"],
)
split_lists = st.lists(names, min_size=1, max_size=3, unique_by=str.lower)

Change = Callable[[PaidCompany], tuple[str, str, Any]]
"""Returns the method, path and body of a request."""


def of_employee(paid: PaidCompany, name: str) -> str:
    """Return the path of an employee."""
    return f"/employees/{getattr(paid, name)}"


def of_client(paid: PaidCompany) -> str:
    """Return the path of the client."""
    return f"/clients/{paid.company.id}"


def calculation(calc_type: object, amount: str) -> dict[str, Any]:
    """Return the body of a calculation."""
    return {"calc_type": calc_type, "calculation_details": {"amount": amount}}


def hours(details: dict[str, Any], day: str) -> dict[str, Any]:
    """Return the body of a change of regular hours."""
    return {"calc_type": "week_hours", "calculation_details": details, "effective_date": day}


def delete_calculation(paid: PaidCompany, who: str, index: int) -> tuple[str, str, Any]:
    """Return the request that deletes one of an employee's own calculations."""
    rows = paid.get(f"{of_employee(paid, who)}/calculations")
    ids = [row["id"] for row in rows if row["id"] is not None] or [0]
    return "DELETE", f"/calculations/{ids[index % len(ids)]}", None


def change(build: Callable[..., tuple[str, str, Any]], *values: st.SearchStrategy[Any]) -> st.SearchStrategy[Change]:
    """Return changes that are built from the company and random values."""
    return st.tuples(*values).map(lambda drawn: lambda paid: build(paid, *drawn))


changes = st.one_of(
    change(lambda paid, who, given: ("PATCH", of_employee(paid, who), {"employee": given}), people, attributes),
    change(
        lambda paid, who, name, amount: ("POST", f"{of_employee(paid, who)}/calculations", calculation(name, amount)),
        people,
        st.sampled_from(["transport_allowance", "bonus", "donation", "insurance"]),
        cents,
    ),
    change(
        lambda paid, who, amount: ("POST", f"{of_employee(paid, who)}/calculations", calculation(paid.item_id, amount)),
        people,
        cents,
    ),
    change(
        lambda paid, name, amount: ("POST", f"{of_client(paid)}/calculations", calculation(name, amount)),
        st.sampled_from(["insurance", "union_fee"]),
        cents,
    ),
    change(lambda paid, who, index: delete_calculation(paid, who, index), people, st.integers(0, 5)),
    change(
        lambda paid, who, details: (
            "PATCH",
            f"{of_employee(paid, who)}/inherited_calculations",
            hours(details, "2026-02-01"),
        ),
        people,
        week,
    ),
    change(
        lambda paid, name, given: ("PATCH", f"/profiles/{paid.profile_id}", {"name": name, "calculations": given}),
        names,
        amounts,
    ),
    change(lambda paid: ("DELETE", f"/profile_mappings/{paid.mapping_id}", None)),
    change(lambda paid: ("DELETE", f"/profiles/{paid.profile_id}", None)),
    change(
        lambda paid, name, kind: (
            "PATCH",
            f"/calculation_definitions/{paid.item_id}",
            {"name": name, "kind": kind},
        ),
        names,
        st.sampled_from(["allowance", "deduction", "reimbursement"]),
    ),
    change(lambda paid: ("DELETE", f"/calculation_definitions/{paid.item_id}", None)),
    change(lambda paid: ("DELETE", f"/calculation_definitions/{paid.unused_item_id}", None)),
    change(lambda paid, given: ("PUT", f"{of_client(paid)}/accounts", given), accounts),
    change(
        lambda paid, mode, given: (
            "PUT",
            f"{of_client(paid)}/accounting_splits",
            {"mode": mode, "splits": [{"name": name} for name in given]},
        ),
        st.sampled_from(["none", "pay_point", "employee"]),
        split_lists,
    ),
    change(lambda paid, who: ("PUT", f"{of_employee(paid, who)}/accounting_splits", {}), people),
    change(lambda paid, name: ("PATCH", f"/pay_points/{paid.pay_point_id}", {"name": name}), names),
    change(lambda paid: ("DELETE", f"/pay_points/{paid.pay_point_id}", None)),
    change(lambda paid, name: ("PATCH", of_client(paid), {"name": name, "uen": None}), names),
    change(lambda paid, given: ("PATCH", of_client(paid), {"physical_address": given}), addresses),
    change(lambda paid, given: ("PATCH", of_client(paid), {"bank_account": given}), st.none() | payers),
    change(
        lambda paid, enabled: ("PATCH", of_client(paid), {"features": {"regular_hours_v2": enabled}}), st.booleans()
    ),
    change(
        lambda paid, amount: (
            "PUT",
            f"{of_employee(paid, 'mei')}/take_on_balances",
            {"year": 2026, "cpf_employee": amount},
        ),
        cents,
    ),
    change(
        lambda paid, who, ir21: (
            "POST",
            f"{of_employee(paid, who)}/service_periods/end_service",
            {"termination_date": "2026-01-31", "termination_code": 1, "ir21": ir21},
        ),
        people,
        st.booleans(),
    ),
    change(lambda paid, who: ("DELETE", f"{of_employee(paid, who)}/service_periods/undo_end_service", None), people),
)


@given(st.lists(changes, min_size=1, max_size=MAX_CHANGES))
@settings(
    max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
def test_changes_of_other_records_never_change_a_finalised_run(service: Service, sequence: list[Change]) -> None:
    paid = pay_company(service.new_account())
    before = paid.responses()
    for build in sequence:
        method, path, body = build(paid)
        answer = paid.member.call(method, path, json=body)
        assert answer.status_code in (200, 404, 409, 422), f"{method} {path}: {answer.text}"
    assert paid.responses() == before
