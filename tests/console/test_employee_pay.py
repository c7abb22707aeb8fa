"""The pay tab of an employee: pay items, their dates and working hours."""

import re

from tests.console.console_user import ConsoleUser, page_text
from tests.console.test_step_up import form_values
from tests.payroll.payment_runs.runs import done, hired, opened, paid, payslips
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company, of_status
from tests.support.running import created


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
