"""Webhooks: events that are sent to other systems, by Standard Webhooks 1.0."""
