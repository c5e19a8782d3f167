# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes as node groups: a coil, a strap and a bar between two ends, and a rope over two wheels.

Symbols: A, B the ends in the world; d their distance; s from 0 to 1 along the way from A to B.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import bpy

from .tree import Socket, Tree

POINTS_PER_TURN = 24
STRAIGHT = 0.08  # of the length of a coil, at each of its ends
STRAP_POINTS = 32
THINNEST = 0.3  # of its width when slack: a strap that is stretched very much
WRAP_POINTS = 16  # of a rope on a wheel
SAME_PLACE = 1e-5  # m: wheels nearer to each other are one

LENGTH = {"subtype": "DISTANCE", "min_value": 0.0}
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
    """A flat rubber: narrower and thinner when stretched, sagging when slack.

    Of rest length L at d < L it hangs as a parabola; its depth h = (0.5 - 0.067 d/L) sqrt(L^2 - d^2) makes it as long
    as L within 1 % from d = 0.3 L on.
    """
    shape = {
        "Rest Length": ("Float", {**LENGTH, "default_value": 1.0}),
        "Width": ("Float", {**LENGTH, "default_value": 0.05}),
    }
    tree = Tree("Erector Set Strap", ENDS | shape | LOOK)
    rest, ends = tree.inputs["Rest Length"], _Ends(tree)
    line, factor = _line(tree, STRAP_POINTS)
    squares = tree.math("SUBTRACT", tree.math("MULTIPLY", rest, rest), tree.math("POWER", ends.distance, 2.0))
    share = tree.math("DIVIDE", ends.distance, tree.math("MAXIMUM", rest, 1e-6))
    depth = tree.math(
        "MULTIPLY",
        tree.math("SUBTRACT", 0.5, tree.math("MULTIPLY", tree.math("MINIMUM", share, 1.0), 0.067)),
        tree.math("SQRT", tree.math("MAXIMUM", squares, 0.0)),
    )
    parabola = tree.math("MULTIPLY", tree.math("MULTIPLY", factor, tree.math("SUBTRACT", 1.0, factor)), 4.0)
    down = tree.node("FunctionNodeRotateVector", (0.0, 0.0, -1.0), ends.unturned).outputs[0]
    sag = tree.scaled(down, tree.math("MULTIPLY", depth, parabola))
    along = tree.combined(0.0, 0.0, tree.math("MULTIPLY", factor, ends.distance))
    bent = tree.node("GeometryNodeSetPosition", line, None, tree.vector("ADD", along, sag)).outputs[0]
    narrowed = tree.math("SQRT", tree.math("DIVIDE", 1.0, tree.math("MAXIMUM", share, 1.0)))
    narrow = tree.math("MAXIMUM", narrowed, THINNEST)
    profile = tree.node(
        "GeometryNodeCurvePrimitiveQuadrilateral",
        tree.math("MULTIPLY", tree.inputs["Width"], narrow),
        tree.math("MULTIPLY", tree.inputs["Thickness"], narrow),
    ).outputs[0]
    return tree.finish(ends.put(tree.tube(bent, profile)))


def bar() -> bpy.types.NodeTree:
    """A round bar or a taut cord."""
    tree = Tree("Erector Set Bar", ENDS | LOOK)
    ends = _Ends(tree)
    line = tree.node("GeometryNodeCurvePrimitiveLine", ends.start, ends.end).outputs[0]
    return tree.finish(tree.tube(line, tree.round_profile(tree.inputs["Thickness"])))


def rope() -> bpy.types.NodeTree:
    """A rope that touches two wheels, whose grooves it follows in an arc, and the wheels themselves."""
    wheels = {
        "First Wheel": ("Object", {"description": "Where the rope leaves the wheel of the first body"}),
        "Second Wheel": ("Object", {"description": "Where the rope leaves the wheel of the second body"}),
        "Radius": ("Float", {**LENGTH, "default_value": 0.1, "description": "Of the wheels, in their grooves"}),
        "Wheels": ("Bool", {"default_value": True, "description": "Show the wheels as well"}),
    }
    tree = Tree("Erector Set Rope", ENDS | wheels | LOOK)
    start, end = _start(tree).outputs["Location"], _end(tree)
    first, second = (tree.info(tree.inputs[f"{which} Wheel"]).outputs["Location"] for which in ("First", "Second"))
    places = tree.node("GeometryNodeIndexSwitch", data_type="VECTOR")
    while len(places.index_switch_items) < 4:
        places.index_switch_items.new()
    index = tree.node("GeometryNodeInputIndex").outputs[0]
    for socket, value in zip(places.inputs, (index, start, first, second, end), strict=False):
        tree.feed(socket, value)
    line = tree.node("GeometryNodeMeshLine", 4, mode="OFFSET", count_mode="TOTAL").outputs[0]
    laid = tree.node("GeometryNodeSetPosition", line, None, places.outputs[0]).outputs[0]
    merged = tree.fill(tree.node("GeometryNodeMergeByDistance"), {"Geometry": laid, "Distance": SAME_PLACE})
    curve = tree.node("GeometryNodeMeshToCurve", merged).outputs[0]
    told = {"Curve": curve, "Radius": tree.inputs["Radius"], "Limit Radius": True, "Count": WRAP_POINTS}
    wrapped = tree.fill(tree.node("GeometryNodeFilletCurve", mode="POLY"), told)
    strand = tree.tube(wrapped, tree.round_profile(tree.inputs["Thickness"]))
    is_one = tree.math("LESS_THAN", tree.measure("DISTANCE", first, second), SAME_PLACE)
    beyond = tree.switch("VECTOR", is_one, second, end)
    other = tree.switch("GEOMETRY", is_one, _wheel(tree, second, first, end), None)
    both = tree.joined(_wheel(tree, first, start, beyond), other)
    return tree.finish(tree.joined(strand, tree.switch("GEOMETRY", tree.inputs["Wheels"], None, both)))


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
        self.unturned = tree.node("FunctionNodeInvertRotation", self.turn).outputs[0]

    def put(self, geometry: Socket) -> Socket:
        """Geometry of that frame in the world."""
        told = {"Geometry": geometry, "Translation": self.start, "Rotation": self.turn}
        return self._tree.fill(self._tree.node("GeometryNodeTransform", mode="COMPONENTS"), told)


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


SHAPES: dict[str, Callable[[], bpy.types.NodeTree]] = {"COIL": coil, "STRAP": strap, "BAR": bar, "ROPE": rope}


def group_of(shape: str) -> bpy.types.NodeTree:
    """The node group of a shape: that of the file if there is one, else a new one."""
    found = bpy.data.node_groups.get((f"Erector Set {shape.title()}", None))
    return found if found is not None and found.bl_idname == "GeometryNodeTree" else SHAPES[shape]()
