"""Leave: what policies give, which balances follow, what a day counts. The order is that of the rules' page."""
