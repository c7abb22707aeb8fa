"""The HTTP layer: routing, authentication, rate limits, problem documents and API documentation."""
