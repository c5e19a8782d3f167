# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluated scene becomes a mechanism: time 0 is the first frame, everything in world coordinates.

`read_mechanism` looks at one moment and is quick: what Check needs. `read_over_time` also samples whatever moves by its
own animation: what Bake and Export need. Both raise SceneError with all that is wrong at once.
"""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ...solver.mechanism import Mechanism, RunError
from ...solver.simulation.run_limits import refuse_frames
from ..animation.animated import animated_paths, is_animated
from ..animation.kept import flights_of, originals_shown
from ..findings import need_scipy, pass_on, refuse, refuse_all
from ..geometry import poses
from ..parts.instances import notes_on_instances
from ..properties.joint import TRAVEL, coordinate_kinds, motor_mode, slot
from ..properties.scene import frame_range
from . import constraints, couplings
from .bodies import read_body
from .contact import read_contact
from .forces import read_force
from .generic import read_generic
from .joints import read_joint
from .moved import take_along
from .reading import Reading, number_over_time
from .recorded_actions import built_names, read_actions, switched
from .sampling import Probe, evaluate_at, frame_kept, run_probes
from .stepped import read_switch, switch_off, takes_part_ever

READERS = {
    "BODY": read_body,
    "JOINT": read_joint,
    **constraints.READERS,
    "GENERIC": read_generic,
    **couplings.READERS,
    "FORCE": read_force,
}

FLAT = 1e-9
"""A frame that is stretched along its second axis by less than this share of the first has one axis at most."""

WEIGHED_LOOKS = 2  # a frame, at what is keyed and asked for its accelerations


class ReadProgress(NamedTuple):
    """Progress of reading (0 to 1), and what is read."""

    fraction: float
    text: str


def read_mechanism(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    only: Collection[bpy.types.Object] | None = None,
    warn: Callable[[Reading], None] | None = None,
    looks: int = 0,
) -> Reading:
    """Read the scene as it is evaluated now; keyed bodies and paths stand still. Raises SceneError.

    `looks`: how often its probes look at what is keyed, if someone runs them, and not at each frame.

    With `only`, nothing else takes part. What is still apart is no error here: it is in `open`, to be snapped together.
    `warn` looks at what has been read of contact, while the scene is evaluated at its first frame.
    """
    need_scipy()
    reading = _empty_reading(scene, depsgraph, *frame_range(scene))
    reading.looks, reading.flights = looks, flights_before(scene, scene.frame_current_final)
    for _ in _read_parts(reading, only, warn):
        pass
    if only is None:
        read_actions(reading)
    refuse_all(reading.errors, reading.warnings)
    return reading


def read_over_time(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    frames: tuple[int, int] | None = None,
    only: Collection[bpy.types.Object] | None = None,
    may_be_open: bool = False,
    as_recorded: bool = True,
    warn: Callable[[Reading], None] | None = None,
    as_shown: bool = False,
    weighs: bool = False,
) -> Iterator[ReadProgress]:
    """Read the scene at its first frame and sample its animation up to the last; yields how far it is.

    A generator that returns the Reading. `frames` replaces the scene's frame range; with `only`, nothing else takes
    part. Bodies that are baked already are read with their own animation, or `as_shown` with that of the bake; then all
    dynamic ones follow it. The recorded actions are read unless `as_recorded` is false. Leaves the scene as it was,
    also if it is closed half-way. Raises SceneError, also for what is still apart unless that `may_be_open`. `warn` as
    for `read_mechanism`. `weighs`: keyed bodies have their mass, too, as far as they have a volume, and are looked at
    twice a frame whatever the settings say: poses are single precision, and closer ones would shake accelerations.
    """
    first, last = frames or frame_range(scene)
    _check_frames(scene, first, last)
    take_along(scene)
    flights = flights_of(scene.objects)
    with frame_kept(scene), originals_shown(() if as_shown else scene.objects):
        depsgraph = evaluate_at(scene, view_layer, first)
        reading = _empty_reading(scene, depsgraph, first, last)
        reading.flights, reading.as_shown, reading.weighs = flights, as_shown, weighs
        reading.looks = WEIGHED_LOOKS * (last - first) + 1 if weighs else 0
        for number, _ in enumerate(_read_parts(reading, only, warn, as_recorded and only is None), start=1):
            yield ReadProgress(0.0, f"Reading bodies, joints and forces: {number}")
        if as_recorded and only is None:
            read_actions(reading)
        for fraction in run_probes(scene, view_layer, reading.probes):
            yield ReadProgress(fraction, "Reading the animation")
    reading.mechanism.actions.sort(key=lambda action: action.time)
    in_the_way = reading.errors if may_be_open else reading.errors + reading.apart
    refuse_all(in_the_way, reading.warnings)
    return reading


def flights_before(scene: bpy.types.Scene, frame: float) -> dict[bpy.types.Object, tuple[int, int]]:
    """Flights that have not come to their end at a frame: what is apart there is so on purpose."""
    return {body: flight for body, flight in flights_of(scene.objects).items() if frame < flight[1]}


def _check_frames(scene: bpy.types.Scene, first: int, last: int) -> None:
    if last <= first:
        refuse(None, f"the last frame ({last}) must come after the first ({first})")
    try:
        refuse_frames(last - first + 1, sum(ob.ves.role == "BODY" for ob in scene.objects))
    except RunError as error:
        pass_on(error, scene)
    if scene.render.frame_map_old != scene.render.frame_map_new:
        refuse(None, "the scene's Time Stretching moves keyframes in time: set Old and New to the same value")


def _empty_reading(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, first: int, last: int) -> Reading:
    gravity = tuple(scene.gravity) if scene.use_gravity else (0.0, 0.0, 0.0)
    reading = Reading(scene, depsgraph, first, last, Mechanism(name=scene.name, gravity=gravity))
    if {"gravity", "use_gravity"} & set(animated_paths(scene)):
        _watch_gravity(reading)
    return reading


def _watch_gravity(reading: Reading) -> None:
    """The scene's gravity, which is animated, becomes tables."""
    mechanism, times = reading.mechanism, reading.times(reading.sampled_frames)

    def read(depsgraph: bpy.types.Depsgraph) -> np.ndarray:
        now = depsgraph.scene_eval
        return np.array(now.gravity, dtype=np.float64) if now.use_gravity else np.zeros(3)

    def use(values: np.ndarray) -> None:
        mechanism.gravity = tuple(number_over_time(times, column) for column in values.T)

    reading.probes.append(Probe(reading.sampled_frames, read, use))


