"""Histories of pay in which the truth comes late, in far greater numbers than in the tests."""

from collections import Counter
from random import Random

from tests.payroll.corrections.guarantees import CHUNK_SIZE, check_histories

HISTORIES = 200_000


def run(random: Random) -> None:
    """Check the guarantee about late news on random histories. Raises AssertionError with the seed of the first."""
    first = random.randrange(10**9)
    exceptions: Counter[str] = Counter()
    for start in range(first, first + HISTORIES, CHUNK_SIZE):
        check_histories(range(start, start + CHUNK_SIZE), exceptions)
    print(f"  {HISTORIES:,} histories; exceptions: {dict(exceptions)}", flush=True)
