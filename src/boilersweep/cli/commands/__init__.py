"""One module per command, under the command's name: its parser, and a function that runs it."""
