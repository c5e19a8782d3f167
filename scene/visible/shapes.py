# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes as node groups: a coil, a strap, a bar and a cord between two ends, a rope over two wheels, and one
from point to point.

What is slack hangs as a catenary, x = a arsinh(l / a) and z = sqrt(a^2 + l^2) at a length l from its lowest point. Of
length L between ends that are c apart on the level and v upright, a = c / 2u with sinh(u) / u = sqrt(L^2 - v^2) / c,
which Newton's method finds, and from end to end l goes from (v / tanh(u) - L) / 2 to L more.

Symbols: A, B the ends in the world; d their distance; s from 0 to 1 along the way from A to B.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import bpy

from ...solver.mechanism import Rope
from .tree import Socket, Tree

POINTS_PER_TURN = 24
STRAIGHT = 0.08  # of the length of a coil, at each of its ends
SAGGING_POINTS = 32
NEARLY_TAUT = 1e-6  # of the distance: what hangs through at least, so that single precision tells it
NEARLY_UPRIGHT = 1e-4  # of the length: how far ends are apart on the level at least
NEWTON_STEPS = 4
THINNEST = 0.3  # of its width when slack: a strap that is stretched very much
WRAP_POINTS = 16  # of a rope on a wheel
SAME_PLACE = 1e-5  # m: wheels nearer to each other are one

MOST_POINTS = Rope.MOST_POINTS

LENGTH = {"subtype": "DISTANCE", "min_value": 0.0}
REST = {"Rest Length": ("Float", {**LENGTH, "default_value": 1.0})}
ENDS = {
    "From": ("Object", {"description": "The first end is at this object's origin"}),
    "To": ("Object", {"description": "The object on which the second end is; none: the world"}),
    "Place": ("Vector", {"description": "Where the second end is, in that object's coordinates"}),
}
LOOK = {
    "Thickness": ("Float", {**LENGTH, "default_value": 0.01}),
    "Material": ("Material", {}),
}


def coil() -> bpy.types.NodeTree:
    """A helical spring: its wire keeps its thickness, its turns open as the ends go apart."""
    shape = {
        "Radius": ("Float", {**LENGTH, "default_value": 0.1}),
        "Turns": ("Float", {"default_value": 8.0, "min_value": 0.5, "max_value": 200.0}),
    }
    tree = Tree("Erector Set Coil", ENDS | shape | LOOK)
    radius, turns = tree.inputs["Radius"], tree.inputs["Turns"]
    ends = _Ends(tree)
    count = tree.math("ADD", tree.math("MULTIPLY", turns, POINTS_PER_TURN / (1.0 - 2.0 * STRAIGHT)), 2.0)
    line, factor = _line(tree, count)
    wound = tree.node("ShaderNodeMapRange", factor, STRAIGHT, 1.0 - STRAIGHT, 0.0, 1.0).outputs[0]
    to_end = tree.math("MINIMUM", wound, tree.math("SUBTRACT", 1.0, wound))
    taper = tree.node("ShaderNodeMapRange", interpolation_type="SMOOTHSTEP")
    told = {"Value": tree.math("MULTIPLY", to_end, turns), "From Max": 0.5}
    reach = tree.math("MULTIPLY", tree.fill(taper, told), radius)
    angle = tree.math("MULTIPLY", tree.math("MULTIPLY", wound, turns), 2.0 * math.pi)
    place = tree.combined(
        tree.math("MULTIPLY", reach, tree.math("COSINE", angle)),
        tree.math("MULTIPLY", reach, tree.math("SINE", angle)),
        tree.math("MULTIPLY", factor, ends.distance),
    )
    bent = tree.node("GeometryNodeSetPosition", line, None, place).outputs[0]
    return tree.finish(ends.put(tree.tube(bent, tree.round_profile(tree.inputs["Thickness"]))))


