"""POST /clients/:client_id/employees: every attribute, when it is required, and its errors."""

from datetime import date, timedelta
from typing import Any

import pytest

from gaji.core import clock
from gaji.core.constants import CONSTANT_LISTS
from tests.support.company import BANK_ACCOUNT, MONTHLY, STATUSES, Company, attributes, new_nric, of_status
from tests.support.problems import assert_problem, field_errors
from tests.support.races import while_changing
from tests.support.running import created

# Every writable attribute, with a value that is not its default.
EVERYTHING: dict[str, Any] = {
    "first_name": "Siti",
    "last_name": "Binte Rahman",
    "name_format": 2,
    "payment_method": "eft_manual",
    "birthdate": "1988-12-31",
    "appointment_date": "2023-07-03",
    "legal_status": "CITIZEN",
    "nric": "S9812387C",
    "fin": "F1612347K",
    "malaysian_ic": "881231-01-5566",
    "passport_number": "E1234567N",
    "nationality": "SG",
    "pr_date": "2015-01-01",
    "citizenship_date": "2018-06-01",
    "pr_cpf_rates": "FF",
    "gender": "F",
    "race": "MALAY-INDIAN",
    "religion": "ISLAM",
    "sdl_exempt": True,
    "cpf_exempt": True,
    "employment_act_group": "workman",
    "bank_account": BANK_ACCOUNT,
    "physical_address": {"type": "L", "block_no": "203A", "st_name": "Bedok North Road", "postal_code": "461203"},
    "number": "E-17",
    "email": "siti@example.com",
    "job_title": "Technician",
}


def refusal(company: Company, supplied: dict[str, Any]) -> dict[str, str]:
    """Return the errors of a create that is rejected, after checking that it changed nothing."""
    before = company.member.service.fingerprint()
    errors = field_errors(company.post(supplied))
    assert company.member.service.fingerprint() == before
    return errors


def without(supplied: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in supplied.items() if key != name}


def test_it_works(company: Company) -> None:
    answer = company.post(attributes())
    assert answer.json() == {"message": "The employee has been saved", "id": answer.json()["id"], "number": "1"}


def test_every_attribute_reads_back_as_it_was_written(company: Company) -> None:
    pay_point_id = company.member.new_pay_point(company.id)
    field_id = company.field(name="Shoe size", type="number")
    supplied = {**EVERYTHING, "pay_point_id": pay_point_id, "custom_fields": {str(field_id): "42.5"}}
    employee = company.employee(created(company.post(supplied)))
    empty = dict.fromkeys(
        (
            "level_no",
            "unit_no",
            "address_line1",
            "address_line2",
            "address_line3",
            "tx_uf_postal_code",
            "country_code",
        )
    )
    assert {name: employee[name] for name in supplied} == {
        **supplied,
        "physical_address": {**supplied["physical_address"], **empty},
    }


def test_the_body_may_be_wrapped_or_plain_and_errors_leave_the_wrapper_out(company: Company) -> None:
    plain = {**attributes(), "wave_id": company.wave_id}
    assert created(company.member.post(company.people, plain))
    for body in ({"employee": without(plain, "gender")}, without(plain, "gender")):
        assert field_errors(company.member.post(company.people, body))["gender"] == "is required"


def test_an_unknown_attribute_is_ignored_and_named_in_warnings(company: Company) -> None:
    address = {"type": "L", "street": "Bedok North Road"}
    answer = company.post({**attributes(), "nirc": "S1234567D", "physical_address": address, "id": 5})
    assert answer.json()["warnings"] == {
        "nirc": "Unknown attribute, ignored. Did you mean nric?",
        "physical_address.street": "Unknown attribute, ignored.",
    }


@pytest.mark.parametrize(
    "name",
    [
        "first_name",
        "payment_method",
        "birthdate",
        "appointment_date",
        "legal_status",
        "gender",
        "race",
        "religion",
        "sdl_exempt",
        "cpf_exempt",
    ],
)
def test_attributes_required_of_everyone(company: Company, name: str) -> None:
    assert refusal(company, without(attributes(), name)) == {name: "is required"}
    assert refusal(company, {**attributes(), name: None}) == {name: "is required"}


