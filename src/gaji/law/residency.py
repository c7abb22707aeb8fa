"""Who someone is to the law: legal status and work pass, under the names that the interface has for them."""

from enum import IntEnum

import numpy as np

from gaji.law.columns import Codes, Dates, Flags, equals_code
from gaji.law.months import Month


class LegalStatus(IntEnum):
    """Whether someone is a citizen, a permanent resident or a foreigner."""

    CITIZEN = 0
    PR = 1
    FOREIGNER = 2
    FOREIGNER_WP = 3
    FD_MALAYSIA = 4
    FD_OTHER = 5


class WorkPass(IntEnum):
    """The pass that a foreigner works on; citizens and permanent residents have none."""

    NONE = 0
    EP = 1
    SPASS = 2
    WP = 3
    OTHER = 4


def is_resident(month: Month, legal_status: Codes, pr_dates: Dates, citizenship_dates: Dates) -> Flags:
    """Who is a citizen or a permanent resident by the end of a month.

    Whoever becomes a citizen later is until then what their permanent residence makes them. A citizen without a day of
    citizenship is one by birth, whatever date of permanent residence has been left behind.
    """
    last_day = np.datetime64(month.last_day, "D")
    is_citizen = equals_code(legal_status, LegalStatus.CITIZEN)
    citizen: Flags = is_citizen & ~(citizenship_dates > last_day)
    settled = is_citizen | equals_code(legal_status, LegalStatus.PR)
    permanent: Flags = settled & ~(pr_dates > last_day)
    return citizen | permanent
