"""Tax certificates: what employees earned in a year, as form IR8A asks for it, and drafts of form IR21 for leavers."""
