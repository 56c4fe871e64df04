"""The command line.

main       the front door: parse, run the command, turn errors into exit statuses
commands   one module per command
arguments  arguments that several commands share; of clusters cluster_arguments, of annotated pages
           dataset_arguments
options    what is made of those arguments
messages   what commands say of their work
"""