def test_the_wave_is_required(company: Company) -> None:
    assert field_errors(company.member.post(company.people, attributes())) == {"wave_id": "is required"}


def test_everything_that_is_missing_is_named_at_once(company: Company) -> None:
    assert set(field_errors(company.member.post(company.people, {"employee": {}}))) == {
        "wave_id",
        "first_name",
        "last_name",
        "payment_method",
        "birthdate",
        "appointment_date",
        "legal_status",
        "gender",
        "race",
        "religion",
        "sdl_exempt",
        "cpf_exempt",
    }


@pytest.mark.parametrize("supplied", ["name", 3.5, 0, -1, True, [], 2**63])
def test_an_invalid_wave_id_is_named(company: Company, supplied: object) -> None:
    assert list(refusal(company, {**attributes(), "wave_id": supplied})) == ["wave_id"]


def test_a_wave_of_another_client_is_rejected(company: Company) -> None:
    other = Company.of(company.member)
    stranger = Company.of(company.member.service.new_account())
    for wave_id in (other.wave_id, stranger.wave_id, 999_999_999):
        assert refusal(company, {**attributes(), "wave_id": wave_id}) == {
            "wave_id": f"wave {wave_id} does not exist in this client"
        }


def test_a_pay_point_of_another_client_is_rejected(company: Company) -> None:
    theirs = company.member.new_pay_point(company.member.new_client())
    assert refusal(company, {**attributes(), "pay_point_id": theirs}) == {
        "pay_point_id": f"pay point {theirs} does not exist in this client"
    }


def test_ids_may_be_numeric_strings(company: Company) -> None:
    pay_point_id = company.member.new_pay_point(company.id)
    supplied = {**attributes(name_format="2"), "wave_id": str(company.wave_id), "pay_point_id": str(pay_point_id)}
    employee = company.employee(created(company.post(supplied)))
    assert (employee["wave_id"], employee["pay_point_id"], employee["name_format"]) == (
        company.wave_id,
        pay_point_id,
        2,
    )


@pytest.mark.parametrize("name_format", [None, 1, 2])
def test_last_name_is_required_unless_the_name_is_single(company: Company, name_format: int | None) -> None:
    assert refusal(company, attributes(name_format=name_format, last_name="")) == {
        "last_name": f"is required when name_format is {name_format or 1}"
    }


@pytest.mark.parametrize("supplied", [{}, {"last_name": ""}, {"last_name": None}])
def test_with_name_format_3_last_name_may_be_empty_or_absent(company: Company, supplied: dict[str, Any]) -> None:
    body = {**without(attributes(name_format=3), "last_name"), **supplied}
    assert company.employee(created(company.post(body)))["last_name"] == ""


def test_name_format_defaults_to_1(company: Company) -> None:
    assert company.employee(company.hire())["name_format"] == 1


@pytest.mark.parametrize("supplied", [0, 4, "first", 1.5, True])
def test_any_other_name_format_is_rejected(company: Company, supplied: object) -> None:
    assert refusal(company, {**attributes(), "name_format": supplied}) == {"name_format": "must be one of 1, 2, 3"}


@pytest.mark.parametrize("method", ["cash", "cheque", "eft_manual"])
def test_every_payment_method_is_possible(company: Company, method: str) -> None:
    employee_id = company.hire(payment_method=method, bank_account=BANK_ACCOUNT)
    assert company.employee(employee_id)["payment_method"] == method


def test_any_other_payment_method_is_rejected(company: Company) -> None:
    assert refusal(company, attributes(payment_method="giro")) == {
        "payment_method": "must be one of cash, cheque, eft_manual"
    }


def test_an_eft_manual_employee_without_bank_account_is_rejected(company: Company) -> None:
    assert refusal(company, attributes(payment_method="eft_manual")) == {
        "bank_account": "is required when payment_method is eft_manual"
    }


@pytest.mark.parametrize("method", ["cash", "cheque"])
def test_a_bank_account_is_optional_otherwise(company: Company, method: str) -> None:
    assert company.employee(company.hire(payment_method=method))["bank_account"] is None


