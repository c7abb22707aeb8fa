"""Leave balances and the movements that they are the sum of."""
