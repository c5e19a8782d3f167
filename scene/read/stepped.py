# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that keyframes or drivers change in steps: switches, limits and armature of joints, masses, surfaces, and
what is let go.

Most numbers that keys or drivers change become tables. These cannot: each change becomes an action, at which the solver
stops and the linkage begins anew, and between two looks at the animation they stay what they are. Where numbers change
all the time that is an approximation, and said.
"""

from collections.abc import Callable, Container, Iterable
from typing import Any

import bpy
import numpy as np

from ...solver.mechanism import Action, Body, Joint, Mechanism
from ...solver.mechanism.joint_types import AXES
from ..animation.animated import animated_paths, is_animated, key_frames, own_curves
from ..geometry.rounding import as_typed
from ..properties.body import MOTIONS
from ..properties.joint import coordinate_values, motor_mode_of
from ..properties.roles import RATIOS
from .placed import limits_from_placed, placed_at
from .reading import BodyBinding, Reading
from .sampling import Probe

PATH = "ves.enabled"
AFTER = 1e-3  # frames: a key between two samples is looked at just after it
LIMITS = ("use_lower_limit", "use_upper_limit", "lower_limit", "upper_limit", "use_lower_limit_travel",
          "use_upper_limit_travel", "lower_limit_travel", "upper_limit_travel")  # fmt: skip
LET_GO = "follow_let_go"
SURFACES = ("contact_friction", "contact_restitution", "contact_static_friction")
OF_JOINTS = {
    **dict.fromkeys(LIMITS, "limits"),
    **{f"{name}{unit}": name for name in ("bounciness", "armature") for unit in ("", "_travel")},
}
"""The setting of the mechanism that each property of a joint belongs to."""
MODES = ("motor_mode", "use_motor_max_force")
MODES_OF_GENERIC = (*map(motor_mode_of, AXES), "use_motor_max_axes")
MANY = 3  # changes one after the other, at each look, that are a slope

CONTACT = (
    *("use_contact", "use_ground", "ground_height", "ground_friction", "ground_restitution", "ground_static_friction"),
)
SLOPE_OF_GROUND = (
    "the Height of the ground is keyed as a slope, but goes in steps only: let its keys hold (Constant), or animate a "
    "Keyed body, which is a ground that moves"
)
Read = Callable[[bpy.types.PropertyGroup], np.ndarray]
Told = Callable[[np.ndarray], dict[str, Any] | list[tuple[str, dict[str, Any]]] | None]
"""Settings of the part itself, or those of several by their names; None if there are none."""


def takes_part_ever(reading: Reading, owner: bpy.types.Object) -> bool:
    """True if a part is on now, or may come on later."""
    return reading.is_on(owner) or is_animated(owner, PATH)


def contact_ever(scene: bpy.types.Scene) -> bool:
    """True if bodies of a scene touch each other now, or may later."""
    return scene.ves.use_contact or is_animated(scene, "ves.use_contact")


def ground_ever(scene: bpy.types.Scene) -> bool:
    """True if there is ground now, or may be later, where the scene's Contact is on."""
    return scene.ves.use_ground or is_animated(scene, "ves.use_ground")


def collides_ever(owner: bpy.types.Object) -> bool:
    """The same of one body, where the scene's Contact is on."""
    return owner.ves.collide or is_animated(owner, "ves.collide")


def read_switch(reading: Reading, owner: bpy.types.Object) -> None:
    """Note whether a part that has been read is on at the start, and when it changes."""
    if not is_animated(owner, PATH):
        return
    mechanism, is_on = reading.mechanism, reading.is_on(owner)
    if not is_on:
        switch_off(mechanism, {owner.name_full})
    frames = _frames_to_look_at(reading, owner, [PATH])
    probed = np.array(list(frames))

    def use(values: np.ndarray) -> None:
        for i in np.flatnonzero(np.diff(values)) + 1:
            time = float(reading.times(frames[probed[i]]))
            mechanism.actions.append(Action(time, owner.name_full, {"enabled": bool(values[i])}))

    reading.probes.append(Probe(probed, lambda depsgraph: float(owner.evaluated_get(depsgraph).ves.enabled), use))


