"""The bounds of dates."""

from datetime import date

MIN_DATE, MAX_DATE = date(1900, 1, 1), date(2199, 12, 31)
"""The bounds of every date that a caller sends. Some dates have narrower bounds."""
