"""One short round of what `make torture` repeats with random timing."""

from random import Random

from torture import kills


def test_what_was_acknowledged_survives_every_kill_and_nothing_else_is_harmed() -> None:
    kills.run(Random(1))
