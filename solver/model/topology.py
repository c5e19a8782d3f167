# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies hang together: linkages, their trees, and the order in which the recursions walk them."""

from collections import defaultdict
from dataclasses import dataclass, field

from ..mechanism.constraints import Constraint, Coupling
from ..mechanism.description import Mechanism
from ..mechanism.error import refuse
from ..mechanism.forces import Balance, Steering, Support
from ..mechanism.joints import Joint
from ..mechanism.messages import Message
from ..mechanism.ropes import Rope
from .touching import Touching

GROUND = -1  # stands for the world and for every fixed and keyed body: nothing passes through them


@dataclass
class Linkage:
    """Bodies that move together, each after its inner body; indices are those of the mechanism's lists.

    A loop is opened at one of its joints. Where that joint exerts efforts of its own, it stays in the tree and its body
    is cut in two instead: the second part is listed once more, behind all whole bodies.
    """

    bodies: list[int] = field(default_factory=list)  # dynamic, roots first
    inner: list[int | None] = field(default_factory=list)  # of each: the inner body; None: the world, or it floats
    joint: list[int | None] = field(default_factory=list)  # of each: the joint to the inner body; None: it floats
    reversed: list[bool] = field(default_factory=list)  # of each: the inner body is the joint's child
    whole: int = 0  # the first so many are all different, the others second parts of cut bodies
    closing: list[int] = field(default_factory=list)  # joints that close loops
    constraints: list[int] = field(default_factory=list)
    within_backlash: list[int] = field(default_factory=list)  # gears and racks that hold nothing at present
    forces: list[int] = field(default_factory=list)
    touches: bool = False  # whether its bodies may touch the ground, each other or anything else
    rides: list[int] = field(default_factory=list)  # joints by which surfaces ride on each other
    balances: bool = False  # whether a figure in it keeps its balance
    sticks: bool = False  # whether static friction of a support holds it
    met: list[int] = field(default_factory=list)  # fixed and keyed bodies that they may touch


class _Sets:
    """Disjoint sets with path halving."""

    def __init__(self, count: int) -> None:
        self._leader = list(range(count))

    def find(self, a: int) -> int:
        leader = self._leader
        while leader[a] != a:
            leader[a] = leader[leader[a]]
            a = leader[a]
        return a

    def join(self, a: int, b: int) -> bool:
        """False if they were together already."""
        a, b = self.find(a), self.find(b)
        self._leader[a] = b
        return a != b


def find_linkages(mechanism: Mechanism) -> list[Linkage]:
    """The linkages of a mechanism without problems. Raises MechanismError for idle joints and constraints."""
    number = {body.name: i for i, body in enumerate(mechanism.bodies)}
    neighbours = _neighbours(mechanism, number)
    touching = Touching(mechanism)
    linkage_of = _group(mechanism, number, touching)
    linkages: dict[int, Linkage] = {}
    placed = [body.motion != "dynamic" for body in mechanism.bodies]
    for root, inner, joint in _roots(mechanism, number, neighbours):
        if not placed[root]:
            linkage = linkages.setdefault(linkage_of.find(root), Linkage())
            _walk(mechanism, number, neighbours, placed, linkage, root, inner, joint)
    of_body = {body: linkage for linkage in linkages.values() for body in linkage.bodies}
    _add_closing_joints(mechanism, number, of_body, linkages.values())
    parts = [
        (constraint_bodies(mechanism, c), "within_backlash" if _is_within_backlash(c) else "constraints", i)
        for i, c in enumerate(mechanism.constraints)
        if acts(mechanism, c)
    ]
    parts += [(force_bodies(force), "forces", i) for i, force in enumerate(mechanism.forces)]
    for names, kind, i in parts:
        moved = [number[name] for name in names if _is_dynamic(mechanism, number, name)]
        if moved:
            getattr(of_body[moved[0]], kind).append(i)
    for linkage in linkages.values():
        whole = linkage.bodies[: linkage.whole]
        linkage.rides = [j for j in linkage.joint if j is not None and mechanism.joints[j].type == "contact"]
        linkage.touches, linkage.met = touching.meets_anything(whole), touching.met_by(whole)
        linkage.balances = any(isinstance(mechanism.forces[i], Balance) for i in linkage.forces)
        linkage.sticks = any(
            isinstance(mechanism.forces[i], Support) and mechanism.forces[i].sticks for i in linkage.forces
        )
    return list(linkages.values())


