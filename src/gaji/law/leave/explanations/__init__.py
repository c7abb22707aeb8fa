"""How statutory leave, and the length of service that it goes by, came about: one module for each kind."""
