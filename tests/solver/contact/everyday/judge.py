# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge of recordings of contact: could nature have made this, as far as it tells by itself?

- `stopped`: the run did not come to its end.
- `not finite`: some number is not.
- `gained`: the energy less the work done from outside rose by more than GAINED of the budget above what it had been.
  The budget is the energy of the start's motion, the potential that has been released, the weights times their sizes,
  and all work. Whatever a piece gains while another loses as much by friction is not seen. Work of keyed bodies and of
  motors is counted step by step (`work`); impacts on keyed bodies that change their speed are counted within bounds;
  where it cannot be counted, only `fast` remains. What has sunk under a load may come up again: the load times its
  depth then is no gain. (How deep it is afterwards does not tell how far it has come up: where a box tilts, a corner
  may be as deep as before.)
  A blow may be lost and come back, or be seen on one side before the other, for a few steps: dips and peaks that are
  shorter than BRIEF are left out here, and may be FLICKERS (`flickers`).
- `misreported`: the recorded kinetic energy is not that of the recorded velocities.
- `sunk`: two bodies, or one and the ground, overlap by more than SUNK of the thinner one's thickness, though what
  drives leaves them room (`jams`).
- `opened`: a joint, or a constraint, came apart by more than OPENED of its bodies' size.
- `momentum`: what floats changed its momentum otherwise than by weight and contacts, or all of it, where nothing is
  outside, its angular momentum.
- `fast`: a body moves with more energy than the whole budget holds.
- `differs`: a second run of the same differs by a bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.ndimage import grey_closing, grey_opening

from solver import Mechanism, Recording, SimulationFailed, simulate
from solver.mechanism import Joint, Spring
from tests.solver.contact.everyday.jams import is_jammed
from tests.solver.contact.everyday.overlaps import Overlap, Overlaps, reach_of
from tests.solver.contact.everyday.work import Work, gaps, momentum_of, pieces, work
from tests.solver.contact.gauges import number_of, turns

GAINED, FLICKERS, SUNK, OPENED = 1e-4, 1e-2, 0.02, 1e-5
SINKING = 3  # frames before the deepest, in which it has come to that
BRIEF = 1.0 / 48.0  # s: dips and peaks of energy that are shorter only flicker
KEPT, KEPT_BY_LOOPS, KEPT_OF_SPIN, REPORTED = 1e-6, 1e-3, 1e-5, 1e-9
FRAME_RATE, SUBSTEPS = 24, 20


@dataclass
class Verdict:
    """The symptoms of a run, if it has any, and its figures as parts of what is allowed as a whole."""

    figures: dict[str, float] = field(default_factory=dict)
    symptoms: dict[str, str] = field(default_factory=dict)  # by name, in words
    seconds: float = 0.0

    def note(self, name: str, figure: float, most: float, words: str) -> None:
        self.figures[name] = figure
        if not figure <= most:
            self.symptoms[name] = words


def examine(
    mechanism: Mechanism, duration: float, substeps: int = SUBSTEPS, by_steps: bool = True, repeat: bool = False
) -> Verdict:
    """Runs a mechanism and judges it.

    by_steps: with a frame for each step, which shows more; else with the frames that are common, and `substeps` steps
    in each. repeat: twice, which must be the same.
    """
    try:
        recording = _run(mechanism, duration, substeps, by_steps)
    except SimulationFailed as error:
        return Verdict(symptoms={"stopped": str(error)})
    except Exception as error:  # noqa: BLE001 (whatever it is, it is a finding)
        return Verdict(symptoms={"crashed": f"{type(error).__name__}: {error}"})
    verdict = judge(mechanism, recording, by_steps)
    verdict.seconds = recording.wall_time
    if repeat:
        again = _run(mechanism, duration, substeps, by_steps)
        names = ("position", "orientation", "linear_velocity", "angular_velocity", "contact_force")
        same = all(np.array_equal(getattr(recording, name), getattr(again, name)) for name in names)
        verdict.note("differs", float(not same), 0.0, "a second run differs")
    return verdict


