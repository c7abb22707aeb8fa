"""For each kind of case the explanations of its figures: `KINDS`, by file and kind."""

from collections.abc import Mapping

from tests.law.explained import contributions, leave, pay, pay_dates
from tests.law.explained.kinds import Kind

KINDS: Mapping[tuple[str, str], Kind] = {
    **contributions.KINDS,
    **leave.KINDS,
    **pay.KINDS,
    **pay_dates.KINDS,
}
