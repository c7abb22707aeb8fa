"""The register of a pay run: amounts, totals, sorting, filters, columns and downloads."""

import io
import re
import time
import zipfile
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import httpx
import openpyxl

from gaji.console.pay_register import COLUMNS, LARGE_TOTAL_CENTS, RegisterQuery
from gaji.db.json_lists import ListPage
from gaji.payroll.payslips.pay_register import AMOUNTS, RegisterTotal
from tests.console.console_user import ConsoleUser, page_text
from tests.payroll.calculations.requests import create_item
from tests.payroll.payment_runs.runs import FEBRUARY, done, hired, opened, paid, payslips
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company, of_status
from tests.support.running import created

WAIT_S = 60


def table_rows(page: httpx.Response) -> list[list[str]]:
    """Return the text of the cells of the register, row by row."""
    [table] = re.findall(r'<table class="register pay[^"]*">.*?</table>', page.text, re.DOTALL)
    rows = re.findall(r"<tr\b[^>]*>(.*?)</tr>", table, re.DOTALL)
    return [
        [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row)]
        for row in (row.replace("\n", " ") for row in rows)
    ]


def cents(text: str) -> int:
    """Return an amount of the page in cents."""
    return 0 if text == "–" else int(re.sub(r"[$,+.]", "", text))


def test_the_register_adds_up_and_equals_the_payslips(owner: ConsoleUser, company: Company) -> None:
    kitchen = created(company.member.post(f"/clients/{company.id}/pay_points", {"name": "Kitchen"}))
    pension = create_item(company, name="Pension plan", kind="employer_contribution", input="per_employee")
    ali = hired(company, "4200.00", first_name="Ali", pay_point_id=kitchen)
    enter(company, f"employees/{ali}", "loan", balance="900.00", instalment="100.00")
    enter(company, f"employees/{ali}", str(pension), amount="50.00")
    bala = hired(company, "6000.00", first_name="Bala", race="INDIAN")
    paid(company)
    enter(company, f"employees/{bala}", "basic_salary", fixed_amount="6500.00")
    run_id = opened(company, FEBRUARY)
    slip_ids = {slip["employee_id"]: slip["id"] for slip in payslips(company, run_id)}
    enter(company, f"payslips/{slip_ids[bala]}", "unpaid_leave", days="1")
    heading, *rows = table_rows(owner.get(f"/payment_runs/{run_id}?{urlencode({'column': list(COLUMNS)}, doseq=True)}"))
    default, *_ = table_rows(owner.get(f"/payment_runs/{run_id}"))
    assert [name for name in heading if name not in default] == ["SDL", "Foreign worker levy", "Other contributions"]
    note = "The employer cost includes SDL and Other contributions, which have no columns here"
    assert note in page_text(owner.get(f"/payment_runs/{run_id}"))
    assert note not in page_text(owner.get(f"/payment_runs/{run_id}?column=gross"))
    cost_only = page_text(owner.get(f"/payment_runs/{run_id}?column=employer_cost"))
    assert "includes CPF employer, SDL and Other contributions, which have no columns here" in cost_only
    file_heading = owner.get(f"/payment_runs/{run_id}?format=csv").text.splitlines()[0].split(",")
    assert {"SDL", "Other contributions", "Employer cost"} <= {*file_heading}
    cells = {row[0].split()[0]: dict(zip(heading, row, strict=True)) for row in rows}
    for name, employee_id in (("Ali", ali), ("Bala", bala)):
        payslip = company.member.get(f"/payslips/{slip_ids[employee_id]}").json()["payslip"]
        deductions, employer = dict(payslip["deduction"]), dict(dict(payslip["sideline"])["employer_contribution"])
        row = {column: cents(text) for column, text in cells[name].items() if column in heading[2:]}
        assert row["Gross pay"] == cents(dict(payslip["income"])["total"])
        assert row["CPF employee"] == cents(deductions["cpf_employee"])
        assert row["Unpaid leave"] == cents(deductions.get("unpaid_leave", "0.00"))
        assert row["Nett pay"] == cents(payslip["grand_total"][0][1])
        assert row["Employer cost"] == row["Gross pay"] - row["Unpaid leave"] + sum(map(cents, employer.values()))
        taken = ("Unpaid leave", "CPF employee", "Self-help funds", "Other deductions")
        assert row["Gross pay"] - sum(row[column] for column in taken) == row["Nett pay"]
    assert cells["Ali"]["Other deductions"] == "$100.00"
    assert cells["Ali"]["Other contributions"] == "$50.00"
    assert cells["Kitchen"]["Nett pay"] == cells["Ali"]["Nett pay"]
    for column in heading[2:]:
        parts = [cents(cells[name][column]) for name in ("Ali", "Bala")]
        assert sum(parts) == cents(cells["Total"][column]), column


