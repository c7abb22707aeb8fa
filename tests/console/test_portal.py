"""The employee portal."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from gaji.console.formats import format_day
from gaji.console.routes import PAGES
from gaji.core import clock
from tests.console.console_user import PASSWORD, ConsoleUser, end_sessions, page_forms, page_text, signed_in_user
from tests.leave.people import FIVE_AND_A_HALF, OnLeave, leave_types
from tests.payroll.payment_runs.runs import FEBRUARY, done, hired, opened, paid, payslips
from tests.payroll.payment_runs.test_corrections import corrected
from tests.payroll.payslips.slips import draft, enter, slips
from tests.support.company import MONTHLY, Company
from tests.support.running import created

MONDAY, WEDNESDAY, SATURDAY, SUNDAY = "2027-05-03", "2027-05-05", "2027-05-08", "2027-05-09"


@dataclass(frozen=True)
class Pair:
    """An employee who is signed in, and a colleague; both have a released payslip."""

    company: Company
    own: ConsoleUser
    id: int
    other_id: int

    @property
    def start(self) -> str:
        """Where the employee begins."""
        return f"/own/{self.id}"

    def payslip_of(self, employee_id: int) -> int:
        """The first payslip of an employee."""
        result = self.company.member.get(f"/employees/{employee_id}/payslips").json()
        return int(result[0]["payslip"]["id"])


@pytest.fixture
def pair(company: Company) -> Pair:
    """Two employees whose January is paid and released, one of them signed in."""
    own_id, other = hired(company, first_name="Aisha"), hired(company, first_name="Wei Jie")
    run_id = opened(company)
    done(company, run_id, "finalise")
    done(company, run_id, "release")
    return Pair(company, signed_in_user(company.member.colleague(company.id, "employee", own_id)), own_id, other)


def test_employees_start_at_their_payslips(pair: Pair) -> None:
    assert pair.own.get("/").headers["location"] == "/own"
    assert pair.own.get("/own").headers["location"] == pair.start
    text = page_text(pair.own.get(pair.start))
    assert "Aisha Tan" in text
    assert "31 Jan 2026" in text
    assert "$3,358.50" in text
    assert "Wei Jie" not in text


def test_the_portal_says_when_a_payslip_was_paid(pair: Pair) -> None:
    slip_id = pair.payslip_of(pair.id)
    pages = (pair.start, f"{pair.start}/payslips/{slip_id}")
    assert "due on 31 Jan 2026" in page_text(pair.own.get(pages[0]))
    assert "Pay date 31 Jan 2026" in page_text(pair.own.get(pages[1]))
    [run] = pair.company.member.get(f"/clients/{pair.company.id}/payment_runs").json()
    path = f"/payment_runs/{run['payment_run']['id']}/mark_paid"
    assert pair.company.member.post(path, {"payment_date": "2026-02-05"}).status_code == 200
    assert "paid on 5 Feb 2026" in page_text(pair.own.get(pages[0]))
    assert "Paid on 5 Feb 2026" in page_text(pair.own.get(pages[1]))
    shown = page_text(signed_in_user(pair.company.member).get(f"/payslips/{slip_id}"))
    assert "paid on 5 Feb 2026" in shown


def test_the_list_of_payslips_says_that_pay_is_withheld(company: Company) -> None:
    foreigner = {"legal_status": "FOREIGNER", "nric": None, "fin": "G1612350T", "nationality": "IN", "race": "OTHER"}
    own_id = hired(company, "3200.00", **foreigner, sdl_exempt=True)
    company.leave(own_id, "2026-01-31", notice_date="2026-01-15", ir21=True)
    own = signed_in_user(company.member.colleague(company.id, "employee", own_id))
    done(company, paid(company), "release")
    path = f"/payslips/{slips(company, own_id)[0]['id']}/release_payment"
    for amount, rest in (("200.00", "$3,200.00"), (None, "$3,000.00")):
        text = page_text(own.get(f"/own/{own_id}"))
        assert f"{rest} is withheld for tax clearance (IR21) until it is released" in text
        assert "on 31 Jan 2026" not in text
        assert company.member.post(path, {"amount": amount} if amount else None).status_code == 200
    text = page_text(own.get(f"/own/{own_id}"))
    assert "is withheld" not in text
    days = f"on {format_day(clock.today())}"
    assert f"$200.00 released to the employee {days}" not in text, "amounts of a day are added up"
    assert f"$3,200.00 released to the employee {days}" in text
    assert "on 31 Jan 2026" not in text


def test_a_correction_names_the_period_that_it_corrects(company: Company) -> None:
    own_id = hired(company)
    own = signed_in_user(company.member.colleague(company.id, "employee", own_id))
    run_id = paid(company)
    late = {"calc_type": "basic_salary", "calculation_details": {"overtime_hours_input": "10"}}
    slip_id = slips(company, own_id)[0]["id"]
    assert company.member.post(f"/payslips/{slip_id}/calculations?late=true", late).status_code == 200
    done(company, paid(company, FEBRUARY), "release")
    correction_id = corrected(company, run_id)
    done(company, correction_id, "release")
    [correction] = payslips(company, correction_id)
    home, path = f"/own/{own_id}", f"/own/{own_id}/payslips/{correction['id']}"
    tiles = page_text(own.get(home)).partition("All payslips")[0]
    assert "Latest nett pay Correction $" in tiles
    assert "Corrected period 1 Jan 2026 to 31 Jan 2026" in tiles, "also if the corrected payslip is not released"
    text = page_text(own.get(path))
    assert "Correction for 31 Jan 2026" in text
    assert "Corrected period 1 Jan 2026 to 31 Jan 2026" in text
    assert "Payslip for" not in text
    assert "Feb 2026 to" not in text
    detail = "Overtime, 1–31 January 2026: 10 hours worked, "
    assert re.search(rf"Corrected pay {detail}[\d.]+ due, 0.00 paid", text)
    owner = signed_in_user(company.member)
    assert detail in page_text(owner.get(f"/payslips/{correction['id']}"))
    done(company, run_id, "release")
    assert "Corrected period 1 Jan 2026 to 31 Jan 2026" in page_text(own.get(home))
    assert "31 Jan 2026 Correction" in page_text(own.get(home))


def test_a_released_payslip_explains_its_lines(pair: Pair) -> None:
    slip_id = pair.payslip_of(pair.id)
    text = page_text(pair.own.get(f"{pair.start}/payslips/{slip_id}"))
    assert "Payslip for 31 Jan 2026" in text
    assert "Basic salary $4,200.00 why?" in text
    assert "Nett pay $3,358.50" in text
    assert "Show the formula" in text
    for irrelevant in ("PR CPF rates", "NONE", "Second race fund", "CPF exempt"):
        assert irrelevant not in text


def test_a_payslip_has_the_year_to_date_and_the_day_it_counts_from(company: Company) -> None:
    wave_id = company.wave(**{**MONTHLY, "first_end_date": "2026-03-31"})
    own_id = hired(company, wave_id=wave_id, appointment_date="2025-06-01")
    for end in ("2026-03-31", "2026-04-30"):
        run_id = opened(company, end, wave_id=wave_id)
        done(company, run_id, "finalise")
        done(company, run_id, "release")
    own = signed_in_user(company.member.colleague(company.id, "employee", own_id))
    path = f"/own/{own_id}/payslips/{slips(company, own_id)[1]['id']}"
    text = page_text(own.get(path))
    assert "Year to date 2026 Earnings $8,400.00 Deductions $1,683.00 Nett pay $6,717.00" in text
    assert "CPF, employee $1,680.00 CPF, employer $1,428.00 Counts from 1 Mar 2026," in text
    options = f"/clients/{company.id}/payslip_options"
    assert company.member.patch(options, {"employer_contributions": False}).status_code == 200
    assert "CPF, employee $1,680.00 Counts from" in page_text(own.get(path))
    assert company.member.patch(options, {"year_to_date": False}).status_code == 200
    assert "Year to date" not in page_text(own.get(path))


def test_an_explanation_starts_with_the_figures_used_and_totals_have_no_formula(pair: Pair) -> None:
    page = pair.own.get(f"{pair.start}/payslips/{pair.payslip_of(pair.id)}").text
    explanations = dict(re.findall(r'id="why-[a-z_]+-([a-z_]+)">(.*?)</div></details>\n', page, re.DOTALL))
    shown, _, formula = explanations["cpf_employee"].partition("Show the formula")
    assert "20% of $4,200.00" in shown
    assert "20 %" in shown
    assert "37 %" not in shown
    assert "37 %" in formula
    assert "Total earnings less total deductions." in explanations["nett_pay"]
    assert "The full amount of" not in explanations["total"]
    for item in ("total", "nett_pay"):
        assert "Show the formula" not in explanations[item]
        assert "Subtraction" not in explanations[item]
        assert "Addition" not in explanations[item]


def test_lines_say_how_many_at_which_rate_and_have_the_officers_note(company: Company) -> None:
    own_id = company.hire(first_name="Aisha", appointment_date="2026-01-01")
    night = created(
        company.member.post(
            f"/clients/{company.id}/calculation_definitions",
            {"name": "Night shift", "kind": "allowance", "input": "rate_quantity"},
        )
    )
    where = f"employees/{own_id}"
    salary = {"pay_type": "hourly", "hourly_rate": "12.50", "hours_input": "160"}
    enter(company, where, "basic_salary", **salary)
    enter(company, where, str(night), rate="18.50", quantity="5")
    run_id = opened(company)
    payslip = f"payslips/{draft(company, own_id)}"
    enter(company, payslip, "reimbursement", amount="45.20", description="Taxi to the airport")
    enter(company, payslip, "basic_salary", overtime_hours_input="4")
    done(company, run_id, "finalise")
    done(company, run_id, "release")
    own = signed_in_user(company.member.colleague(company.id, "employee", own_id))
    [slip] = [slip["id"] for slip in slips(company, own_id) if slip["finalised"]]
    text = page_text(own.get(f"/own/{own_id}/payslips/{slip}"))
    assert "Basic salary 160 hours × 12.50 $2,000.00 why? 160 hours at $12.50 an hour" in text
    assert "Night shift 5 × 18.50 $92.50 why? 5 times $18.50" in text
    assert "Overtime 4 hours worked, 1 January 2026 to 31 January 2026 $75.00 why?" in text
    assert "4 hours at $18.75 an hour, which is 1.5 times the hourly rate of $12.50" in text
    assert "Reimbursement Taxi to the airport $45.20 why?" in text
    assert "37/2" not in text


def test_a_payslip_is_compared_with_the_one_before(pair: Pair) -> None:
    first = page_text(pair.own.get(f"{pair.start}/payslips/{pair.payslip_of(pair.id)}"))
    assert "Compared with" not in first
    enter(pair.company, f"employees/{pair.id}", "basic_salary", fixed_amount="4000.00")
    run_id = opened(pair.company, "2026-02-28")
    done(pair.company, run_id, "finalise")
    done(pair.company, run_id, "release")
    slips = pair.company.member.get(f"/employees/{pair.id}/payslips").json()
    [slip_id] = [slip["payslip"]["id"] for slip in slips if slip["payslip"]["date"] == "2026-02-28"]
    text = page_text(pair.own.get(f"{pair.start}/payslips/{slip_id}"))
    assert "Your nett pay is $160.00 less than on the payslip for 31 Jan 2026." in text
    assert "Basic salary $200.00 less" in text
    assert "CPF, employee's share $40.00 less deducted" in text


def test_unreleased_payslips_are_not_found(pair: Pair) -> None:
    enter(pair.company, f"employees/{pair.id}", "basic_salary", fixed_amount="9999.00")
    done(pair.company, run_id := opened(pair.company, "2026-02-28"), "finalise")
    slips = pair.company.member.get(f"/employees/{pair.id}/payslips").json()
    for slip in slips[1:]:
        assert pair.own.get(f"{pair.start}/payslips/{slip['payslip']['id']}").status_code == 404
    assert "28 Feb" not in page_text(pair.own.get(pair.start))
    done(pair.company, run_id, "release")
    assert "28 Feb" in page_text(pair.own.get(pair.start))


def test_every_item_of_the_menu_opens(pair: Pair) -> None:
    [menu] = re.findall(r'<header class="sidebar">(.*?)</header>', pair.own.get(pair.start).text, re.DOTALL)
    paths = set(re.findall(r'<a href="([^"]+)"', menu))
    assert {pair.start, f"{pair.start}/leave", "/email", "/password", "/passkeys", "/devices"} <= paths
    assert {path: pair.own.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)


def test_every_other_page_is_not_found(pair: Pair) -> None:
    """All of the company pages, filled in with the ids of the employee's own company, colleague and payslip."""
    slip_id = pair.payslip_of(pair.other_id)
    ids = {"client_id": pair.company.id, "employee_id": pair.other_id, "payslip_id": slip_id, "step": "finalise"}
    token = pair.own.token("/password")
    tried = 0
    for page in PAGES:
        path = page.path
        for part in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
            path = path.replace(f"{{{part}}}", str(ids.get(part, 1)))
        if (
            page.public
            or path in ("/", "/own", "/password", "/sign-out", "/unsent-form")
            or path.startswith(("/two-steps", "/devices", "/passkeys", "/confirm-identity", "/email"))
        ):
            continue
        data = {"form_token": token, "confirmed": "yes"}
        answer = pair.own.get(path) if page.method == "GET" else pair.own.browser.post(path, data=data)
        assert answer.status_code == 404, (page, answer.text)
        assert "Wei Jie" not in answer.text
        tried += 1
    assert tried > 40


