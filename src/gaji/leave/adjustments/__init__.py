"""Leave adjustments: days that the employer grants or takes back in addition to the policies."""
