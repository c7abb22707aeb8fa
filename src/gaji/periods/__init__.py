"""Draft locks and guards on closed periods: what to check before changing the past."""
