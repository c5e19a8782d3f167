# SPDX-License-Identifier: GPL-3.0-or-later
"""Assembly as an animation: parts fly together on critically damped courses and come to rest in place.

Barzel and Barr (1988), in the thesis (Schroeder 1990, eq. 5.3): from rest, every open tie C closes by
    C'' + 2/tau C' + C/tau^2 = 0,   so C = C0 (1 + t/tau) exp(-t/tau),   C' = -s' C with s = t/tau - log(1 + t/tau).
Of all motions that do so, the bodies take the smallest in the metric of mass and inertia, as where friction outweighs
inertia (thesis, eq. 5.7): with the Jacobian J, v = -s' J^+ C. Nothing then swings on by its own inertia, as it would
with forces (eq. 5.12), and the parts come to rest together. In s this is the flow whose big steps are
Gauss-Newton's.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from ..assembly.bring_together import Assembly, OpenConnection
from ..assembly.gauss_newton import TOGETHER, Solver
from ..assembly.placement import Poses
from ..assembly.system import LinearProblem, Linkage
from ..mechanism import Mechanism
from .run_limits import count_frames, refuse_frames_of, refuse_number
from .simulation import Progress

TIME_CONSTANTS = 9.0  # in the whole flight: a thousandth of the way is left then, and eased in
_LONGEST = 0.25  # step of s
_LARGEST_TURN = 0.25  # rad of a body in a step: what is faster gets shorter steps ...
_MOST_STEPS = 6  # ... but no more than this in a frame, and is then held back, so that dead points throw nothing about
_DAMPING = 3e-2  # of the motions, against the root of the sum of squares


class FlyTogether:
    """The flight of a mechanism's loose parts; parameters and errors as for `Assembly`.

    duration: s, and frame_rate: frames per second, the first frame at 0 s where all stands as given, the last one
    assembled. Raises RunError if they are not positive numbers, or too large. After `run`: times (F,), positions
    (F, B, 3) and orientations (F, B, 4) of the bodies in the mechanism's order, open, and mechanism as `Assembly` has
    them.
    """

    def __init__(
        self, mechanism: Mechanism, duration: float, frame_rate: float = 24.0, child_frames: Mapping | None = None
    ) -> None:
        for name, value in (("duration", duration), ("frame_rate", frame_rate)):
            refuse_number(name, value)
        frames = count_frames(duration, frame_rate)
        refuse_frames_of(mechanism, frames)
        self._assembly = Assembly(mechanism, child_frames)
        self.times = np.arange(frames) / frame_rate
        self.body_names = [body.name for body in mechanism.bodies]
        self.time_constant = max(float(self.times[-1]), 1e-300) / TIME_CONSTANTS
        self.open: list[OpenConnection] = []
        self._frames: list[Poses] | None = None

    @property
    def mechanism(self) -> Mechanism:
        """The assembled mechanism, as in the last frame. Raises RuntimeError before `run` has come to its end."""
        return self._assembly.mechanism

    @property
    def positions(self) -> np.ndarray:
        """(F, B, 3) m. Raises RuntimeError before `run` has come to its end."""
        return np.array([poses.position[:-1] for poses in self._finished()])

    @property
    def orientations(self) -> np.ndarray:
        """(F, B, 4), without jumps of sign. Raises RuntimeError before `run` has come to its end."""
        turns = np.array([poses.orientation[:-1] for poses in self._finished()])
        flips = np.where(np.sum(turns[1:] * turns[:-1], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
        turns[1:] *= np.cumprod(flips, axis=0)
        return turns

    def _finished(self) -> list[Poses]:
        if self._frames is None:
            raise RuntimeError("the flight has not run to its end")
        return self._frames

    def run(self) -> Iterator[Progress]:
        """Flies, a step between two yields; once it has run, it does nothing."""
        if self._frames is not None:
            return
        start = self._assembly.start
        frames = [Poses(start.position.copy(), start.orientation.copy()) for _ in self.times]
        moving = [linkage for linkage in self._assembly.linkages if Solver(linkage, start).is_open]
        for number, linkage in enumerate(moving):
            trial = Solver(linkage.anew(start), start)
            for _ in trial.run():
                yield Progress(0.0, number / len(moving), 0)
            flight = _Flight(linkage, start, self.time_constant, heeds_pull=trial.error > TOGETHER)
            course = [start]
            for k in range(1, len(self.times)):
                for _ in flight.advance(self.times[k] - self.times[k - 1]):
                    share = (number + (k - 1) / len(self.times)) / len(moving)
                    yield Progress(float(self.times[k - 1]), share, k)
                course.append(flight.poses)
            for _ in self._land(linkage, course, trial):
                yield Progress(float(self.times[-1]), (number + 1) / len(moving), len(self.times))
            for frame, poses in zip(frames, course, strict=True):
                frame.position[linkage.moved] = poses.position[linkage.moved]
                frame.orientation[linkage.moved] = poses.orientation[linkage.moved]
        self._assembly.finish(frames[-1])
        self.open = self._assembly.open
        self._frames = frames

    def _land(self, linkage: Linkage, course: list[Poses], trial: Solver) -> Iterator[float]:
        """Eases into the course what its end lacks; the start stands, and the end is at rest.

        trial: what assembly reached straight from the start; it counts if the course has led to a worse end.
        """
        solver = Solver(linkage, course[-1])
        yield from solver.run()
        if solver.error > max(TOGETHER, 0.999 * trial.error):
            solver = trial
        lack = linkage.way(course[-1], solver.poses)
        for k, poses in enumerate(course):
            s = k / max(len(course) - 1, 1)
            course[k] = linkage.moved_by(poses, s**3 * (10.0 - s * (15.0 - 6.0 * s)) * lack)
        course[-1] = solver.poses


def fly_together(
    mechanism: Mechanism, duration: float, frame_rate: float = 24.0, child_frames: Mapping | None = None
) -> FlyTogether:
    """The whole flight; see `FlyTogether`, whose `run` says how far it is. Raises MechanismError, ValueError."""
    flight = FlyTogether(mechanism, duration, frame_rate, child_frames)
    for _ in flight.run():
        pass
    return flight


class _Flight:
    """One linkage on its course."""

    def __init__(self, linkage: Linkage, poses: Poses, time_constant: float, heeds_pull: bool) -> None:
        self._linkage, self.poses, self._tau, self._heeds_pull = linkage, poses, time_constant, heeds_pull
        self._time = 0.0

    def advance(self, duration: float) -> Iterator[None]:
        """Steps of s over a duration (s), each with the direction at its middle; exact where C is linear."""
        begin, end = (x - np.log1p(x) for x in (self._time / self._tau, (self._time + duration) / self._tau))
        self._time += duration
        left = end - begin
        while left > 1e-12:
            way = self._way(self.poses)
            calm = _LARGEST_TURN / max(float(np.abs(way[:, :3]).max(initial=0.0)), 1e-300)
            step = min(left, _LONGEST, max(calm, (end - begin) / _MOST_STEPS))
            half = -np.expm1(-0.5 * step)
            way = self._way(self._moved(half * way)) / (1.0 - half)  # from the step's start, where more was open
            self.poses = self._moved(-np.expm1(-step) * way)
            self._linkage.connections.follow(self._linkage.connections.sight(self.poses))
            left -= step
            yield

    def _moved(self, motion: np.ndarray) -> Poses:
        turn = float(np.abs(motion[:, :3]).max(initial=0.0))
        return self._linkage.moved_by(self.poses, motion * min(1.0, _LARGEST_TURN / max(turn, 1e-300)))

    def _way(self, poses: Poses) -> np.ndarray:
        """-J^+ C: the smallest motion that would close everything, were it linear.

        Where not all can be closed, the pull of the open ties has its say, or the parts would tremble under it.
        """
        linkage = self._linkage
        sight = linkage.connections.sight(poses)
        evaluated = linkage.connections.evaluate(sight)
        residual = linkage.scaled(evaluated.residual)
        matrix = linkage.matrix(evaluated, sight, poses).multiply(evaluated.is_active[:, None]).tocsr()
        damping = max(1e-8, _DAMPING * min(1.0, float(np.linalg.norm(residual))))
        weights = evaluated.is_active.astype(float)
        stiffness = linkage.stiffness(evaluated, sight, weights, poses) if self._heeds_pull else None
        return linkage.motion(LinearProblem(matrix, -residual, stiffness).step(damping), poses)
