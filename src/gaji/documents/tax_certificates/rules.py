"""What can be written of tax certificates."""

from gaji.core import clock
from gaji.core.errors import INVALID, Errors
from gaji.core.validation import Attribute, Integer, Record, Schema

FIRST_YEAR, LAST_YEAR = 2000, 2199


def not_in_the_future(record: Record, faults: Errors) -> None:
    """Nobody has income of a year that has not begun."""
    this_year = clock.today().year
    if record["year"] is not None and record["year"] > this_year:
        faults.add("year", INVALID, reason=f"must not be after {this_year}")


GENERATE = Schema(
    "tax_certificates",
    (Attribute("year", Integer(FIRST_YEAR, LAST_YEAR), "The year of income.", required=True, example=2026),),
    rules=(not_in_the_future,),
    read_only=(),
)
