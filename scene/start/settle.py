# SPDX-License-Identifier: GPL-3.0-or-later
"""Settle: the mechanism runs with dampers on all bodies until it is at rest, and stands so from then on.

Each body's damper, linear and angular, takes the share `rate = sqrt(g / L)` of its momentum in a second, with L the
extent of what it hangs together with: the frequency at which that swings as a pendulum, so that its slowest swing is
half critically damped, and whatever is stiffer rings out with 2 / rate. At rest a body moves slower than STILL of
sqrt(g L) for QUIET seconds on end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NoReturn

import bpy
import numpy as np

from ...solver import MechanismError, RunError, SimulationFailed
from ...solver.mechanism import Damping, Mechanism
from ...solver.simulation.live import LiveRun
from ..animation.kept import originals_shown
from ..bake.bake import Progress, compiled_for
from ..check.contact_warnings import warn_of_contact
from ..findings import Finding, need_scipy, pass_on, refuse, refuse_all
from ..geometry import poses
from ..parts.linkages import find_linkages
from ..properties.contact import solver_options
from ..properties.scene import RELATIVE_TOLERANCE, frame_range
from ..read.forces import STANDARD_GRAVITY
from ..read.reading import Reading
from ..read.sampling import evaluate_at, frame_kept
from ..read.scene import read_mechanism
from .begin import begin_at
from .moment import Moment, moment_of_recording

STILL = 1e-4  # of sqrt(g L), the speed of a fall through half the extent
MOVING = 0.05  # of the same: what is as fast after all the time falls, or is driven
STEADY = (
    1e-3  # of its speed, by which that of a body changes in a frame that falls or is driven as fast as it ever will
)
QUIET = 0.5  # s
LONGEST = 60.0  # s that are simulated at most
BUDGET = 0.02  # s of work between two signs of life


def settle(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> Iterator[Progress]:
    """Run until all is at rest, and keep that pose; returns a BeginResult. Raises SceneError.

    Closed at any `yield`, nothing has changed. What still falls or is driven in the end is left where it was, and
    named, and so is what only creeps.
    """
    need_scipy()
    yield Progress(0.0, "Reading the scene")
    first = frame_range(scene)[0]
    reading = _read(scene, view_layer, first)
    lengths = _extents(reading)
    mechanism = _damped(reading, lengths)
    run = yield from _begun(reading, mechanism)
    speeds = yield from _run_until_still(run, reading, lengths)
    moment = moment_of_recording(reading, mechanism, run.recording())
    moment.frame = first
    late = list(_leave_moving(reading, moment, speeds, lengths, run.time))
    result = begin_at(scene, view_layer, moment, is_pose=True)
    result.seconds = run.time
    result.warnings += late
    return result


def _read(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, first: int) -> Reading:
    with frame_kept(scene), originals_shown(scene.objects):
        reading = read_mechanism(scene, evaluate_at(scene, view_layer, first), warn=warn_of_contact)
    refuse_all(reading.apart)
    reading.refuse_still()
    return reading


def _extents(reading: Reading) -> dict[str, float]:
    """m: of what each dynamic body hangs together with, by its name."""
    sizes = {binding.object: binding.owner.size for binding in reading.bodies}
    found = {binding.body.name: sizes[binding.object] for binding in reading.bodies if binding.body.motion == "dynamic"}
    for linkage in find_linkages(reading.scene):
        bindings = [reading.body_of(body) for body in linkage.bodies]
        bindings = [binding for binding in bindings if binding is not None]
        if bindings:
            places = np.array([binding.body.position for binding in bindings])
            extent = float(np.linalg.norm(np.ptp(places, axis=0))) + max(sizes[binding.object] for binding in bindings)
            found |= {binding.body.name: extent for binding in bindings if binding.body.name in found}
    return {name: max(length, 1e-6) for name, length in found.items()}


def _damped(reading: Reading, lengths: dict[str, float]) -> Mechanism:
    """The mechanism from rest, without what was recorded, and with a damper on each body."""
    taken = {part.name for parts in (reading.mechanism.forces, reading.mechanism.joints) for part in parts}
    dampers = []
    for binding in reading.bodies:
        body = binding.body
        body.linear_velocity = body.angular_velocity = None
        if body.motion == "dynamic":
            rate = math.sqrt(STANDARD_GRAVITY / lengths[body.name])
            inertia = np.array(body.inertia)
            moment = float(np.mean(inertia if inertia.ndim == 1 else np.diag(inertia)))
            name = next(n for n in (f"{body.name} settles{'_' * k}" for k in range(99)) if n not in taken)
            dampers.append(Damping(name=name, body=body.name, linear=rate * body.mass, angular=rate * moment))
    joints = [replace(joint, speeds=None) for joint in reading.mechanism.joints]
    return replace(reading.mechanism, forces=[*reading.mechanism.forces, *dampers], joints=joints, actions=[])


def _begun(reading: Reading, mechanism: Mechanism) -> Iterator[Progress]:
    """Returns the run at its start."""
    options = {"relative": RELATIVE_TOLERANCE[reading.scene.ves.accuracy], **solver_options(reading.scene)}
    begun: list[LiveRun] = []

    def begin() -> Iterator[str]:
        yield "the start"
        begun.append(LiveRun(mechanism, reading.frame_rate, **options))
        yield from begun[0].warm_up()

    try:
        yield from compiled_for(begin())
    except (MechanismError, RunError) as error:
        pass_on(error, reading.scene, reading.first)
    except SimulationFailed as error:
        _fail(reading, error)
    return begun[0]


def _fail(reading: Reading, error: SimulationFailed) -> NoReturn:
    culprits = [owner for owner in map(reading.object_of, error.body_names) if owner]
    text = f"it stopped after {error.time:.2f} s: {error.reason}"
    refuse(culprits[0] if culprits else None, text)


def _run_until_still(run: LiveRun, reading: Reading, lengths: dict[str, float]) -> Iterator[Progress]:
    """Returns the speed (m/s) of each dynamic body at the end, by its name, with that of its far end as it turns."""
    names = [body.name for body in reading.mechanism.bodies]
    rows = [names.index(name) for name in lengths]
    sizes = np.array([reading.bodies[row].owner.size for row in rows])
    scale = np.array([math.sqrt(STANDARD_GRAVITY * length) for length in lengths.values()])
    quiet, most = 0, math.ceil(LONGEST * reading.frame_rate)
    before, speeds = run.pose(), np.zeros(len(rows))
    while quiet < QUIET * reading.frame_rate and run.frame < most:
        try:
            while not run.advance(run.frame + 1, BUDGET):
                yield Progress(run.frame / most, f"Settling: {run.time:.1f} s")
        except SimulationFailed as error:
            _fail(reading, error)
        now = run.pose()
        last, speeds = speeds, _speeds(before, now, rows, sizes) * reading.frame_rate
        before = now
        is_steady = (speeds > MOVING * scale) & (np.abs(speeds - last) < STEADY * speeds)
        quiet = quiet + 1 if ((speeds < STILL * scale) | is_steady).all() else 0
        fastest = names[rows[int(np.argmax(speeds / scale))]]
        yield Progress(run.frame / most, f"Settling: {run.time:.1f} s, {fastest} at {speeds.max():.2g} m/s")
    return dict(zip(lengths, speeds.tolist(), strict=True))


def _speeds(before, now, rows: list[int], sizes: np.ndarray) -> np.ndarray:
    """m: how far bodies have gone between two poses, and turned, times their size."""
    moved = np.linalg.norm(now[0][rows] - before[0][rows], axis=1)
    turn = poses.rotations(now[1][rows]) @ np.swapaxes(poses.rotations(before[1][rows]), 1, 2)
    return moved + sizes * np.linalg.norm(poses.rotation_vector(turn), axis=1)


def _leave_moving(
    reading: Reading, moment: Moment, speeds: dict[str, float], lengths: dict[str, float], seconds: float
) -> Iterator[Finding]:
    """Take out of the moment what has not come to rest, with all that it hangs together with; says so."""
    owners = {binding.body.name: binding.object for binding in reading.bodies}
    scale = {owners[name]: math.sqrt(STANDARD_GRAVITY * length) for name, length in lengths.items()}
    speed = {owners[name]: value for name, value in speeds.items()}
    left: set[bpy.types.Object] = set()
    together = {body: linkage for linkage in find_linkages(reading.scene) for body in linkage.bodies}
    for owner in sorted(speed, key=lambda owner: -speed[owner] / scale[owner]):
        if owner in left or speed[owner] < STILL * scale[owner]:
            continue
        how_fast = f"after {seconds:.0f} s it still moves at {speed[owner]:.2g} m/s"
        if speed[owner] < MOVING * scale[owner]:
            yield Finding(owner, f"is not quite at rest: {how_fast}. Settle again lets it go on")
            continue
        linkage = together.get(owner)
        bodies, ties = ({owner}, []) if linkage is None else (linkage.bodies, linkage.ties)
        left |= bodies
        for body in bodies:
            moment.velocities.pop(body, None)
            moment.poses.pop(body, None)
        for tie in ties:
            moment.coordinates.pop(tie, None)
        more = f", with {len(bodies) - 1} more that hang on it" if len(bodies) > 1 else ""
        yield Finding(
            owner, f"does not come to rest, because it falls or is driven: {how_fast}. It is left where it was{more}"
        )
