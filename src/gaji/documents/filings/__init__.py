"""Monthly filings with the authorities."""
