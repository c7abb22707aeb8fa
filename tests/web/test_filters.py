"""Filters on lists: which records each one selects, and which values are rejected."""

from typing import Any

import pytest

from gaji.app import OPERATIONS
from gaji.web.operations import Operation
from tests.support.company import Company, of_status
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member, created
from tests.web.every_operation import BONUS, path, tenant_with_records

LOGS = ("/audit_log", "/access_events", "/deliveries")
"""Lists of what happened, which are read by time."""


def ids(company: Company, path: str) -> list[int]:
    """The IDs of a list whose elements are wrapped."""
    response = company.member.get(path)
    assert response.status_code == 200, response.text
    return [record["id"] for element in response.json() for record in element.values()]


def lists_of_records() -> list[Operation]:
    """The lists in pages whose elements have an ID."""
    lists = [operation for operation in OPERATIONS if operation.paged and not operation.path.endswith(LOGS)]
    return [operation for operation in lists if operation.record_form and "id" in operation.record_form.attributes]


def pay(company: Company, employee_id: int) -> None:
    """Give an employee a salary."""
    details = {"pay_type": "monthly", "fixed_amount": "4000"}
    body = {"calc_type": "basic_salary", "calculation_details": details}
    created(company.member.post(f"/employees/{employee_id}/calculations", body))


def test_employees_are_filtered_by_attributes_and_words(company: Company) -> None:
    pay_point_id = company.member.new_pay_point(company.id, name="Warehouse")
    wave_id = company.wave(frequency="weekly", first_end_date="2024-01-05")
    siti = company.hire(
        first_name="Siti", last_name="Rahim", email="Siti@example.com", nric="S9812387C", pay_point_id=pay_point_id
    )
    raj = created(company.post(of_status("FOREIGNER", first_name="Raj", fin="M2424771J", wave_id=wave_id)))
    company.leave(raj)
    people = company.people
    number = company.employee(siti)["number"]
    for query, expected in {
        f"ids={siti}": [siti],
        f"ids={siti},{raj},{10**17}": [siti, raj],
        f"ids={raj}&ids={siti}": [siti, raj],
        f"number={number}": [siti],
        "number=nobody": [],
        "nric=s9812387c": [siti],
        "nric=S1234567D": [],
        "fin=M2424771J": [raj],
        "email=Siti%40example.com": [siti],
        "email=siti%40example.com": [],
        "search=rah+siti": [siti],
        "search=100%25": [],
        f"wave_id={company.wave_id}": [siti],
        f"wave_id={wave_id}": [raj],
        f"pay_point_id={pay_point_id}": [siti],
        "state=serving": [siti],
        "state=left": [raj],
        f"state=left&ids={siti}": [],
        f"number={number}&nric=S9812387C": [siti],
        f"number={number}&fin=M2424771J": [],
    }.items():
        assert ids(company, f"{people}?{query}") == expected, query
    alone = company.member.get(f"{people}?number={number}").json()
    assert alone == company.member.get(f"{people}?number={number}&state=serving").json()


def test_filters_apply_before_paging_and_stay_in_its_links(company: Company) -> None:
    for name in ("Ann", "Bob", "Ann"):
        company.hire(first_name=name)
    response = company.member.get(f"{company.people}?search=ann&per_page=1")
    assert response.headers["x-total-count"] == "2"
    assert f"{company.people}?search=ann&per_page=1&page=2" in response.headers["link"]


def test_filters_combine_with_include(company: Company) -> None:
    employee_id = company.hire()
    company.hire()
    [employee] = company.listed(f"?ids={employee_id}&include=service_periods")
    assert [period["service_period"]["employee_id"] for period in employee["service_periods"]] == [employee_id]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("ids=", "not_ids"),
        ("ids=4,x", "not_ids"),
        ("ids=0", "not_ids"),
        (f"ids={2**63}", "not_ids"),
        ("ids=" + ",".join("1" * 1001), "not_ids"),
        ("number=", "length_out_of_range"),
        ("nric=S9812387D", "wrong_check_letter"),
        ("search=", "length_out_of_range"),
        ("wave_id=x", "not_an_integer"),
        ("state=gone", "not_allowed"),
    ],
)
def test_a_malformed_filter_is_rejected(company: Company, query: str, code: str) -> None:
    problem = assert_problem(company.member.get(f"{company.people}?{query}"), 422)
    assert [(error["path"], error["code"]) for error in problem["error_details"]] == [(query.partition("=")[0], code)]


@pytest.mark.parametrize("query", ["nric=S9812387C", "fin=M2424771J"])
def test_a_key_that_hides_identifiers_cannot_search_by_them(company: Company, query: str) -> None:
    company.hire(nric="S9812387C")
    hiding = company.member.with_another_key(hide_identifiers=True)
    assert_problem(hiding.get(f"{company.people}?{query}"), 403)
    assert len(hiding.get(f"{company.people}?search=mei").json()) == 1


def test_the_list_of_another_tenant_and_of_an_employee_is_not_found(company: Company) -> None:
    employee_id = company.hire()
    colleague = company.member.colleague(company.id, "employee", employee_id)
    stranger = company.member.service.new_account()
    for member in (colleague, stranger):
        assert_problem(member.get(f"{company.people}?ids={employee_id}"), 404)
        assert_problem(member.get(company.people), 404)