def _run(mechanism: Mechanism, duration: float, substeps: int, by_steps: bool) -> Recording:
    rate, steps = (FRAME_RATE * substeps, 1) if by_steps else (FRAME_RATE, substeps)
    return simulate(mechanism, duration, float(rate), integrator="impulse", substeps=steps)


def judge(mechanism: Mechanism, recording: Recording, by_steps: bool = True) -> Verdict:
    """See above; everything but `stopped` and `differs`. by_steps: the recording has a frame for each step."""
    verdict = Verdict()
    if not _is_finite(recording):
        verdict.note("not finite", np.inf, 0.0, "some numbers are not finite")
        return verdict
    done = work(mechanism, recording, by_steps)
    budget = _budget(mechanism, recording, done)
    deepest, depth = Overlaps(mechanism).over(recording)
    _judge_energy(mechanism, recording, done, budget, depth, verdict)
    _judge_speeds(mechanism, recording, done, budget, verdict)
    _judge_depth(mechanism, recording, deepest, verdict)
    _judge_gaps(mechanism, recording, verdict)
    _judge_momentum(mechanism, recording, verdict)
    return verdict


def _is_finite(recording: Recording) -> bool:
    names = ("position", "orientation", "linear_velocity", "angular_velocity", "joint_force", "joint_coordinates")
    names += ("joint_speeds", "kinetic_energy", "potential_energy", "contact_force", "constraint_force")
    return all(np.isfinite(getattr(recording, name)).all() for name in names)


def _budget(mechanism: Mechanism, recording: Recording, done: Work) -> np.ndarray:
    """(F,) J: what there has been to spend."""
    sizes = sum(body.mass * reach_of(body) for body in mechanism.bodies if body.motion == "dynamic")
    released = recording.potential_energy[0] - np.minimum.accumulate(recording.potential_energy)
    scale = recording.kinetic_energy[0] + float(np.linalg.norm(mechanism.gravity)) * sizes
    return scale + released + done.moved + 1e-300


def _judge_energy(
    mechanism: Mechanism, recording: Recording, done: Work, budget: np.ndarray, depth: np.ndarray, verdict: Verdict
) -> None:
    moving = kinetic_energy(mechanism, recording)
    off = float(np.max(np.abs(moving - recording.kinetic_energy) / (budget + moving)))
    verdict.note("misreported", off, REPORTED, f"the kinetic energy is recorded wrong by {off:.1e}")
    if not done.known:
        return
    own = moving + recording.potential_energy - done.done - done.unsure
    with_sunk = own + depth @ _loads(mechanism, recording)
    steps = max(1, round(BRIEF / np.diff(recording.times).mean()))
    rise, frame = _rise(_without_flicker(own, steps), _without_flicker(with_sunk, steps), budget)
    verdict.note("gained", rise, GAINED, f"gains {rise:.1e} of its energy up to {recording.times[frame]:.3f} s")
    rise, frame = _rise(own, with_sunk, budget)
    verdict.note("flickers", rise, FLICKERS, f"flickers by {rise:.1e} of its energy at {recording.times[frame]:.3f} s")


def _rise(own: np.ndarray, with_sunk: np.ndarray, budget: np.ndarray) -> tuple[float, int]:
    """The largest rise above what there was before with what had sunk, in parts of the budget, and its last frame."""
    rises = np.maximum(0.0, (own - np.minimum.accumulate(with_sunk)) / budget)
    frame = int(rises.argmax())
    return float(rises[frame]), frame


def _without_flicker(energy: np.ndarray, steps: int) -> np.ndarray:
    """Dips and peaks filled and cut that are shorter than so many steps."""
    if steps < 2:
        return energy
    return grey_opening(grey_closing(energy, steps, mode="nearest"), steps, mode="nearest")


