# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ties of a random mechanism are independent, from the motions that its tree allows."""

import numpy as np

from tests.solver.dynamics.loops.maximal import MaximalState
from tests.solver.dynamics.loops.maximal_ties import TieState
from tests.solver.dynamics.tree.long_doubles import ONE, ZERO, blocks, skew

LEAST = 0.05  # singular value of unit rows that a tie must add
NOTHING = 1e-10  # below this it adds nothing


class Independence:
    """Takes ties one by one as long as each row adds something, or, if it may be redundant, clearly nothing.

    state: of the whole mechanism; its first `tree` joints are a forest, each after its inner ones.
    """

    def __init__(self, state: MaximalState, tree: int, redundant: bool) -> None:
        self.state, self.redundant = state, redundant
        dynamic = [body.name for body in state.mechanism.bodies if body.motion == "dynamic"]
        self.rows = {name: slice(6 * k, 6 * k + 6) for k, name in enumerate(dynamic)}
        self.allowed = np.linalg.qr(self._motions(tree))[0]  # (6 n, D) orthonormal
        self.taken = np.zeros((0, self.allowed.shape[1]))

    def takes(self, tie: TieState) -> bool:
        """True if the tie is taken."""
        rows = self._effect(tie) @ self.allowed
        left = rows - (rows @ self.taken.T) @ self.taken
        _, values, directions = np.linalg.svd(left, full_matrices=False)
        values = np.concatenate([values, np.zeros(len(rows) - len(values))])
        adds = values > LEAST
        if not np.all(adds | (self.redundant & (values < NOTHING))):
            return False
        self.taken = np.linalg.qr(np.vstack([self.taken, directions[adds[: len(directions)]]]).T)[0].T
        return True

    def takes_joint(self, j: int) -> bool:
        """The same for a joint: its rows are what its coordinates leave."""
        joint, now = self.state.mechanism.joints[j], self.state.joints[j]
        free = np.hstack([now.travels, now.turns]).astype(float)
        held = np.linalg.svd(free)[2][len(free) :] if len(free) else np.eye(6)
        return self.takes(TieState((joint.child, joint.parent), (now.origin,) * 2, held, np.zeros(len(held)), 0.0, 0.0))

    def _effect(self, tie: TieState) -> np.ndarray:
        """(r, 6 n): the tie's rows on all velocities, of unit length."""
        result = np.zeros((len(tie.rows), 6 * len(self.rows)))
        for name, point, sign in zip(tie.bodies, tie.points, (1, -1), strict=True):
            if name in self.rows:
                rho = point - self.state.state_of(name).center
                result[:, self.rows[name]] = sign * tie.rows @ blocks(-skew(rho), ONE, ONE, ZERO)
        return result / np.linalg.norm(result, axis=1, keepdims=True)

    def _motions(self, tree: int) -> np.ndarray:
        """(6 n, D): velocities of all bodies (angular, linear of the centre) per speed of the tree."""
        beyond = {name: [name] for name in self.rows}
        roots, moves = set(self.rows), []
        joints = list(zip(self.state.mechanism.joints[:tree], self.state.joints, strict=False))
        ends = [self._outward(joint) for joint, _ in joints]
        for inner, outer in reversed(ends):
            roots.discard(outer)
            if inner in beyond:
                beyond[inner] += beyond[outer]
        for (_, now), (_, outer) in zip(joints, ends, strict=True):
            for w, v in zip(now.turns, now.travels, strict=True):
                moves.append((beyond[outer], w, v, now.origin))
        for root in sorted(roots):
            center = self.state.state_of(root).center
            moves += [(beyond[root], w, v, center) for w, v in zip([*ONE, *ZERO], [*ZERO, *ONE], strict=True)]
        result = np.zeros((6 * len(self.rows), len(moves)))
        for k, (names, w, v, origin) in enumerate(moves):
            for name in names:
                linear = v + np.cross(w, self.state.state_of(name).center - origin)
                result[self.rows[name], k] = np.concatenate([w, linear])
        return result

    def _outward(self, joint) -> tuple[str | None, str]:
        """(inner, outer) body: bodies are numbered from the roots outward."""
        ends = (joint.parent, joint.child)
        return ends if self._number(ends[0]) < self._number(ends[1]) else ends[::-1]

    def _number(self, name: str | None) -> int:
        return int(name.split()[1]) if name in self.rows else -1
