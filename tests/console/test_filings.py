"""CPF filings and tax certificates."""

import re
from datetime import timedelta

from gaji.core import clock
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.documents import dbs_reader
from tests.documents.payment_files.test_files import GIRO, PAYER
from tests.documents.payment_files.test_value_dates import next_bank_day
from tests.payroll.payment_runs.runs import JANUARY, hired, opened, paid
from tests.payroll.payment_runs.test_corrections import change_salary, corrected
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import BANK_ACCOUNT, Company, of_status
from tests.support.running import Member, created

FILING = {"uen": "202699999E", "cpf_submission_number": "202699999EPTE01", "bank_account": BANK_ACCOUNT}


def test_the_cpf_file_of_a_month_is_shown_and_downloaded(account: Member) -> None:
    company = Company.of(account, **FILING)
    hired(company, nric="S1234567D")
    owner, path = signed_in_user(account), f"/companies/{company.id}/filings"
    assert "Nothing to pay for this month" in page_text(owner.get(f"{path}?month=2026-01"))
    paid(company, JANUARY)
    page_view = owner.get(f"{path}?month=2026-01")
    assert "Skills development levy" in page_text(page_view)
    assert "Due by 16 Feb 2026" in page_text(page_view)
    file = owner.get(f"{path}?month=2026-01&download=cpf")
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.content.startswith(b"F 202699999EPTE01")
    page_view = owner.get(f"{path}?month=2026-01")
    assert "Submitted and current" in page_text(page_view)
    assert "202699999EPTE01JAN202601.DTL" in page_text(page_view)
    [submission_id] = re.findall(r'name="submission_id" value="(\d+)"', page_view.text)
    assert owner.post(path, {"submission_id": submission_id}).status_code == 303
    assert "Submitted and current" not in page_text(owner.get(f"{path}?month=2026-01"))
    assert owner.post(path, {"submission_id": submission_id}).status_code == 404
    assert owner.post(path, {"submission_id": "x"}).status_code == 404
    opened(company, "2026-02-28")
    assert owner.get(f"{path}?month=2026-02").status_code == 409
    assert owner.get(f"{path}?month=soon").status_code == 422


def test_each_downloaded_cpf_file_can_be_downloaded_again(account: Member) -> None:
    company = Company.of(account, **FILING)
    employee_id = hired(company, nric="S1234567D")
    run_id = paid(company, JANUARY)
    owner, path = signed_in_user(account), f"/companies/{company.id}/filings?month=2026-01"
    first = owner.get(f"{path}&download=cpf").content
    change_salary(company, employee_id, "4500.00")
    corrected(company, run_id)
    [first_id] = re.findall(r"download=(\d+)", owner.get(path).text)
    assert owner.get(f"{path}&download={first_id}").content == first
    assert "Download supplementary file" in page_text(owner.get(path))
    second = owner.get(f"{path}&download=cpf").content
    assert second != first
    page = owner.get(path)
    file_ids = re.findall(r"download=(\d+)", page.text)
    assert [owner.get(f"{path}&download={file_id}").content for file_id in file_ids] == [first, second]
    assert page_text(owner.get(path)) == page_text(page)
    viewer = signed_in_user(account.colleague(company.id, "viewer"))
    assert viewer.get(f"{path}&download={first_id}").content == first
    for unknown in ("0", "123456789", "9" * 18):
        assert owner.get(f"{path}&download={unknown}").status_code == 404
    assert owner.get(f"/companies/{company.id}/filings?month=2026-02&download={first_id}").status_code == 404


def test_a_cpf_file_with_other_details_than_before_is_asked_about(account: Member) -> None:
    company = Company.of(account, **FILING)
    employee_id = hired(company, nric="S1234567D")
    paid(company, JANUARY)
    owner, path = signed_in_user(account), f"/companies/{company.id}/filings?month=2026-01"
    before = owner.get(f"{path}&download=cpf").content
    company.patch(employee_id, last_name="Lim")
    [file_id] = re.findall(r"download=(\d+)", owner.get(path).text)
    asked = owner.get(f"{path}&download={file_id}")
    assert asked.status_code == 409
    assert "202699999EPTE01JAN202601.DTL would not be the same file again" in page_text(asked)
    assert "Names, identity numbers or the CPF submission number have changed" in page_text(asked)
    again = owner.get(f"{path}&download={file_id}&changed=yes").content
    assert b"Lim" in again or b"LIM" in again
    assert again != before
    assert len(again) == len(before)
    weekly = company.wave(frequency="weekly", first_end_date="2026-01-30")
    hired(company, "700.00", wave_id=weekly, appointment_date="2026-01-24")
    opened(company, "2026-01-30", wave_id=weekly)
    asked = owner.get(f"{path}&download={file_id}")
    assert asked.status_code == 409
    assert "Finalise these pay periods first" in page_text(asked)
    assert f"download={file_id}&amp;changed=yes" in asked.text


