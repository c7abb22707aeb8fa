"""Pay points: a way of grouping the employees of a client, by department for example."""
