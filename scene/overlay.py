# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines in the 3D View that no object has: the ground for contact, the shapes of bodies, the two sides of loose ties,
ghosts.

Blender calls `draw` while it draws. The lines of a body are kept until its mesh or a setting changes, and those of all
bodies, in one batch for each colour, until Blender tells that anything has: so to look around costs nothing, however
many bodies there are. At another frame only their matrices are read anew, all at once.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .bake.ghost import ghosts, has_ghost
from .geometry import poses
from .geometry.given_sizes import given_numbers, has_given_sizes
from .geometry.shape_mesh import lines_of
from .owner import Owner
from .parts.bodies import is_body
from .parts.constraint_frames import free_lines
from .parts.holding import partner_lines
from .parts.limit_lines import has_limits, limit_lines, way_to_child
from .pose.drag_sizes import Sized, sized
from .properties.roles import FRAMES
from .properties.scene import frame_range
from .read.sampling import shown_frame
from .read.shapes import Known, ShapeError, shape_children, shapes_of
from .rig.selected import active_body, bodies_meant

GROUND_SHARE, PLANE_SHARE = 0.6, 0.08
"""Opacity of the ground's lines and of its plane, in the colour that the theme has for Blender's own grid."""
LOOSE = (1.0, 0.45, 0.1, 0.9)
PARTNERS = (0.95, 0.85, 0.2, 0.9)
FREE = (0.3, 0.8, 1.0, 0.9)
"""Of the axes that a constraint leaves free."""
LIMITS = (1.0, 0.35, 0.55, 0.9)
GHOST = (0.85, 0.55, 1.0, 0.7)
SIZES = (0.75, 1.0, 0.3, 0.9)
MOST_SIZED = 3
"""Bodies at most whose sizes have handles; of more selected ones the active one."""
DASHES = 40
"""Ends of dashes on the line of a loose tie."""
LINES = {"DYNAMIC": (0.2, 1.0, 0.45, 0.9), "KEYED": (1.0, 0.6, 0.2, 0.9), "FIXED": (0.55, 0.75, 1.0, 0.9)}
CELLS = 30
"""Of the ground's grid, to each side."""
EVEN = 1e-4
"""Share by which the scale of a body may change, and its lines be the same."""
MOST_LINES = 200_000
"""Of one body: of a larger mesh only a part is drawn."""

_lines: dict[int, tuple[tuple, np.ndarray]] = {}
"""Of each body (`session_uid`): all that they depend on, and the ends of its lines in its own space."""
_shown: dict[tuple, list[tuple[Any, tuple[float, ...]]]] = {}
"""Batches and their colours in each view, until something changes."""
_going: dict[tuple, "BodyLines"] = {}
"""Lines of the bodies in each view, which go along with them from frame to frame, until something else changes."""
_shapes: Known = {}
_ties: dict[int, list[str]] = {}
"""The loose ties of each scene (`session_uid`), until something changes."""
_limited: dict[int, list[str]] = {}
"""The joints with limits of each scene, until something changes."""
_zeros: dict[int, Vector] = {}
"""Of joints (`session_uid`) the way to their children, as it was when the first frame was shown last."""
_sized: dict[int, tuple[tuple, Sized | None]] = {}
"""Of bodies (`session_uid`): all that their handles depend on, and what these drag."""
_handle: Any = None


def draw() -> None:
    """Draw the ground and the shapes into the view that is being drawn."""
    context = bpy.context
    settings, view = context.scene.ves, context.region_data
    if view is None or context.space_data is None or not context.space_data.overlay.show_overlays:
        return
    lines = loose_lines(context.scene)
    partners = partner_lines(context.selected_objects, context.scene) if settings.show_partners else []
    free, limits = generic_lines(context), shown_limits(context) if settings.show_limits else []
    ghostly = settings.show_ghost and has_ghost(context.scene)
    sized = bodies_with_sizes(context) if settings.show_sizes else []
    if not (settings.use_contact or lines or partners or free or limits or ghostly or sized):
        return
    import gpu

    gpu.state.blend_set("ALPHA")
    if lines:
        _draw("LINES", lines, LOOSE)
    if partners:
        _draw("LINES", partners, PARTNERS)
    if free:
        _draw("LINES", free, FREE)
    if limits:
        _draw("LINES", limits, LIMITS)
    if ghostly:
        _draw_ghosts(context)
    if settings.use_contact:
        _draw_contact(context, view)
    edges = sized_lines(sized, context.evaluated_depsgraph_get()) if sized else []
    if edges:
        _draw("LINES", edges, SIZES)
    gpu.state.blend_set("NONE")


