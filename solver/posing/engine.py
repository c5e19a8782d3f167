# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing of one linkage: its arrays, what is pulled, and steps."""

import time
from collections.abc import Sequence

import numpy as np

from ..dynamics.tree.driven import update_driven_bodies
from ..dynamics.tree.kinematics import update_kinematics
from ..kernel import entry
from ..kinematics.steps import write_poses
from ..model.arrays import new_scratch
from ..model.linkage.compilation import Compiled
from .approach import Accuracy, Approach
from .arrays import BODY_FORCE, PULL, TARGET
from .build import new_queue, posing_linkage
from .joint_coordinates import kernel_poses, take_poses
from .leaves import grain_of
from .steps import fill_all, place_points, release, respond, run_steps

_STILL = 1e-300  # s2: what moves nothing
_FIRST, _MORE = 256, 4.0  # joints that are tried in a time that is given, and how many times more in the next step
_SLOWER = 1.3  # by how much more than before a joint may have taken


class Engine:
    """One linkage that holds together by nothing but the joints of its trees."""

    def __init__(self, compiled: Compiled, grain: int | None = None) -> None:
        """grain: the most bodies whose joints are computed all or none; None: as suits the size."""
        self.compiled, self.model, self.state = compiled, compiled.model, compiled.state
        self._scratch = new_scratch(self.model)
        self._own = np.ascontiguousarray(compiled.own_rotation.reshape(-1, 9))
        driven, bodies = self.model.driven, self._scratch.bodies
        self._place_all()
        rotation, center = np.array(bodies.rotation[:driven]), np.array(bodies.center[:driven])
        grain = grain_of(self.model) if grain is None else grain
        self.linkage = posing_linkage(self.model, self.state, rotation, center, grain)
        self.time_budget = 0.0  # s that a step may take; 0: as long as its error asks for
        self._pace, self._before = np.inf, 0  # s a joint; joints of the last step
        self.queue = new_queue(self.linkage)
        self.pulls, self._marked = np.zeros(0, PULL).view(np.recarray), 0
        self._approach = Approach(self)
        fill_all(self.linkage, self.queue)

    @property
    def solved(self) -> int:
        """Number of joints that the last step has computed."""
        return int(self.queue.last.joints[0])

    @property
    def bound(self) -> float:
        """A bound on the error of the last step's accelerations, by the measure that was asked for.

        Above what was asked for only if there was no time.
        """
        return float(self.queue.last.bound[0])

    def set_pulls(self, pulls: np.recarray) -> None:
        """PULL records, in place of those before; those of a body are from its centre of mass, along its axes."""
        if len(self.pulls):
            release(self.linkage, self.queue, self.pulls, self._marked)
        self.pulls = self._from_links(pulls)
        self._approach = Approach(self)
        ways, parent = set(self.linkage.bases.tolist()), self.linkage.nodes.parent
        for body in pulls.body.tolist():
            i = int(self.linkage.node_of[body])
            while i >= 0 and i not in ways:
                ways.add(i)
                i = int(parent[i])
        marked = sorted(ways, reverse=True) if len(pulls) else []
        self.queue.is_marked[:] = False
        self.queue.is_marked[marked] = True
        self.queue.marked[: len(marked)] = marked
        self._marked = len(marked)

    def approach(self, accuracy: Accuracy, count: int) -> int:
        """Steps that bring pulled points to their places; returns how many joints were computed."""
        return self._approach.steps(accuracy, count)

    def step(self, pulls: np.recarray, accuracy: Accuracy, largest_turn: float) -> int:
        """One step by the forces of these pulls, as far as it brings pulled points nearer to their places."""
        return self._run(pulls, accuracy.measure, accuracy.error, 0.0, largest_turn, 1)

    def turn_by(self, pulls: np.recarray, accuracy: Accuracy, turn: float) -> int:
        """One step by the forces of these pulls in which the fastest joint turns by `turn`."""
        still, (measure, error, _) = self.coordinates(), accuracy
        solved = self._run(pulls, measure, error, _STILL, 0.0, 1)
        fastest = float(np.sqrt(self.queue.last.largest[0]))
        self.set_coordinates(still)
        return solved + (self._run(pulls, measure, error, turn / fastest, 0.0, 1) if fastest > 0.0 else 0)

    def answers(self, pulls: np.recarray, numbers: np.ndarray) -> np.ndarray:
        """(3 n, 3 n) m/s2: accelerations of some pulled points by forces of 1 N on each of them."""
        found, chosen = np.zeros((3 * len(numbers), 3 * len(numbers))), pulls[numbers].copy()
        chosen.force = chosen.moment = 0.0
        respond(self.linkage, self.queue, chosen, self._marked, found)
        return 0.5 * (found + found.T)

    def advance(self, measure: int, error: float, gain: float, count: int) -> int:
        """Steps in which pushes act, and accelerations are multiplied by `gain` (s2); returns as `approach`."""
        acting = self.pulls.copy()
        acting.force[acting.kind == TARGET] = 0.0
        return self._run(acting, measure, error, gain, 0.0, count)

    def _run(self, pulls: np.recarray, measure: int, error: float, gain: float, largest_turn: float, count: int) -> int:
        queue, marked = self.queue, self._marked
        if not self.time_budget:
            all_ = len(self.model.bodies)
            return run_steps(self.linkage, queue, pulls, marked, measure, error, all_, gain, largest_turn, count)
        total = 0
        for _ in range(count):
            began, most = time.perf_counter(), self._affordable()
            joints = run_steps(self.linkage, queue, pulls, marked, measure, error, most, gain, largest_turn, 1)
            self._afford(joints, time.perf_counter() - began)
            total += joints
        return total

    def _afford(self, joints: int, seconds: float) -> None:
        """Learns what a joint takes: a step computes its own, and puts together those of the last one.

        One that takes long for once, as when others use the machine, counts for little.
        """
        handled = 0.5 * (self._before + joints) if self._before else joints
        pace = seconds / max(1.0, handled)
        self._pace, self._before = min(pace, _SLOWER * self._pace), joints

    def _affordable(self) -> int:
        """The number of joints that there is time for in the next step."""
        if not self._before:
            return _FIRST
        return max(1, int(min(self.time_budget / self._pace, _MORE * max(self._before, _FIRST))))

    def _from_links(self, pulls: np.recarray) -> np.recarray:
        pulls, frames = pulls.copy(), self.linkage.frames[pulls.body]
        back = frames.rotation.reshape(-1, 3, 3).swapaxes(1, 2)
        along_body = pulls.kind == BODY_FORCE
        pulls.point = np.einsum("nij,nj->ni", back, pulls.point - frames.point)
        pulls.force[along_body] = np.einsum("nij,nj->ni", back, pulls.force)[along_body]
        pulls.moment[along_body] = np.einsum("nij,nj->ni", back, pulls.moment)[along_body]
        return pulls

    def place_pulled(self) -> np.ndarray:
        """(n, 3) m: where the pulled points are."""
        places = np.zeros((len(self.pulls), 3))
        place_points(self.linkage, self.queue, self.pulls, self._marked, places)
        return places

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, 3) positions (m) and (n, 4) orientations of all dynamic bodies' frames, O(n)."""
        self._place_all()
        count = len(self.model.bodies) - self.model.driven
        positions, orientations = np.empty((count, 3)), np.empty((count, 4))
        own, center = self._own, self.compiled.center_of_mass
        write_poses(self._scratch.bodies, self.model.driven, own, center, positions, orientations)
        return positions, orientations

    def take(self, position: np.ndarray, orientation: np.ndarray) -> None:
        """Turns the joints as these poses (n, 3) and (n, 4) of all dynamic bodies' frames have them, O(n)."""
        driven, bodies = self.model.driven, self._scratch.bodies
        rotation, center = np.array(bodies.rotation).reshape(-1, 3, 3), np.array(bodies.center)
        own, center_of_mass = self.compiled.own_rotation, self.compiled.center_of_mass
        rotation[driven:], center[driven:] = kernel_poses(own, center_of_mass, position, orientation)
        take_poses(self.model, self.state, rotation, center)
        fill_all(self.linkage, self.queue)

    def coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """A copy of the joints' coordinates and of the rotations from which charts count."""
        return self.state.coordinates.copy(), self.state.anchor.copy()

    def set_coordinates(self, coordinates: tuple[np.ndarray, np.ndarray]) -> None:
        """Puts all joints to coordinates that `coordinates` has given, O(n)."""
        self.state.coordinates[:], self.state.anchor[:] = coordinates
        fill_all(self.linkage, self.queue)

    def _place_all(self) -> None:
        _place(self.model, self.state, self._scratch)


@entry
def _place(model, state, scratch):
    update_driven_bodies(model, 0.0, scratch)
    update_kinematics(model, state, scratch)


def new_pulls(rows: Sequence[tuple]) -> np.recarray:
    """PULL records."""
    return np.array(rows, PULL).view(np.recarray)