def _read_parts(
    reading: Reading,
    only: Collection[bpy.types.Object] | None,
    warn: Callable[[Reading], None] | None,
    as_recorded: bool = True,
) -> Iterator[None]:
    """Read all objects that play a part, bodies first; pauses after each. Raises SceneError at the end.

    What a recorded action puts in is not there before; of its bodies only what writing their keys takes is read.
    """
    enabled, off_at_first = _enabled_objects(reading.depsgraph.view_layer), switched(reading.scene)
    parts = [part for part in reading.scene.objects if part.ves.role != "NONE" and (only is None or part in only)]
    taking_part = [part for part in parts if _takes_part(reading, part, enabled, off_at_first)]
    matrices = [part.evaluated_get(reading.depsgraph).matrix_world for part in taking_part]
    matrices = np.array(matrices, dtype=np.float64).reshape(-1, 4, 4)
    reading.poses = dict(zip(taking_part, map(poses.Pose, *poses.split(matrices)), strict=True))
    for i in np.flatnonzero(~np.isfinite(matrices).all(axis=(1, 2)))[::-1]:
        reading.error(taking_part.pop(i), "has a place, rotation or scale that is not a number: type another")
    built, comes = built_names(reading.scene), built_names(reading.scene, in_use=True) if as_recorded else set()
    for role, read in READERS.items():
        for part in taking_part:
            if part.ves.role == role and (part.name_full not in built or (role == "BODY" and part.name_full in comes)):
                read(reading, part)
                reading.refuse_drivers(part)
                reading.note_idle_keys(part)
                if role != "BODY":
                    read_switch(reading, part)
                yield
        if role == "BODY":
            there = (read_body.body for read_body in reading.bodies if read_body.body.name not in built)
            reading.mechanism.bodies.extend(there)
    reading.note_idle_keys(reading.scene)
    _look_at_axes(reading, taking_part)
    if only is None:
        yield from read_contact(reading)
        if warn is not None and reading.mechanism.contact is not None and reading.mechanism.contact.enabled:
            warn(reading)
    _switch_off(reading, off_at_first)
    if not reading.bodies and not reading.errors:
        _refuse_no_bodies(reading)
    refuse_all(reading.errors, reading.warnings)


