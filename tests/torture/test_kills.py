"""One short round of what `make torture` repeats with random timing."""

from random import Random

import pytest

from torture import kills

pytestmark = pytest.mark.slow


def test_acknowledged_data_survives_every_kill() -> None:
    kills.run(Random(1))
