"""Figures: what all drawings and tables of text share."""