def strap() -> bpy.types.NodeTree:
    """A flat rubber: narrower and thinner when stretched, sagging when slack."""
    tree = Tree("Erector Set Strap", ENDS | REST | {"Width": ("Float", {**LENGTH, "default_value": 0.05})} | LOOK)
    rest, ends = tree.inputs["Rest Length"], _Ends(tree)
    share = tree.math("DIVIDE", ends.distance, tree.math("MAXIMUM", rest, 1e-6))
    narrowed = tree.math("SQRT", tree.math("DIVIDE", 1.0, tree.math("MAXIMUM", share, 1.0)))
    narrow = tree.math("MAXIMUM", narrowed, THINNEST)
    profile = tree.node(
        "GeometryNodeCurvePrimitiveQuadrilateral",
        tree.math("MULTIPLY", tree.inputs["Width"], narrow),
        tree.math("MULTIPLY", tree.inputs["Thickness"], narrow),
    ).outputs[0]
    return tree.finish(tree.tube(_hanging(tree, rest), profile))


def cord() -> bpy.types.NodeTree:
    """A round cord or a chain: straight when taut, sagging when slack."""
    tree = Tree("Erector Set Cord", ENDS | REST | LOOK)
    hanging = _hanging(tree, tree.inputs["Rest Length"])
    return tree.finish(tree.tube(hanging, tree.round_profile(tree.inputs["Thickness"])))


def bar() -> bpy.types.NodeTree:
    """A round bar or a taut cord."""
    tree = Tree("Erector Set Bar", ENDS | LOOK)
    ends = _Ends(tree)
    line = tree.node("GeometryNodeCurvePrimitiveLine", ends.start, ends.end).outputs[0]
    return tree.finish(tree.tube(line, tree.round_profile(tree.inputs["Thickness"])))


def rope() -> bpy.types.NodeTree:
    """A rope that touches two wheels, whose grooves it follows in an arc, and the wheels themselves.

    What it is too long by hangs down on both sides, half each.
    """
    wheels = {
        "First Wheel": ("Object", {"description": "Where the rope leaves the wheel of the first body"}),
        "Second Wheel": ("Object", {"description": "Where the rope leaves the wheel of the second body"}),
        "Radius": ("Float", {**LENGTH, "default_value": 0.1, "description": "Of the wheels, in their grooves"}),
        "Wheels": ("Bool", {"default_value": True, "description": "Show the wheels as well"}),
    }
    length = {
        "Rest Length": ("Float", {**LENGTH, "default_value": 0.0, "description": "Of both sides; 0: it is taut"}),
        "Ratio": ("Float", {"default_value": 1.0, "min_value": 1e-6, "description": "Strands of the second side"}),
    }
    tree = Tree("Erector Set Rope", ENDS | wheels | length | LOOK)
    start, end = _start(tree).outputs["Location"], _end(tree)
    first, second = (tree.info(tree.inputs[f"{which} Wheel"]).outputs["Location"] for which in ("First", "Second"))
    laid = _laid(tree, [start, first, second, end])
    merged = tree.fill(tree.node("GeometryNodeMergeByDistance"), {"Geometry": laid, "Distance": SAME_PLACE})
    curve = tree.node("GeometryNodeMeshToCurve", merged).outputs[0]
    told = {"Curve": curve, "Radius": tree.inputs["Radius"], "Limit Radius": True, "Count": WRAP_POINTS}
    wrapped = tree.fill(tree.node("GeometryNodeFilletCurve", mode="POLY"), told)
    strand = tree.tube(_slack(tree, wrapped, (start, first, second, end)), tree.round_profile(tree.inputs["Thickness"]))
    is_one = tree.math("LESS_THAN", tree.measure("DISTANCE", first, second), SAME_PLACE)
    beyond = tree.switch("VECTOR", is_one, second, end)
    other = tree.switch("GEOMETRY", is_one, _wheel(tree, second, first, end), None)
    both = tree.joined(_wheel(tree, first, start, beyond), other)
    return tree.finish(tree.joined(strand, tree.switch("GEOMETRY", tree.inputs["Wheels"], None, both)))


