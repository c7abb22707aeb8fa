"""CPF files of several companies in one download, and which of them are late."""

import asyncio
import re
from html import unescape
from io import BytesIO
from unittest.mock import Mock
from urllib.parse import urlencode
from zipfile import ZipFile

import httpx
import pytest

from gaji.company.clients.service import ClientMembership
from gaji.console import cpf_files
from gaji.documents.filings import service as filings
from gaji.documents.filings.payable import PayableMonth
from gaji.documents.filings.service import CpfFiling
from gaji.law.months import Month
from gaji.payroll.payslips.statutory_totals import Contributions
from tests.console.company_steps_pages import CPF_EMPLOYER, reviewed, rows_of, two_companies
from tests.console.console_user import page_text, signed_in_user
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, hired, opened, paid
from tests.support.company import Company
from tests.support.running import Service


@pytest.fixture
def companies(service: Service) -> tuple[Company, Company]:
    """Two companies of one account, each with an employee who was not paid yet."""
    return two_companies(service)


def test_no_cpf_file_is_late_for_months_after_the_last_day_of_service(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    [employee] = bakery.listed()
    opened(bakery)
    left = bakery.act(employee["id"], "end_service", termination_date=JANUARY, termination_code=1)
    assert left.status_code == 200, left.text
    user = signed_in_user(bakery.member)
    home = user.get(f"/companies/{bakery.id}")
    assert re.findall(r"CPF file of (\w+ \d+)", page_text(home)) == ["Jan 2026"]
    assert "pay dates late" not in page_text(home)
    assert "pay dates late" not in rows_of(user.get("/companies"))["Tampines Bakery"]
    assert "more pay date" not in rows_of(reviewed(user, "open", bakery))["Tampines Bakery"]


def test_no_cpf_file_is_late_for_months_that_were_filed(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    bakery.member.patch(f"/clients/{bakery.id}", CPF_EMPLOYER)
    hired(bakery, wave_id=bakery.wave(frequency="monthly", last_day_of_month=31, first_end_date=JANUARY))
    for end in (JANUARY, FEBRUARY):
        paid(bakery, end)
        assert bakery.member.get(f"/clients/{bakery.id}/filings/{end[:7]}/cpf").status_code == 200
    home = signed_in_user(bakery.member).get(f"/companies/{bakery.id}")
    months = re.findall(r"CPF file of (\w+ \d+)", page_text(home))
    assert months[0] == "Mar 2026"
    assert ("more late filing" in page_text(home)) == (len(months) > 5)


def test_cpf_files_of_several_companies_are_one_download(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    for company in companies:
        paid(company)
    bakery.member.patch(f"/clients/{bakery.id}", CPF_EMPLOYER)
    user = signed_in_user(bakery.member)
    path = "/companies/cpf_files"
    page = user.get(f"{path}?{urlencode({'client_id': [bakery.id, clinic.id]}, doseq=True)}")
    assert rows_of(page)["Tampines Bakery"].startswith(", Jan 2026 Jan 2026 , filing of Tampines Bakery 16 Feb 2026")
    assert page.text.count(" checked>") == 1
    assert "Select all or none of 1 file that is ready" in page_text(page)
    [select_none] = re.findall(r'href="(/companies/cpf_files[^"]*select=none)"', page.text)
    empty = user.get(select_none.replace("&amp;", "&"))
    assert empty.text.count(" checked>") == 0
    keys = [f"{company.id}-2026-01" for company in companies]
    assert "CPF submission number is required" in rows_of(page)["Yishun Clinic"]
    assert re.findall(r'value="([^"]+)" checked>', page.text) == keys[:1]
    assert rows_of(page)["Total of 1 file that is ready"] in rows_of(page)["Tampines Bakery"]
    [fix] = re.findall(r'href="([^"]+)">Fix<', page.text)
    [details] = re.findall(r'href="([^"#]+/details[^"#]*)#', user.get(unescape(fix)).text)
    assert "Save and return to the CPF files" in page_text(user.get(unescape(details)))
    fields = {
        "form_token": [user.token("/password")],
        "client_id": [str(bakery.id), str(clinic.id)],
        "row": [*keys, "9-2026-01"],
    }
    refused = user.browser.post(path, data=fields)
    assert (refused.status_code, refused.text.count(" checked>")) == (409, 1)
    assert "1 file cannot be created yet. Nothing was downloaded" in page_text(refused)
    page = user.browser.post(path, data={**fields, "row": keys[:1]})
    assert "1 CPF file" in page_text(page)
    assert "1 remaining file" in page_text(page)
    zip_path = page.headers["refresh"].removeprefix("1; url=")
    for _ in range(2):
        answer = user.get(zip_path)
        assert answer.headers["content-type"] == "application/zip"
        with ZipFile(BytesIO(answer.content)) as package:
            [name] = package.namelist()
            assert name.startswith("Tampines Bakery (202699999E)/")
            assert b"202699999EPTE01" in package.read(name)
    assert downloads(bakery) == [1]
    bakery.member.service.as_owner(
        "UPDATE cpf_submissions SET last_downloaded_at = now() - interval '61 seconds' WHERE client_id = $1", bakery.id
    )
    for _ in range(2):
        assert user.get(zip_path).status_code == 200
        assert downloads(bakery) == [2]
    colleague = signed_in_user(bakery.member.colleague(bakery.id, "payroll"))
    assert colleague.get(f"{path}/zip?client_id={bakery.id}&row={keys[0]}").status_code == 200
    assert downloads(bakery) == [3]
    assert keys[0] not in user.get(f"{path}?client_id={bakery.id}").text
    again = user.browser.post(path, data={**fields, "row": keys[:1]})
    assert (again.status_code, "refresh" in again.headers) == (422, False)
    assert "The selected files were downloaded already" in page_text(again)
    other = bakery.member.service.new_account().new_client()
    for missing in (f"?client_id={other}", f"/zip?client_id={other}&row={other}-2026-01", "/zip", "/zip?row=x"):
        assert user.get(f"{path}{missing}").status_code == 404


def test_months_whose_pay_runs_are_not_finalised_are_named_beside_the_cpf_files(
    companies: tuple[Company, Company],
) -> None:
    bakery, clinic = companies
    paid(bakery)
    bakery.member.patch(f"/clients/{bakery.id}", CPF_EMPLOYER)
    user = signed_in_user(bakery.member)
    path = f"/companies/cpf_files?client_id={bakery.id}&client_id={clinic.id}"
    page = user.get(path)
    left_out = rows_of(httpx.Response(200, text=page.text.partition('id="left-out"')[2]))
    assert left_out["Tampines Bakery"].startswith("Feb, Mar, ")
    assert left_out["Yishun Clinic"].startswith("Jan, Feb, ")
    assert "Late Not all pay runs are finalised" in left_out["Yishun Clinic"]
    assert re.search(r"\d+ files are left out", page_text(page))
    assert "The selected companies have no CPF files" in page_text(
        user.get(f"/companies/cpf_files?client_id={clinic.id}")
    )
    assert "Yishun Clinic" in rows_of(user.get(f"/companies/cpf_files?client_id={clinic.id}"))
    fields = {"client_id": [str(bakery.id), str(clinic.id)], "row": f"{bakery.id}-2026-01"}
    downloaded = user.post("/companies/cpf_files", fields, page="/password")
    assert "refresh" in downloaded.headers
    assert rows_of(downloaded)["Yishun Clinic"].startswith("Jan, Feb, ")


def downloads(company: Company) -> list[int]:
    """Return how often each CPF file of January was downloaded."""
    [filing] = company.member.get(f"/clients/{company.id}/filings/2026-01").json()
    return [submission["downloads"] for submission in filing["filing"]["submissions"]]


def test_a_shared_cpf_submission_number_is_not_filed_without_a_choice(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    for company in companies:
        paid(company)
        company.member.patch(f"/clients/{company.id}", CPF_EMPLOYER)
    user, path = signed_in_user(bakery.member), f"/companies/cpf_files?client_id={bakery.id}&client_id={clinic.id}"
    page = user.get(path)
    assert "Yishun Clinic has the same number" in rows_of(page)["Tampines Bakery"]
    assert " checked>" not in page.text
    [details] = re.findall(rf'href="(/companies/{clinic.id}/details[^"#]*)#cpf_submission_number">Check', page.text)
    assert "Save and return to the CPF files" in page_text(user.get(unescape(details)))
    assert user.get(f"{path}&select=all").text.count(" checked>") == 2


def test_links_and_stale_pages_do_not_record_cpf_files(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    paid(bakery)
    bakery.member.patch(f"/clients/{bakery.id}", CPF_EMPLOYER)
    user, path = signed_in_user(bakery.member), "/companies/cpf_files"
    row, filing = f"client_id={bakery.id}&row={bakery.id}-2026-01", f"/companies/{bakery.id}/filings"
    for site in ("cross-site", "same-site", "same-origin"):
        for link in (f"{path}?download=zip&{row}", f"{path}/zip?{row}"):
            answer = user.browser.get(link, headers={"Sec-Fetch-Site": site})
            assert "refresh" not in answer.headers
            assert answer.headers["content-type"] != "application/zip"
    for site in ("cross-site", "same-site"):
        link = f"{filing}?month=2026-01&download=cpf"
        assert user.browser.get(link, headers={"Sec-Fetch-Site": site}).status_code == 403
    assert "Tampines Bakery" in rows_of(user.get(f"{path}?client_id={bakery.id}"))
    fields = {"client_id": str(bakery.id), "row": f"{bakery.id}-2026-01"}
    assert user.browser.post(path, data=fields).status_code == 403
    page = user.post(path, fields, page="/password")
    zip_path = page.headers["refresh"].removeprefix("1; url=")
    assert user.get(zip_path).status_code == 200
    [submission_id] = re.findall(r'name="submission_id" value="(\d+)"', user.get(f"{filing}?month=2026-01").text)
    assert user.post(filing, {"submission_id": submission_id}).status_code == 303
    answer = user.get(zip_path)
    assert (answer.status_code, "were discarded" in page_text(answer)) == (409, True)
    assert "Tampines Bakery" in rows_of(user.get(f"{path}?client_id={bakery.id}"))


def test_only_selected_cpf_files_are_checked_before_the_download(companies: tuple[Company, Company]) -> None:
    for company in companies:
        paid(company)
    bakery, clinic = companies
    user, problem = signed_in_user(bakery.member), "CPF submission number is required"
    fields = {
        "form_token": [user.token("/password")],
        "client_id": [str(bakery.id), str(clinic.id)],
        "row": [f"{clinic.id}-2026-01"],
    }
    refused = user.browser.post("/companies/cpf_files", data=fields)
    assert refused.status_code == 409
    rows = rows_of(refused)
    assert (problem in rows["Yishun Clinic"], problem in rows["Tampines Bakery"]) == (True, False)
    assert not any(name.startswith("Total") for name in rows)


@pytest.mark.parametrize("is_less", [True, False])
def test_a_large_month_is_only_listed_if_its_cpf_file_differs(monkeypatch: pytest.MonkeyPatch, is_less: bool) -> None:
    async def list_open_periods(*_: object) -> list[object]:
        return []

    async def list_filings(*_: object) -> list[CpfFiling]:
        filing = Mock(spec=CpfFiling, is_new=False, differences=["less"] if is_less else [])
        return [filing]

    monkeypatch.setattr(filings, "list_open_periods", list_open_periods)
    monkeypatch.setattr(filings, "list_filings", list_filings)
    month = PayableMonth(Month(2026, 1), Contributions(), None)
    file = cpf_files.DueFile(ClientMembership(1, "Tampines Bakery", "owner"), month, is_changed=True)
    checked = asyncio.run(cpf_files._check(Mock(), file))
    assert (checked and checked.problem) == (cpf_files.NOTHING_NEW if is_less else None)
