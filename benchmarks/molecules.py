# SPDX-License-Identifier: GPL-3.0-or-later
"""Random molecules: groups of atoms that turn about the bonds between them."""

import numpy as np

from solver.mechanism import Body, Joint, Mechanism

BOND, ANGLE = 0.15, 1.23  # m (nm, times 1e9), and rad by which a bond turns away from the one before
INERTIA = (2e-3, 2e-3, 2e-3)
NEAR = 10  # groups back from which a branch may begin


def molecule(count: int, branches: float = 0.0, seed: int = 1) -> Mechanism:
    """`count` groups of 1 kg with as many bonds, the first on the world; a share of them begins a new branch."""
    rng = np.random.default_rng(seed)
    inner = np.arange(-1, count - 1)
    for i in range(1, count):
        if rng.random() < branches:
            inner[i] = max(0, i - 1 - rng.integers(1, NEAR))
    places, bonds = np.zeros((count, 3)), np.zeros((count, 3))
    bonds[0] = 0.0, 0.0, 1.0
    for i in range(1, count):
        bond = bonds[inner[i]]
        aside = rng.normal(size=3)
        aside -= (aside @ bond) * bond
        bonds[i] = np.cos(ANGLE) * bond + np.sin(ANGLE) * aside / np.linalg.norm(aside)
        places[i] = places[inner[i]] + BOND * bonds[i]
    bodies = [Body(f"group {i}", mass=1.0, inertia=INERTIA, position=places[i]) for i in range(count)]
    joints = [
        Joint(
            f"bond {i}", "revolute", f"group {inner[i]}" if i else None, f"group {i}",
            position=places[max(inner[i], 0)], orientation=_from_z(bonds[i]),
        )
        for i in range(count)
    ]  # fmt: skip
    return Mechanism(name="molecule", gravity=(0.0, 0.0, 0.0), bodies=bodies, joints=joints)


def _from_z(direction: np.ndarray) -> np.ndarray:
    """A quaternion that turns Z into a direction."""
    if direction[2] < -1.0 + 1e-9:
        return np.array((0.0, 1.0, 0.0, 0.0))
    q = np.array((1.0 + direction[2], -direction[1], direction[0], 0.0))
    return q / np.linalg.norm(q)
