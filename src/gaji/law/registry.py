"""All statutory subjects, loaded and checked together.

    law = registry.load()
    levies = sdl.levy_cents(law.sdl, Month(2026, 1), remuneration_cents, exempt)

To add a subject, put its parameters in `parameters/<subject>.toml`, put its rules, `read_parameters` and `explain` in a
module of the same name, and add a field here.
"""

from dataclasses import dataclass
from pathlib import Path

from gaji.law import (
    benefits_in_kind,
    cpf,
    due_dates,
    filings,
    government_paid_leave,
    holidays,
    late_contributions,
    leave,
    levy,
    national_service,
    pay,
    sdl,
    self_help_funds,
    share_gains,
    tax,
    wage_offsets,
)
from gaji.law.parameters import ParameterFiles, read_files


@dataclass(frozen=True)
class Law:
    """The parameters of every subject."""

    cpf: cpf.CpfParameters
    self_help_funds: self_help_funds.FundParameters
    sdl: sdl.SdlParameters
    levy: levy.LevyParameters
    pay: pay.PayParameters
    national_service: national_service.NationalServiceParameters
    leave: leave.LeaveParameters
    government_paid_leave: government_paid_leave.GovernmentPaidLeaveParameters
    tax: tax.TaxParameters
    benefits_in_kind: benefits_in_kind.BenefitParameters
    share_gains: share_gains.ShareGainParameters
    due_dates: due_dates.DueDateParameters
    late_contributions: late_contributions.LateContributionParameters
    filings: filings.FilingParameters
    holidays: holidays.HolidayCalendar
    wage_offsets: wage_offsets.WageOffsetParameters | None
    """None in a law that was stored before this subject existed. No payslip depends on it."""
    rules_version: str
    """Changes whenever the content of a parameter file changes."""
    text: str
    """The content in canonical form. `from_files(from_text(text))` gives the same law."""


def load(overrides: Path | None = None) -> Law:
    """Load the built-in parameter files and an operator's overrides; raise InvalidParameterFile."""
    return from_files(read_files(overrides))


def from_files(files: ParameterFiles) -> Law:
    """Build the law from parsed parameter files."""
    return Law(
        cpf=cpf.read_parameters(files),
        self_help_funds=self_help_funds.read_parameters(files),
        sdl=sdl.read_parameters(files),
        levy=levy.read_parameters(files),
        pay=pay.read_parameters(files),
        national_service=national_service.read_parameters(files),
        leave=leave.read_parameters(files),
        government_paid_leave=government_paid_leave.read_parameters(files),
        tax=tax.read_parameters(files),
        benefits_in_kind=benefits_in_kind.read_parameters(files),
        share_gains=share_gains.read_parameters(files),
        due_dates=due_dates.read_parameters(files),
        late_contributions=late_contributions.read_parameters(files),
        filings=filings.read_parameters(files),
        holidays=holidays.read_calendar(files),
        wage_offsets=wage_offsets.read_parameters(files) if "wage_offsets" in files.documents else None,
        rules_version=files.version,
        text=files.text,
    )
