"""What other systems follow: the event feed and webhooks."""
