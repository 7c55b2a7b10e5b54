"""What the berth_module() lines say of modules and their rooms, and what files really include.

tidy.py holds files to it, rooms.py draws it.
"""

import re

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
