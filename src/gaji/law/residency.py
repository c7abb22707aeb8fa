"""Legal status and work pass, under the names that the API uses."""

from enum import IntEnum

import numpy as np

from gaji.law.columns import Codes, Dates, Flags, equals_code
from gaji.law.months import Month


class LegalStatus(IntEnum):
    """Citizen, permanent resident or one of the kinds of foreigner."""

    CITIZEN = 0
    PR = 1
    FOREIGNER = 2
    FOREIGNER_WP = 3
    FD_MALAYSIA = 4
    FD_OTHER = 5


class WorkPass(IntEnum):
    """The work pass of a foreigner; citizens and permanent residents have none."""

    NONE = 0
    EP = 1
    SPASS = 2
    WP = 3
    OTHER = 4


def is_resident(month: Month, legal_status: Codes, pr_dates: Dates, citizenship_dates: Dates) -> Flags:
    """Whether each person is a citizen or a permanent resident at the end of a month.

    Before the citizenship date, the permanent residence decides. A citizen without a citizenship date is a citizen by
    birth; a PR date on the record is ignored.
    """
    last_day = np.datetime64(month.last_day, "D")
    has_citizen_status = equals_code(legal_status, LegalStatus.CITIZEN)
    citizen: Flags = has_citizen_status & ~(citizenship_dates > last_day)
    settled = has_citizen_status | equals_code(legal_status, LegalStatus.PR)
    permanent: Flags = settled & ~(pr_dates > last_day)
    return citizen | permanent
