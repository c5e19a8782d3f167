# SPDX-License-Identifier: GPL-3.0-or-later
"""Random graphs for hypothesis: trees, tied into loops and held by constraints of all types.

Everything is closed by construction: a joint's frame is one place in the world for both of its bodies, and a
constraint's points lie where it holds them. A tie is taken if it is independent of those before it, and by a margin,
so that forces are determined and well conditioned; in `planar_mechanisms` it may also add nothing at all.
"""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from solver import Mechanism, simulate
from solver.mechanism import COORDINATES, Curve, Distance, Joint, Nail, Orientation, Path, PointToPoint
from tests.solver.assembly.ties_rank import Independence
from tests.solver.dynamics.loops.maximal import MaximalState
from tests.solver.dynamics.tree.long_doubles import matrix
from tests.solver.random_mechanisms import (
    GROUNDS,
    TYPES,
    ground,
    random_body,
    random_forces,
    random_joint,
    unit_quaternion,
)

CONSTRAINTS = ("nail", "orientation", "point_to_point", "distance", "path", "pose path", "curve")
TRIES = 4  # candidates for each tie that is wanted
MET_IN_ANY_POSE = CONSTRAINTS[2:]  # can be written down in a pose away from zero coordinates


@dataclass
class Tree:
    """Bodies and joints, and the mechanism's poses after the joints' coordinates."""

    rng: np.random.Generator
    bodies: list = field(default_factory=list)
    joints: list = field(default_factory=list)
    poses: dict = field(default_factory=dict)  # name: (position, rotation) now
    state: MaximalState | None = None
    start: SimpleNamespace | None = None

    @property
    def dynamic(self) -> list[str]:
        return [body.name for body in self.bodies if body.motion == "dynamic"]

    def stand(self) -> None:
        """Computes the poses."""
        recording = simulate(Mechanism(bodies=self.bodies, joints=self.joints), 0.0)
        self.start = recording
        self.poses = {
            body.name: (recording.position[0, i], np.array(matrix(recording.orientation[0, i]), float))
            for i, body in enumerate(self.bodies)
        }

    def back(self, name: str | None, point: np.ndarray) -> np.ndarray:
        """The place at zero coordinates of a point that a body has now."""
        if name is None:
            return point
        body = next(body for body in self.bodies if body.name == name)
        position, rotation = self.poses[name]
        return np.array(body.position) + np.array(matrix(body.orientation), float) @ rotation.T @ (point - position)

    def with_joints(self, joints: list[Joint]) -> SimpleNamespace:
        """At rest, with more joints, their coordinates zero: what MaximalState reads of a recording."""
        offsets = np.cumsum([0] + [COORDINATES[joint.type] for joint in (*self.joints, *joints)])
        coordinates = np.zeros((1, offsets[-1]))
        coordinates[:, : self.start.joint_coordinates.shape[1]] = self.start.joint_coordinates
        return SimpleNamespace(
            times=np.zeros(1),
            position=self.start.position,
            orientation=self.start.orientation,
            linear_velocity=np.zeros_like(self.start.position),
            angular_velocity=np.zeros_like(self.start.position),
            joint_coordinates=coordinates,
            joint_speeds=np.zeros_like(coordinates),
            joint_offsets=offsets,
        )


def random_tree(rng, count: int, grounds: tuple[str, ...], ratio: float, moved: bool) -> Tree:
    """A compact forest: each body some half metre from its inner one, masses up to `ratio` apart.

    `moved`: joints have coordinates; then no tree floats, because which of its bodies stays in place is open.
    """
    if moved:
        grounds = tuple(on for on in grounds if on != "floating") or ("world",)
    tree = Tree(rng)
    place = {}
    for i in range(count):
        body = random_body(rng, f"body {i}")
        factor = ratio ** rng.uniform(-0.4, 0.4)
        body.mass, body.inertia = body.mass * factor, (factor * np.array(body.inertia)).tolist()
        inner = int(rng.integers(max(-1, i - 4), i)) if rng.random() < 0.9 or not i else -1
        on, at = f"body {inner}", place.get(inner, 0.3 * rng.normal(size=3))
        if inner < 0:
            on = grounds[rng.integers(len(grounds))]
            if on in ("fixed", "keyed"):
                tree.bodies.append(ground(rng, f"{on} {i}", on))
                on, at = tree.bodies[-1].name, np.array(tree.bodies[-1].position)
            elif on == "world":
                on = None
        place[i] = body.position = at + 0.4 * rng.normal(size=3)
        body.linear_velocity, body.angular_velocity = 0.5 * rng.normal(size=(2, 3))
        tree.bodies.append(body)
        if on != "floating":
            ends = [on, body.name]
            if on is not None and rng.random() < 0.5:
                ends.reverse()
            joint = random_joint(rng, f"joint {i}", TYPES[rng.integers(len(TYPES))], *ends, efforts=True)
            joint.position, joint.speeds = 0.5 * (at + place[i]) + 0.1 * rng.normal(size=3), None
            joint.coordinates = 0.5 * np.array(joint.coordinates) if moved else None
            tree.joints.append(joint)
    tree.stand()
    return tree


