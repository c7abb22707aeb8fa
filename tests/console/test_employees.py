"""Employees in the console."""

import re
from datetime import timedelta
from typing import Any

import pytest

from gaji.console.dashboard import MAX_EXPIRING_PASSES
from gaji.console.formats import format_day
from gaji.core import clock
from gaji.law import check_letter
from gaji.law.months import Month
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.console.test_step_up import form_values
from tests.payroll.payment_runs.runs import done, hired, opened, paid, payslips
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company, attributes, new_nric, of_status
from tests.support.running import created

FOREIGNER: dict[str, Any] = {
    "legal_status": "FOREIGNER",
    "nric": None,
    "fin": "G1612350T",
    "nationality": "IN",
    "race": "OTHER",
}


def employee_form_data(company: Company, **changes: str) -> dict[str, str]:
    """What one types into the form of a new employee."""
    data = {name: str(value) for name, value in attributes().items() if not isinstance(value, bool)}
    return {**data, "wave_id": str(company.wave_id), **changes}


def listed_names(user: ConsoleUser, company: Company, query: str = "") -> list[str]:
    """The names in the directory."""
    page = user.get(f"/companies/{company.id}/employees{query}").text
    return re.findall(r'<a class="row" href="/employees/\d+">([^<]+)</a>', page)


def test_an_employee_is_added(owner: ConsoleUser, company: Company) -> None:
    answer = owner.post(f"/companies/{company.id}/employees/new", employee_form_data(company, job_title="Baker"))
    assert answer.status_code == 303, page_text(answer)
    employee_id = int(re.findall(r"/employees/(\d+)", answer.headers["location"])[0])
    sample = company.employee(employee_id)
    assert (sample["first_name"], sample["job_title"], sample["cpf_exempt"]) == ("Mei Ling", "Baker", False)
    page = page_text(owner.get(f"/employees/{employee_id}"))
    assert "Mei Ling Tan" in page
    assert "Singapore citizen" in page


def test_all_errors_are_shown_at_their_fields_and_input_is_kept(owner: ConsoleUser, company: Company) -> None:
    path = f"/companies/{company.id}/employees/new"
    wrong = employee_form_data(
        company, nric="S1234567A", birthdate="2031-01-01", gender="", email="nobody <script>", last_name=""
    )
    answer = owner.post(path, wrong)
    assert answer.status_code == 422
    page = page_text(answer)
    assert "Please correct 5 errors" in page
    for label, error in (
        ("NRIC", "S1234567A has the wrong check letter"),
        ("Birthdate", f"must be from 1 Jan 1900 to {format_day(clock.today())}"),
        ("Gender", "is required"),
        ("Email", "must be an email address"),
        ("Last name", "is required when Name format is “First name, then last name”"),
    ):
        assert f"{label} : {error}" in page or f"{label}: {error}" in page
    assert 'value="S1234567A"' in answer.text
    assert 'value="nobody &lt;script&gt;"' in answer.text
    assert '<a href="#nric">NRIC</a>' in answer.text
    assert company.listed() == []
    right = {
        **wrong,
        "nric": new_nric(),
        "birthdate": "1990-01-01",
        "gender": "F",
        "email": "mei@example.com",
        "last_name": "Tan",
    }
    assert owner.post(path, right).status_code == 303
    assert len(company.listed()) == 1


def test_the_form_has_bank_account_address_and_custom_fields(owner: ConsoleUser, company: Company) -> None:
    field_id = company.field(name="Locker", type="text", required=True)
    data = {
        "payment_method": "eft_manual",
        "bank_account.bank_id": "7171",
        "bank_account.account_number": "0052312891",
        "bank_account.branch_code": "005",
        "physical_address.type": "L",
        "physical_address.postal_code": "461203",
    }
    path = f"/companies/{company.id}/employees/new"
    refused = owner.post(path, employee_form_data(company, **data))
    assert "Locker" in page_text(refused)
    assert refused.status_code == 422
    answer = owner.post(path, employee_form_data(company, **data, **{f"custom_fields.{field_id}": "A-1"}))
    assert answer.status_code == 303, page_text(answer)
    [sample] = company.listed()
    assert sample["bank_account"]["account_number"] == "0052312891"
    assert sample["physical_address"]["postal_code"] == "461203"
    assert sample["custom_fields"] == {str(field_id): "A-1"}


