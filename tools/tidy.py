#!/usr/bin/env python3
"""Checks of the code itself that no compiler makes: layers, rooms, purity, fences, size, names.

Runs as the test `tidy`. It reads text: it catches the honest mistake, not the determined one.
A line that must break a rule of purity says why: `// tidy:allow <reason>`.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import class_sizes  # noqa: E402
import unity_names  # noqa: E402
from cpp_text import blank_out, functions  # noqa: E402
from layers import Layers, knots, includes, shortest_circle, units  # noqa: E402

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 60
DOC_COLUMNS_MAX = 100

CODE_FOLDERS = ("berth", "apps", "tests", "bench", "fuzz", "tools", "cmake", "sdk", "web", "deploy")
CODE_SUFFIXES = {".h", ".cc", ".py", ".cmake", ".proto", ".sh", ".ts", ".js", ".css", ".html"}
NOT_OURS = {"node_modules", "dist", "build", "vendor", ".venv", "__pycache__"}

DECIDING = {"model", "policy", "engine", "control", "agent"}

# What would be a way of touching the world, or of giving another answer tomorrow.
TAKE_NOW = "take the time as an argument"
TAKE_RNG = "take an Rng"
IN_ORDER = "use std::map or a sorted vector: the order is part of what we decide"
ONE_THREAD = "pure code has one thread, and it is not its own"
EDGES = "leave that to the edges, and take what it gives as an argument"
IMPURE = [
    (r"\b(system|steady|high_resolution|file)_clock\b", TAKE_NOW),
    (r"\bstd::time\(|\btime\((nullptr|NULL|0|&)|\bgettimeofday\(|\bclock_gettime\(", TAKE_NOW),
    (r"\bstd::(random_device|mt19937)|<random>|\bs?rand\(", TAKE_RNG),
    (r"\bstd::unordered_|<unordered_|\bflat_hash_", IN_ORDER),
    (r"\bstd::(multi)?(map|set)<[^,<>]*\*\s*(const\s*)?[,>]",
     "a pointer is no key: its order changes from run to run"),
    (r"<(thread|mutex|shared_mutex|atomic|future|condition_variable|stop_token)>|\bthread_local\b",
     ONE_THREAD),
    (r"<(fstream|iostream|filesystem)>|\bfopen\(", EDGES),
    (r"\bgetenv\(|<locale>", EDGES),
]
IMPURE_EVEN_IN_TESTS = [
    (r"\bsystem_clock\b|\bstd::time\(", TAKE_NOW),
    (r"\bstd::random_device\b|\bstd::s?rand\(", TAKE_RNG),
]
FLOATING = (r"\b(double|float)\b", "use Quantity: floating point differs between processors")

# The libraries that only certain modules may see.
FENCES = [
    (r"google/protobuf/|grpc|.*\.pb\.h$", {"wire"}),
    (r"sqlite3\.h$|lz4\.h$|libpq-fe\.h$|pqxx/", {"store"}),
    (r"yaml-cpp/", {"config"}),
    (r"nvml\.h$|hwloc|bpf/", {"host"}),
    (r"boost/", {"server", "client"}),
    (r"prometheus/", {"server"}),
    (r"openssl/", {"trust"}),
    (r"lua5\.4/|lua\.hpp$|lauxlib\.h$", {"server"}),
]
# Else a pure module sees the standard library alone, but for what its work is made of.
# ext/atomicity.h: libstdc++'s own way to count holders, as std::shared_ptr does.
FOREIGN_IN_PURE = {"config": r"yaml-cpp/", "api": r"nlohmann/|rapidjson/",
                   "base": r"ext/atomicity\.h"}
FOREIGN_IN_TESTS = r"gtest/|gmock/|rapidcheck"

# Files joined as one and the precompiled header hide from the compilers that an #include of the
# standard library was forgotten; of our own headers, `./dev clang` tells.
NEEDS = [
    (re.compile(r"\bstd::(ranges::)?((stable_|partial_|is_)?sort(ed)?|nth_element|find(_if)?(_not)?|"
                r"(any|all|none)_of|count(_if)?|(lower|upper)_bound|binary_search|equal_range|"
                r"(inplace_)?merge|(min|max)_element|min|max|clamp|fill|copy|transform|reverse|"
                r"rotate|unique|remove_if|(push|pop|make)_heap)\("), "algorithm"),
    (re.compile(r"\bstd::(accumulate|iota|gcd)\("), "numeric"),
    (re.compile(r"\bstd::((unique|shared)_ptr|make_(unique|shared))<"), "memory"),
    *((re.compile(rf"\bstd::(multi)?{name}<"), name)
      for name in ("array", "deque", "map", "optional", "set", "span", "variant", "vector")),
    *((re.compile(rf"\bstd::{name}\b"), name) for name in ("string", "string_view")),
    (re.compile(r"\bstd::(str(error|len|chr|cmp|str)|mem(cpy|set|cmp|move))\("), "cstring"),
    (re.compile(r"\bstd::(function<|greater\b|not_fn\()"), "functional"),
    (re.compile(r"\bstd::(from|to)_chars\("), "charconv"),
    (re.compile(r"\bstd::atomic\w*\b"), "atomic"),
    (re.compile(r"\bstd::(j?thread|this_thread)\b"), "thread"),
    (re.compile(r"\bstd::(recursive_)?(mutex|lock_guard|unique_lock|scoped_lock|call_once)\b"), "mutex"),
    (re.compile(r"\bstd::condition_variable\b"), "condition_variable"),
    (re.compile(r"\bstd::numeric_limits\b"), "limits"),
    (re.compile(r"\bstd::(tie|make_tuple|tuple)\b"), "tuple"),
    (re.compile(r"\bstd::(visit|get_if|holds_alternative|monostate)\b"), "variant"),
    (re.compile(r"\bstd::(popcount|bit_cast|bit_width|bit_ceil|count[lr]_zero|has_single_bit)\b"), "bit"),
    (re.compile(r"\bstd::(ostringstream|istringstream|stringstream)\b"), "sstream"),
    (re.compile(r"\bstd::[io]?fstream\b"), "fstream"),
    *((re.compile(rf"\bstd::{name}\b"), name) for name in ("chrono", "filesystem", "regex")),
]

EMPTY_WORDS = {"manager", "handler", "helper", "helpers", "util", "utils", "info", "data",
               "context", "impl", "misc", "common"}
# Headers of the inner modules that still share a name. The list only gets shorter.
SHARED_HEADER_NAMES = {"limits.h", "order.h", "ports.h"}
POLICY_KINDS = {"priority", "order", "fairness", "placement", "preemption"}


def check_lines(module, is_test, layers, lines, code_lines):
    """What one line can do wrong by itself."""
    pure = module in layers.pure
    may_include = layers.allowed(module) | ({"testing"} if is_test else set())
    bans = (IMPURE_EVEN_IN_TESTS if is_test else IMPURE) if pure else []
    if module in DECIDING and not is_test:
        bans = bans + [FLOATING]
    for number, (line, code) in enumerate(zip(lines, code_lines), start=1):
        include = re.match(r'\s*#\s*include\s+([<"])([^>"]+)', line)
        if include:
            yield from ((number, text) for text in
                        check_include(module, pure, is_test, may_include, include[2]))
            if include[2] in layers.test_headers and not is_test and module != "testing":
                yield number, f"{include[2]} is for tests alone: it includes GoogleTest"
        if re.search(r"//\s*tidy:allow\s+\S+\s+\S+", line):
            continue
        subject = line if include else code
        for pattern, instead in bans:
            found = re.search(pattern, subject)
            if found:
                yield number, f"{found[0].strip()} is not for {module}: {instead}"


def check_include(module, pure, is_test, may_include, header):
    ours = re.match(r"berth/(\w+)/", header)
    if ours:
        if ours[1] not in may_include:
            yield f"{module} may not include {ours[1]}: its DEPS do not lead there"
        return
    for pattern, modules in FENCES:
        if re.match(pattern, header) and module not in modules:
            yield f"<{header}> is for {' and '.join(sorted(modules))} alone, not for {module}"
            return
    standard = re.fullmatch(r"[a-z_0-9]+", header) is not None
    excused = re.match(FOREIGN_IN_PURE.get(module, r"$^"), header)
    in_test = is_test and re.match(FOREIGN_IN_TESTS, header)
    if pure and not standard and not excused and not in_test:
        yield f"<{header}> is not for {module}: a pure module sees the standard library alone"


def check_names(path, code_lines):
    empty = set(path.stem.lower().split("_")) & EMPTY_WORDS
    if empty:
        yield 1, f"a file called {path.name}: '{sorted(empty)[0]}' says nothing. What is it?"
    for number, code in enumerate(code_lines, start=1):
        named = re.match(r"\s*(?:class|struct)\s+(\w+)(?!\s*;)", code)
        words = re.findall(r"[A-Z][a-z]+", named[1]) if named else []
        if words and words[-1].lower() in EMPTY_WORDS and not code.rstrip().endswith(";"):
            yield number, f"a type called {named[1]}: '{words[-1]}' says nothing. What is it?"


def reachable(root, path, known):
    """The standard headers that a file includes, itself or through other headers of ours."""
    if path not in known:
        known[path] = found = set()
        text = path.read_text(errors="replace") if path.exists() else ""
        for sign, header in re.findall(r'^\s*#\s*include\s+([<"])([^>"]+)', text, re.MULTILINE):
            found |= {header} if sign == "<" else reachable(root, root / header, known)
    return known[path]


def check_needs(root, path, code_lines, layers):
    included = reachable(root, path, layers.reachable)
    for pattern, header in NEEDS:
        if header not in included:
            for number, code in enumerate(code_lines, start=1):
                if pattern.search(code):
                    yield number, f"uses <{header}> without its #include"
                    break


def check_cpp(root, path, text, layers):
    lines = text.splitlines()
    code = blank_out(text)
    code_lines = code.splitlines()
    if path.suffix == ".h" and "#pragma once" not in lines:
        yield 1, "no #pragma once"
    spoken_for = path.name.endswith("_test.cc") or (
        path.suffix == ".cc" and path.with_suffix(".h").exists())
    if not spoken_for and not text.startswith("//"):
        yield 1, "a file opens with a line or two on what it is and what it is for"
    for first, length in functions(code):
        if length > FUNCTION_LINES_MAX:
            yield first, f"a function of {length} lines; {FUNCTION_LINES_MAX} is the most"
    yield from check_names(path, code_lines)
    yield from check_needs(root, path, code_lines, layers)
    parts = path.relative_to(root).parts
    if parts[0] != "berth":
        return
    if len(parts) < 3 or parts[1] not in layers.direct:
        yield 1, "in no module: its folder has no berth_module()"
        return
    yield from check_lines(parts[1], layers.is_test(root, path), layers, lines, code_lines)
    yield from check_floors(root, path, text, layers)
    if parts[1] == "policy" and parts[-2] in POLICY_KINDS:
        yield from check_rule(path, layers)


def check_floors(root, path, text, layers):
    """A file includes its own room and those below, each by its whole name."""
    parts = path.relative_to(root).parts
    module, room = parts[1], layers.room_of(parts[1], parts)
    rooms = layers.rooms.get(module, [])
    for number, sign, header in includes(text):
        other = layers.room_of(module, header.split("/"))
        if room and other and rooms.index(other) > rooms.index(room):
            yield number, f"{room} may not include {other}: it lies above, by the ROOMS of {module}"
        if sign == '"' and not header.startswith("berth/") and (path.parent / header).exists():
            yield number, f"{header} is included by its whole name, berth/…"


def check_rooms(root, layers):
    """A module that has rooms has nothing outside of them, and says what each is for."""
    for module, rooms in sorted(layers.rooms.items()):
        folder = root / "berth" / module
        for path in sorted(folder.iterdir()):
            if path.name not in {*rooms, "CMakeLists.txt"} and not path.name.startswith("."):
                yield (f"{path.relative_to(root)}:1: in no room of {module}; "
                       f"there are {', '.join(rooms)}")
        for room in rooms:
            if room not in layers.sentences[module]:
                yield (f"berth/{module}/CMakeLists.txt:1: what is {room} for? Say it above "
                       f"berth_module(): # {room}: …")


def check_circles(root, layers):
    """Units that include one another can only be understood all at once."""
    graph = units(root, layers)
    for knot in knots(graph):
        circle = shortest_circle(graph, knot)
        path, line = graph[circle[0]][circle[1]]
        rest = f" ({len(knot)} in all)" if len(knot) > len(circle) - 1 else ""
        way = " → ".join(unit.removeprefix("berth/") for unit in circle)
        yield f"{path}:{line}: a circle of includes: {way}{rest}"


def check_rule(path, layers):
    """A rule of the policy stands in the catalogue, and has a test beside it."""
    if path.suffix != ".cc" or path.name.endswith("_test.cc"):
        return
    if path.stem not in layers.rules:
        yield 1, f"{path.stem} is not in the berth_policies() of policy/CMakeLists.txt"
    if not path.with_name(path.stem + "_test.cc").exists():
        yield 1, f"a rule without its test: {path.stem}_test.cc"


def our_files(root):
    for folder in CODE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in CODE_SUFFIXES:
                if not NOT_OURS & set(path.relative_to(root).parts):
                    yield path


def types(code):
    """(line, name with its namespaces) of each class that other files can see."""
    spaces = []
    for number, line in enumerate(code.splitlines(), start=1):
        opened = re.match(r"(?:inline )?namespace( [\w:]+)? \{(.*)", line)
        if opened:
            if "}" not in opened[2]:
                spaces.append((opened[1] or " (none)").strip())
        elif line.startswith("}") and not line.startswith("};") and spaces:
            spaces.pop()
        named = re.match(r"(?:class|struct) (\w+)(?: final)?(?: :[^;]*)? \{", line)
        if named and "(none)" not in spaces:
            yield number, "::".join([*spaces, named[1]])


def check_one_definition(root, files):
    """Two types of one name in two files are one type to the linker, and no compiler says so."""
    seen = {}
    for path in files:
        for number, name in types(blank_out(path.read_text(errors="replace"))):
            where = f"{path.relative_to(root)}:{number}"
            if name in seen and "::" in name:
                yield f"{where}: {name} is also defined at {seen[name]}"
            seen.setdefault(name, where)


def check_header_names(root, files):
    """A header has a name of its own, by which people call it and editors find it."""
    headers = {}
    for path in files:
        if path.suffix == ".h":
            headers.setdefault(path.name, []).append(path.relative_to(root))
    for name, paths in sorted(headers.items()):
        if name in SHARED_HEADER_NAMES:
            if len(paths) == 1:
                yield f"{paths[0]}:1: {name} is its own by now: remove it from SHARED_HEADER_NAMES"
        elif len(paths) > 1:
            yield f"{paths[1]}:1: there is {paths[0]}, too: give each header a name of its own"


def check_skips(root):
    for path in sorted(cmake for folder in CODE_FOLDERS for cmake in (root / folder).rglob("CMakeLists.txt")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if "SKIP_REGULAR_EXPRESSION" in line:
                yield (f"{path.relative_to(root)}:{number}: a test says by exit code 77 that it was skipped "
                       "(SKIP_RETURN_CODE): one that fails may print anything")
    for path in sorted((root / "tests/e2e").glob("test_*.py")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.match(r"\s*(.* else )?unittest\.main\(", line):
                yield (f"{path.relative_to(root)}:{number}: unittest.main() exits with 0 if all tests were skipped: "
                       "call main() of cluster.py")


def check_docs(root):
    """Prose is wrapped; tables, code and what cannot be broken are as long as they are."""
    for path in sorted([*root.glob("*.md"), *root.glob("docs/*.md")]):
        in_code = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.lstrip().startswith("```"):
                in_code = not in_code
            if in_code or len(line) <= DOC_COLUMNS_MAX or line.startswith(("|", "    ", "!", "<", "#")):
                continue
            words = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "_"), line)
            words = re.sub(r"^\s*([-*]|\d+\.)\s+", "", words)
            if " " in words[:DOC_COLUMNS_MAX]:
                yield f"{path.relative_to(root)}:{number}: {len(line)} columns; {DOC_COLUMNS_MAX} are the most"


def complaints(root):
    layers = Layers(root)
    for circle in layers.circles():
        yield f"berth/CMakeLists.txt:1: {circle}"
    yield from check_rooms(root, layers)
    yield from check_circles(root, layers)
    yield from class_sizes.complaints(root)
    sources = [path for path in our_files(root) if path.suffix in {".h", ".cc"}]
    yield from check_one_definition(root, sources)
    yield from check_header_names(root, sources)
    yield from unity_names.complaints(root, sources)
    yield from unity_names.ambiguous(root, sources)
    yield from unity_names.hidden(root, sources)
    yield from unity_names.shadowed(root, sources)
    yield from unity_names.named_as_in_headers(root, sources)
    yield from check_skips(root)
    yield from check_docs(root)
    for path in our_files(root):
        text = path.read_text(errors="replace")
        found = []
        length = text.count("\n")
        if length > FILE_LINES_MAX:
            found.append((1, f"{length} lines; {FILE_LINES_MAX} is the most. "
                             "What could stand on its own?"))
        if path.suffix in {".h", ".cc"}:
            found += check_cpp(root, path, text, layers)
        for number, complaint in found:
            yield f"{path.relative_to(root)}:{number}: {complaint}"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    found = list(complaints(root))
    for complaint in found:
        print(complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
