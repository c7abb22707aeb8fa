"""Custom fields, pay points, pay schedules, users and the audit log."""

from typing import Any

import pytest

from tests.console.console_user import ConsoleUser, page_forms, page_text, signed_in_user
from tests.payroll.payment_runs.runs import hired, paid
from tests.payroll.payslips.slips import enter
from tests.support.company import Company
from tests.support.running import created


@pytest.fixture
def settings(company: Company) -> str:
    """Where the settings of the company are."""
    return f"/companies/{company.id}/settings"


def fields_of(company: Company) -> list[dict[str, Any]]:
    """The custom fields of the company as the API shows them."""
    result = company.member.get(f"/clients/{company.id}/custom_employee_fields").json()
    return [element["custom_employee_field"] for element in result]


class TestCustomFields:
    def test_a_dropdown_is_added_and_shown_with_its_ids(
        self, owner: ConsoleUser, company: Company, settings: str
    ) -> None:
        data = {"name": "Shirt", "type": "dropdown", "required": "true", "option.new1": "Small", "option.new3": "Large"}
        answer = owner.post(f"{settings}/custom_fields/new", data)
        assert (answer.status_code, answer.headers["location"]) == (303, f"{settings}/custom_fields")
        [field] = fields_of(company)
        assert (field["name"], field["required"]) == ("Shirt", True)
        assert [option["name"] for option in field["options"]] == ["Small", "Large"]
        text = page_text(owner.get(f"{settings}/custom_fields"))
        small, large = (option["id"] for option in field["options"])
        assert f"Shirt {field['id']} One of a list Yes Small ({small}), Large ({large})" in text

    def test_options_are_renamed_added_and_removed(self, owner: ConsoleUser, company: Company, settings: str) -> None:
        field_id = company.field(name="Shirt", type="dropdown", options=["Small", "Large"])
        small, large = (option["id"] for option in fields_of(company)[0]["options"])
        data = {"name": "Shirt", "type": "dropdown", f"option.{small}": "Tiny", "option.new1": "Huge"}
        assert owner.post(f"{settings}/custom_fields/{field_id}/edit", data).status_code == 303
        [field] = fields_of(company)
        assert field["options"][0] == {"id": small, "name": "Tiny"}
        assert [option["name"] for option in field["options"]] == ["Tiny", "Huge"]
        assert large not in [option["id"] for option in field["options"]]

    def test_all_errors_are_listed_and_input_is_kept(self, owner: ConsoleUser, company: Company, settings: str) -> None:
        company.field(name="Locker", type="text")
        data = {"name": "locker", "type": "dropdown"}
        answer = owner.post(f"{settings}/custom_fields/new", data)
        assert answer.status_code == 422
        assert 'id="name-error"' in answer.text
        assert 'id="option-new1-error"' in answer.text
        assert 'value="locker"' in answer.text
        assert len(fields_of(company)) == 1

    def test_a_duplicate_option_is_rejected(self, owner: ConsoleUser, settings: str) -> None:
        data = {"name": "Shirt", "type": "dropdown", "option.new1": "Small", "option.new2": "Small"}
        answer = owner.post(f"{settings}/custom_fields/new", data)
        assert answer.status_code == 422
        assert "two options have the same name" in page_text(answer)
        assert answer.text.count('value="Small"') == 2

    def test_options_require_the_dropdown_type(self, owner: ConsoleUser, settings: str) -> None:
        answer = owner.post(f"{settings}/custom_fields/new", {"name": "A", "type": "text", "option.new1": "Small"})
        assert answer.status_code == 422
        assert "applies only if Type is “One of a list”" in page_text(answer)

    def test_a_field_with_values_cannot_be_deleted(self, owner: ConsoleUser, company: Company, settings: str) -> None:
        used, free = company.field(name="Locker", type="text"), company.field(name="Shirt", type="text")
        company.hire(custom_fields={str(used): "12"})
        page = f"{settings}/custom_fields/{used}"
        refused = owner.post(f"{page}/delete", page=f"{page}/edit")
        assert refused.status_code == 409
        assert "clear them first" in page_text(refused)
        page = f"{settings}/custom_fields/{free}"
        assert owner.post(f"{page}/delete", page=f"{page}/edit").status_code == 303
        assert [field["id"] for field in fields_of(company)] == [used]

    def test_a_field_of_another_company_is_not_found(self, owner: ConsoleUser, company: Company) -> None:
        other = Company.of(company.member)
        field_id = other.field(name="Locker", type="text")
        page = f"/companies/{company.id}/settings/custom_fields/{field_id}"
        assert owner.get(f"{page}/edit").status_code == 404
        answer = owner.post(f"{page}/delete", page="/password")
        assert answer.status_code == 404
        assert len(fields_of(other)) == 1


