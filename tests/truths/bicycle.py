# SPDX-License-Identifier: GPL-3.0-or-later
"""The Whipple bicycle: two wheels with sharp edges that roll without slipping, a rear frame with a rigid rider, a fork.

Its equations of motion, linear about going straight ahead at a speed v, are
    M q'' + v C1 q' + (g K0 + v^2 K2) q = 0,  q = (lean to the right, steer to the right).
After J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and
steer of a bicycle: a benchmark and review, Proc. R. Soc. A 463 (2007), appendix A, whose symbols and axes these are:
x ahead, y to the right, z down, from where the rear wheel touches the road. BENCHMARK is their table 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class Parameters(NamedTuple):
    """m, rad, kg, kg m^2: the wheels R and F, the rear frame with its rider B, and the front frame H.

    `w` is the wheelbase, `c` the trail, `lam` the steer axis tilt. Inertias are about centres of mass.
    """

    w: float
    c: float
    lam: float
    r_R: float
    m_R: float
    I_Rxx: float
    I_Ryy: float
    x_B: float
    z_B: float
    m_B: float
    I_Bxx: float
    I_Byy: float
    I_Bzz: float
    I_Bxz: float
    x_H: float
    z_H: float
    m_H: float
    I_Hxx: float
    I_Hyy: float
    I_Hzz: float
    I_Hxz: float
    r_F: float
    m_F: float
    I_Fxx: float
    I_Fyy: float


BENCHMARK = Parameters(
    w=1.02, c=0.08, lam=math.pi / 10.0,
    r_R=0.3, m_R=2.0, I_Rxx=0.0603, I_Ryy=0.12,
    x_B=0.3, z_B=-0.9, m_B=85.0, I_Bxx=9.2, I_Byy=11.0, I_Bzz=2.8, I_Bxz=2.4,
    x_H=0.9, z_H=-0.7, m_H=4.0, I_Hxx=0.05892, I_Hyy=0.06, I_Hzz=0.00708, I_Hxz=-0.00756,
    r_F=0.35, m_F=3.0, I_Fxx=0.1405, I_Fyy=0.28,
)  # fmt: skip


class Coefficients(NamedTuple):
    """The four matrices (2, 2) of the equations of motion."""

    M: np.ndarray
    C1: np.ndarray
    K0: np.ndarray
    K2: np.ndarray


def coefficients(p: Parameters) -> Coefficients:
    """Appendix A."""
    sin, cos = math.sin(p.lam), math.cos(p.lam)
    m_T = p.m_R + p.m_B + p.m_H + p.m_F
    x_T = (p.x_B * p.m_B + p.x_H * p.m_H + p.w * p.m_F) / m_T
    z_T = (-p.r_R * p.m_R + p.z_B * p.m_B + p.z_H * p.m_H - p.r_F * p.m_F) / m_T
    I_Txx = p.I_Rxx + p.I_Bxx + p.I_Hxx + p.I_Fxx
    I_Txx += p.m_R * p.r_R**2 + p.m_B * p.z_B**2 + p.m_H * p.z_H**2 + p.m_F * p.r_F**2
    I_Txz = p.I_Bxz + p.I_Hxz - p.m_B * p.x_B * p.z_B - p.m_H * p.x_H * p.z_H + p.m_F * p.w * p.r_F
    I_Tzz = p.I_Rxx + p.I_Bzz + p.I_Hzz + p.I_Fxx + p.m_B * p.x_B**2 + p.m_H * p.x_H**2 + p.m_F * p.w**2

    m_A = p.m_H + p.m_F
    x_A = (p.x_H * p.m_H + p.w * p.m_F) / m_A
    z_A = (p.z_H * p.m_H - p.r_F * p.m_F) / m_A
    I_Axx = p.I_Hxx + p.I_Fxx + p.m_H * (p.z_H - z_A) ** 2 + p.m_F * (p.r_F + z_A) ** 2
    I_Axz = p.I_Hxz - p.m_H * (p.x_H - x_A) * (p.z_H - z_A) + p.m_F * (p.w - x_A) * (p.r_F + z_A)
    I_Azz = p.I_Hzz + p.I_Fxx + p.m_H * (p.x_H - x_A) ** 2 + p.m_F * (p.w - x_A) ** 2
    u_A = (x_A - p.w - p.c) * cos - z_A * sin
    I_All = m_A * u_A**2 + I_Axx * sin**2 + 2.0 * I_Axz * sin * cos + I_Azz * cos**2
    I_Alx = -m_A * u_A * z_A + I_Axx * sin + I_Axz * cos
    I_Alz = m_A * u_A * x_A + I_Axz * sin + I_Azz * cos

    mu = p.c / p.w * cos
    S_F = p.I_Fyy / p.r_F
    S_T = p.I_Ryy / p.r_R + S_F
    S_A = m_A * u_A + mu * m_T * x_T
    M_pd = I_Alx + mu * I_Txz
    C_pd = mu * S_T + S_F * cos + I_Txz / p.w * cos - mu * m_T * z_T
    C_dd = I_Alz / p.w * cos + mu * (S_A + I_Tzz / p.w * cos)
    return Coefficients(
        M=np.array([[I_Txx, M_pd], [M_pd, I_All + 2.0 * mu * I_Alz + mu**2 * I_Tzz]]),
        C1=np.array([[0.0, C_pd], [-(mu * S_T + S_F * cos), C_dd]]),
        K0=np.array([[m_T * z_T, -S_A], [-S_A, -S_A * sin]]),
        K2=np.array([[0.0, (S_T - m_T * z_T) / p.w * cos], [0.0, (S_A + S_F * sin) / p.w * cos]]),
    )


def rates(found: Coefficients, v: float, g: float = 9.81) -> np.ndarray:
    """The matrix (4, 4) of the first-order equations of (q, q') at the speed v; its eigenvalues tell what is stable."""
    stiffness, damping = g * found.K0 + v**2 * found.K2, v * found.C1
    return np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(found.M, np.hstack([stiffness, damping]))]])
