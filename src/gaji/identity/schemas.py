"""What can be written of someone who works with a client."""

from gaji.core.constants import one_of
from gaji.core.validation import Attribute, Integer, Schema, Text, when

OWNER = "owner"
EMPLOYEE = "employee"
IS_EMPLOYEE = when("role", EMPLOYEE)
MOST_EMAIL_CHARACTERS = 254
# One can sign in with printable ASCII only: databases make small letters of others in their own ways.
EMAIL = Text(
    min_length=3,
    max_length=MOST_EMAIL_CHARACTERS,
    pattern=r"[!-?A-~]+@[!-?A-~]+",
    pattern_error="must be an email address such as siti@example.com",
)
_ROLE = (
    Attribute("role", one_of("role"), "What they may do.", required=True),
    Attribute(
        "employee_id",
        Integer(minimum=1),
        "Which employee they are.",
        required_if=IS_EMPLOYEE,
        only_if=IS_EMPLOYEE,
    ),
)
ROLE = Schema("membership", _ROLE)
NEW_MEMBER = Schema("membership", (Attribute("email", EMAIL, "With which they sign in.", required=True), *_ROLE))
