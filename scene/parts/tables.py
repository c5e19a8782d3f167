# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of force of springs, dampers, supports and soft limits: their rows, and the curves that show them.

A table has a name: PULL, DAMPER or PUSH of a force; of a joint PULL, DAMPER or STOP and the number of its coordinate,
of a generic joint that of the axis ("DAMPER 2"). Rows are what is simulated. A curve is a Float Curve in a node group
of its own, which Blender draws and lets one edit in the panel: its points are the rows, as parts of the table's width
and height. A handler writes each change of it into the rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import bpy

from ...solver.mechanism import AxisPull, Damper, Pull, Push, Stop
from ...solver.mechanism.curves import check_slack
from ...solver.mechanism.joint_types import AXES
from ...solver.mechanism.value_rules import Place, Problems
from ..properties.joint import ANGLE, coordinate_kinds, coordinate_values, free_axes

Points = list[tuple[float, float]]
CURVE = ".ves table"  # begins the names of node groups, which are hidden by the dot
FIRST = (0.5, 1.0, 1.5)  # times the rest length: rows of a new table, which is that of the linear spring
REACH = 1.0  # m, rad, m/s or rad/s: how far a new table of a damper or of a joint's spring goes
DEEP = 0.1  # m or rad: and that of a support or a soft limit
_SAME = 1e-6  # of width and height: single precision
WORDS = {"PULL": "its spring", "DAMPER": "its damper", "PUSH": "its push", "STOP": "its soft limit"}
UNITS = {"length": "m", "speed": "m/s", "angle": "rad", "spin": "rad/s"}
_SPRING, _DAMPER, _ONE_WAY = ("PULL",), ("DAMPER",), ("PUSH", "STOP")


class Shape(NamedTuple):
    """A ready-made table: places as parts of how far it goes, forces as parts of what the linear one has there."""

    label: str
    text: str
    of: tuple[str, ...]  # PULL, DAMPER, PUSH, STOP
    points: tuple[tuple[float, float], ...]


SHAPES = {
    "LINEAR": Shape("Linear", "As the stiffness or damping says", (*_SPRING, *_DAMPER, *_ONE_WAY),
                    ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0))),
    "PROGRESSIVE": Shape("Progressive", "Soft at first, and harder the farther or the faster it goes",
                         (*_SPRING, *_DAMPER, "PUSH"),
                         ((0.0, 0.0), (0.25, 0.08), (0.5, 0.25), (0.75, 0.6), (1.0, 1.4))),
    "DEGRESSIVE": Shape("Degressive", "Hard at first, and then hardly harder: a spring that gives way",
                        _SPRING, ((0.0, 0.0), (0.15, 0.4), (0.4, 0.7), (1.0, 0.9))),
    "LOOSE": Shape("Loose", "Nothing over the first part of the way: play", _SPRING,
                   ((0.0, 0.0), (0.3, 0.0), (0.65, 0.5), (1.0, 1.0))),
    "DIGRESSIVE": Shape("Digressive Damper", "Firm at low rates, and hardly firmer at high ones: a shock absorber that "
                        "holds the body calm and lets the wheel go over a kerb", _DAMPER,
                        ((0.0, 0.0), (0.08, 0.3), (0.2, 0.45), (0.5, 0.6), (1.0, 0.75))),
    "BUMP_REBOUND": Shape("Bump and Rebound", "Digressive, and twice as firm while it gets longer as while it gets "
                          "shorter, as in a car", _DAMPER,
                          ((-1.0, -0.5), (-0.2, -0.3), (-0.08, -0.2), (0.0, 0.0), (0.08, 0.4), (0.2, 0.6), (1.0, 1.0))),
    "QUADRATIC": Shape("Quadratic", "With the square of the rate, as oil through a hole", _DAMPER,
                       ((0.0, 0.0), (0.25, 0.0625), (0.5, 0.25), (0.75, 0.5625), (1.0, 1.0))),
    "BUMP_STOP": Shape("Bump Stop", "Foam or rubber: hardly anything at first, and then hard", _ONE_WAY,
                       ((0.0, 0.0), (0.25, 0.04), (0.5, 0.15), (0.75, 0.4), (0.9, 0.7), (1.0, 1.0))),
}  # fmt: skip
"""Ready-made tables, by the identifier of the operator's choice."""


def kind_of(name: str) -> str:
    """PULL, DAMPER, PUSH or STOP."""
    return name.split()[0]


def of_coordinate(kind: str, settings: bpy.types.PropertyGroup, coordinate: int) -> str:
    """The name of a table of a joint's coordinate."""
    if settings.joint_type == "GENERIC":
        coordinate = AXES.index(free_axes(settings)[coordinate])
    return f"{kind} {coordinate}"