def random_loop(tree: Tree, name: str) -> Joint:
    """A joint of any type between any two bodies, of a tree at zero coordinates."""
    rng = tree.rng
    child, parent = _two_bodies(tree)
    joint = random_joint(rng, name, TYPES[rng.integers(len(TYPES))], parent, child, efforts=True)
    joint.position, joint.speeds, joint.coordinates = _between(tree, child, parent), None, None
    if parent is not None and rng.random() < 0.5:
        joint.parent, joint.child = child, parent
    return joint


def random_constraint(tree: Tree, name: str, kind: str):
    """A constraint that the tree meets as it stands."""
    rng = tree.rng
    a, b = _two_bodies(tree)
    place = _between(tree, a, b)
    on_a = {"body": a, "point": tree.back(a, place)}
    if kind == "nail":
        return Nail(name, **on_a)
    if kind == "orientation":
        return Orientation(name, body=a)
    if kind == "point_to_point":
        return PointToPoint(name, body_a=a, body_b=b, point_a=tree.back(a, place), point_b=tree.back(b, place))
    if kind == "distance":
        other = _between(tree, a, b)
        points = {"point_a": tree.back(a, place), "point_b": tree.back(b, other)}
        return Distance(name, body_a=a, body_b=b, **points, distance=np.linalg.norm(other - place))
    if kind == "curve":
        points = place + np.cumsum(0.4 * rng.normal(size=(6, 3)), axis=0)
        return Curve(name, **on_a, points=(points - points[2] + place).tolist(), closed=bool(rng.random() < 0.5))
    times = np.linspace(0.0, 1.0, 11)
    positions = place + 0.3 * (np.sin(np.outer(times, rng.uniform(-2, 2, 3))))
    path = Path(name, **on_a, times=times, positions=positions.tolist())
    if kind == "pose path":
        first = _quaternion(tree.poses[a][1])
        turned = first + 0.3 * np.sin(np.outer(times, rng.uniform(-2, 2, 4)))
        path.orientations = (turned / np.linalg.norm(turned, axis=1, keepdims=True)).tolist()
    return path


def _two_bodies(tree: Tree) -> tuple[str, str | None]:
    """A dynamic body and another one or the world; the world as often as not."""
    a = tree.dynamic[tree.rng.integers(len(tree.dynamic))]
    others = [body.name for body in tree.bodies if body.name != a]
    return a, others[tree.rng.integers(len(others))] if others and tree.rng.random() < 0.7 else None


def _between(tree: Tree, a: str, b: str | None) -> np.ndarray:
    ends = [tree.poses[name][0] for name in (a, b) if name is not None]
    return np.mean(ends, axis=0) + 0.3 * tree.rng.normal(size=3)


def _quaternion(R: np.ndarray) -> np.ndarray:
    """[w, x, y, z] of a rotation matrix, as the vector that the matrix of products q q^T has most of."""
    t = np.trace(R)
    full = np.zeros((4, 4))
    full[0, 0], full[1:, 1:] = t, R + R.T - t * np.eye(3)
    full[0, 1:] = full[1:, 0] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    return np.linalg.eigh(full)[1][:, -1]


