# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that keep their balance, as arrays: whose legs reach from a central body to its feet.

A figure is the whole tree that joints make around its central body. Its legs are the joints on the ways from there to
the feet, and all that hangs on them; the rest is its upper part. Symbols: G figures, B bodies, A axes.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..mechanism.forces import Balance, ForceWithLaw, Reach
from ..mechanism.joints import Joint
from ..mechanism.messages import Message
from ..mechanism.table import Table
from .arrays import records

UPPER, LEG = 1, 2  # entries of `part`; 0 is not of the figure

FIGURE = np.dtype(
    [
        ("body", "i8"),
        ("foot_start", "i8"),
        ("foot_end", "i8"),
        ("hand_start", "i8"),
        ("hand_end", "i8"),
        ("origin", "f8", 3),  # m: of the body's own frame from its reference point, kernel axes
        ("axes", "f8", 9),  # that frame in the kernel axes
        ("stance", "f8", 3),  # m: the mean of the feet at zero coordinates,
        ("center", "f8", 3),  # m: and the figure's centre of mass from the frame of its body
    ],
    align=True,
)
FOOT = np.dtype(
    [
        ("body", "i8"),
        ("entry", "i8"),  # its number among the feet of all balances, those that no joints lead to included
        ("axes", "f8", 9),  # the world in the kernel axes, at zero coordinates
        ("ankle", "f8", 3),  # m: of its leg's last joint from its reference point, kernel axes
        ("hip", "f8", 3),  # m: of its leg's first joint from the central body's reference point, kernel axes there
        ("reach", "f8"),  # m: from one to the other along the leg
        ("place", "f8", 3),  # m: of its centre of mass, at zero coordinates
    ],
    align=True,
)
HAND = np.dtype(
    [
        ("body", "i8"),
        ("force", "i8"),  # its number among those with a law
        ("mass", "f8"),  # kg: as it feels its arm where that swings about the shoulder
        ("shoulder", "f8", 3),  # m: its arm's first joint, at zero coordinates
        ("reach", "f8"),  # m: from there along the arm to the hand's point
    ],
    align=True,
)


class Figures(NamedTuple):
    """The figures of one linkage, in the order of their forces."""

    figures: np.recarray  # (G,) FIGURE
    feet: np.recarray  # FOOT
    part: np.ndarray  # (G, B) int64: UPPER, LEG or 0
    limit: np.ndarray  # (G, A) N m or N: the most on each axis of a leg; -1 for all others
    leg: np.ndarray  # (G, B) int64: of bodies of a single foot's leg its number in `feet` and 1, else 0
    along: np.ndarray  # (G, B): how far down that leg they are, from 0 at the hip to 1 of the foot
    hands: np.recarray  # HAND
    arm: np.ndarray  # (H, A) int64: 1 for the axes of each hand's arm


class Stance(NamedTuple):
    """Poses of a linkage's bodies at zero coordinates: origins x and centres C (B, 3), axes of both (B, 3, 3)."""

    origin: np.ndarray
    center: np.ndarray
    frame: np.ndarray
    kernel_axes: np.ndarray


