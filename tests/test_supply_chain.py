"""The bill of materials and the check for known vulnerabilities."""

import json
import sys
from pathlib import Path

import pytest

from requirements import audit, sbom

PACKAGES = sbom.read_lock(sbom.LOCK.read_text())


def test_the_bill_of_materials_has_every_locked_package_with_its_hashes() -> None:
    document = sbom.build_sbom(PACKAGES)
    lines = [line.split("==")[0] for line in sbom.LOCK.read_text().splitlines() if "==" in line and line[0] not in " #"]
    assert [component["name"] for component in document["components"]] == lines
    assert len(lines) > 20
    assert all(component["hashes"] for component in document["components"])
    assert document["bomFormat"] == "CycloneDX"


def test_every_package_is_needed_by_gaji_or_by_another_one() -> None:
    document = sbom.build_sbom(PACKAGES)
    references = {component["bom-ref"] for component in document["components"]}
    needs = {item["ref"]: item["dependsOn"] for item in document["dependencies"]}
    assert needs.keys() == {*references, "gaji"}
    assert {child for children in needs.values() for child in children} == references
    wanted = {line for line in sbom.LOCK.with_name("run.in").read_text().splitlines() if line and line[0] != "#"}
    direct = {reference.removeprefix("pkg:pypi/").partition("@")[0] for reference in needs["gaji"]}
    assert direct == {line.partition(";")[0].strip() for line in wanted}


@pytest.mark.parametrize(("lock", "package"), [*zip(audit.LOCKS, ("mcp", "opentelemetry-sdk"), strict=True)])
def test_the_extras_use_the_versions_of_the_service_and_are_audited(lock: Path, package: str) -> None:
    extra = {package.reference: package.hashes for package in sbom.read_lock(lock.read_text())}
    assert {package.reference: package.hashes for package in PACKAGES}.items() <= extra.items()
    assert any(reference.startswith(f"pkg:pypi/{package}@") for reference in extra)


def test_the_same_lock_gives_the_same_file(tmp_path: Path) -> None:
    for name in ("first", "second"):
        sbom.main(tmp_path / "build" / name)
    first, second = ((tmp_path / "build" / name).read_bytes() for name in ("first", "second"))
    assert first == second
    assert json.loads(first)["serialNumber"].startswith("urn:uuid:")


@pytest.mark.parametrize(
    ("packages", "status", "text"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], 0, "No known vulnerabilities in 1 packages"),
        (
            [
                {"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]},
                {"name": "b", "skip_reason": "?"},
            ],
            1,
            "a 1: CVE-1, fixed in 2",
        ),
        (
            [{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "?"}],
            2,
            "1 of 2 packages could not",
        ),
    ],
)
def test_a_package_that_was_not_looked_up_is_not_reported_as_safe(
    packages: list[dict[str, object]], status: int, text: str
) -> None:
    lines, result = audit.summarise(packages)
    assert (result, text in lines[0]) == (status, True)


def test_without_network_the_check_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failing = tmp_path / "pip-audit"
    failing.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('ConnectionError: no route to host')\n")
    failing.chmod(0o755)
    assert audit.main(str(failing)) == audit.NOT_CHECKED
    assert "ConnectionError: no route to host" in (text := capsys.readouterr().err)
    assert "needs access to https://pypi.org" in text
