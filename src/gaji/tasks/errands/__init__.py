"""Errands: what is asked for in a request, done by a worker, and kept for a day; others see how far it is."""
