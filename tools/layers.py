"""What the berth_module() lines say of modules and their rooms, and what files really include.

tidy.py holds files to it, rooms.py draws it.
"""

import re
from pathlib import Path

# The modules that must not touch the world, whether their CMake line says PURE or not.
PURE = {"base", "model", "policy", "engine", "control", "agent", "config", "api"}

MODULE_KEYWORDS = {"PURE", "ROOMS", "DEPS", "SOURCES", "LIBS"}
INCLUDE = re.compile(r'\s*#\s*include\s+([<"])([^>"]+)')
# `# state: what is so now`, above berth_module(); a further line is indented deeper.
SENTENCE = re.compile(r"^# ([a-z][a-z0-9_]*): (\S.*\n(?:#  +\S.*\n)*)", re.MULTILINE)


class Layers:
    """What the berth_module() lines say: who may include whom, who is pure, who has rooms."""

    def __init__(self, root):
        self.direct, self.pure, self.rules = {}, set(PURE), set()
        self.rooms = {}      # By module: its rooms from the ground up. Only modules that have some.
        self.sentences = {}  # By module: {room: what it is for}.
        self.reachable = {}  # Filled by reachable() in tidy.py.
        for cmake in sorted((root / "berth").glob("*/CMakeLists.txt")):
            self.read(cmake.read_text())

        # A header that includes GoogleTest serves the tests of its module, and them alone.
        self.test_headers = {
            path.relative_to(root).as_posix() for path in (root / "berth").rglob("*.h")
            if "#include <gtest/" in path.read_text(errors="replace")}

    def read(self, cmake):
        text = re.sub(r"#.*", "", cmake)
        for call in re.findall(r"\bberth_module\(([^)]*)\)", text):
            name, *words = call.split()
            self.direct[name] = set(words_after("DEPS", words))
            if "PURE" in words:
                self.pure.add(name)
            if "ROOMS" in words:
                self.rooms[name] = list(words_after("ROOMS", words))
                above = cmake[:cmake.index("berth_module(")]
                self.sentences[name] = {
                    room: " ".join(sentence.replace("\n#", " ").split())
                    for room, sentence in SENTENCE.findall(above)}
        for call in re.findall(r"\bberth_policies\(([^)]*)\)", text):
            self.rules |= set(call.split())

    def is_test(self, root, path):
        return (path.name.endswith("_test.cc")
                or path.relative_to(root).as_posix() in self.test_headers)

    def allowed(self, module):
        """With all that the modules it depends on may include in turn."""
        seen, to_see = set(), [module]
        while to_see:
            one = to_see.pop()
            if one not in seen:
                seen.add(one)
                to_see += self.direct.get(one, ())
        return seen

    def circles(self):
        for module in sorted(self.direct):
            for dep in sorted(self.direct[module]):
                if module in self.allowed(dep):
                    yield f"{module} depends on {dep}, which depends on {module}"

    def room_of(self, module, parts):
        """The room of berth/<module>/<room>/…; None where it lies in none of the module's rooms."""
        is_inside = tuple(parts[:2]) == ("berth", module) and len(parts) > 3
        return parts[2] if is_inside and parts[2] in self.rooms.get(module, ()) else None


def words_after(keyword, words):
    if keyword not in words:
        return
    for word in words[words.index(keyword) + 1:]:
        if word in MODULE_KEYWORDS:
            return
        yield word


def includes(text):
    """(line, sign, header) of each #include."""
    for number, line in enumerate(text.splitlines(), start=1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1], found[2]


def code_in(folder):
    """The headers and sources of a folder and all within it."""
    return [path for path in sorted(folder.rglob("*"))
            if path.suffix in {".h", ".cc"} and path.is_file()]


def code_of(root):
    """The headers and sources of all modules."""
    return code_in(root / "berth")


def unit_of(header):
    """X.h and X.cc are one unit, berth/engine/plan/X."""
    return Path(header).with_suffix("").as_posix()


def units(root, layers):
    """{unit: {unit that it includes: (file, line)}} of all modules; tests are left out."""
    graph = {}
    for path in code_of(root):
        if not layers.is_test(root, path):
            name = path.relative_to(root).as_posix()
            into = graph.setdefault(unit_of(name), {})
            for line, _, header in includes(path.read_text(errors="replace")):
                if header.startswith("berth/") and unit_of(header) != unit_of(name):
                    into.setdefault(unit_of(header), (name, line))
    return {unit: {other: where for other, where in into.items() if other in graph}
            for unit, into in graph.items()}


def knots(graph):
    """The largest sets of nodes that all reach one another, those of one node left out."""
    def reach(start, edges):
        seen, to_see = set(), [start]
        while to_see:
            for other in edges.get(to_see.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    to_see.append(other)
        return seen

    back = {}
    for node, into in graph.items():
        for other in into:
            back.setdefault(other, []).append(node)
    done = set()
    for node in sorted(graph):
        if node not in done:
            knot = reach(node, graph) & reach(node, back)
            if knot:
                done |= knot
                yield sorted(knot)


def shortest_circle(graph, knot):
    """The shortest way through the knot that comes back to where it began; ties by name."""
    best = None
    for start in knot:
        ways, at = [[start]], 0
        seen = set()
        while at < len(ways) and (best is None or len(ways[at]) < len(best)):
            way = ways[at]
            at += 1
            for other in sorted(graph[way[-1]]):
                if other == start:
                    best = best if best and len(best) <= len(way) + 1 else [*way, start]
                elif other in knot and other not in seen:
                    seen.add(other)
                    ways.append([*way, other])
    return best
