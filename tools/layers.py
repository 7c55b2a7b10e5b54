"""What the berth_module() lines say of modules."""

import re

# The modules that must not touch the world, whether their CMake line says PURE or not.
PURE = {"base", "model", "policy", "engine", "control", "agent", "config", "api"}

MODULE_KEYWORDS = {"PURE", "DEPS", "SOURCES", "LIBS"}


class Layers:
    """What the berth_module() lines say: who may include whom and who is pure."""

    def __init__(self, root):
        self.direct, self.pure, self.rules = {}, set(PURE), set()
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


def words_after(keyword, words):
    if keyword not in words:
        return
    for word in words[words.index(keyword) + 1:]:
        if word in MODULE_KEYWORDS:
            return
        yield word