def switch_off(mechanism: Mechanism, names: Container[str]) -> None:
    """Lets parts of these names be off at the start; of joints the mechanism file tells that by an action."""
    for part in (*mechanism.constraints, *mechanism.forces, *mechanism.joints):
        if part.name in names and part.enabled:
            part.enabled = False
            if isinstance(part, Joint):
                mechanism.actions.append(Action(0.0, part.name, {"enabled": False}))


def _frames_to_look_at(reading: Reading, owner: bpy.types.Object, paths: Iterable[str]) -> dict[float, float]:
    """The frames at which to look at properties, in order, and for each the one that it tells about."""
    sampled = {float(frame): float(frame) for frame in reading.sampled_frames}
    keys = [frame for path in paths for frame in key_frames(owner, path)]
    between = [frame for frame in keys if reading.first < frame < reading.last]
    found = sampled | {frame + AFTER: frame for frame in between if frame not in sampled}
    return dict(sorted(found.items()))


def keyed_in_steps(owner: bpy.types.Object) -> set[str]:
    """The settings of the mechanism that keys or drivers of a joint change in steps."""
    stepped = {OF_JOINTS[name] for name in _animated(owner) if name in OF_JOINTS}
    return stepped | ({"motor"} if watched_modes(owner) else set())


def watched_modes(owner: bpy.types.Object) -> tuple[str, ...]:
    """The properties by which keys or drivers change what kind of motor a joint has."""
    animated = _animated(owner)
    return tuple(
        name for name in (MODES_OF_GENERIC if owner.ves.joint_type == "GENERIC" else MODES) if name in animated
    )


def settings_now(
    reading: Reading, owner: bpy.types.Object | bpy.types.Scene, names: Container[str]
) -> bpy.types.PropertyGroup:
    """The settings at the moment that is read, if any of these are animated; else what a script has set, too."""
    is_keyed = any(name in names for name in _animated(owner))
    return _evaluated(owner, reading.depsgraph) if is_keyed else owner.ves