def coordinate_of(settings: bpy.types.PropertyGroup, name: str) -> int | None:
    """The coordinate of a joint that a table is of; None of one of a force, or of an axis that is locked."""
    if settings.role != "JOINT" or len(name.split()) != 2:
        return None
    number = int(name.split()[1])
    if settings.joint_type == "GENERIC":
        free = free_axes(settings)
        return free.index(AXES[number]) if AXES[number] in free else None
    return number if number < len(coordinate_kinds(settings)) else None


def table_of(settings: bpy.types.PropertyGroup, name: str) -> bpy.types.PropertyGroup | None:
    """The table of that name; None if there is none."""
    return next((table for table in settings.tables if table.name == name), None)


def is_used(settings: bpy.types.PropertyGroup, name: str) -> bool:
    """True if the force goes by that table."""
    if name == "PULL":
        return settings.use_pull_table
    table = table_of(settings, name)
    return table is not None and table.use


def shown_as(settings: bpy.types.PropertyGroup, name: str) -> str:
    """The property of a row by which its place is shown, in its unit."""
    kind, coordinate = kind_of(name), coordinate_of(settings, name)
    if coordinate is None:
        return "speed" if kind == "DAMPER" else "length"
    is_angle = coordinate_kinds(settings)[coordinate] == ANGLE
    return ("spin" if is_angle else "speed") if kind == "DAMPER" else ("angle" if is_angle else "length")


def rows_of_table(settings: bpy.types.PropertyGroup, name: str) -> list[bpy.types.PropertyGroup]:
    """Its rows as they are listed."""
    return list(settings.pull_table) if name == "PULL" else [row for row in settings.table_rows if row.table == name]


def points_of(settings: bpy.types.PropertyGroup, name: str) -> Points:
    """(place or rate, force) of all rows, the least first, in SI units."""
    place = "length" if name == "PULL" else "at"
    return sorted((getattr(row, place), row.force) for row in rows_of_table(settings, name))


def set_points(settings: bpy.types.PropertyGroup, name: str, points: Iterable[tuple[float, float]]) -> None:
    """Make these the rows of a table."""
    points = list(points)
    if name == "PULL":
        settings.pull_table.clear()
        for length, force in points:
            row = settings.pull_table.add()
            row.length, row.force = length, force
        return
    for k in reversed(range(len(settings.table_rows))):
        if settings.table_rows[k].table == name:
            settings.table_rows.remove(k)
    for at, force in points:
        row = settings.table_rows.add()
        row.table, row.at, row.force = name, at, force


def make_table(settings: bpy.types.PropertyGroup, name: str, points: Iterable[tuple[float, float]]) -> None:
    """Let a force go by a table with these rows."""
    table = table_of(settings, name)
    if table is None:
        table = settings.tables.add()
        table.name = name
    if name == "PULL":
        settings.use_pull_table = True
    table.use = True
    set_points(settings, name, points)
    if table.as_curve:
        show_curve(settings, table)


def put_table(
    settings: bpy.types.PropertyGroup, name: str, table: Pull | AxisPull | Damper | Push | Stop | None
) -> None:
    """Make a table of the mechanism's, if there is one."""
    if table is None:
        return
    over = next(each for each in ("lengths", "coordinates", "rates", "depths") if hasattr(table, each))
    make_table(settings, name, zip(getattr(table, over), table.forces, strict=True))
    if isinstance(table, Stop):
        table_of(settings, name).dissipation = table.dissipation


def remove_row(settings: bpy.types.PropertyGroup, name: str, number: int) -> bool:
    """Take a row out; False if there is none of that number."""
    rows = settings.pull_table if name == "PULL" else settings.table_rows
    places = [k for k in range(len(rows)) if name == "PULL" or rows[k].table == name]
    if not 0 <= number < len(places):
        return False
    rows.remove(places[number])
    return True


def add_row(settings: bpy.types.PropertyGroup, name: str) -> None:
    """Add a row behind the last, straight on from there; a table of fewer than two begins as the linear one."""
    points = points_of(settings, name)
    if len(points) < 2:
        known = dict(points)
        new = [point for point in linear(settings, name) if point[0] not in known]
        make_table(settings, name, sorted([*points, *new]))
        return
    (before, weaker), (last, strongest) = points[-2:]
    make_table(settings, name, [*points, (2.0 * last - before, 2.0 * strongest - weaker)])


def linear(settings: bpy.types.PropertyGroup, name: str) -> Points:
    """The rows of a table that does what stiffness or damping do."""
    return shaped(settings, name, "LINEAR")


