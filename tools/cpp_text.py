"""C++ as text: without comments and literals, and where its functions begin and end."""

import re

LITERAL = re.compile(
    r'R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"'     # Raw strings, before plain ones.
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"   # Not the ' within 1'000.
    r"|//[^\n]*|/\*.*?\*/", re.DOTALL)


def blank_out(text):
    """The code alone: comments and literals become blanks, every line keeps its number."""
    return LITERAL.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


NOT_A_FUNCTION = re.compile(
    r"(namespace|class|struct|enum|union|extern|if|for|while|switch|catch|do|else|try)\b")
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
IS_FUNCTION = re.compile(r"(\)|\bconst|\bnoexcept|\boverride|\bfinal|\bmutable|->[^;{]*|\&)\s*$")


def functions(code):
    """(first line, number of lines) of each function body in code without comments and strings."""
    code = PREPROCESSOR.sub(lambda found: "\n" * found[0].count("\n"), code)
    open_braces, start, line = [], 0, 1
    for at, letter in enumerate(code):
        if letter == "\n":
            line += 1
        elif letter == ";":
            start = at + 1
        elif letter == "{":
            header = re.sub(r"^\s*template\s*<[^;{]*?>\s*\n", "", code[start:at]).strip()
            is_function = ("(" in header and not NOT_A_FUNCTION.match(header)
                           and IS_FUNCTION.search(header) is not None)
            open_braces.append(line - header.count("\n") if is_function else None)
            start = at + 1
        elif letter == "}" and open_braces:
            first = open_braces.pop()
            if first is not None:
                yield first, line - first + 1
            start = at + 1