def test_the_page_names_the_periods_that_are_not_finalised(account: Member) -> None:
    company = Company.of(account, **FILING)
    weekly = company.wave(frequency="weekly", first_end_date="2026-02-06")
    hired(company)
    hired(company, "700.00", wave_id=weekly, appointment_date="2026-01-31")
    paid(company, JANUARY)
    owner, path = signed_in_user(account), f"/companies/{company.id}/filings?month=2026-01"
    page = owner.get(path)
    assert page.status_code == 200
    assert "The month is not complete" in page_text(page)
    assert "Period to 6 Feb 2026 (Weekly, ending on Friday): 1 draft payslip in no pay run" in page_text(page)
    run_id = opened(company, "2026-02-06", wave_id=weekly)
    page = owner.get(path)
    assert page.status_code == 409
    assert "Finalise these pay periods first" in page_text(page)
    assert f'<a href="/payment_runs/{run_id}">the pay run is not finalised</a>' in page.text


def test_the_download_of_a_viewer_is_not_recorded(account: Member) -> None:
    company = Company.of(account, **FILING)
    hired(company, nric="S1234567D")
    paid(company, JANUARY)
    viewer = signed_in_user(account.colleague(company.id, "viewer"))
    filing = f"/companies/{company.id}/filings?month=2026-01"
    assert "Your download is not recorded as submitted" in page_text(viewer.get(filing))
    assert viewer.get(f"{filing}&download=cpf").status_code == 200
    assert "Not submitted" in page_text(viewer.get(filing))


def test_the_download_of_a_payment_file_has_the_chosen_value_date(account: Member) -> None:
    next_day = next_bank_day()
    company = Company.of(account, bank_account=PAYER)
    hired(company, **GIRO)
    owner, path = signed_in_user(account), f"/payment_runs/{paid(company, JANUARY)}/files"
    page = owner.get(f"{path}?value_date={next_day}").text
    assert f'name="value_date" type="date" value="{next_day}"' in page
    assert 'form="value-date-form" name="download" value="dbs_giro.csv"' in page
    bank = dbs_reader.read(owner.get(f"{path}?value_date={next_day}&download=dbs_giro.csv").content)
    assert {payment.fields[8] for payment in bank.payments} == {f"{next_day:%d%m%Y}"}


def test_a_payment_file_with_a_past_date_says_so_before_the_download(account: Member) -> None:
    company = Company.of(account, bank_account=PAYER)
    hired(company, **GIRO)
    owner, path = signed_in_user(account), f"/payment_runs/{paid(company, JANUARY)}/files"
    text = page_text(owner.get(path))
    assert text.index("30 Jan 2026 is in the past") < text.index("Download anyway")
    assert "Enter a value date above before you download the file" in text
    assert "Download anyway" not in page_text(owner.get(f"{path}?value_date={next_bank_day()}"))


def test_the_value_date_is_folded_away_until_it_is_needed(account: Member) -> None:
    next_day = next_bank_day()
    company = Company.of(account, bank_account=PAYER)
    hired(company, **GIRO)
    owner, path = signed_in_user(account), f"/payment_runs/{paid(company, JANUARY)}/files"
    folded, unfolded = '<details class="card"><summary', '<details class="card" open><summary'
    assert unfolded in owner.get(path).text
    assert owner.post(path, {"payment_date": str(next_day)}).status_code == 303
    assert folded in owner.get(path).text
    for query in (f"value_date={next_day}", "value_date=soon"):
        assert unfolded in owner.get(f"{path}?{query}").text
    assert owner.get(f"{path}?value_date=&download=dbs_giro.csv").status_code == 200


def test_a_run_is_marked_as_paid_on_the_value_date_of_the_downloaded_file(account: Member) -> None:
    next_day = next_bank_day()
    company = Company.of(account, bank_account=PAYER)
    hired(company, **GIRO)
    run_id = paid(company, JANUARY)
    owner, path = signed_in_user(account), f"/payment_runs/{run_id}/files"
    page = owner.get(path)
    assert 'name="payment_date" type="date" value="2026-01-31"' in page.text
    text = page_text(page)
    assert "31 Jan 2026 is a Saturday. Banks pay on working days, so files for the bank have 30 Jan 2026" in text
    paid_on = f'id="paid_date" name="payment_date" type="date" value="{next_day}"'
    assert paid_on in owner.get(f"{path}?value_date={next_day}").text
    assert paid_on not in owner.get(path).text
    owner.get(f"{path}?value_date={next_day}&download=dbs_giro.csv")
    page = owner.get(path)
    assert f'name="payment_date" type="date" value="{next_day}"' in page.text
    assert "The value date of the file that was downloaded last" in page_text(page)
    assert owner.post(path, {"action": "mark_paid", "payment_date": "soon"}).status_code == 422
    assert owner.post(path, {"action": "mark_paid", "payment_date": str(next_day)}).status_code == 303
    assert f"Payment date {next_day.day} {next_day:%b %Y}" in page_text(owner.get(path))


