"""The version: declared once, and the same everywhere."""

import subprocess
import sys
import tomllib
from pathlib import Path

from gaji import __version__
from tests.support.running import Service

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_the_command_prints_it() -> None:
    command = [sys.executable, "-m", "gaji.cli.main", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"gaji {__version__}\n"


def test_the_health_check_and_the_openapi_document_have_it(service: Service) -> None:
    assert service.http.get(f"{service.url}/healthz").json() == {"status": "up", "version": __version__}
    assert service.http.get(f"{service.url}/openapi.json").json()["info"]["version"] == __version__


def test_the_package_takes_it_from_the_code() -> None:
    project = tomllib.loads(PYPROJECT.read_text())
    assert "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "gaji.__version__"}
