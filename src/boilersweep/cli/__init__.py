"""The command line.

main      parse, run the command, turn errors into exit statuses
commands  one module per command
options   the options that commands share, in groups
stores    the block stores that commands make of a collection
parser    argparse, reporting all mistakes of a call
messages  notes on stderr and results on stdout; terminal: tables that fit it
"""
