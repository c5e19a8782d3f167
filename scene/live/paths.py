# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a point while a drive goes through its whole way (a coupler curve), as a curve object with time marks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import bpy
import numpy as np

from ...solver import MechanismError
from ...solver.kinematics import Kinematics, warm_up
from ...solver.kinematics.cycle import ROUND, Cycle, cycle_of
from ...solver.mechanism.joint_types import LENGTH
from ..bake.bake import Progress, compiled_for, saying
from ..bake.thread import beside
from ..findings import of_solver, pass_on, refuse
from ..links.plan import best_normal
from ..parts.linkages import find_linkages
from ..properties.joint import ANGLE, can_drive, coordinate_kinds
from ..quantities.path_plots import Over, as_text
from ..read.sampling import shown_frame
from ..read.scene import read_mechanism
from .course import drive_value
from .stored import Stored, known_in, stored_in

POSES = 120  # on a whole way
MARKS = 12  # time marks on it
TICK = 0.02  # length of a mark, as a part of the path's size


def draw_path(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    body: bpy.types.Object,
    point: tuple[float, float, float],
    curve: bpy.types.Object | None = None,
) -> Iterator[Progress]:
    """Make the curve of a point (along the axes of its body, m), or draw `curve` anew; returns it.

    Raises SceneError for a body that no drive moves.
    """
    yield from compiled_for(warm_up(), False)
    view_layer.update()
    stored, is_live = _stored(scene, view_layer, body)
    binding = next((each for each in stored.bindings if each.object == body), None)
    if binding is None:
        refuse(body, "stands still in its linkage: choose a body that moves")
    name = binding.body.name
    known = known_in(scene) if is_live else {ob.name_full: ob for ob in scene.objects}
    stored.drives = [drive for drive in stored.drives if drive in known]
    values = [drive_value(known[drive]) if is_live else 0.0 for drive in stored.drives]
    try:
        preferred = [drive for drive in stored.drives if known[drive].select_get()]
        walking = beside(_walked(stored, values, name, _ways(known, stored), preferred))
        drive, cycle = yield from saying(walking, Progress(0.5, "Going through the drive's way", True))
    except MechanismError as error:
        pass_on(error, scene)
    if drive is None:
        refuse(body, "is moved by no drive: select a hinge or slider of its linkage, and press Drive by Joint")
    path = cycle.path(name, binding.residual @ np.asarray(point, float))
    if curve is None:
        curve = bpy.data.objects.new(f"Path {body.name}", bpy.data.curves.new(f"Path {body.name}", "CURVE"))
        scene.collection.objects.link(curve)
    _fill(curve.data, path, cycle.comes_round)
    settings = curve.ves
    settings.path_of, settings.path_point = body, point
    gravity = stored.mechanism.gravity
    settings.path_findings = said_of(cycle, drive, gravity, scene)
    settings.path_plots = plots_of(cycle, drive, gravity)
    return curve


def paths_of(scene: bpy.types.Scene, bodies: set[bpy.types.Object]) -> list[bpy.types.Object]:
    """The curves that are paths of points of these bodies."""
    return [ob for ob in scene.objects if ob.type == "CURVE" and ob.ves.path_of in bodies]


def said_of(cycle: Cycle, drive: str, gravity: Sequence[float], scene: bpy.types.Scene) -> str:
    """The questions about a drive: its way, dead centres, the worst transmission angle, and the effort against gravity;
    the range of each hinge."""
    is_angle = _leads_by_angle(cycle, drive)
    low, high = float(cycle.values.min()), float(cycle.values.max())
    parts = [f"{drive} goes from {_told(low, is_angle)} to {_told(high, is_angle)}"]
    parts += [str(of_solver(stop, scene)) for stop in dict.fromkeys(cycle.stops) if stop is not None]
    nearest = int(np.argmin(cycle.pivots))
    parts.append(f"nearest to a dead centre ({cycle.pivots[nearest]:.2g}) at {_told(cycle.values[nearest], is_angle)}")
    angles = cycle.transmission_angles(drive)
    if angles:
        worst = min(angles, key=lambda name: angles[name].min())
        at = int(np.argmin(angles[worst]))
        told = _told(cycle.values[at], is_angle)
        parts.append(
            f"smallest transmission angle {_told(angles[worst][at], True)}, at {worst}, where the drive is at {told}"
        )
    efforts = cycle.efforts(gravity)
    parts.append(f"takes {efforts.min():.3g} to {efforts.max():.3g} {_unit(is_angle)} against gravity")
    still = 0
    for name, kind in _other_joints(cycle, drive):
        lowest, highest = (_told(end, kind == "revolute") for end in cycle.joint_range(name))
        if lowest == highest:
            still += 1
        else:
            parts.append(f"{name} {lowest} to {highest}")
    if still:
        parts.append(f"{still} other hinges and sliders stand still" if still > 1 else "one other joint stands still")
    return "; ".join(parts)


