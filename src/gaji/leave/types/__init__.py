"""Leave types and their policies."""
