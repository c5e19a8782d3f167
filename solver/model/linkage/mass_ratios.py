# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that are tied to each other and too different in mass for conditions to be told from each other.

A row that holds a light body between heavy ones has a pivot that is as much smaller than its response as the light one
is lighter, and rounding is as much larger in what it asks. At 1e9 forces are right to 1e-6 of the largest; near 1e11
the row's pivot counts as that of a redundant one (`dynamics.loops`). The inverses of divide and conquer lose as many
digits. Trees by other methods know no such limit.
"""

from collections.abc import Iterator

from ...mechanism.description import Mechanism
from ...mechanism.error import refuse
from ...mechanism.messages import Message
from ..topology import Linkage, constraint_bodies

_MOST = 1e9
_SAID = 5  # pairs in one refusal


def refuse_mass_ratios(mechanism: Mechanism, linkage: Linkage) -> None:
    """Raises MechanismError naming the pairs of tied bodies of which one is far heavier than the other."""
    mass = {body.name: body.mass for body in mechanism.bodies if body.motion == "dynamic"}
    found = {}
    for names in _tied(mechanism, linkage):
        masses = sorted((mass[name], name) for name in names if name in mass)
        if len(masses) > 1 and masses[-1][0] > _MOST * masses[0][0]:
            found[masses[-1][1], masses[0][1]] = masses[-1][0] / masses[0][0]
    worst = sorted(found.items(), key=lambda item: -item[1])[:_SAID]
    refuse(_sentence(*pair, ratio) for pair, ratio in worst)


def _sentence(heavy: str, light: str, ratio: float) -> Message:
    parts = ("body", heavy), ("body", light)
    return Message("mass-ratio", *parts, ratio=f"{ratio:.3g}", most=f"{_MOST:g}")


def _tied(mechanism: Mechanism, linkage: Linkage) -> Iterator[list[str | None]]:
    """The names of bodies that each joint and constraint ties."""
    for j in {j for j in (*linkage.joint, *linkage.closing) if j is not None}:
        yield [mechanism.joints[j].parent, mechanism.joints[j].child]
    for i in linkage.constraints:
        yield constraint_bodies(mechanism, mechanism.constraints[i])
