"""A few of the kills that `make torture` repeats 1,000 times during pay runs."""

from random import Random

import pytest

from torture import payroll_kills

pytestmark = pytest.mark.slow


def test_pay_runs_survive_kills_of_both_servers() -> None:
    payroll_kills.run(Random(1), kills=4)