def test_editing_an_employee_changes_only_edited_fields(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(physical_address={"type": "L", "postal_code": "461203"}, cpf_exempt=True)
    before = company.employee(employee_id)
    path = f"/employees/{employee_id}/edit"
    page = owner.get(path).text
    data = dict(re.findall(r'<input id="[^"]*" name="([^"]+)"[^>]*value="([^"]*)"', page))
    data |= dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', page))
    data |= dict(re.findall(r'type="checkbox" id="[^"]*" name="([^"]+)" value="(true)" checked', page))
    for name, body in re.findall(r'<select id="[^"]*" name="([^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL):
        data[name] = (re.findall(r'<option value="([^"]*)" selected', body) or [""])[0]
    answer = owner.browser.post(path, data={**data, "first_name": "Mei Lin"})
    assert answer.status_code == 303, page_text(answer)
    after = company.employee(employee_id)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"first_name", "updated_at"}
    history = page_text(owner.get(f"/employees/{employee_id}?tab=history"))
    assert "First name Mei Ling → Mei Lin" in history
    assert owner.member.email in history


def test_a_concurrent_change_is_not_overwritten(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire()
    stale = company.employee(employee_id)["updated_at"]
    company.patch(employee_id, job_title="Baker")
    answer = owner.post(f"/employees/{employee_id}/edit", employee_form_data(company, updated_at=stale))
    assert answer.status_code == 409
    assert "Someone else has changed this employee" in page_text(answer)
    assert company.employee(employee_id)["job_title"] == "Baker"


def test_employees_are_searched_by_words_and_filtered(owner: ConsoleUser, company: Company) -> None:
    other_wave = company.wave(frequency="weekly", first_end_date="2024-01-05")
    company.hire(first_name="Nurul", last_name="Huda", job_title="Accountant")
    company.hire(first_name="Wei", last_name="Huang", number="X-77", wave_id=other_wave)
    gone = company.hire(first_name="Left", last_name="Person")
    company.leave(gone)
    assert listed_names(owner, company) == ["Left Person", "Nurul Huda", "Wei Huang"]
    assert listed_names(owner, company, "?search=hu") == ["Nurul Huda", "Wei Huang"]
    assert listed_names(owner, company, "?search=ACCOUNT+nur") == ["Nurul Huda"]
    assert listed_names(owner, company, "?search=x-77") == ["Wei Huang"]
    assert listed_names(owner, company, "?state=serving") == ["Nurul Huda", "Wei Huang"]
    assert listed_names(owner, company, "?state=left") == ["Left Person"]
    assert listed_names(owner, company, f"?wave={other_wave}") == ["Wei Huang"]
    company.patch(gone, job_title="ÉLAN 50%_off\\")
    for known in ("50%25", "_OFF", "off%5C", "%C3%A9lan", "%C3%89LAN+left", "lan"):
        assert listed_names(owner, company, f"?search={known}") == ["Left Person"], known
    company.patch(gone, job_title=None)
    for odd in ("%25", "_", "%5C", "'", "%F0%9F%98%80", "x" * 3000):
        assert listed_names(owner, company, f"?search={odd}") == []
    assert len(listed_names(owner, company, "?search=%00&wave=%00&state=%00")) == 3
    text = page_text(owner.get(f"/companies/{company.id}/employees?search=zzz"))
    assert "No matching employees" in text
    assert "NRIC and FIN cannot be searched" in text


def test_work_passes_that_end_soon_are_listed(owner: ConsoleUser, company: Company) -> None:
    company.hire(first_name="Nurul", last_name="Huda")
    for number in range(MAX_EXPIRING_PASSES + 2):
        pass_to = str(clock.today() + timedelta(days=number))
        fin = f"G{number:07d}{check_letter.letter('G', f'{number:07d}')}"
        named = {"first_name": "Ravi", "last_name": f"Kumar {number}", "fin": fin}
        company.hire(**of_status("FOREIGNER_WP", pass_from="2024-01-01", pass_to=pass_to, **named))
    dashboard = owner.get(f"/companies/{company.id}")
    assert "Ravi Kumar 4" in dashboard.text
    assert "Ravi Kumar 5" not in dashboard.text
    assert "and 2 more work passes that end soon Show all" in page_text(dashboard)
    listed = listed_names(owner, company, "?state=expiring")
    assert listed == [f"Ravi Kumar {number}" for number in range(MAX_EXPIRING_PASSES + 2)]


def test_long_lists_are_paged(owner: ConsoleUser, company: Company) -> None:
    for number in range(51):
        company.hire(first_name=f"P{number:02d}")
    path = f"/companies/{company.id}/employees"
    first = owner.get(path)
    assert "1–50 of 51" in page_text(first)
    assert f'{path}?page=2"' in first.text
    assert listed_names(owner, company, "?page=2") == ["P50 Tan"]
    assert owner.get(f"{path}?page=99999999999999999999").status_code == 200
    assert owner.get(f"{path}?page=-1").status_code == 200
    longer = owner.get(f"{path}?search=p&per_page=100")
    assert "1–51 of 51" in page_text(longer)
    assert '<input type="hidden" name="per_page" value="100">' in longer.text
    assert f'href="{path}?search=p&amp;per_page=200"' in longer.text


def test_a_pay_item_is_added_changed_and_removed(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    form = owner.get(f"/employees/{employee_id}?tab=pay&enter=basic_salary")
    assert 'name="calculation_details.fixed_amount"' in form.text
    path, page = f"/employees/{employee_id}/calculations", f"/employees/{employee_id}?tab=pay"
    wrong = owner.post(path, {"calc_type": "basic_salary", "calculation_details.fixed_amount": "much"}, page=page)
    assert wrong.status_code == 422
    assert "must be an amount such as 1234.50" in page_text(wrong)
    assert 'value="much"' in wrong.text
    right = {"calc_type": "basic_salary", "calculation_details.fixed_amount": "$4,200"}
    assert owner.post(path, right, page=page).status_code == 303
    assert "$4,200.00" in page_text(owner.get(page))
    assert "No pay items yet" not in page_text(owner.get(page))
    [result, _] = company.member.get(f"/employees/{employee_id}/calculations").json()
    assert owner.post(f"{path}/{result['id']}/delete", page=page).status_code == 303
    assert "No pay items yet" in page_text(owner.get(page))


def test_the_form_of_insurance_says_that_it_is_on_form_ir8a(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    text = page_text(owner.get(f"/employees/{employee_id}?tab=pay&enter=insurance"))
    assert "Premiums for life insurance. They are on form IR8A as life insurance premiums." in text


def week_form(owner: ConsoleUser, page: str) -> dict[str, str]:
    """Return the fields of the form for working hours, as a browser would send them."""
    text = owner.get(page).text
    form = text[text.index('id="recurring-form"') :].partition("</form>")[0]
    fields = dict(re.findall(r'<input id="[^"]+" name="([^"]+)"[^>]* value="([^"]*)"', form))
    for name, options in re.findall(r'<select id="[^"]+" name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        fields[name] = chosen[1] if chosen else ""
    return {**fields, "calc_type": "week_hours"}


def test_only_changed_working_hours_are_saved(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    path, page = f"/employees/{employee_id}/calculations", f"/employees/{employee_id}?tab=pay&enter=week_hours"
    hours_path = f"/employees/{employee_id}/inherited_calculations"
    body = {"calc_type": "week_hours", "calculation_details": {"works_sat": True, "day_type_sat": "partial"}}
    company.member.patch(hours_path, body)
    [before] = company.member.get(hours_path).json()
    form = week_form(owner, page)
    assert form["calculation_details.partial_hours_sat"] == "4"
    assert "Week 44 hours" in page_text(owner.get(page))
    changed = {**form, "calculation_details.full_day_hours_input": "9"}
    assert owner.post(path, changed, page=page).status_code == 303
    [after] = company.member.get(hours_path).json()
    assert after["inputs"] == {**before["inputs"], "full_day_hours_input": "9"}


def test_working_hours_are_a_week_of_rows(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    path, page = f"/employees/{employee_id}/calculations", f"/employees/{employee_id}?tab=pay&enter=week_hours"
    hours_path = f"/employees/{employee_id}/inherited_calculations"
    form = week_form(owner, page)
    wrong = owner.post(path, {**form, "calculation_details.partial_hours_sat": "4"}, page=page)
    assert wrong.status_code == 422
    assert "Hours on Saturday" in page_text(wrong)
    row = {"calculation_details.works_sat": "true", "calculation_details.partial_hours_sat": "4.5"}
    saturday = {**form, **row, "effective_date": "2026-03-02"}
    assert owner.post(path, saturday, page=page).status_code == 303
    [record] = company.member.get(hours_path).json()
    change = {"works_sat": "true", "day_type_sat": "partial", "partial_hours_sat": "4.5"}
    assert record["inputs_history"]["2026-03-02"] == change
    assert "From 2 Mar 2026" in page_text(owner.get(f"/employees/{employee_id}?tab=pay"))
    off = {**week_form(owner, page), "calculation_details.works_sat": "false"}
    assert owner.post(path, {**off, "calculation_details.partial_hours_sat": ""}, page=page).status_code == 303
    full = {**week_form(owner, page), "calculation_details.works_sat": "true"}
    assert owner.post(path, full, page=page).status_code == 303
    assert "Saturday Working day 8" in page_text(owner.get(f"/employees/{employee_id}?tab=pay"))


def test_working_hours_can_be_a_cycle_of_weeks(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    path, page = f"/employees/{employee_id}/calculations", f"/employees/{employee_id}?tab=pay&enter=week_hours"
    hours_path = f"/employees/{employee_id}/inherited_calculations"
    form = {**week_form(owner, page), "calculation_details.cycle_start": "2026-01-05"}
    wrong = owner.post(path, {**form, "calculation_details.cycle": "8 8 8"}, page=page)
    assert wrong.status_code == 422
    assert "must be two to six weeks with the hours of seven days each" in page_text(wrong)
    cycle = "8 8 8 8 8 4 0 / 8 8 8 8 8 0 0"
    assert owner.post(path, {**form, "calculation_details.cycle": cycle}, page=page).status_code == 303
    [after] = company.member.get(hours_path).json()
    assert (after["inputs"]["cycle"], after["inputs"]["cycle_start"]) == (cycle, "2026-01-05")
    assert f'value="{cycle}"' in owner.get(page).text


def test_end_of_service_is_recorded_and_undone(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire()
    page = f"/employees/{employee_id}"
    wrong = owner.post(f"{page}/end_service", {"termination_date": "2023-01-01"}, page=page)
    assert wrong.status_code == 422
    assert "must not be before the start of service" in page_text(wrong)
    data = {"termination_date": "2026-03-31", "termination_code": "1"}
    assert owner.post(f"{page}/end_service", data, page=page).status_code == 303
    assert "31 Mar 2026 Resignation" in page_text(owner.get(page))
    assert owner.post(f"{page}/undo_end_service", page=page).status_code == 303
    assert company.service_of(employee_id) == [("2024-02-01", None)]


def test_someone_who_has_left_is_rehired(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(nric="S1234567D")
    page = f"/employees/{employee_id}"
    assert "Re-hire" not in page_text(owner.get(page))
    data = {"termination_date": "2026-03-31", "termination_code": "1"}
    assert owner.post(f"{page}/end_service", data, page=page).status_code == 303
    wrong = owner.post(f"{page}/reinstate", {"appointment_date": "2026-03-01"}, page=page)
    assert wrong.status_code == 422
    assert "First day" in page_text(wrong)
    assert owner.post(f"{page}/reinstate", {"appointment_date": "2026-06-01"}, page=page).status_code == 303
    assert company.service_of(employee_id) == [("2024-02-01", "2026-03-31"), ("2026-06-01", None)]
    refused = owner.post(f"{page}/undo_end_service", page=page)
    assert refused.status_code == 409
    assert "Pay schedule" in page_text(refused), "the refusal is shown on the page of the employee"


def test_adding_someone_who_has_left_offers_to_rehire_them(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(first_name="Aisha", last_name="Rahman", nric="S1234567D")
    new = f"/companies/{company.id}/employees/new"
    assert "Re-hire" not in page_text(owner.post(new, {"nric": "s1234567d"}, page=new)), "still in service"
    company.member.post(
        f"/employees/{employee_id}/service_periods/end_service",
        {"termination_date": "2026-03-31", "termination_code": 1},
    )
    offered = owner.post(new, {"nric": "s1234567d"}, page=new)
    assert "Aisha Rahman worked here until 31 Mar 2026. Re-hire them" in page_text(offered)
    assert f'href="/employees/{employee_id}#rehire"' in offered.text


def test_tax_clearance_is_proposed_for_foreigners_who_leave(owner: ConsoleUser, company: Company) -> None:
    checked = 'name="ir21" value="true" checked'
    foreigner = hired(company, **FOREIGNER)
    assert checked in owner.get(f"/employees/{foreigner}").text
    assert checked not in owner.get(f"/employees/{hired(company)}").text
    company.leave(foreigner, str(clock.today()))
    page = owner.get(f"/employees/{foreigner}?tab=pay")
    assert "No tax clearance (IR21) is recorded as required" in page_text(page)
    assert checked not in owner.get(f"/employees/{foreigner}").text
    company.act(foreigner, "end_service", ir21=True)
    assert "No tax clearance" not in page_text(owner.get(f"/employees/{foreigner}"))


def test_the_draft_of_a_leaver_may_lack_the_income_from_before_the_switch(owner: ConsoleUser, company: Company) -> None:
    foreigner = hired(company, **FOREIGNER)
    company.act(foreigner, "end_service", termination_date=str(clock.today()), termination_code=1, ir21=True)
    page, balances = f"/employees/{foreigner}", f"/employees/{foreigner}/take_on_balances"
    warning = "The opening balances have wages, but no income for form IR8A, so the draft has only what was paid here."
    assert warning not in page_text(owner.get(page))
    for year in (clock.today().year, clock.today().year - 1):
        wages = {"year": year, "ordinary_wages": "8300.00"}
        assert company.member.call("PUT", balances, json=wages).status_code == 200
        assert warning in page_text(owner.get(page)), "both years are on the form"
        assert f'href="{page}/take_on/edit"' in owner.get(page).text
    assert company.member.call("PUT", balances, json={**wages, "ir8a": {"a": "8300.00"}}).status_code == 200
    assert warning not in page_text(owner.get(page))


def test_the_draft_of_a_leaver_leaves_out_payslips_that_are_not_finalised(owner: ConsoleUser, company: Company) -> None:
    today = clock.today()
    month = Month.from_date(today)
    employee_id = hired(company, appointment_date=str(month.first_day), **FOREIGNER)
    company.leave(employee_id, str(month.last_day), notice_date=str(month.first_day), ir21=True)
    page, text = f"/employees/{employee_id}", "The draft leaves out the payslip"
    warning = f"{text} to {format_day(month.last_day)}, which is not finalised."
    assert warning in page_text(owner.get(page))
    run_id = opened(company, str(month.last_day))
    bonus_id = opened(company, str(month.last_day), special=True, employee_ids=[employee_id])
    assert warning in page_text(owner.get(page)), "the day is named once"
    done(company, bonus_id, "finalise")
    assert warning in page_text(owner.get(page))
    done(company, run_id, "finalise")
    assert text not in page_text(owner.get(page))


def test_pay_of_a_leaver_that_is_not_paid_yet_must_be_withheld(owner: ConsoleUser, company: Company) -> None:
    today = clock.today()
    month = Month.from_date(today) + -1
    employee_id = hired(company, appointment_date=str(month.first_day), **FOREIGNER)
    page, run_id = f"/employees/{employee_id}", paid(company, str(month.last_day))
    unpaid = f"The pay run to {format_day(month.last_day)} does not withhold the pay and is not marked as paid."
    assert unpaid not in page_text(owner.get(page))
    company.leave(employee_id, str(today), notice_date=str(today), ir21=True)
    assert f"{unpaid} If it is not paid yet, withhold it under Payment files ." in page_text(owner.get(page))
    assert f'href="/payment_runs/{run_id}/files#withhold"' in owner.get(page).text
    body = {"payment_run": {"payment_date": str(today)}}
    assert company.member.patch(f"/payment_runs/{run_id}", body).status_code == 200
    assert company.member.post(f"/payment_runs/{run_id}/mark_paid").status_code == 200
    assert unpaid not in page_text(owner.get(page))
    assert company.member.post(f"/payment_runs/{run_id}/mark_not_paid").status_code == 200
    for action in ("unfinalise", "finalise"):
        done(company, run_id, action)
    assert unpaid not in page_text(owner.get(page)), "it is withheld"
    assert "Pay is withheld for tax clearance (IR21)" in page_text(owner.get(page))


def test_the_button_says_what_it_changes(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    page, button = f"/employees/{employee_id}", '<button class="button danger">End service</button>'
    assert button in owner.get(page).text
    company.leave(employee_id, str(clock.today()))
    assert button not in owner.get(page).text
    assert '<button class="button primary">Save changes</button>' in owner.get(page).text


def test_the_notice_date_is_recorded_and_withheld_pay_is_released_in_parts(
    owner: ConsoleUser, company: Company
) -> None:
    employee_id = hired(company, **FOREIGNER)
    page = f"/employees/{employee_id}"
    data = {"termination_date": "2026-02-14", "termination_code": "1", "ir21": "true", "notice_date": "2026-03-01"}
    wrong = owner.post(f"{page}/end_service", data, page=page)
    assert "Notice date : must not be after the last day of service (14 Feb 2026)" in page_text(wrong)
    assert owner.post(f"{page}/end_service", data | {"notice_date": "2026-01-15"}, page=page).status_code == 303
    assert "Resignation, IR21, notice on 15 Jan 2026, IR21 draft" in page_text(owner.get(page))
    assert 'value="2026-01-15"' in owner.get(page).text, "the form has what is recorded"
    assert owner.get(f"{page}?ir21=draft").content.startswith(b"%PDF-")
    tomorrow = clock.today() + timedelta(days=1)
    wrong = owner.post(f"{page}/ir21_filed_on", {"ir21_filed_on": str(tomorrow)}, page=page)
    assert wrong.status_code == 422
    assert f"Form IR21 sent on : must not be after {format_day(clock.today())}" in page_text(wrong)
    blank = owner.post(f"{page}/ir21_filed_on", {"ir21_filed_on": " "}, page=page)
    assert (blank.status_code, "Form IR21 sent on : is required" in page_text(blank)) == (422, True)
    sent = owner.post(f"{page}/ir21_filed_on", {"ir21_filed_on": "2026-01-20"}, page=page)
    assert sent.status_code == 303
    assert "Resignation, IR21 sent on 20 Jan 2026, notice on 15 Jan 2026, IR21 draft" in page_text(owner.get(page))
    assert owner.get(page).text.count('name="ir21_filed_on"') == 1, "only to correct it"
    kept = owner.post(f"{page}/end_service", data | {"notice_date": "2026-01-15"}, page=page)
    assert (kept.status_code, "sent on 20 Jan 2026" in page_text(owner.get(page))) == (303, True)
    run_id = paid(company)
    [slip] = [payslip["id"] for payslip in payslips(company, run_id)]
    path = f"/payslips/{slip}"
    assert "Withheld $4,200.00" in page_text(owner.get(path))
    assert "$4,200.00" in page_text(owner.get(f"/payment_runs/{run_id}/files"))
    too_much = owner.post(f"{path}/release_payment", {"amount": "4,200.01", "to": "iras"}, page=path)
    assert too_much.status_code == 422
    assert "must not be more than $4200.00, which is what is withheld" in page_text(too_much)
    part = {"amount": "$1,200", "to": "iras"}
    asked = page_text(owner.post(f"{path}/release_payment", {**part, "confirmed": ""}, page=path))
    assert "Release $1,200.00 to the tax authority?" in asked
    everything = owner.post(f"{path}/release_payment", {"to": "employee", "confirmed": ""}, page=path)
    assert "Release $4,200.00 to the employee?" in page_text(everything)
    assert "Withheld $4,200.00" in page_text(owner.get(path)), "nothing is released before it is confirmed"
    assert owner.post(f"{path}/release_payment", part, page=path).status_code == 303
    assert owner.post(f"{path}/release_payment", {"amount": "", "to": "employee"}, page=path).status_code == 303
    text = page_text(owner.get(path))
    assert "$1,200.00 released to the tax authority" in text
    assert "$3,000.00 released to the employee" in text


def test_only_employees_without_pay_can_be_deleted(owner: ConsoleUser, company: Company) -> None:
    paid_one = hired(company)
    paid(company)
    other = company.hire()
    refused = owner.post(f"/employees/{paid_one}/delete", page=f"/employees/{paid_one}")
    assert refused.status_code == 409
    assert owner.post(f"/employees/{other}/delete", page=f"/employees/{other}").status_code == 303
    assert [employee["id"] for employee in company.listed()] == [paid_one]


def test_identifiers_are_masked_until_clicked(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(nric="S1234567D")
    page = owner.get(f"/employees/{employee_id}").text
    assert '<details class="reveal"><summary>*****567D</summary>S1234567D</details>' in page
    assert "S1234567D" not in owner.get(f"/employees/{employee_id}?tab=history").text


@pytest.mark.parametrize("tab", ["profile", "pay", "leave", "payslips", "history", "nonsense"])
def test_every_tab_can_be_opened(owner: ConsoleUser, company: Company, tab: str) -> None:
    employee_id = hired(company)
    assert owner.get(f"/employees/{employee_id}?tab={tab}").status_code == 200


def test_leave_is_recorded_for_a_date_range(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    types = company.member.get(f"/clients/{company.id}/leave_types").json()
    unpaid = next(type_id for type_id, name in types.items() if name == "unpaid_leave")
    page = f"/employees/{employee_id}?tab=leave"
    path = f"/employees/{employee_id}/leave_days"
    data = {"type_id": unpaid, "from": "2026-01-08", "to": "2026-01-13"}
    assert owner.post(path, data, page=page).status_code == 303
    days = company.member.get(f"/employees/{employee_id}/leave_days").json()
    assert [leave_day["leave_day"]["date"] for leave_day in days] == [
        "2026-01-08",
        "2026-01-09",
        "2026-01-12",
        "2026-01-13",
    ]
    for wrong in ({"from": ""}, {"from": "2026-01-10", "to": "2026-01-11"}, {"from": "2026-02-02", "to": "2026-01-01"}):
        refused = owner.post(path, {"type_id": unpaid, **wrong}, page=page)
        assert refused.status_code == 422
        assert 'role="alert"' in refused.text


def test_a_new_company_shows_how_to_get_started(company: Company) -> None:
    user = signed_in_user(company.member.service.new_account())
    made = user.post("/companies/new", {"name": "Kopi & Sons", "features.regular_hours_v2": "true"})
    path = made.headers["location"]
    assert "Get started" in page_text(user.get(path))
    wave = {"frequency": "monthly", "first_end_date": "2026-01-31"}  # left open, a month ends on its last day
    wrong = user.post(f"{path}/waves/new", {**wave, "first_end_date": "2026-01-30"})
    assert wrong.status_code == 422
    assert user.post(f"{path}/waves/new", wave).status_code == 303
    client_id = int(path.rpartition("/")[2])
    wave_id = user.member.get(f"/clients/{client_id}/waves").json()[0]["wave"]["id"]
    employee = employee_form_data(Company(user.member, client_id, wave_id), appointment_date="2026-01-01")
    assert user.post(f"{path}/employees/new", employee).status_code == 303
    assert "Kopi & Sons" in page_text(user.get(path))


def test_company_details_and_pay_points_are_changed(owner: ConsoleUser, company: Company) -> None:
    path = f"/companies/{company.id}"
    wrong = owner.post(f"{path}/details", {"name": "Kopi", "uen": "1"})
    assert wrong.status_code == 422
    assert "1 is not a valid UEN" in page_text(wrong)
    assert owner.post(f"{path}/details", {"name": "Kopi Tiam", "uen": "202699999E"}).status_code == 303
    assert owner.post(f"{path}/pay_points/new", {"name": "Kitchen"}).status_code == 303
    page = page_text(owner.get(f"{path}/settings"))
    assert "Kopi Tiam" in page
    assert "Kitchen" in page
    [point] = company.member.get(f"/clients/{company.id}/pay_points").json()
    delete = f"{path}/pay_points/{point['pay_point']['id']}/delete"
    assert owner.post(delete, page=f"{path}/settings").status_code == 303
    company.hire()
    in_use = owner.post(f"{path}/waves/{company.wave_id}/delete", page=f"{path}/settings")
    assert in_use.status_code == 409
    assert "is in use by employees" in page_text(in_use)
    assert created(company.member.post(f"/clients/{company.id}/pay_points", {"name": "Kitchen"}))


def test_the_pay_tab_shows_changes_by_date_and_once_off_items(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "4400.00")
    paid(company)
    path, page = f"/employees/{employee_id}/calculations", f"/employees/{employee_id}?tab=pay"
    data = {"calc_type": "basic_salary", "calculation_details.fixed_amount": "5000", "valid_from": "2026-02-16"}
    answer = owner.post(path, data, page=page)
    assert answer.status_code == 303, page_text(answer)
    [element] = company.member.get(f"/employees/{employee_id}/calculation_history").json()
    assert [values["changes"] for values in element["values"]][1] == {"fixed_amount": "5000.00"}
    draft = company.member.get(f"/employees/{employee_id}/payslips").json()[-1]
    bonus = {"calc_type": "bonus", "calculation_details": {"amount": 300}}
    created(company.member.post(f"/payslips/{draft['payslip']['id']}/calculations", bonus))
    text = page_text(owner.get(page))
    for part in ("until 15 Feb 2026 Past", "from 16 Feb 2026 In force today", "Once-off pay items", "300.00"):
        assert part in text
    removal = f"{path}/{element['calculation_id']}/changes/2026-02-16/delete"
    assert owner.post(removal, page=page).status_code == 303
    assert owner.post(removal, page=page).status_code == 404
    assert owner.post(f"{path}/{element['calculation_id']}/changes/soon/delete", page=page).status_code == 404
    assert "16 Feb 2026" not in page_text(owner.get(page))


def test_the_pay_tab_lists_each_value_with_its_days_and_its_payslip(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "32000.00")
    run_id = paid(company)
    path, page = f"/employees/{employee_id}/calculations", f"/employees/{employee_id}?tab=pay"
    answer = owner.post(path, {"calc_type": "basic_salary", "calculation_details.fixed_amount": "3200"}, page=page)
    saved = page_text(owner.get(answer.headers["location"]))
    assert "The change applies from 1 Feb 2026. Earlier months keep the values that they had" in saved
    assert "enter the first day of that month in “Valid from”" in saved
    done(company, run_id, "unfinalise")
    text = page_text(owner.get(page))
    assert "Amounts are those of the draft payslip of 31 Jan 2026" in text
    assert "Fixed amount $3,200.00 from 1 Feb 2026 In force today This employee Edit" in text
    assert "Fixed amount $32,000.00 until 31 Jan 2026 Past This employee $32,000.00" in text
    assert "The change applies" not in text


def test_a_change_that_gets_another_date_leaves_the_earlier_one_and_says_so(
    owner: ConsoleUser, company: Company
) -> None:
    employee_id = hired(company, "3200.00")
    path, page = f"/employees/{employee_id}/calculations", f"/employees/{employee_id}?tab=pay"
    data = {"calc_type": "basic_salary", "calculation_details.fixed_amount": "3300", "valid_from": "2026-02-01"}
    note = "The change from 1 Feb 2026 is still recorded."
    assert note not in page_text(owner.get(owner.post(path, data, page=page).headers["location"]))
    form = owner.get(f"{page}&enter=basic_salary&valid_from=2026-02-01")
    assert "You are editing the change from 1 Feb 2026." in page_text(form)
    assert 'name="edited_change" value="2026-02-01"' in form.text
    data["edited_change"] = "2026-02-01"
    assert note not in page_text(owner.get(owner.post(path, data, page=page).headers["location"]))
    refused = owner.post(path, data | {"calculation_details.fixed_amount": "x"}, page=page)
    assert 'name="edited_change" value="2026-02-01"' in refused.text
    moved = owner.post(path, data | {"valid_from": "2026-03-01"}, page=page).headers["location"]
    assert note in page_text(owner.get(moved))
    [element] = company.member.get(f"/employees/{employee_id}/calculation_history").json()
    assert owner.post(f"{path}/{element['calculation_id']}/changes/2026-02-01/delete", page=page).status_code == 303
    assert note not in page_text(owner.get(moved))
    odd = {"edited_change": "soon", "valid_from": "2026-03-01"}
    assert owner.post(path, data | odd, page=page).status_code == 303


def test_the_pay_tab_says_that_a_levy_without_pass_dates_is_for_the_whole_month(
    owner: ConsoleUser, company: Company
) -> None:
    employee_id = hired(company, **of_status("FOREIGNER_WP", appointment_date="2026-01-09"))
    page, note = f"/employees/{employee_id}?tab=pay", "The levy is counted for the whole month."
    assert note not in page_text(owner.get(page))
    enter(company, f"employees/{employee_id}", "foreign_worker_levy", sector="services", tier="1", skill="R2")
    assert note in page_text(owner.get(page))
    assert company.member.patch(f"/employees/{employee_id}", {"pass_from": "2026-01-07"}).status_code == 200
    assert note not in page_text(owner.get(page))


def test_the_pay_tab_says_that_regular_hours_are_paid(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    enter(company, f"employees/{employee_id}", "basic_salary", pay_type="hourly", hourly_rate="12.50")
    tab, note = f"/employees/{employee_id}?tab=pay", "Paid by the hour, without hours."
    assert note in page_text(owner.get(tab))
    enter(company, f"payslips/{draft(company, employee_id)}", "basic_salary", hours_input="64")
    assert note not in page_text(owner.get(tab))


def test_a_basic_salary_needs_the_amount_of_its_pay_type(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    page, path = f"/employees/{employee_id}?tab=pay", f"/employees/{employee_id}/calculations"
    form = owner.get(f"{page}&enter=basic_salary").text
    assert 'data-required-if="calculation_details.pay_type=monthly"' in form
    for pay_type in ("", "monthly", "daily", "hourly"):
        data = {"calc_type": "basic_salary", "calculation_details.pay_type": pay_type}
        assert owner.post(path, data, page=page).status_code == 422, pay_type
    data |= {"calculation_details.hourly_rate": "12.50"}
    assert owner.post(path, data, page=page).status_code == 303
    assert "Pay type Hourly, Hourly rate $12.50" in page_text(owner.get(page))


def test_a_usual_choice_that_is_made_explicitly_is_stored(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    page, path = f"/employees/{employee_id}?tab=pay", f"/employees/{employee_id}/calculations"
    form = owner.get(f"{page}&enter=basic_salary")
    assert '<option value="">Usual: Monthly</option>' in form.text
    assert form_values(form)["calculation_details.pay_type"] == ""
    data = {"calc_type": "basic_salary", **details(fixed_amount="3000")}
    assert owner.post(path, data, page=page).status_code == 303
    assert "Basic salary Fixed amount $3,000.00" in page_text(owner.get(page))
    assert owner.post(path, {**data, **details(pay_type="monthly")}, page=page).status_code == 303
    assert "Pay type Monthly" in page_text(owner.get(page))


def test_a_work_pass_that_does_not_fit_the_status_is_refused_at_once(owner: ConsoleUser, company: Company) -> None:
    path = f"/companies/{company.id}/employees/new"
    assert "If blank: Employment Pass. The company pays a levy for an S Pass." in page_text(owner.get(path))
    employee_id = company.hire(**of_status("FOREIGNER"))
    edit = f"/employees/{employee_id}/edit"
    values = form_values(owner.get(edit))
    refused = owner.post(edit, {**values, "work_pass": "WP"})
    assert refused.status_code == 422
    assert "does not fit the legal status “Foreigner (Employment Pass, S Pass or other pass)”" in page_text(refused)
    assert owner.post(edit, {**values, "work_pass": "SPASS"}).status_code == 303
    refused = owner.post(edit, {**form_values(owner.get(edit)), "work_pass": "WP", "first_name": ""})
    assert 'id="work_pass-error"' in refused.text
    assert 'id="first_name-error"' in refused.text
    refused = owner.post(path, {**values, "legal_status": "FOREIGNER_WP", "work_pass": "EP", "first_name": ""})
    assert 'id="first_name-error"' in refused.text
    assert "does not fit the legal status “Foreigner with a work permit”" in page_text(refused)
    company.patch(employee_id, work_pass="WP")
    values = form_values(owner.get(edit))
    assert owner.post(edit, {**values, "job_title": "Cook"}).status_code == 303


def test_a_levy_without_a_known_rate_is_explained_in_words(owner: ConsoleUser, company: Company) -> None:
    worker = of_status("FOREIGNER_WP", appointment_date="2026-01-01", pass_from="2026-01-01")
    path = f"/employees/{hired(company, **worker)}"
    page = f"{path}?tab=pay&enter=foreign_worker_levy"
    assert "Malaysia, North Asia or China" in page_text(owner.get(page))
    data = {"calc_type": "foreign_worker_levy", **details(sector="process", tier="1", skill="R2")}
    refused = owner.post(f"{path}/calculations", data, page=page)
    assert refused.status_code == 422
    assert "for this sector, tier and skill. If Skill or Tier is blank, choose it" in page_text(refused)
    assert 'id="calculation_details-amount-error"' in refused.text
    data |= details(tier="MYS_NAS_PRC")
    assert owner.post(f"{path}/calculations", data, page=page).status_code == 303
    assert "Tier Malaysia, North Asia or China" in page_text(owner.get(f"{path}?tab=pay"))


def test_a_missing_levy_rate_is_an_error_of_the_choice_that_is_blank(owner: ConsoleUser, company: Company) -> None:
    worker = of_status("FOREIGNER_WP", appointment_date="2026-01-01", pass_from="2026-01-01")
    path = f"/employees/{hired(company, **worker)}"
    page = f"{path}?tab=pay&enter=foreign_worker_levy"
    for blank, inputs in (
        ("skill", {"tier": "1", "skill": ""}),
        ("skill", {"tier": "", "skill": ""}),
        ("tier", {"tier": "", "skill": "R2"}),
    ):
        data = {"calc_type": "foreign_worker_levy", **details(sector="services", **inputs)}
        refused = owner.post(f"{path}/calculations", data, page=page)
        assert refused.status_code == 422
        assert re.findall(r'id="calculation_details-(\w+)-error"', refused.text) == [blank]
        assert "is required, because no rate is known without it. Or enter the levy of a month" in page_text(refused)
    assert owner.post(f"{path}/calculations", data | details(amount="450"), page=page).status_code == 303


def test_the_pay_tab_lists_values_of_the_future(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "1900.50")
    page = f"/employees/{employee_id}?tab=pay"
    for item, name in (("basic_salary", "fixed_amount"), ("transport_allowance", "amount")):
        data = {"calc_type": item, f"calculation_details.{name}": "2500", "valid_from": "2099-01-01"}
        assert owner.post(f"/employees/{employee_id}/calculations", data, page=page).status_code == 303
    text = page_text(owner.get(page))
    assert "Fixed amount $1,900.50 until 31 Dec 2098 In force today" in text
    assert "Basic salary Fixed amount $2,500.00 from 1 Jan 2099 Planned" in text
    assert "Transport allowance Amount $2,500.00 from 1 Jan 2099 Planned" in text


def test_work_items_are_entered_and_removed_apart_from_the_basic_salary(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "4576.00")
    page = f"/employees/{employee_id}?tab=pay"
    [draft] = [item["payslip"]["id"] for item in company.member.get(f"/employees/{employee_id}/payslips").json()]
    path = f"/employees/{employee_id}/payslips/{draft}/calculations"
    form = page_text(owner.get(f"{page}&once_off=overtime"))
    assert "1.5 times the hourly basic rate" in form
    blank = owner.post(path, {"calc_type": "overtime"}, page=page)
    assert blank.status_code == 422
    assert 'id="calculation_details-overtime_hours_input-error"' in blank.text
    assert (
        owner.post(path, {"calc_type": "overtime", **details(overtime_hours_input="10")}, page=page).status_code == 303
    )
    rest_day = {"calc_type": "rest_day_work", **details(rest_day_employer_days="1")}
    assert owner.post(path, rest_day, page=page).status_code == 303
    text = page_text(owner.get(page))
    assert "Overtime Overtime hours 10 31 Jan 2026 $360.00" in text
    assert "Rest-day work Rest days at the employer's request 1" in text
    [own] = [item for item in company.member.get(f"/payslips/{draft}/calculations").json() if item["id"]]
    assert own["overrides"] == {"overtime_hours_input": "10", "rest_day_employer_days": "1"}
    removal, fields = f"/payslips/{draft}/calculations/{own['id']}/delete", {"page": "employee"}
    answer = owner.post(removal, {**fields, "item": "overtime"}, page=page)
    assert (answer.status_code, answer.headers["location"]) == (303, page)
    [own] = [item for item in company.member.get(f"/payslips/{draft}/calculations").json() if item["id"]]
    assert own["overrides"] == {"rest_day_employer_days": "1"}
    assert owner.post(removal, {**fields, "item": "rest_day_work"}, page=page).status_code == 303
    assert [item for item in company.member.get(f"/payslips/{draft}/calculations").json() if item["id"]] == []
    other_id = company.hire(appointment_date="2026-01-01")
    foreign = owner.post(f"/employees/{other_id}/payslips/{draft}/calculations", rest_day, page=page)
    assert foreign.status_code == 404


def test_a_once_off_item_says_that_it_replaces_the_recurring_one(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000")
    page = f"/employees/{employee_id}?tab=pay"
    [draft] = [item["payslip"]["id"] for item in company.member.get(f"/employees/{employee_id}/payslips").json()]
    replaces = "What you enter here replaces the recurring values on this payslip"
    forms = (f"{page}&once_off=transport_allowance", f"/payslips/{draft}?enter=transport_allowance")
    assert not any(replaces in page_text(owner.get(form)) for form in forms)
    allowance = {"calc_type": "transport_allowance", **details(amount="150")}
    assert owner.post(f"/employees/{employee_id}/calculations", allowance, page=page).status_code == 303
    assert all(replaces in page_text(owner.get(form)) for form in forms)
    assert replaces not in page_text(owner.get(f"{page}&once_off=overtime"))
    once_off = {**allowance, **details(amount="50")}
    saved = owner.post(f"/employees/{employee_id}/payslips/{draft}/calculations", once_off, page=page)
    assert saved.status_code == 303
    text = page_text(owner.get(page))
    assert "Transport allowance Amount $150.00 This employee $50.00 with the once-off values below" in text
    assert "Transport allowance Amount $50.00 Instead of the recurring values 31 Jan 2026 $50.00" in text
    assert all(replaces in page_text(owner.get(form)) for form in forms)


def test_an_item_of_a_once_off_payslip_does_not_replace_the_recurring_one(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000")
    enter(company, f"employees/{employee_id}", "transport_allowance", amount="150")
    [payslip] = payslips(company, opened(company, special=True, employee_ids=[employee_id]))
    page, payslip_id = f"/employees/{employee_id}?tab=pay", payslip["id"]
    replaces = "What you enter here replaces the recurring values on this payslip"
    forms = (
        f"{page}&once_off=transport_allowance&payslip={payslip_id}",
        f"/payslips/{payslip_id}?enter=transport_allowance",
    )
    assert not any(replaces in page_text(owner.get(form)) for form in forms)
    enter(company, f"payslips/{payslip_id}", "transport_allowance", amount="100")
    assert not any(replaces in page_text(owner.get(form)) for form in forms)
    text = page_text(owner.get(page))
    assert "Transport allowance Amount $100.00 31 Jan 2026 $100.00" in text
    assert "Instead of the recurring values" not in text
    assert replaces in page_text(owner.get(f"{page}&once_off=transport_allowance"))


def test_an_item_without_an_amount_is_not_saved(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000")
    page = f"/employees/{employee_id}?tab=pay"
    [draft] = [item["payslip"]["id"] for item in company.member.get(f"/employees/{employee_id}/payslips").json()]
    recurring = f"/employees/{employee_id}/calculations"
    once_off_path = f"/employees/{employee_id}/payslips/{draft}/calculations"
    for path in (recurring, once_off_path):
        for item, name in (("transport_allowance", "amount"), ("commission", "commission_input")):
            blank = owner.post(path, {"calc_type": item}, page=page)
            assert blank.status_code == 422, (path, item)
            assert f'id="calculation_details-{name}-error"' in blank.text
    repayment = {"calc_type": "bonus_repayment", **details(contractual="false")}
    assert owner.post(once_off_path, repayment, page=page).status_code == 422
    assert owner.post(recurring, {"calc_type": "cdac", **details(opt_out="true")}, page=page).status_code == 303
    allowance = {"calc_type": "transport_allowance", **details(amount="150")}
    assert owner.post(recurring, allowance, page=page).status_code == 303
    once_off = {"calc_type": "transport_allowance", **details(prorate="true")}
    assert owner.post(once_off_path, once_off, page=page).status_code == 303


def details(**inputs: str) -> dict[str, str]:
    """Return the fields of a pay item."""
    return {f"calculation_details.{name}": value for name, value in inputs.items()}


def test_a_dated_change_is_edited_on_its_date(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "4400.00")
    path, page = f"/employees/{employee_id}/calculations", f"/employees/{employee_id}?tab=pay"
    raised = {"calc_type": "basic_salary", **details(fixed_amount="5000"), "valid_from": "2026-02-16"}
    assert owner.post(path, raised, page=page).status_code == 303
    link = f"{page}&enter=basic_salary&valid_from=2026-02-16"
    assert f'href="{link}#recurring-form"'.replace("&", "&amp;") in owner.get(page).text
    form = owner.get(link).text
    assert 'value="5000.00"' in form
    assert 'name="valid_from" type="date" value="2026-02-16"' in form
    assert owner.get(f"{page}&enter=basic_salary&valid_from=soon").status_code == 200


def test_employees_are_sorted_by_what_is_shown(owner: ConsoleUser, company: Company) -> None:
    company.hire(first_name="Wei", last_name="Ang", name_format=2, number="10", job_title="driver")
    company.hire(first_name="Bala", last_name="Zen", number="9", job_title="Clerk", appointment_date="2026-02-01")
    company.hire(first_name="Zul", last_name="", name_format=3, number="A1", job_title="Baker")

    def names(query: str) -> list[str]:
        return listed_names(owner, company, f"?{query}")

    assert names("") == ["Ang Wei", "Bala Zen", "Zul"]
    assert names("sort=name") == ["Ang Wei", "Bala Zen", "Zul"]
    assert names("sort=-name") == ["Zul", "Bala Zen", "Ang Wei"]
    assert names("sort=number") == ["Bala Zen", "Ang Wei", "Zul"]
    assert names("sort=job") == ["Zul", "Bala Zen", "Ang Wei"]
    assert names("sort=-since")[0] == "Bala Zen"
    assert names("sort=-name&search=er") == ["Zul", "Bala Zen", "Ang Wei"]
    assert names("sort=nonsense&per_page=7") == names("")
    page = owner.get(f"/companies/{company.id}/employees?sort=number").text
    assert '<th scope="col" aria-sort="ascending"><a href="' in page
    assert "sort=-number" in page
