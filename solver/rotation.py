# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations: unit quaternions (w, x, y, z), matrices of nine numbers, and rotation vectors as a local chart.

In the chart R = R0 exp(theta), with omega the angular velocity along the body's own axes,
    theta' = omega + theta x omega / 2 + c(|theta|) theta x (theta x omega),   c(p) = (1 - p/2 cot(p/2)) / p^2.
The thesis (Schroeder 1990, eq. 3.11) exponentiates the integral of omega, which is this without the cross products:
exact only while the axis stands still, and of first order otherwise.
"""

import math

from .kernel import kernel
from .spatial import add, cross, scale


@kernel
def multiply_quaternions(p, q):
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@kernel
def conjugate(q):
    return (q[0], -q[1], -q[2], -q[3])


@kernel
def normalized(q):
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@kernel
def matrix_of_quaternion(q):
    """The rotation matrix (nine numbers, row by row) of a unit quaternion."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@kernel
def quaternion_of_matrix(R):
    """Unit quaternion of a rotation matrix; divides by the largest of the four components (Shepperd 1978)."""
    trace = R[0] + R[4] + R[8]
    if trace > 0.0:
        q = (1.0 + trace, R[7] - R[5], R[2] - R[6], R[3] - R[1])
    elif R[0] >= R[4] and R[0] >= R[8]:
        q = (R[7] - R[5], 1.0 + R[0] - R[4] - R[8], R[1] + R[3], R[2] + R[6])
    elif R[4] >= R[8]:
        q = (R[2] - R[6], R[1] + R[3], 1.0 - R[0] + R[4] - R[8], R[5] + R[7])
    else:
        q = (R[3] - R[1], R[2] + R[6], R[5] + R[7], 1.0 - R[0] - R[4] + R[8])
    return normalized(q)


@kernel
def exponential(theta):
    """Quaternion of the rotation vector theta (rad)."""
    square = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]
    if square < 1e-6:  # the next terms are below 1e-18
        real = 1.0 - square / 8.0 + square * square / 384.0
        k = 0.5 - square / 48.0 + square * square / 3840.0
    else:
        angle = math.sqrt(square)
        real = math.cos(0.5 * angle)
        k = math.sin(0.5 * angle) / angle
    return (real, k * theta[0], k * theta[1], k * theta[2])


@kernel
def logarithm(q):
    """Rotation vector of a unit quaternion, of length at most pi."""
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if sine < 1e-12:
        k = 2.0 / q[0]
    elif q[0] >= 0.0:
        k = 2.0 * math.atan2(sine, q[0]) / sine
    else:
        k = -2.0 * math.atan2(sine, -q[0]) / sine
    return (k * q[1], k * q[2], k * q[3])


@kernel
def _second_coefficient(theta):
    """c of the module's text, by its series near zero (Bernoulli numbers) where the closed form cancels."""
    square = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]
    if square < 0.04:  # the next term is below 1e-15
        return 1.0 / 12.0 + square * (
            1.0 / 720.0 + square * (1.0 / 30240.0 + square * (1.0 / 1209600.0 + square * (1.0 / 47900160.0)))
        )
    angle = math.sqrt(square)
    return (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / square


@kernel
def chart_rate(theta, omega):
    """theta' in the chart R = R0 exp(theta) for the angular velocity omega along the body's axes."""
    first = cross(theta, omega)
    return add(add(omega, scale(0.5, first)), scale(_second_coefficient(theta), cross(theta, first)))


@kernel
def chart_torque(theta, gradient):
    """The torque along the body's axes that does the work `gradient . theta'`: the transpose of `chart_rate`."""
    first = cross(gradient, theta)
    return add(add(gradient, scale(0.5, first)), scale(_second_coefficient(theta), cross(first, theta)))
