"""The order of regular runs: the periods of a wave are paid one after the other."""

from dataclasses import dataclass
from datetime import date

from gaji.core.errors import Conflict
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs import payslips, repository
from gaji.payroll.payslips.draft_periods import PeriodKey


@dataclass(frozen=True, slots=True)
class EarlierPeriod:
    """A period of a wave that has to be paid before a later one."""

    end: date
    run_id: int | None
    """Its regular run. None if it is not opened yet."""
    is_finalised: bool
    """Whether that run is finalised, so that it lacks payslips that were added since."""


class EarlierPeriodUnpaid(Conflict):
    """An earlier period of the wave has to be paid first."""

    def __init__(self, message: str, earlier: EarlierPeriod) -> None:
        super().__init__(message)
        self.earlier = earlier


async def find_earlier_period(tx: Transaction, client_id: int, period: PeriodKey) -> EarlierPeriod | None:
    """Return the first earlier period of the wave that is still unpaid."""
    run_end = await repository.first_open_before(tx, client_id, *period)
    draft_end = await payslips.first_draft_before(tx, client_id, period)
    ends = [end for end in (run_end, draft_end) if end is not None]
    if not ends:
        return None
    run = await repository.regular_run_of_end(tx, client_id, period.wave_id, min(ends))
    return EarlierPeriod(min(ends), run["id"], run["finalised"]) if run else EarlierPeriod(min(ends), None, False)


async def require_first(tx: Transaction, client_id: int, period: PeriodKey) -> None:
    """Reject a run while an earlier period of its wave is still unpaid."""
    earlier = await find_earlier_period(tx, client_id, period)
    if earlier is None:
        return
    end = earlier.end
    if earlier.run_id is None:
        message = f"The payslips of {end} must be paid first; open the payment run of {end}"
    elif earlier.is_finalised:
        message = (
            f"Some payslips of {end} were added after the payment run of {end} was finalised; "
            "unfinalise that run to include them"
        )
    else:
        message = f"The payment run of {end} is not finalised yet; finalise the runs of a wave in order"
    raise EarlierPeriodUnpaid(message, earlier)