def test_the_register_is_sorted_filtered_and_downloaded(owner: ConsoleUser, company: Company) -> None:
    for name, salary in (("Ali", "4000.00"), ("Bala", "2000.00"), ("Chen", "3000.00")):
        hired(company, salary, first_name=name)
    path = f"/payment_runs/{opened(company)}"

    def names(query: str) -> list[str]:
        return [row[0].split()[0] for row in table_rows(owner.get(f"{path}?{query}"))[1:-1]]

    assert names("") == ["Ali", "Bala", "Chen"]
    assert names("sort=-gross") == ["Ali", "Chen", "Bala"]
    assert names("sort=gross") == ["Bala", "Chen", "Ali"]
    assert names("sort=-number") == ["Chen", "Bala", "Ali"]
    assert names("search=chen") == ["Chen"]
    assert names("sort=nonsense&show=nonsense&per_page=7&column=nonsense&page=x") == ["Ali", "Bala", "Chen"]
    assert table_rows(owner.get(f"{path}?column=sdl&column=gross"))[0] == ["Employee", "Gross pay", "SDL"]
    assert "No matching payslips" in page_text(owner.get(f"{path}?search=nobody"))
    csv = owner.get(f"{path}?sort=-gross&column=gross&column=nett_pay&format=csv")
    assert csv.headers["content-disposition"] == 'attachment; filename="pay-register-2026-01-31.csv"'
    assert csv.text.splitlines()[:2] == ["Employee,Number,Gross pay,Nett pay", "Ali Tan,1,4000.00,3198.50"]
    sheet = openpyxl.load_workbook(io.BytesIO(owner.get(f"{path}?search=bala&format=xlsx").content)).active
    assert sheet.max_row == 2
    assert sheet.cell(2, 3).value == 2000
    anchors = re.findall(r'href="(/payslips/\d+)(#why-[^"]*)"', owner.get(path).text)
    payslip = owner.get(anchors[0][0]).text
    assert {anchor for _, anchor in anchors} <= {f"#{name}" for name in re.findall(r'id="(why-[^"]*)"', payslip)}


def test_pay_items_can_be_columns_of_their_own(owner: ConsoleUser, company: Company) -> None:
    kitchen = created(company.member.post(f"/clients/{company.id}/pay_points", {"name": "Kitchen"}))
    tips = create_item(company, name="Gross pay", kind="income", input="per_employee")
    ali = hired(company, "4000.00", first_name="Ali", pay_point_id=kitchen)
    bala = hired(company, "2000.00", first_name="Bala")
    enter(company, f"employees/{ali}", "loan", balance="900.00", instalment="100.00")
    enter(company, f"employees/{ali}", str(tips), amount="12.34")
    enter(company, f"payslips/{draft(company, bala)}", "bonus", amount="500.50")
    path = f"/payment_runs/{opened(company)}"
    page = owner.get(path)
    offered = re.findall(r'name="column" value="(item_\w+)"', page.text)
    assert offered == ["item_basic_salary", "item_bonus", "item_loan", f"item_{tips}"]
    assert "item_" not in "".join(table_rows(page)[0])
    query = urlencode({"column": ["gross", "nett_pay", *offered, "item_cpf_employee", "item_x'--"]}, doseq=True)
    heading, *rows = table_rows(owner.get(f"{path}?{query}"))
    own_name = f"Gross pay ({tips})"
    assert heading == ["Employee", "Basic salary", "Bonus", own_name, "Gross pay", "Loan", "Nett pay"]
    cells = {row[0].split()[0]: row[1:] for row in rows}
    assert cells["Ali"][:5] == ["$4,000.00", "–", "$12.34", "$4,012.34", "$100.00"]
    assert cells["Bala"][:5] == ["$2,000.00", "$500.50", "–", "$2,500.50", "–"]
    assert cells["Kitchen"][:5] == ["$4,000.00", "$0.00", "$12.34", "$4,012.34", "$100.00"]
    assert cells["Total"][:5] == ["$6,000.00", "$500.50", "$12.34", "$6,512.84", "$100.00"]
    csv = owner.get(f"{path}?{query}&sort=-item_bonus&format=csv").text.splitlines()
    assert csv[0] == f"Employee,Number,Basic salary,Bonus,{own_name},Gross pay,Loan,Nett pay"
    assert csv[1].startswith("Bala Tan,2,2000.00,500.50,0.00,2500.50,0.00,")
    filtered = table_rows(owner.get(f"{path}?{query}&search=ali"))
    assert filtered[-1][1:6] == ["$4,000.00", "$0.00", "$12.34", "$4,012.34", "$100.00"]
    anchors = re.findall(r'href="(/payslips/\d+)(#why-item-bonus)"', owner.get(f"{path}?{query}").text)
    assert 'id="why-item-bonus"' in owner.get(anchors[0][0]).text
    for sort in ("item_bonus", "-item_nonsense", "item_x'--"):
        assert owner.get(f"{path}?column=gross&sort={sort}").status_code == 200


