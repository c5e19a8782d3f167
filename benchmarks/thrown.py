# SPDX-License-Identifier: GPL-3.0-or-later
"""Things thrown at things, ours beside Bullet: how much energy is left, and when the first blow falls.

Such motions are chaotic: a micrometre at the start decides where a box comes to lie. So poses are not compared, but
what all of them have in common, over several starts. Those of a wall differ by a micrometre, those of a heap by a
centimetre, because few bodies need longer to forget where they came from.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from solver import simulate
from solver.mechanism import Box, Mechanism, Shape, Sphere
from solver.model.poses import rotation_matrices

from .bullet_contact import AS_IT_COMES, TOUCHING, ask_bullet
from .machine import Machine
from .table import Row, Section
from .thrown_scenes import Scene, falling, is_thrown, scenes

FRAME_RATE, DURATION = 24, 3.0
SUBSTEPS = (20, 60, 200)
INSTANTS = (0.5, 1.0, 2.0, 3.0)  # s, at which energy is looked at
EARLY = 0.25  # s, at which momentum is
STARTS = 6  # the first one as it is
SIZE, HEIGHTS, FELL = 0.25, (1.0, 1.001, 1.002), 0.75  # m, m, and s until what falls has bounced once
MISSING = "Bullet: its Python is not here"


class Motion(NamedTuple):
    """A mechanism's states at the frames, and when something that is thrown was struck first."""

    mechanism: Mechanism
    states: np.ndarray  # (F, B, 13): position, quaternion, linear and angular velocity
    first: float  # s

    def energy(self) -> np.ndarray:
        """(F,) J, heights counted from the ground; all centres are origins."""
        bodies, frames = self.mechanism.bodies, self.states.shape[:2]
        mass, inertia = np.array([body.mass for body in bodies]), np.array([body.inertia for body in bodies])
        position, turn, velocity, spin = np.split(self.states, (3, 7, 10), axis=2)
        own = np.einsum("fbji,fbj->fbi", rotation_matrices(turn).reshape(*frames, 3, 3), spin)  # body axes
        turning = np.einsum("bi,fbi->fb", inertia, own**2)
        kinetic = 0.5 * (mass * np.sum(velocity**2, axis=2) + turning)
        return np.sum(kinetic - mass * (position @ np.array(self.mechanism.gravity)), axis=1)

    def momentum(self, time: float) -> np.ndarray:
        """(3,) kg m/s of all bodies, at a frame."""
        return np.array([body.mass for body in self.mechanism.bodies]) @ self.states[round(time * FRAME_RATE), :, 7:10]


class Fate(NamedTuple):
    """The fate of a scene, start by start."""

    left: np.ndarray  # (STARTS, INSTANTS): energy as a part of that at the start
    momentum: np.ndarray  # (STARTS, 3) kg m/s, at EARLY
    first: np.ndarray  # (STARTS,) s: the first blow on something thrown

    @property
    def energies(self) -> str:
        return " / ".join(_span(column) for column in 100.0 * self.left.T)


Fates = dict[int, Fate]  # by substeps; empty without Bullet


def measure(_machine: Machine) -> Section:
    """Bounces of bodies; then for each scene the rest of its energy, its first blow and its momentum."""
    section = Section("Things thrown at things: % of the energy left after 0.5 / 1 / 2 / 3 s")
    section.rows += [_bounce_row("ball", Sphere(radius=SIZE)), _bounce_row("level box", Box(half_size=(SIZE,) * 3))]
    for scene in scenes():
        section.rows += _rows(scene)
    section.remarks = [
        f"{FRAME_RATE} frames a second; least..most of {STARTS} starts, in {STARTS - 1} of which what is thrown is "
        "moved, by up to a micrometre at a wall and a centimetre at a heap",
        "ratio: at how many of the four times our range and Bullet's meet",
        "energy: from the poses and velocities of both alike, heights counted from the ground",
        "first blow, momentum: of the first start. A blow on something thrown; ours says when, Bullet's is the end of "
        "the step in which it leaves free flight",
        "Bullet: points of contact are made where bodies touch, and overlaps taken out beside the velocities; 50 "
        "iterations. As it comes: without these two settings",
    ]
    return section


def _rows(scene: Scene) -> list[Row]:
    starts = [scene.start(seed) for seed in range(STARTS)]
    ours = {n: _fate(_moved(starts, n, DURATION)) for n in SUBSTEPS}
    theirs = {way: _fates(starts, way) for way in (TOUCHING, AS_IT_COMES)}
    name, touching = scene.title, theirs[TOUCHING]
    rows = [_energy_row(f"{name}, {n} substeps", ours[n], touching.get(n)) for n in SUBSTEPS]
    rows.append(_energy_row(f"{name}, all of these", _together(ours), _together(touching)))
    if theirs[AS_IT_COMES]:
        rows.append(_energy_row(f"{name}, all, as it comes", _together(ours), _together(theirs[AS_IT_COMES])))
    rows.append(_row_of_all(f"{name}, first blow", ours, touching, lambda fate: f"{fate.first[0]:.4f}", "s"))
    rows.append(_row_of_all(f"{name}, momentum at {EARLY:g} s", ours, touching, _momentum, "kg m/s"))
    return rows


