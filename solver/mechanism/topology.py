# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies hang together: linkages, their trees, and the order in which the recursions walk them."""

from collections import defaultdict
from dataclasses import dataclass, field

from .description import Mechanism
from .error import MechanismError

GROUND = -1  # stands for the world and for every fixed and keyed body: nothing passes through them


@dataclass
class Linkage:
    """Bodies that move together, each after its inner body; indices are those of the mechanism's lists."""

    bodies: list[int] = field(default_factory=list)  # dynamic, roots first
    inner: list[int | None] = field(default_factory=list)  # of each: the inner body; None: the world, or it floats
    joint: list[int | None] = field(default_factory=list)  # of each: the joint to the inner body; None: it floats
    reversed: list[bool] = field(default_factory=list)  # of each: the inner body is the joint's child
    forces: list[int] = field(default_factory=list)


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
    """The linkages of a mechanism without problems. Raises MechanismError for closed loops and idle joints."""
    number = {body.name: i for i, body in enumerate(mechanism.bodies)}
    neighbours = _spanning_trees(mechanism, number)
    linkage_of = _group(mechanism, number)
    linkages: dict[int, Linkage] = {}
    placed = [body.motion != "dynamic" for body in mechanism.bodies]
    for root, inner, joint in _roots(mechanism, number, neighbours):
        if not placed[root]:
            linkage = linkages.setdefault(linkage_of.find(root), Linkage())
            _walk(mechanism, number, neighbours, placed, linkage, root, inner, joint)
    for i, force in enumerate(mechanism.forces):
        moved = [name for name in force_bodies(force) if _is_dynamic(mechanism, number, name)]
        if moved:
            linkages[linkage_of.find(number[moved[0]])].forces.append(i)
    return list(linkages.values())


def force_bodies(force) -> list[str | None]:
    """The names of the one or two bodies that a force acts on."""
    return [force.body] if hasattr(force, "body") else [force.body_a, force.body_b]


def _is_dynamic(mechanism: Mechanism, number: dict[str, int], name: str | None) -> bool:
    return name is not None and mechanism.bodies[number[name]].motion == "dynamic"


def _spanning_trees(mechanism: Mechanism, number: dict[str, int]) -> dict[int, list[tuple[int, int]]]:
    """For each body its (joint, body at the other end); raises where the joints are not trees."""
    sets = _Sets(len(mechanism.bodies) + 1)
    neighbours: dict[int, list[tuple[int, int]]] = defaultdict(list)
    problems = []
    for j, joint in enumerate(mechanism.joints):
        ends = [
            number[name] if _is_dynamic(mechanism, number, name) else GROUND for name in (joint.parent, joint.child)
        ]
        if ends == [GROUND, GROUND]:
            problems.append(
                f"joint '{joint.name}': neither '{joint.parent or 'the world'}' nor '{joint.child}' is dynamic, "
                "so there is nothing to move; make one of them dynamic or remove the joint"
            )
        elif not sets.join(ends[0], ends[1]):
            loop = _path(neighbours, ends[0], ends[1])
            names = ", ".join(f"'{mechanism.joints[k].name}'" for k in loop)
            problems.append(
                f"joint '{joint.name}': closes a loop with {names}; this version solves trees only, "
                "so remove one of these joints"
            )
        else:
            neighbours[ends[0]].append((j, ends[1]))
            neighbours[ends[1]].append((j, ends[0]))
    if problems:
        raise MechanismError(problems)
    return neighbours


def _path(neighbours: dict[int, list[tuple[int, int]]], start: int, end: int) -> list[int]:
    """The joints on the way between two bodies of one tree."""
    came_from: dict[int, tuple[int, int]] = {start: (-1, start)}
    stack = [start]
    while stack and end not in came_from:
        body = stack.pop()
        for joint, other in neighbours[body]:
            if other not in came_from:
                came_from[other] = (joint, body)
                stack.append(other)
    joints = []
    while end != start:
        joint, end = came_from[end]
        joints.append(joint)
    return joints[::-1]


def _group(mechanism: Mechanism, number: dict[str, int]) -> _Sets:
    """Joins dynamic bodies that a joint or a force connects."""
    sets = _Sets(len(mechanism.bodies))
    pairs = [(joint.parent, joint.child) for joint in mechanism.joints]
    pairs += [tuple(names) for names in map(force_bodies, mechanism.forces) if len(names) == 2]
    for a, b in pairs:
        if _is_dynamic(mechanism, number, a) and _is_dynamic(mechanism, number, b):
            sets.join(number[a], number[b])
    return sets


def _roots(mechanism: Mechanism, number: dict[str, int], neighbours: dict):
    """Where trees begin, as (body, inner body or None, joint or None).

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
        placed[body] = True
        linkage.bodies.append(body)
        linkage.inner.append(inner)
        linkage.joint.append(joint)
        linkage.reversed.append(joint is not None and number[mechanism.joints[joint].child] != body)
        for k, other in reversed(neighbours[body]):
            if other != GROUND and not placed[other]:
                stack.append((other, body, k))
