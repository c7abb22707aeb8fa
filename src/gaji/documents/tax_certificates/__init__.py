"""Tax certificates: the yearly income of employees in the boxes of form IR8A, and drafts of form IR21 for leavers."""
