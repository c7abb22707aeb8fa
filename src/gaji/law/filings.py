"""How monthly payments are filed."""

from dataclasses import dataclass

from gaji.law.parameters import History, ParameterFiles

SEPARATELY, IN_FILE = "separately", "in_file"


@dataclass(frozen=True)
class FilingParameters:
    """The parameters of filings."""

    funds_without_nric: History[str]
    """How self-help funds of employees without an NRIC are paid: separately or in the CPF file."""


def read_parameters(files: ParameterFiles) -> FilingParameters:
    """Read the parameters from `filings.toml`."""
    subject = files.subject("filings")
    parameters = FilingParameters(
        funds_without_nric=subject.choice("funds_without_nric", SEPARATELY, IN_FILE),
    )
    subject.reject_unknown()
    return parameters