class TestPlaces:
    def test_a_pay_point_is_renamed(self, owner: ConsoleUser, company: Company) -> None:
        point = company.member.new_pay_point(company.id, name="Warehouse")
        page = f"/companies/{company.id}/pay_points/{point}/edit"
        assert 'value="Warehouse"' in owner.get(page).text
        data = {"name": "Depot", "physical_address.st_name": "Jalan Besar", "physical_address.postal_code": "208890"}
        assert owner.post(page, data).status_code == 303
        [result] = company.member.get(f"/clients/{company.id}/pay_points").json()
        assert result["pay_point"]["name"] == "Depot"
        assert result["pay_point"]["physical_address"]["st_name"] == "Jalan Besar"

    def test_a_pay_schedule_can_have_a_name_and_pay_dates_if_the_features_are_on(
        self, owner: ConsoleUser, company: Company
    ) -> None:
        page = f"/companies/{company.id}/waves/{company.wave_id}/edit"
        assert "turn these features on" in page_text(owner.get(page))
        on = {"features": {"custom_wave_names": True, "pay_dates": True}}
        assert company.member.patch(f"/clients/{company.id}", on).status_code == 200
        data = {
            "custom_name": "Office",
            "pay_dates.enabled": "true",
            "pay_dates.type": "relative",
            "pay_dates.days_offset": "3",
            "pay_dates.when": "after",
        }
        answer = owner.post(page, data)
        assert answer.status_code == 303, page_text(answer)
        wave = company.member.get(f"/waves/{company.wave_id}").json()["wave"]
        assert wave["custom_name"] == "Office"
        assert wave["pay_dates"]["days_offset"] == 3

    def test_pay_date_errors_are_shown_at_their_fields(self, owner: ConsoleUser, company: Company) -> None:
        on = {"features": {"custom_wave_names": True, "pay_dates": True}}
        assert company.member.patch(f"/clients/{company.id}", on).status_code == 200
        page = f"/companies/{company.id}/waves/{company.wave_id}/edit"
        answer = owner.post(page, {"pay_dates.enabled": "true", "pay_dates.type": "relative"})
        assert answer.status_code == 422
        assert 'id="pay_dates-days_offset-error"' in answer.text
        assert 'id="pay_dates-when-error"' in answer.text

    def test_pay_dates_appear_when_they_are_turned_on(self, owner: ConsoleUser, company: Company) -> None:
        assert company.member.patch(f"/clients/{company.id}", {"features": {"pay_dates": True}}).status_code == 200
        page = f"/companies/{company.id}/waves/new"
        form = owner.get(page).text
        assert form.count('data-condition="pay_dates.enabled=true"') == 2
        data = {"frequency": "monthly", "first_end_date": "2026-01-31", "pay_dates.enabled": "true"}
        answer = owner.post(page, data)
        assert answer.status_code == 422
        assert "is required when “Pay on other dates than the period end” is ticked" in page_text(answer)
        assert "“true”" not in page_text(answer)

    def test_days_of_a_new_pay_schedule_that_may_be_blank_are_not_marked_as_required(
        self, owner: ConsoleUser, company: Company
    ) -> None:
        form = owner.get(f"/companies/{company.id}/waves/new").text
        assert 'name="last_day_of_month"' in form
        assert 'name="interim_day_of_month"' in form
        assert "data-required-if" not in form