def kinetic_energy(mechanism: Mechanism, recording: Recording) -> np.ndarray:
    """(F,) J by the recorded velocities."""
    total = np.zeros(len(recording.times))
    for k, body in enumerate(mechanism.bodies):
        if body.motion == "dynamic":
            p, L, center = momentum_of(body, recording, k)
            spin = L - np.cross(center, p)
            total += 0.5 * np.sum(p**2, axis=1) / body.mass
            total += 0.5 * np.sum(spin * recording.angular_velocity[:, k], axis=1)
    for joint, first in zip(mechanism.joints, recording.joint_offsets, strict=False):
        for axis, inertia in enumerate(joint.armature or ()):
            total += 0.5 * inertia * recording.joint_speeds[:, first + axis] ** 2
    return total


def _loads(mechanism: Mechanism, recording: Recording) -> np.ndarray:
    """(B,) N: what may press a body into another for long: weights, its own and what begins above, springs, motors."""
    gravity, loads = float(np.linalg.norm(mechanism.gravity)), np.zeros(len(mechanism.bodies))
    weights = np.array([(body.mass or 0.0) * gravity for body in mechanism.bodies])
    reach = np.array([reach_of(body) for body in mechanism.bodies])
    place = recording.position[0]
    for k, body in enumerate(mechanism.bodies):
        if body.motion == "dynamic":
            near = np.linalg.norm(place[:, :2] - place[k, :2], axis=1) < reach + reach[k]
            loads[k] = weights[k] + weights[near & (place[:, 2] > place[k, 2])].sum()
    motors = {joint.child: _push(mechanism, recording, joint) for joint in mechanism.joints if joint.motor is not None}
    return loads + sum(motors.values()) * (loads > 0.0) + _pulls(mechanism, recording)


def _pulls(mechanism: Mechanism, recording: Recording) -> np.ndarray:
    """(B,) N: of all springs on a body, at most."""
    pulls, number = np.zeros(len(mechanism.bodies)), {body.name: k for k, body in enumerate(mechanism.bodies)}
    for force in mechanism.forces:
        if isinstance(force, Spring) and force.pull is None:
            one, other = _place(recording, force.body_a, force.point_a), _place(recording, force.body_b, force.point_b)
            stretch = np.linalg.norm(other - one, axis=1) - force.rest_length
            for name in {force.body_a, force.body_b} - {None}:
                pulls[number[name]] += force.stiffness * float(np.abs(stretch).max())
    return pulls


def _place(recording: Recording, body: str | None, point) -> np.ndarray:
    """(F, 3) m: of a point of a body, or of the world, that is there at the start."""
    if body is None:
        return np.tile(np.asarray(point, float), (len(recording.times), 1))
    k = number_of(recording, body)
    turn = turns(recording, k)
    return recording.position[:, k] + turn @ turn[0].T @ (np.asarray(point, float) - recording.position[0, k])


def _push(mechanism: Mechanism, recording: Recording, joint: Joint) -> float:
    """N that a motor can push with along its axis, and as much that friction may add.

    Turning motors push by their child's lever, and are left out. One without a maximum pushes by its stiffness.
    """
    if joint.type not in ("prismatic", "screw"):
        return 0.0
    force = joint.motor.value if joint.motor.mode == "force" else joint.motor.max_force
    if force is None:
        start = recording.joint_offsets[mechanism.joints.index(joint)]
        target = np.concatenate([np.atleast_1d(getattr(each, "values", each)) for each in _targets(joint)])
        far = np.abs(recording.joint_coordinates[:, start]).max() + np.abs(target).max()
        force = float(np.atleast_1d(joint.motor.stiffness)[0]) * far
    lever = abs(joint.pitch) if joint.type == "screw" else 1.0
    return 2.0 * float(np.abs(np.atleast_1d(force)).max()) / lever


def _targets(joint: Joint) -> list:
    """Of its motor: numbers, or tables."""
    target = joint.motor.target
    return list(target) if isinstance(target, list | tuple) else [target]


