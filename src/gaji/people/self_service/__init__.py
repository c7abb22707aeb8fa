"""Self-service: what people who are paid may look at and ask for themselves."""
