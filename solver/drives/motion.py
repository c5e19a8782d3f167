# SPDX-License-Identifier: GPL-3.0-or-later
"""The given motion: bodies with keys move as keyed, and what hangs on them as a simulation finds.

A body leads if it has keys and weighs something: one that follows, or a keyed one with a mass. In the simulation it is
keyed, so that it is met exactly; the accelerations of the others are evaluated anew at each frame, with the modes of
friction and gaps that they were in. F frames, B bodies; world axes, SI units.
"""

import dataclasses
from collections.abc import Generator, Iterator

import numpy as np

from ..assembly.reach import end_of_keys
from ..integration.motion.observation import Frames, new_frames, write_now
from ..mechanism import Body, Mechanism
from ..mechanism.error import refuse
from ..mechanism.keyed_motion import sample_with_accelerations
from ..mechanism.messages import Message
from ..model.arrays import LAGRANGE, Scratch, State, new_scratch
from ..model.linkage.compilation import Compiled, compile_linkage
from ..model.poses import rotation_matrices, turned
from ..model.topology import constraint_bodies, counted_joints, force_bodies
from ..simulation.catching.courses import carry_courses
from ..simulation.catching.holding import at_work
from ..simulation.linkage_run import LinkageRun
from ..simulation.recording_assembly import BodiesMotion, cross
from ..simulation.simulation import Progress, Simulation


def leads(body: Body) -> bool:
    """True if a body has keys that drives are to follow: the efforts depend on its mass."""
    return body.keys is not None and (body.motion == "dynamic" or (body.mass is not None and body.inertia is not None))


def end_of_leading(mechanism: Mechanism) -> float:
    """s: up to which something is keyed or led, bodies that follow included."""
    ends = [body.keys.times[-1] for body in mechanism.bodies if leads(body) and len(body.keys.times)]
    return max([*ends, end_of_keys(mechanism)])


def led_mechanism(mechanism: Mechanism) -> Mechanism:
    """The mechanism with its leading bodies keyed, without what then moves nothing; raises for a coupling between."""
    bodies = [
        dataclasses.replace(body, motion="keyed", follow=None, released=False) if leads(body) else body
        for body in mechanism.bodies
    ]
    moving = {body.name for body in bodies if body.motion == "dynamic"}
    joints = [joint for joint in mechanism.joints if {joint.parent, joint.child} & moving]
    present, constraints, torn = {joint.name for joint in joints}, [], []
    for constraint in mechanism.constraints:
        if not moving & set(constraint_bodies(mechanism, constraint)):
            continue
        constraints.append(constraint)
        for joint in counted_joints(mechanism, constraint):
            if joint.name not in present:
                torn.append(Message("torques-coupling", ("constraint", constraint.name), joint=joint.name))
    refuse(torn)
    forces = [force for force in mechanism.forces if set(force_bodies(force)) & moving]
    parts = {"bodies": bodies, "joints": joints, "constraints": constraints, "forces": forces}
    return dataclasses.replace(mechanism, **parts, contact=None)


class LedSimulation(Simulation):
    """A simulation that hands over its runs, so that their frames can be evaluated anew."""

    def run(self) -> Generator[Progress, None, list[LinkageRun]]:
        """Simulates, a few milliseconds between two yields, and returns the runs. Raises SimulationFailed."""
        for _ in self.warm_up():
            yield Progress(0.0, 0.0, 0)
        timeline = self.start()
        self._recording = yield from self._run(timeline)
        return timeline.all_runs


def led_motion(
    mechanism: Mechanism, duration: float, frame_rate: float, relative: float
) -> Generator[float, None, tuple[BodiesMotion, np.ndarray, list[str]]]:
    """Yields how far it is (0 to 1); returns the motion with accelerations, its times (F,) in s, and notes.

    Raises MechanismError, SimulationFailed and RunError.
    """
    simulation = LedSimulation(led_mechanism(mechanism), duration, frame_rate, relative)
    steps = simulation.run()
    runs: list[LinkageRun] = []
    while True:
        try:
            yield 0.5 * next(steps).fraction
        except StopIteration as end:
            runs = end.value
            break
    found, times = simulation.recording, simulation.times
    speeding, turning = np.zeros((2, *found.position.shape))
    for i, body in enumerate(simulation.mechanism.bodies):
        if body.motion == "keyed":
            *_, turning[:, i], speeding[:, i] = sample_with_accelerations(body.keys, times)
    for number, run in enumerate(runs):
        for frame, acceleration in _accelerations(at_work(simulation.mechanism), run, times):
            _put(run.compiled, found, frame, acceleration, speeding, turning)
            yield 0.5 + 0.5 * (number + frame / len(times)) / len(runs)
    motion = BodiesMotion(
        mechanism, found.position, found.orientation, found.linear_velocity, found.angular_velocity, speeding, turning
    )
    return motion, times, found.notes


def _accelerations(mechanism: Mechanism, run: LinkageRun, times: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """(frame, (n, 6)) turn and centre of mass of each dynamic body, by the frames of a run."""
    lagrange = compile_linkage(mechanism, run.compiled.linkage, LAGRANGE)
    model, moving = lagrange.model, run.compiled.model.closures
    model.closures.curve_first[: len(moving)] = moving.curve_first
    model.closures.gives_way[: len(moving)] = moving.gives_way
    carry_courses(run.compiled.model, model)
    axes, scratch, room = len(model.armature), new_scratch(model), new_frames(model, 1)
    state = State(np.zeros(axes), np.zeros(axes), np.zeros_like(lagrange.state.anchor))
    turns = [model.bodies.axis_end[i] - 3 + k for i in model.charted for k in range(3)]
    for frame, time in enumerate(times):
        state.coordinates[:], state.speeds[:] = run.frames.coordinates[frame], run.frames.speeds[frame]
        state.coordinates[turns], state.anchor[:] = 0.0, run.frames.chart[frame]
        _enter_modes(run.frames, frame, scratch)
        write_now(model, scratch, state, time, np.zeros(2 * axes), room)
        yield frame, scratch.bodies.acceleration[model.driven :]


def _enter_modes(frames: Frames, frame: int, scratch: Scratch) -> None:
    """Puts the modes of a frame back into effect (`integration.motion.observation.read_modes`)."""
    hold, friction, motor = frames.switches[frame].T
    scratch.switches.hold, scratch.switches.friction, scratch.switches.motor = hold, friction, motor
    scratch.closed[:] = frames.closed[frame]


def _put(compiled: Compiled, found, frame: int, acceleration: np.ndarray, speeding, turning) -> None:
    """From centres of mass to the origins of the bodies' frames."""
    whole = slice(compiled.linkage.whole)
    bodies = compiled.linkage.bodies[whole]
    turn, w = acceleration[whole, :3], found.angular_velocity[frame, bodies]
    arm = turned(rotation_matrices(found.orientation[frame, bodies]), compiled.center_of_mass[whole])
    turning[frame, bodies] = turn
    speeding[frame, bodies] = acceleration[whole, 3:] - cross(turn, arm) - cross(w, cross(w, arm))
