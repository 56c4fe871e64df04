"""Compare what we read with what is right, on mutated input."""
