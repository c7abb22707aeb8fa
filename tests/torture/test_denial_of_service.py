"""The limits of the torture scenario, on made-up measurements."""

import pytest

from torture.denial_of_service import AttackResult, percentile

QUIET = [[1.0] * 99 + [10.0]] * 3


def test_percentiles_are_medians_of_the_rounds() -> None:
    assert percentile([[1.0], [2.0], [900.0]], 99) == 2.0
    assert (percentile(QUIET, 50), percentile(QUIET, 99)) == (1.0, 10.0)


@pytest.mark.parametrize(("slowest_ms", "mib", "holds"), [(30.0, 600, True), (31.0, 600, False), (30.0, 601, False)])
def test_an_attack_fails_if_reads_are_slow_or_a_process_is_large(slowest_ms: float, mib: float, holds: bool) -> None:
    attacked = [[1.0] * 99 + [slowest_ms]] * 3
    assert AttackResult("attack", QUIET, attacked, mib).holds is holds
