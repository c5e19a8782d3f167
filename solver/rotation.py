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

# of the series of dc/ds in s = |theta|^2: k |B(2k + 2)| / (2k + 2)!
_SLOPES = (
    1.0 / 720.0,
    2.0 / 30240.0,
    3.0 / 1209600.0,
    4.0 / 47900160.0,
    5.0 * 691.0 / 1307674368000.0,
    6.0 / 74724249600.0,
    7.0 * 3617.0 / 10670622842880000.0,
    8.0 * 43867.0 / 5109094217170944000.0,
)


@kernel
def multiply_quaternions(p, q):
    """The quaternion (w, x, y, z) of the turn q followed by p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@kernel
def conjugate(q):
    """The quaternion of the opposite turn."""
    return (q[0], -q[1], -q[2], -q[3])


@kernel
def normalized(q):
    """The unit quaternion along q, which must not be zero."""
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


@kernel
def chart_turn(theta, rate):
    """The inverse of `chart_rate`: the angular velocity along the body's axes for theta' (Bullo and Murray 1995)."""
    square = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]
    if square < 1e-4:  # the next terms are below 1e-17
        a = 0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0 - square / 40320.0))
        b = 1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0 - square / 362880.0))
    else:
        angle = math.sqrt(square)
        half = math.sin(0.5 * angle)
        a = 2.0 * half * half / square
        b = (angle - math.sin(angle)) / (angle * square)
    first = cross(theta, rate)
    return add(add(rate, scale(-a, first)), scale(b, cross(theta, first)))


@kernel
def _second_coefficient_slope(theta):
    """dc / d(|theta|^2), by the same series near zero."""
    square = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]
    if square < 0.25:  # the next term is below 1e-15 of the first
        term, total = 1.0, 0.0
        for k in range(len(_SLOPES)):
            total += _SLOPES[k] * term
            term *= square
        return total
    angle = math.sqrt(square)
    half = 0.5 * angle
    cotangent, sine = 1.0 / math.tan(half), math.sin(half)
    bend = (half / (sine * sine) - cotangent) / (4.0 * angle * square)
    return bend - (1.0 - half * cotangent) / (square * square)


@kernel
def _second_coefficient_change(theta, change):
    along = theta[0] * change[0] + theta[1] * change[1] + theta[2] * change[2]
    return 2.0 * _second_coefficient_slope(theta) * along


@kernel
def chart_rate_change(theta, omega, theta_change, omega_change):
    """The change of `chart_rate` with its arguments, to first order."""
    first = cross(theta, omega)
    first_change = add(cross(theta_change, omega), cross(theta, omega_change))
    second_change = add(cross(theta_change, first), cross(theta, first_change))
    turned = add(
        scale(_second_coefficient_change(theta, theta_change), cross(theta, first)),
        scale(_second_coefficient(theta), second_change),
    )
    return add(add(omega_change, scale(0.5, first_change)), turned)


@kernel
def chart_torque_change(theta, gradient, theta_change, gradient_change):
    """The change of `chart_torque` with its arguments, to first order."""
    first = cross(gradient, theta)
    first_change = add(cross(gradient_change, theta), cross(gradient, theta_change))
    second_change = add(cross(first_change, theta), cross(first, theta_change))
    turned = add(
        scale(_second_coefficient_change(theta, theta_change), cross(first, theta)),
        scale(_second_coefficient(theta), second_change),
    )
    return add(add(gradient_change, scale(0.5, first_change)), turned)
