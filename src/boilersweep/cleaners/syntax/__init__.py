"""Cleaners as text: their grammar, sweeps and grids, names of files."""
