"""Pay points: groups of a client's employees, such as departments."""
