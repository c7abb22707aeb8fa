"""GAJI_PUBLIC_URL: the address in links, which never comes from a Host header."""

from collections.abc import Iterator

import pytest

from gaji.core.settings import Settings, SettingsError
from tests.support.running import Member, running_service

PUBLIC_URL = "https://payroll.example.com"
HOSTS = ["evil.example", "localhost:1", "payroll.example.com.evil.example"]


@pytest.fixture(scope="module")
def public_account(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Member]:
    """An account of a server whose public URL is configured."""
    environment = {"GAJI_PUBLIC_URL": f"{PUBLIC_URL}/"}
    with running_service(settings, tmp_path_factory.mktemp("public"), environment, ["--no-worker"]) as public:
        yield public.new_account()


@pytest.mark.parametrize("host", HOSTS)
def test_without_it_type_and_link_are_relative_references(account: Member, host: str) -> None:
    headers = {"Host": host, "X-Forwarded-Host": host, "X-Forwarded-Proto": "https"}
    assert account.get("/clients/0", headers=headers).json()["type"] == "/problems/not-found"
    assert account.get("/clients?page=1", headers=headers).headers["link"].startswith("</v1/clients?page=1")


@pytest.mark.parametrize("host", HOSTS)
def test_type_and_link_use_it_whatever_the_host_header_says(public_account: Member, host: str) -> None:
    headers = {"Host": host, "X-Forwarded-Host": host}
    problem = public_account.get("/clients/0", headers=headers).json()
    assert problem["type"] == f"{PUBLIC_URL}/problems/not-found"
    link = public_account.get("/clients?page=1", headers=headers).headers["link"]
    assert link.startswith(f"<{PUBLIC_URL}/v1/clients?page=1")


def test_the_examples_of_the_documentation_use_it(public_account: Member) -> None:
    service = public_account.service
    page = service.http.get(f"{service.url}/docs", headers={"Host": "evil.example"}).text
    assert f"curl {PUBLIC_URL}/v1/clients" in page
    assert "evil.example" not in page


def test_the_openapi_document_names_it(public_account: Member) -> None:
    service = public_account.service
    document = service.http.get(f"{service.url}/openapi.json", headers={"Host": "evil.example"})
    assert [server["url"] for server in document.json()["servers"]] == [
        f"{PUBLIC_URL}/v1",
        f"{PUBLIC_URL}/api/v1",
    ]
    assert "evil.example" not in document.text


@pytest.mark.parametrize(
    "url", ["", "https://payroll.example.com", "http://10.0.0.1:8000", "http://[::1]:8000", "https://a.example/"]
)
def test_it_is_a_scheme_and_a_host(url: str) -> None:
    assert Settings.from_environment({"GAJI_PUBLIC_URL": url}).public_url == url.removesuffix("/")


@pytest.mark.parametrize(
    "url",
    ["payroll.example.com", "ftp://a.example", "https://", "https://a.example/gaji", 'https://a"><b>', "https://a b"],
)
def test_anything_else_is_an_error_that_names_the_variable(url: str) -> None:
    with pytest.raises(SettingsError, match="GAJI_PUBLIC_URL"):
        Settings.from_environment({"GAJI_PUBLIC_URL": url})
