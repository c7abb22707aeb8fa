"""Leave: types with their policies, days, adjustments, requests, and the balances that follow from all of them."""
