"""The command line: a module a command, each a parser and a function of the parsed arguments."""
