"""Command lines that messages, manuals of models and pages show, for people to copy."""

import shlex


def words_of(command: str, **parameters: object) -> list[str]:
    """Return the words of a command line, parameters as the program spells them as options.

    Args:
        command: The name of the command.
        **parameters: True is an option alone, a list an option for each of its values; None, False
            and empty values are left out.
    """
    words = ["boilersweep", command]
    for name, value in parameters.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif isinstance(value, list):
            words += [word for inner in value for word in (option, str(inner))]
        elif value:
            words += [option, str(value)]
    return words


def command_line(command: str, **parameters: object) -> str:
    """Return a command line, see `words_of`, quoted for a shell."""
    return shlex.join(words_of(command, **parameters))
