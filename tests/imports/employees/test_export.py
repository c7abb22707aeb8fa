"""GET /clients/:client_id/employees/export."""

from datetime import date

from gaji.people.employees.schemas import EMPLOYEE
from tests.imports.employees.workbooks import Workbook, export_workbook
from tests.support.company import BANK_ACCOUNT, STATUSES, Company, of_status
from tests.support.problems import assert_problem, field_errors
from tests.support.running import created


def test_it_works(company: Company) -> None:
    employee_id = company.hire(payment_method="eft_manual", bank_account=BANK_ACCOUNT, nric="S1234567D")
    salary = {"calc_type": "basic_salary", "calculation_details": {"pay_type": "monthly", "fixed_amount": "4200.50"}}
    created(company.member.post(f"/employees/{employee_id}/calculations", salary))
    [row] = Workbook(export_workbook(company)).rows
    assert row["id"] == employee_id
    assert row["first_name"] == "Mei Ling"
    assert row["birthdate"].date() == date(1990, 4, 12)
    assert row["nric"] == "S1234567D"
    assert row["sdl_exempt"] is False
    assert row["bank_account.bank_id"] == 7171
    assert row["bank_account.account_number"] == "0052312891"
    assert row["calc.basic_salary.pay_type"] == "monthly"
    assert row["calc.basic_salary.fixed_amount"] == 4200.5


def test_every_attribute_has_a_column_with_a_caption(company: Company) -> None:
    book = Workbook(export_workbook(company))
    tops = {key.split(".")[0] for key in book.columns}
    assert {attribute.name for attribute in EMPLOYEE.attributes} - tops == {"custom_fields", "external_id", "metadata"}
    captions = {cell.value for cell in book.sheet[1]}
    assert {"Employee ID", "NRIC", "Bank account: branch code", "Basic salary: fixed amount"} <= captions
    assert {"Pay schedule", "Pay point", "Bank", "PayNow number", "Address: street name"} <= captions
    assert len(captions) == len(book.columns)


def test_custom_fields_and_custom_items_have_columns(company: Company) -> None:
    options = [{"name": "Small"}, {"name": "Large"}]
    size = company.field(name="Shirt size", type="dropdown", options=options)
    since = company.field(name="Member since", type="date")
    fields = company.member.get(f"/clients/{company.id}/custom_employee_fields").json()
    large = fields[0]["custom_employee_field"]["options"][1]["id"]
    item = {"name": "Shift money", "kind": "allowance", "input": "per_employee"}
    definition = created(company.member.post(f"/clients/{company.id}/calculation_definitions", item))
    company.hire(custom_fields={str(size): large, str(since): "2020-05-01"})
    book = Workbook(export_workbook(company))
    [row] = book.rows
    assert row[f"custom_fields.{size}"] == "Large"
    assert row[f"custom_fields.{since}"].date() == date(2020, 5, 1)
    assert f"calc.{definition}.amount" in row
    assert "Shift money: amount" in {cell.value for cell in book.sheet[1]}


def test_calculations_have_columns_if_used_or_requested(company: Company) -> None:
    employee_id = company.hire()
    assert "calc.loan.balance" not in Workbook(export_workbook(company)).columns
    assert "calc.loan.balance" in Workbook(export_workbook(company, query="?calculations=loan,union_fee")).columns
    loan = {"calc_type": "loan", "calculation_details": {"balance": "900.00", "instalment": "100.00"}}
    company.member.post(f"/employees/{employee_id}/calculations", loan)
    [row] = Workbook(export_workbook(company)).rows
    assert row["calc.loan.balance"] == 900
    assert "calc.basic_salary.overtime_hours_input" not in row  # it is only entered on payslips


def test_an_unknown_calculation_is_named(company: Company) -> None:
    errors = field_errors(company.member.get(f"{company.people}/export?calculations=lone"))
    assert errors == {"calculations": "calculation 'lone' does not exist in this client; did you mean loan?"}


def test_constants_are_listed_and_offered_in_cells(company: Company) -> None:
    pay_point = company.member.new_pay_point(company.id, name="Warehouse")
    book = Workbook(export_workbook(company))
    constants = book.book["Constants"]
    heads = {cell.value: cell.column for cell in constants[1] if cell.value}
    assert {"legal_status", "bank_id", "race", "wave_id", "pay_point_id", "calc.basic_salary.pay_type"} <= set(heads)
    column = heads["legal_status"]
    values = [row[column - 1].value for row in constants.iter_rows(min_row=2) if row[column - 1].value]
    assert values == list(STATUSES)
    column_number = heads["pay_point_id"]
    assert [constants.cell(2, column_number).value, constants.cell(2, column_number + 1).value] == [
        pay_point,
        "Warehouse",
    ]
    rules = {
        str(validation.sqref).split(":")[0]: validation for validation in book.sheet.data_validations.dataValidation
    }
    where = book.sheet.cell(3, book.columns["legal_status"]).coordinate
    assert rules[where].formula1.startswith("Constants!$")
    assert "Read me" in book.book.sheetnames


def test_identifiers_are_masked_for_a_key_that_hides_them(company: Company) -> None:
    company.hire(nric="S1234567D", payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    hiding = company.member.with_another_key(hide_identifiers=True)
    content = export_workbook(company, hiding)
    [row] = Workbook(content).rows
    assert row["nric"] == "*****567D"
    assert row["bank_account.account_number"] == "******2891"


def test_employees_of_every_status_are_exported(company: Company) -> None:
    for status in ("CITIZEN", "FOREIGNER", "FOREIGNER_WP", "FD_MALAYSIA", "FD_OTHER"):
        created(company.post(of_status(status)))
    assert [row["legal_status"] for row in Workbook(export_workbook(company)).rows] == [
        "CITIZEN",
        "FOREIGNER",
        "FOREIGNER_WP",
        "FD_MALAYSIA",
        "FD_OTHER",
    ]


def test_texts_that_look_like_formulas_or_markup_stay_text(company: Company) -> None:
    company.hire(first_name="=1+1", last_name="_x0041_", job_title="<r>Chief</r>")
    [row] = Workbook(export_workbook(company)).rows
    assert row["first_name"] == "=1+1"
    assert str(row["job_title"]).strip() == "<r>Chief</r>"


def test_a_viewer_can_export_and_an_employee_cannot(company: Company) -> None:
    employee_id = company.hire()
    assert export_workbook(company, company.member.colleague(company.id, "viewer"))
    assert_problem(company.member.colleague(company.id, "employee", employee_id).get(f"{company.people}/export"), 404)