def force_bodies(force) -> list[str | None]:
    """The names of the one or two bodies that a force acts on."""
    if isinstance(force, Steering):
        return [force.body, force.fork]
    return [force.body] if hasattr(force, "body") else [force.body_a, force.body_b]


def constraint_bodies(mechanism: Mechanism, constraint: Constraint) -> list[str | None]:
    """The names of the bodies that a constraint holds: of a coupling those of its joints, joint_b's child first.

    Those of a rope's drums come last, two of each.
    """
    joints = counted_joints(mechanism, constraint)
    of_joints = [name for joint in reversed(joints) for name in (joint.child, joint.parent)]
    return of_joints if isinstance(constraint, Coupling) else [*constraint.end_bodies, *of_joints]


def counted_joints(mechanism: Mechanism, constraint: Constraint) -> list[Joint]:
    """The joints whose coordinates a constraint counts: joint_a and joint_b of a coupling, a rope's drums."""
    names = counted_names(constraint)
    joints = {joint.name: joint for joint in mechanism.joints} if names else {}
    return [joints[name] for name in names]


def counted_names(constraint: Constraint) -> tuple[str, ...]:
    """The names of these joints."""
    if isinstance(constraint, Coupling):
        return constraint.joint_a, constraint.joint_b
    return constraint.drums if isinstance(constraint, Rope) else ()


def _is_within_backlash(constraint: Constraint) -> bool:
    """True of a gear or a rack that holds nothing at present, though its joints need their coordinates."""
    return isinstance(constraint, Coupling) and constraint.is_within_backlash


def acts(mechanism: Mechanism, constraint: Constraint) -> bool:
    """True if it takes part at present; a gear or a drum whose joint is cut, or on its way together, does not."""
    names = counted_names(constraint)
    if not names or not constraint.enabled:
        return constraint.enabled
    return set(names) <= {joint.name for joint in mechanism.joints if joint.enabled and not joint.is_caught}


def _counts(mechanism: Mechanism, constraint: Constraint) -> bool:
    """True if it counts coordinates, as a rope does while it is slack."""
    return acts(mechanism, constraint) or (isinstance(constraint, Rope) and constraint.slack)


def _is_dynamic(mechanism: Mechanism, number: dict[str, int], name: str | None) -> bool:
    return name is not None and mechanism.bodies[number[name]].motion == "dynamic"


def _neighbours(mechanism: Mechanism, number: dict[str, int]) -> dict[int, list[tuple[int, int]]]:
    """For each body its (joint, body at the other end); raises for joints and constraints that hold nothing."""
    neighbours: dict[int, list[tuple[int, int]]] = defaultdict(list)
    problems = []
    for j, joint in enumerate(mechanism.joints):
        if not joint.enabled:
            continue
        a, b = (number[n] if _is_dynamic(mechanism, number, n) else GROUND for n in (joint.parent, joint.child))
        if a == b == GROUND:
            ends = {"parent": f"'{joint.parent or 'the world'}'", "child": f"'{joint.child}'"}
            problems.append(Message("joint-moves-nothing", ("joint", joint.name), **ends))
        elif not joint.is_caught:
            neighbours[a].append((j, b))
            neighbours[b].append((j, a))
    for constraint in mechanism.constraints:
        names = constraint_bodies(mechanism, constraint)
        if acts(mechanism, constraint) and not any(_is_dynamic(mechanism, number, name) for name in names):
            shown = " nor ".join(dict.fromkeys(f"'{name}'" if name else "the world" for name in names))
            which = f"neither {shown} is" if len(names) > 1 else f"body {shown} is not"
            problems.append(Message("constraint-holds-nothing", ("constraint", constraint.name), which=which))
    for balance in (force for force in mechanism.forces if isinstance(force, Balance)):
        problems += [
            Message(
                "balance-of-still", ("force", balance.name), body=name, motion=mechanism.bodies[number[name]].motion
            )
            for name in (balance.body, *balance.feet)
            if not _is_dynamic(mechanism, number, name)
        ]
    refuse(problems)
    return neighbours