def tackle() -> bpy.types.NodeTree:
    """A taut rope from point to point, over as many as there are."""
    over = {f"Point {k}": ("Object", {"description": "What the rope runs over"}) for k in range(1, MOST_POINTS - 1)}
    count = {"Count": ("Int", {"default_value": 0, "description": "Of the points that it runs over"})}
    tree = Tree("Erector Set Tackle", ENDS | over | count | LOOK)
    start, end = _start(tree).outputs["Location"], _end(tree)
    places = [start]
    for k in range(1, MOST_POINTS - 1):
        is_there = tree.math("LESS_THAN", k - 0.5, tree.inputs["Count"])
        place = tree.info(tree.inputs[f"Point {k}"]).outputs["Location"]
        places.append(tree.switch("VECTOR", is_there, end, place))
    laid = _laid(tree, [*places, end])
    merged = tree.fill(tree.node("GeometryNodeMergeByDistance"), {"Geometry": laid, "Distance": SAME_PLACE})
    curve = tree.node("GeometryNodeMeshToCurve", merged).outputs[0]
    return tree.finish(tree.tube(curve, tree.round_profile(tree.inputs["Thickness"])))


def _laid(tree: Tree, places: list[Socket]) -> Socket:
    """A line of edges through places, in their order."""
    switch = tree.node("GeometryNodeIndexSwitch", data_type="VECTOR")
    while len(switch.index_switch_items) < len(places):
        switch.index_switch_items.new()
    index = tree.node("GeometryNodeInputIndex").outputs[0]
    for socket, value in zip(switch.inputs, (index, *places), strict=False):
        tree.feed(socket, value)
    line = tree.node("GeometryNodeMeshLine", len(places), mode="OFFSET", count_mode="TOTAL").outputs[0]
    return tree.node("GeometryNodeSetPosition", line, None, switch.outputs[0]).outputs[0]


def _slack(tree: Tree, curve: Socket, places: tuple[Socket, Socket, Socket, Socket]) -> Socket:
    """A rope's curve whose two outer strands, between places on its way, hang down by what it is too long."""
    start, first, second, end = places
    sides = tree.measure("DISTANCE", start, first), tree.measure("DISTANCE", second, end)
    ratio = tree.inputs["Ratio"]
    held = tree.math("ADD", sides[0], tree.math("MULTIPLY", ratio, sides[1]))
    half = tree.math(
        "MULTIPLY", tree.math("MAXIMUM", tree.math("SUBTRACT", tree.inputs["Rest Length"], held), 0.0), 0.5
    )
    is_slack = tree.math("GREATER_THAN", half, tree.math("MULTIPLY", held, NEARLY_TAUT))
    cuts = tree.math("MULTIPLY", is_slack, float(SAGGING_POINTS))
    fine = tree.fill(tree.node("GeometryNodeSubdivideCurve"), {"Curve": curve, "Cuts": cuts})
    from_start = tree.node("GeometryNodeSplineParameter").outputs["Length"]
    whole = tree.node("GeometryNodeSplineLength").outputs["Length"]
    shifts = []
    for (near, wheel), side, far, more in (
        ((start, first), sides[0], from_start, half),
        ((end, second), sides[1], tree.math("SUBTRACT", whole, from_start), tree.math("DIVIDE", half, ratio)),
    ):
        factor = tree.math("MINIMUM", tree.math("DIVIDE", far, tree.math("MAXIMUM", side, 1e-6)), 1.0)
        hanging = _catenary(tree, near, wheel, tree.math("ADD", side, more), factor)
        straight = tree.vector("ADD", near, tree.scaled(tree.vector("SUBTRACT", wheel, near), factor))
        shifts.append(tree.vector("SUBTRACT", hanging, straight))
    return tree.node("GeometryNodeSetPosition", fine, None, None, tree.vector("ADD", *shifts)).outputs[0]


