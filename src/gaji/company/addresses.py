"""The address of a company or of one of its pay points: four lines of text, each of which can be empty."""

import msgspec

from gaji.core.field_types import Text
from gaji.core.validation import Attribute, Group


class CompanyAddress(msgspec.Struct, frozen=True, kw_only=True):
    """The address of a company or of a pay point."""

    unit_no: str
    complex: str
    st_name: str
    postal_code: str


ADDRESS_LINES = CompanyAddress.__struct_fields__
"""The columns of an address."""

PHYSICAL_ADDRESS = Attribute(
    "physical_address",
    Group(
        (
            Attribute("unit_no", Text(max_length=20), "Unit number.", default="", example="#08-15"),
            Attribute("complex", Text(), "Building or complex.", default="", example="Ubi Techpark"),
            Attribute("st_name", Text(), "Street with house number.", default="", example="10 Ubi Crescent"),
            Attribute("postal_code", Text(max_length=20), "Postal code.", default="", example="408564"),
        ),
        struct=CompanyAddress,
    ),
    "The address. Missing lines are empty strings.",
    default={},
)