def test_marking_as_paid_on_an_unusual_day_is_asked_about(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    run_id = paid(company, JANUARY)
    path, today = f"/payment_runs/{run_id}/files", clock.today()
    assert f'id="paid_date" name="payment_date" type="date" value="{today}"' in owner.get(path).text
    unusual = {
        str(today + timedelta(days=1)): "This day is in the future",
        "2026-01-01": "This day is long before the payment date, 31 Jan 2026",
        "2026-01-31": "The pay run was finalised later, on",
        "": "The pay run was finalised later, on",
    }
    for day, reason in unusual.items():
        asked = owner.post(path, {"action": "mark_paid", "payment_date": day, "confirmed": ""})
        assert asked.status_code == 200
        assert reason in page_text(asked)
    assert "Not marked as paid" in page_text(owner.get(path))
    for form in ({"payment_date": "soon"}, {"payment_date": "1999-01-01", "confirmed": "yes"}):
        assert owner.post(path, {"action": "mark_paid", "confirmed": "", **form}).status_code == 422
    done = owner.post(path, {"action": "mark_paid", "payment_date": str(today), "confirmed": ""})
    assert done.headers["location"] == f"/payment_runs/{run_id}"


def test_certificates_are_created_released_and_downloaded(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, first_name="Aisha")
    paid(company, JANUARY)
    path = f"/companies/{company.id}/tax_certificates"
    assert "No certificates for 2026 yet" in page_text(owner.get(f"{path}?year=2026"))
    assert owner.post(path, {"year": "2026"}).status_code == 303
    page_view = owner.get(f"{path}?year=2026")
    [certificate_id] = re.findall(r'name="certificate_id" value="(\d+)"', page_view.text)
    assert owner.get(f"{path}?pdf={certificate_id}").status_code == 404

    own_id = signed_in_user(company.member.colleague(company.id, "employee", employee_id))
    mine = f"/own/{employee_id}/certificates"
    assert "No certificates yet" in page_text(own_id.get(mine))
    assert own_id.get(f"{mine}?pdf={certificate_id}").status_code == 404
    assert owner.post(path, {"year": "2026", "certificate_id": certificate_id}).status_code == 303
    assert owner.get(f"{path}?pdf={certificate_id}").content.startswith(b"%PDF-")
    assert "IR8A 2026" in page_text(own_id.get(mine))
    assert f"{path}?pdf={certificate_id}" in owner.get(f"/employees/{employee_id}?tab=certificates").text
    assert own_id.get(f"{mine}?pdf={certificate_id}").content.startswith(b"%PDF-")


def test_open_points_are_listed_and_all_certificates_released(owner: ConsoleUser, company: Company) -> None:
    hired(company, first_name="Aisha")
    paid(company, JANUARY)
    path = f"/companies/{company.id}/tax_certificates"
    assert "The certificates of the year have not been generated" in page_text(owner.get(f"{path}/check?year=2026"))
    assert owner.post(path, {"year": "2026", "release_all": "true"}).status_code == 409
    assert owner.post(path, {"year": "2026"}).status_code == 303
    text = page_text(owner.get(f"{path}/check?year=2026"))
    assert "No address. No job title. The certificate is not released" in text
    [certificate_id] = re.findall(r'name="certificate_id" value="(\d+)"', owner.get(f"{path}?year=2026").text)
    assert owner.get(f"{path}?preview={certificate_id}").content.startswith(b"%PDF-")
    assert owner.post(path, {"year": "2026", "release_all": "true"}).status_code == 303
    text = page_text(owner.get(f"{path}/check?year=2026"))
    assert "The certificate is not released" not in text
    assert "Add the UEN of the company to download the files" in text
    assert "1 employee in service in 2026. Below 5 employees" in text
    assert owner.get(f"{path}?year=2026&forms=1").content.startswith(b"%PDF-")
    assert owner.get(f"{path}?year=2026&forms=2").status_code == 404
    assert owner.post(path, {"year": "2026", "certificate_id": certificate_id}).status_code == 303
    assert company.member.patch(f"/clients/{company.id}", {"uen": "202699999E"}).status_code == 200
    text = page_text(owner.get(f"{path}/check?year=2026"))
    assert "First set 1 record, released" in text
    assert "Download XLSX ir8a_2026_1.xlsx" in text
    assert "Our own layout. IRAS gives its field names to registered vendors only" in text
    assert owner.get(f"{path}?file=ir8a_2026_1.xlsx").content.startswith(b"PK")
    assert owner.get(f"{path}?file=ir8a_2026_2.xlsx").status_code == 404


def test_a_correction_after_the_release_is_shown_as_an_amended_set(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, first_name="Aisha")
    paid(company, JANUARY)
    path = f"/companies/{company.id}/tax_certificates"
    for form in ({}, {"release_all": "true"}):
        assert owner.post(path, {"year": "2026", **form}).status_code == 303
    company.patch(employee_id, job_title="Cook")
    assert "Figures changed" in page_text(owner.get(f"{path}?year=2026"))
    assert "First set 1 record" in page_text(owner.get(f"{path}/check?year=2026"))
    for form in ({}, {"release_all": "true"}):
        assert owner.post(path, {"year": "2026", **form}).status_code == 303
    assert "Revised Released" in page_text(owner.get(f"{path}?year=2026"))
    text = page_text(owner.get(f"{path}/check?year=2026"))
    assert "Amended set 1 1 record, released" in text
    assert "Aisha Tan 1 Revised Designation – Cook" in text


def test_the_payslips_of_a_certificate_are_shown_with_the_rule(owner: ConsoleUser, company: Company) -> None:
    hired(company, first_name="Aisha")
    paid(company, JANUARY)
    path = f"/companies/{company.id}/tax_certificates"
    owner.post(path, {"year": "2026"})
    [certificate_id] = re.findall(r"explain=(\d+)", owner.get(f"{path}?year=2026").text)
    text = page_text(owner.get(f"{path}?explain={certificate_id}"))
    assert "IR8A 2026 of Aisha Tan" in text
    assert "Salary belongs to the year in which it was earned, whenever it is paid. $4,200.00" in text


def test_tax_withheld_from_directors_is_listed_with_its_due_date(owner: ConsoleUser, company: Company) -> None:
    director = company.hire(
        legal_status="FD_OTHER",
        nric=None,
        passport_number="K1234567P",
        nationality="JP",
        appointment_date="2026-01-01",
        tax_resident=False,
        days_in_singapore={"2026": 20},
    )
    assert "2026: 20" in page_text(owner.get(f"/employees/{director}"))
    enter(company, f"payslips/{draft(company, director)}", "directors_fee", amount="10000", approval_date="2026-01-15")
    paid(company, JANUARY)
    text = page_text(owner.get(f"/companies/{company.id}/filings?month=2026-01"))
    assert "Mei Ling Tan $10,000.00 $2,400.00 15 Mar 2026" in text


def test_an_invalid_year_is_rejected(owner: ConsoleUser, company: Company) -> None:
    path = f"/companies/{company.id}/tax_certificates"
    for year in ("soon", "1899", ""):
        answer = owner.post(path, {"year": year})
        assert answer.status_code == 422, year
    assert owner.post(path, {"year": "2026", "certificate_id": "x"}).status_code == 404
    assert owner.post(path, {"year": "2026", "certificate_id": "123456"}).status_code == 404


def test_tax_certificates_open_with_the_first_year_of_a_new_company(owner: ConsoleUser, company: Company) -> None:
    path, today = f"/companies/{company.id}/tax_certificates", clock.today()
    assert f"Tax certificates for {today.year - 1}" in page_text(owner.get(path))
    hired(company, appointment_date=f"{today.year}-01-01")
    paid(company, f"{today.year}-01-31")
    assert f"Tax certificates for {today.year}" in page_text(owner.get(path))


def test_funds_that_are_paid_separately_are_those_of_the_whole_month(account: Member) -> None:
    company = Company.of(account, **FILING)
    hired(company, nric="S1234567D")
    worker = created(company.post(of_status("FOREIGNER_WP", appointment_date="2026-01-01", religion="ISLAM")))
    enter(company, f"employees/{worker}", "basic_salary", fixed_amount="1200.00")
    paid(company, JANUARY)
    owner, page = signed_in_user(account), f"/companies/{company.id}/filings?month=2026-01"
    note = "If you have paid them already, pay only what has changed."
    assert "Pay separately" in page_text(owner.get(page))
    assert "Ask each fund how to pay them." in page_text(owner.get(page))
    assert note not in page_text(owner.get(page))
    owner.get(f"{page}&download=cpf")
    assert note in page_text(owner.get(page))
