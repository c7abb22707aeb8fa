"""The console: the payroll officer's pages, server-rendered, on the same services as the API."""
