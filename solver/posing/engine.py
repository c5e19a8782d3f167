# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing of one linkage: its arrays, what is pulled, and steps."""

from collections.abc import Sequence

import numpy as np

from ..dynamics.tree.driven import update_driven_bodies
from ..dynamics.tree.kinematics import update_kinematics
from ..kernel import entry
from ..model.arrays import new_scratch
from ..model.compilation import Compiled
from ..rotation import quaternion_of_matrix
from ..spatial import load3, load9, multiply, rotate, subtract
from .accelerations import JOINTS
from .arrays import BODY_FORCE, PULL, TARGET
from .build import new_queue, posing_linkage
from .joint_coordinates import kernel_poses, take_poses
from .steps import fill_all, place_points, release, run_steps

_ROUNDING = 1e-12  # of places, by which they may err


class Engine:
    """One linkage that holds together by nothing but the joints of its trees."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.model, self.state = compiled, compiled.model, compiled.state
        self._scratch = new_scratch(self.model)
        self._own = np.ascontiguousarray(compiled.own_rotation.reshape(-1, 9))
        driven, bodies = self.model.driven, self._scratch.bodies
        self._place_all()
        rotation, center = np.array(bodies.rotation[:driven]), np.array(bodies.center[:driven])
        self.linkage = posing_linkage(self.model, self.state, rotation, center)
        self.queue = new_queue(self.linkage)
        self.pulls, self._marked = np.zeros(0, PULL).view(np.recarray), 0
        self._response: np.ndarray | None = None
        self._turn = np.inf  # by how much a joint may turn in the next step towards places
        fill_all(self.linkage, self.queue)

    @property
    def solved(self) -> int:
        """Number of joints that the last step has computed."""
        return int(self.queue.count[JOINTS])

    @property
    def bound(self) -> float:
        """A bound on the error of the last step's accelerations, by the measure that was asked for."""
        return float(self.queue.size[2])

    def set_pulls(self, pulls: np.recarray) -> None:
        """PULL records, in place of those before; those of a body are from its centre of mass, along its axes."""
        if len(self.pulls):
            release(self.linkage, self.queue, self.pulls, self._marked)
        self.pulls, self._response, self._turn = self._from_links(pulls), None, np.inf
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

    def approach(self, measure: int, error: float, largest_turn: float, count: int) -> int:
        """Steps that bring pulled points to their places; returns how many joints were computed.

        A force f on the points accelerates them by A f, and A f = d takes them the way d that is left, in one step and
        to first order. Its inverse is learnt from the steps: H d is the force, and what it did, joints left alone
        included, corrects H (the formula of Broyden, Fletcher, Goldfarb and Shanno; A is symmetric and positive). Where
        H leads nowhere, it begins anew. How far joints may turn follows from how much of what was expected of the last
        step it has brought (trust region: Nocedal, Wright, Numerical Optimization, algorithm 4.1).
        """
        is_target, solved = np.flatnonzero(self.pulls.kind == TARGET), 0
        if not len(is_target):
            return 0
        acting = self.pulls.copy()
        acting.force, acting.moment = 0.0, 0.0
        weight = np.repeat(self.pulls.strength[is_target], 3)
        targets = self.pulls.target[is_target].ravel()
        places = self.place_pulled()[is_target].ravel()
        for _ in range(count):
            if self._response is None:
                self._response = np.diag(weight)
            force = self._response @ (targets - places)
            acting.force[is_target] = force.reshape(-1, 3)
            self._turn = min(self._turn, largest_turn)
            solved += self._run(acting, measure, error, 0.0, self._turn, 1)
            before, places = places, self.place_pulled()[is_target].ravel()
            gain, expected, turn = self.queue.size[3:]
            left = weight @ np.abs(targets - before)
            if gain > 0.0 and expected <= _ROUNDING * left * np.abs(places).max():
                break  # nothing can be learnt from what may be rounding
            if gain > 0.0:
                brought = weight @ ((targets - before) ** 2 - (targets - places) ** 2)
                if brought < 0.25 * expected:
                    self._turn = 0.25 * turn
                elif brought > 0.75 * expected and turn > 0.99 * self._turn:
                    self._turn *= 2.0
                self._learn(force, (places - before) / gain)
            elif np.any(self._response != np.diag(weight)):
                self._response = None
            else:
                break
        return solved

    def _learn(self, force: np.ndarray, answer: np.ndarray) -> None:
        work = force @ answer
        if work > 1e-6 * np.linalg.norm(force) * np.linalg.norm(answer):
            change = np.eye(len(force)) - np.outer(force, answer) / work
            self._response = change @ self._response @ change.T + np.outer(force, force) / work

    def advance(self, measure: int, error: float, gain: float, count: int) -> int:
        """Steps in which pushes act, and accelerations are multiplied by `gain` (s2); returns as `approach`."""
        acting = self.pulls.copy()
        acting.force[acting.kind == TARGET] = 0.0
        return self._run(acting, measure, error, gain, 0.0, count)

    def _run(self, pulls: np.recarray, measure: int, error: float, gain: float, largest_turn: float, count: int) -> int:
        queue, marked = self.queue, self._marked
        return run_steps(self.linkage, queue, pulls, marked, measure, error, gain, largest_turn, count)

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
        _write_poses(self._scratch.bodies, self.model.driven, self._own, self.compiled.center_of_mass,
                     positions, orientations)  # fmt: skip
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


@entry
def _write_poses(moving, driven, own, center_of_mass, positions, orientations):
    for i in range(len(positions)):
        R = multiply(load9(moving[driven + i].rotation), load9(own[i]))
        x = subtract(load3(moving[driven + i].center), rotate(R, load3(center_of_mass[i])))
        q = quaternion_of_matrix(R)
        positions[i, 0], positions[i, 1], positions[i, 2] = x
        orientations[i, 0], orientations[i, 1], orientations[i, 2], orientations[i, 3] = q


def new_pulls(rows: Sequence[tuple]) -> np.recarray:
    """PULL records."""
    return np.array(rows, PULL).view(np.recarray)
