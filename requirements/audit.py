"""Compare the locked packages with the known vulnerabilities, and say so if that is not possible.

pip-audit reports packages that it could not look up as if nothing were wrong with them. Here the check succeeds only if
every package was looked up.

    python -m requirements.audit path/to/pip-audit
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LOCKS = tuple(Path(__file__).with_name(name) for name in ("mcp.txt", "otel.txt"))
"""Each has all packages of run.txt, and those of one extra."""
NO_NETWORK = (
    "Nothing is known about them. The check needs access to https://pypi.org; run it on a machine that has it, "
    "or check the file of `make sbom` with a scanner that has its own database."
)
FOUND, NOT_CHECKED = 1, 2


def main(pip_audit: str) -> int:
    """Run the check, print its result and return the exit status."""
    command = [
        pip_audit,
        "--disable-pip",
        "--require-hashes",
        "--progress-spinner=off",
        "--format=json",
        *(option for lock in LOCKS for option in ("-r", str(lock))),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        reason = (done.stderr.strip().splitlines() or ["no output"])[-1]
        print(f"pip-audit could not check the packages: {reason}\n{NO_NETWORK}", file=sys.stderr)
        return NOT_CHECKED
    lines, status = summarise(packages)
    print("\n".join(lines), file=sys.stderr if status else sys.stdout)
    return status


def summarise(packages: Sequence[Mapping[str, Any]]) -> tuple[list[str], int]:
    """Return what to print about the packages, and the exit status."""
    lines = [
        f"{package['name']} {package['version']}: {vulnerability['id']}, fixed in "
        f"{', '.join(vulnerability['fix_versions']) or 'no version yet'}"
        for package in packages
        for vulnerability in package.get("vulns", ())
    ]
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if lines:
        return lines, FOUND
    if unknown:
        return [f"{len(unknown)} of {len(packages)} packages could not be looked up. {NO_NETWORK}"], NOT_CHECKED
    return [f"No known vulnerabilities in {len(packages)} packages."], 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
