"""Numbers far beyond any range are validation errors wherever a body can have them."""

import json
from typing import Any

import pytest
from xlsxwriter.utility import xl_col_to_name

from gaji.tabular import XLSX
from gaji.web.operations import Operation
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member
from tests.web.every_operation import READS, TABLE, WRITES, TenantRecords, body, path, title, workbook

MARK = "a number will be here"
WITH_JSON = [
    operation
    for operation in WRITES
    if operation.body_schema and not operation.body_media_types and TABLE[title(operation)].body
]

[IMPORT] = [operation for operation in WRITES if operation.path.endswith("/employees/import")]


def marked(value: Any) -> Any:
    """Return a body with the mark in place of every value."""
    if isinstance(value, dict):
        return {name: marked(child) for name, child in value.items()}
    return [marked(child) for child in value] if isinstance(value, list) else MARK


@pytest.mark.parametrize("number", ["1e1000000", "-1E-1000000"])
@pytest.mark.parametrize("operation", WITH_JSON, ids=title)
def test_a_number_out_of_range_is_a_validation_error(tenant: TenantRecords, operation: Operation, number: str) -> None:
    text = json.dumps(marked(body(operation, tenant.ids))).replace(f'"{MARK}"', number)
    response = tenant.member.call(operation.method, path(operation, tenant.ids), content=text.encode())
    if operation.path.endswith("/bulk_input"):
        assert [entity["success"] for entity in response.json()] == ["false"]
    elif operation.path.endswith("/employees/bulk"):
        assert [result["success"] for result in response.json()["results"]] == [False]
    elif response.status_code != 409:  # the state forbids a few of them whatever the body is
        assert assert_problem(response, 422)["errors"]


@pytest.mark.parametrize(
    ("number", "path"),
    [("9" * 5000, "body"), ("9" * 2000 + ".5", "bank_account.bank_id"), ("1e" + "9" * 25, "bank_account.bank_id")],
)
def test_a_long_number_is_a_validation_error_and_nothing_is_saved(account: Member, number: str, path: str) -> None:
    before = account.service.fingerprint()
    body = f'{{"name": "Kopi", "bank_account": {{"bank_id": {number}}}}}'
    assert path in field_errors(account.call("POST", "/clients", content=body.encode()))
    assert account.service.fingerprint() == before


def test_it_is_ignored_in_an_unknown_attribute(account: Member) -> None:
    response = account.call("POST", "/clients", content=b'{"name": "Kopi", "unknown": 1e1000000}')
    assert response.json()["warnings"] == {"unknown": "Unknown attribute, ignored."}


@pytest.mark.parametrize("operation", WITH_JSON, ids=title)
def test_a_number_out_of_range_in_a_text_does_not_fail(tenant: TenantRecords, operation: Operation) -> None:
    text = json.dumps(marked(body(operation, tenant.ids))).replace(MARK, "1e1000000")
    response = tenant.member.call(operation.method, path(operation, tenant.ids), content=text.encode())
    assert response.status_code < 500, response.text


@pytest.mark.parametrize("operation", [operation for operation in READS if operation.query_parameters], ids=title)
def test_a_number_out_of_range_in_a_query_does_not_fail(tenant: TenantRecords, operation: Operation) -> None:
    address = path(operation, tenant.ids).partition("?")[0]
    for name in operation.query_parameters:
        response = tenant.member.get(f"{address}?{name}=1e1000000")
        assert response.status_code < 500, (name, response.text)


OTHER_CELLS = {"bank_account.bank_id": {"bank_account.account_number": "0119988776", "bank_account.branch_code": "011"}}
"""Cells that a column needs."""
NUMERIC_COLUMNS = ("wave_id", "name_format", "bank_account.bank_id", "pay_point_id", "calc.basic_salary.fixed_amount")


@pytest.mark.parametrize("column", NUMERIC_COLUMNS)
# Not 1e1000000, the name of a pay point that another test creates: the column takes names too.
@pytest.mark.parametrize("number", ["1e999999", "9" * 400])
def test_a_number_out_of_range_in_a_workbook_is_an_error_of_its_cell(
    tenant: TenantRecords, column: str, number: str
) -> None:
    [employee] = body(IMPORT, tenant.ids)
    row = {**employee, **OTHER_CELLS.get(column, {}), "number": "OUT-OF-RANGE", column: number}
    headers = {"Content-Type": XLSX}
    response = tenant.member.call("POST", path(IMPORT, tenant.ids), content=workbook([row]), headers=headers)
    cell = f"Employees!{xl_col_to_name(list(row).index(column))}2"
    errors = assert_problem(response, 422)["errors"]
    assert list(errors) == [cell], errors