def _add_closing_joints(mechanism: Mechanism, number: dict[str, int], of_body: dict, linkages) -> None:
    """Adds the joints that the trees have left out: they close a loop, or will, or hold a body's second part."""
    in_trees = {j for linkage in linkages for j in linkage.joint}
    coupled = {name for c in mechanism.constraints if _counts(mechanism, c) for name in counted_names(c)}
    pulled, first = {body.name for body in mechanism.bodies if body.is_pulled}, first_joints(mechanism)
    for linkage in linkages:
        linkage.whole = len(linkage.bodies)
    for j, joint in enumerate(mechanism.joints):
        if j in in_trees or not joint.enabled:
            continue
        on_child = _is_dynamic(mechanism, number, joint.child)
        cut, other = (joint.child, joint.parent) if on_child else (joint.parent, joint.child)
        linkage = of_body[number[cut]]
        is_driven = joint.child in pulled and first[joint.child] == joint.name
        if is_driven or joint.name in coupled or _needs_coordinates(joint):
            linkage.bodies.append(number[cut])
            linkage.inner.append(None if other is None else number[other])
            linkage.joint.append(j)
            linkage.reversed.append(not on_child)
        else:
            linkage.closing.append(j)


def first_joints(mechanism: Mechanism) -> dict[str, str]:
    """By the name of each child the first joint that holds it: the one by which it follows its keys."""
    found: dict[str, str] = {}
    for joint in mechanism.joints:
        if joint.enabled and not joint.is_caught:
            found.setdefault(joint.child, joint.name)
    return found


def _needs_coordinates(joint) -> bool:
    """True if the joint does more than hold, or says how fast it is: then the trees must have its coordinates."""
    efforts = joint.stiffness, joint.damping, joint.armature, joint.friction, joint.static_friction
    asks = joint.type in ("screw", "contact") or joint.motor is not None or joint.speeds is not None
    asks = asks or joint.has_curves
    has_limits = any(pair is not None and pair != (None, None) for pair in joint.limits or ())
    return asks or has_limits or any(any(_numbers(e)) for e in efforts)


def _numbers(values) -> list[bool]:
    return [not isinstance(value, (int, float)) or value != 0 for value in values or ()]


def _group(mechanism: Mechanism, number: dict[str, int], touching: Touching) -> _Sets:
    """Joins dynamic bodies that a joint, a constraint or a force connects, or that may touch."""
    sets = _Sets(len(mechanism.bodies))
    groups = [[joint.parent, joint.child] for joint in mechanism.joints if joint.enabled]
    groups += [force_bodies(force) for force in mechanism.forces]
    groups += [constraint_bodies(mechanism, each) for each in mechanism.constraints if acts(mechanism, each)]
    for names in groups:
        moving = [number[name] for name in names if _is_dynamic(mechanism, number, name)]
        for other in moving[1:]:
            sets.join(moving[0], other)
    for i, j in touching.moving_pairs():
        sets.join(i, j)
    return sets


def _roots(mechanism: Mechanism, number: dict[str, int], neighbours: dict):
    """Roots of trees, as (body, inner body or None, joint or None).

    First what hangs on the ground; then floating trees, preferably at a body that is no joint's child, so that the
    joints are walked the way they were drawn.
    """
    for joint, body in neighbours[GROUND]:
        ends = mechanism.joints[joint].parent, mechanism.joints[joint].child
        inner = next(name for name in ends if not _is_dynamic(mechanism, number, name))
        yield body, None if inner is None else number[inner], joint
    children = {joint.child for joint in mechanism.joints}
    for i, body in enumerate(mechanism.bodies):
        if body.name not in children:
            yield i, None, None
    for i in range(len(mechanism.bodies)):
        yield i, None, None


def _walk(mechanism, number, neighbours, placed, linkage: Linkage, root: int, inner, joint) -> None:
    """Adds a tree to the linkage, depth first, each body directly followed by the first of its outer bodies."""
    stack = [(root, inner, joint)]
    while stack:
        body, inner, joint = stack.pop()
        if placed[body]:
            continue  # a loop has led here before
        placed[body] = True
        linkage.bodies.append(body)
        linkage.inner.append(inner)
        linkage.joint.append(joint)
        linkage.reversed.append(joint is not None and number[mechanism.joints[joint].child] != body)
        for k, other in reversed(neighbours[body]):
            if other != GROUND and not placed[other]:
                stack.append((other, body, k))
