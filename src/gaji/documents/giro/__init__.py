"""GIRO payment files in the formats of the payer's bank."""
