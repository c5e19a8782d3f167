# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's and Euler's laws of all bodies and the rows of ball joints, in one sparse system.

Every engine's accelerations are judged by these. For each joint a + spin' x r + spin x (spin x r) is the same on both
sides, with r from the body's centre of mass to the joint.
"""

import numpy as np
from scipy.sparse import block_diag, bmat, lil_matrix
from scipy.sparse.linalg import splu

from solver.mechanism import Mechanism
from solver.model.poses import rotation_matrices


def exact_accelerations(mechanism: Mechanism) -> np.ndarray:
    """(B, 6) angular, then linear of the bodies' centres of mass (their origins), world axes. Ball joints only."""
    bodies, number = mechanism.bodies, {body.name: i for i, body in enumerate(mechanism.bodies)}
    turns = rotation_matrices([body.orientation for body in bodies])
    masses, loads = [], np.zeros((len(bodies), 6))
    for i, (body, turn) in enumerate(zip(bodies, turns, strict=True)):
        inertia, spin = turn @ np.diag(body.inertia) @ turn.T, np.array(body.angular_velocity)
        masses += [inertia, body.mass * np.eye(3)]
        loads[i] = *-np.cross(spin, inertia @ spin), *(body.mass * np.array(mechanism.gravity))
    rows = lil_matrix((3 * len(mechanism.joints), loads.size))
    wanted = np.zeros((len(mechanism.joints), 3))
    for k, joint in enumerate(mechanism.joints):
        for name, sign in ((joint.parent, -1.0), (joint.child, 1.0)):
            if name is None:
                continue
            i = number[name]
            r, spin = np.array(joint.position) - bodies[i].position, np.array(bodies[i].angular_velocity)
            rows[3 * k : 3 * k + 3, 6 * i : 6 * i + 6] = np.hstack([-sign * _cross_matrix(r), sign * np.eye(3)])
            wanted[k] -= sign * np.cross(spin, np.cross(spin, r))
    system = bmat([[block_diag(masses), rows.T], [rows, None]], format="csc")
    asked = np.concatenate([loads.ravel(), wanted.ravel()])
    factors = splu(system)
    found = factors.solve(asked)
    found += factors.solve(asked - system @ found)  # one refinement
    return found[: loads.size].reshape(loads.shape)


def _cross_matrix(r: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
