"""Write the software bill of materials of the packages that the service runs with, as CycloneDX JSON.

It is made from the lock file, without network access. The same lock always gives the same file.

    python -m requirements.sbom build/gaji.cdx.json
"""

import json
import re
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gaji import __version__

LOCK = Path(__file__).with_name("run.txt")
PACKAGE = re.compile(r"(?P<name>[a-z0-9][a-z0-9._-]*)==(?P<version>[^\s;\\]+)(?:\s*;\s*(?P<marker>[^\\]+))?")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
PARENT = re.compile(r"#\s+(?:via\s+)?(?!via$)(?P<name>[a-z0-9][a-z0-9._-]*)$")
REQUIRED = re.compile(r"#\s+(?:via\s+)?-r \S+\.in$")
ROOT = "gaji"


@dataclass
class LockedPackage:
    """A package in a lock file."""

    name: str
    version: str
    marker: str = ""
    hashes: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    """The packages that need it. Gaji itself is one."""

    @property
    def reference(self) -> str:
        """The package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


def read_lock(text: str) -> list[LockedPackage]:
    """Return the packages of a lock file that `uv pip compile` wrote."""
    packages: list[LockedPackage] = []
    for line in text.splitlines():
        if match := PACKAGE.match(line):
            packages.append(LockedPackage(match["name"], match["version"], (match["marker"] or "").strip()))
        elif match := HASH.search(line):
            packages[-1].hashes.append(match[1])
        elif REQUIRED.search(line):
            packages[-1].parents.append(ROOT)
        elif match := PARENT.search(line):
            packages[-1].parents.append(match["name"])
    return packages


def build_sbom(packages: list[LockedPackage]) -> dict[str, Any]:
    """Return the CycloneDX document."""
    root = {"type": "application", "bom-ref": ROOT, "name": ROOT, "version": __version__}
    document: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**root, "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": [_component(package) for package in packages],
        "dependencies": _dependencies(packages),
    }
    content = json.dumps(document, sort_keys=True)
    return {**document, "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}"}


def _component(package: LockedPackage) -> dict[str, Any]:
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": package.reference,
        "name": package.name,
        "version": package.version,
        "purl": package.reference,
        "hashes": [{"alg": "SHA-256", "content": content} for content in package.hashes],
    }
    if package.marker:
        component["properties"] = [{"name": "gaji:marker", "value": package.marker}]
    return component


def _dependencies(packages: list[LockedPackage]) -> list[dict[str, Any]]:
    # A package may be locked in several versions, one for each version of Python.
    references = {ROOT: [ROOT]}
    for package in packages:
        references.setdefault(package.name, []).append(package.reference)
    needs: dict[str, list[str]] = {reference: [] for versions in references.values() for reference in versions}
    for package in packages:
        for parent in package.parents:
            for reference in references[parent]:
                needs[reference].append(package.reference)
    return [{"ref": reference, "dependsOn": sorted(children)} for reference, children in needs.items()]


def main(target: Path) -> None:
    """Write the bill of materials."""
    packages = read_lock(LOCK.read_text())
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(build_sbom(packages), indent=2) + "\n")
    print(f"Wrote {target} with {len(packages)} packages.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
