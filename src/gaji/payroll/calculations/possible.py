"""What can be done with a calculation beside entering its inputs."""

from gaji.engine.catalogue import CalculationType, CalculationKind

LEVY = "foreign_worker_levy"
MULTIPLIED = (CalculationKind.EARNING, CalculationKind.PAYMENT, CalculationKind.BENEFIT, CalculationKind.EMPLOYER_COST)


def can_be_skipped(one: CalculationType | None) -> bool:
    """Whether a payslip can go without it; a custom item (None) always can.

    The law takes what it takes, whatever is skipped: who does not contribute to a fund says so with `opt_out`.
    """
    return one is None or one.kind not in (CalculationKind.SETTING, CalculationKind.STATUTORY) or one.name == LEVY


def can_be_multiplied(one: CalculationType) -> bool:
    """Whether its amount is one that can be multiplied."""
    return one.kind in MULTIPLIED
