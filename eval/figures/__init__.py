"""Figures: what drawings share."""
