"""One short round of what `make torture` repeats with random timing."""

from random import Random

from torture import kills


def test_acknowledged_data_survives_every_kill() -> None:
    kills.run(Random(1))
