"""Names of anonymous namespaces that two files of one target give to different things.

A unity build joins files of a target, others in each preset: what one build takes, another refuses. Types, constants and
other names of types are compared by name, functions by name and the types of their parameters. It reads text, as tidy.py does."""

import re

from cpp_text import blank_out
from layers import includes

TYPE = re.compile(r"(?:struct|class|enum class) (\w+)\b(?! ?;)")
ALIAS = re.compile(r"using (\w+) = ([^;]*);")
CONSTANT = re.compile(r"(?:constexpr|const|static const)\b[^=({;]*?\b(k[A-Z]\w*)(?:\[\w*\])*\s*[={(]")
MORE_CONSTANTS = re.compile(r",\s+(k[A-Z]\w*) = ")
FUNCTION = re.compile(r"(?:[\w:<>,*&\[\]() ]|\n {4,})*?[\w>*&] ?\b(\w+)\(((?:[^(){};]|\([^(){};]*\))*)\)[\w ]*\s*(?:->[^{;]*)?\{")
PARAMETER_NAME = re.compile(r"\s*\b\w+\s*$")


def anonymous(code):
    """The text of each anonymous namespace, at the left margin, and its first line."""
    for found in re.finditer(r"^namespace \{\n(.*?)^\}  ?", code, re.DOTALL | re.MULTILINE):
        yield code.count("\n", 0, found.start(1)) + 1, found[1]


def parameter_types(text):
    """"const Job& job, int n = 3" → "const Job&, int"."""
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    types = []
    for part in parts:
        part = " ".join(part.partition("=")[0].split())
        types.append(PARAMETER_NAME.sub("", part) if re.search(r"[\w>*&] ?[*&]*\s*\b\w+$", part) and " " in part.replace("const ", "", 1) else part)
    return ", ".join(types)


def names(code):
    """(line, name, as it is to be told apart) of each thing in the anonymous namespaces of one file."""
    for line, name, told_apart, _ in things(code):
        yield line, name, told_apart


def functions(code):
    """(line, name, as it is to be told apart, parameters) of each function there."""
    return (thing for thing in things(code) if thing[3] is not None)


def things(code):
    for first, text in anonymous(code):
        templates = {text.count("\n", 0, found.end()) for found in re.finditer(r"^template <[^\n]*>\n", text, re.MULTILINE)}
        at = 0
        for line in re.finditer(r"^(?!public|private|protected)\w.*$", text, re.MULTILINE):
            number = text.count("\n", 0, line.start())
            if line.start() < at or number in templates:
                continue
            if found := TYPE.match(text, line.start()):
                yield first + number, found[1], found[1], None
            elif found := ALIAS.match(text, line.start()):
                yield first + number, found[1], found[1], None
            elif found := CONSTANT.match(text, line.start()):
                yield first + number, found[1], found[1], None
                for more in MORE_CONSTANTS.finditer(text, found.end(), text.index(";", found.start())):
                    yield first + number, more[1], more[1], None
            elif found := FUNCTION.match(text, line.start()):
                yield first + number, found[1], f"{found[1]}({parameter_types(found[2])})", found[2]
                at = found.end()


DECLARED = re.compile(r"^(?:\[\[nodiscard\]\] )?[\w:<>,*& ]+[\w>*&] ?\b(\w+)\((?!\))", re.MULTILINE)
OF_STD = {"quoted"}  # Found by the types of its arguments where some file includes <iomanip>.


def space_of(code):
    found = re.search(r"^namespace ([\w:]+) \{", code, re.MULTILINE)
    return found[1] if found else ""


def hidden(root, files):
    """Functions of an anonymous namespace that hide one of a header, of an outer namespace, from other files of the target."""
    texts = {path: blank_out(path.read_text(errors="replace")) for path in files}
    declared = {}  # Namespace → names.
    for path, text in texts.items():
        if path.suffix == ".h":
            declared.setdefault(space_of(text), set()).update(DECLARED.findall(text))
    for path, text in texts.items():
        inside = path.relative_to(root)
        if path.suffix != ".cc" or inside.parts[0] != "berth":
            continue
        for line, name, told_apart in names(text):
            if "(" not in told_apart:
                continue
            if name in OF_STD:
                yield f"{inside}:{line}: {name} is a name of the standard library too; a unity build may mean that"
            outer = [space for space in declared if space_of(text).startswith(space + "::")]
            # One word alone is mostly a member's name.
            if "_" not in name or not any(name in declared[space] for space in outer):
                continue
            callers = [other for other in texts if other != path and other.suffix == ".cc" and target_of(other.relative_to(root)) == target_of(inside)
                       and re.search(rf"(?<![\w.:>]){name}\(", texts[other]) and not re.search(rf"^\w[\w:<>,*& ]*\b{name}\(", texts[other], re.MULTILINE)]
            if callers:
                yield f"{inside}:{line}: {name} hides a function of a header, which {callers[0].relative_to(root)} calls; a unity build may join the two"


def target_of(path):
    """What a unity build may join: the sources of a module, or its tests."""
    return path.parts[:2], path.stem.endswith("_test")


LOCAL = re.compile(r"^ +(?:using (\w+) = [^;]*;|(?:constexpr|const)\b(?! auto| std::array k)[^=({;\n]*?\b(k[A-Z]\w*)(?:\[\w*\])*\s*[={(])", re.MULTILINE)
OUTER_TYPE = re.compile(r"^(?:struct|class|enum class|using) (\w+)\b(?! ?;)", re.MULTILINE)