def _wheel(tree: Tree, corner: Socket, before: Socket, behind: Socket) -> Socket:
    """A grooved wheel that touches the lines from a corner to its two neighbours: a ring below the rope."""
    radius, thickness = tree.inputs["Radius"], tree.inputs["Thickness"]
    ways = [tree.vector("NORMALIZE", tree.vector("SUBTRACT", place, corner)) for place in (before, behind)]
    middle = tree.vector("ADD", *ways)
    half = tree.math("MULTIPLY", tree.measure("LENGTH", middle), 0.5)  # cosine of half the angle between them
    sine = tree.math("SQRT", tree.math("MAXIMUM", tree.math("SUBTRACT", 1.0, tree.math("POWER", half, 2.0)), 1e-6))
    away = tree.math("DIVIDE", radius, sine)
    centre = tree.vector("ADD", corner, tree.scaled(tree.vector("NORMALIZE", middle), away))
    axis = tree.vector("CROSS_PRODUCT", *ways)
    turn = tree.node("FunctionNodeAlignRotationToVector", None, None, axis, axis="Z").outputs[0]
    inner = tree.math("MULTIPLY", thickness, 0.5)
    core = tree.math("MAXIMUM", tree.math("SUBTRACT", radius, inner), 0.0)
    outer = tree.math("ADD", radius, tree.math("MULTIPLY", thickness, 0.8))
    parts = [_disc(tree, core, tree.math("MULTIPLY", thickness, 2.2))]
    for side in (-1.0, 1.0):
        shift = tree.combined(0.0, 0.0, tree.math("MULTIPLY", thickness, side * 0.9))
        rim = _disc(tree, outer, tree.math("MULTIPLY", thickness, 0.4))
        parts.append(tree.node("GeometryNodeSetPosition", rim, None, None, shift).outputs[0])
    paint = tree.inputs["Material"]
    painted = tree.node("GeometryNodeSetMaterial", tree.joined(*parts), None, paint).outputs[0]
    told = {"Geometry": painted, "Translation": centre, "Rotation": turn}
    return tree.fill(tree.node("GeometryNodeTransform", mode="COMPONENTS"), told)


def _disc(tree: Tree, radius: Socket, depth: Socket) -> Socket:
    return tree.fill(tree.node("GeometryNodeMeshCylinder"), {"Vertices": 48, "Radius": radius, "Depth": depth})


class _Ends:
    """The two ends in the world, and the frame at the first whose Z points to the second."""

    def __init__(self, tree: Tree) -> None:
        info = _start(tree)
        self._tree, self.start, self.end = tree, info.outputs["Location"], _end(tree)
        way = tree.vector("SUBTRACT", self.end, self.start)
        self.distance = tree.measure("LENGTH", way)
        self.turn = tree.node("FunctionNodeAlignRotationToVector", info.outputs["Rotation"], None, way).outputs[0]

    def put(self, geometry: Socket) -> Socket:
        """Geometry of that frame in the world."""
        told = {"Geometry": geometry, "Translation": self.start, "Rotation": self.turn}
        return self._tree.fill(self._tree.node("GeometryNodeTransform", mode="COMPONENTS"), told)


def _hanging(tree: Tree, rest: Socket) -> Socket:
    """A curve of a length at rest (m) from one end to the other."""
    start, end = _start(tree).outputs["Location"], _end(tree)
    line, factor = _line(tree, SAGGING_POINTS)
    return tree.node("GeometryNodeSetPosition", line, None, _catenary(tree, start, end, rest, factor)).outputs[0]


