"""The MCP server: tools for assistants. It is a client of the HTTP API and has no access to the database."""