@pytest.mark.parametrize("name", ["bank_id", "account_number", "branch_code"])
def test_every_child_of_a_bank_account_is_required(company: Company, name: str) -> None:
    assert refusal(company, attributes(bank_account=without(BANK_ACCOUNT, name))) == {
        f"bank_account.{name}": "is required"
    }


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("bank_id", 1, "is not in the list /constants/bank_id"),
        ("bank_id", "DBS", "is not in the list /constants/bank_id"),
        ("account_number", "123", "must be 4 to 34 characters"),
        ("account_number", 12345678, "must be a string"),
        (
            "account_number",
            "******2891",
            "must not contain *, which stands for a hidden character; omit the attribute to keep its value",
        ),
        ("branch_code", "05", "must be exactly 3 characters"),
        ("branch_code", "0005", "must be exactly 3 characters"),
        ("branch_code", 5, "must be a string"),
    ],
)
def test_the_rules_of_a_bank_account(company: Company, name: str, value: object, message: str) -> None:
    supplied = attributes(payment_method="eft_manual", bank_account={**BANK_ACCOUNT, name: value})
    assert refusal(company, supplied) == {f"bank_account.{name}": message}


def test_an_account_number_of_4_characters_is_enough(company: Company) -> None:
    account = {"bank_id": "7171", "account_number": "1234", "branch_code": "ABC"}
    employee = company.employee(company.hire(payment_method="eft_manual", bank_account=account))
    assert employee["bank_account"] == {**account, "bank_id": 7171}


@pytest.mark.parametrize("legal_status", list(STATUSES))
def test_every_legal_status_is_possible_with_what_it_needs(company: Company, legal_status: str) -> None:
    employee = company.employee(created(company.post(of_status(legal_status))))
    assert employee["legal_status"] == legal_status
    assert {name: employee[name] for name in STATUSES[legal_status]} == STATUSES[legal_status]


@pytest.mark.parametrize(
    ("legal_status", "name"), [(status, name) for status, needed in STATUSES.items() for name in needed]
)
def test_attributes_that_a_legal_status_needs_are_required(company: Company, legal_status: str, name: str) -> None:
    """Among them: a PR without pr_date."""
    for supplied in (without(of_status(legal_status), name), {**of_status(legal_status), name: ""}):
        assert refusal(company, supplied) == {name: f"is required when legal_status is {legal_status}"}


def test_any_other_legal_status_is_rejected(company: Company) -> None:
    assert list(refusal(company, attributes(legal_status="EXPAT"))) == ["legal_status"]


@pytest.mark.parametrize("name", ["nationality", "race", "religion", "gender", "pr_cpf_rates", "employment_act_group"])
def test_values_from_a_data_list_are_in_that_list(company: Company, name: str) -> None:
    values = [entry.value for entry in CONSTANT_LISTS[name]]
    for value in values if len(values) < 40 else ("SG", "MY", "ZW"):
        assert company.employee(company.hire(**{name: value}))[name] == value
    assert list(refusal(company, attributes(**{name: "Klingon"}))) == [name]


def test_short_lists_of_values_are_included_in_the_message(company: Company) -> None:
    assert refusal(company, attributes(gender="X", nationality="Klingon")) == {
        "gender": "must be one of M, F",
        "nationality": "is not in the list /constants/nationality",
    }


def test_two_races_are_joined_by_a_hyphen(company: Company) -> None:
    assert company.employee(company.hire(race="INDIAN-CHINESE"))["race"] == "INDIAN-CHINESE"
    for race in ("INDIAN-", "INDIAN-ELF", "CHINESE-MALAY-INDIAN"):
        assert list(refusal(company, attributes(race=race))) == ["race"]


@pytest.mark.parametrize("name", ["sdl_exempt", "cpf_exempt"])
def test_booleans_are_json_booleans_or_the_strings_true_and_false(company: Company, name: str) -> None:
    for supplied, stored in ((True, True), ("true", True), (False, False), ("false", False)):
        assert company.employee(company.hire(**{name: supplied}))[name] is stored
    for wrong in ("yes", 1, 0, "TRUE"):
        assert refusal(company, attributes(**{name: wrong})) == {name: "must be true or false"}


