"""Leave requests: what employees ask for, and what is answered."""
