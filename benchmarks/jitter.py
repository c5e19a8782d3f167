# SPDX-License-Identifier: GPL-3.0-or-later
"""Jitter, where ragdolls of others have it: the largest acceleration above the true one, the largest gap at a joint.

A bone of 0.45 m swings about a hinge by a sine of 0.5 rad, 1.5 times a second; it follows (Follow), is held between two
keyed bodies, has a target beyond its limit, or carries a thousand times its mass. What is true is known in closed form.
Accelerations are differences of velocities from frame to frame, 240 a second, and so is what they are compared with.
"""

import numpy as np

from solver import Mechanism, Recording, simulate
from solver.mechanism import Body, Follow, Joint, Keys, Sphere

from .machine import Machine
from .table import Row, Section

RATE, DURATION = 240.0, 2.0
LENGTH, AMPLITUDE, PACE = 0.45, 0.5, 3.0 * np.pi  # m, rad, rad/s
LIMIT = 0.3  # rad
KEYS = np.arange(0.0, DURATION + 0.51, 1.0 / 48.0)  # s
ABOUT_Y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)  # the orientation of a hinge
STRENGTHS = (0.1, 1.0, 10.0, 100.0, 1000.0)  # Hz
RATIO = 1000.0


def measure(_machine: Machine) -> Section:
    """A row for each case, by smooth steps and by steps with impulses."""
    section = Section("Jitter: largest acceleration above the true one (m/s2), and largest gap at a joint (m)")
    section.rows.append(_row("a body between two keyed ones", _between))
    section.rows.append(_row(f"a bone that carries {RATIO:g} times its mass, 10 Hz", _loaded))
    for strength in STRENGTHS:
        section.rows.append(_row(f"follows at {strength:g} Hz", lambda touches, f=strength: _following(touches, f)))
    for strength in STRENGTHS:
        case = f"target {AMPLITUDE - LIMIT:g} rad beyond its limit, {strength:g} Hz, from 1 s on"
        section.rows.append(_row(case, lambda touches, f=strength: _beyond(touches, f)))
    most = AMPLITUDE * PACE**2 * LENGTH
    section.remarks = [
        f"ours: smooth / with impulses (Contact on). The true accelerations are up to {most:.3g} m/s2, at rest none",
        "others: Ragdoll's makers say of the first and of the targets that they jitter or explode, and of heavy bodies "
        "on light ones that mass ratios are limited to keep one safe; they give no numbers",
    ]
    return section


def _row(case: str, run) -> Row:
    found = [run(touches) for touches in (False, True)]
    return Row(case, " / ".join(f"{above:.2g} and {gap:.1g}" for above, gap in found))


def _angle(times: np.ndarray) -> np.ndarray:
    return AMPLITUDE * np.sin(PACE * times)


def _turns(angles: np.ndarray) -> np.ndarray:
    zero = np.zeros_like(angles)
    return np.column_stack([np.cos(0.5 * angles), zero, np.sin(0.5 * angles), zero])


def _bone(mass: float, **more) -> Body:
    moment = mass * LENGTH**2 / 12.0
    inertia = (0.02 * moment, moment, moment)
    return Body(name="bone", mass=mass, inertia=inertia, center_of_mass=(0.5 * LENGTH, 0.0, 0.0), **more)


def _hinge(**more) -> Joint:
    place = {"position": (0.0, 0.0, 0.0), "orientation": ABOUT_Y}
    return Joint(name="hinge", type="revolute", parent=None, child="bone", **place, **more)


def _of(bodies: list[Body], joints: list[Joint], touches: bool) -> Mechanism:
    mechanism = Mechanism(bodies=bodies, joints=joints)
    if touches:
        bodies[-1].shape = Sphere(radius=0.01)
        mechanism.contact = {"enabled": True, "ground": {"height": -9.0}}
    return mechanism


