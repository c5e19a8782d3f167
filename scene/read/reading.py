# SPDX-License-Identifier: GPL-3.0-or-later
"""The reading of a scene so far: the mechanism, whose object is which body, and what is still to be sampled."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ...solver.mechanism import Body, Mechanism, Shape, Table
from ..animation.animated import animated_paths, broken_drivers, drivers_by_motion, is_animated
from ..findings import Finding, refuse
from ..geometry.mass_properties import Solid
from ..geometry.poses import Pose, join, split
from ..owner import Owner, is_dynamic
from ..parts.linkages import ends_of
from ..parts.tables import is_used, problem_of, record_of
from ..properties.roles import WAITING
from .sampling import Probe, sample_frames


@dataclass
class BodyBinding:
    """A body and its owner.

    `residual` (3, 3), `scale` (3,) and the rotation values are those of the start frame (see `poses` and `channels`).
    `parent_space` (F, 4, 4) is what parents do to it at each frame, None without a parent. `ancestor` names the
    nearest parent that is a dynamic body itself, and `ancestor_space` (F, 4, 4) its sampled world matrix. Both are also
    known at `samples` instants a frame, if they have been sampled: `parent_samples` and `ancestor_samples` (S, 4, 4).
    """

    owner: Owner
    body: Body
    residual: np.ndarray
    scale: np.ndarray
    rotation_mode: str
    rotation_values: np.ndarray
    parent_space: np.ndarray | None = None
    ancestor: str | None = None
    ancestor_space: np.ndarray | None = None
    samples: int = 1
    parent_samples: np.ndarray | None = None
    ancestor_samples: np.ndarray | None = None

    @property
    def object(self) -> bpy.types.Object:
        """The object that findings name."""
        return self.owner.object


@dataclass
class Reading:
    """The result of reading a scene. Without samples (`Check`) keyed bodies stand still.

    `open` tells of ties whose two sides are apart: Snap Together closes them, until then nothing can be simulated.
    `flights` are those of bodies that Snap Together has keyed, `flying` the ties that are apart where these begin.
    `poses` are those of all objects that take part at the first frame, `marks` where the child's sides of joints are
    that are marked, `solids` the volumes of the meshes met so far, `shapes` what of them is touched, `touches` where
    in the world (3,) bodies ride on a surface to which an Empty joins them, `looks` how often what is
    keyed is looked at if not at each frame, `fingerprint` that of the scene, if it is read for a bake, `grounds` the
    terrains met so far. `as_shown`: all dynamic bodies follow the animation that is shown. `weighs`: keyed bodies have
    their mass, too.
    """

    scene: bpy.types.Scene
    depsgraph: bpy.types.Depsgraph
    first: int
    last: int
    mechanism: Mechanism
    bodies: list[BodyBinding] = field(default_factory=list)
    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    open: list[Finding] = field(default_factory=list)
    flights: dict[bpy.types.Object, tuple[int, int]] = field(default_factory=dict)
    flying: list[bpy.types.Object] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    poses: dict[bpy.types.Object, Pose] = field(default_factory=dict)
    marks: dict[bpy.types.Object, Pose] = field(default_factory=dict)
    solids: dict[bytes, Solid] = field(default_factory=dict)
    shapes: dict[tuple, tuple[Shape, ...]] = field(default_factory=dict)
    touches: dict[bpy.types.Object, np.ndarray] = field(default_factory=dict)
    looks: int = 0
    as_shown: bool = False
    weighs: bool = False
    fingerprint: dict[str, dict] = field(default_factory=dict)
    grounds: dict[tuple, Any] = field(default_factory=dict)
    _by_object: dict[bpy.types.Object, BodyBinding] = field(default_factory=dict)

    @property
    def frame_rate(self) -> float:
        """Frames per second."""
        return self.scene.render.fps / self.scene.render.fps_base

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (self.last - self.first) / self.frame_rate

    @property
    def whole_frames(self) -> np.ndarray:
        """All frames of the range, without fractions."""
        return sample_frames(self.first, self.last, 1)

    @property
    def sampled_frames(self) -> np.ndarray:
        """All frames at which keyed bodies and animated numbers are looked at."""
        if self.looks:
            return np.linspace(self.first, self.last, self.looks)
        return sample_frames(self.first, self.last, self.scene.ves.samples_per_frame)

    @property
    def starts_elsewhere(self) -> bool:
        """True if a joint's start values move bodies before the first frame: then what shows is not how it starts."""
        return any(any(joint.start_coordinates or ()) for joint in self.mechanism.joints)

    def times(self, frames: np.ndarray) -> np.ndarray:
        """Seconds since the first frame."""
        return (frames - self.first) / self.frame_rate

    def error(self, culprit: bpy.types.Object | None, text: str) -> None:
        """Note what makes a simulation impossible."""
        self.errors.append(Finding(culprit, text))

    def warn(self, culprit: bpy.types.Object | None, text: str) -> None:
        """Note what a person should know."""
        self.warnings.append(Finding(culprit, text))

    def is_on(self, owner: bpy.types.Object) -> bool:
        """True if a joint, constraint or force is switched on at the moment that is read."""
        if is_animated(owner, "ves.enabled"):
            return owner.evaluated_get(self.depsgraph).ves.enabled
        return owner.ves.enabled

    def catching(self, owner: bpy.types.Object) -> dict[str, float]:
        """Keys by which a part draws its ends together, of `tau`, `within` and `force` those that are given."""
        settings, given = owner.ves, {}
        if settings.catch_time > 0.0:
            given["tau"] = settings.catch_time
        if settings.catch_within > 0.0 and settings.role in WAITING:
            given["within"] = settings.catch_within
        if settings.catch_force > 0.0:
            given["force"] = settings.catch_force
        return given

    def leave_open(self, culprit: bpy.types.Object, gap: str, alternative: str = "") -> None:
        """Note that the two sides of a tie are not together, and what there is to do besides snapping them.

        One that is switched off may be apart, and a constraint that says how it is drawn together.
        """
        if not self.is_on(culprit) or (culprit.ves.role != "JOINT" and self.catching(culprit)):
            return
        if any(body in self.flights for body in ends_of(culprit)):
            self.flying.append(culprit)
            return
        remedy = f", or {alternative}" if alternative else ""
        self.open.append(Finding(culprit, f"{gap}: use Snap Together{remedy}"))

    @property
    def apart(self) -> list[Finding]:
        """Ties that no simulation can start with: those that are open, and those that only a flight brings together."""
        return [*self.open, note_on_flight(self.flights)] if self.flying else self.open

    def refuse_still(self) -> None:
        """Raises SceneError if no body is dynamic."""
        if not any(binding.body.motion == "dynamic" for binding in self.bodies):
            refuse(None, "no body is dynamic: nothing would move")

    def body_of(self, owner: bpy.types.Object) -> BodyBinding | None:
        """The body that an object is, if it takes part."""
        if len(self._by_object) != len(self.bodies):
            self._by_object = {binding.object: binding for binding in self.bodies}
        return self._by_object.get(owner)

    def set_bodies(self, bodies: list[BodyBinding]) -> None:
        """Other bodies than before."""
        self.bodies, self._by_object = bodies, {}

    def object_of(self, body_name: str) -> bpy.types.Object | None:
        """The object that is the body of this name."""
        return next((binding.object for binding in self.bodies if binding.body.name == body_name), None)

    def world(self, body: bpy.types.Object) -> np.ndarray:
        """The world matrix (4, 4) of a body that takes part, at the first frame."""
        pose = self.poses[body]
        return join(pose.position[None], pose.orientation[None], pose.residual[None])[0]

    def other_side(self, owner: bpy.types.Object, carrier: bpy.types.Object | None) -> Pose | None:
        """The second side of a tie, which `carrier` (None: the world) carries: at its mark, else at its Empty.

        None, and an error, if the mark is gone or nowhere.
        """
        mark = owner.ves.anchor_b
        if mark is None:
            return self.poses[owner]
        evaluated = mark.evaluated_get(self.depsgraph)
        if self.scene.objects.get(mark.name) != mark or not evaluated.is_evaluated:
            self.error(
                owner,
                f"its Other Side, {mark.name}, is disabled or not in this scene any more: choose another, or none",
            )
            return None
        if carrier is not None and not Owner(mark).goes_along_with(Owner(carrier)):
            self.warn(
                owner, f"its Other Side, {mark.name}, does not go along with {carrier.name}: make that its parent"
            )
        matrix = np.array(evaluated.matrix_world)
        if not np.isfinite(matrix).all():
            self.error(owner, f"its Other Side, {mark.name}, is at a place that is not a number: move it")
            return None
        return split(matrix)

    def end(self, owner: bpy.types.Object, body: bpy.types.Object) -> str | None:
        """Name of the body at an end of a joint or force; None, and an error, if it is not a body that takes part."""
        binding = self.body_of(body)
        if binding:
            return binding.body.name
        if body.ves.role != "BODY":
            self.error(
                owner, f"is connected to {body.name}, which is not a body: add it as one (Fixed, if it stands still)"
            )
        elif self.scene.objects.get(body.name) != body:
            self.error(owner, f"is connected to {body.name}, which is not in this scene any more: choose another body")
        else:
            self.error(owner, f"is connected to {body.name}, which takes no part (see there)")
        return None

    def held_body(self, owner: bpy.types.Object) -> str | None:
        """Name of the dynamic body that a constraint holds, or None after saying what is wrong."""
        held = owner.ves.body_a
        if held is None:
            self.error(owner, "holds nothing: choose its body")
            return None
        name, motion = self.end(owner, held), held.ves.motion
        if name and not is_dynamic(held):
            self.error(owner, f"holds {held.name}, which is {motion.lower()}: only a dynamic body can be held")
            return None
        return name

    def refuse_drivers(self, owner: bpy.types.Object) -> None:
        """Say which settings have a driver that reads what the simulation moves, and so nobody knows before it.

        Those that Blender cannot work out change nothing, and are warned of.
        """
        for path in dict.fromkeys(broken_drivers(owner)):
            self.warn(
                owner,
                f"its driver on {path.removeprefix('ves.')} does not work, so that stays as it is: mend or remove it "
                "in the Drivers Editor, or allow scripts to run (Edit > Preferences > Save & Load > Auto Run)",
            )
        for path, read in dict.fromkeys(drivers_by_motion(owner)):
            is_moved = read.ves.role == "BODY" and is_dynamic(read)
            if path.startswith("ves.") and (is_moved or Owner(read).dynamic_ancestor() is not None):
                self.error(
                    owner,
                    f"has a driver on {path.removeprefix('ves.')} that reads {read.name}, which the simulation moves: "
                    "where that will be nobody knows before it; key the setting instead",
                )

    def note_idle_keys(self, owner: bpy.types.Object | bpy.types.Scene) -> None:
        """Say which keys, as scripts make them, are on settings that do not change in time: Blender leaves them out."""
        known = owner.ves.bl_rna.properties
        for path in dict.fromkeys(animated_paths(owner)):
            name = path.removeprefix("ves.")
            if path.startswith("ves.") and name in known and not known[name].is_animatable:
                culprit = owner if isinstance(owner, bpy.types.Object) else None
                self.warn(
                    culprit, f"has keys on {known[name].name}, which cannot change in time and stays: delete them"
                )

    def table(self, owner: bpy.types.Object, name: str) -> Any:
        """The table of force of that name (`parts.tables`) that a part goes by; None without, or if it is wrong.

        What is wrong is said.
        """
        if not is_used(owner.ves, name):
            return None
        wrong = problem_of(owner.ves, name)
        if wrong:
            self.error(owner, wrong)
        return None if wrong else record_of(owner.ves, name)

    def over_time(
        self,
        owner: bpy.types.Object,
        read: Callable[[bpy.types.PropertyGroup], list[float]],
        use: Callable[[list[float | Table]], None],
        names: Collection[str] | None = None,
    ) -> None:
        """Read numbers from `owner.ves` and use them; if they are animated, use them again as tables once sampled.

        `names`: of the settings that they come from, if it is known; without, any animated one counts.

        What a script has set is in the original only: Blender does not evaluate again for custom properties without an
        update function. So unanimated numbers come from there, and the evaluated copy is renewed before it is sampled.
        """
        use(read(owner.ves))
        paths = [path for path in animated_paths(owner) if path.startswith("ves.")]
        if not (paths if names is None else set(paths) & {f"ves.{name}" for name in names}):
            return
        owner.update_tag()
        times = self.times(self.sampled_frames)
        self.probes.append(
            Probe(
                self.sampled_frames,
                lambda depsgraph: read(owner.evaluated_get(depsgraph).ves),
                lambda values: use([number_over_time(times, column) for column in values.T]),
            )
        )


