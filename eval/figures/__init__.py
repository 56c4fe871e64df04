"""Figures: what all drawings share."""