def _catenary(tree: Tree, start: Socket, end: Socket, rest: Socket, factor: Socket) -> Socket:
    """The place of a part, from 0 to 1, of a length at rest (m) that hangs from one end to the other, or is taut."""
    calculate = tree.math
    way = tree.vector("SUBTRACT", end, start)
    rise = tree.measure("DOT_PRODUCT", way, (0.0, 0.0, 1.0))
    level = tree.vector("MULTIPLY", way, (1.0, 1.0, 0.0))
    length = calculate("MAXIMUM", rest, calculate("MULTIPLY", tree.measure("LENGTH", way), 1.0 + NEARLY_TAUT))
    across = calculate("MAXIMUM", tree.measure("LENGTH", level), calculate("MULTIPLY", length, NEARLY_UPRIGHT))
    squares = calculate("SUBTRACT", calculate("MULTIPLY", length, length), calculate("MULTIPLY", rise, rise))
    ratio = calculate("MAXIMUM", calculate("DIVIDE", calculate("SQRT", squares), across), 1.0 + NEARLY_TAUT)
    small = calculate("SQRT", calculate("MULTIPLY", calculate("SUBTRACT", ratio, 1.0), 6.0))
    logarithm = calculate("LOGARITHM", calculate("MULTIPLY", calculate("MAXIMUM", ratio, 3.0), 2.0), math.e)
    large = calculate("ADD", logarithm, calculate("LOGARITHM", logarithm, math.e))
    u = tree.switch("FLOAT", calculate("LESS_THAN", ratio, 3.0), large, small)
    for _ in range(NEWTON_STEPS):
        missed = calculate("SUBTRACT", calculate("SINH", u), calculate("MULTIPLY", ratio, u))
        u = calculate("SUBTRACT", u, calculate("DIVIDE", missed, calculate("SUBTRACT", calculate("COSH", u), ratio)))
    a = calculate("DIVIDE", calculate("MULTIPLY", across, 0.5), u)
    first = calculate("MULTIPLY", calculate("SUBTRACT", calculate("DIVIDE", rise, calculate("TANH", u)), length), 0.5)
    here = calculate("ADD", first, calculate("MULTIPLY", factor, length))
    (begun, low), (ended, _), (x, z) = (
        _from_lowest(tree, a, along) for along in (first, calculate("ADD", first, length), here)
    )
    share = calculate("DIVIDE", calculate("SUBTRACT", x, begun), calculate("SUBTRACT", ended, begun))
    product = calculate("MULTIPLY", calculate("SUBTRACT", here, first), calculate("ADD", here, first))
    up = calculate("DIVIDE", product, calculate("ADD", z, low))
    hanging = tree.vector("ADD", tree.scaled(level, share), tree.combined(0.0, 0.0, up))
    is_slack = calculate("GREATER_THAN", calculate("MULTIPLY", rest, 1.0 - NEARLY_TAUT), tree.measure("LENGTH", way))
    return tree.vector("ADD", start, tree.switch("VECTOR", is_slack, tree.scaled(way, factor), hanging))


def _from_lowest(tree: Tree, a: Socket, along: Socket) -> tuple[Socket, Socket]:
    """x / a and z (m) of a catenary at a length from its lowest point."""
    away = tree.math("DIVIDE", tree.math("ABSOLUTE", along), a)
    root = tree.math("SQRT", tree.math("ADD", tree.math("MULTIPLY", away, away), 1.0))
    x = tree.math("LOGARITHM", tree.math("ADD", away, root), math.e)
    return tree.math("MULTIPLY", x, tree.math("SIGN", along)), tree.math("MULTIPLY", a, root)


def _start(tree: Tree) -> bpy.types.Node:
    return tree.info(tree.inputs["From"])


def _end(tree: Tree) -> Socket:
    other = tree.info(tree.inputs["To"]).outputs["Transform"]
    return tree.node("FunctionNodeTransformPoint", tree.inputs["Place"], other).outputs[0]


def _line(tree: Tree, count: Socket | int) -> tuple[Socket, Socket]:
    """A line of `count` points, and how far along it each of them is, from 0 to 1."""
    line = tree.node("GeometryNodeCurvePrimitiveLine", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)).outputs[0]
    points = tree.fill(tree.node("GeometryNodeResampleCurve"), {"Curve": line, "Count": count})
    return points, tree.node("GeometryNodeSplineParameter").outputs["Factor"]


SHAPES: dict[str, Callable[[], bpy.types.NodeTree]] = {
    "COIL": coil,
    "STRAP": strap,
    "BAR": bar,
    "CORD": cord,
    "ROPE": rope,
    "TACKLE": tackle,
}


def group_of(shape: str) -> bpy.types.NodeTree:
    """The node group of a shape: that of the file if there is one, else a new one."""
    found = bpy.data.node_groups.get((f"Erector Set {shape.title()}", None))
    return found if found is not None and found.bl_idname == "GeometryNodeTree" else SHAPES[shape]()