def shadowed(root, files):
    """Types and constants within a function that hide one of another file: -Wshadow refuses them where the two are joined."""
    texts = {path: blank_out(path.read_text(errors="replace")) for path in files if path.suffix == ".cc" and path.relative_to(root).parts[0] == "berth"}
    outer = {}
    for path, text in texts.items():
        for _, name, told_apart in names(text):
            if "(" not in told_apart:
                outer.setdefault((target_of(path.relative_to(root)), name), path)
    for path, text in texts.items():
        inside = path.relative_to(root)
        for found in LOCAL.finditer(text):
            name = found[1] or found[2]
            other = outer.get((target_of(inside), name))
            if other and other < path:  # CMake joins them in this order.
                line = text.count("\n", 0, found.start()) + 1
                yield f"{inside}:{line}: {name} hides that of {other.relative_to(root)}; a unity build may join the two"


def arguments(parameters):
    """"const Job&, int n = 3" → (1, 2): how many arguments a call may have."""
    depth, count, optional, letters = 0, int(bool(parameters.strip())), 0, " " + parameters
    for at, letter in enumerate(letters):
        depth += (letter in "<({") - (letter in ">)}")
        count += letter == "," and depth == 0
        optional += letters[at - 1:at + 2] == " = " and depth == 0
    return count - optional, count


def ambiguous(root, files):
    """Functions of two files with one name that take as many arguments and are called with a list in braces: it may be meant for either."""
    found = {}  # (target, name) → {file: (line, the types, how many arguments)}
    calls = {}
    for path in files:
        inside = path.relative_to(root)
        if path.suffix != ".cc" or inside.parts[0] != "berth":
            continue
        text = blank_out(path.read_text(errors="replace"))
        for line, name, told_apart, parameters in functions(text):
            found.setdefault((target_of(inside), name), {}).setdefault(inside, (line, told_apart, arguments(parameters)))
        calls[inside] = set(re.findall(r"\b(\w+)\(\{", text))
    for (_, name), places in found.items():
        for inside, (line, types, (least, most)) in places.items():
            other = next((one for one, (_, its, (its_least, its_most)) in places.items() if one != inside and its != types and
                          least <= its_most and its_least <= most and name in calls[one]), None)
            if other:
                yield f"{inside}:{line}: {name}({{…}}), as in {other}, may mean this one too; a unity build may join the two"


def included_in(root, files):
    """{file: headers of the tree that it includes, itself or through others}."""
    direct = {path: {root / header for _, _, header in includes(path.read_text(errors="replace"))} for path in files}
    whole = {}
    for path in files:
        seen, left = set(), [path]
        while left:
            for header in direct.get(left.pop(), ()):
                if header in direct and header not in seen:
                    seen.add(header)
                    left.append(header)
        whole[path] = seen
    return whole


def same_or_outer(space, inner):
    return space == inner or inner.startswith(space + "::")


USING = re.compile(r"^using (?:\w+::)+(\w+);", re.MULTILINE)


def named_as_in_headers(root, files):
    """Types of an anonymous namespace, and names that a file takes by `using`, that have the name of something else in a
    header: where another file of the target includes that header, the name is ambiguous."""
    texts = {path: blank_out(path.read_text(errors="replace")) for path in files if path.relative_to(root).parts[0] == "berth"}
    whole = included_in(root, texts)
    types, functions = {}, {}  # Name → headers.
    targets = {}  # Target → its sources.
    for path, text in texts.items():
        if path.suffix == ".cc":
            targets.setdefault(target_of(path.relative_to(root)), []).append(path)
            continue
        for name in OUTER_TYPE.findall(text):
            types.setdefault(name, []).append(path)
        for found in DECLARED.finditer(text):
            if not found[0].startswith(" "):  # A method.
                functions.setdefault(found[1], []).append(path)
    for target, sources in targets.items():
        for path in sources:
            text = texts[path]
            taken = [(line, name, types) for line, name, told_apart in names(text) if "(" not in told_apart]
            taken += [(text.count("\n", 0, found.start()) + 1, found[1], functions) for found in USING.finditer(text)]
            for line, name, declared in taken:
                headers = [header for header in declared.get(name, ()) if same_or_outer(space_of(texts[header]), space_of(text))]
                # In the header's own namespace the header itself becomes ambiguous, further inside only what uses the name there.
                use = rf"(?<![\w.:>]){name}" + (r"\(" if declared is functions else r"\b")
                for header in headers:
                    user = next((other for other in sources if other != path and header in whole[other] and
                                 name not in USING.findall(texts[other]) and
                                 (declared is types and space_of(texts[header]) == space_of(text) or re.search(use, texts[other]))), None)
                    if user:
                        yield (f"{path.relative_to(root)}:{line}: {name} is also in {header.relative_to(root)}, which {user.relative_to(root)} "
                               "includes; a unity build may join the two")
                        break


def complaints(root, files):
    seen = {}
    for path in files:
        inside = path.relative_to(root)
        if path.suffix != ".cc" or inside.parts[0] != "berth":
            continue
        text = blank_out(path.read_text(errors="replace"))
        aliases = {found[1]: " ".join(found[2].split()) for found in ALIAS.finditer(text)}
        for line, name, told_apart in names(text):
            key = target_of(inside), told_apart
            meant = aliases.get(told_apart)  # Two files may give one name to the same type.
            if key in seen and seen[key][0] != inside and not (meant and seen[key][2] == meant):
                yield f"{inside}:{line}: {name} is also in {seen[key][0]}:{seen[key][1]}; a unity build may join the two"
            seen.setdefault(key, (inside, line, meant))
