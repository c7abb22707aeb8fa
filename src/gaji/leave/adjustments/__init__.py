"""Leave adjustments: days that the employer grants or deducts in addition to the policies."""