def _judge_speeds(mechanism: Mechanism, recording: Recording, done: Work, budget: np.ndarray, verdict: Verdict) -> None:
    worst, who = 0.0, ""
    for k, body in enumerate(mechanism.bodies):
        if body.motion == "dynamic":
            p, _, _ = momentum_of(body, recording, k)
            part = float(np.max(0.5 * np.sum(p**2, axis=1) / body.mass / (budget + done.unsure)))
            worst, who = max((worst, who), (part, body.name))
    if done.known:
        verdict.note("fast", worst, 1.0 + GAINED, f"'{who}' has {worst:.2g} times all energy")


def _judge_depth(mechanism: Mechanism, recording: Recording, found: Overlap, verdict: Verdict) -> None:
    last = int(np.searchsorted(recording.times, found.time))
    if found.part > SUNK and any(is_jammed(mechanism, recording, k) for k in range(max(0, last - SINKING), last + 1)):
        verdict.figures["jammed"] = found.part
        return
    words = f"'{found.one}' and '{found.other or 'ground'}' overlap by {1e3 * found.depth:.2g} mm, "
    words += f"{100.0 * found.part:.2g} % of the thinner one, at {found.time:.3f} s"
    verdict.note("sunk", found.part, SUNK, words)


def _judge_gaps(mechanism: Mechanism, recording: Recording, verdict: Verdict) -> None:
    bodies = {body.name: body for body in mechanism.bodies}
    sizes = np.array([reach_of(bodies[joint.child]) for joint in mechanism.joints])
    found = gaps(mechanism, recording).max(axis=0, initial=0.0) / np.where(sizes > 0.0, sizes, 1.0)
    words = (
        f"'{mechanism.joints[int(found.argmax())].name}' opens by {found.max():.1e} of its child" if len(found) else ""
    )
    verdict.note("opened", float(found.max(initial=0.0)), OPENED, words)
    if mechanism.constraints:
        size = max((reach_of(body) for body in mechanism.bodies if body.motion == "dynamic"), default=1.0)
        worst = float(recording.constraint_error.max()) / size
        verdict.note("untied", worst, OPENED, f"a constraint is off by {worst:.1e} of the largest body")


def _judge_momentum(mechanism: Mechanism, recording: Recording, verdict: Verdict) -> None:
    h, gravity = np.diff(recording.times)[:, None], np.array(mechanism.gravity)
    worst, words, all_linear, all_angular, scale, arm = 0.0, "", 0.0, 0.0, 1e-300, 1e-300
    held = False
    for piece in pieces(mechanism):
        change, size = np.zeros((len(h), 3)), 1e-300
        for k in piece.bodies:
            body = mechanism.bodies[k]
            p, L, center = momentum_of(body, recording, k)
            given = recording.contact_force[1:, k, :3] * h
            change += np.diff(p, axis=0) - given - body.mass * gravity * h
            size += (
                np.linalg.norm(p, axis=1).max()
                + np.linalg.norm(given, axis=1).sum()
                + body.mass * (float(np.linalg.norm(gravity)) * recording.times[-1] + 1e-6)
            )
            all_linear, all_angular = all_linear + p, all_angular + L
            arm = max(
                arm, float(np.linalg.norm(center - center[:1].mean(axis=0), axis=1).max()), float(np.abs(center).max())
            )
        scale += size
        if piece.anchors:
            held = True
            continue
        most = KEPT_BY_LOOPS if piece.has_closures else KEPT
        off = float(np.linalg.norm(np.cumsum(change, axis=0), axis=1).max(initial=0.0)) / size / most
        if off > worst:
            name = mechanism.bodies[piece.bodies[0]].name
            worst, words = off, f"the piece of '{name}' has {off * most:.1e} of its momentum from nowhere"
    is_free = all(body.motion == "dynamic" for body in mechanism.bodies) and not held and not gravity.any()
    if is_free and mechanism.contact.ground is None:
        off = float(np.linalg.norm(all_angular - all_angular[0], axis=1).max()) / (scale * arm)
        if off / KEPT_OF_SPIN > worst:
            worst, words = off / KEPT_OF_SPIN, f"{off:.1e} of the angular momentum comes from nowhere"
    verdict.note("momentum", worst, 1.0, words)
