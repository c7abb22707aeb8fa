"""The MCP server: tools on top of the API. It is a client of the HTTP API and has no access to the database."""
