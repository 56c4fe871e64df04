"""How documents are ranked: formulas, feedback, searching indexes, the exact engine, runs."""