def test_employees_cannot_open_the_officers_pages_about_themselves(pair: Pair) -> None:
    slip_id = pair.payslip_of(pair.id)
    for path in (f"/employees/{pair.id}", f"/payslips/{slip_id}", f"/employees/{pair.id}/edit", "/companies"):
        answer = pair.own.get(path)
        assert answer.status_code == 404
        assert "Go to your payslips" in page_text(answer)
        assert "/api-keys" not in answer.text
        assert "/problems/" not in answer.text


def test_a_payslip_of_a_colleague_is_not_found(pair: Pair) -> None:
    slip_id = pair.payslip_of(pair.other_id)
    assert pair.own.get(f"{pair.start}/payslips/{slip_id}").status_code == 404


def test_details_show_names_that_only_the_company_can_read(pair: Pair) -> None:
    company = pair.company
    point = company.member.new_pay_point(company.id, name="Warehouse")
    shirt = company.field(name="Shirt", type="text")
    nric = company.employee(pair.id)["nric"]
    answer = company.patch(pair.id, pay_point_id=point, custom_fields={str(shirt): "Large"}, job_title="Driver")
    assert answer.status_code == 200, answer.text
    page_text_ = page_text(pair.own.get(f"{pair.start}/details"))
    for text in ("Warehouse", "Shirt Large", "Driver", "Monthly", nric, "12 Apr 1990"):
        assert text in page_text_
    assert page_forms(pair.own.get(f"{pair.start}/details")) == []


