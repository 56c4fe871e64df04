"""Cleaners that papers and libraries published, one file each."""
