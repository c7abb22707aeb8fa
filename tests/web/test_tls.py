"""HTTPS without a proxy."""

from pathlib import Path

import httpx
import pytest

from gaji.core.settings import Settings, SettingsError
from tests.support.certificates import new_certificate
from tests.support.running import Service, running_service


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A certificate for this machine and its key, as environment variables."""
    return new_certificate(tmp_path_factory.mktemp("tls"))


def test_the_server_speaks_https(service: Service, files: dict[str, str], tmp_path: Path) -> None:
    with running_service(service.settings, tmp_path, files, ["--no-worker"]) as secure:
        assert secure.url.startswith("https://")
        page = secure.http.get(f"{secure.url}/sign-in", headers={"Accept": "text/html"})
        assert page.headers["strict-transport-security"].startswith("max-age=")
        assert all(name.startswith("__Host-") for name in page.cookies)
        assert "Secure" in page.headers["set-cookie"]
        with pytest.raises(httpx.TransportError):
            secure.http.get(secure.url.replace("https://", "http://") + "/healthz")


def test_addresses_have_the_scheme(files: dict[str, str]) -> None:
    assert Settings.from_environment(files).origin == "https://127.0.0.1:8000"


def test_both_files_are_required_and_must_fit(files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="must be set together"):
        Settings.from_environment({"GAJI_TLS_CERT": files["GAJI_TLS_CERT"]})
    with pytest.raises(SettingsError, match="cannot be used"):
        Settings.from_environment({**files, "GAJI_TLS_KEY": files["GAJI_TLS_CERT"]})
    with pytest.raises(SettingsError, match="cannot be used"):
        Settings.from_environment({**files, "GAJI_TLS_KEY": str(tmp_path / "missing.pem")})
