"""Journal files: the journal of a finalised pay run for accounting programs."""