def _evaluated(owner: bpy.types.Object | bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bpy.types.PropertyGroup:
    is_scene = isinstance(owner, bpy.types.Scene)
    return (depsgraph.scene_eval if is_scene else owner.evaluated_get(depsgraph)).ves


def watch_modes(
    reading: Reading,
    owner: bpy.types.Object,
    names: tuple[str, ...],
    read: Callable[[bpy.types.PropertyGroup], list[int]],
    kinds: Callable[[np.ndarray], list],
    told: Callable[[list], dict[str, Any] | None],
) -> None:
    """Let the kinds of a joint's motors go by their keys; `read` numbers them."""
    _watch(
        reading,
        owner,
        names,
        lambda settings: np.array(read(settings), dtype=np.float64),
        lambda numbers: told(kinds(numbers.astype(int))),
    )


def has_keyed_mass(owner: bpy.types.Object) -> bool:
    """True if keys or drivers change a body's mass."""
    return _source_of_mass(owner) in _animated(owner)


def watch_joint(reading: Reading, owner: bpy.types.Object, joint: Joint) -> None:
    """Let a joint's limits, bounciness and armature go by their keys."""
    keyed = keyed_in_steps(owner)
    if "limits" in keyed:
        _watch(reading, owner, LIMITS, _bounds, lambda bounds: _limits_told(reading, owner, joint, bounds))
    for name in ("bounciness", "armature"):
        if name in keyed:
            _watch(
                reading,
                owner,
                (name, f"{name}_travel"),
                lambda settings, name=name: np.array(coordinate_values(settings, name), dtype=np.float64),
                lambda values, name=name: {name: values.tolist()},
            )


def watch_body(reading: Reading, binding: BodyBinding) -> None:
    """Let a dynamic body's mass, whether it is let go, and the surface that any touches with, go by their keys."""
    owner, body, animated = binding.object, binding.body, _animated(binding.object)
    if body.motion == "dynamic" and has_keyed_mass(owner):
        source = _source_of_mass(owner)
        first = float(getattr(owner.ves, source))
        _watch(
            reading,
            owner,
            (source,),
            lambda settings: np.array([getattr(settings, source)], dtype=np.float64),
            lambda values: _mass_told(body, owner.ves, values[0] / first),
        )
    if body.follow is not None and LET_GO in animated and "motion" not in animated:
        _watch(
            reading,
            owner,
            (LET_GO,),
            lambda settings: np.array([settings.follow_let_go], dtype=np.float64),
            lambda values: {"released": bool(values[0])},
        )
    if not contact_ever(reading.scene):
        return
    if "collide" in animated:
        _watch(
            reading,
            owner,
            ("collide",),
            lambda settings: np.array([settings.collide], dtype=np.float64),
            lambda values: {"collides": bool(values[0])},
        )
    if animated & set(SURFACES) and collides_ever(owner):
        _watch(
            reading,
            owner,
            SURFACES,
            lambda settings: np.array([getattr(settings, name) for name in SURFACES], dtype=np.float64),
            lambda values: {"material": _surface(values.tolist(), owner.ves, "contact")},
        )


def watch_coupling(reading: Reading, owner: bpy.types.Object, name: str, key: str) -> None:
    """Let a number of a gear, a rack or a rope go by its keys: a ratio holds for changes from its frame on."""
    if name not in _animated(owner):
        return

    def told(values: np.ndarray) -> dict[str, Any] | None:
        if values[0] == 0.0 and name in RATIOS:
            label = owner.ves.bl_rna.properties[name].name
            reading.error(owner, f"has keys by which its {label} is 0, which holds the second joint still: change them")
            return None
        return {key: float(values[0])}

    _watch(reading, owner, (name,), lambda settings: np.array([getattr(settings, name)], dtype=np.float64), told)


def watch_contact(reading: Reading) -> None:
    """Let the scene's Contact and its ground go by their keys."""
    if not _animated(reading.scene) & set(CONTACT):
        return
    _watch(reading, reading.scene, CONTACT, _contact_numbers, lambda values: _contact_told(values, reading.scene.ves))
    sampled = reading.probes[-1]
    use, height = sampled.use, CONTACT.index("ground_height")

    def refuse_slope(values: np.ndarray) -> None:
        if _is_slope(np.diff(values[:, height]) != 0.0):
            reading.error(None, SLOPE_OF_GROUND)
        else:
            use(values)

    sampled.use = refuse_slope


def _contact_numbers(settings: bpy.types.PropertyGroup) -> np.ndarray:
    return np.array([getattr(settings, name) for name in CONTACT], dtype=np.float64)


def static_friction(
    settings: bpy.types.PropertyGroup, of: str, at: bpy.types.PropertyGroup
) -> tuple[float | None, float]:
    """Static friction, None where it is the same as friction, and Stribeck's speed (m/s), of "contact" or "ground".

    at: the settings, at a time at which the friction counts.
    """
    return getattr(at, f"{of}_static_friction") or None, as_typed(getattr(settings, f"{of}_stribeck_speed"))


def _surface(values: list[float], settings: bpy.types.PropertyGroup, of: str) -> dict[str, Any]:
    friction, restitution, static = values
    constant = {name: as_typed(getattr(settings, f"{of}_{name}")) for name in ("softness", "stribeck_speed")}
    return {"friction": friction, "restitution": restitution, "static_friction": static or None, **constant}


def _contact_told(values: np.ndarray, settings: bpy.types.PropertyGroup) -> dict[str, Any]:
    ground = {"height": float(values[2]), **_surface(values[3:].tolist(), settings, "ground")}
    return {"contact": {"enabled": bool(values[0]), "ground": ground if values[1] else None}}


def keyed_roles(owner: bpy.types.Object) -> set[str]:
    """The motions that a body has by its keys; all that there are, where its own action alone does not tell."""
    keys = {key for curve in own_curves(owner) if curve.data_path == "ves.motion" for key in curve.keyframe_points}
    names = {number: name for name, _, _, _, number in MOTIONS}
    animation = owner.animation_data
    is_driven = any(driver.data_path == "ves.motion" for driver in animation.drivers)
    if not keys or is_driven or len(animation.nla_tracks):
        return set(names.values())
    return {names.get(round(key.co.y), "DYNAMIC") for key in keys}


def watch_roles(reading: Reading, binding: BodyBinding, held: list[str]) -> None:
    """Let what a body is go by its keys; `held`: constraints that fix it."""
    names, follows = [name for name, *_ in MOTIONS], binding.body.follow is not None

    def told(values: np.ndarray) -> list[tuple[str, dict[str, Any]]]:
        now = names[int(values[0])]
        found = [(name, {"enabled": now == "FIXED"}) for name in held]
        return found + ([(binding.body.name, {"released": now != "KEYED"})] if follows else [])

    owner = binding.object
    _watch(reading, owner, ("motion",), lambda settings: np.array([names.index(settings.motion)]), told)


def _source_of_mass(owner: bpy.types.Object) -> str:
    return "density" if owner.ves.mass_source == "DENSITY" else "mass"


def _animated(owner: bpy.types.Object | bpy.types.Scene) -> set[str]:
    return {path.removeprefix("ves.") for path in animated_paths(owner)}


def _watch(
    reading: Reading, owner: bpy.types.Object | bpy.types.Scene, names: tuple[str, ...], read: Read, told: Told
) -> None:
    """Look at properties wherever the animation is looked at; each change becomes an action."""
    owner.update_tag()  # what a script has set is not evaluated by itself
    frames = _frames_to_look_at(reading, owner, [f"ves.{name}" for name in names])
    probed = np.array(list(frames))
    is_scene = isinstance(owner, bpy.types.Scene)
    culprit, target = (None, None) if is_scene else (owner, owner.name_full)

    def use(values: np.ndarray) -> None:
        changed = (values[1:] != values[:-1]).any(axis=1)
        for i in np.flatnonzero(changed) + 1:
            settings = told(values[i])
            if settings is None:
                return
            by_target = settings if isinstance(settings, list) else [(target, settings)]
            time = float(reading.times(frames[probed[i]]))
            reading.mechanism.actions.extend(Action(time, *each) for each in by_target)
        if _is_slope(changed):
            known = owner.ves.bl_rna.properties
            label = known[next(name for name in names if name in _animated(owner))].name
            reading.warn(
                culprit,
                f"{label}{' of the ground' if is_scene else ''} is keyed as a slope, but goes in steps, at each look "
                "at the animation (Samples per Frame)",
            )

    reading.probes.append(Probe(probed, lambda depsgraph: read(_evaluated(owner, depsgraph)), use))


def _is_slope(changed: np.ndarray) -> bool:
    """True if there are many changes one after the other, at each look."""
    return np.convolve(changed, np.ones(MANY), "valid").max(initial=0.0) == MANY


def _bounds(settings: bpy.types.PropertyGroup) -> np.ndarray:
    """(2 n,): lower and upper bound of each coordinate, infinite where there is none."""
    lower, upper = (coordinate_values(settings, f"{side}_limit") for side in ("lower", "upper"))
    use_lower, use_upper = (coordinate_values(settings, f"use_{side}_limit") for side in ("lower", "upper"))
    low = [value if has else -np.inf for value, has in zip(lower, use_lower, strict=True)]
    high = [value if has else np.inf for value, has in zip(upper, use_upper, strict=True)]
    return np.array([*low, *high], dtype=np.float64)


def _limits_told(reading: Reading, owner: bpy.types.Object, joint: Joint, bounds: np.ndarray) -> dict[str, Any] | None:
    """The limits as a setting of the mechanism; None, once it is said, if they cross."""
    pairs = bounds.reshape(2, -1).T
    if not (pairs[:, 0] < pairs[:, 1]).all():
        reading.error(owner, "has keys by which a lower limit is not below the upper one: change them")
        return None
    limits = [[float(x) if np.isfinite(x) else None for x in pair] for pair in pairs]
    return {"limits": limits_from_placed(joint, placed_at(owner), limits)}


def _mass_told(body: Body, settings: bpy.types.PropertyGroup, share: float) -> dict[str, Any]:
    """A mass with the inertia that goes with it, unless that was given by itself."""
    told = {"mass": share * body.mass}
    if not (settings.mass_source == "GIVEN" and settings.use_inertia):
        told["inertia"] = (share * np.array(body.inertia)).tolist()
    return told
