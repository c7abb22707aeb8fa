"""`gaji audit`."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from gaji.audit import operations as audit
from gaji.audit.verification import ChainReport
from gaji.cli.options import installation
from gaji.core.system_rights import as_starter

app = typer.Typer(no_args_is_help=True, help="Check the audit log.")


@app.command("verify")
def verify_log(
    head: Annotated[Path | None, typer.Option(help="Also compare with heads that `gaji audit head` printed.")] = None,
) -> None:
    """Look for entries of the audit log, and access events, that were changed, deleted or inserted.

    Fails if there are any.
    """
    with as_starter():
        heads = None if head is None else head.read_text()
    with installation() as opened:
        audit_report, access_report = asyncio.run(audit.verify(opened, heads))
    _print_report(audit_report, "entries")
    _print_report(access_report, "access events")
    if audit_report.problem_count or access_report.problem_count:
        raise typer.Exit(1)


def _print_report(report: ChainReport, noun: str) -> None:
    for sentence in report.problems:
        print(f"problem  {sentence}")
    if report.problem_count > len(report.problems):
        print(f"problem  {report.problem_count - len(report.problems)} more")
    print(_chain_summary(report, noun))


def _chain_summary(report: ChainReport, noun: str) -> str:
    checked = f"checked {noun}: {report.entries}, accounts: {report.accounts}, problems: {report.problem_count}"
    if report.pending_since is None:
        return f"{checked}, not in a chain yet: 0"
    age_s = (datetime.now(UTC) - report.pending_since).total_seconds()
    return f"{checked}, not in a chain yet: {report.pending}, the oldest for {age_s:.0f} s"


@app.command("head")
def print_heads() -> None:
    """Add new entries and access events to the chains, and print the heads of all chains, to be kept elsewhere."""
    with installation() as opened:
        print(asyncio.run(audit.export(opened)))