def _look_at_axes(reading: Reading, parts: list[bpy.types.Object]) -> None:
    """Says whose axes point nowhere, or opposite to how they are drawn where something goes along them."""
    turned = {force.name for force in reading.mechanism.forces if hasattr(force, "orientation")}
    parts = [part for part in parts if part.ves.role in {"JOINT", "GENERIC"} or part.name_full in turned]
    residuals = np.array([reading.poses[part].residual for part in parts]).reshape(-1, 3, 3)
    with np.errstate(invalid="ignore"):  # of what is at no place, which is told elsewhere
        stretches, signs = np.linalg.svd(residuals, compute_uv=False), np.linalg.det(residuals)
    for part, (first, second, _), sign in zip(parts, stretches, signs, strict=True):
        if second <= FLAT * first:
            reading.error(part, "has a scale of zero, so its axes point nowhere: give it a size")
        elif sign < 0.0 and _goes_along_axes(part):
            reading.warn(
                part,
                "is mirrored (a negative scale, its own or a parent's), so what goes along its axes goes opposite to "
                "how they are drawn: apply the scale (Ctrl A)",
            )


def _goes_along_axes(part: bpy.types.Object) -> bool:
    """True if it counts which way an axis points: a push, or a joint's travel that is limited or driven.

    A turn about the axis of a mirrored Empty is the mirrored turn.
    """
    settings = part.ves
    if settings.role == "FORCE":
        return settings.force_type == "MOTOR" and (any(settings.force) or is_animated(part, "ves.force"))
    return settings.role == "JOINT" and any(
        kind == TRAVEL and (motor_mode(settings, c) != "NONE" or _is_limited(settings, c) or settings.is_drive)
        for c, kind in enumerate(coordinate_kinds(settings))
    )


def _is_limited(settings: bpy.types.PropertyGroup, coordinate: int) -> bool:
    places = [slot(settings, name, coordinate) for name in ("use_lower_limit", "use_upper_limit")]
    return any(getattr(settings, name)[index] for name, index in places)


def _refuse_no_bodies(reading: Reading) -> None:
    """Names the objects that show bodies as instances; without them says how to make a body."""
    scene = reading.scene
    reading.errors.extend(note for ob in scene.objects for note in notes_on_instances(ob, scene))
    if not reading.errors:
        reading.error(None, "there are no bodies: select objects and choose Add Body")


def _switch_off(reading: Reading, off_at_first: set[bpy.types.Object]) -> None:
    """Switches off what is disabled: it is read only because something may enable it later."""
    off = {owner.name_full for owner in off_at_first if not reading.is_on(owner)}
    switch_off(reading.mechanism, off)


def _takes_part(
    reading: Reading,
    part: bpy.types.Object,
    enabled: set[bpy.types.Object],
    off_at_first: set[bpy.types.Object],
) -> bool:
    """True if the object is evaluated, and enabled, now or later, if it can be disabled."""
    if part.ves.role != "BODY" and part not in off_at_first and not takes_part_ever(reading, part):
        return False
    if part in enabled:
        return True
    reading.warn(part, "takes no part: it is disabled in viewports, or its collection is disabled or excluded")
    return False


def _enabled_objects(view_layer: bpy.types.ViewLayer) -> set[bpy.types.Object]:
    """The objects whose animation Blender evaluates: also behind a closed eye, but not those that are disabled."""
    enabled: set[bpy.types.Object] = set()
    waiting = [view_layer.layer_collection]
    while waiting:
        layer = waiting.pop()
        if not layer.collection.hide_viewport:
            waiting.extend(layer.children)
            if not layer.exclude:
                enabled.update(ob for ob in layer.collection.objects if not ob.hide_viewport)
    return enabled
