# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties of role PATH: a point of a body is led along a curve, or as another object is animated.

Whatever leads is sampled over time by the probes that keyed bodies use. With Keep Offset only its motion counts, not
where it is; a body that turns along moves with it as if it were fastened to it.
"""

from typing import NamedTuple, Protocol

import bpy
import numpy as np

from ...solver.mechanism import Path
from ..animation.animated import is_animated
from ..geometry import poses
from ..geometry.curve_length import CurveError, CurveLength
from ..owner import Owner
from .open_ties import closeness
from .reading import Reading
from .sampling import Probe


class Guided(NamedTuple):
    """Poses of a guide at each frame: positions (T, 3), and rotations (T, 3, 3) if the body turns along."""

    positions: np.ndarray
    rotations: np.ndarray | None = None


class Guide(Protocol):
    """A guide: the object or curve that leads a point."""

    def sample(self, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
        """Numbers that tell all about this moment."""

    def guided(self, samples: np.ndarray, frames: np.ndarray) -> Guided:
        """Poses of a guide from the samples (T, ...) at the frames (T,)."""


def read_path(reading: Reading, owner: bpy.types.Object) -> None:
    """Add a path to the mechanism, or say what is wrong with it. Until it is sampled, it stands still."""
    body = reading.held_body(owner)
    guide = _guide(reading, owner) if body else None
    if guide is None:
        return
    settings, start = owner.ves, reading.poses[owner].position
    own = np.array(reading.body_of(settings.body_a).body.orientation)
    frame = np.array([reading.scene.frame_current_final])
    begin = guide.guided(guide.sample(reading.depsgraph)[None], frame).positions[0]
    gap = float(np.linalg.norm(start - begin))
    is_shifted = settings.path_keep_offset or gap <= closeness(start, settings.body_a)
    if not is_shifted and not reading.starts_elsewhere:
        reading.leave_open(owner, f"is {gap:.2g} m away from where its path begins", "turn on Keep Offset")
    path = Path(name=owner.name_full, body=body, point=start, times=[0.0], positions=[start if is_shifted else begin])
    if settings.path_object and settings.path_orientation:
        path.orientations = [own]
    reading.mechanism.constraints.append(path)
    frames = reading.sampled_frames

    def use(samples: np.ndarray) -> None:
        positions, rotations = guide.guided(samples, frames)
        offset = start - positions[0] if is_shifted else np.zeros(3)
        if rotations is not None:
            turns = rotations @ rotations[0].T
            offset = turns @ offset
        if (positions != positions[0]).any() or (rotations is not None and (rotations != rotations[0]).any()):
            path.times, path.positions = reading.times(frames).tolist(), positions + offset
            if rotations is not None:
                path.orientations = poses.continuous(poses.product(poses.quaternions(turns), own))

    reading.probes.append(Probe(frames, guide.sample, use))


def _guide(reading: Reading, owner: bpy.types.Object) -> Guide | None:
    """The guide of the point, or None after saying what is wrong with it."""
    settings = owner.ves
    leader = settings.path_object or settings.path_curve
    if leader is None:
        reading.error(owner, "has nothing to follow: choose a curve or an object")
        return None
    if settings.path_object and settings.path_curve:
        reading.error(owner, f"follows both {settings.path_curve.name} and {settings.path_object.name}: clear one")
        return None
    if refuses_leader(reading, owner, leader):
        return None
    return GuideByObject(owner) if settings.path_object else _guide_along_curve(reading, owner)


def refuses_leader(reading: Reading, owner: bpy.types.Object, leader: bpy.types.Object) -> bool:
    """True after saying so, if an object or curve cannot lead: it goes along with a dynamic body, or is gone."""
    led = Owner(leader)
    carrier = led if led.is_dynamic else led.dynamic_ancestor()
    if carrier:
        reading.error(
            owner,
            f"follows {leader.name}, which goes along with the dynamic body {carrier.object.name}: choose another",
        )
        return True
    is_there = reading.scene.objects.get(leader.name) == leader and leader.evaluated_get(reading.depsgraph).is_evaluated
    if leader == owner.ves.path_object and not is_there:
        reading.error(owner, f"follows {leader.name}, which is disabled or not in this scene any more: choose another")
        return True
    return False


def _guide_along_curve(reading: Reading, owner: bpy.types.Object) -> Guide | None:
    settings = owner.ves
    if settings.path_frame_end <= settings.path_frame_start and not is_animated(owner, "ves.path_time"):
        reading.error(owner, "arrives before it leaves: make its end frame later than its start frame")
        return None
    try:
        return GuideAlongCurve(owner, CurveLength.of_object(settings.path_curve, reading.depsgraph))
    except CurveError as error:
        reading.error(owner, f"follows {settings.path_curve.name}, which {error}")
        return None


class GuideByObject:
    """The animation of another object."""

    def __init__(self, owner: bpy.types.Object) -> None:
        self.sample = Owner(owner.ves.path_object).world
        self.turns = owner.ves.path_orientation

    def guided(self, samples: np.ndarray, _frames: np.ndarray) -> Guided:
        """Samples (T, 4, 4) are its world matrices."""
        rotations = poses.rotation_part(samples[:, :3, :3]) if self.turns else None
        return Guided(samples[:, :3, 3], rotations)


class GuideAlongCurve:
    """A curve, which may move as a whole, and how far along it the point is at each frame."""

    def __init__(self, owner: bpy.types.Object, curve: CurveLength) -> None:
        self.owner, self.curve = owner, curve
        self.world_matrix = Owner(owner.ves.path_curve).world
        self.is_timed = is_animated(owner, "ves.path_time")

    def sample(self, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
        """The curve's world matrix in one row (16 numbers), then the share of its length and the frame."""
        time = self.owner.evaluated_get(depsgraph).ves.path_time
        return np.append(self.world_matrix(depsgraph).ravel(), time)

    def guided(self, samples: np.ndarray, frames: np.ndarray) -> Guided:
        """The frame range rules until Path Time is animated."""
        factors = samples[:, 16] if self.is_timed else self._steady_factors(frames)
        matrices = samples[:, :16].reshape(-1, 4, 4)
        points = np.einsum("tij,tj->ti", matrices[:, :3, :3], self.curve.points(factors))
        return Guided(points + matrices[:, :3, 3])

    def _steady_factors(self, frames: np.ndarray) -> np.ndarray:
        """From 0 to 1 at a steady speed between the two frames of the path, standing still before and after."""
        settings = self.owner.ves
        span = settings.path_frame_end - settings.path_frame_start
        return np.clip((frames - settings.path_frame_start) / span, 0.0, 1.0)
