#!/usr/bin/env python3
"""Draws how the cost of a scheduling cycle grows: the rows of `./dev bench engine --json FILE` as an
SVG with logarithmic axes.  tools/plot_growth.py FILE docs/performance.svg

A case is a mix and a size ("heavy_10k_limits": "heavy limits" with 10 000 jobs); a mix of one size is no line."""
import json
import math
import re
import sys

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 420, 70, 50, 30, 180
LABEL = 14  # The least distance between two labels.
COLOURS = ("#d62728", "#ff7f0e", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b")


def ticks(low, high):
    return [10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def main(source, target):
    with open(source, encoding="utf-8") as file:
        rows = json.load(file)
    series = {}
    for row in rows:
        mix = re.sub(r"_\d+k?", "", row["case"]).replace("_", " ")
        series.setdefault((mix, "full cycle"), []).append((row["pending"], row["full_cycle_ms"]))
        if row["event_ms"] is not None:  # Null: no event led to a start.
            series.setdefault((mix, "first start after an event"), []).append((row["pending"], row["event_ms"]))
    series = {name: line for name, line in series.items() if len(line) > 1}
    colours = dict(zip(sorted({mix for mix, _ in series}), COLOURS))
    points = [p for line in series.values() for p in line]
    xs = ticks(min(x for x, _ in points), max(x for x, _ in points))
    ys = ticks(min(y for _, y in points), max(y for _, y in points))

    def place(x, y):
        across = (math.log10(x) - math.log10(xs[0])) / (math.log10(xs[-1]) - math.log10(xs[0]))
        up = (math.log10(y) - math.log10(ys[0])) / (math.log10(ys[-1]) - math.log10(ys[0]))
        return (LEFT + across * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - up * (HEIGHT - BOTTOM - TOP))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for x in xs:
        at, _ = place(x, ys[0])
        out.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{x:g}</text>')
    for y in ys:
        _, at = place(xs[0], y)
        out.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{y:g} ms</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">'
               'pending jobs (ten to a node)</text>')
    for (mix, what), line in sorted(series.items()):
        line.sort()
        dash = "" if what == "full cycle" else ' stroke-dasharray="5 4"'
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*p) for p in line))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colours[mix]}" '
                   f'stroke-width="2"{dash}/>')
        for p in line:
            x, y = place(*p)
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colours[mix]}"/>')
    lowest = HEIGHT - BOTTOM
    for y, x, mix, what in sorted(((*reversed(place(*line[-1])), *name) for name, line in series.items()), reverse=True):
        lowest = min(y + 4, lowest - LABEL)
        label = mix if what == "full cycle" else f"{mix}, one event"
        out.append(f'<text x="{x + 8:.1f}" y="{lowest:.1f}" fill="{colours[mix]}">{label}</text>')
    out.append("</svg>")
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: tools/plot_growth.py ROWS.json OUT.svg")
    main(sys.argv[1], sys.argv[2])