@pytest.mark.parametrize("name", ["birthdate", "appointment_date", "pr_date", "citizenship_date"])
@pytest.mark.parametrize("supplied", ["2026-02-30", "1.2.2020", "2020-1-1", 20200101, "2020-01-01T00:00:00"])
def test_a_malformed_date_is_named(company: Company, name: str, supplied: object) -> None:
    assert list(refusal(company, attributes(**{name: supplied}))) == [name]


def test_a_birthdate_in_the_future_is_rejected(company: Company) -> None:
    tomorrow = str(clock.today() + timedelta(days=1))
    errors = refusal(company, attributes(birthdate=tomorrow))
    assert errors == {"birthdate": f"must be from 1900-01-01 to {clock.today()}"}
    assert list(refusal(company, attributes(birthdate="1899-12-31"))) == ["birthdate"]


def test_an_appointment_before_birth_is_rejected(company: Company) -> None:
    assert refusal(company, attributes(appointment_date="1990-04-11")) == {
        "appointment_date": "must not be before birthdate 1990-04-12"
    }


def test_an_appointment_in_the_future_is_possible(company: Company) -> None:
    start = str(date(clock.today().year + 1, 1, 1))
    assert company.employee(company.hire(appointment_date=start))["appointment_date"] == start
    assert list(refusal(company, attributes(appointment_date="2200-01-01"))) == ["appointment_date"]


def test_dates_must_be_in_order(company: Company) -> None:
    supplied = of_status("PR", pr_date="1990-04-11")
    assert refusal(company, supplied) == {"pr_date": "must not be before birthdate 1990-04-12"}
    citizen = attributes(pr_date="2015-01-01", citizenship_date="2014-12-31")
    assert refusal(company, citizen) == {"citizenship_date": "must not be before pr_date 2015-01-01"}
    worker = of_status("FOREIGNER_WP", pass_from="2024-01-01", pass_to="2023-12-31")
    assert refusal(company, worker) == {"pass_to": "must not be before pass_from 2024-01-01"}


def test_a_permanent_resident_who_became_a_citizen_keeps_the_pr_date(company: Company) -> None:
    employee = company.employee(company.hire(pr_date="2015-01-01", citizenship_date="2018-06-01"))
    assert (employee["pr_date"], employee["citizenship_date"]) == ("2015-01-01", "2018-06-01")
    supplied = of_status("PR", citizenship_date="2021-01-01", nric=new_nric())
    assert refusal(company, supplied) == {"citizenship_date": "is only allowed when legal_status is CITIZEN"}


def test_pr_cpf_rates_default_to_graduated(company: Company) -> None:
    assert company.employee(company.hire())["pr_cpf_rates"] == "GG"


@pytest.mark.parametrize(
    ("legal_status", "work_pass"),
    [
        ("FOREIGNER_WP", "WP"),
        ("FOREIGNER", "EP"),
        ("FD_MALAYSIA", "OTHER"),
        ("FD_OTHER", "OTHER"),
        ("CITIZEN", None),
        ("PR", None),
    ],
)
def test_every_legal_status_has_a_default_work_pass(company: Company, legal_status: str, work_pass: str | None) -> None:
    assert company.employee(created(company.post(of_status(legal_status))))["work_pass"] == work_pass


def test_another_work_pass_and_its_dates_can_be_given(company: Company) -> None:
    supplied = of_status("FOREIGNER", work_pass="SPASS", pass_from="2024-01-01", pass_to="2025-12-31")
    employee = company.employee(created(company.post(supplied)))
    assert (employee["work_pass"], employee["pass_from"], employee["pass_to"]) == (
        "SPASS",
        "2024-01-01",
        "2025-12-31",
    )
    errors = refusal(company, attributes(work_pass="EP", pass_from="2024-01-01", pass_to="2025-12-31"))
    assert set(errors) == {"work_pass", "pass_from", "pass_to"}


def test_the_employment_act_group_defaults_to_non_workman(company: Company) -> None:
    assert company.employee(company.hire())["employment_act_group"] == "non_workman"


@pytest.mark.parametrize("email", ["no address", "a@", "@b", "a b@c", "a" * 250 + "@b.sg"])
def test_an_invalid_email_is_rejected(company: Company, email: str) -> None:
    assert list(refusal(company, attributes(email=email))) == ["email"]


