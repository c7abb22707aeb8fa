"""Leave types and their policies: what a client gives."""