def _ends(recording: Recording, body: int) -> np.ndarray:
    """(F, 3) m: the far end of a bone."""
    w, _, y, _ = recording.orientation[:, body].T
    angle = 2.0 * np.arctan2(y, w)
    zero = np.zeros_like(angle)
    return recording.position[:, body] + LENGTH * np.column_stack([np.cos(angle), zero, -np.sin(angle)])


def _above(ends: np.ndarray, true: np.ndarray) -> float:
    """m/s2."""
    return float(np.linalg.norm(np.diff(ends - true, 2, axis=0), axis=1).max() * RATE**2)


def _true(times: np.ndarray) -> np.ndarray:
    angle = _angle(times)
    return LENGTH * np.column_stack([np.cos(angle), np.zeros_like(angle), -np.sin(angle)])


def _following(touches: bool, strength: float) -> tuple[float, float]:
    follow = Follow(frequency=strength)
    keys = Keys(KEYS, np.zeros((len(KEYS), 3)), _turns(_angle(KEYS)))
    bone = _bone(9.0, keys=keys, follow=follow)
    found = simulate(_of([bone], [_hinge(speeds=(AMPLITUDE * PACE,))], touches), DURATION, RATE)
    return _above(_ends(found, 0), _true(found.times)), float(np.linalg.norm(found.position[:, 0], axis=1).max())


def _loaded(touches: bool) -> tuple[float, float]:
    """The weight hangs on the bone's end by a ball, and follows its way too."""
    mass = 0.02
    keys = Keys(KEYS, np.zeros((len(KEYS), 3)), _turns(_angle(KEYS)))
    end = Keys(KEYS, _true(KEYS), _turns(_angle(KEYS)))
    follow = Follow(frequency=10.0)
    weight = Body(
        name="weight", mass=RATIO * mass, inertia=(0.05, 0.05, 0.05), position=(LENGTH, 0.0, 0.0), keys=end,
        follow=follow,
    )  # fmt: skip
    ball = Joint(name="ball", type="spherical", parent="bone", child="weight", position=(LENGTH, 0.0, 0.0))
    bodies = [_bone(mass, keys=keys, follow=follow), weight]
    found = simulate(_of(bodies, [_hinge(speeds=(AMPLITUDE * PACE,)), ball], touches), DURATION, RATE)
    gap = np.linalg.norm(found.position[:, 1] - _ends(found, 0), axis=1)
    return _above(found.position[:, 1], _true(found.times)), float(gap.max())


def _between(touches: bool) -> tuple[float, float]:
    """Two keyed bodies swing round one centre, and a bone is held by balls to both: it goes round with them."""
    places = [np.zeros((len(KEYS), 3)), _true(KEYS)]
    keyed = [
        Body(name=name, motion="keyed", keys=Keys(KEYS, place, _turns(_angle(KEYS))))
        for name, place in zip("AB", places, strict=True)
    ]
    joints = [
        Joint(name="a", type="revolute", parent="A", child="bone", position=(0.0, 0.0, 0.0), orientation=ABOUT_Y),
        Joint(name="b", type="spherical", parent="B", child="bone", position=(LENGTH, 0.0, 0.0)),
    ]
    found = simulate(_of([*keyed, _bone(1.0)], joints, touches), DURATION, RATE)
    gaps = np.linalg.norm(found.position[:, 2], axis=1), np.linalg.norm(_ends(found, 2) - found.position[:, 1], axis=1)
    return _above(_ends(found, 2), _true(found.times)), float(np.max(gaps))


def _beyond(touches: bool, strength: float) -> tuple[float, float]:
    """Its target stands still beyond the limit: it comes to rest there."""
    still = np.full_like(KEYS, AMPLITUDE)
    follow = Follow(frequency=strength)
    bone = _bone(9.0, keys=Keys(KEYS, np.zeros((len(KEYS), 3)), _turns(still)), follow=follow)
    found = simulate(_of([bone], [_hinge(limits=((-LIMIT, LIMIT),))], touches), DURATION, RATE)
    late = found.times >= 1.0
    ends = _ends(found, 0)[late]
    return _above(ends, np.zeros_like(ends)), float(np.linalg.norm(found.position[:, 0], axis=1).max())
