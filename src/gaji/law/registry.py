"""The statute book: every subject of the law, loaded and checked once.

    law = book.load()
    levies = sdl.levy_cents(law.sdl, Month(2026, 1), remuneration_cents, exempt)

To add a subject: its figures in `parameters/<subject>.toml`, its rules, its `read` and its `explain` in a module of the
same name, and one line here.
"""

from dataclasses import dataclass
from pathlib import Path

from gaji.law import cpf, holidays, leave, levy, pay, sdl, self_help_funds
from gaji.law.parameters import Files, read_files


@dataclass(frozen=True)
class Law:
    """What Singapore says, as far as Gaji knows it."""

    cpf: cpf.CpfParameters
    self_help_funds: self_help_funds.FundParameters
    sdl: sdl.SdlParameters
    levy: levy.LevyParameters
    pay: pay.PayParameters
    leave: leave.LeaveParameters
    holidays: holidays.Holidays
    rules_version: str
    """Changes whenever the content of a parameter file does."""
    text: str
    """That content in one canonical form; `of(from_text(text))` is this law again."""


def load(overrides: Path | None = None) -> Law:
    """The law from our parameter files and an operator's; raises WrongParameters."""
    return of(read_files(overrides))


def of(files: Files) -> Law:
    """The law that these files hold."""
    return Law(
        cpf=cpf.read(files),
        self_help_funds=self_help_funds.read(files),
        sdl=sdl.read(files),
        levy=levy.read(files),
        pay=pay.read(files),
        leave=leave.read(files),
        holidays=holidays.read(files),
        rules_version=files.version,
        text=files.text,
    )
