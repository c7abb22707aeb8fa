"""Benefits in kind: what the employer provides to an employee other than money, for Appendix 8A of form IR8A."""