def _energy_row(case: str, ours: Fate, theirs: Fate | None) -> Row:
    if theirs is None:
        return Row(case, ours.energies, MISSING)
    pairs = zip(ours.left.T, theirs.left.T, strict=True)
    meet = sum(mine.min() <= other.max() and other.min() <= mine.max() for mine, other in pairs)
    return Row(case, ours.energies, f"Bullet: {theirs.energies}", f"{meet} of {len(INSTANTS)}")


def _row_of_all(case: str, ours: Fates, theirs: Fates, words: Callable[[Fate], str], unit: str) -> Row:
    mine, other = (" / ".join(map(words, fates.values())) for fates in (ours, theirs))
    return Row(f"{case}, {_list(SUBSTEPS)}", f"{mine} {unit}", f"Bullet: {other} {unit}" if theirs else MISSING)


def _bounce_row(name: str, shape: Shape) -> Row:
    """Speeds after the first bounce over those before, from heights that end differently within a step."""
    starts = [falling(shape, height) for height in HEIGHTS]

    def kept(motions: list[Motion]) -> str:
        parts = []
        for motion in motions:
            lowest = 9.81 * motion.mechanism.bodies[0].mass * SIZE
            before, after = motion.energy()[[0, -1]] - lowest
            parts.append(np.sqrt(max(0.0, after) / before))
        return _span(np.array(parts), 2)

    ours = " / ".join(kept(_moved(starts, n, FELL)) for n in SUBSTEPS)
    theirs = []
    for way in (TOUCHING, AS_IT_COMES):
        motions = [_moved_by_bullet(starts, n, way, FELL) for n in SUBSTEPS]
        theirs.append(f"{way}: {' / '.join(map(kept, motions))}" if all(motions) else "")
    case = f"a {name} bounces with restitution 0.5, {_list(SUBSTEPS)} substeps"
    return Row(case, ours, f"Bullet {'; '.join(theirs)}" if all(theirs) else MISSING)


def _fates(starts: list[Mechanism], way: str) -> Fates:
    motions = {n: _moved_by_bullet(starts, n, way, DURATION) for n in SUBSTEPS}
    return {n: _fate(found) for n, found in motions.items() if found}


def _fate(motions: list[Motion]) -> Fate:
    energy = np.array([motion.energy() for motion in motions])
    frames = [round(time * FRAME_RATE) for time in INSTANTS]
    momentum = np.array([motion.momentum(EARLY) for motion in motions])
    return Fate(energy[:, frames] / energy[:, :1], momentum, np.array([motion.first for motion in motions]))


def _together(fates: Fates) -> Fate | None:
    """All starts with all numbers of substeps."""
    return Fate(*(np.concatenate(parts) for parts in zip(*fates.values(), strict=True))) if fates else None


def _moved(starts: list[Mechanism], substeps: int, duration: float) -> list[Motion]:
    motions = []
    for start in starts:
        recording = simulate(start, duration, FRAME_RATE, integrator="impulse", substeps=substeps)
        fields = ("position", "orientation", "linear_velocity", "angular_velocity")
        states = np.concatenate([getattr(recording, name) for name in fields], axis=2)
        thrown = [k for k, body in enumerate(start.bodies) if is_thrown(body)]
        struck = recording.impact_time[np.isin(recording.impact_bodies, thrown).any(axis=1)]
        motions.append(Motion(start, states, float(min(struck, default=np.inf))))
    return motions


def _moved_by_bullet(starts: list[Mechanism], substeps: int, way: str, duration: float) -> list[Motion]:
    """None at all where there is no Bullet."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for k, start in enumerate(starts):
            start.save(folder / f"{k:02}.json")
        if not ask_bullet(duration, FRAME_RATE, substeps, way, folder):
            return []
        motions = []
        for k, start in enumerate(starts):
            with np.load(folder / f"{k:02}.npz") as found:
                motions.append(Motion(start, found["states"], float(found["first"])))
        return motions


def _span(values: np.ndarray, digits: int = 1) -> str:
    """Least and most, once if they are alike."""
    return "..".join(dict.fromkeys(f"{value:.{digits}f}" for value in (values.min(), values.max())))


def _momentum(fate: Fate) -> str:
    x, y, z = np.round(fate.momentum[0], 3) + 0.0
    return f"({x:.3f}, {y:.3f}, {z:.3f})"


def _list(numbers: tuple[int, ...]) -> str:
    return " / ".join(map(str, numbers))