def note_on_flight(flights: dict[bpy.types.Object, tuple[int, int]], is_fact: bool = False) -> Finding:
    """Finding on bodies that fly together: a simulation knows nothing of their flights, and begins from before."""
    (body, (first, last)), more = next(iter(flights.items())), len(flights) - 1
    others = {0: "", 1: " with another"}.get(more, f" with {more} others")
    lay = "they lay" if more else "it lay"
    return Finding(
        body,
        f"flies to its place{others} at frames {first} to {last}, keyed by Snap Together. Bake starts from where {lay} "
        "before: to simulate the assembled linkage, use Clear Bake, then Snap Together with Mode Instant",
        is_fact=is_fact,
    )


def samples_over_time(samples: np.ndarray, per_frame: int, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values (T, ...) and rates per frame at times (T,) in frames from the first one, by a cubic spline."""
    if (samples == samples[0]).all():
        still = np.broadcast_to(samples[0], (len(times), *samples.shape[1:]))
        return still, np.zeros_like(still)
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(np.arange(len(samples)) / per_frame, samples)
    return spline(times), spline(times, 1)


def number_over_time(times: np.ndarray, values: np.ndarray, rounding: float = 0.0) -> float | Table:
    """Values (T,) as a table, or as a number if none differs from the first by more than `rounding`."""
    if (np.abs(values - values[0]) <= rounding).all():
        return float(values[0])
    return Table(tuple(times.tolist()), tuple(values.tolist()))
