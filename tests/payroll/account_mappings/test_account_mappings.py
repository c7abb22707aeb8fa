"""GET, PUT and PATCH account_mappings, and the settings of accounting exports."""

from typing import Any

from tests.payroll.accounting.runs import put, saved
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors

WAGES: dict[str, Any] = {"account": "Salaries and wages", "code": "477", "name": "Payroll expenses:Wages"}
DEFAULTS = {
    "xero_tax_rate": "No Tax (0%)",
    "xero_tracking_category": None,
    "quickbooks_date_format": "DD/MM/YYYY",
    "quickbooks_split_column": None,
}


def path(company: Company) -> str:
    return f"/clients/{company.id}/account_mappings"


def read(company: Company) -> list[dict[str, Any]]:
    answer = company.member.get(path(company))
    assert answer.status_code == 200, answer.text
    return [element["account_mapping"] for element in answer.json()]


def patch(company: Company, body: Any) -> Any:
    return company.member.call("PATCH", path(company), json=body)


def test_mappings_are_replaced_as_a_whole(company: Company) -> None:
    assert read(company) == []
    warehouse = str(company.member.new_pay_point(company.id, name="Warehouse"))
    by_split = {"account": "Salaries and wages", "item": "overtime", "split_id": warehouse, "code": "478"}
    assert saved(put(company, path(company), [WAGES, {"account_mapping": by_split}]))["id"] == company.id
    expected = [WAGES | {"item": None, "split_id": None}, by_split | {"name": None}]
    assert read(company) == expected
    saved(put(company, path(company), read(company)))
    assert read(company) == expected
    saved(put(company, path(company), {"account_mappings": [WAGES | {"code": "400"}]}))
    assert read(company) == [WAGES | {"item": None, "split_id": None, "code": "400"}]


def test_a_change_leaves_the_other_mappings_alone(company: Company) -> None:
    saved(put(company, path(company), [WAGES, {"account": "CPF payable", "code": "826"}]))
    saved(patch(company, [{"account": "CPF payable", "code": None}, {"account": "Bonuses", "name": "Bonus"}]))
    assert [(mapping["account"], mapping["code"], mapping["name"]) for mapping in read(company)] == [
        ("Bonuses", None, "Bonus"),
        ("Salaries and wages", "477", "Payroll expenses:Wages"),
    ]


def test_all_errors_are_reported_and_nothing_is_saved(company: Company) -> None:
    saved(put(company, path(company), [WAGES]))
    bad = [
        {"code": "1"},
        {"account": "Bonuses"},
        {"account": "Bonuses", "code": "1", "item": "bonnus"},
        {"account": "Bonuses", "code": "1", "split_id": "nowhere"},
        {"account": "Allowances", "code": "x" * 101},
        {"account": "CPF payable", "code": "1"},
        {"account": "CPF payable", "code": "2"},
        "CPF payable",
    ]
    errors = field_errors(put(company, path(company), bad))
    assert list(errors) == [
        "0.account",
        "1.code",
        "2.item",
        "3.split_id",
        "4.code",
        "6.account",
        "7",
    ]
    assert [mapping["account"] for mapping in read(company)] == ["Salaries and wages"]
    assert_problem(put(company, path(company), {"account_mappings": 5}), 400)
    many = [{"account": f"Account {number}", "code": "1"} for number in range(5001)]
    assert list(field_errors(put(company, path(company), many))) == ["account_mappings"]


def test_a_mapping_of_a_deleted_split_can_be_put_back(company: Company) -> None:
    splits = {"mode": "employee", "splits": [{"id": "kitchen", "name": "Kitchen"}, {"id": "shop", "name": "Shop"}]}
    saved(put(company, f"/clients/{company.id}/accounting_splits", splits))
    saved(put(company, path(company), [WAGES | {"split_id": "kitchen"}]))
    splits["splits"] = [{"id": "shop", "name": "Shop"}]
    saved(put(company, f"/clients/{company.id}/accounting_splits", splits))
    saved(put(company, path(company), read(company)))
    assert read(company)[0]["split_id"] == "kitchen"


def test_settings_have_defaults_and_can_be_changed(company: Company) -> None:
    settings = f"/clients/{company.id}/accounting_export_settings"
    assert company.member.get(settings).json() == DEFAULTS
    change = {"xero_tax_rate": "Tax Exempt (0%)", "xero_tracking_category": "Team", "quickbooks_split_column": "class"}
    saved(company.member.call("PATCH", settings, json=change))
    assert company.member.get(settings).json() == DEFAULTS | change
    saved(company.member.call("PATCH", settings, json={"xero_tax_rate": None, "quickbooks_split_column": None}))
    assert company.member.get(settings).json() == DEFAULTS | {"xero_tracking_category": "Team"}
    wrong = {"quickbooks_split_column": "department", "quickbooks_date_format": "d/m/y"}
    answer = company.member.call("PATCH", settings, json=wrong)
    assert set(field_errors(answer)) == set(wrong)