def test_details_leave_out_what_only_concerns_the_employer(pair: Pair) -> None:
    values = {"business_owner": True, "enabling_employment_credit_from": "2026-01-01", "enabling_new_hire": True}
    assert pair.company.patch(pair.id, **values).status_code == 200
    text = page_text(pair.own.get(f"{pair.start}/details"))
    assert f"You sign in as {pair.own.member.email}. Change your email address" in text
    assert "Your details" in text
    for word in ("Wage offsets", "Owner of the business", "Credit"):
        assert word not in text


@pytest.mark.parametrize(("years_ago", "is_shown"), [(1, True), (6, False)])
def test_details_have_the_elected_cpf_rates_in_the_first_two_years_of_permanent_residence(
    pair: Pair, years_ago: int, is_shown: bool
) -> None:
    pr_date = f"{clock.today().year - years_ago}-12-01"
    answer = pair.company.patch(pair.id, legal_status="PR", pr_date=pr_date, nationality="MY")
    assert answer.status_code == 200, answer.text
    text = page_text(pair.own.get(f"{pair.start}/details"))
    assert "Permanent resident" in text
    assert ("CPF rates as PR Graduated employer and employee" in text) == is_shown


def test_leave_is_requested_and_approved(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page = f"{pair.start}/leave"
    kind = str(window.types["annual_leave"])
    data = {"type_id": kind, "from": MONDAY, "to": WEDNESDAY, "reason": "A wedding"}
    answer = pair.own.post(page, data)
    assert (answer.status_code, answer.headers["location"]) == (303, page)
    text = page_text(pair.own.get(page))
    assert "Request for 3 days of annual leave sent" in text
    assert "3 May 2027 – 5 May 2027 3 days of annual leave: A wedding Pending" in text
    [request] = window.listed("leave_requests")
    assert [date["date"] for date in request["dates"]] == [MONDAY, "2027-05-04", WEDNESDAY]
    body = {"answer": "Enjoy it"}
    assert pair.company.member.post(f"/leave_requests/{request['id']}/approve", body).status_code == 200
    text = page_text(pair.own.get(page))
    assert "Comment: Enjoy it Approved" in text
    assert "Upcoming leave" in text


def test_days_off_are_not_part_of_a_request(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    data = {"type_id": str(window.types["annual_leave"]), "from": "2027-05-07", "to": "2027-05-10"}
    assert pair.own.post(f"{pair.start}/leave", data).status_code == 303
    [request] = window.listed("leave_requests")
    assert SUNDAY not in [date["date"] for date in request["dates"]]
    assert {"2027-05-07", "2027-05-10"} <= {date["date"] for date in request["dates"]}


def test_part_of_a_day_can_be_requested(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    data = {"type_id": str(window.types["annual_leave"]), "from": MONDAY, "hours": "4"}
    assert pair.own.post(f"{pair.start}/leave", data).status_code == 303
    assert "0.5 days of annual leave (4 hours)" in page_text(pair.own.get(f"{pair.start}/leave"))


def test_a_request_is_described_by_its_hours_everywhere(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, data = f"{pair.start}/leave", {"type_id": str(window.types["annual_leave"]), "time": "half"}
    assert 'value="whole" selected' in pair.own.get(page).text
    assert "Usual: " not in pair.own.get(page).text
    pair.own.post(page, {**data, "from": MONDAY})
    assert "Request for 0.5 days of annual leave (4 hours) sent" in page_text(pair.own.get(page))
    pair.own.post(page, {**data, "from": "2027-05-04", "to": WEDNESDAY})
    text = page_text(pair.own.get(page))
    assert "Request for 1 day of annual leave (4 hours on each of 2 days) sent" in text
    assert (
        "In your pending requests, not yet deducted above: 1.5 days of annual leave (4 hours on each of 3 days)."
        in text
    )
    decided = page_text(signed_in_user(pair.company.member).get(f"/companies/{pair.company.id}/leave"))
    assert "Aisha Tan · 0.5 days of annual leave (4 hours) 3 May 2027" in decided
    assert "Aisha Tan · 1 day of annual leave (4 hours on each of 2 days) 4 May 2027 to 5 May 2027" in decided


def test_half_days_count_half_in_the_pending_leave(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, data = f"{pair.start}/leave", {"type_id": str(window.types["annual_leave"])}
    pair.own.post(page, {**data, "from": MONDAY, "to": "2027-05-04", "time": "whole"})
    pair.own.post(page, {**data, "from": WEDNESDAY, "time": "half"})
    assert "In your pending requests, not yet deducted above: 2.5 days of annual leave." in page_text(
        pair.own.get(page)
    )


def work_half_saturdays(pair: Pair) -> None:
    """Let the employee work five and a half days a week from 2027 on."""
    body = {"calc_type": "week_hours", "calculation_details": FIVE_AND_A_HALF, "effective_date": "2027-01-01"}
    answer = pair.company.member.post(f"/employees/{pair.id}/calculations", body)
    assert answer.status_code == 200, answer.text


def test_a_request_for_a_half_working_day_says_what_is_charged_and_why(pair: Pair) -> None:
    work_half_saturdays(pair)
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    days = person.balance(SATURDAY)
    page, data = f"{pair.start}/leave", {"type_id": str(person.types["annual_leave"]), "from": SATURDAY}
    text = page_text(pair.own.post(page, {**data, "check": "true"}))
    assert "This request is for 0.5 days of leave. 8 May 2027 is a half working day and counts as half a day." in text
    assert f"{days - 0.5:g} days instead of {days:g}" in text
    assert pair.own.post(page, data).status_code == 303
    text = page_text(pair.own.get(page))
    assert "Request for 0.5 days of annual leave sent" in text
    assert "8 May 2027 0.5 days of annual leave. 8 May 2027 is a half working day and counts as half a day." in text
    assert "In your pending requests, not yet deducted above: 0.5 days of annual leave." in text
    officer = signed_in_user(pair.company.member)
    decided = page_text(officer.get(f"/companies/{pair.company.id}/leave"))
    assert "Aisha Tan · 0.5 days of annual leave 8 May 2027" in decided
    [request] = person.listed("leave_requests")
    assert pair.company.member.post(f"/leave_requests/{request['id']}/approve", {}).status_code == 200
    text = page_text(pair.own.get(page))
    assert "8 May 2027 Annual leave, 0.5 days" in text
    assert "Approved for later, not deducted yet: 0.5 days of annual leave." in text


def test_several_half_working_days_of_a_request_are_counted_together(pair: Pair) -> None:
    work_half_saturdays(pair)
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    person.adjust("2027-01-01", 30)
    page = f"{pair.start}/leave"
    data = {"type_id": str(person.types["annual_leave"]), "from": MONDAY, "to": "2027-05-15", "check": "true"}
    text = page_text(pair.own.post(page, data))
    assert "This request is for 11 days of leave. 2 half working days count as half a day each." in text
    half = data | {"from": "2027-05-08", "to": "", "time": "morning"}
    text = page_text(pair.own.post(page, half))
    whole = "8 May 2027 is a half working day: the whole date counts as half a day."
    assert f"This request is for 0.25 days of leave (2 hours). {whole}" in text


def test_hours_of_a_whole_day_are_rejected(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    data = {"type_id": str(window.types["annual_leave"]), "from": MONDAY, "time": "whole", "hours": "3"}
    answer = pair.own.post(f"{pair.start}/leave", data)
    assert answer.status_code == 422
    assert "Hours : must be blank unless the time is “Hours”" in page_text(answer)
    assert window.listed("leave_requests") == []


def test_days_of_a_pending_request_cannot_be_requested_again(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, data = f"{pair.start}/leave", {"type_id": str(window.types["annual_leave"]), "from": MONDAY}
    assert pair.own.post(page, {**data, "to": WEDNESDAY}).status_code == 303
    for again in ({"from": WEDNESDAY}, {"from": WEDNESDAY, "time": "morning"}):
        answer = pair.own.post(page, {**data, **again})
        assert answer.status_code == 422
        assert "you have already requested leave on 5 May 2027. Cancel that request first" in page_text(answer)
    text = page_text(pair.own.post(page, {**data, "to": WEDNESDAY}))
    assert "First day : you have already requested leave on 3 May 2027. Cancel that request first" in text
    assert "4 May 2027" not in text
    checked = page_text(pair.own.post(page, {**data, "check": "true"}))
    assert "First day : you have already requested leave on 3 May 2027. Cancel that request first" in checked
    assert "This request is for" not in checked
    [request] = window.listed("leave_requests")
    pair.own.post(f"/own/{pair.id}/leave_requests/{request['id']}/cancel", page=page)
    for half in ("morning", "afternoon"):
        assert pair.own.post(page, {**data, "time": half}).status_code == 303, half


def test_a_request_on_a_public_holiday_names_the_holiday(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    answer = pair.own.post(f"{pair.start}/leave", {"type_id": str(window.types["annual_leave"]), "from": "2026-12-25"})
    assert answer.status_code == 422
    assert "25 Dec 2026 is a public holiday: Christmas Day" in page_text(answer)


def test_taking_back_leave_asks_first_and_names_the_request(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page = f"{pair.start}/leave"
    pair.own.post(page, {"type_id": str(window.types["annual_leave"]), "from": MONDAY})
    [request] = window.listed("leave_requests")
    path = f"/own/{pair.id}/leave_requests/{request['id']}"
    subject = {"subject": "3 May 2027: 1 day of annual leave", "confirmed": ""}
    assert f'value="{subject["subject"]}"' in pair.own.get(page).text
    asked = page_text(pair.own.post(f"{path}/cancel", subject, page=page))
    assert "Cancel this leave request? 3 May 2027: 1 day of annual leave" in asked
    assert "Cancel request Keep request" in asked
    assert pair.company.member.post(f"/leave_requests/{request['id']}/approve", {}).status_code == 200
    assert "Approved for later, not deducted yet: 1 day of annual leave." in page_text(pair.own.get(page))
    assert "Withdraw leave Keep leave" in page_text(pair.own.post(f"{path}/withdraw", subject, page=page))
    assert [entry["status"] for entry in window.listed("leave_requests")] == ["approved"]


def test_former_employees_see_their_last_balance_and_cannot_request_leave(pair: Pair) -> None:
    body = {"employee_action": {"termination_date": "2026-03-31", "termination_code": 1, "ir21": False}}
    ended = pair.company.member.post(f"/employees/{pair.id}/service_periods/end_service", body)
    assert ended.status_code in (200, 201), ended.text
    answer = pair.own.get(f"{pair.start}/leave")
    assert "Your service ended on 31 Mar 2026, so you can no longer request leave." in page_text(answer)
    assert re.search(r"Paid out with your last payslip: \d+(\.\d+)? days? of annual leave\.", page_text(answer))
    assert "left on 31 Mar 2026" in page_text(answer)
    assert 'name="type_id"' not in answer.text


def test_all_errors_of_a_request_are_listed_and_input_is_kept(pair: Pair) -> None:
    page = f"{pair.start}/leave"
    data = {"from": "2027-02-30", "to": "soon", "hours": "4", "reason": "x" * 501}
    answer = pair.own.post(page, data)
    assert answer.status_code == 422
    page_text_ = page_text(answer)
    for text in (
        "Leave type : is required",
        "First day : is not a valid date",
        "Last day : must be a date",
        "Reason : must be at most 500 characters",
    ):
        assert text in page_text_
    assert 'value="2027-02-30"' in answer.text
    assert "x" * 501 in answer.text
    assert pair.company.member.get(f"/employees/{pair.id}/leave_requests").json() == []


def test_a_request_beyond_the_balance_is_rejected_in_plain_words(pair: Pair) -> None:
    kind = str(OnLeave.hired(pair.company).types["annual_leave"])
    answer = pair.own.post(f"{pair.start}/leave", {"type_id": kind, "from": "2026-06-01", "to": "2026-09-30"})
    assert answer.status_code == 422
    assert re.search(
        r"You don't have enough annual leave\. This request is for 86 days, \d+ days more than you have\. "
        r"Days left on 30 Sep 2026 before this request: \d",
        page_text(answer),
    )
    # The error of each day is listed once.
    assert "Please correct 1 error." in page_text(answer)
    assert 'id="from-error"' in answer.text


def test_a_request_beyond_the_balance_says_how_many_days_are_missing_on_which_day(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    person.adjust("2026-11-01", 24 - person.balance("2026-11-30"))
    gain = person.balance("2027-01-29") - person.balance("2026-11-30")
    assert gain > 0
    data = {"type_id": str(person.types["annual_leave"]), "from": "2026-11-24", "to": "2027-01-29", "check": "true"}
    answer = pair.own.post(f"{pair.start}/leave", data)
    assert answer.status_code == 422
    text = page_text(answer)
    sentence = (
        f"This request is for 47 days, {23 - gain:g} days more than you have. "
        f"Days left on 29 Jan 2027 before this request: {24 + gain:g}"
    )
    assert text.count(sentence) == 2  # the summary, and the field
    assert "enough annual leave for these dates" not in text
    person.adjust("2027-01-01", 10)
    text = page_text(pair.own.post(f"{pair.start}/leave", {**data, "to": "2027-01-04"}))
    assert "This request is for 26 days until 30 Dec 2026, 2 days more than you have." in text
    assert "Days left on 30 Dec 2026 before this request: 24" in text


def test_days_that_are_already_taken_are_listed_as_spans(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    for day in ("2026-11-26", "2026-11-27", "2026-11-30", "2026-12-02"):
        person.take(day, "unpaid_leave")
    data = {"type_id": str(person.types["unpaid_leave"]), "from": "2026-11-23", "to": "2026-12-04"}
    answer = pair.own.post(f"{pair.start}/leave", data)
    assert answer.status_code == 422
    assert "You already have leave on 26 Nov 2026 – 30 Nov 2026 and 2 Dec 2026" in page_text(answer)
    assert page_text(answer).count("ou already have leave on") == 2
    body = {"dates": [{"date": day, "type_id": person.types["unpaid_leave"]} for day in ("2026-11-26", "2026-11-27")]}
    errors = person.member.post(person.path("leave_requests"), body).json()["errors"]
    assert list(errors) == ["dates.0.date", "dates.1.date"]


def test_leave_is_refused_after_the_last_day_whose_public_holidays_are_known(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, data = f"{pair.start}/leave", {"type_id": str(person.types["unpaid_leave"])}
    sentence = "Leave can be requested until 31 Dec 2027. Later public holidays are not known yet"
    for dates, field in (
        ({"from": "2027-12-27", "to": "2028-01-07"}, "to"),
        ({"from": "2028-01-03", "to": "2028-01-07"}, "from"),
        ({"from": "2028-01-03"}, "from"),
    ):
        for check in ({}, {"check": "true"}):
            answer = pair.own.post(page, {**data, **dates, **check})
            assert answer.status_code == 422, dates
            assert sentence in page_text(answer), dates
            assert f'id="{field}-error"' in answer.text, dates
    assert person.listed("leave_requests") == []
    assert pair.own.post(page, {**data, "from": "2027-12-27", "to": "2027-12-31"}).status_code == 303


@pytest.mark.parametrize("kind", ["x", "-1", "1; DROP TABLE"])
def test_an_invalid_leave_type_is_shown_at_its_field(pair: Pair, kind: str) -> None:
    answer = pair.own.post(f"{pair.start}/leave", {"type_id": kind, "from": MONDAY})
    assert answer.status_code == 422
    assert 'id="type_id-error"' in answer.text


def test_leave_cannot_be_requested_for_a_colleague(pair: Pair) -> None:
    path = f"/own/{pair.other_id}/leave"
    answer = pair.own.post(path, {"from": MONDAY}, page=f"{pair.start}/leave")
    assert answer.status_code == 404
    assert pair.company.member.get(f"/employees/{pair.other_id}/leave_requests").json() == []


def test_an_employee_of_two_companies_chooses_one(pair: Pair) -> None:
    company = pair.company
    second = Company.of(company.member, name="Kopi Trading Pte Ltd")
    employee_id = second.hire(first_name="Aisha")
    company.member.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role, employee_id) "
        "SELECT $1, id, 'employee', $2 FROM users WHERE email = $3",
        second.id,
        employee_id,
        pair.own.member.email,
    )
    text = pair.own.get("/own")
    assert "Kopi Trading Pte Ltd" in page_text(text)
    assert f'href="/own/{employee_id}"' in text.text
    assert "No payslips yet" in page_text(pair.own.get(f"/own/{employee_id}"))


def test_an_officer_employed_elsewhere_has_console_and_portal(pair: Pair) -> None:
    company = pair.company
    second = Company.of(company.member, name="Kopi Trading Pte Ltd")
    company.member.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role) SELECT $1, id, 'payroll' FROM users WHERE email = $2",
        second.id,
        pair.own.member.email,
    )
    page = pair.own.get(f"/companies/{second.id}")
    assert page.status_code == 200
    assert "Your payslips" in page_text(page)
    assert pair.own.get(pair.start).status_code == 200
    assert pair.own.get(f"/companies/{company.id}").status_code == 404
    foreign = second.hire()
    assert pair.own.get(f"/employees/{foreign}").status_code == 200
    assert pair.own.get(f"/own/{foreign}").status_code == 404


def test_officers_have_no_portal(owner: ConsoleUser, viewer: ConsoleUser) -> None:
    assert owner.get("/own").status_code == 404
    assert viewer.get("/own").status_code == 404


def test_removing_access_applies_immediately(pair: Pair) -> None:
    assert pair.own.get(pair.start).status_code == 200
    pair.company.member.service.as_owner(
        "DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = $1)", pair.own.member.email
    )
    assert pair.own.get(pair.start).status_code == 404


def test_employees_can_change_their_password_in_the_portal(pair: Pair) -> None:
    page = pair.own.get("/password")
    assert page.status_code == 200
    assert f'href="{pair.start}/leave"' in page.text
    form = {"current": PASSWORD, "new": "teh tarik kurang manis", "again": "teh tarik kurang manis"}
    assert pair.own.post("/password", form).headers["location"] == "/"
    assert "Password changed" in page_text(pair.own.get(pair.start))


def test_the_question_before_a_request_is_cancelled_keeps_the_menu(pair: Pair) -> None:
    kind = str(OnLeave.hired(pair.company).types["unpaid_leave"])
    assert pair.own.post(f"{pair.start}/leave", {"type_id": kind, "from": MONDAY}).status_code == 303
    [request] = pair.company.member.get(f"/employees/{pair.id}/leave_requests").json()
    path = f"{pair.start}/leave_requests/{request['leave_request']['id']}/cancel"
    asked = pair.own.post(path, {"confirmed": ""}, page=f"{pair.start}/leave")
    assert "Cancel this leave request?" in page_text(asked)
    assert f'href="{pair.start}/details"' in asked.text
    assert "API reference" not in asked.text


def test_a_check_of_unpaid_leave_names_the_public_holiday_that_is_not_paid(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, dates = f"{pair.start}/leave", {"from": "2026-12-24", "to": "2026-12-28", "check": "true"}
    sentence = "Not paid, because it is a public holiday within unpaid leave: 25 Dec 2026 (Christmas Day)."
    text = page_text(pair.own.post(page, {"type_id": str(person.types["unpaid_leave"]), **dates}))
    assert f"Not counted: 25 Dec 2026 (Christmas Day) and 2 days off. {sentence}" in text
    assert sentence not in page_text(pair.own.post(page, {"type_id": str(person.types["annual_leave"]), **dates}))


def test_a_leave_request_without_a_date_is_rejected(pair: Pair) -> None:
    kind = str(OnLeave.hired(pair.company).types["unpaid_leave"])
    answer = pair.own.post(f"{pair.start}/leave", {"type_id": kind, "from": ""})
    assert answer.status_code == 422
    assert "First day : is required" in page_text(answer)


def test_leave_in_a_finalised_period_is_rejected(pair: Pair) -> None:
    kind = str(OnLeave.hired(pair.company).types["unpaid_leave"])
    answer = pair.own.post(f"{pair.start}/leave", {"type_id": kind, "from": "2026-01-05"})
    assert answer.status_code == 409
    assert "These days are in a month that has already been paid" in page_text(answer)
    assert "Record as late" not in page_text(answer)
    assert pair.company.member.get(f"/employees/{pair.id}/leave_requests").json() == []


def test_a_payslip_has_the_year_to_date_of_its_pdf(pair: Pair) -> None:
    path = f"{pair.start}/payslips/{pair.payslip_of(pair.id)}"
    text = page_text(pair.own.get(path))
    nett_pay = re.search(r"Nett pay (\$[\d,.]+) why", text)
    assert nett_pay
    assert re.search(r"Year to date \d{4} Earnings \$[\d,.]+ Deductions", text)
    assert f"Nett pay {nett_pay[1]} CPF, employee $" in text, text
    options = f"/clients/{pair.company.id}/payslip_options"
    assert pair.company.member.call("PATCH", options, json={"year_to_date": False}).status_code == 200
    assert "Year to date" not in page_text(pair.own.get(path))


def test_a_leave_request_of_an_ended_session_comes_back_in_words(pair: Pair) -> None:
    kind = str(OnLeave.hired(pair.company).types["unpaid_leave"])
    page = f"{pair.start}/leave"
    data = {"form_token": pair.own.token(page), "type_id": kind, "from": MONDAY, "time": "half", "reason": "Dentist"}
    end_sessions(pair.company.member.service)
    answer = pair.own.browser.post(page, data=data)
    assert answer.headers["location"] == "/sign-in?next=/unsent-form"
    assert "You were signed out. Sign in to get your entries back" in page_text(pair.own.get("/sign-in"))
    assert pair.own.sign_in(next="/unsent-form").status_code == 303
    text = page_text(pair.own.get("/unsent-form"))
    assert "Leave type Unpaid leave From 3 May 2027 Time Half day Reason Dentist" in text


def test_a_form_that_is_not_kept_says_so_at_sign_in(pair: Pair) -> None:
    pair.own.browser.cookies.clear()
    data = {"form_token": "0" * 64, "from": MONDAY}
    answer = pair.own.browser.post(f"{pair.start}/leave", data=data)
    assert answer.status_code == 303
    assert "You were signed out, so nothing was saved" in page_text(pair.own.get("/sign-in"))


def test_a_lost_confirmation_continues_with_the_start_page(pair: Pair) -> None:
    path = f"{pair.start}/leave_requests/1/cancel"
    pair.own.browser.cookies.clear()
    data = {"form_token": "0" * 64, "confirmed": "yes"}
    answer = pair.own.browser.post(
        path, data=data, headers={"referer": f"{pair.own.browser.base_url}".rstrip("/") + path}
    )
    assert answer.headers["location"] == "/sign-in"
    assert "You were signed out, so nothing was saved" in page_text(pair.own.get("/sign-in"))


def test_the_address_of_a_form_explains_itself_in_a_browser(pair: Pair) -> None:
    answer = pair.own.browser.get(f"{pair.start}/leave_requests/1/cancel")
    assert answer.status_code == 405
    assert "This page opens only from a form" in page_text(answer)
    assert "POST" not in page_text(answer)
    answer = pair.own.browser.post(f"{pair.start}/payslips/1", data={"form_token": pair.own.token(pair.start)})
    assert answer.status_code == 405
    assert "This page cannot be used this way" in page_text(answer)
    assert "from a form" not in page_text(answer)


def test_employees_are_not_told_about_api_keys(pair: Pair) -> None:
    for path in ("/password", "/two-steps", f"{pair.start}/details/edit"):
        text = page_text(pair.own.get(path))
        assert "API key" not in text
        assert "ask the employee" not in text


def test_employees_can_download_only_their_own_payslips(pair: Pair) -> None:
    own_id, other = pair.payslip_of(pair.id), pair.payslip_of(pair.other_id)
    assert f"{pair.start}/payslips/{own_id}.pdf" in pair.own.get(f"{pair.start}/payslips/{own_id}").text
    assert pair.own.get(f"{pair.start}/payslips/{own_id}.pdf").content.startswith(b"%PDF-")
    for path in (f"{pair.start}/payslips/{other}.pdf", f"/own/{pair.other_id}/payslips/{other}.pdf"):
        assert pair.own.get(path).status_code == 404
    assert pair.own.get(f"/payslips/{own_id}.pdf").status_code == 404


def test_a_request_is_checked_cancelled_and_withdrawn(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page = f"{pair.start}/leave"
    data = {"type_id": str(person.types["annual_leave"]), "from": MONDAY, "time": "half"}
    checked = pair.own.post(page, {**data, "check": "true"})
    assert "After this request" in page_text(checked)
    assert person.listed("leave_requests") == []
    assert pair.own.post(page, data).status_code == 303
    [request] = person.listed("leave_requests")
    assert request["dates"][0]["hours"] == 4
    path = f"/own/{pair.id}/leave_requests/{request['id']}"
    assert pair.own.post(f"{path}/cancel", page=page).status_code == 303
    assert "Cancelled" in page_text(pair.own.get(page))
    assert pair.own.post(f"{path}/withdraw", page=page).status_code == 409
    assert pair.own.post(f"{path}/delete", page=page).status_code == 404
    assert pair.own.post(f"/own/{pair.id}/leave_requests/999999999/cancel", page=page).status_code == 404
    assert "left on 31 Dec 2027" in page_text(pair.own.get(f"{page}?date=2027-12-31"))


@pytest.mark.parametrize("comment", ["We need you then", None])
def test_a_declined_withdrawal_is_shown_as_declined(pair: Pair, comment: str | None) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page = f"{pair.start}/leave"
    pair.own.post(page, {"type_id": str(person.types["annual_leave"]), "from": MONDAY})
    [request] = person.listed("leave_requests")
    decide = f"/leave_requests/{request['id']}"
    assert pair.company.member.post(f"{decide}/approve", {"answer": "Enjoy it"}).status_code == 200
    assert "Withdrawal" not in page_text(pair.own.get(page))
    assert pair.own.post(f"/own/{pair.id}{decide}/withdraw", page=page).status_code == 303
    assert "Withdrawal pending" in page_text(pair.own.get(page))
    assert pair.company.member.post(f"{decide}/decline", {"answer": comment}).status_code == 200
    day = clock.today()
    shown = f"Withdrawal declined on {day.day} {day:%b %Y}; the leave stays."
    expected = f"{shown} Comment: {comment} Approved" if comment else f"{shown} Approved"
    assert expected in page_text(pair.own.get(page))
    assert "Enjoy it" not in page_text(pair.own.get(page))
    decided = f"Leave 3 May 2027 : withdrawal declined, the leave stays {day.day} {day:%b %Y}"
    assert f"Decided lately {decided}" in page_text(pair.own.get(pair.start))


def test_the_start_page_says_what_was_decided_lately(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    for dates in ({"from": MONDAY, "to": WEDNESDAY}, {"from": "2027-05-10"}, {"from": "2027-05-11"}):
        pair.own.post(f"{pair.start}/leave", {"type_id": str(person.types["unpaid_leave"]), **dates})
    approved, declined, pending = person.listed("leave_requests")
    assert "Decided lately" not in page_text(pair.own.get(pair.start))
    for entry, decision in ((approved, "approve"), (declined, "decline")):
        assert pair.company.member.post(f"/leave_requests/{entry['id']}/{decision}", {}).status_code == 200
    assert pair.own.post(f"/own/{pair.id}/leave_requests/{pending['id']}/cancel", page=f"{pair.start}/leave")
    text = page_text(pair.own.get(pair.start))
    assert "Leave 3 May 2027 – 5 May 2027 : approved" in text
    assert "Leave 10 May 2027 : declined" in text
    assert "11 May 2027" not in text


def test_the_start_page_lists_at_most_five_decisions_of_two_weeks(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    leave = {"type_id": str(person.types["unpaid_leave"])}
    for day in (7, 8, 9, 10, 11, 14, 15):
        pair.own.post(f"{pair.start}/leave", {**leave, "from": f"2027-06-{day:02}"})
    for entry, age in zip(person.listed("leave_requests"), (0, 1, 12, 13, 14, 15, 2), strict=True):
        assert pair.company.member.post(f"/leave_requests/{entry['id']}/decline", {}).status_code == 200
        decided_at = clock.start_of_last(timedelta(days=age + 1))
        update = "UPDATE leave_requests SET decided_at = $2 WHERE id = $1"
        pair.company.member.service.as_owner(update, entry["id"], decided_at)
    assert _decided_days(pair) == [7, 8, 15, 9, 10]
    for day in (16, 17):
        pair.own.post(f"{pair.start}/leave", {**leave, "from": f"2027-06-{day}"})
        decide = f"/leave_requests/{person.listed('leave_requests')[-1]['id']}/decline"
        assert pair.company.member.post(decide, {}).status_code == 200
    assert _decided_days(pair) == [17, 16, 7, 8, 15]


def _decided_days(pair: Pair) -> list[int]:
    """The days of June on the start page that were declined."""
    return [int(day) for day in re.findall(r"Leave (\d+) Jun 2027 : declined", page_text(pair.own.get(pair.start)))]


def test_the_check_says_which_days_a_request_uses_and_which_pending_days_it_counts(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    person.adjust("2026-12-01", 10 - person.balance("2026-12-28"))
    page = f"{pair.start}/leave"
    annual = {"type_id": str(person.types["annual_leave"])}
    christmas = {**annual, "from": "2026-12-24", "to": "2026-12-28"}
    checked = pair.own.post(page, {**christmas, "check": "true"})
    text = page_text(checked)
    assert "This request is for 2 days of leave. Not counted: 25 Dec 2026 (Christmas Day) and 2 days off." in text
    assert "8 days instead of 10" in text
    assert "pending requests" not in text
    assert f'formaction="{page}#balance"' in checked.text
    assert 'id="balance"' in checked.text
    assert pair.own.post(page, christmas).status_code == 303
    earlier = {**annual, "from": "2026-12-14", "to": "2026-12-15", "check": "true"}
    text = page_text(pair.own.post(page, earlier))
    assert "Not deducted here: 2 days in your pending requests for later dates." in text
    assert "counted as taken" not in text
    text = page_text(pair.own.post(page, {**annual, "from": "2026-12-29", "check": "true"}))
    assert "Days in your pending requests up to that date are counted as taken." in text
    assert "Not deducted here" not in text


def test_leave_without_a_balance_is_checked_without_negative_days(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    data = {"type_id": str(person.types["unpaid_leave"]), "from": MONDAY, "check": "true"}
    checked = page_text(pair.own.post(f"{pair.start}/leave", data))
    assert re.search(r"Unpaid leave until \d+ \w+ \d+: 1 day taken", checked)
    assert "instead of" not in checked
    assert "more than you have" not in checked


def test_leave_without_a_balance_is_shown_as_taken_and_annual_leave_always(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    person.take(MONDAY, "unpaid_leave")
    left = person.balance(MONDAY)
    person.adjust(MONDAY, -left)
    text = page_text(pair.own.get(f"{pair.start}/leave?date={MONDAY}"))
    assert "Unpaid leave 1 day taken until 3 May 2027" in text
    assert "Annual leave 0 days left on 3 May 2027" in text
    assert "beyond the balance" not in text


def test_sick_leave_that_reduces_hospitalisation_leave_is_explained(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    note = "Hospitalisation leave includes sick leave. A day of sick leave is deducted from both."
    page = f"{pair.start}/leave?date={MONDAY}"
    before = person.balance(MONDAY, "hospitalisation_leave")
    assert note in page_text(pair.own.get(page))
    person.take(MONDAY, "sick_leave")
    text = page_text(pair.own.get(page))
    assert f"Hospitalisation leave {before - 1:g} days left" in text
    assert note in text
    person.adjust(MONDAY, 1 - before, "hospitalisation_leave")
    text = page_text(pair.own.get(page))
    assert "Hospitalisation leave 0 days" not in text
    assert note not in text


def test_a_payslip_with_sick_leave_explains_its_hospitalisation_leave(company: Company) -> None:
    types = leave_types(company.member, company.id)
    employees = [OnLeave(company, hired(company), types) for _ in range(2)]
    for employee in employees:
        employee.adjust("2026-01-01", 5, "sick_leave")
        employee.adjust("2026-01-01", 5, "hospitalisation_leave")
    employees[0].take("2026-01-12", "sick_leave")
    opened(company)
    owner = signed_in_user(company.member)
    payslips = [company.member.get(f"/employees/{employee.id}/payslips").json() for employee in employees]
    sick, well = (page_text(owner.get(f"/payslips/{elements[0]['payslip']['id']}")) for elements in payslips)
    note = "Hospitalisation leave includes sick leave. A day of sick leave is deducted from both."
    assert "Hospitalisation leave 5 1 4" in sick
    assert note in sick
    assert "Leave in this period" in well
    assert note not in well


def test_a_payslip_says_which_leave_expires_soon_after_it(company: Company) -> None:
    created(company.member.post(f"/clients/{company.id}/leave_types", {"leave_type": {"name": "study_leave"}}))
    person = OnLeave(company, hired(company), leave_types(company.member, company.id))
    policy = {"accrual": "none", "carry_over": {"limit": 3}, "leave_year_start": 3, "effective_date": "2026-01-01"}
    answer = person.put_policy("study_leave", **policy)
    assert answer.status_code == 200, answer.text
    person.adjust("2026-01-05", 10, "study_leave")
    run_id = opened(company)
    done(company, run_id, "finalise")
    done(company, run_id, "release")
    own = signed_in_user(company.member.colleague(company.id, "employee", person.id))
    [slip] = [slip for slip in slips(company, person.id) if slip["finalised"]]
    text = page_text(own.get(f"/own/{person.id}/payslips/{slip['id']}"))
    assert "Study leave 10 – 10" in text
    assert "7 days of study leave expired on 1 Mar 2026, because they were not taken." in text
    assert "of annual leave expire" not in text


def test_a_payslip_says_which_leave_expired_in_its_period(company: Company) -> None:
    created(company.member.post(f"/clients/{company.id}/leave_types", {"leave_type": {"name": "study_leave"}}))
    person = OnLeave(company, hired(company), leave_types(company.member, company.id))
    policy = {"accrual": "none", "carry_over": {"limit": 3}, "leave_year_start": 2, "effective_date": "2026-01-01"}
    assert person.put_policy("study_leave", **policy).status_code == 200
    person.adjust("2026-01-05", 10, "study_leave")
    paid(company)
    run_id = paid(company, FEBRUARY)
    done(company, run_id, "release")
    own = signed_in_user(company.member.colleague(company.id, "employee", person.id))
    [slip] = payslips(company, run_id)
    text = page_text(own.get(f"/own/{person.id}/payslips/{slip['id']}"))
    assert "Days that expired or were deducted are subtracted from the added days." in text
    assert "Study leave -7 – 3" in text
    assert "7 days of study leave expired on 1 Feb 2026, because they were not taken." in text


def employed_since(company: Company, days: int) -> tuple[ConsoleUser, int]:
    """An employee who joined some days ago, signed in."""
    employee_id = hired(company, appointment_date=str(clock.today() - timedelta(days=days)))
    return signed_in_user(company.member.colleague(company.id, "employee", employee_id)), employee_id


def test_employees_see_when_carried_over_leave_expires(company: Company) -> None:
    own, employee_id = employed_since(company, 400)
    text = page_text(own.get(f"/own/{employee_id}/leave"))
    assert re.search(r"7 days of annual leave expire on \d+ \w+ \d+ if not taken before\.", text)
    assert not re.search(r"days of (sick|hospitalisation) leave expire", text)


def test_employees_see_what_expired_around_a_date(company: Company) -> None:
    own, employee_id = employed_since(company, 740)
    page = f"/own/{employee_id}/leave"
    text = page_text(own.get(page))
    [day] = re.findall(r"7 days of annual leave expired on (\d+ \w+ \d+), because they were not taken\.", text)
    expiry = datetime.strptime(day, "%d %b %Y").replace(tzinfo=UTC).date()
    before, long_after = (page_text(own.get(f"{page}?date={expiry + timedelta(days=days)}")) for days in (-1, 120))
    assert f"expired on {day}" in before
    assert f"expired on {day}" not in long_after


def test_employees_see_why_their_balances_changed(company: Company) -> None:
    own, employee_id = employed_since(company, 740)
    OnLeave(company, employee_id, leave_types(company.member, company.id)).adjust(str(clock.today()), 2)
    text = page_text(own.get(f"/own/{employee_id}/leave"))
    assert "How your balances have changed in the last 12 months" in text
    assert "Annual leave: +2 days, balance 10 Adjustment: Agreed" in text
    lost = "Carry over expiry: Carried over from year 1 of service and not taken within a year"
    assert f"Annual leave: −7 days, balance 8 {lost}" in text


def test_exemptions_that_do_not_apply_are_not_shown_to_employees(pair: Pair) -> None:
    details = f"{pair.start}/details"
    assert "CPF exempt" not in page_text(pair.own.get(details))
    answer = pair.company.member.call("PATCH", f"/employees/{pair.id}", json={"cpf_exempt": True})
    assert answer.status_code == 200, answer.text
    text = page_text(pair.own.get(details))
    assert "Contributions CPF exempt Yes" in text
    assert "SDL exempt" not in text


def test_the_request_form_says_which_days_are_counted(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page = f"{pair.start}/leave"
    assert "Days off and public holidays are not counted." in page_text(pair.own.get(page))
    person.set_hours(schedule="casual", effective_date="2026-02-01")
    text = page_text(pair.own.get(page))
    assert "Days off and public holidays are not counted" not in text
    assert "Request only days on which you would have worked." in text
    features = {"features": {"leave_any_day": True}}
    assert pair.company.member.patch(f"/clients/{pair.company.id}", features).status_code == 200
    assert "is counted, including days off and public holidays." in page_text(pair.own.get(page))


def test_half_a_day_is_a_morning_or_an_afternoon(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, data = f"{pair.start}/leave", {"type_id": str(person.types["unpaid_leave"]), "from": MONDAY}
    text = page_text(pair.own.get(page))
    assert "Whole day Half day, morning Half day, afternoon Hours" in text
    assert "Optional. For hours, say which part of the day, such as from 9:00 to 11:00." in text
    assert pair.own.post(page, {**data, "time": "morning"}).status_code == 303
    text = page_text(pair.own.get(page))
    assert "Request for 0.5 days of unpaid leave (4 hours), morning sent" in text
    assert "3 May 2027, morning 0.5 days of unpaid leave (4 hours)" in text
    again = pair.own.post(page, {**data, "time": "morning"})
    assert "you have already requested leave on 3 May 2027" in page_text(again)
    assert pair.own.post(page, {**data, "time": "afternoon"}).status_code == 303
    officer = signed_in_user(pair.company.member)
    text = page_text(officer.get(f"/companies/{pair.company.id}/leave"))
    assert "3 May 2027, morning" in text
    assert "3 May 2027, afternoon" in text


def test_a_grant_of_leave_without_a_limit_is_not_a_balance(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    person.adjust(MONDAY, 5, "unpaid_leave")
    page = f"{pair.start}/leave"
    balances = page_text(pair.own.get(f"{page}?date={MONDAY}")).partition("Request leave")[0]
    assert "Annual leave" in balances
    assert "Unpaid leave" not in balances
    data = {"type_id": str(person.types["unpaid_leave"]), "from": MONDAY, "check": "true"}
    checked = page_text(pair.own.post(page, data))
    assert "Unpaid leave: no limit" in checked
    assert "instead of" not in checked


def test_upcoming_leave_is_sorted_by_date(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    for day in ("2027-05-05", "2027-05-03", "2027-05-04"):
        person.take(day, "unpaid_leave")
    listed = page_text(pair.own.get(f"{pair.start}/leave")).partition("Upcoming leave")[2]
    assert re.findall(r"\d+ May 2027", listed) == ["3 May 2027", "4 May 2027", "5 May 2027"]


def offered_types(own: ConsoleUser, person: OnLeave) -> set[str]:
    """The leave types that can be chosen in the portal."""
    text = own.get(f"/own/{person.id}/leave").text
    return {name for name, type_id in person.types.items() if f'<option value="{type_id}"' in text}


def test_leave_for_children_is_offered_when_it_applies(pair: Pair) -> None:
    person = OnLeave.hired(pair.company, gender="F")
    own = signed_in_user(pair.company.member.colleague(pair.company.id, "employee", person.id))
    page = f"/own/{person.id}/leave"
    for_children = {"childcare_leave", "extended_childcare_leave", "infant_care_leave", "maternity_leave"}
    for_children |= {"paternity_leave", "shared_parental_leave", "adoption_leave"}
    assert set(person.types) - offered_types(own, person) == for_children
    assert "once your employer has recorded a child" in page_text(own.get(page))
    rejected = own.post(page, {"type_id": str(person.types["childcare_leave"]), "from": MONDAY})
    assert rejected.status_code == 422
    assert "you have no childcare leave, because no child is recorded" in page_text(rejected)
    child = {"name": "Mei", "birthdate": "2026-05-15", "citizenship": "CITIZEN"}
    created(pair.company.member.post(person.path("children"), child))
    missing = set(person.types) - offered_types(own, person)
    assert missing == {"extended_childcare_leave", "paternity_leave", "adoption_leave"}
    assert "no recorded child gives you such leave: " in page_text(own.get(page))


def test_leave_says_from_when_it_is_available(pair: Pair) -> None:
    person = OnLeave.hired(pair.company, appointment_date="2027-03-01")
    own = signed_in_user(pair.company.member.colleague(pair.company.id, "employee", person.id))
    page = f"/own/{person.id}/leave"
    text = page_text(own.get(f"{page}?date={MONDAY}"))
    assert "from 31 May 2027, after 3 months of service" in text
    rejected = own.post(page, {"type_id": str(person.types["annual_leave"]), "from": MONDAY})
    assert rejected.status_code == 422
    assert "you have no annual leave before 31 May 2027. It starts after 3 months of service" in page_text(rejected)
    details = person.post(MONDAY).json()["error_details"]
    assert [(detail["code"], detail["params"]["available_from"]) for detail in details] == [
        ("not_enough_leave", "2027-05-31")
    ]
    assert "after 3 months" not in page_text(own.get(f"{page}?date=2027-12-01"))
