"""Bank files of several companies in one ZIP."""

import re
from datetime import date, timedelta
from html import unescape
from io import BytesIO
from typing import Any
from urllib.parse import urlencode
from zipfile import ZipFile

import httpx
import pytest

from gaji.console.formats import format_day
from gaji.core import clock
from gaji.documents.payment_files.value_dates import non_working_reason
from tests.approvals.second_person import require_approval
from tests.console.company_steps_pages import reviewed, rows_of
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.payroll.payment_runs.runs import FEBRUARY, done, hired, listed, paid, payslips
from tests.payroll.payslips.slips import enter
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.running import Service

PATH = "/companies/payment_files"
PAYER = {"bank_account": {**BANK_ACCOUNT, "account_name": "TAMPINES BAKERY", "company_id": "TAMPBAKE"}}
PAYEE: dict[str, Any] = {"payment_method": "eft_manual", "bank_account": BANK_ACCOUNT}


@pytest.fixture
def companies(service: Service) -> tuple[Company, Company]:
    """Two companies whose January is finalised. Only the bakery has a bank account."""
    member = service.new_account()
    bakery, clinic = Company.of(member, name="Tampines Bakery", **PAYER), Company.of(member, name="Yishun Clinic")
    for company in (bakery, clinic):
        hired(company, **PAYEE)
        paid(company)
    return bakery, clinic


def value_date() -> date:
    """Return the next working day."""
    day = clock.today() + timedelta(days=1)
    while non_working_reason(day):
        day += timedelta(days=1)
    return day


def review(user: ConsoleUser, *companies: Company, **query: object) -> httpx.Response:
    """Return the page with the files of these companies."""
    return user.get(f"{PATH}?{urlencode([*(('client_id', company.id) for company in companies), *query.items()])}")


def checked(page: httpx.Response) -> list[str]:
    """Return the keys of the files that are selected."""
    return re.findall(r'name="row" value="([^"]+)" checked', page.text)


def downloads(company: Company) -> list[int]:
    """Return how often each file of the company's run was downloaded."""
    [run_id] = [run["id"] for run in listed(company)]
    files = [element["file"] for element in company.member.get(f"/payment_runs/{run_id}/files").json()]
    return [download["downloads"] for file in files for download in file["downloads"]]


