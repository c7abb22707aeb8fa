"""Leave adjustments: what the employer grants or takes back beside what the policies give."""
