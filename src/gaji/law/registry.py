"""The statute book: every subject of the law, loaded and checked once.

    law = book.load()
    levies = sdl.levy_cents(law.sdl, Month(2026, 1), remuneration_cents, exempt)

To add a subject: its figures in `parameters/<subject>.toml`, its rules, its `read` and its `explain` in a module of the
same name, and one line here.
"""

from dataclasses import dataclass
from pathlib import Path

from gaji.law import cpf, holidays, leave, levy, pay, sdl, self_help_funds
from gaji.law.parameters import ParameterFiles, read_files


@dataclass(frozen=True)
class Law:
    """What Singapore says, as far as Gaji knows it."""

    cpf: cpf.CpfParameters
    self_help_funds: self_help_funds.FundParameters
    sdl: sdl.SdlParameters
    levy: levy.LevyParameters
    pay: pay.PayParameters
    leave: leave.LeaveParameters
    holidays: holidays.HolidayCalendar
    rules_version: str
    """Changes whenever the content of a parameter file does."""
    text: str
    """That content in one canonical form; `of(from_text(text))` is this law again."""


def load(overrides: Path | None = None) -> Law:
    """The law from our parameter files and an operator's; raises WrongParameters."""
    return from_files(read_files(overrides))


def from_files(files: ParameterFiles) -> Law:
    """The law that these files hold."""
    return Law(
        cpf=cpf.read_parameters(files),
        self_help_funds=self_help_funds.read_parameters(files),
        sdl=sdl.read_parameters(files),
        levy=levy.read_parameters(files),
        pay=pay.read_parameters(files),
        leave=leave.read_parameters(files),
        holidays=holidays.read_calendar(files),
        rules_version=files.version,
        text=files.text,
    )
