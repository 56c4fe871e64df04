"""A sweep: every threshold run and scored, with its table and its curve."""