def figures_of(
    forces: Sequence[ForceWithLaw],
    index: dict[str, int],
    joints: Sequence[Joint | None],
    bodies: np.recarray,
    driven: int,
    stance: Stance,
) -> tuple[Figures, list[str]]:
    """The figures of a linkage, and what is wrong with them at the start; later on a leg may have been cut.

    forces: all that have a law. index: number of each body by its name. joints: of each dynamic body.
    """
    balances = [force for force in forces if isinstance(force, Balance)]
    count = sum(isinstance(force, Reach) for force in forces)
    axes = int(bodies.axis_end[-1]) if len(bodies) > driven else 0
    found = Figures(
        records(len(balances), FIGURE),
        records(sum(len(balance.feet) for balance in balances), FOOT),
        np.zeros((len(balances), len(bodies)), np.int64),
        np.full((len(balances), axes), -1.0),
        np.zeros((len(balances), len(bodies)), np.int64),
        np.zeros((len(balances), len(bodies))),
        records(count, HAND),
        np.zeros((count, axes), np.int64),
    )
    problems, last, told = [], 0, 0
    for g, balance in enumerate(balances):
        figure, ways = found.figures[g], []
        figure.body = index[balance.body]
        _place(figure, figure.body, stance)
        figure.axes = (stance.kernel_axes[figure.body].T @ stance.frame[figure.body]).ravel()
        figure.foot_start = last
        for entry, name in enumerate(balance.feet, told):
            way = _way(bodies.inner, driven, figure.body, index[name]) if name in index else None
            if not way:
                problems.append(Message("foot-apart", ("force", balance.name), body=balance.body, foot=name))
                continue
            ways.append(way)
            foot = found.feet[last]
            foot.body, foot.entry = index[name], entry
            foot.axes = stance.kernel_axes[foot.body].T.ravel()
            foot.place = stance.center[foot.body]
            _measure_leg(found, g, last, bodies.inner, driven, joints, stance)
            last += 1
        figure.foot_end, told = last, told + len(balance.feet)
        feet = found.feet.body[figure.foot_start : last]
        if len(feet):
            figure.stance = stance.center[feet].mean(axis=0)
        moved = {i for way in ways for i in way}
        _divide(found.part[g], bodies.inner, driven, figure.body, moved)
        masses = np.where(found.part[g] > 0, bodies.mass, 0.0)
        figure.center = masses @ stance.center / masses.sum() - stance.origin[figure.body]
        _hang_on_legs(found, g, bodies.inner, driven)
        problems += _bound(found.limit[g], balance, moved, joints, bodies, driven)
    return found, problems + _add_hands(found, forces, index, joints, bodies, driven, stance)


def _add_hands(
    found: Figures,
    forces: Sequence[ForceWithLaw],
    index: dict[str, int],
    joints: Sequence[Joint | None],
    bodies: np.recarray,
    driven: int,
    stance: Stance,
) -> list[Message]:
    """Fills the hands of all figures, one figure's after another's; returns what is wrong with them."""
    problems, last = [], 0
    balances = [force for force in forces if isinstance(force, Balance)]
    waiting = {number: force for number, force in enumerate(forces) if isinstance(force, Reach)}
    for g, balance in enumerate(balances):
        figure = found.figures[g]
        figure.hand_start = last
        for number, force in list(waiting.items()):
            i = index.get(force.body, 0)
            if i < driven or not found.part[g, i]:
                continue
            del waiting[number]
            if found.part[g, i] == LEG or i == figure.body:
                code = "hand-on-leg" if found.part[g, i] == LEG else "hand-held"
                problems.append(Message(code, ("force", force.name), body=force.body, balance=balance.name))
                continue
            found.hands.body[last], found.hands.force[last] = i, number
            _measure_arm(found, last, int(figure.body), force, joints, bodies, driven, stance)
            last += 1
        figure.hand_end = last
    apart = [Message("hand-apart", ("force", force.name), body=force.body) for force in waiting.values()]
    return problems + apart


def _measure_arm(
    found: Figures,
    h: int,
    central: int,
    reach: Reach,
    joints: Sequence[Joint | None],
    bodies: np.recarray,
    driven: int,
    stance: Stance,
) -> None:
    """Fills the axes of an arm, its length, and its mass as the hand feels it."""
    hand, inner = found.hands[h], bodies.inner
    out, back = _inward(inner, driven, int(hand.body)), _inward(inner, driven, central)
    meeting = next(i for i in out if i in back)
    nodes = [*out[: out.index(meeting) + 1], *reversed(back[: back.index(meeting)])]
    moved = [a if inner[a] == b else b for a, b in pairwise(nodes)]
    point = np.array([x.values[0] if isinstance(x, Table) else x for x in reach.point], float)
    places = [point, *(np.array(joints[i - driven].position, float) for i in moved)]
    hand.shoulder, lengths = places[-1], [float(np.linalg.norm(b - a)) for a, b in pairwise(places)]
    hand.reach = sum(lengths)
    for i in moved:
        found.arm[h, bodies.axis_start[i] : bodies.axis_end[i]] = 1
    for k, body in enumerate(nodes[:-1]):
        way = float(np.linalg.norm(stance.center[body] - places[k + 1])) + sum(lengths[k + 1 :])
        share = min(1.0, way / hand.reach) if hand.reach > 0.0 else 1.0
        hand.mass += bodies.mass[body] * share * share


