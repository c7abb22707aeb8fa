"""What can be written of a client, and what makes it valid."""

import re

from stdnum.exceptions import ValidationError
from stdnum.sg import uen

from gaji.company.addresses import PHYSICAL_ADDRESS
from gaji.core.constants import one_of
from gaji.core.validation import Attribute, Boolean, Group, Schema, Text


def checked_uen(text: str) -> str:
    """The UEN in its compact form.

    >>> checked_uen("202699999 e")
    '202699999E'
    """
    try:
        return str(uen.validate(re.sub(r"\s", "", text)))
    except ValidationError:
        raise ValueError(f"{text} is not a valid UEN") from None


def checked_submission_number(text: str) -> str:
    """The CPF submission number in its compact form: the UEN, a payment type and a serial number.

    >>> checked_submission_number("202699999E-PTE-01")
    '202699999EPTE01'
    """
    compact = re.sub(r"[\s-]", "", text).upper()
    match = re.fullmatch(r"([0-9A-Z]{9,10})([A-Z]{3})(\d{2})", compact, re.ASCII)
    if match is None:
        raise ValueError("must be the UEN, three letters of payment type and two digits, such as 202699999EPTE01")
    checked_uen(match[1])
    return compact


BANK_ACCOUNT = Group(
    (
        Attribute("bank_id", one_of("bank_id"), "The bank, from the list `bank_id`.", required=True, example=7171),
        Attribute(
            "account_number",
            Text(
                min_length=4,
                max_length=34,
                pattern=r"[0-9A-Za-z-]+",
                pattern_error="must be digits, letters and hyphens",
            ),
            "The account that wages are paid from.",
            required=True,
            example="0012345678",
        ),
        Attribute(
            "branch_code",
            Text(min_length=3, max_length=3, pattern=r"[0-9]{3}", pattern_error="must be 3 digits"),
            "The branch.",
            required=True,
            example="001",
        ),
        Attribute(
            "account_name", Text(max_length=140), "The name the account is held in.", example="Kopi Trading Pte Ltd"
        ),
        Attribute("company_id", Text(max_length=35), "The company's ID in the bank's payment files.", example="KOPI01"),
    )
)

FEATURES = Group(
    (
        Attribute("custom_wave_names", Boolean(), "Waves may have names of their own.", default=False),
        Attribute("pay_dates", Boolean(), "Waves may have pay dates.", default=False),
        Attribute("regular_hours_v2", Boolean(), "Regular hours are an inherited calculation.", default=True),
        Attribute("leave_any_day", Boolean(), "Leave may be taken on any day.", default=False),
        Attribute("payslip_passwords", Boolean(), "Payslips open with a password only.", default=False),
    )
)

CLIENT = Schema(
    "client",
    (
        Attribute("name", Text(min_length=1), "Name of the company.", required=True, example="Kopi Trading Pte Ltd"),
        PHYSICAL_ADDRESS,
        Attribute("uen", Text(max_length=20, normalise=checked_uen), "Unique Entity Number.", example="202699999E"),
        Attribute(
            "cpf_submission_number",
            Text(max_length=25, normalise=checked_submission_number),
            "CPF submission number: UEN, payment type and serial number.",
            example="202699999EPTE01",
        ),
        Attribute("bank_account", BANK_ACCOUNT, "The account that pays."),
        Attribute(
            "employee_number_mode",
            one_of("employee_number_mode"),
            "Who gives employees their numbers.",
            default="EMPLOYEE_NUMBER_AUTOMATIC",
        ),
        Attribute("features", FEATURES, "What is switched on for this client.", default={}),
    ),
)
