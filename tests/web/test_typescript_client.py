"""A TypeScript client from the OpenAPI document runs the payroll of a month, and linters accept the document."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.running import Member, Service

pytestmark = pytest.mark.slow

SOURCES = Path(__file__).parent / "typescript"
NODE_MODULES = Path(sys.prefix) / "node/node_modules"
"""Installed by `make .venv/.node`."""
MISSING = "Node.js 20 or newer with npm is required. Install it, and run make .venv/.node."
ENVIRONMENT = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


@pytest.fixture(scope="module")
def project(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the OpenAPI document, the sources and the installed tools."""
    assert shutil.which("node"), MISSING
    assert NODE_MODULES.is_dir(), MISSING
    folder = tmp_path_factory.mktemp("typescript")
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    (folder / "node_modules").symlink_to(NODE_MODULES)
    (folder / "openapi.json").write_bytes(service.http.get(f"{service.url}/openapi.json").content)
    return folder


def run(project: Path, tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one of the installed tools in the project."""
    command = [str(NODE_MODULES / ".bin" / tool), *arguments]
    return subprocess.run(command, cwd=project, env=ENVIRONMENT, check=False, capture_output=True, text=True)


def test_it_compiles_strictly_and_runs_a_month(project: Path, account: Member) -> None:
    generated = run(project, "openapi-typescript", "openapi.json", "--output", "schema.d.ts")
    assert generated.returncode == 0, generated.stderr
    compiled = run(project, "tsc", "--project", ".")
    assert compiled.returncode == 0, compiled.stdout
    command = ["node", "build/month.js", f"{account.service.url}/v1", account.key]
    month = subprocess.run(command, cwd=project, check=False, capture_output=True, text=True)
    assert month.returncode == 0, month.stderr
    run_id = json.loads(month.stdout)["payment_run_id"]
    assert account.get(f"/payment_runs/{run_id}").json()["payment_run"]["state"] == "finalised"


def test_its_source_has_no_way_around_the_types() -> None:
    assert json.loads((SOURCES / "tsconfig.json").read_text())["compilerOptions"]["strict"] is True
    assert re.findall(r"\bany\b|\bas [A-Za-z]|@ts-|!\.", (SOURCES / "month.ts").read_text()) == []


def test_the_lock_file_names_no_registry() -> None:
    packages = json.loads((SOURCES / "package-lock.json").read_text())["packages"]
    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in packages.items() if name)


def test_spectral_finds_nothing(project: Path) -> None:
    """Spectral checks what a reference leads to wherever it is used, so each shared response is left once."""
    document = json.loads((project / "openapi.json").read_text())
    shared = {f"#/components/responses/{name}" for name in document["components"]["responses"]}
    assert shared - remove_repeated_responses(document) == {"#/components/responses/405"}
    (project / "linted.json").write_text(json.dumps(document))
    lint = run(project, "spectral", "lint", "linted.json", "--fail-severity=warn", "--format=text", "--quiet")
    assert lint.returncode == 0, lint.stdout[-4000:]


def remove_repeated_responses(document: dict[str, Any]) -> set[str]:
    """Remove every reference to a response after the first one, and return the references."""
    references: set[str] = set()
    for operation in (operation for path in document["paths"].values() for operation in path.values()):
        for status, response in list(operation["responses"].items()):
            if response.keys() == {"$ref"} and response["$ref"] in references:
                del operation["responses"][status]
            references.add(response.get("$ref", ""))
    return references - {""}


def test_redocly_finds_nothing(project: Path) -> None:
    lint = run(project, "redocly", "lint", "openapi.json", "--format=json")
    result = json.loads(lint.stdout)
    totals = result["totals"]
    assert (totals["errors"], totals["warnings"]) == (0, 0), [problem["message"] for problem in result["problems"]]
