"""Settings of a company."""
