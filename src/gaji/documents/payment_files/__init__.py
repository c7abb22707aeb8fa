"""Payment files of a payment run."""
