"""The list of slow test files names files that exist."""

from pathlib import Path

from tests.slow_files import SLOW_FILES


def test_every_slow_file_exists_once() -> None:
    assert len(set(SLOW_FILES)) == len(SLOW_FILES)
    assert [name for name in SLOW_FILES if not (Path(__file__).parent / name).is_file()] == []
