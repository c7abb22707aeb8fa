"""More than 100,000 random people, others in each round: the law agrees with the reference of the tests."""

from random import Random

from gaji.law import registry
from tests.law.reference_comparison import MONTHS, compare_with_reference

PEOPLE_PER_MONTH = 720
"""In each of the 144 months."""


def run(random: Random) -> None:
    """Compare them. Raises AssertionError if a figure differs."""
    law = registry.load()
    for month in MONTHS:
        compare_with_reference(law, month, random, PEOPLE_PER_MONTH)
