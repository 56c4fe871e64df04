"""The command line: arguments that commands share, and one module per command in `commands`."""
