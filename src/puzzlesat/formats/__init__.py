"""Files of other programs: a row in ``table`` and a module for each format."""