@st.composite
def tied_mechanisms(
    draw, most: int = 12, ties: int = 6, grounds=GROUNDS, ratio: float = 1.0, forces: bool = True, told: bool = True
):
    """Graphs of `most` bodies at most, held by `ties` more joints and constraints at most, none of them redundant.

    `told`: some bodies and points move as told, and may so be led into a dead end.
    Every dynamic body asks for a velocity of its own, which the joints and ties do not fit.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    moved = draw(st.integers(0, 2)) == 2
    grounds = [on for on in grounds if told or on != "keyed"]
    tree = random_tree(rng, draw(st.integers(1, most)), tuple(grounds), ratio, moved)
    kinds = MET_IN_ANY_POSE if moved else ("loop", *CONSTRAINTS, "loop", "loop")
    kinds = [kind for kind in kinds if told or "path" not in kind]
    wanted, candidates = draw(st.integers(1, ties)), []
    for k in range(TRIES * wanted):
        kind = kinds[rng.integers(len(kinds))]
        tie = random_loop(tree, f"loop {k}") if kind == "loop" else random_constraint(tree, f"tie {k}", kind)
        candidates.append(tie)
    return _mechanism(tree, candidates, wanted, draw(st.booleans()) and forces, redundant=False)


def _mechanism(tree: Tree, candidates: list, wanted: int, forces: bool, redundant: bool) -> Mechanism:
    """The tree with the first `wanted` candidates that are independent, or clearly redundant; lists in random order."""
    rng = tree.rng
    loops = [tie for tie in candidates if isinstance(tie, Joint)]
    constraints = [tie for tie in candidates if not isinstance(tie, Joint)]
    everything = Mechanism(bodies=tree.bodies, joints=[*tree.joints, *loops], constraints=constraints)
    state = MaximalState(everything, tree.with_joints(loops))
    independence = Independence(state, len(tree.joints), redundant)
    takes = [lambda k=k: independence.takes_joint(len(tree.joints) + k) for k in range(len(loops))]
    takes += [lambda now=now: independence.takes(now) for now in state.ties]
    taken = []
    for k in rng.permutation(len(takes)):
        if len(taken) < wanted and takes[k]():
            taken.append([*loops, *constraints][k])
    loops = [tie for tie in taken if isinstance(tie, Joint)]
    constraints = [tie for tie in taken if not isinstance(tie, Joint)]
    if constraints and rng.random() < 0.2:
        constraints.append(replace(constraints[0], name="idle", enabled=False))
    names = [body.name for body in tree.bodies]
    joints = [*tree.joints, *loops]
    return Mechanism(
        gravity=(0.0, 0.0, -9.81) if rng.random() < 0.5 else rng.normal(size=3),
        bodies=[tree.bodies[i] for i in rng.permutation(len(names))],
        joints=[joints[i] for i in rng.permutation(len(joints))],
        constraints=[constraints[i] for i in rng.permutation(len(constraints))],
        forces=random_forces(rng, tree.dynamic, names) if forces else [],
    )


@st.composite
def planar_mechanisms(draw, most: int = 12, ties: int = 6):
    """Graphs in a plane, somewhere in space, of joints that are made for space: loops are redundant three times each.

    Some joints are there twice, shifted along their axes, and some bodies are nailed as well.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tree, plane = Tree(rng), np.array(matrix(unit_quaternion(rng)), float)
    place = []
    for i in range(draw(st.integers(2, most))):
        body = random_body(rng, f"body {i}")
        inner = max(i - 1 - int(rng.integers(3)), -1)
        at = place[inner] if inner >= 0 else np.zeros(3)
        place.append(at + plane @ (rng.normal(size=3) * (0.5, 0.5, 0.1)))
        body.position = place[-1]
        body.linear_velocity, body.angular_velocity = 0.5 * rng.normal(size=(2, 3))
        tree.bodies.append(body)
        if i or rng.random() < 0.7:
            on = f"body {inner}" if inner >= 0 else None
            tree.joints.append(_planar_joint(rng, f"joint {i}", plane, on, body.name, 0.5 * (at + place[-1])))
    tree.stand()
    wanted, candidates = draw(st.integers(1, ties)), []
    for k in range(TRIES * wanted):
        a, b = _two_bodies(tree)
        if rng.random() < 0.2:
            candidates.append(Nail(f"tie {k}", body=a, point=_between(tree, a, None)))
        elif rng.random() < 0.2 and tree.joints:
            twin = tree.joints[rng.integers(len(tree.joints))]
            shifted = np.array(twin.position) + 0.2 * plane[:, 2]
            candidates.append(Joint(f"twin {k}", "revolute", twin.parent, twin.child, shifted, twin.orientation))
        else:
            candidates.append(_planar_joint(rng, f"loop {k}", plane, b, a, _between(tree, a, b)))
    return _mechanism(tree, candidates, wanted, draw(st.booleans()), redundant=True)


def _planar_joint(rng, name: str, plane: np.ndarray, parent: str | None, child: str, place: np.ndarray) -> Joint:
    kind = ("revolute", "revolute", "revolute", "prismatic", "planar", "fixed")[rng.integers(6)]
    angle = rng.uniform(0, 2 * np.pi)
    c, s = np.cos(angle), np.sin(angle)
    frame = plane @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    if kind == "prismatic":
        frame = frame[:, [1, 2, 0]]
    joint = random_joint(rng, name, kind, parent, child, efforts=True)
    joint.position, joint.orientation, joint.speeds, joint.coordinates = place, _quaternion(frame), None, None
    return joint