class TestUsers:
    def test_users_are_listed_with_roles_and_searched(
        self, owner: ConsoleUser, company: Company, settings: str
    ) -> None:
        viewer = company.member.colleague(company.id, "viewer")
        employee = company.member.colleague(company.id, "employee", company.hire())
        text = page_text(owner.get(f"{settings}/users"))
        assert f"{company.member.email} Owner Administrator" in text
        assert f"{viewer.email} Viewer" in text
        assert employee.email in text
        text = page_text(owner.get(f"{settings}/users?role=employee"))
        assert employee.email in text
        assert viewer.email not in text
        result = page_text(owner.get(f"{settings}/users?search={viewer.email.upper()}"))
        assert viewer.email in result
        assert employee.email not in result

    @pytest.mark.parametrize(
        "query", ["role=x", "search=%00", "search=%25_", "page=0", "page=x", "search=" + "x" * 999]
    )
    def test_unusual_queries_are_accepted(self, owner: ConsoleUser, settings: str, query: str) -> None:
        assert owner.get(f"{settings}/users?{query}").status_code == 200

    def test_users_of_another_account_are_not_listed(self, owner: ConsoleUser, company: Company, settings: str) -> None:
        signed_out_user = company.member.service.new_account()
        assert signed_out_user.email not in owner.get(f"{settings}/users").text


