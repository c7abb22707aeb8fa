"""Leave requests and their decisions."""
