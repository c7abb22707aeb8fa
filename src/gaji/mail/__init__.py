"""Mail: an outbox that is written in the transaction of the change, templates, and the sender."""
