"""The bars of `make bench` that need no server can be measured."""

import pytest

from bench import law


def test_the_law_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law, "PEOPLE", 20)
    monkeypatch.setattr(law, "DISTINCT_PEOPLE", 10)
    monkeypatch.setattr(law, "REFERENCE_PEOPLE", 10)
    with law.BAR.sides() as sides:
        assert sides.ours().value > 0
        assert sides.baseline().value > 0
