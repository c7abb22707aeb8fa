"""The address of a company or of a place in it: four lines of text, each of which may be empty."""

from gaji.core.validation import Attribute, Group, Text

ADDRESS_LINES = ("unit_no", "complex", "st_name", "postal_code")

PHYSICAL_ADDRESS = Attribute(
    "physical_address",
    Group(
        (
            Attribute("unit_no", Text(max_length=20), "Unit number.", default="", example="#08-15"),
            Attribute("complex", Text(), "Building or complex.", default="", example="Ubi Techpark"),
            Attribute("st_name", Text(), "Street with house number.", default="", example="10 Ubi Crescent"),
            Attribute("postal_code", Text(max_length=20), "Postal code.", default="", example="408564"),
        )
    ),
    "Where it is. Lines that are not given are empty strings.",
    default={},
)
