"""How monthly payments are filed, and until when wages are paid."""

from dataclasses import dataclass
from datetime import date, timedelta

from gaji.law.parameters import History, ParameterFiles

SEPARATELY, IN_FILE = "separately", "in_file"


@dataclass(frozen=True)
class FilingParameters:
    """The parameters of filings and payments."""

    funds_without_nric: History[str]
    """How self-help funds of employees without an NRIC are paid: separately or in the CPF file."""
    salary_deadline: History[int]
    """Days after the end of the salary period."""


def read_parameters(files: ParameterFiles) -> FilingParameters:
    """Read the parameters from `filings.toml`."""
    subject = files.subject("filings")
    parameters = FilingParameters(
        funds_without_nric=subject.choice("funds_without_nric", SEPARATELY, IN_FILE),
        salary_deadline=subject.whole_number("salary_deadline"),
    )
    subject.reject_unknown()
    return parameters


def salary_deadline(parameters: FilingParameters, period_end: date) -> date:
    """Return the last day on which the salary of a period may be paid."""
    return period_end + timedelta(days=parameters.salary_deadline.nearest(period_end).value)
