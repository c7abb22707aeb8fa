"""Self-service: what employees can read and request about themselves."""
