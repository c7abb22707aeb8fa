"""What can be written of a pay point."""

from gaji.addresses import PHYSICAL_ADDRESS
from gaji.attributes import Attribute, Catalogue, Text

PAY_POINT = Catalogue(
    "pay_point",
    (
        Attribute("name", Text(least=1), "Name, unique in the client.", required=True, example="Warehouse"),
        PHYSICAL_ADDRESS,
    ),
)
