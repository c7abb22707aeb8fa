"""`gaji demo`."""

import asyncio
import sys
from typing import Annotated

import msgspec
import typer
from rich.progress import MofNCompleteColumn, Progress, TaskID, TimeElapsedColumn

from gaji.cli.options import installation, out
from gaji.demo.progress import Progress as DemoProgress
from gaji.demo.size import DEFAULT_EMPLOYEES, DEFAULT_MONTHS

app = typer.Typer()


class ProgressBars(DemoProgress):
    """Shows the progress of the demo as bars, one for each kind of record."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self.existing_employees: int | None = None

    def update(self, label: str, done: int, total: int) -> None:
        """Update the bar."""
        if label not in self._tasks:
            self._tasks[label] = self._bars.add_task(label)
        self._bars.update(self._tasks[label], completed=done, total=total)

    def report_existing(self, employees: int) -> None:
        """Record that the company already exists."""
        self.existing_employees = employees


@app.command()
def demo(
    employees: Annotated[int, typer.Option(help="Number of employees.", min=0, max=1_000_000)] = DEFAULT_EMPLOYEES,
    months: Annotated[
        int, typer.Option(help="Months of finalised pay runs, up to the last complete one.", min=0, max=36)
    ] = DEFAULT_MONTHS,
    seed: Annotated[int, typer.Option(help="A different seed creates a different account.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Create an account with a demo company and an API key. An existing company is kept."""
    from gaji.demo.account import create_demo

    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    with installation() as opened, Progress(*columns, transient=True, disable=as_json or not out.is_terminal) as bars:
        progress = ProgressBars(bars)
        demo_account = asyncio.run(create_demo(opened, seed, employees, months, progress))
    if progress.existing_employees is not None:
        existing = f"already exists, with {progress.existing_employees} employees"
        print(f"The demo with seed {seed} {existing}; it was not changed.", file=sys.stderr)
    if as_json:
        print(msgspec.json.encode(demo_account).decode())
        return
    out.print(f"Sign in as {demo_account.email} with the password {demo_account.password}")
    out.print(f"API key: {demo_account.api_key}")
