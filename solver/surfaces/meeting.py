# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of the point at which two surfaces meet over both of them: Montana's contact equations.

Surface A is the parent's, B the child's. Their frames at the point have opposite normals, and are turned against each
other by psi:
    R_B = R_A C_A M C_B^T,   M = [cos psi, -sin psi, 0; -sin psi, -cos psi, 0; 0, 0, -1]
(Pai, Ascher, Kry 2000, section 6). With the velocity v and angular velocity w of B relative to A at the point, along
C_A, and Kb = M K_B M, the point runs over A with the velocity c, over B with c - v, where
    (K_A + Kb) c = w x n + Kb v,   psi' = T_A . c + T_B . M (c - v) - w_n
(Montana 1988, eqs. 28 to 31, for surfaces whose parameter lines need not be at right angles).
"""

import math

from ..kernel import kernel
from ..spatial import multiply, transpose
from .surface import parameter_rates


@kernel
def turn_between(C_A, C_B, psi):
    """The rotation that takes B's axes to A's."""
    c, s = math.cos(psi), math.sin(psi)
    return multiply(multiply(C_A, (c, -s, 0.0, -s, -c, 0.0, 0.0, 0.0, -1.0)), transpose(C_B))


@kernel
def turned_curvature(K, psi):
    """M K M: a curvature of B along A's frame."""
    c, s = math.cos(psi), math.sin(psi)
    cross = 2.0 * c * s * K[1]
    return (
        c * c * K[0] - cross + s * s * K[2],
        c * s * (K[2] - K[0]) + (s * s - c * c) * K[1],
        s * s * K[0] + cross + c * c * K[2],
    )


@kernel
def smallest_curvature(K_A, Kb):
    """The smaller eigenvalue of K_A + Kb (1/m): below zero the surfaces cut into each other beside the point."""
    xx, xy, yy = K_A[0] + Kb[0], K_A[1] + Kb[1], K_A[2] + Kb[2]
    return 0.5 * (xx + yy) - math.hypot(0.5 * (xx - yy), xy)


@kernel
def meet(A, B, psi, v, w):
    """(rates of u_A, v_A, u_B, v_B, psi; c; angular velocity of C_A relative to A; smallest curvature).

    A and B are what `frame_of` says; v (x, y), w (x, y, n), c and the angular velocity are along C_A.
    """
    _, _, J_A, K_A, T_A = A
    _, _, J_B, K_B, T_B = B
    Kb = turned_curvature(K_B, psi)
    xx, xy, yy = K_A[0] + Kb[0], K_A[1] + Kb[1], K_A[2] + Kb[2]
    right = (w[1] + Kb[0] * v[0] + Kb[1] * v[1], -w[0] + Kb[1] * v[0] + Kb[2] * v[1])
    determinant = xx * yy - xy * xy
    c = ((yy * right[0] - xy * right[1]) / determinant, (xx * right[1] - xy * right[0]) / determinant)
    over_b = (c[0] - v[0], c[1] - v[1])
    k, s = math.cos(psi), math.sin(psi)
    c_B = (k * over_b[0] - s * over_b[1], -s * over_b[0] - k * over_b[1])
    torsion = T_A[0] * c[0] + T_A[1] * c[1]
    u_A, v_A = parameter_rates(J_A, c)
    u_B, v_B = parameter_rates(J_B, c_B)
    turning = torsion + T_B[0] * c_B[0] + T_B[1] * c_B[1] - w[2]
    frame = (-(K_A[1] * c[0] + K_A[2] * c[1]), K_A[0] * c[0] + K_A[1] * c[1], torsion)
    return (u_A, v_A, u_B, v_B, turning), c, frame, smallest_curvature(K_A, Kb)