class TestLog:
    def test_changes_are_shown_with_user_and_action(self, owner: ConsoleUser, company: Company, settings: str) -> None:
        employee_id = company.hire(job_title="Driver")
        assert company.patch(employee_id, job_title="Chauffeur").status_code == 200
        text = page_text(owner.get(f"{settings}/changes?kind=employees&how=update&employee=mei"))
        assert "changed the details of Mei Ling Tan" in text
        assert "Job title Driver → Chauffeur" in text
        assert company.member.email in text

    def test_entries_are_sentences_with_the_words_of_forms(
        self, owner: ConsoleUser, company: Company, settings: str
    ) -> None:
        employee_id = hired(company, first_name="Siti", last_name="Aminah")
        kitchen = created(company.member.post(f"/clients/{company.id}/pay_points", {"name": "Kitchen"}))
        company.patch(employee_id, pay_point_id=kitchen, sdl_exempt=True, birthdate="1991-05-13")
        enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4500.00")
        page = owner.get(f"{settings}/changes")
        text = page_text(page)
        for words in (
            "changed the pay item Basic salary of Siti Aminah",
            "Fixed amount $4,200.00 → $4,500.00",
            "changed the details of Siti Aminah",
            "Pay point – → Kitchen",
            "SDL exempt No → Yes",
            "→ 13 May 1991",
            "added the pay point Kitchen",
            "added Siti Aminah",
        ):
            assert words in text, words
        assert f'href="/employees/{employee_id}?tab=pay"' in page.text
        only = page_text(owner.get(f"{settings}/changes?employee=siti"))
        assert "Basic salary of Siti Aminah" in only
        assert "the pay point Kitchen" not in only
        assert "changed the pay item Basic salary" in page_text(owner.get(f"/employees/{employee_id}?tab=history"))
        run_id = paid(company)
        assert owner.post(f"/payment_runs/{run_id}/release").status_code == 303
        steps = page_text(owner.get(f"{settings}/changes?kind=payment_runs"))
        assert "released the pay run for 31 Jan 2026" in steps
        assert "Total – → $" in steps

    def test_filters_select_matching_changes(self, owner: ConsoleUser, company: Company, settings: str) -> None:
        company.hire()
        for query in ("kind=waves&how=delete", "from=2199-12-31", "to=1999-01-01", "employee=nobody", "user=999999"):
            assert "No matching changes" in page_text(owner.get(f"{settings}/changes?{query}"))
        every = page_text(owner.get(f"{settings}/changes?kind=employees"))
        assert "added Mei Ling Tan" in every
        assert "No matching changes" not in every

    def test_invalid_filters_show_an_error(self, owner: ConsoleUser, settings: str) -> None:
        answer = owner.get(f"{settings}/changes?from=2026-02-30&to=9999-12-31&user=-1")
        assert answer.status_code == 200
        assert "Is not a valid date" in page_text(answer)
        assert 'id="from-error"' in answer.text

    def test_older_changes_are_on_the_next_page(self, owner: ConsoleUser, company: Company, settings: str) -> None:
        employee_id = company.hire()
        for number in range(51):
            assert company.patch(employee_id, job_title=f"Job {number}").status_code == 200
        first = owner.get(f"{settings}/changes?kind=employees&how=update")
        assert "Job 50" in page_text(first)
        assert "page=2" in first.text
        second = page_text(owner.get(f"{settings}/changes?kind=employees&how=update&page=2"))
        assert "→ Job 0" in second
        assert "Older" not in second

    def test_any_date_within_the_bounds_can_be_a_filter(
        self, owner: ConsoleUser, company: Company, settings: str
    ) -> None:
        company.hire(job_title="Accountant")
        for query, result in {
            "from=1900-01-01": True,
            "to=1900-01-01": False,
            "from=2199-12-31": False,
            "to=2199-12-31": True,
        }.items():
            page = owner.get(f"{settings}/changes?kind=employees&{query}")
            assert (page.status_code, "Accountant" in page.text) == (200, result), query
        page = owner.get(f"{settings}/changes?from=0001-01-01&to=9999-12-31")
        assert page_text(page).count("Must be from 1 Jan 1900 to 31 Dec 2199") == 2

    @pytest.mark.parametrize("text", ["2026-99-99T00:00:00+08:00", "0001-01-01T00:00:00+23:00"])
    def test_a_text_that_looks_like_a_timestamp_is_not_formatted(
        self, owner: ConsoleUser, company: Company, settings: str, text: str
    ) -> None:
        company.hire(job_title=text)
        assert text in page_text(owner.get(f"{settings}/changes?kind=employees"))

    def test_identifiers_are_not_in_the_audit_log(self, owner: ConsoleUser, company: Company, settings: str) -> None:
        employee_id = company.hire()
        nric = company.employee(employee_id)["nric"]
        assert nric not in owner.get(f"{settings}/changes").text


def test_viewers_cannot_change_settings(viewer: ConsoleUser, company: Company, settings: str) -> None:
    field_id = company.field(name="Locker", type="text")
    for name in ("", "/custom_fields", "/users", "/changes"):
        page = viewer.get(settings + name)
        assert page.status_code == 200
        assert [form for form in page_forms(page) if form[0] == "post"] == []
        assert "/edit" not in page.text
        assert "/new" not in page.text
    for path in (f"/custom_fields/{field_id}/edit", "/custom_fields/new"):
        assert viewer.get(settings + path).status_code == 403
        answer = viewer.post(settings + path, {"name": "Changed", "type": "text"}, page="/password")
        assert answer.status_code == 403
    assert viewer.post(f"{settings}/custom_fields/{field_id}/delete", page="/password").status_code == 403
    assert [field["name"] for field in fields_of(company)] == ["Locker"]


def test_settings_of_another_account_are_not_found(company: Company, settings: str) -> None:
    signed_out_user = signed_in_user(company.member.service.new_account())
    for name in ("", "/custom_fields", "/users", "/changes", "/custom_fields/new"):
        assert signed_out_user.get(settings + name).status_code == 404