def shaped(settings: bpy.types.PropertyGroup, name: str, shape: str) -> Points:
    """The rows of a ready-made table, of the size of the linear force that it stands for."""
    kind, coordinate, points = kind_of(name), coordinate_of(settings, name), SHAPES[shape].points
    if kind == "PULL" and coordinate is None:
        rest = settings.rest_length or 1.0
        if settings.force_type == "RUBBER":
            return [(rest * (1.0 + 0.5 * x), 0.5 * rest * settings.spring_stiffness * f) for x, f in points]
        both = [*((-x, -f) for x, f in reversed(points[1:])), *points]
        if shape == "LINEAR":
            return [(share * rest, settings.spring_stiffness * (share - 1.0) * rest) for share in FIRST]
        return [(rest * (1.0 + 0.5 * x), 0.5 * rest * settings.spring_stiffness * f) for x, f in both]
    if kind == "PULL":
        rest, most = coordinate_values(settings, "rest")[coordinate], coordinate_values(settings, "stiffness")
        both = [*((-x, -f) for x, f in reversed(points[1:])), *points]
        return [(rest + REACH * x, REACH * (most[coordinate] or 100.0) * f) for x, f in both]
    if kind == "DAMPER":
        if coordinate is not None:
            damping = coordinate_values(settings, "damping")[coordinate] or 10.0
        else:
            damping = settings.support_damping if settings.force_type == "SUPPORT" else settings.spring_damping
        return [(REACH * x, REACH * (damping or 10.0) * f) for x, f in points]
    if kind == "PUSH":
        return [(DEEP * x, DEEP * settings.support_stiffness * f) for x, f in points]
    return [(DEEP * x, 1000.0 * DEEP * f) for x, f in points]


def record_of(settings: bpy.types.PropertyGroup, name: str) -> Pull | AxisPull | Damper | Push | Stop:
    """The table as the mechanism has it; it may be wrong."""
    points = points_of(settings, name)
    over, forces = [x for x, _ in points], [f for _, f in points]
    kind = kind_of(name)
    if kind == "DAMPER":
        return Damper(over, forces)
    if kind == "PUSH":
        return Push(over, forces)
    if kind == "STOP":
        return Stop(over, forces, dissipation=table_of(settings, name).dissipation)
    return Pull(over, forces) if coordinate_of(settings, name) is None else AxisPull(over, forces)


def problem_of(settings: bpy.types.PropertyGroup, name: str) -> str | None:
    """The problem of a table, or None."""
    points = points_of(settings, name)
    what, unit = f"table of {WORDS[kind_of(name)]}", UNITS[shown_as(settings, name)]
    if len(points) < 2:
        return f"has {len(points)} rows in its {what}, and two are the least: press Add Row"
    twice = next((x for (x, _), (y, _) in itertools.pairwise(points) if x == y), None)
    if twice is not None:
        return f"has two rows for {twice:g} {unit} in its {what}, which is no curve then: remove one of them"
    problems, table = Problems(), record_of(settings, name)
    table.check(Place(problems, what))
    if name == "PULL" and settings.force_type == "RUBBER":
        check_slack(table, Place(problems, what))
    return f"has a wrong {problems[0]}" if problems else None


def noted_tables(settings: bpy.types.PropertyGroup) -> list:
    """All that counts of the tables, as JSON knows it."""
    tables = [[table.name, table.use, table.dissipation] for table in settings.tables]
    rows = [[row.table, row.at, row.force] for row in settings.table_rows]
    return [tables, rows, [[row.length, row.force] for row in settings.pull_table]]


def put_back_tables(settings: bpy.types.PropertyGroup, noted: list) -> None:
    """Make the tables as they were noted; one that is shown as a curve stays one."""
    tables, rows, pulls = noted
    set_points(settings, "PULL", pulls)
    settings.table_rows.clear()
    for name, at, force in rows:
        row = settings.table_rows.add()
        row.table, row.at, row.force = name, at, force
    known = [name for name, *_ in tables]
    for k in reversed(range(len(settings.tables))):
        if settings.tables[k].name not in known:
            settings.tables.remove(k)
    for name, use, dissipation in tables:
        table = table_of(settings, name) or settings.tables.add()
        table.name, table.use, table.dissipation = name, use, dissipation
        if table.as_curve:
            show_curve(settings, table)