def plots_of(cycle: Cycle, drive: str, gravity: Sequence[float]) -> str:
    """The same over the way of the drive, as text for the curve."""
    is_angle = _leads_by_angle(cycle, drive)
    plots = [Over(f"Effort against Gravity ({_unit(is_angle)})", cycle.efforts(gravity))]
    plots.append(Over("Distance to a Dead Centre (1: far)", cycle.pivots))
    angles = cycle.transmission_angles(drive)
    if angles:
        plots.append(Over("Transmission Angle (°)", np.degrees(np.column_stack([*angles.values()])), tuple(angles)))
    joints = _other_joints(cycle, drive)
    for kind, title, unit in (("revolute", "Hinges (°)", 180.0 / np.pi), ("prismatic", "Sliders (m)", 1.0)):
        names = tuple(name for name, of in joints if of == kind)
        if names:
            plots.append(Over(title, unit * np.column_stack([cycle.joint_values(name) for name in names]), names))
    along, values = ("°", np.degrees(cycle.values)) if is_angle else ("m", cycle.values)
    return as_text(drive, f"Drive ({along})", values, plots)


def _leads_by_angle(cycle: Cycle, drive: str) -> bool:
    joint = next(joint for joint in cycle.mechanism.joints if joint.name == drive)
    return joint.joint_type.axes[0].kind != LENGTH


def _other_joints(cycle: Cycle, drive: str) -> list[tuple[str, str]]:
    """(name, type) of all hinges and sliders but the drive."""
    joints = [each for each in cycle.mechanism.joints if each.enabled and each.name != drive]
    return [(each.name, each.type) for each in joints if each.type in {"revolute", "prismatic"}]


def _unit(is_angle: bool) -> str:
    return "N m" if is_angle else "N"


def _told(value: float, is_angle: bool) -> str:
    if is_angle:
        return f"{round(math.degrees(value), 1) + 0.0:.1f}°"
    return f"{round(value, 9) + 0.0:.4g} m"


def _stored(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, body: bpy.types.Object) -> tuple[Stored, bool]:
    """The linkage of a body, and whether it is led where it stands; a copy of a live body is not."""
    if body.ves.is_live:
        stored = stored_in(scene)
        if stored is not None and any(each.object == body for each in stored.bindings):
            return stored, True
    linkage = next((each for each in find_linkages(scene) if body in each.bodies), None)
    if linkage is None:
        refuse(body, "is in no linkage: joints make bodies a linkage")
    reading = read_mechanism(scene, view_layer.depsgraph, linkage.parts)
    drives = [part.name_full for part in linkage.ties if part.ves.is_drive and can_drive(part.ves)]
    return Stored.of(reading, shown_frame(scene), sorted(drives)), False


def _ways(known: dict[str, bpy.types.Object], stored: Stored) -> dict[str, float]:
    """The range that each drive is asked for: hinges once round, others by the size of the linkage."""
    places = np.array([joint.position for joint in stored.mechanism.joints], float)
    size = float(np.ptp(places, axis=0).max()) or 1.0
    kinds = {name: coordinate_kinds(known[name].ves)[0] for name in stored.drives}
    return {name: ROUND if kind == ANGLE else size for name, kind in kinds.items()}


def _walked(
    stored: Stored, values: list[float], body: str, ways: dict[str, float], preferred: list[str]
) -> Iterator[None]:
    """A drive that moves a body, a preferred one if there is one, and its cycle; work for a thread."""
    kinematics = Kinematics(stored.mechanism, stored.drives)
    yield
    moved = [each.moved_by for each in kinematics.mobility()]
    drives = [name for by in moved for name, bodies in by.items() if body in bodies]
    drive = next((name for name in drives if name in preferred), drives[0] if drives else None)
    yield
    kinematics.restore()
    kinematics.lead(values)
    if drive is None:
        return None, None
    return drive, cycle_of(kinematics, drive, POSES, ways[drive])


def _fill(curve: bpy.types.Curve, path: np.ndarray, is_closed: bool) -> None:
    curve.dimensions = "3D"
    curve.splines.clear()
    points = path[:-1] if is_closed else path
    _add_spline(curve, points).use_cyclic_u = is_closed
    size = float(np.ptp(path, axis=0).max())
    if size == 0.0:
        return
    normal = best_normal(path)
    along = np.gradient(path, axis=0)
    for number in np.unique(np.linspace(0, len(path) - 1, MARKS + 1).round().astype(int))[
        : None if not is_closed else -1
    ]:
        across = np.cross(along[number], normal)
        length = np.linalg.norm(across)
        if length > 1e-12 * size:
            tick = 0.5 * TICK * size / length * across
            _add_spline(curve, np.array([path[number] - tick, path[number] + tick]))


def _add_spline(curve: bpy.types.Curve, points: np.ndarray) -> bpy.types.Spline:
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.column_stack([points, np.ones(len(points))]).ravel())
    return spline
