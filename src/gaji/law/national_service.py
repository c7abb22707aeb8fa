"""Pay during operationally ready national service (reservist training).

An employer on the DIRECT scheme pays the full salary and is reimbursed. Another employer pays the salary of an
incomplete month, and the serviceman is paid by the Ministry of Defence or the Ministry of Home Affairs. CPF is on the
usual wages in both cases.
"""

from dataclasses import dataclass

from gaji.law.parameters import History, ParameterFiles

PAID, USUAL = "paid", "usual"
CPF_SOURCE = "CPF Board, CPF contributions during national service; Enlistment Act 1970"


@dataclass(frozen=True)
class NationalServiceParameters:
    """The parameters of national service."""

    levy_and_funds_basis: History[str]
    """Whether the skills development levy and the self-help funds are on the pay or on the usual wages."""


def read_parameters(files: ParameterFiles) -> NationalServiceParameters:
    """Read the parameters from `national_service.toml`."""
    subject = files.subject("national_service")
    parameters = NationalServiceParameters(subject.choice("levy_and_funds_basis", PAID, USUAL))
    subject.reject_unknown()
    return parameters
