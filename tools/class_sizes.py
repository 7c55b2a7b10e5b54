#!/usr/bin/env python3
"""How many public methods and fields each class has, read out of the text.

tidy.py holds new classes to METHODS_MAX and FIELDS_MAX, and those that were larger before to what
stands in tidy_counts.txt. That may only shrink: `tools/class_sizes.py --shrink` writes it anew.

Methods: public member functions, static ones too; no constructors, destructors and operators.
Fields: public ones that can be changed, so neither constants nor references. Those of a struct with
BERTH_FIELDS are not counted, since it is a format that grows; nor those of a `struct Store::Parts`,
since it is what only Store sees of itself.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from cpp_text import PREPROCESSOR, blank_out  # noqa: E402
from layers import Layers, code_in, code_of  # noqa: E402

METHODS_MAX = 25
FIELDS_MAX = 15
COUNTS_FILE = "tools/tidy_counts.txt"
OPENING = """\
# Classes that have more public methods, or more public fields that can be changed, than
# tools/tidy.py lets new classes have. The numbers only go down: `tools/class_sizes.py --shrink`.
"""

MACRO = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]*\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
ACCESS = re.compile(r"\s*(public|protected|private)\s*:(?!:)")
OPERATOR = re.compile(r"\boperator\s*(\(\)|\[\]|[^\w\s(]+|[\w:]+)")
CLASS = re.compile(r"(?:^|\s)(?:class|struct|union)\s+([\w:]+)\s*(?:final\s*)?(?::[^:].*)?$", re.DOTALL)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\b\s*([\w:]*)$")
ENUM = re.compile(r"^enum\b[^{;]*\{[^}]*\}")
NO_MEMBER = re.compile(r"(using|typedef|friend|static_assert)\b"
                       r"|(template\s+)?(class|struct|union|enum(\s+class)?)\s+\w+(\s*:\s*[\w:]+)?$")


def without_angles(text):
    """Without the arguments of templates, whose commas and parentheses mean something else."""
    kept, depth = [], 0
    for letter in text.replace("->", "  ").replace("<<", "  "):
        if letter == "<":
            depth += 1
        elif letter == ">" and depth:
            depth -= 1
        elif not depth:
            kept.append(letter)
    return "".join(kept)


def outside(text, stop):
    """The parts of text between those letters of `stop` that are in no bracket."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        if letter in stop and depth == 0:
            parts.append(text[start:at])
            start = at + 1
        depth += (letter in "([{") - (letter in ")]}")
    return [*parts, text[start:]]


def is_function(text):
    """Not a field that is computed by one, nor a pointer to one."""
    before = outside(without_angles(OPERATOR.sub(" operator ", text)), "={")[0]
    return "(" in before and re.search(r"\(\s*\*", before) is None


def fields_in(text):
    if re.match(r"(inline\s+)?(static|constexpr)\b", text):
        return 0
    names = [outside(one, "={")[0] for one in outside(text, ",")]
    first = names[0]
    is_fixed = ("&" in first or re.search(r"\*\s*const\b", first)
                or "*" not in first and re.search(r"\bconst\b", first))
    return 0 if is_fixed else len(names)


class Size:
    """A class, and what has been counted of it so far."""

    def __init__(self, name, is_public, line):
        self.name, self.is_public, self.line = name, is_public, line
        self.methods = self.fields = 0
        self.is_format = False  # It has BERTH_FIELDS.
        self.is_inside = False  # Declared within a class, and defined elsewhere.

    def after_access(self, text):
        while found := ACCESS.match(text):
            self.is_public = found[1] == "public"
            text = text[found.end():]
        return text

    def member(self, text):
        text = without_angles(OPERATOR.sub(" operator ", text))
        text = " ".join(re.sub(r"\[\[[^\]]*\]\]|\balignas\([^()]*\)", " ", text).split())
        text = ENUM.sub("type_above", text)
        self.is_format |= text == "BERTH_FIELDS"
        if not self.is_public or text in {"", "BERTH_FIELDS", "type_above"} or NO_MEMBER.match(text):
            return
        if not is_function(text):
            self.fields += fields_in(text)
            return
        before = text[:text.index("(")].split()
        name = before[-1] if before else ""
        own = self.name.split("::")[-1]
        self.methods += "operator" not in before and name not in {own, "~" + own, "~"}


def pairs(code):
    """{where a brace or parenthesis opens: where it is closed}."""
    closed, to_close = {}, []
    for at, letter in enumerate(code):
        if letter in "({":
            to_close.append(at)
        elif letter in ")}" and to_close:
            closed[to_close.pop()] = at
    return closed


