"""Questions before something is deleted, refusals in place, and forms that come back after sign-in."""

import asyncio
import re
from datetime import timedelta
from typing import Any

import httpx
import pytest

from gaji.console import cookies
from gaji.console.app import Console
from gaji.console.auth.sign_in import FORM_GRACE
from gaji.console.routes import PAGES
from gaji.core.errors import Unavailable
from gaji.identity.sessions import SESSION_LIFETIME
from gaji.web.app_state import AppState
from tests.console.console_user import ConsoleUser, end_sessions, page_text, signed_in_user, with_password
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company

DELETES = re.compile(r".*/(delete|revoke|cancel)")


class FailingLifespan:
    """A server whose state cannot be read."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def state(self) -> AppState:
        raise self.error


def failed_page(error: Exception, method: str, path: str, **headers: str) -> httpx.Response:
    """The response of the console to a browser, if every request fails with this error."""

    async def respond() -> httpx.Response:
        console = Console(FailingLifespan(error), None)  # type: ignore[arg-type]

        async def app(scope: Any, receive: Any, send: Any) -> None:
            scope["gaji"] = {"request_id": "kopi-17"}
            await console(scope, receive, send)

        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://gaji") as browser:
            return await browser.request(method, path, headers={"Accept": "text/html", **headers})

    return asyncio.run(respond())


@pytest.mark.parametrize(
    ("error", "status", "heading"),
    [
        (RuntimeError("secret_column is missing"), 500, "Something went wrong"),
        (Unavailable("The database is restarting; try again"), 503, "Gaji is not available at the moment"),
    ],
)
def test_a_failure_is_told_in_words_with_a_way_back(error: Exception, status: int, heading: str) -> None:
    shown = failed_page(error, "GET", "/sign-in?next=/companies")
    assert (shown.status_code, re.findall("<h1>(.*)</h1>", shown.text)) == (status, [heading])
    assert str(error) not in shown.text
    assert "request_id" not in shown.text
    assert "Request ID kopi-17" in page_text(shown)
    assert (
        '<a class="button primary" href="/sign-in?next=/companies">Try again</a> <a class="button" href="/">'
        in shown.text
    )
    sent = failed_page(error, "POST", "/sign-in", Referer="http://gaji/sign-in?next=/companies")
    assert '<a class="button primary" href="/sign-in?next=/companies">Back to the form</a>' in sent.text
    for address in ("http://elsewhere.example/sign-in", "http://gaji//elsewhere.example"):
        sent = failed_page(error, "POST", "/sign-in", Referer=address)
        assert "elsewhere" not in sent.text
        assert '<a class="button primary" href="/">Go to sign-in</a>' in sent.text


def test_every_deletion_asks_first() -> None:
    deletions = [page for page in PAGES if page.method == "POST" and DELETES.fullmatch(page.path)]
    assert len(deletions) > 20
    assert [page.path for page in deletions if page.confirm is None] == []


def test_a_deletion_is_asked_about_and_then_done(owner: ConsoleUser, company: Company) -> None:
    pay_point_id = company.member.new_pay_point(company.id, name="Changi")
    path, page = f"/companies/{company.id}/pay_points/{pay_point_id}/delete", f"/companies/{company.id}/settings"
    asked = owner.post(path, {"subject": "Changi", "confirmed": ""}, page=page)
    assert asked.status_code == 200
    assert "Delete this pay point? Changi" in page_text(asked)
    assert "Changi" in owner.get(page).text
    assert owner.post(path, page=page).status_code == 303
    assert "Changi" not in owner.get(page).text


def test_questions_keep_the_menu_and_the_name_of_the_company(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    company.member.new_client(name="Milo Engineering Pte Ltd")
    home, ask = f"/companies/{company.id}", {"confirmed": ""}
    name = company.member.get(f"/clients/{company.id}").json()["client"]["name"]
    for path in (f"{home}/waves/{company.wave_id}/delete", f"/employees/{employee_id}/delete"):
        asked = owner.post(path, ask, page=f"{home}/settings")
        assert asked.status_code == 200
        assert f'href="{home}/payment_runs"' in asked.text
        assert f"<strong>{name}</strong>" in asked.text
    stranger = owner.post("/employees/123456789/delete", ask, page=f"{home}/settings")
    assert 'aria-label="Company"' not in stranger.text
    asked = owner.post("/api-keys/1/revoke", ask, page="/api-keys")
    assert 'aria-label="Account"' in asked.text


def test_a_refusal_is_shown_on_the_page_of_the_form(owner: ConsoleUser, company: Company) -> None:
    company.hire()
    page = f"/companies/{company.id}/settings"
    answer = owner.post(f"/companies/{company.id}/waves/{company.wave_id}/delete", {"back": page}, page=page)
    assert (answer.status_code, answer.headers["location"]) == (303, page)
    shown = owner.get(page)
    assert 'role="alert"' in shown.text
    assert "Employees have this pay schedule. Move them to another one first. Nothing has been changed." in page_text(
        shown
    )
    assert 'role="alert"' not in owner.get(page).text


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example/", "/nowhere", ""])
def test_a_refusal_never_leads_elsewhere(owner: ConsoleUser, company: Company, back: str) -> None:
    company.hire()
    path, page = f"/companies/{company.id}/waves/{company.wave_id}/delete", f"/companies/{company.id}/settings"
    assert owner.post(path, {"back": back}, page=page).status_code == 409


def test_a_form_that_comes_back_has_the_labels_of_its_fields(owner: ConsoleUser, company: Company) -> None:
    path = f"/companies/{company.id}/details"
    data = {"return_to": f"/companies/{company.id}", "name": "Kopi", "ns_direct_scheme": "true"}
    data |= {"form_token": owner.token(path), "features.regular_hours_v2": "true", "employee_number_mode": ""}
    end_sessions(company.member.service)
    assert owner.browser.post(path, data=data).status_code == 303
    assert owner.sign_in(next="/unsent-form").status_code == 303
    text = page_text(owner.get("/unsent-form"))
    assert "Name Kopi DIRECT scheme Yes Inherited working hours Yes Continue Discard" in text


def test_a_form_of_an_ended_session_comes_back_after_sign_in(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    path = f"/companies/{company.id}/pay_points/new"
    token = owner.token(path)
    end_sessions(company.member.service)
    answer = owner.browser.post(path, data={"form_token": token, "name": "Changi"})
    assert answer.status_code == 303, page_text(answer)
    assert answer.headers["location"] == "/sign-in?next=/unsent-form"
    assert "Changi" not in answer.headers["set-cookie"]
    assert owner.sign_in(next="/unsent-form").headers["location"] == "/unsent-form"
    page = owner.get("/unsent-form")
    assert "nothing has been saved yet . Name Changi" in page_text(page)
    assert owner.post(path, {"name": "Changi"}, page="/unsent-form").status_code == 303
    assert "Changi" in owner.get(f"/companies/{company.id}/settings").text
    assert owner.get("/unsent-form").headers["location"] == "/"
    assert company.employee(employee_id)


def test_the_cookie_outlives_the_session_so_that_a_form_can_be_kept(company: Company) -> None:
    answer = ConsoleUser(with_password(company.member)).sign_in()
    cookie = next(text for text in answer.headers.get_list("set-cookie") if text.startswith(cookies.SESSION))
    lifetime = re.search(r"Max-Age=(\d+)", cookie)
    assert lifetime
    assert timedelta(seconds=int(lifetime[1])) == SESSION_LIFETIME + FORM_GRACE


def test_another_user_does_not_get_the_form(owner: ConsoleUser, company: Company) -> None:
    path = f"/companies/{company.id}/pay_points/new"
    token = owner.token(path)
    end_sessions(company.member.service)
    owner.browser.post(path, data={"form_token": token, "name": "Changi"})
    owner.member = with_password(company.member.colleague(company.id, "payroll"))
    assert owner.sign_in().status_code == 303
    assert owner.get("/unsent-form").headers["location"] == "/"


def test_passwords_files_and_forged_forms_are_not_kept(owner: ConsoleUser, company: Company) -> None:
    token = owner.token("/password")
    end_sessions(company.member.service)
    forms = [
        ("/password", {"form_token": token, "current": "a", "new": "b", "again": "b"}, None),
        (f"/companies/{company.id}/employees/import", {"form_token": token}, {"workbook": ("a.xlsx", b"x")}),
        (f"/companies/{company.id}/pay_points/new", {"form_token": "0" * 64, "name": "Changi"}, None),
        (f"/companies/{company.id}/pay_points/new", {"form_token": f"{token}0", "name": "Changi"}, None),
        (f"/companies/{company.id}/pay_points/new", {"form_token": token, "name": "x" * 70_000}, None),
    ]
    for path, data, files in forms:
        answer = owner.browser.post(path, data=data, files=files)
        assert answer.headers["location"] == "/sign-in"
        assert "gaji_unsent_form" not in answer.headers.get("set-cookie", "")
    assert signed_in_user(company.member).get("/unsent-form").headers["location"] == "/"
