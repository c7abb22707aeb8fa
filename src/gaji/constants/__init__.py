"""The data lists that attributes take their values from."""