def test_payment_runs_and_payslips_are_filtered(company: Company) -> None:
    member, employee_id = company.member, company.hire(appointment_date="2026-01-01")
    other_id = company.hire(appointment_date="2026-01-01")
    for each in (employee_id, other_id):
        pay(company, each)
    runs = f"/clients/{company.id}/payment_runs"
    first = created(member.post(runs, {"wave_id": company.wave_id, "period_end_date": "2026-01-31"}))
    assert member.post(f"/payment_runs/{first}/finalise").status_code == 200
    second = created(member.post(runs, {"wave_id": company.wave_id, "period_end_date": "2026-02-28"}))
    for query, expected in {
        "state=finalised": [first],
        "state=open": [second],
        "state=calculating": [],
        "finalised=true": [first],
        "finalised=False": [second],
        "from=2026-02-01": [second],
        "to=2026-02-01": [first],
        "from=2026-03-01&to=2026-01-01": [],
        f"wave_id={company.wave_id}": [second, first],
        f"wave_id={company.wave_id + 10**6}": [],
        f"ids={first}": [first],
    }.items():
        assert ids(company, f"{runs}?{query}") == expected, query
    payslips = f"/employees/{employee_id}/payslips"
    [january, february] = ids(company, payslips)
    for query, expected in {
        "finalised=true": [january],
        "from=2026-02-01": [february],
        "to=2026-01-31": [january],
        f"payment_run_id={second}": [february],
        f"ids={february}": [february],
    }.items():
        assert ids(company, f"{payslips}?{query}") == expected, query
    assert ids(company, f"/payment_runs/{first}/payslips?employee_id={employee_id}") == [january]
    assert ids(company, f"/payment_runs/{first}/payslips?ids={february}") == []


def test_calculations_are_filtered_by_id(company: Company) -> None:
    employee_id = company.hire()
    pay(company, employee_id)
    path = f"/employees/{employee_id}/calculations"
    [own_id] = [element["id"] for element in company.member.get(path).json() if element["id"]]
    assert [element["id"] for element in company.member.get(f"{path}?ids={own_id}").json()] == [own_id]
    assert company.member.get(f"{path}?ids={own_id + 10**6}").json() == []


def test_leave_is_filtered(company: Company) -> None:
    member, employee_id = company.member, company.hire()
    types: dict[str, str] = member.get(f"/clients/{company.id}/leave_types").json()
    unpaid = next(int(type_id) for type_id, name in types.items() if "unpaid_leave" in name)

    def request(*dates: str) -> int:
        body: dict[str, Any] = {"dates": [{"date": date, "type_id": unpaid} for date in dates]}
        return created(member.post(f"/employees/{employee_id}/leave_requests", body))

    march, spread = request("2026-03-03"), request("2026-02-03", "2026-04-01")
    assert member.post(f"/leave_requests/{march}/approve").status_code == 200
    requests = f"/employees/{employee_id}/leave_requests"
    for query, expected in {
        "status=approved": [march],
        "status=pending": [spread],
        "from=2026-03-01&to=2026-03-31": [march],
        "from=2026-04-01": [spread],
        "to=2026-02-28": [spread],
        f"ids={march}": [march],
    }.items():
        assert ids(company, f"{requests}?{query}") == expected, query
    days = f"/employees/{employee_id}/leave_days"
    [day] = ids(company, days)
    assert ids(company, f"{days}?type_id={unpaid}&from=2026-03-03&to=2026-03-03&ids={day}") == [day]
    assert ids(company, f"{days}?type_id={unpaid + 10**6}") == []
    adjustments = f"/employees/{employee_id}/leave_adjustments"
    granted = {"type_id": unpaid, "days": 1, "reason": "Granted"}
    first, second = (
        created(member.post(adjustments, granted | {"date": date})) for date in ("2026-03-03", "2026-04-01")
    )
    for query, expected in {
        f"ids={second}": [second],
        "from=2026-03-04": [second],
        "to=2026-03-31": [first],
        f"type_id={unpaid}": [first, second],
        f"type_id={unpaid + 10**6}": [],
    }.items():
        assert ids(company, f"{adjustments}?{query}") == expected, query


def test_clients_pay_points_and_waves_are_filtered(company: Company) -> None:
    member = company.member
    other = member.new_client(name="Laksa House", uen="202699999E")
    for query in (f"ids={other}", "search=LAKSA", "search=99999e"):
        assert ids(company, f"/clients?{query}") == [other], query
    warehouse = member.new_pay_point(company.id, name="Warehouse")
    office = member.new_pay_point(company.id, name="Office")
    points = f"/clients/{company.id}/pay_points"
    assert (ids(company, f"{points}?search=HOUSE"), ids(company, f"{points}?ids={office}")) == ([warehouse], [office])
    assert ids(company, f"/clients/{company.id}/waves?ids={company.wave_id}") == [company.wave_id]
    assert list(field_errors(member.get(f"{points}?number=1"))) == ["number"]


def test_every_list_of_records_can_be_limited_to_ids(account: Member) -> None:
    records = tenant_with_records(account)
    created(account.post(f"/clients/{records['client_id']}/calculations", BONUS))
    created(account.post(f"/payslips/{records['payslip_id']}/calculations", BONUS))
    for operation in lists_of_records():
        address = path(operation, records).partition("?")[0]
        elements = _records(operation, account, address)
        assert elements, address
        assert _records(operation, account, f"{address}?ids={elements[0]['id']}") == elements[:1], address
        assert _records(operation, account, f"{address}?ids={10**17}&per_page=5") == [], address


def _records(operation: Operation, member: Member, address: str) -> list[dict[str, Any]]:
    """Return the records of a list that have an ID, without wrappers."""
    response = member.get(address)
    assert response.status_code == 200, response.text
    assert operation.record_form
    elements = response.json()
    records = [next(iter(each.values())) for each in elements] if operation.record_form.is_wrapped else elements
    return [record for record in records if record["id"] is not None]
