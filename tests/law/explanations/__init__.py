"""The functions that explain each kind of case: `KINDS`, by file and kind."""

from collections.abc import Mapping

from tests.law.explanations import contributions, leave, pay, pay_dates, wage_offsets
from tests.law.explanations.kinds import CaseKind

KINDS: Mapping[tuple[str, str], CaseKind] = {
    **contributions.KINDS,
    **leave.KINDS,
    **pay.KINDS,
    **pay_dates.KINDS,
    **wage_offsets.KINDS,
}
