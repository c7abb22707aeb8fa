"""Steps of payment runs for several clients at once, done by workers."""