def copy_tables(source: bpy.types.PropertyGroup, target: bpy.types.PropertyGroup) -> None:
    """Give another part the same tables, with curves of its own."""
    set_points(target, "PULL", points_of(source, "PULL"))
    target.tables.clear()
    target.table_rows.clear()
    for table in source.tables:
        made = target.tables.add()
        made.name, made.use, made.dissipation = table.name, table.use, table.dissipation
        if table.name != "PULL":
            set_points(target, table.name, points_of(source, table.name))
        if table.as_curve:
            toggle_curve(target, table.name)


# Curves.


def toggle_curve(settings: bpy.types.PropertyGroup, name: str) -> None:
    """Show a table as a curve, or as rows again."""
    table = table_of(settings, name) or settings.tables.add()
    table.name, table.as_curve = name, not table.as_curve
    show_curve(settings, table)


def show_curve(settings: bpy.types.PropertyGroup, table: bpy.types.PropertyGroup) -> None:
    """Put the rows of a table into its curve, which is made first; without `as_curve` it goes."""
    if not table.as_curve:
        if table.curve is not None and table.curve.users <= 1:
            bpy.data.node_groups.remove(table.curve)
        table.curve = None
        return
    points = points_of(settings, table.name) or linear(settings, table.name)
    is_shared = table.curve is not None and table.curve.users > 1
    if table.curve is None or is_shared:
        table.curve = _new_group(f"{CURVE} {settings.id_data.name} {table.name}")
        owner = settings.id_data
        owner.instance_collection = owner.instance_collection  # so that Blender looks anew at what depends on what
    width = max(abs(x) for x, _ in points) or 1.0
    height = max(abs(force) for _, force in points) or 1.0
    table.width, table.height = width, height
    mapping = mapping_of(table)
    mapping.use_clip = False
    low, up = (-1.0 if min(values) < 0.0 else 0.0 for values in zip(*points, strict=True))
    mapping.clip_min_x, mapping.clip_min_y, mapping.clip_max_x, mapping.clip_max_y = low, up, 1.0, 1.0
    drawn = mapping.curves[0].points
    while len(drawn) > 2:
        drawn.remove(drawn[1])
    for k, (x, force) in enumerate(points):
        place = x / width, force / height
        point = drawn[k] if k < 2 else drawn.new(*place)
        point.location, point.handle_type = place, "AUTO_CLAMPED"
    mapping.extend = "EXTRAPOLATED"
    mapping.update()
    mapping.reset_view()


def take_curve(settings: bpy.types.PropertyGroup, table: bpy.types.PropertyGroup) -> None:
    """Put the points of a table's curve into its rows, where they differ."""
    mapping = mapping_of(table)
    if mapping is None or not table.as_curve:
        return
    found = sorted((p.location[0] * table.width, p.location[1] * table.height) for p in mapping.curves[0].points)
    known = points_of(settings, table.name)
    if not _are_same(found, known, table.width, table.height):
        set_points(settings, table.name, found)


def mapping_of(table: bpy.types.PropertyGroup) -> bpy.types.CurveMapping | None:
    """The curve of a table that is shown as one."""
    node = curve_node(table)
    return None if node is None else node.mapping


def curve_node(table: bpy.types.PropertyGroup) -> bpy.types.Node | None:
    """The node that holds the curve."""
    nodes = table.curve.nodes if table.curve is not None else ()
    return next((node for node in nodes if node.bl_idname == "ShaderNodeFloatCurve"), None)


@bpy.app.handlers.persistent
def _follow_curves(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Points dragged in a curve are those that are simulated."""
    changed = {update.id.original for update in depsgraph.updates}
    is_curve = any(isinstance(each, bpy.types.NodeTree) for each in changed)
    owners = scene.objects if is_curve else (each for each in changed if isinstance(each, bpy.types.Object))
    for owner in owners:
        for table in owner.ves.tables:
            if table.curve in changed or owner in changed:
                take_curve(owner.ves, table)


HANDLERS = {"depsgraph_update_post": _follow_curves}


def _new_group(name: str) -> bpy.types.NodeTree:
    """With an output, without which Blender tells nobody that its curve has changed."""
    group = bpy.data.node_groups.new(name, "ShaderNodeTree")
    group.interface.new_socket("Force", in_out="OUTPUT", socket_type="NodeSocketFloat")
    curve, end = group.nodes.new("ShaderNodeFloatCurve"), group.nodes.new("NodeGroupOutput")
    group.links.new(curve.outputs[0], end.inputs[0])
    return group


def _are_same(found: Sequence, known: Sequence, width: float, height: float) -> bool:
    pairs = zip(found, known, strict=False)
    near = all(abs(x - u) <= _SAME * width and abs(f - g) <= _SAME * height for (x, f), (u, g) in pairs)
    return len(found) == len(known) and near