def test_an_item_that_was_a_deduction_before_keeps_its_amounts(owner: ConsoleUser, company: Company) -> None:
    item_id = create_item(company, name="Club", kind="deduction", input="per_employee")
    enter(company, f"employees/{hired(company)}", str(item_id), amount="12.34")
    path = f"/payment_runs/{paid(company)}?column=item_{item_id}"
    changed = company.member.patch(f"/calculation_definitions/{item_id}", {"kind": "income"})
    assert changed.status_code == 200, changed.text
    page = owner.get(path)
    assert table_rows(page)[-1][1] == "$12.34"
    [(slip, anchor)] = re.findall(r'href="(/payslips/\d+)#(why-item-[^"]*)"', page.text)
    assert f'id="{anchor}"' in owner.get(slip).text


def test_the_levy_stays_a_column_if_other_columns_need_the_space(owner: ConsoleUser, company: Company) -> None:
    worker_id = hired(
        company, **of_status("FOREIGNER_WP", first_name="Kumar", appointment_date="2026-01-01", pass_from="2026-01-01")
    )
    hired(company, first_name="Aisha")
    enter(company, f"employees/{worker_id}", "foreign_worker_levy", amount="450.00")
    path = f"/payment_runs/{opened(company)}"
    for query in ("", "?search=Aisha"):
        assert "Foreign worker levy" in table_rows(owner.get(f"{path}{query}"))[0]


