# SPDX-License-Identifier: GPL-3.0-or-later
"""Letters that linkages draw: `python -m benchmarks.blender_letters [PICTURE]` prints a line of JSON for each.

Wanted are the outer outlines of Blender's own font. PICTURE: a file for them and what the best linkages draw, as SVG.
"""

import json
import string
import sys
import time

import bpy
import numpy as np

from solver.synthesis import Found, run, search
from solver.synthesis.families import FAMILIES, Family
from solver.synthesis.table import make_all

SIDE, COLUMNS = 110, 7  # pixels of a letter; letters in a row


def outline(letter: str) -> np.ndarray:
    """(n, 2): the longest outline, corners and bends as Blender draws them."""
    text = bpy.data.curves.new("letter", "FONT")
    text.body = letter
    ob = bpy.data.objects.new("letter", text)
    bpy.context.scene.collection.objects.link(ob)
    bpy.context.view_layer.update()
    mesh = bpy.data.meshes.new_from_object(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    used = [0] * len(mesh.edges)
    number = {tuple(sorted(edge.vertices)): edge.index for edge in mesh.edges}
    for face in mesh.polygons:
        for key in face.edge_keys:
            used[number[key]] += 1
    beside: dict[int, list[int]] = {}
    for edge in mesh.edges:
        if used[edge.index] == 1:
            a, b = edge.vertices
            beside.setdefault(a, []).append(b)
            beside.setdefault(b, []).append(a)
    rings = []
    while beside:
        ring = [next(iter(beside))]
        while True:
            onward = [each for each in beside.pop(ring[-1]) if each in beside]
            if not onward:
                break
            ring.append(onward[0])
        rings.append(np.array([mesh.vertices[i].co[:2] for i in ring]))
    return max(rings, key=lambda ring: np.linalg.norm(np.diff(ring, axis=0), axis=1).sum())


def found_by(curve: np.ndarray, most_bars: int = 8) -> tuple[list[Found], float, float]:
    """Linkages of so many bars at most, the one that is offered first in front, and the seconds of the search.

    By the clock, and of the processor: others may use it meanwhile.
    """
    families: list[Family] = [each for each in FAMILIES if len(each.links) < most_bars]
    begun, worked = time.perf_counter(), time.process_time()
    found = run(search(curve, families=families))
    return found, time.perf_counter() - begun, time.process_time() - worked


def picture(drawn: list[tuple[str, np.ndarray, Found]]) -> str:
    """SVG of all letters: the outline in grey, what the linkage draws in colour, and their distance."""
    rows = -(-len(drawn) // COLUMNS)
    wide, high = SIDE * COLUMNS, (SIDE + 18) * rows
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="11" fill="#333333">',
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
    ]
    for number, (_, curve, found) in enumerate(drawn):
        corner = np.array([SIDE * (number % COLUMNS), (SIDE + 18) * (number // COLUMNS)])
        middle, size = 0.5 * (curve.min(axis=0) + curve.max(axis=0)), np.ptp(curve, axis=0).max()
        for points, style in (
            (curve, 'fill="#e4e4e4" stroke="#999999"'),
            (found.curve, 'fill="none" stroke="#c8501e" stroke-width="1.5"'),
        ):
            at = corner + 0.5 * SIDE + (points - middle) / size * (0.78 * SIDE) * (1.0, -1.0)
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
            lines.append(f'<polygon points="{path}" {style}/>')
        label = f"{found.family.name} {found.chamfer:.3f}"
        lines.append(f'<text x="{corner[0] + SIDE / 2}" y="{corner[1] + SIDE + 6}" text-anchor="middle">{label}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    begun = time.perf_counter()
    list(make_all())
    print(json.dumps({"tables": time.perf_counter() - begun}), flush=True)
    drawn, told = [], {"four bars": [], "six bars": [], "first": [], "best": [], "seconds": [], "of the processor": []}
    for letter in string.ascii_uppercase:
        curve = outline(letter)
        four, six = (found_by(curve, bars)[0] for bars in (4, 6))
        found, *seconds = found_by(curve)
        drawn.append((letter, curve, found[0]))
        best = [min(each.chamfer for each in of) for of in (four, six, found)]
        values = (best[0], best[1], found[0].chamfer, best[2], *seconds)
        for of, value in zip(told.values(), values, strict=True):
            of.append(value)
        print(json.dumps({"letter": letter, **{name: values[-1] for name, values in told.items()}}), flush=True)
    print(json.dumps({"mean": {name: float(np.mean(values)) for name, values in told.items()}}))
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            file.write(picture(drawn))


if __name__ == "__main__":
    main()
