# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial algebra in registers: vectors, rotations and inertias as tuples of floats that stay out of memory.

A vector is (x, y, z); a rotation matrix is nine numbers, row by row; a symmetric matrix is (xx, xy, xz, yy, yz, zz).
Spatial quantities are pairs (angular, linear), expressed along world axes about a body's centre of mass.
An articulated inertia is (I, H, M): it takes an acceleration (a, b) to the moment I a + H b and the force H^T a + M b.

Source: R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 2 and 7, with the reference point moved to the
centres of mass, so that transforms between bodies are pure translations and a rigid body's own H is zero.
"""

from .kernel import kernel


@kernel
def add(a, b):
    """a + b"""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def subtract(a, b):
    """a - b"""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(k, a):
    """k a"""
    return (k * a[0], k * a[1], k * a[2])


@kernel
def add_scaled(a, k, b):
    """a + k b"""
    return (a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2])


@kernel
def dot(a, b):
    """The scalar product of a and b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """The vector product a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def tangents(n):
    """Two unit vectors across a unit normal (Duff and others 2017)."""
    s = 1.0 if n[2] >= 0.0 else -1.0
    a = -1.0 / (s + n[2])
    b = n[0] * n[1] * a
    return (1.0 + s * n[0] * n[0] * a, s * b, -s * n[0]), (b, s + n[1] * n[1] * a, -n[1])


@kernel
def rotate(R, a):
    """R a"""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@kernel
def unrotate(R, a):
    """R^T a"""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@kernel
def axis_x(R):
    """The first column of a matrix of nine numbers."""
    return (R[0], R[3], R[6])


@kernel
def axis_y(R):
    """The second column of a matrix of nine numbers."""
    return (R[1], R[4], R[7])


@kernel
def axis_z(R):
    """The third column of a matrix of nine numbers."""
    return (R[2], R[5], R[8])


@kernel
def axis_of(R, number):
    """The axis of this number, 0 to 2: a column of a matrix of nine numbers."""
    if number == 0:
        return axis_x(R)
    if number == 1:
        return axis_y(R)
    return axis_z(R)


@kernel
def multiply(A, B):
    """The matrix product A B of two matrices of nine numbers."""
    x = rotate(A, (B[0], B[3], B[6]))
    y = rotate(A, (B[1], B[4], B[7]))
    z = rotate(A, (B[2], B[5], B[8]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@kernel
def transpose(A):
    """The transpose of a matrix of nine numbers."""
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@kernel
def apply_symmetric(S, a):
    """S a for a symmetric matrix of six numbers."""
    return (
        S[0] * a[0] + S[1] * a[1] + S[2] * a[2],
        S[1] * a[0] + S[3] * a[1] + S[4] * a[2],
        S[2] * a[0] + S[4] * a[1] + S[5] * a[2],
    )


@kernel
def rotate_symmetric(R, S):
    """R S R^T"""
    x = apply_symmetric(S, (R[0], R[1], R[2]))
    y = apply_symmetric(S, (R[3], R[4], R[5]))
    z = apply_symmetric(S, (R[6], R[7], R[8]))
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[0] * y[0] + R[1] * y[1] + R[2] * y[2],
        R[0] * z[0] + R[1] * z[1] + R[2] * z[2],
        R[3] * y[0] + R[4] * y[1] + R[5] * y[2],
        R[3] * z[0] + R[4] * z[1] + R[5] * z[2],
        R[6] * z[0] + R[7] * z[1] + R[8] * z[2],
    )


@kernel
def add_symmetric(A, B):
    """A + B of two symmetric matrices of six numbers."""
    return (A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5])


@kernel
def add_inertia(A, B):
    """The sum of two articulated inertias about the same point."""
    H, G = A[1], B[1]
    sum_of_couplings = (
        H[0] + G[0],
        H[1] + G[1],
        H[2] + G[2],
        H[3] + G[3],
        H[4] + G[4],
        H[5] + G[5],
        H[6] + G[6],
        H[7] + G[7],
        H[8] + G[8],
    )
    return add_symmetric(A[0], B[0]), sum_of_couplings, add_symmetric(A[2], B[2])


@kernel
def apply_inertia(inertia, a, b):
    """(moment, force) of an articulated inertia for the spatial acceleration (a, b)."""
    I, H, M = inertia
    return add(apply_symmetric(I, a), rotate(H, b)), add(unrotate(H, a), apply_symmetric(M, b))


@kernel
def subtract_projection(inertia, n, f, D):
    """inertia - U U^T / D with U = (n, f): what remains once the axis with this U moves freely."""
    I, H, M = inertia
    p, q = scale(1.0 / D, n), scale(1.0 / D, f)
    return (
        (
            I[0] - p[0] * n[0],
            I[1] - p[0] * n[1],
            I[2] - p[0] * n[2],
            I[3] - p[1] * n[1],
            I[4] - p[1] * n[2],
            I[5] - p[2] * n[2],
        ),
        (
            H[0] - p[0] * f[0],
            H[1] - p[0] * f[1],
            H[2] - p[0] * f[2],
            H[3] - p[1] * f[0],
            H[4] - p[1] * f[1],
            H[5] - p[1] * f[2],
            H[6] - p[2] * f[0],
            H[7] - p[2] * f[1],
            H[8] - p[2] * f[2],
        ),
        (
            M[0] - q[0] * f[0],
            M[1] - q[0] * f[1],
            M[2] - q[0] * f[2],
            M[3] - q[1] * f[1],
            M[4] - q[1] * f[2],
            M[5] - q[2] * f[2],
        ),
    )


@kernel
def shift_inertia(inertia, r):
    """The same inertia about a point from which its own reference point lies at r.

    With X = [1 0; -r x 1], X^T (I H; H^T M) X: H' = H + r x M and I' = I + (r x H^T)^T + r x H'^T.
    """
    I, H, M = inertia
    x = cross(r, (M[0], M[1], M[2]))
    y = cross(r, (M[1], M[3], M[4]))
    z = cross(r, (M[2], M[4], M[5]))
    G = (
        H[0] + x[0],
        H[1] + y[0],
        H[2] + z[0],
        H[3] + x[1],
        H[4] + y[1],
        H[5] + z[1],
        H[6] + x[2],
        H[7] + y[2],
        H[8] + z[2],
    )
    # columns of r x H^T and r x H'^T: r crossed with the rows of H and of H'
    h0 = cross(r, (H[0], H[1], H[2]))
    h1 = cross(r, (H[3], H[4], H[5]))
    h2 = cross(r, (H[6], H[7], H[8]))
    g0 = cross(r, (G[0], G[1], G[2]))
    g1 = cross(r, (G[3], G[4], G[5]))
    g2 = cross(r, (G[6], G[7], G[8]))
    shifted = (
        I[0] + h0[0] + g0[0],
        I[1] + h0[1] + g1[0],
        I[2] + h0[2] + g2[0],
        I[3] + h1[1] + g1[1],
        I[4] + h1[2] + g2[1],
        I[5] + h2[2] + g2[2],
    )
    return shifted, G, M


@kernel
def load3(a):
    """Three numbers of an array."""
    return (a[0], a[1], a[2])


@kernel
def load_angular(a):
    """The angular half of six numbers."""
    return (a[0], a[1], a[2])


@kernel
def load_linear(a):
    """The linear half of six numbers."""
    return (a[3], a[4], a[5])


@kernel
def load6(a):
    """Six numbers of an array."""
    return (a[0], a[1], a[2], a[3], a[4], a[5])


@kernel
def load9(a):
    """Nine numbers of an array."""
    return (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])


@kernel
def load_inertia(a):
    """(I, H, M) of 21 numbers."""
    return (
        (a[0], a[1], a[2], a[3], a[4], a[5]),
        (a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14]),
        (a[15], a[16], a[17], a[18], a[19], a[20]),
    )


@kernel
def store3(a, v):
    """Puts a vector into an array."""
    a[0], a[1], a[2] = v


@kernel
def store9(a, A):
    """Puts a matrix of nine numbers into an array."""
    for k in range(9):
        a[k] = A[k]


@kernel
def store_spatial(a, angular, linear):
    """Puts a spatial vector into an array of six numbers."""
    a[0], a[1], a[2] = angular
    a[3], a[4], a[5] = linear


@kernel
def clear(inertia, bias):
    """Sets an articulated inertia (21,) and a spatial force (6,) to zero."""
    for k in range(21):
        inertia[k] = 0.0
    for k in range(6):
        bias[k] = 0.0


@kernel
def add_to_spatial(a, angular, linear):
    """Adds a spatial vector to an array of six numbers."""
    for k in range(3):
        a[k] += angular[k]
        a[3 + k] += linear[k]


@kernel
def add_to_inertia(a, inertia):
    """Adds an articulated inertia (I, H, M) to an array of 21 numbers."""
    I, H, M = inertia
    for k in range(6):
        a[k] += I[k]
        a[15 + k] += M[k]
    for k in range(9):
        a[6 + k] += H[k]
