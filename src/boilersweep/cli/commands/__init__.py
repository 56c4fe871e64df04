"""A module for each command: its parser, and a function of the parsed arguments."""
