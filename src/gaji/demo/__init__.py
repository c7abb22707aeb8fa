"""The demo: an account with a plausible company that is the same for the same seed and day."""