def _place(part: np.record, i: int, stance: Stance) -> None:
    part.origin = stance.kernel_axes[i].T @ (stance.origin[i] - stance.center[i])


def _inward(inner: np.ndarray, driven: int, i: int) -> list[int]:
    """A body and all bodies further in, up to its tree's root."""
    found = []
    while i >= driven:
        found.append(i)
        i = int(inner[i])
    return found


def _way(inner: np.ndarray, driven: int, a: int, b: int) -> list[int] | None:
    """The bodies whose joints lie between two bodies of a tree; None if they are not of one."""
    of_a, of_b = _inward(inner, driven, a), _inward(inner, driven, b)
    if not of_a or not of_b or of_a[-1] != of_b[-1]:
        return None
    shared = set(of_a) & set(of_b)
    return [i for i in of_a + of_b if i not in shared]


def _measure_leg(
    found: Figures, g: int, number: int, inner: np.ndarray, driven: int, joints: Sequence[Joint | None], stance: Stance
) -> None:
    """Fills hip, ankle and reach of a foot's leg, and what is on its way; what two legs share is of none."""
    foot, central = found.feet[number], int(found.figures.body[g])
    out, back = _inward(inner, driven, int(foot.body)), _inward(inner, driven, central)
    meeting = next(i for i in out if i in back)
    nodes = [*out[: out.index(meeting) + 1], *reversed(back[: back.index(meeting)])]
    places = [np.array(joints[(a if inner[a] == b else b) - driven].position, float) for a, b in pairwise(nodes)]
    foot.ankle = stance.kernel_axes[foot.body].T @ (places[0] - stance.center[foot.body])
    foot.hip = stance.kernel_axes[central].T @ (places[-1] - stance.center[central])
    lengths = [float(np.linalg.norm(b - a)) for a, b in pairwise(places)]
    foot.reach = sum(lengths)
    for k, body in enumerate(nodes[:-1]):
        own = 0.0 if k == 0 else lengths[k - 1]
        share = 1.0 if not foot.reach > 0.0 else (sum(lengths[k:]) + 0.5 * own) / foot.reach
        found.leg[g, body] = 0 if found.along[g, body] else number + 1
        found.along[g, body] = share


def _hang_on_legs(found: Figures, g: int, inner: np.ndarray, driven: int) -> None:
    """Lets all that hangs on a leg, and is not on its way, go with the body on which it hangs."""
    for i in range(driven, len(inner)):
        inside = int(inner[i])
        if found.part[g, i] == LEG and not found.along[g, i] and inside >= driven and found.part[g, inside] == LEG:
            found.leg[g, i], found.along[g, i] = found.leg[g, inside], found.along[g, inside]


def _divide(part: np.ndarray, inner: np.ndarray, driven: int, central: int, moved: set[int]) -> None:
    """Fills the parts of a figure: what hangs together with the central body without a leg's joint is the upper one."""
    root, piece = np.arange(len(inner)), np.arange(len(inner))
    for i in range(driven, len(inner)):
        if inner[i] >= driven:
            root[i] = root[inner[i]]
            if i not in moved:
                piece[i] = piece[inner[i]]
    part[driven:] = np.where(root == root[central], np.where(piece == piece[central], UPPER, LEG), 0)[driven:]


def _bound(limit: np.ndarray, balance: Balance, moved: set[int], joints, bodies: np.recarray, driven: int) -> list[str]:
    """Fills the limits of the axes of legs; returns what is wrong with those of single joints."""
    own = dict(balance.joint_max_torque)
    for i in moved:
        joint = joints[i - driven]
        limit[bodies.axis_start[i] : bodies.axis_end[i]] = own.pop(joint.name, np.inf)
    return [
        f"force '{balance.name}': joint_max_torque names the joint '{name}', which is not between '{balance.body}' "
        "and its feet; take it out"
        for name in own
    ]
