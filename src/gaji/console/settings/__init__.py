"""The further settings of a company: fields, items, accounts, leave, profiles, people, and what was changed."""