class Reader:
    """Walks through namespaces and classes, and past the bodies of functions."""

    def __init__(self, text):
        code = PREPROCESSOR.sub(lambda found: "\n" * found[0].count("\n"), blank_out(text))
        self.code = MACRO.sub(self.blank_macro, code)
        self.closed = pairs(self.code)
        self.found = []

    @staticmethod
    def blank_macro(found):
        return "BERTH_FIELDS;" * found[0].startswith("BERTH_FIELDS(") + "\n" * found[0].count("\n")

    def read(self, start, end, names, size):
        """What is between two braces: of a namespace, or of the class `size`."""
        at, before = start, ""  # `before`: a type whose declaration goes on as that of a field.
        while at < end:
            letter = self.code[at]
            if letter == ";" and size:
                size.member(before + size.after_access(self.code[start:at]))
            if letter == ";":
                start, before = at + 1, ""
            elif letter == "(":
                at = self.closed.get(at, at)
            elif letter == "{":
                close = self.closed.get(at, end)
                header = self.code[start:at]
                header = size.after_access(header) if size else header
                if self.enters(header, at, close, names, size):
                    start, before = close + 1, "type_above " if size else ""
                elif size and is_function(header) and self.code[close + 1:].lstrip()[:1] not in {",", "{"}:
                    size.member(header)
                    start = close + 1
                elif not size:
                    start = close + 1
                at = close
            at += 1

    def enters(self, header, at, close, names, size):
        header = without_angles(re.sub(r"\balignas\([^()]*\)|\[\[[^\]]*\]\]", " ", header)).strip()
        space = NAMESPACE.match(header)
        named = None if header.startswith("enum") else CLASS.search(header)
        if space or header == "extern":
            self.read(at + 1, close, [*names, space[1]] if space and space[1] else names, None)
        elif named:
            is_struct = re.search(r"\bclass\s+[\w:]+\s*(final\s*)?(:[^:].*)?$", header, re.DOTALL) is None
            inner = Size("::".join([*names, named[1]]), is_struct, self.code.count("\n", 0, at) + 1)
            inner.is_inside = "::" in named[1]
            self.found.append(inner)
            self.read(at + 1, close, [*names, named[1]], inner)
        return bool(space or named or header == "extern")


def class_sizes(text):
    reader = Reader(text)
    reader.read(0, len(reader.code), [], None)
    return reader.found


def large(root):
    """{(kind, class): (count, most, file, line)} of those above the most; tests are left out."""
    layers, found = Layers(root), {}
    for path in [*code_of(root), *code_in(root / "apps")]:
        if layers.is_test(root, path):
            continue
        for size in class_sizes(path.read_text(errors="replace")):
            where = path.relative_to(root).as_posix(), size.line
            fields = 0 if size.is_format or size.is_inside else size.fields
            for kind, count, most in (("methods", size.methods, METHODS_MAX),
                                      ("fields", fields, FIELDS_MAX)):
                if count > max(most, found.get((kind, size.name), (0,))[0]):
                    found[kind, size.name] = (count, most, *where)
    return found


def allowed(root):
    """{(kind, class): (count, line of the file)} of those that were larger before."""
    path = root / COUNTS_FILE
    rows = {}
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else (), start=1):
        if line and not line.startswith("#"):
            kind, count, name = line.split()
            rows[kind, name] = (int(count), number)
    return rows


WORDS = {"methods": "public methods", "fields": "public fields that can be changed"}


def complaints(root):
    known, found = allowed(root), large(root)
    for (kind, name), (count, most, path, line) in sorted(found.items()):
        before = known.get((kind, name), (most, 0))[0]
        if count > before:
            had = f"it had {before}" if before > most else f"{most} are the most"
            yield f"{path}:{line}: {name} has {count} {WORDS[kind]}; {had}. What could stand on its own?"
    for (kind, name), (count, line) in sorted(known.items()):
        now = found.get((kind, name), (0,))[0]
        if now < count:
            left = f"only {now}" if now else "no more than is allowed"
            yield f"{COUNTS_FILE}:{line}: {name} has {left} by now: run tools/class_sizes.py --shrink"


def shrink(root):
    """Writes the table anew, each number the lower of the old one and today's."""
    found = large(root)
    rows = [(kind, min(count, found[kind, name][0]), name)
            for (kind, name), (count, _) in allowed(root).items() if (kind, name) in found]
    write(root, rows)


def write(root, rows):
    lines = [f"{kind:7} {count:3} {name}\n" for kind, count, name in
             sorted(rows, key=lambda row: (row[0], row[2]))]
    (root / COUNTS_FILE).write_text(OPENING + "".join(lines))


def main():
    root = Path(__file__).resolve().parent.parent
    if sys.argv[1:] == ["--shrink"]:
        shrink(root)
        return
    for (kind, name), (count, *_) in sorted(large(root).items(), key=lambda row: (row[0][0], -row[1][0])):
        print(f"{kind:7} {count:3} {name}")


if __name__ == "__main__":
    main()