def test_the_list_of_pay_items_opens_on_request(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    path = f"/payment_runs/{opened(company)}"
    assert '<details class="choose"><summary>' in owner.get(path).text
    assert '<details class="choose" open><summary>' in owner.get(f"{path}?pay_items=yes").text
    assert "At most 20 pay items" in page_text(owner.get(path))
    assert 'value="item_basic_salary" checked' in owner.get(f"{path}?column=item_basic_salary").text


def test_employees_paid_by_the_hour_without_hours_need_attention(owner: ConsoleUser, company: Company) -> None:
    hired(company, first_name="Monthly")
    entered, lacking, casual = (hired(company, first_name=name) for name in ("Entered", "Lacking", "Casual"))
    for employee_id in (entered, lacking, casual):
        enter(company, f"employees/{employee_id}", "basic_salary", pay_type="hourly", hourly_rate="12.50")
    enter(company, f"employees/{casual}", "week_hours", schedule="casual")
    for employee_id, hours in ((entered, "64"), (casual, "20")):
        enter(company, f"payslips/{draft(company, employee_id)}", "basic_salary", hours_input=hours)
    path = f"/payment_runs/{opened(company)}"
    note = "Lacking Tan 3 No hours entered Paid for the working hours of the period"
    assert table_rows(owner.get(path))[1][0] == note
    assert [row[0] for row in table_rows(owner.get(f"{path}?show=attention"))[1:-1]] == [note]
    for page in (path, f"{path}?show=attention", f"{path}/finalise"):
        assert "No hours entered for 1 employee paid by the hour. The payslip pays" in page_text(owner.get(page))
    assert f'/companies/{company.id}/bulk_input?wave={company.wave_id}"' in owner.get(path).text
    explained = company.member.get(f"/payslips/{draft(company, lacking)}/explanation").json()
    assert not any("hours" in remark for remark in explained["remarks"])
    enter(company, f"payslips/{draft(company, lacking)}", "basic_salary", hours_input="0")
    assert "No hours entered" not in page_text(owner.get(path))
    enter(company, f"employees/{entered}", "week_hours", schedule="casual")
    done(company, int(path.split("/")[-1]), "finalise")
    assert "No hours entered" not in page_text(owner.get(path))


def test_rows_that_need_attention_come_first(owner: ConsoleUser, company: Company) -> None:
    states = [
        (attention, nett_pay, hourly) for attention in ("x", "") for nett_pay in (0, 100) for hourly in (True, False)
    ]
    # By name, the order would be the other way round.
    employee_ids = [hired(company, first_name=name) for name in "HGFEDCBA"]
    path = f"/payment_runs/{opened(company)}"
    for employee_id, (attention, nett_pay, hourly) in zip(employee_ids, states, strict=True):
        company.member.service.as_owner(
            """UPDATE payslips SET attention = CASE WHEN $2 = '' THEN '{}' ELSE ARRAY[$2] END, nett_pay = $3,
            pays_regular_hours = $4 WHERE employee_id = $1""",
            *(employee_id, attention, nett_pay, hourly),
        )
    rows = table_rows(owner.get(path))[1:-1]
    assert [row[0][0] for row in rows] == list("HGFEDCBA")


def test_finalised_registers_keep_their_pay_points_and_show_who_is_no_longer_paid(
    owner: ConsoleUser, company: Company
) -> None:
    ids = [
        created(company.member.post(f"/clients/{company.id}/pay_points", {"name": name})) for name in ("Bar", "Hall")
    ]
    staying = hired(company, first_name="Staying", pay_point_id=ids[0])
    leaving = hired(company, first_name="Leaving", pay_point_id=ids[0])
    january = paid(company)
    company.patch(staying, pay_point_id=ids[1])
    body = {"employee_action": {"termination_date": "2026-01-31", "termination_code": 1}}
    assert company.member.post(f"/employees/{leaving}/service_periods/end_service", body).status_code == 200
    run_id = opened(company, FEBRUARY)
    assert [row[:2] for row in table_rows(owner.get(f"/payment_runs/{january}?pay_point=Bar"))[1:-1]] == [
        ["Leaving Tan 2", "Bar"],
        ["Staying Tan 1", "Bar"],
    ]
    gone = owner.get(f"/payment_runs/{run_id}?show=gone")
    assert [row[0] for row in table_rows(gone)[1:-1]] == ["Leaving Tan 2 No longer paid"]
    assert "No longer paid" in page_text(gone)
    assert "-$3,358.50" in page_text(gone)


def test_open_run_shows_the_run_that_is_open(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    run_id = opened(company)
    form = {"wave_id": str(company.wave_id), "period_end_date": "2026-01-31"}
    again = owner.post(f"/companies/{company.id}/payment_runs", form)
    assert again.headers["location"] == f"/payment_runs/{run_id}"


def test_all_payslips_are_downloaded_as_one_file(owner: ConsoleUser, company: Company) -> None:
    hired(company, first_name="Siti")
    run_id = opened(company)
    done(company, run_id, "finalise")
    path = f"/payment_runs/{run_id}/payslips"
    assert "1 PDF in one file" in page_text(owner.get(path))
    progress = owner.post(path).headers["location"]
    deadline = time.monotonic() + WAIT_S
    while "The file is ready" not in page_text(owner.get(progress)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    answer = owner.get(f"{progress}&download=1")
    [name] = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert name.endswith(".pdf")
    assert owner.get(f"{path}?file=unknown").status_code == 404


def test_beside_large_totals_one_column_less_is_shown() -> None:
    unused: Any = None
    query = RegisterQuery(unused, "", "", "", unused, (), ListPage(1, 50))
    total = RegisterTotal(cents={**dict.fromkeys(AMOUNTS, 1), "levy": 0, "wage_deductions": 0, "other_deductions": 0})
    large = replace(total, cents={**total.cents, "gross": LARGE_TOTAL_CENTS})
    small_columns, large_columns = (
        list(query.visible_columns(given, compared=True, has_pay_points=True).headings) for given in (total, large)
    )
    assert [name for name in small_columns if name not in large_columns] == ["funds"]
    assert len(large_columns) == 7


def test_the_funds_stay_a_column_beside_the_levy_so_that_the_row_adds_up() -> None:
    unused: Any = None
    query = RegisterQuery(unused, "", "", "", unused, (), ListPage(1, 50))
    total = RegisterTotal(cents={**dict.fromkeys(AMOUNTS, 1), "wage_deductions": 0})
    columns = list(query.visible_columns(total, compared=True, has_pay_points=True, has_levy=True).headings)
    assert {"gross", "cpf_employee", "funds", "other_deductions", "nett_pay", "levy"} <= set(columns)
    assert "pay_point" not in columns