@pytest.mark.parametrize("text", ["a\x00b", "a\nb", "x" * 256, 5, ["a"]])
def test_names_are_text_of_reasonable_length(company: Company, text: object) -> None:
    assert set(refusal(company, attributes(first_name=text, last_name=text, job_title=text))) == {
        "first_name",
        "last_name",
        "job_title",
    }


def test_names_of_every_script_read_back(company: Company) -> None:
    name = 'Ñandú 陳美玲 "O\'Neil" \\ த'
    employee = company.employee(company.hire(first_name=name, job_title="🏗"))
    assert (employee["first_name"], employee["job_title"]) == (name, "🏗")


def test_every_kind_of_error_is_named_at_once(company: Company) -> None:
    company.hire(number="7", nric="S1234567D")
    supplied = {
        **of_status("PR", nric="S1234567D", number="7", name_format=4, birthdate="2999-01-01"),
        "wave_id": 999_999_999,
        "pr_date": None,
        "nationality": "Klingon",
        "payment_method": "eft_manual",
        "bank_account": {"bank_id": 7171, "branch_code": "05"},
        "physical_address": {"type": "L", "address_line1": "x"},
        "custom_fields": {"5": "x"},
    }
    assert refusal(company, supplied) == {
        "wave_id": "wave 999999999 does not exist in this client",
        "name_format": "must be one of 1, 2, 3",
        "birthdate": "must be from 1900-01-01 to 2199-12-31",
        "nric": "is the NRIC of another employee of this client",
        "nationality": "is not in the list /constants/nationality",
        "pr_date": "is required when legal_status is PR",
        "bank_account.account_number": "is required",
        "bank_account.branch_code": "must be exactly 3 characters",
        "physical_address.address_line1": "is only allowed when type is F or C",
        "number": "is the number of another employee of this client",
        "custom_fields.5": "custom field 5 does not exist in this client",
    }


def test_service_and_wave_begin_with_the_appointment(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-03-11")
    assert company.service_of(employee_id) == [("2024-03-11", None)]
    assert company.waves_of(employee_id) == [(company.wave_id, "2024-03-11", None)]


def test_an_employee_of_a_client_that_does_not_exist_is_a_404(company: Company) -> None:
    assert_problem(company.member.post("/clients/999999999/employees", {"employee": attributes()}), 404)


def test_a_viewer_cannot_create(company: Company) -> None:
    viewer = company.member.colleague(company.id, "viewer")
    before = company.member.service.fingerprint()
    assert_problem(viewer.post(company.people, {"employee": attributes()}), 403)
    assert company.member.service.fingerprint() == before


def test_the_same_create_sent_twice_with_one_idempotency_key_happens_once(company: Company) -> None:
    body = {"employee": {"wave_id": company.wave_id, **attributes()}}
    headers = {"Idempotency-Key": "hire-1"}
    first, second = (company.member.post(company.people, body, headers=headers) for _ in range(2))
    assert first.content == second.content
    assert len(company.listed()) == 1
    taken = {"employee": {**body["employee"], "first_name": "Other"}}
    again = company.member.post(company.people, taken, headers={"Idempotency-Key": "hire-2"})
    assert list(field_errors(again)) == ["nric"]
    assert len(company.listed()) == 1


def test_a_concurrently_deleted_wave_is_reported(company: Company) -> None:
    spare = company.wave(**MONTHLY)
    answer = while_changing(
        company.member.service,
        "DELETE FROM waves WHERE id = $1",
        spare,
        request=lambda: company.post({**attributes(), "wave_id": spare}),
    )
    assert field_errors(answer) == {"wave_id": "was deleted from this client by another request"}
    assert company.listed() == []


def test_a_concurrently_deleted_pay_point_is_reported(company: Company) -> None:
    pay_point_id = company.member.new_pay_point(company.id)
    answer = while_changing(
        company.member.service,
        "DELETE FROM pay_points WHERE id = $1",
        pay_point_id,
        request=lambda: company.post({**attributes(), "pay_point_id": pay_point_id}),
    )
    assert field_errors(answer) == {"pay_point_id": "was deleted from this client by another request"}
    assert company.listed() == []
