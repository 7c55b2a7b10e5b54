#!/usr/bin/env python3
"""Plants each fault that tidy.py is there to find, and what it must let pass."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import class_sizes  # noqa: E402
import tidy  # noqa: E402

HOUSE = {
    "berth/base/CMakeLists.txt": "berth_module(base PURE)",
    "berth/model/CMakeLists.txt": "berth_module(model\n    DEPS base)  # DEPS engine",
    "berth/policy/CMakeLists.txt": "berth_module(policy DEPS model)\nberth_policies(PRIORITY age)",
    "berth/engine/CMakeLists.txt": "berth_module(engine PURE DEPS policy LIBS sqlite)",
    "berth/store/CMakeLists.txt": "berth_module(store DEPS engine)",
    "berth/api/CMakeLists.txt": "berth_module(api DEPS model)",
    "berth/testing/CMakeLists.txt": "berth_module(testing DEPS engine)",
}
OPENING = "// What it is.\n#pragma once\n"


class Tidy(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**HOUSE, **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return list(tidy.complaints(root))

    def finds(self, name, body, expected, opening=OPENING):
        found = self.complaints({name: opening + body})
        self.assertEqual(len(found), 1, found)
        self.assertIn(expected, found[0])
        self.assertTrue(found[0].startswith(name + ":"), found[0])

    def passes(self, name, body, opening=OPENING):
        self.assertEqual(self.complaints({name: opening + body}), [])

    def test_an_empty_house_is_tidy(self):
        self.assertEqual(self.complaints({}), [])

    def test_layers(self):
        self.finds("berth/model/a.h", '#include "berth/engine/b.h"\n', "model may not include engine")
        self.finds("berth/model/a.h", '#include "berth/testing/b.h"\n', "may not include testing")
        self.passes("berth/engine/a.h", '#include "berth/base/b.h"\n#include "berth/engine/c.h"\n')
        self.passes("berth/model/a_test.cc", '#include "berth/testing/b.h"\n')

    def test_circles(self):
        found = self.complaints({"berth/base/CMakeLists.txt": "berth_module(base DEPS engine)"})
        self.assertTrue(any("engine depends on" in line for line in found), found)

    def in_rooms(self, files, sentences="# ground: what is so now\n# top: what is done\n"):
        """A store of two rooms, with these files."""
        return self.complaints({
            "berth/store/CMakeLists.txt":
                sentences + "berth_module(store ROOMS ground top DEPS engine LIBS sqlite)",
            "berth/store/ground/a.h": OPENING, "berth/store/top/b.h": OPENING, **files})

    def test_rooms_include_downwards(self):
        to_ground, to_top = '#include "berth/store/ground/a.h"\n', '#include "berth/store/top/b.h"\n'
        self.assertEqual(self.in_rooms({"berth/store/top/c.cc": "// C.\n" + to_ground + to_top,
                                        "berth/store/top/a_test.cc": to_ground + to_top,
                                        "berth/store/ground/c.cc": "// C.\n" + to_ground}), [])
        for name in ("c.h", "c.cc", "a_test.cc", "deeper/c.h"):
            found = self.in_rooms({f"berth/store/ground/{name}": OPENING + to_top})
            self.assertEqual(found, [f"berth/store/ground/{name}:3: ground may not include top: "
                                     "it lies above, by the ROOMS of store"])

    def test_the_layers_hold_in_rooms(self):
        rooms = {"berth/store/ground/a.h": OPENING + '#include "berth/api/rows/b.h"\n'}
        self.assertIn("store may not include api", self.in_rooms(rooms)[0])
        sqlite = OPENING + "#include <sqlite3.h>\n"
        self.assertEqual(self.in_rooms({"berth/store/ground/c.h": sqlite}), [])
        self.finds("berth/engine/ground/c.h", "#include <sqlite3.h>\n", "is for store alone")
        self.finds("berth/engine/ground/c.h", "double x;\n", "use Quantity")
        self.finds("berth/policy/rules/priority/age.cc", "", "without its test")
        rig = {"berth/engine/ground/rig.h": OPENING + "#include <gtest/gtest.h>\n",
               "berth/engine/ground/a.h": OPENING + '#include "berth/engine/ground/rig.h"\n'}
        self.assertIn("for tests alone", self.complaints(rig)[0])

    def test_nothing_lies_beside_the_rooms(self):
        for name in ("c.h", "c.cc", "c_test.cc", "rows.proto", "attic/c.h"):
            found = self.in_rooms({f"berth/store/{name}": OPENING})
            self.assertEqual(found, [f"berth/store/{name.split('/')[0]}:1: in no room of store; "
                                     "there are ground, top"])
        self.passes("berth/engine/attic/c.h", "")

    def test_a_room_says_what_it_is_for(self):
        found = self.in_rooms({}, "# ground: what is so now\n")
        self.assertEqual(len(found), 1, found)
        self.assertIn("what is top for?", found[0])
        self.assertEqual(self.in_rooms({}, "# ground: what is\n#   so now\n# top: what is done\n"), [])

    def test_cmake_refuses_a_room_without_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ground").mkdir()
            (Path(folder) / "call.cmake").write_text(
                f"include({ThisRepository.root}/cmake/BerthModule.cmake)\n"
                "berth_rooms(store ${ROOMS})\n")
            for rooms, status in (("ground", 0), ("ground;top", 1), ("", 0)):
                ran = subprocess.run(["cmake", f"-DROOMS={rooms}", "-P", "call.cmake"], cwd=folder,
                                     capture_output=True, text=True)
                self.assertEqual(ran.returncode, status, ran.stderr)
            self.assertEqual(subprocess.run(["cmake", "-DROOMS=top", "-P", "call.cmake"], cwd=folder,
                                            capture_output=True, text=True).stderr.count("names top"), 1)

    def test_includes_are_by_the_whole_name(self):
        found = self.complaints({"berth/store/a.h": OPENING + '#include "b.h"\n',
                                 "berth/store/b.h": OPENING})
        self.assertEqual(found, ["berth/store/a.h:3: b.h is included by its whole name, berth/…"])

    def including(self, *others):
        return "// It.\n#pragma once\n" + "".join(f'#include "berth/{other}.h"\n' for other in others)

    def test_circles_of_units(self):
        # X.h and X.cc are one: a.h needs b.h, and b.cc needs a.h.
        circle = {"berth/engine/a.h": self.including("engine/b"), "berth/engine/b.h": OPENING,
                  "berth/engine/b.cc": self.including("engine/b", "engine/a")}
        self.assertEqual(self.complaints(circle), [
            "berth/engine/a.h:3: a circle of includes: engine/a → engine/b → engine/a"])
        # Tests are left out, and what only tests use.
        test = {"berth/engine/b_test.cc": circle["berth/engine/b.cc"], "berth/engine/b.cc": ""}
        self.assertEqual(self.complaints({**circle, **test}), [])
        rig = {"berth/engine/b.h": "// It.\n#pragma once\n#include <gtest/gtest.h>\n"
                                   '#include "berth/engine/a.h"\n'}
        found = self.complaints({**circle, **rig, "berth/engine/b.cc": ""})
        self.assertFalse(any("circle" in line for line in found), found)

    def test_circles_show_the_shortest_way_and_each_once(self):
        files = {"engine/plan/a": ["engine/plan/b"], "engine/plan/b": ["engine/state/c"],
                 "engine/state/c": ["engine/plan/a", "engine/state/d"],
                 "engine/state/d": ["engine/state/c", "engine/state/e"], "engine/state/e": [],
                 "base/x": ["base/y"], "base/y": ["base/x"]}
        found = self.complaints({f"berth/{name}.h": self.including(*others) for name, others in files.items()})
        self.assertEqual([line.split(": ", 1)[1] for line in found], [
            "a circle of includes: base/x → base/y → base/x",
            "a circle of includes: engine/state/c → engine/state/d → engine/state/c (4 in all)"])

    def test_a_file_in_no_module(self):
        self.finds("berth/elsewhere/a.h", "", "in no module")

    def test_purity(self):
        for line, expected in [
            ("#include <chrono>\nauto t = std::chrono::system_clock::now();", "take the time"),
            ("#include <chrono>\nauto t = std::chrono::steady_clock::now();", "take the time"),
            ("auto t = time(nullptr);", "take the time"),
            ("std::random_device device;", "take an Rng"),
            ("int n = std::rand();", "take an Rng"),
            ("std::unordered_map<int, int> m;", "the order is part"),
            ("#include <map>\nstd::map<const Job*, int> m;", "a pointer is no key"),
            ("#include <set>\nstd::set<Job*> m;", "a pointer is no key"),
            ("#include <thread>", "one thread"),
            ("#include <atomic>", "one thread"),
            ("#include <fstream>", "edges"),
            ("#include <filesystem>", "edges"),
            ('const char* home = getenv("HOME");', "edges"),
            ("double x = 1;", "use Quantity"),
            ("float f(int);", "use Quantity"),
            ("#include <spdlog/spdlog.h>", "standard library alone"),
            ("#include <unistd.h>", "standard library alone"),
        ]:
            with self.subTest(line):
                self.finds("berth/engine/a.h", line + "\n", expected)
        self.passes("berth/store/a.h", "#include <thread>\nauto t = steady_clock::now();\n")

    def test_purity_looks_at_code_alone(self):
        self.passes("berth/engine/a.h", "// A double would do here.\n"
                    'const char* text = "double std::unordered_map";\n'
                    "int count = 1'000; int doubled = 2; std::list<Id, Job*> jobs;\n"
                    "/* system_clock\n   float */\n"
                    "Time time() const; bool brand(int);\n")

    def test_an_excuse_needs_a_reason(self):
        self.passes("berth/policy/a.h", "double x;  // tidy:allow shown to people only\n")
        self.finds("berth/policy/a.h", "double x;  // tidy:allow\n", "use Quantity")

    def test_base_and_api_may_use_floating_point(self):
        self.passes("berth/base/a.h", "double x;\n")
        self.passes("berth/api/a.h", "double x;\n#include <nlohmann/json.hpp>\n")

    def test_tests_may_look_at_the_world_but_not_roll_dice(self):
        self.passes("berth/engine/a_test.cc", "#include <gtest/gtest.h>\n#include <fstream>\n")
        self.finds("berth/engine/a_test.cc", "std::random_device device;\n", "take an Rng")

    def test_a_header_for_tests_is_for_tests_alone(self):
        rig = {"berth/engine/rig.h": OPENING + "#include <gtest/gtest.h>\n#include <thread>\n"}
        use = '#include "berth/engine/rig.h"\n'
        self.assertEqual(self.complaints({**rig, "berth/engine/a_test.cc": use}), [])
        found = self.complaints({**rig, "berth/engine/a.h": OPENING + use})
        self.assertEqual(len(found), 1, found)
        self.assertIn("for tests alone", found[0])

    def test_includes_that_the_precompiled_header_hides(self):
        self.finds("apps/a.cc", "int n = std::max(1, 2);\n", "uses <algorithm> without")
        self.finds("apps/a.cc", "void f() { std::ranges::sort(all); }\n", "uses <algorithm> without")
        self.finds("apps/a.cc", "std::map<int, int> m;\n", "uses <map> without")
        self.finds("apps/a.cc", "std::atomic<bool> stop;\n", "uses <atomic> without")
        self.finds("apps/a.cc", "auto most = std::numeric_limits<int>::max();\n", "uses <limits> without")
        self.finds("apps/a.cc", "std::chrono::seconds wait;\n", "uses <chrono> without")
        self.assertEqual(self.complaints({
            "berth/base/a.h": OPENING + "#include <map>\n",
            "berth/base/b.h": OPENING + '#include "berth/base/a.h"\n',
            "apps/a.cc": '// Opening.\n#include "berth/base/b.h"\nstd::map<int, int> m;\n'}), [])

    def test_fences(self):
        self.finds("berth/api/a.h", "#include <grpcpp/grpcpp.h>\n", "is for wire alone")
        self.finds("berth/store/a.h", '#include "agent.pb.h"\n', "is for wire alone")
        self.finds("berth/engine/a.h", "#include <sqlite3.h>\n", "is for store alone")
        self.finds("berth/store/a.h", "#include <boost/asio.hpp>\n", "client and server alone")
        self.finds("berth/store/a.h", "#include <yaml-cpp/yaml.h>\n", "is for config alone")
        self.finds("berth/store/a.h", "#include <hwloc.h>\n", "is for host alone")
        self.passes("berth/store/a.h", "#include <sqlite3.h>\n")

    def test_openings(self):
        self.finds("berth/store/a.h", "// What it is.\n", "no #pragma once", opening="")
        self.finds("berth/store/a.cc", "int x;\n", "a file opens with", opening="")
        self.passes("berth/store/a_test.cc", "int x;\n", opening="")
        self.assertEqual(self.complaints({"berth/store/a.h": OPENING, "berth/store/a.cc": ""}), [])

    def test_skips_by_what_is_printed(self):
        text = 'set_tests_properties(a PROPERTIES SKIP_{} 77)\n'
        self.assertEqual(self.complaints({"tests/CMakeLists.txt": text.format("RETURN_CODE")}), [])
        found = self.complaints({"tests/CMakeLists.txt": text.format("REGULAR_EXPRESSION")})
        self.assertEqual(len(found), 1)
        self.assertIn("exit code 77", found[0])

    def test_size(self):
        self.finds("apps/a.cc", "int x;\n" * 499, "501 lines")
        self.passes("apps/a.cc", "int x;\n" * 498)

    def test_long_functions(self):
        body = "    f();\n" * 60
        for header in ["int g(int a) {", "Result<int> Store::g(Options o) const {",
                       "TEST(A, B) {", "auto f(int) -> int {"]:
            with self.subTest(header):
                self.finds("apps/a.cc", f"{header}\n{body}}}\n", "a function of 62 lines")
        self.finds("apps/a.cc", f"template <class T>\nvoid g(T t) {{\n{body}}}\n", "function of 62")
        self.passes("apps/a.cc", f"namespace a {{\nint g() {{\n{body[9 * 2:]}}}\n{body}}}\n")
        self.passes("apps/a.cc", f"class A {{\n    void f();\n{body}}};\n")
        self.passes("apps/a.cc", f"const int all[] = {{\n{body}}};\n")

    def test_a_brace_in_a_string_is_no_brace(self):
        self.passes("apps/a.cc", 'void f() { g("{", \'{\', R"({)"); }\n' + "    f();\n" * 80)

    def test_names(self):
        self.finds("berth/store/job_manager.h", "", "'manager' says nothing")
        self.finds("berth/store/utils.h", "", "'utils' says nothing")
        self.finds("berth/store/a.h", "class JobHandler {\n};\n", "'Handler' says nothing")
        self.passes("berth/store/sinfo.h", "class JobInfo;\nstruct Contextual {};\n")

    def test_rules_of_the_policy(self):
        test = "berth/policy/priority/age_test.cc"
        self.assertEqual(self.complaints({"berth/policy/priority/age.cc": OPENING, test: ""}), [])
        self.finds("berth/policy/priority/age.cc", "", "without its test")
        found = self.complaints({"berth/policy/order/new.cc": OPENING,
                                 "berth/policy/order/new_test.cc": ""})
        self.assertEqual(len(found), 1)
        self.assertIn("not in the berth_policies()", found[0])


    def test_one_definition(self):
        other = OPENING + "namespace berth {\nstruct Turn {\n};\n}  // namespace berth\n"
        found = self.complaints({"berth/store/a.h": other, "berth/engine/b.h": other})
        self.assertEqual(len(found), 1, found)
        self.assertIn("berth::Turn is also defined at", found[0])
        hidden = other.replace("struct Turn", "namespace {\nstruct Turn").replace("};", "};\n}  // namespace")
        elsewhere = other.replace("namespace berth", "namespace berth::sim")
        self.assertEqual(self.complaints({"berth/store/a.h": other, "berth/store/b.cc": hidden,
                                          "berth/store/c.h": elsewhere}), [])

    def test_names_that_a_unity_build_joins(self):
        def file(inside):
            return OPENING.replace("#pragma once\n", "") + "namespace berth {\nnamespace {\n\n" + inside + "\n}  // namespace\n}  // namespace berth\n"

        first = file("struct Word {\n    int a;\n};\nint next(const Word& word, int n = 3) {\n    return n;\n}\nconstexpr int kMost = 3;\n")
        for inside in ("struct Word {\n};\n", "int next(const Word& other, int m) {\n    return m;\n}\n", "constexpr long kMost = 4;\n"):
            found = self.complaints({"berth/store/a.cc": first, "berth/store/b.cc": file(inside)})
            self.assertEqual(len(found), 1, found)
            self.assertIn("is also in berth/store/a.cc", found[0])
            self.assertEqual(self.complaints({"berth/store/a.cc": first, "berth/base/b.cc": file(inside)}), [], "another module")
        alias = "using Word = long;\n"
        found = self.complaints({"berth/store/a.cc": first, "berth/store/b.cc": file(alias)})
        self.assertIn("Word is also in berth/store/a.cc", found[0])
        self.assertEqual(self.complaints({"berth/store/a.cc": file(alias), "berth/store/b.cc": file(alias)}), [], "the same type")
        other = file("int next(long n) {\n    return 1;\n}\nclass Words {\npublic:\n    int next(const Word& word, int n) {\n        return n;\n    }\n};\n")
        self.assertEqual(self.complaints({"berth/store/a.cc": first, "berth/store/b.cc": other}), [])

        several = file("constexpr int kFirst = 1, kSecond = 2,\n              kMost = 3;\n")
        self.assertIn("kMost is also in", " ".join(self.complaints({"berth/store/a.cc": first, "berth/store/b.cc": several})))
        called = file("int next(const Other& other) {\n    return 1;\n}\nint second() {\n    return next({.a = 1});\n}\n")
        third = file("int next(long n) {\n    return 1;\n}\n")
        found = self.complaints({"berth/store/a.cc": third, "berth/store/b.cc": called})
        self.assertEqual(len(found), 1, found)
        self.assertIn("next({…}), as in berth/store/b.cc, may mean this one too", found[0])
        self.assertEqual(self.complaints({"berth/store/a.cc": third, "berth/base/b.cc": called}), [], "another module")
        more = third.replace("next(", "next(int more, ")
        self.assertEqual(self.complaints({"berth/store/a.cc": more, "berth/store/b.cc": called}), [], "more arguments")
        self.assertEqual(len(self.complaints({"berth/store/a.cc": more.replace("int more, ", "").replace(") {", ", int more = 1) {"),
                                              "berth/store/b.cc": called})), 1, "the second argument may be left out")

    def test_types_within_functions_that_a_unity_build_hides(self):
        begin = OPENING.replace("#pragma once\n", "") + "namespace berth {\nnamespace {\n\n"
        end = "\n}  // namespace\n}  // namespace berth\n"
        outer = begin + "using Names = long;\n" + end
        local = begin + "int next() {\n    using Names = int;\n    return Names(3);\n}\n" + end
        found = self.complaints({"berth/store/a.cc": outer, "berth/store/b.cc": local})
        self.assertEqual(len(found), 1, found)
        self.assertIn("Names hides that of berth/store/a.cc", found[0])
        self.assertEqual(self.complaints({"berth/store/a.cc": outer, "berth/base/b.cc": local}), [], "another module")
        self.assertEqual(self.complaints({"berth/store/a.cc": outer, "berth/store/a_test.cc": local}), [], "another target")
        outer, local = outer.replace("using Names = long", "constexpr int kMax = 3"), local.replace("using Names = int", "constexpr int kMax = 4")
        self.assertIn("kMax hides that of berth/store/a.cc", self.complaints({"berth/store/a.cc": outer, "berth/store/b.cc": local})[0])
        self.assertEqual(self.complaints({"berth/store/b.cc": outer, "berth/store/a.cc": local}), [], "g++ reads the other later")

    def test_functions_that_a_unity_build_hides(self):
        header = OPENING + "namespace berth {\nint run_time(int job);\n}  // namespace berth\n"
        caller = OPENING.replace("#pragma once\n", "") + "namespace berth::slurm {\nint b() {\n    return run_time(3);\n}\n}  // namespace berth::slurm\n"
        own = (OPENING.replace("#pragma once\n", "") + "namespace berth::slurm {\nnamespace {\n\nint run_time(long text) {\n    return 1;\n}\n\n"
               "}  // namespace\n}  // namespace berth::slurm\n")
        files = {"berth/store/job.h": header, "berth/store/a.cc": own, "berth/store/b.cc": caller}
        found = self.complaints(files)
        self.assertEqual(len(found), 1, found)
        self.assertIn("run_time hides a function of a header, which berth/store/b.cc calls", found[0])
        files["berth/store/a.cc"] = own.replace("run_time", "time_of_text")
        self.assertEqual(self.complaints(files), [])

    def test_names_of_headers_that_a_unity_build_makes_ambiguous(self):
        source = OPENING.replace("#pragma once\n", "")
        header = OPENING + "namespace berth {\nstruct Gpus {\n    int all;\n};\nlong hours(int time);\n}  // namespace berth\n"
        own = source + "namespace berth {\nnamespace {\n\nstruct Gpus {\n    int held;\n};\n\n}  // namespace\n}  // namespace berth\n"
        taken = source + "#include <chrono>\n\nnamespace berth {\nnamespace {\n\nusing std::chrono::hours;\n\n}  // namespace\n}  // namespace berth\n"
        caller = source + '#include "berth/store/gpus.h"\n\nnamespace berth {\nlong b() {\n    return hours(3);\n}\n}  // namespace berth\n'
        files = {"berth/store/gpus.h": header, "berth/store/a.cc": own, "berth/store/b.cc": caller}
        found = self.complaints(files)
        self.assertEqual(len(found), 1, found)
        self.assertIn("Gpus is also in berth/store/gpus.h, which berth/store/b.cc includes", found[0])
        found = self.complaints({**files, "berth/store/a.cc": taken})
        self.assertEqual(len(found), 1, found)
        self.assertIn("hours is also in berth/store/gpus.h", found[0])
        self.assertEqual(self.complaints({**files, "berth/store/b.cc": caller.replace("berth/store/gpus.h", "berth/store/a.h"),
                                          "berth/store/a.h": OPENING}), [], "it is not included")

    def test_header_names(self):
        files = {"berth/base/job.h": OPENING, "berth/store/job.h": OPENING, "berth/store/job.cc": "",
                 "berth/store/jobs.h": OPENING, "tests/other.h": OPENING}
        self.assertEqual(self.complaints(files), [
            "berth/store/job.h:1: there is berth/base/job.h, too: give each header a name of its own"])
        files["tests/jobs.h"] = OPENING
        self.assertEqual(len(self.complaints(files)), 2)

    def test_the_list_of_shared_header_names_only_shrinks(self):
        name = sorted(tidy.SHARED_HEADER_NAMES)[0]
        both = {f"berth/base/{name}": OPENING, f"berth/store/{name}": OPENING}
        self.assertEqual(self.complaints(both), [])
        found = self.complaints({f"berth/base/{name}": OPENING})
        self.assertEqual(found, [
            f"berth/base/{name}:1: {name} is its own by now: remove it from SHARED_HEADER_NAMES"])

    def test_prose_is_wrapped(self):
        long = "word " * 21
        self.assertIn("105 columns", self.complaints({"docs/a.md": long + "\n"})[0])
        code = "`" + "x " * 60 + "`"
        for kept in (f"| {long} |", f"```\n{long}\n```", code, f"- {code}", "x" * 120):
            self.assertEqual(self.complaints({"docs/a.md": kept + "\n"}), [])


class Sizes(unittest.TestCase):
    """Counts of public methods and fields, and the table of those that were larger before."""

    def complaints(self, body, table=None, name="berth/store/a.h", shrink=False):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            files = {**HOUSE, name: f"{OPENING}namespace berth {{\n{body}}}  // namespace berth\n"}
            if table is not None:
                files[class_sizes.COUNTS_FILE] = class_sizes.OPENING + table
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            if shrink:
                class_sizes.shrink(root)
                return (root / class_sizes.COUNTS_FILE).read_text().removeprefix(class_sizes.OPENING)
            return list(class_sizes.complaints(root))

    METHODS = "".join(f"    int get_{n}() const;\n" for n in range(25))
    FIELDS = "".join(f"    int field_{n} = 0;\n" for n in range(15))

    def methods(self, more):
        return f"class Store {{\npublic:\n{self.METHODS}{more}}};\n"

    def fields(self, more):
        return f"struct Store {{\n{self.FIELDS}{more}}};\n"

    def test_public_methods(self):
        self.assertEqual(self.complaints(self.methods("")), [])
        for one_more in ("    void set(int);\n", "    void set(int a = f()) { a_ = {a}; }\n",
                         "    template <class T, class U = int>\n    void set(T t);\n",
                         "    static Result<std::map<int, int>> open(std::function<void(int)> f);\n",
                         "    void set(int) override final;\n", "    Store& set() &&;\n",
                         "    [[nodiscard]] auto set() const noexcept -> std::vector<int>;\n",
                         "private:\n    int a_{1};\npublic:\n    void set() = 0;\n",
                         "    enum class Kind { one } kind() const;\n"):
            found = self.complaints(self.methods(one_more))
            self.assertEqual(len(found), 1, (one_more, found))
            self.assertIn("berth::Store has 26 public methods; 25 are the most", found[0])
            self.assertTrue(found[0].startswith("berth/store/a.h:4:"), found[0])
        for nothing in ("    Store();\n    explicit Store(int a) : a_{a}, b_(a) { f(); }\n    ~Store();\n",
                        "    Store& operator=(Store&&);\n    bool operator()(int) const;\n",
                        "    explicit operator bool() const;\n    friend void swap(Store&, Store&);\n",
                        "    friend auto operator<=>(const Store&, const Store&) = default;\n",
                        "    using F = void(int);\n    enum class E : int { a, b };\n    class Inner;\n",
                        "    struct Inner {\n        int f() const { return 1; }\n    };\n",
                        "    std::function<void(int)> f = make(1);\n    void (*g)(int) = nullptr;\n",
                        "    BERTH_FIELDS(Store, a, b)\n", "private:\n    void set(int);\n",
                        "    // void set(int);\n"):
            self.assertEqual(self.complaints(self.methods(nothing)), [], nothing)

    def test_public_fields(self):
        self.assertEqual(self.complaints(self.fields("")), [])
        for one_more in ("    int more = 0;\n", "    std::map<int, std::vector<int>> more{{1, {2, 3}}};\n",
                         "    const Job* more = nullptr;\n", "    std::function<void(int)> more;\n",
                         "    struct Inner {\n        int a = 0;\n    } more;\n",
                         "    enum class E { a, b } more = E::a;\n", "    struct stat more;\n",
                         "    std::optional<const int> more = compute(1, 2);\n",
                         "    std::uint64_t more = 64 << 20;\n"):
            found = self.complaints(self.fields(one_more))
            self.assertEqual(len(found), 1, (one_more, found))
            self.assertIn("berth::Store has 16 public fields that can be changed; 15 are", found[0])
        self.assertIn("has 18 public", self.complaints(self.fields("    int a = 1, b, c = f(1, 2);\n"))[0])
        for nothing in ("    const int more = 0;\n", "    Job& more;\n", "    Job* const more;\n",
                        "    static constexpr int kMore = 1;\n", "    static int more;\n",
                        "    BERTH_FIELDS(Store, a)\n    int more;\n", "private:\n    int more;\n",
                        "    struct Inner {\n        int a = 0;\n    };\n",
                        "    union Inner;\n", "    int f() { int more = 1; return more; }\n"):
            self.assertEqual(self.complaints(self.fields(nothing)), [], nothing)
        self.assertEqual(self.complaints(
            self.fields("    int more;\n").replace("Store", "Store::Parts")), [])

    def test_tidy_counts(self):
        path = "berth/store/a.h"
        text = OPENING + self.methods("    void set(int);\n")
        self.assertIn("26 public methods", Tidy().complaints({path: text})[0])
        self.assertEqual(len(Tidy().complaints({class_sizes.COUNTS_FILE: "methods 26 berth::Gone\n"})), 1)

    def test_sizes_of_what_tests_use_alone(self):
        large = self.methods("    void set(int);\n")
        for name, count in (("berth/store/a_test.cc", 0), ("tests/a.h", 0), ("apps/a.cc", 1)):
            self.assertEqual(len(self.complaints(large, name=name)), count, name)

    def test_the_table_of_sizes_only_shrinks(self):
        large = self.methods("    void set(int);\n    void put(int);\n")
        row = "methods  {} berth::Store\n"
        self.assertEqual(self.complaints(large, row.format(27)), [])
        self.assertIn("berth::Store has 27 public methods; it had 26.",
                      self.complaints(large, row.format(26))[0])
        self.assertEqual(self.complaints(large, row.format(28)), [
            "tools/tidy_counts.txt:3: berth::Store has only 27 by now: run tools/class_sizes.py --shrink"])
        self.assertIn("tidy_counts.txt:3: berth::Store has no more than is allowed",
                      self.complaints(self.methods(""), row.format(28))[0])
        self.assertEqual(len(self.complaints(large, "fields   27 berth::Store\n")), 2)

        self.assertEqual(self.complaints(large, row.format(28), shrink=True), "methods  27 berth::Store\n")
        self.assertEqual(self.complaints(large, row.format(26), shrink=True), "methods  26 berth::Store\n")
        self.assertEqual(self.complaints(large, "", shrink=True), "")
        self.assertEqual(self.complaints(self.methods(""), row.format(28), shrink=True), "")


class ThisRepository(unittest.TestCase):
    root = Path(__file__).resolve().parent.parent

    def test_knows_its_own_layers(self):
        self.assertEqual(tidy.Layers(self.root).direct["base"], set())

    def test_every_package_is_accounted_for(self):
        groups = re.findall(r'^PACKAGES_\w+="([^"]+)"', (self.root / "tools/packages.sh").read_text(),
                            re.MULTILINE)
        named = re.findall(r"`([a-z0-9+.-]+)`", (self.root / "docs/dependencies.md").read_text())
        for package in " ".join(groups).split():
            self.assertIn(package, named)


if __name__ == "__main__":
    unittest.main()
