"""What compile_commands.json says of a file: how clang reads it."""

import re
import shlex

COMPILER = "clang++-19"
NOT_OF_READING = re.compile(r"-(c|MD|MMD|MP|Werror.*)$")
WITH_ARGUMENT = {"-o", "-MF", "-MT", "-MQ"}


def reading_options(entry, without=NOT_OF_READING):
    """The compiler's options without its name and what names outputs; None if it is not clang."""
    words = entry["arguments"] if "arguments" in entry else shlex.split(entry["command"])
    at = next((n for n, word in enumerate(words) if word.endswith(COMPILER)), None)
    if at is None:
        return None
    reading = []
    while (at := at + 1) < len(words):
        if words[at] in WITH_ARGUMENT:
            at += 1
        elif not without.match(words[at]):
            reading.append(words[at])
    return reading
