"""Employees in the console."""

import re
from datetime import timedelta

import pytest

from gaji.console.dashboard import MAX_EXPIRING_PASSES
from gaji.console.formats import format_day
from gaji.core import clock
from gaji.law import check_letter
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.console.test_step_up import form_values
from tests.payroll.payment_runs.runs import hired, paid
from tests.support.company import Company, attributes, new_nric, of_status
from tests.support.running import created


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
    page = owner.get(f"/companies/{company.id}/employees?state=expiring&sort=-pass")
    assert "Pass valid to" in page_text(page)
    assert f'<td class="nowrap">{format_day(clock.today())}</td>' in page.text
    assert listed_names(owner, company, "?state=expiring&sort=-pass") == listed[::-1]
    assert "Pass valid to" not in page_text(owner.get(f"/companies/{company.id}/employees"))


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