def _draw_ghosts(context: bpy.types.Context) -> None:
    key = "ghosts", context.scene.session_uid
    if key not in _shown:
        from gpu_extras.batch import batch_for_shader

        points = ghost_lines(context.scene, context.evaluated_depsgraph_get()).astype(np.float32)
        is_any = len(points) > 0  # none at a frame that the result does not have
        _shown[key] = [(batch_for_shader(_shader(), "LINES", {"pos": points}), GHOST)] if is_any else []
    _draw_batches(_shown[key])


def ghost_lines(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """Ends (2 L, 3) in the world of the lines of all bodies where they are by what is not shown."""
    found = [np.zeros((0, 3))]
    for body, way in ghosts(scene, shown_frame(scene)):
        matrix, scale = _matrix_and_scale(body, depsgraph)
        points = _lines_of(body, matrix, scale, depsgraph)
        found.append(points @ way[:3, :3].T + way[:3, 3])
    return np.concatenate(found)


def _draw_contact(context: bpy.types.Context, view: bpy.types.RegionView3D) -> None:
    """The ground, and the shapes of bodies."""
    import gpu

    settings = context.scene.ves
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(False)
    if settings.use_ground and settings.show_ground:
        draw_ground(settings.ground_height, view)
    gpu.state.depth_test_set("NONE")
    if settings.show_shapes != "NONE":
        draw_shown_shapes(context)


def draw_shown_shapes(context: bpy.types.Context) -> None:
    """Draw the shapes that are to be seen in a view."""
    key = _key_of_view(context)
    if key not in _shown:
        depsgraph = context.evaluated_depsgraph_get()
        seen = look_at(depsgraph)
        if key not in _going or not _going[key].are_of(seen):
            _going[key] = BodyLines(shown_bodies(context), depsgraph, seen)
        _shown[key] = shape_batches(_going[key], seen)
    _draw_batches(_shown[key])


def _key_of_view(context: bpy.types.Context) -> tuple:
    """A key that is the same as long as the same bodies are seen in a view."""
    space, scene = context.space_data, context.scene
    names = context.view_layer.name, scene.ves.show_shapes
    return space.as_pointer(), space.local_view is not None, scene.session_uid, *names


def loose_lines(scene: bpy.types.Scene) -> list[Vector]:
    """Ends of a line from each side of a loose tie to its other side, in dashes; of those that are seen."""
    ends: list[Vector] = []
    for tie in map(bpy.data.objects.get, _loose_ties(scene)):
        mark = None if tie is None else tie.ves.anchor_b
        if mark is None or not tie.visible_get():
            continue
        start, way = tie.matrix_world.translation, mark.matrix_world.translation - tie.matrix_world.translation
        ends += [start + way * (step / DASHES) for step in range(DASHES) if way.length > 0.0]
    return ends


def generic_lines(context: bpy.types.Context) -> list[Vector]:
    """Ends of lines along and about the free axes of the selected generic joints, and of constraints with frames."""
    chosen = [ob for ob in context.selected_objects if _shows_axes(ob.ves) and ob.visible_get()]
    return [end for empty in chosen for end in free_lines(empty)]


def _shows_axes(settings: bpy.types.PropertyGroup) -> bool:
    return settings.role in FRAMES or (settings.role == "JOINT" and settings.joint_type == "GENERIC")


def shown_limits(context: bpy.types.Context) -> list[Vector]:
    """Ends of lines for the limits of joints that are to be seen."""
    return [end for joint, zero in joints_with_limits(context) for end in limit_lines(joint, zero)]


def joints_with_limits(context: bpy.types.Context) -> list[tuple[bpy.types.Object, Vector | None]]:
    """The selected joints, and those by which selected bodies and bones hang, each with its way to its child."""
    bones = context.selected_pose_bones if context.mode == "POSE" else None
    bodies = set(bodies_meant(context.selected_objects, bones))
    found = []
    for joint in map(bpy.data.objects.get, _limited_joints(context.scene)):
        if joint is None or not (joint.select_get() or joint.ves.body_b in bodies):
            continue
        is_placed = shown_frame(context.scene) == frame_range(context.scene)[0]
        if is_placed:
            _zeros[joint.session_uid] = way_to_child(joint)
        if is_placed or joint.parent is None or joint.parent != joint.ves.body_b:  # its Empty would go along
            found.append((joint, _zeros.get(joint.session_uid)))
    return found


def bodies_with_sizes(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected bodies and those of selected bones, whose shapes have handles; of many the active one alone."""
    bones = context.selected_pose_bones if context.mode == "POSE" else None
    meant = bodies_meant(context.selected_objects, bones)
    found = [ob for ob in meant if ob.ves.collide and ob.is_editable and ob.visible_get()]
    if len(found) > MOST_SIZED:
        active = active_body(context)
        found = [active] if active in found else []
    return found


def sized_lines(bodies: list[bpy.types.Object], depsgraph: bpy.types.Depsgraph) -> list[tuple[float, ...]]:
    """Ends of lines in the world that show the shapes of bodies."""
    found = [np.zeros((0, 3))]
    for body in bodies:
        matrix, scale = _matrix_and_scale(body, depsgraph)
        here = np.array(matrix)
        found.append(_lines_of(body, matrix, scale, depsgraph) @ here[:3, :3].T + here[:3, 3])
    return [tuple(point) for point in np.concatenate(found).tolist()]


def sized_now(body: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Sized | None:
    """The grips of a body's shape where it is; looked for anew after its mesh or a setting has changed."""
    matrix, scale = _matrix_and_scale(body, depsgraph)
    key, kept = _key_of(body, matrix, scale), _sized.get(body.session_uid)
    if kept is None or kept[0] != key:
        kept = _sized[body.session_uid] = key, sized(body, depsgraph)
    return None if kept[1] is None else kept[1]._replace(pose=poses.split(np.array(matrix)))


def _matrix_and_scale(body: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[Matrix, np.ndarray]:
    matrix = Owner(body).at(depsgraph).matrix
    here = np.array(matrix, dtype=np.float64)[:3, :3]
    return matrix, np.linalg.norm(here, axis=0) * (-1.0 if np.linalg.det(here) < 0.0 else 1.0)


def _limited_joints(scene: bpy.types.Scene) -> list[str]:
    """Names of joints with limits; looked for anew after something has changed."""
    uid = scene.session_uid
    if uid not in _limited:
        _limited[uid] = [ob.name for ob in scene.objects if ob.ves.role == "JOINT" and has_limits(ob.ves)]
    return _limited[uid]


def _loose_ties(scene: bpy.types.Scene) -> list[str]:
    """Names of joints and ties with a mark of their other side; looked for anew after something has changed."""
    uid = scene.session_uid
    if uid not in _ties:
        roles = {"JOINT", "POINT_TO_POINT", "GENERIC"}
        _ties[uid] = [ob.name for ob in scene.objects if ob.ves.role in roles and ob.ves.anchor_b is not None]
    return _ties[uid]


def draw_ground(height: float, view: bpy.types.RegionView3D) -> None:
    """A grid around what the view looks at, as fine as suits the distance."""
    middle, spacing = grid_place(height, view)
    corners = [(*(middle + CELLS * spacing * Vector(side)), height) for side in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    colour = tuple(bpy.context.preferences.themes[0].view_3d.grid)[:3]
    _draw("TRIS", [corners[i] for i in (0, 1, 2, 0, 2, 3)], (*colour, PLANE_SHARE))
    _draw("LINES", grid_lines(middle, spacing, height), (*colour, GROUND_SHARE))


def grid_place(height: float, view: bpy.types.RegionView3D) -> tuple[Vector, float]:
    """Middle (x, y) and width of a cell of the ground's grid: on a line of the grid, a power of ten."""
    inverse = view.view_matrix.inverted()
    eye, direction = inverse.translation, -inverse.col[2].to_3d()
    target, distance = view.view_location, view.view_distance
    if view.view_perspective == "CAMERA":
        distance = abs(eye.z - height) / max(abs(direction.z), 0.1)
        target = eye + direction * distance
    spacing = 10.0 ** np.floor(np.log10(max(distance, 1e-6) / 3.0))
    return Vector([float(spacing * round(x / spacing)) for x in target.xy]), float(spacing)


def grid_lines(middle: Vector, spacing: float, height: float) -> list[tuple[float, float, float]]:
    """Ends of the lines, one after the other."""
    reach, ends = CELLS * spacing, []
    for k in range(-CELLS, CELLS + 1):
        x, y = middle.x + k * spacing, middle.y + k * spacing
        ends += [(x, middle.y - reach, height), (x, middle.y + reach, height)]
        ends += [(middle.x - reach, y, height), (middle.x + reach, y, height)]
    return ends


def shown_bodies(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The bodies whose shapes are to be seen."""
    chosen = context.selected_objects if context.scene.ves.show_shapes == "SELECTED" else context.visible_objects
    return [ob for ob in chosen if is_body(ob) and ob.ves.collide and ob.visible_get()]


def draw_shapes(bodies: list[bpy.types.Object], depsgraph: bpy.types.Depsgraph) -> None:
    """Draw the shapes of bodies where these are; one without a shape shows none, and Check says why."""
    seen = look_at(depsgraph)
    _draw_batches(shape_batches(BodyLines(bodies, depsgraph, seen), seen))


class Seen(NamedTuple):
    """All evaluated objects at a frame: addresses, which stay the same while only the frame changes, whether each is
    disabled in viewports, which can be animated, and world matrices (O, 4, 4), transposed."""

    addresses: list[int]
    hidden: np.ndarray
    matrices: np.ndarray


def look_at(depsgraph: bpy.types.Depsgraph) -> Seen:
    """All evaluated objects as they are now."""
    addresses = [ob.as_pointer() for ob in depsgraph.objects]
    hidden, matrices = np.zeros(len(addresses), dtype=bool), np.zeros((len(addresses), 4, 4), dtype=np.float32)
    depsgraph.objects.foreach_get("hide_viewport", hidden)
    depsgraph.objects.foreach_get("matrix_world", matrices.reshape(-1))
    return Seen(addresses, hidden, matrices)


class BodyLines:
    """The lines of the shapes of bodies in their own spaces, with which they go from frame to frame."""

    def __init__(self, bodies: Sequence[bpy.types.Object], depsgraph: bpy.types.Depsgraph, seen: Seen) -> None:
        """Looks at each body."""
        rows = {address: i for i, address in enumerate(seen.addresses)}
        bodies = [body for body in bodies if body.evaluated_get(depsgraph).as_pointer() in rows]
        evaluated = [body.evaluated_get(depsgraph) for body in bodies]
        self._rows = np.array([rows[body.as_pointer()] for body in evaluated], dtype=np.intp)
        self._seen, self._scales = seen, _scales(seen.matrices[self._rows])
        self._may_change = any(ob.ves.contact_shape == "COMPOUND" and shape_children(ob) for ob in bodies)
        groups: dict[tuple[str, int], list[tuple[int, np.ndarray]]] = {}
        for row, scale, body, shown in zip(self._rows, self._scales, bodies, evaluated, strict=True):
            ends = _lines_of(body, shown.matrix_world, scale, depsgraph)
            if len(ends):
                groups.setdefault((body.ves.motion, len(ends)), []).append((row, ends))
        self._groups = [
            (motion, np.array([row for row, _ in lines]), np.array([ends for _, ends in lines], dtype=np.float32))
            for (motion, _), lines in groups.items()
        ]
        """Bodies of one motion whose lines are as many: that, their rows (b,), and the ends of lines (b, 2 L, 3)."""

    def are_of(self, seen: Seen) -> bool:
        """True if at another frame they are the same, apart from where their bodies are."""
        return (
            not self._may_change
            and self._seen.addresses == seen.addresses
            and np.array_equal(self._seen.hidden, seen.hidden)
            and np.allclose(self._scales, _scales(seen.matrices[self._rows]), rtol=EVEN, atol=0.0)
        )

    def in_world(self, seen: Seen) -> dict[str, np.ndarray]:
        """Ends (2 L, 3) of all lines in the world, one after the other, of the bodies of each motion that has some."""
        found: dict[str, list[np.ndarray]] = {}
        for motion, rows, ends in self._groups:
            matrices = seen.matrices[rows]
            found.setdefault(motion, []).append((ends @ matrices[:, :3, :3] + matrices[:, 3:, :3]).reshape(-1, 3))
        return {motion: np.concatenate(parts) for motion, parts in found.items()}


def _scales(transposed: np.ndarray) -> np.ndarray:
    """(B, 3) of world matrices (B, 4, 4), negative for what is mirrored."""
    scales = np.linalg.norm(transposed[:, :3, :3].astype(np.float64), axis=2)
    scales[np.linalg.det(transposed[:, :3, :3]) < 0.0] *= -1.0
    return scales


def shape_batches(lines: BodyLines, seen: Seen) -> list[tuple[Any, tuple[float, ...]]]:
    """(batch, colour) of each colour that is needed."""
    from gpu_extras.batch import batch_for_shader

    shader = _shader()
    return [
        (batch_for_shader(shader, "LINES", {"pos": points}), LINES[motion])
        for motion, points in lines.in_world(seen).items()
    ]


def _lines_of(body: bpy.types.Object, matrix: Matrix, scale: np.ndarray, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """Ends (2 L, 3) of the lines of a body's shapes in its own space, which its world matrix stretches."""
    key = _key_of(body, matrix, scale)
    kept = _lines.get(body.session_uid)
    if kept is None or kept[0] != key:
        residual = poses.split(np.array(matrix)).residual
        points = shape_lines(body, depsgraph).reshape(-1, 3) @ np.linalg.pinv(residual).T
        kept = _lines[body.session_uid] = key, points
    return kept[1]


def shape_lines(body: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """Ends (L, 2, 3) of the lines that show the shapes of a body, in its frame; none if it has no shape."""
    pose = poses.split(Owner(body).world(depsgraph))
    try:
        shapes = shapes_of(body, depsgraph, pose, _shapes)
    except ShapeError:
        return np.zeros((0, 2, 3))
    return np.concatenate([lines_of(shape) for shape in shapes])[:MOST_LINES]


def _key_of(body: bpy.types.Object, matrix: Matrix, scale: np.ndarray) -> tuple:
    """Everything that the shapes of a body depend on, apart from meshes."""
    settings, parts = body.ves, ()
    if settings.contact_shape == "COMPOUND":
        inverse = matrix.inverted_safe()
        children = shape_children(body)
        parts = tuple((child.session_uid, _rounded(inverse @ child.matrix_world)) for child in children)
    given = given_numbers(settings) if has_given_sizes(settings) else ()
    return settings.contact_shape, settings.contact_margin, given, [f"{x:.4g}" for x in scale.tolist()], parts


def _rounded(matrix: Matrix) -> tuple[float, ...]:
    return tuple(float(f"{x:.4g}") + 0.0 for row in matrix for x in row)


def _draw(kind: str, points: list[tuple[float, float, float]], color: tuple[float, ...]) -> None:
    from gpu_extras.batch import batch_for_shader

    _draw_batches([(batch_for_shader(_shader(), kind, {"pos": points}), color)])


def _draw_batches(batches: list[tuple[Any, tuple[float, ...]]]) -> None:
    shader = _shader()
    shader.bind()
    for batch, color in batches:
        shader.uniform_float("color", color)
        batch.draw(shader)


def _shader() -> Any:
    import gpu

    return gpu.shader.from_builtin("UNIFORM_COLOR")


@bpy.app.handlers.persistent
def _forget_changed(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Meshes that have changed are looked at again, and so are ties."""
    for kept in (_ties, _limited, _shown, _going):
        kept.clear()
    if not (_lines or _sized):
        return
    for update in depsgraph.updates:
        if update.is_updated_geometry:
            owner = update.id.original
            while isinstance(owner, bpy.types.Object):
                _lines.pop(owner.session_uid, None)
                _sized.pop(owner.session_uid, None)
                owner = owner.parent
    _shapes.clear()


@bpy.app.handlers.persistent
def forget_all(*_: object) -> None:
    """All that was drawn is made anew when it is drawn again."""
    for kept in (_ties, _limited, _zeros, _shown, _going, _lines, _sized, _shapes):
        kept.clear()


@bpy.app.handlers.persistent
def _forget_places(*_: object) -> None:
    """At another frame bodies are elsewhere."""
    _shown.clear()


HANDLERS = {
    "depsgraph_update_post": _forget_changed,
    "frame_change_post": _forget_places,
    "load_pre": forget_all,
    "undo_post": forget_all,
    "redo_post": forget_all,
}


def register() -> None:
    """Draw from now on; without a window there is nothing to draw in."""
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    """Draw no more."""
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
