# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows between two frames: every derivative against differences, and no error that is zero at the wrong pose."""

from itertools import combinations

import numpy as np
import pytest

from solver import Mechanism
from solver.assembly.connections import Connections, read_connections
from solver.assembly.placement import Poses, read_bodies
from solver.assembly.system import Linkage
from solver.mechanism import COORDINATES, Curve, Distance, Generic, Joint, Nail, Orientation, Path, PointToPoint
from solver.mechanism.joint_types import AXES
from tests.solver.random_mechanisms import TYPES, random_body, unit_quaternion

STEP = 1e-6
CONSTRAINTS = {
    "nail": lambda v, q: Nail("c", body="a", point=v()),
    "orientation": lambda v, q: Orientation("c", body="a"),
    "point_to_point": lambda v, q: PointToPoint("c", body_a="a", body_b="b", point_a=v(), point_b=v()),
    "distance": lambda v, q: Distance("c", body_a="a", body_b="b", point_a=v(), point_b=v(), distance=0.3),
    "distance to the world": lambda v, q: Distance("c", body_a="a", point_a=v(), point_b=v()),
    "path": lambda v, q: Path("c", body="a", point=v(), times=[0, 1], positions=[v(), v()], orientations=[q(), q()]),
    "generic of travels": lambda v, q: Generic("c", body_a="a", body_b="b", point_a=v(), locked=("x", "z")),
    **{
        f"generic of {' and '.join(turns)}": lambda v, q, turns=turns: Generic(
            "c", body_a="a", body_b="b", point_a=v(), orientation_a=q(), orientation_b=q(), locked=("y", *turns)
        )
        for count in (1, 2, 3)
        for turns in combinations(("turn x", "turn y", "turn z"), count)
    },
    "open curve": lambda v, q: Curve("c", body="a", point=v(), points=[v() for _ in range(5)]),
    "closed curve": lambda v, q: Curve("c", body="a", point=v(), points=[v() for _ in range(5)], closed=True),
}


def linkage_of(mechanism: Mechanism, rng) -> tuple[Linkage, Poses]:
    """The mechanism's ties at poses far from those of the file."""
    bodies = read_bodies(mechanism)
    poses = Poses(bodies.drawn.position.copy(), bodies.drawn.orientation.copy())
    poses.position[:2], poses.orientation[:2] = rng.normal(size=(2, 3)), [unit_quaternion(rng), unit_quaternion(rng)]
    return Linkage(Connections(read_connections(mechanism, bodies), bodies, poses, {}), bodies, poses), poses


def assert_derivatives(mechanism: Mechanism, rng) -> None:
    linkage, poses = linkage_of(mechanism, rng)
    ties = linkage.connections

    def scaled(y):
        moved = linkage.moved_by(poses, linkage.motion(y, poses))
        return linkage.scaled(ties.evaluate(ties.sight(moved)).residual)

    sight = ties.sight(poses)
    evaluated = ties.evaluate(sight)
    assert evaluated.is_active.all()
    exact = linkage.matrix(evaluated, sight, poses).toarray()
    steps = STEP * np.eye(exact.shape[1])
    differences = np.column_stack([(scaled(step) - scaled(-step)) / (2 * STEP) for step in steps])
    assert np.abs(exact).max() > 0.01
    assert exact == pytest.approx(differences, abs=2e-8 * max(1.0, np.abs(exact).max()))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", TYPES)
def test_derivatives_of_joints_and_their_limits(kind, seed):
    rng = np.random.default_rng(seed)
    count = COORDINATES[kind]
    joint = Joint("j", kind, "a", "b", rng.normal(size=3), unit_quaternion(rng), pitch=0.3 if kind == "screw" else None)
    joint.limits = [[-1e-4, 1e-4]] * count if count else None
    assert_derivatives(Mechanism(bodies=[random_body(rng, "a"), random_body(rng, "b")], joints=[joint]), rng)


@pytest.mark.parametrize("free", [free for count in range(1, 6) for free in combinations(AXES, count)], ids=" ".join)
def test_derivatives_of_generic_joints_and_their_limits(free):
    rng = np.random.default_rng(len(free))
    limits = [[-1e-4, 1e-4]] * len(free)
    joint = Joint("j", "generic", "a", "b", rng.normal(size=3), unit_quaternion(rng), free=free, limits=limits)
    assert_derivatives(Mechanism(bodies=[random_body(rng, "a"), random_body(rng, "b")], joints=[joint]), rng)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_derivatives_of_constraints(kind, seed):
    rng = np.random.default_rng(seed)
    part = CONSTRAINTS[kind](lambda: rng.normal(size=3), lambda: unit_quaternion(rng))
    assert_derivatives(Mechanism(bodies=[random_body(rng, "a"), random_body(rng, "b")], constraints=[part]), rng)


@pytest.mark.parametrize("kind", ["revolute", "fixed", "prismatic", "screw", "cylindrical", "planar"])
def test_a_frame_that_is_the_wrong_way_round_is_wrong_by_half_a_turn(kind):
    rng = np.random.default_rng(0)
    joint = Joint("j", kind, "a", "b", [0, 0, 0], pitch=0.3 if kind == "screw" else None)
    mechanism = Mechanism(bodies=[random_body(rng, "a"), random_body(rng, "b")], joints=[joint])
    linkage, poses = linkage_of(mechanism, rng)
    drawn = linkage.bodies.drawn
    flipped = Poses(drawn.position.copy(), drawn.orientation.copy())
    w, x, y, z = drawn.orientation[1]
    flipped.orientation[1] = -x, w, -z, y  # by half a turn about the world's x, which is the joint's
    ties = linkage.connections
    turned = ties.evaluate(ties.sight(flipped)).residual[~ties.is_length]
    assert np.linalg.norm(turned) == pytest.approx(np.pi)
    together = ties.evaluate(ties.sight(drawn)).residual
    assert together == pytest.approx(np.zeros(len(together)), abs=1e-14)