def test_files_of_several_companies_are_one_download(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    user = signed_in_user(bakery.member)
    page = review(user, bakery, clinic)
    assert "Choose a value date" in rows_of(page)["Tampines Bakery"]
    assert checked(page) == []
    day = value_date()
    page = review(user, bakery, clinic, value_date=day)
    [key] = checked(page)
    assert "The bank account of the company is missing" in rows_of(page)["Yishun Clinic"]
    assert f"{day.day} {day:%b %Y}" in rows_of(page)["Tampines Bakery"]
    fields = {
        "form_token": [user.token("/password")],
        "client_id": [str(bakery.id), str(clinic.id)],
        "value_date": [str(day)],
        "row": [key],
    }
    answer = user.browser.post(PATH, data=fields)
    assert answer.status_code == 200, page_text(answer)
    assert "1 payment file" in page_text(answer)
    zip_path = answer.headers["refresh"].removeprefix("1; url=")
    for _ in range(2):
        package = ZipFile(BytesIO(user.get(zip_path).content))
        [name] = package.namelist()
        assert name.startswith("Tampines Bakery/")
        assert package.read(name)
    assert downloads(bakery) == [1]
    bakery.member.service.as_owner(
        "UPDATE downloaded_payment_files SET last_downloaded_at = now() - interval '61 seconds' WHERE client_id = $1",
        bakery.id,
    )
    for _ in range(2):
        assert user.get(zip_path).status_code == 200
        assert downloads(bakery) == [2]
    colleague = signed_in_user(bakery.member.colleague(bakery.id, "payroll"))
    assert colleague.get(zip_path).status_code == 200
    assert downloads(bakery) == [3]
    assert key not in review(user, bakery, clinic, value_date=day).text
    [mark_paid] = re.findall(r'href="(/companies/steps[^"]+)"', answer.text)
    assert "Tampines Bakery" in page_text(user.get(unescape(mark_paid)))
    again = user.browser.post(PATH, data=fields)
    assert again.status_code == 422
    assert "The selected files were downloaded already" in page_text(again)


def test_the_value_date_stays_when_something_is_fixed(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    user, day = signed_in_user(bakery.member), value_date()
    answer = review(user, bakery, clinic, value_date=day)
    [files] = re.findall(r'href="([^"]+)">Fix<', answer.text)
    assert f"value_date={day}" in files.partition("return_to=")[0]
    [details] = set(re.findall(rf'href="(/companies/{clinic.id}/details[^"]+)"', user.get(unescape(files)).text))
    form = user.get(unescape(details).partition("#")[0])
    assert "Save and return to the payment files" in page_text(form)
    [return_to] = re.findall(r'name="return_to" value="([^"]+)"', form.text)
    path = f"{PATH}?{urlencode([('client_id', bakery.id), ('client_id', clinic.id), ('value_date', day)])}"
    assert unescape(return_to) == path


def test_no_file_is_downloaded_if_one_of_them_cannot_be_created(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    user, day = signed_in_user(bakery.member), value_date()
    keys = re.findall(r'name="row" value="([^"]+)"', review(user, bakery, clinic, value_date=day).text)
    assert len(keys) == 2
    fields = {
        "form_token": [user.token("/password")],
        "client_id": [str(bakery.id), str(clinic.id)],
        "value_date": [str(day)],
        "row": keys,
    }
    answer = user.browser.post(PATH, data=fields)
    assert answer.status_code == 409
    assert "1 file cannot be created yet. Nothing was downloaded" in page_text(answer)
    assert downloads(bakery) == []
    assert "Select at least one file" in page_text(user.browser.post(PATH, data={**fields, "row": []}))


def downloaded(user: ConsoleUser, company: Company, keys: list[str], day: date) -> httpx.Response:
    """Return the answer to the download of files."""
    fields = {
        "form_token": [user.token("/password")],
        "client_id": [str(company.id)],
        "value_date": [str(day)],
        "row": keys,
    }
    return user.browser.post(PATH, data=fields)


def released(company: Company, *amounts: str) -> int:
    """Release pay of a leaver in parts, in a pay run for February. Return the run."""
    foreigner = {"legal_status": "FOREIGNER", "fin": "G1612350T", "nationality": "IN", "sdl_exempt": True}
    leaver_id = hired(company, "5500.00", **foreigner, **PAYEE)
    company.leave(leaver_id, "2026-02-14", notice_date="2026-01-15", ir21=True)
    run_id = paid(company, FEBRUARY)
    [slip] = [slip["id"] for slip in payslips(company, run_id) if slip["employee_id"] == leaver_id]
    for amount in amounts:
        answer = company.member.post(f"/payslips/{slip}/release_payment", {"amount": amount})
        assert answer.status_code == 200, answer.text
    return run_id


def test_released_pay_is_listed_until_its_file_is_downloaded(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    foreigner: dict[str, Any] = {"legal_status": "FOREIGNER", "nationality": "IN", "sdl_exempt": True}
    for details in ({**PAYEE, "fin": "G1612350T"}, {"payment_method": "cash", "fin": "G1234567X"}):
        leaver_id = hired(bakery, "5500.00", **foreigner, **details)
        bakery.leave(leaver_id, "2026-02-14", notice_date="2026-01-15", ir21=True)
    run_id = paid(bakery, FEBRUARY)
    slips = {slip["employee_id"]: slip["id"] for slip in payslips(bakery, run_id)}
    cash_slip, bank_slip = slips[leaver_id], max(slip for slip in slips.values() if slip != slips[leaver_id])
    for each in listed(bakery):
        done(bakery, each["id"], "mark_paid")
    user, home = signed_in_user(bakery.member), f"/companies/{bakery.id}"
    pages = ("/companies", home, f"/companies?show=released_pay&client_id={clinic.id}")
    text = "was not downloaded"
    assert bakery.member.post(f"/payslips/{cash_slip}/release_payment").status_code == 200
    for path in pages:
        assert text not in page_text(user.get(path)), path
    for amount in ("500.00", "250.00"):
        released = bakery.member.post(f"/payslips/{bank_slip}/release_payment", {"amount": amount})
        assert released.status_code == 200, released.text
    row = rows_of(user.get("/companies?show=released_pay"))["Tampines Bakery"]
    assert "Released pay, no file" in row
    assert f"Released pay {format_day(date(2026, 2, 28))} the bank file for $750.00" in page_text(user.get(home))
    day = value_date()
    keys = checked(review(user, bakery, value_date=day))
    assert keys == [f"{run_id}-dbs_giro_released.csv", f"{run_id}-dbs_giro_released_2.csv"]
    answer = downloaded(user, bakery, keys[:1], day)
    assert answer.status_code == 200, page_text(answer)
    assert "as paid" not in page_text(answer)
    assert "the bank file for $250.00" in page_text(user.get(home))
    assert checked(review(user, bakery, value_date=day)) == keys[1:]
    assert downloaded(user, bakery, keys[1:], day).status_code == 200
    for path in pages:
        assert text not in page_text(user.get(path)), path
    assert "no payment files" in page_text(review(user, bakery))


def test_released_pay_without_a_bank_account_or_of_long_ago_is_not_listed(
    companies: tuple[Company, Company], service: Service
) -> None:
    for company in companies:
        foreigner = {"legal_status": "FOREIGNER", "fin": "G1612350T", "nationality": "IN", "sdl_exempt": True}
        leaver_id = hired(company, "5500.00", **foreigner, **PAYEE)
        company.leave(leaver_id, "2026-02-14", notice_date="2026-01-15", ir21=True)
        run_id = paid(company, FEBRUARY)
        [slip] = [slip["id"] for slip in payslips(company, run_id) if slip["employee_id"] == leaver_id]
        assert company.member.post(f"/payslips/{slip}/release_payment").status_code == 200
    bakery, _ = companies
    user = signed_in_user(bakery.member)
    assert list(rows_of(user.get("/companies?show=released_pay"))) == ["Tampines Bakery"]
    service.as_owner("UPDATE payment_releases SET created_at = created_at - interval '93 days' WHERE true")
    assert "No company is listed" in page_text(user.get("/companies?show=released_pay"))


def test_late_salary_and_unconfirmed_layouts_are_named(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    uses_uob(clinic)
    row = rows_of(review(signed_in_user(bakery.member), bakery, clinic, value_date=value_date()))
    late = "after 7 Feb 2026, the last day on which the salary"
    assert late in row["Tampines Bakery"]
    assert "Unconfirmed layout" not in row["Tampines Bakery"]
    assert "Unconfirmed layout It is from one source only" in row["Yishun Clinic"]


def uses_uob(company: Company) -> None:
    """Pay from an account with UOB, which takes payments to PayNow numbers in a file of their own."""
    account = {**PAYER["bank_account"], "bank_id": 7375}
    assert company.member.patch(f"/clients/{company.id}", {"bank_account": account}).status_code == 200


def test_files_of_different_payments_are_all_listed(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    uses_uob(bakery)
    hired(bakery, **PAYEE, paynow="+6591234567")
    run_id = paid(bakery, FEBRUARY)
    page = review(signed_in_user(bakery.member), bakery, value_date=value_date())
    names = [key.partition("-")[2] for key in checked(page) if key.startswith(f"{run_id}-")]
    assert names == ["uob_giro.txt", "uob_paynow.txt"]


def test_a_pay_run_is_paid_when_all_of_its_files_are_downloaded(companies: tuple[Company, Company]) -> None:
    _, clinic = companies
    uses_uob(clinic)
    hired(clinic, **PAYEE, paynow="+6591234567")
    for run in listed(clinic):
        done(clinic, run["id"], "mark_paid")
    run_id = paid(clinic, FEBRUARY)
    user, day = signed_in_user(clinic.member), value_date()
    keys = checked(review(user, clinic, value_date=day))
    assert keys == [f"{run_id}-uob_giro.txt", f"{run_id}-uob_paynow.txt"]
    assert "No file for the bank was downloaded" in page_text(reviewed(user, "mark_paid", clinic))
    assert "as paid" not in page_text(downloaded(user, clinic, keys[:1], day))
    row = rows_of(reviewed(user, "mark_paid", clinic))["Yishun Clinic"]
    assert "A file for the bank was not downloaded: PayNow file for UOB" in row
    assert "Mark these pay runs as paid" in page_text(downloaded(user, clinic, keys[1:], day))
    assert "downloaded" not in rows_of(reviewed(user, "mark_paid", clinic))["Yishun Clinic"]


def test_a_file_whose_payments_changed_is_listed_and_not_selected(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    [employee] = bakery.listed()
    [run_id] = [run["id"] for run in listed(bakery)]
    user, day = signed_in_user(bakery.member), value_date()
    keys = checked(review(user, bakery, value_date=day))
    assert downloaded(user, bakery, keys, day).status_code == 200
    done(bakery, run_id, "unfinalise")
    done(bakery, run_id, "finalise")
    assert "no payment files" in page_text(review(user, bakery, value_date=day))
    done(bakery, run_id, "unfinalise")
    enter(bakery, f"employees/{employee['id']}", "basic_salary", fixed_amount="4300.00")
    done(bakery, run_id, "finalise")
    text = "1 payment changed after the file for the bank was downloaded"
    assert text in rows_of(reviewed(user, "mark_paid", bakery))["Tampines Bakery"]
    page = review(user, bakery, value_date=day)
    assert f"{text}. Check what the bank has paid" in rows_of(page)["Tampines Bakery"]
    assert keys[0] in page.text
    assert checked(page) == []
    assert downloaded(user, bakery, keys, day).status_code == 200
    assert "no payment files" in page_text(review(user, bakery, value_date=day))
    assert text not in rows_of(reviewed(user, "mark_paid", bakery))["Tampines Bakery"]


def test_pay_in_cash_is_named_beside_the_file_and_before_the_run_is_paid(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    hired(bakery, "2000.00", payment_method="cash")
    paid(bakery, FEBRUARY)
    user = signed_in_user(bakery.member)
    text = "is paid in cash or by cheque, and is not in the file for the bank"
    assert page_text(review(user, bakery, value_date=value_date())).count(text) == 1
    assert page_text(reviewed(user, "mark_paid", bakery)).count(text) == 1


def test_lists_of_cash_and_cheque_payments_are_in_the_zip(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    hired(bakery, "2000.00", first_name="Siti", payment_method="cash")
    hired(bakery, "1000.00", first_name="Ravi", payment_method="cheque")
    run_ids = [paid(bakery, end) for end in (FEBRUARY, "2026-03-31")]
    user, day = signed_in_user(bakery.member), value_date()
    page = review(user, bakery, clinic, value_date=day)
    keys = checked(page)
    lists = [f"{run_id}-payment_list.csv" for run_id in run_ids]
    assert [key for key in keys if "payment_list" in key] == lists
    assert "Cash and cheque payments" in page_text(page)
    answer = downloaded(user, bakery, keys, day)
    text = page_text(answer)
    assert "Send each file for a bank to the bank of its company" in text
    assert "Pay the employees in the lists in cash or by cheque" in text
    package = ZipFile(BytesIO(user.get(zip_path_of(answer)).content))
    names = [f"Tampines Bakery/payment_list_{run_id}.csv" for run_id in run_ids]
    assert set(names) <= set(package.namelist())
    assert len(package.namelist()) == len(set(package.namelist())) == len(keys)
    content = package.read(names[0]).decode()
    assert ("Siti" in content, "Ravi" in content, content.count("Mei Ling")) == (True, True, 0)
    assert "payment_list" not in review(user, bakery, value_date=day).text


def test_a_list_of_cash_payments_that_changed_is_not_selected(companies: tuple[Company, Company]) -> None:
    _, clinic = companies
    employee_id = hired(clinic, "2000.00", payment_method="cash")
    for run in listed(clinic):
        done(clinic, run["id"], "mark_paid")
    run_id = paid(clinic, FEBRUARY)
    user, day, key = signed_in_user(clinic.member), value_date(), f"{run_id}-payment_list.csv"
    assert checked(review(user, clinic, value_date=day)) == [key]
    assert "as paid" not in page_text(downloaded(user, clinic, [key], day))
    done(clinic, run_id, "unfinalise")
    enter(clinic, f"employees/{employee_id}", "basic_salary", fixed_amount="2100.00")
    done(clinic, run_id, "finalise")
    page = review(user, clinic, value_date=day)
    assert checked(page) == []
    assert "1 payment changed after the list was downloaded. Check what was paid" in page_text(page)


def test_a_pay_run_that_pays_only_in_cash_is_paid_after_its_list(companies: tuple[Company, Company]) -> None:
    _, clinic = companies
    [employee] = clinic.listed()
    for run in listed(clinic):
        done(clinic, run["id"], "mark_paid")
    clinic.patch(employee["id"], payment_method="cash")
    run_id = paid(clinic, FEBRUARY)
    user, day = signed_in_user(clinic.member), value_date()
    page = review(user, clinic, value_date=day)
    assert checked(page) == [f"{run_id}-payment_list.csv"]
    text = page_text(downloaded(user, clinic, checked(page), day))
    assert "Send each file" not in text
    assert "Mark these pay runs as paid" in text


def test_dates_that_banks_refuse_are_errors(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    user = signed_in_user(bakery.member)
    [key] = checked(review(user, bakery, value_date=value_date()))
    for text, error in (("2026-01-30", "is in the past"), ("nonsense", "Must be a date")):
        fields = {**selected_fields(user, value_date(), bakery), "value_date": [text], "row": [key]}
        page, answer = review(user, bakery, value_date=text), user.browser.post(PATH, data=fields)
        for response in (page, answer):
            assert response.status_code == 422
            assert re.search(
                f'value="{text}" aria-invalid="true".*?<span class="error"[^>]*>[^<]*{error}', response.text
            )
            assert "30 Jan 2026" in rows_of(response)["Tampines Bakery"]
        assert (checked(page), checked(answer)) == ([], [key])
        zip_path = f"{PATH}/zip?{urlencode({'value_date': text, 'row': '1-x'})}"
        assert user.get(zip_path).status_code == 409


def selected_fields(user: ConsoleUser, day: date, *companies: Company) -> dict[str, Any]:
    """Return what a browser sends to download the files that are selected at first."""
    return {
        "form_token": [user.token("/password")],
        "client_id": [str(company.id) for company in companies],
        "value_date": [str(day)],
        "row": checked(review(user, *companies, value_date=day)),
    }


def zip_path_of(answer: httpx.Response) -> str:
    """Return the address of the ZIP that a browser requests from the page."""
    return answer.headers["refresh"].removeprefix("1; url=")


def test_both_files_of_one_name_are_in_the_zip(companies: tuple[Company, Company]) -> None:
    # UOB expects names with the day and the number of the pay run, also for two releases of one day.
    bakery, _ = companies
    uses_uob(bakery)
    run_id = released(bakery, "500.00", "250.00")
    user, day = signed_in_user(bakery.member), value_date()
    keys = [f"{run_id}-uob_giro_released.txt", f"{run_id}-uob_giro_released_2.txt"]
    package = ZipFile(BytesIO(user.get(zip_path_of(downloaded(user, bakery, keys, day))).content))
    first, second = package.namelist()
    assert second == first.replace("Bakery/", "Bakery/2/")
    assert package.read(first) != package.read(second)


def test_the_zip_names_files_that_changed_since_the_download(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    assert clinic.member.patch(f"/clients/{clinic.id}", PAYER).status_code == 200
    user, day = signed_in_user(bakery.member), value_date()
    answer = user.browser.post(PATH, data=selected_fields(user, day, bakery, clinic))
    [run_id] = [run["id"] for run in listed(clinic)]
    done(clinic, run_id, "unfinalise")
    package = ZipFile(BytesIO(user.get(zip_path_of(answer)).content))
    assert package.read("Not included.txt").decode() == "Yishun Clinic, pay run to 31 Jan 2026"
    enter(clinic, f"employees/{clinic.listed()[0]['id']}", "basic_salary", fixed_amount="4300.00")
    done(clinic, run_id, "finalise")
    package = ZipFile(BytesIO(user.get(zip_path_of(answer)).content))
    assert package.read("Not included.txt").decode() == "Yishun Clinic, pay run to 31 Jan 2026, GIRO file for DBS"


def test_a_repeated_download_needs_the_approval_that_is_required_now(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    user, day = signed_in_user(bakery.member), value_date()
    answer = user.browser.post(PATH, data=selected_fields(user, day, bakery))
    require_approval(bakery)
    assert user.get(zip_path_of(answer)).status_code == 409
    assert downloads(bakery) == [1]


def test_files_that_fail_while_they_are_recorded_are_named(
    companies: tuple[Company, Company], service: Service
) -> None:
    bakery, clinic = companies
    assert clinic.member.patch(f"/clients/{clinic.id}", PAYER).status_code == 200
    user = signed_in_user(bakery.member)
    fields = selected_fields(user, value_date(), bakery, clinic)
    table = "downloaded_payment_files"
    service.as_owner(f"ALTER TABLE {table} ADD CONSTRAINT fault CHECK (client_id <> {clinic.id}) NOT VALID")
    try:
        text = page_text(user.browser.post(PATH, data=fields))
    finally:
        service.as_owner(f"ALTER TABLE {table} DROP CONSTRAINT fault")
    assert "1 payment file The download" in text
    assert "These files could not be created. Try again: Yishun Clinic, GIRO file for DBS" in text


def test_selected_files_that_someone_else_downloaded_are_counted(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    assert clinic.member.patch(f"/clients/{clinic.id}", PAYER).status_code == 200
    user, day = signed_in_user(bakery.member), value_date()
    fields = selected_fields(user, day, bakery, clinic)
    assert downloaded(user, bakery, fields["row"][:1], day).status_code == 200
    text = page_text(user.browser.post(PATH, data=fields))
    assert "1 payment file The download" in text
    assert "1 selected file was downloaded already, or its pay run is marked as paid" in text


def test_companies_that_the_user_can_only_view_are_named(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    colleague = bakery.member.colleague(bakery.id, "payroll")
    bakery.member.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role) SELECT $1, id, 'viewer' FROM users WHERE email = $2",
        clinic.id,
        colleague.email,
    )
    user, text = signed_in_user(colleague), "Your role can only view Yishun Clinic, so its files are not listed."
    assert text in page_text(review(user, bakery, clinic))
    assert "Your role can only view" not in page_text(review(user, bakery))
    assert "Your role can only view the selected companies" in page_text(review(user, clinic))


def test_files_of_other_companies_are_not_found(companies: tuple[Company, Company], service: Service) -> None:
    bakery, clinic = companies
    [key] = checked(review(signed_in_user(bakery.member), bakery, value_date=value_date()))
    stranger = Company.of(service.new_account())
    user = signed_in_user(stranger.member)
    assert user.get(f"{PATH}?client_id={bakery.id}").status_code == 404
    viewer = signed_in_user(bakery.member.colleague(bakery.id, "viewer"))
    assert "Your role can only view the selected companies" in page_text(review(viewer, bakery))
    for other in (user, viewer):
        path = f"{PATH}/zip?{urlencode({'value_date': value_date(), 'row': key})}"
        assert other.get(path).status_code == 404
    for row in ("", "x", "0-x", f"{2**70}-x", key.partition("-")[0]):
        assert signed_in_user(clinic.member).get(f"{PATH}/zip?row={row}").status_code == 409, row
    assert downloads(bakery) == []
