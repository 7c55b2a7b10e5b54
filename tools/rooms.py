#!/usr/bin/env python3
"""Draws the modules and their rooms into ARCHITECTURE.md, from the berth_module() lines and from
what the files really include. With --check it writes nothing, and fails if the drawing is not that
of today: the test `rooms`.

Numbers count headers and sources, tests too. What tests include is left out of the arrows.
"""

import sys
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from layers import Layers, code_in, knots, units  # noqa: E402

WIDTH = 100
SENTENCE_WIDTH = 50
BEGIN, END = "<!-- rooms: drawn by tools/rooms.py -->", "<!-- end of rooms -->"


def arrows(names_of_units, graph):
    """{name: names that it includes}, where names_of_units says to whom a unit belongs."""
    into = {name: set() for name in names_of_units.values()}
    for unit, others in graph.items():
        if unit in names_of_units:
            name = names_of_units[unit]
            into[name] |= {names_of_units[other] for other in others if other in names_of_units}
    return {name: others - {name} for name, others in into.items()}


def floors(into):
    """{name: how many stand on one another below it}."""
    for knot in knots(into):
        raise SystemExit(f"no floors: {', '.join(knot)} include one another (see tools/tidy.py)")
    found = {}

    def floor(name):
        if name not in found:
            found[name] = max((floor(other) + 1 for other in into.get(name, ())), default=0)
        return found[name]

    for name in into:
        floor(name)
    return found


def columns(widths, texts):
    """One row as lines: each text wrapped in its column."""
    wrapped = [textwrap.wrap(text, width) or [""] for width, text in zip(widths, texts)]
    for number in range(max(map(len, wrapped))):
        yield "  ".join((lines[number] if number < len(lines) else "").ljust(width)
                        for width, lines in zip(widths, wrapped))


def box(title, count, widths, rows):
    """A frame with the title and the number of files, the rows from top to ground."""
    inside = WIDTH - 4
    widths = [*widths, inside - sum(widths) - 2 * len(widths)]
    yield f"┌ {title} " + "─" * (WIDTH - 6 - len(title) - len(count)) + f" {count} ┐"
    for row in rows:
        for line in columns(widths, row):
            yield f"│ {line.ljust(inside)} │"
    yield "└" + "─" * (WIDTH - 2) + "┘"


def uses(others, order):
    return " ".join(["→", *sorted(others, key=order.index)]) if others else ""


def draw_modules(root, layers, graph):
    into = arrows({unit: unit.split("/")[1] for unit in graph}, graph)
    into = {name: into.get(name, set()) for name in layers.direct}
    floor = floors(into)
    order = sorted(into, key=lambda name: (-floor[name], name))
    sizes = {name: len(code_in(root / "berth" / name)) for name in order}
    rows = [(f"{floor[name]:2}", name, f"{sizes[name]:3}", uses(into[name], order)) for name in order]
    name_width = max((len(name) for name in order), default=0)
    yield from box("berth", f"{sum(sizes.values())} files", [2, name_width, 3], rows)


def draw_rooms(root, layers, graph, module):
    rooms = layers.rooms[module]
    homes = {unit: layers.room_of(module, unit.split("/")) for unit in graph}
    into = arrows({unit: room for unit, room in homes.items() if room}, graph)
    order = rooms[::-1]
    sizes = {room: len(code_in(root / "berth" / module / room)) for room in rooms}
    rows = [(room, f"{sizes[room]:3}", layers.sentences[module].get(room, "?"),
             uses(into.get(room, ()), order)) for room in order]
    name_width = max(map(len, rooms))
    yield from box(module, f"{sum(sizes.values())} files", [name_width, 3, SENTENCE_WIDTH], rows)


def drawing(root):
    layers = Layers(root)
    graph = units(root, layers)
    lines = ["```text", *draw_modules(root, layers, graph), "```"]
    for module in sorted(layers.rooms):
        lines += ["", "```text", *draw_rooms(root, layers, graph, module), "```"]
    return "\n".join(lines)


def with_drawing(text, drawn):
    """REQUIRES: the text has both marks."""
    before, rest = text.split(BEGIN, 1)
    return f"{before}{BEGIN}\n{drawn}\n{END}{rest.split(END, 1)[1]}"


def main(root, arguments):
    path = root / "ARCHITECTURE.md"
    text = path.read_text()
    if BEGIN not in text or END not in text.split(BEGIN, 1)[1]:
        print(f"ARCHITECTURE.md has no place for the rooms: the lines {BEGIN} and {END}")
        return 1
    today = with_drawing(text, drawing(root))
    if arguments == ["--check"]:
        if today != text:
            print("the drawing of ARCHITECTURE.md is not that of today: run tools/rooms.py")
        return int(today != text)
    path.write_text(today)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent, sys.argv[1:]))
