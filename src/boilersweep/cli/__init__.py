"""The command line.

main      run a command line, turn errors into messages and exit statuses
app       the commands by name, their help, and what calls of them say
call      which options a call gives, and rules between them
commands  one module per command
options   the options that commands share, in groups
messages  notes on stderr and results on stdout; terminal: tables that fit it
"""
