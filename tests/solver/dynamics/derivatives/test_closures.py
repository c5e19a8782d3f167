# SPDX-License-Identifier: GPL-3.0-or-later
"""Derivatives of the accelerations of closed linkages against extrapolated differences, for every kind of row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from solver.dynamics.derivatives.changes import new_changes
from solver.mechanism import (
    Body,
    Curve,
    Distance,
    Gear,
    Generic,
    Joint,
    JointMotor,
    Mechanism,
    Nail,
    Orientation,
    PointToPoint,
    Pulley,
    Rope,
)
from solver.model.arrays import (
    AUTO,
    AXIS_PARAMETERS,
    COMPOSITE,
    LAGRANGE,
    MOTOR_VALUE,
    PROPAGATION,
    RECURSIVE,
    MotorMode,
)
from solver.model.arrays import new_scratch as room
from solver.model.linkage.compilation import compile_linkages
from tests.solver.assembly.random_ties import planar_mechanisms, tied_mechanisms
from tests.solver.dynamics.derivatives.differences import (
    Differentiated,
    differentiated,
    extrapolated,
    without_kinks,
    worst_error,
)
from tests.solver.random_mechanisms import random_body, random_joint

EXACT = 1e-9
METHODS = (RECURSIVE, COMPOSITE, PROPAGATION, LAGRANGE)


def some(count: int):
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=checks)


def figure(*ties, kinds: tuple[str, ...] = ("spherical", "universal", "revolute", "screw"), mass: float = 1.0):
    """Two chains on the world, moving, with these constraints, which they need not meet where they are looked at.

    A row's derivatives are those of its formula anywhere, and away from where it is met all of its terms count.
    """
    rng = np.random.default_rng(4)
    bodies = [random_body(rng, f"b{k}") for k in range(len(kinds))]
    joints = []
    for k, kind in enumerate(kinds):
        inner = f"b{k - 1}" if k % 2 else None
        joints.append(random_joint(rng, f"j{k}", kind, inner, f"b{k}", efforts=False))
        joints[-1].coordinates = None
        joints[-1].motor = JointMotor("force", value=[0.3] * len(joints[-1].speeds))
    tied = [tie for tie in ties if not isinstance(tie, Joint)]
    return Mechanism(bodies=bodies, joints=joints + [tie for tie in ties if isinstance(tie, Joint)], constraints=tied)


def closing(kind: str) -> Joint:
    turn = np.array([0.8, 0.2, -0.4, 0.3])
    pitch = 0.3 if kind == "screw" else None
    return Joint("closing", kind, "b3", "b1", (0.2, 0.1, 0.4), turn / np.linalg.norm(turn), pitch=pitch)


POINTS = {"point_a": (0.3, 0.2, -0.1), "point_b": (-0.4, 0.5, 0.6)}
WHEELS = {"wheel_a": (0.0, 0.2, 2.0), "wheel_b": (0.4, 0.0, 2.0)}
ALONG = ((0.3, 0.2, -0.1), (0.0, 0.2, 2.0), (-0.4, 0.0, 1.0), (-0.4, 0.5, 0.6))
CURVE = ((-1.0, 0.0, 0.2), (0.0, 0.6, 0.5), (0.7, 0.4, -0.2), (1.5, -0.3, 0.1))
RISING = ((0.1, 0.0, 1.0), (0.3, 0.2, 0.8), (0.0, -0.4, 0.9), (0.2, 0.1, 1.0))
TIES = {
    "point to point": PointToPoint("tie", body_a="b1", body_b="b3", point_a=(0.3, 0.2, 0.1), point_b=(0.3, 0.2, 0.1)),
    "nail": Nail("tie", body="b1", point=(0.3, 0.2, 0.1)),
    "orientation": Orientation("tie", body="b1"),
    "distance": Distance("tie", body_a="b1", body_b="b3", **POINTS),
    "distance to the world": Distance("tie", body_a="b1", body_b=None, **POINTS),
    "pulley": Pulley("tie", body_a="b1", body_b="b3", **WHEELS, **POINTS, ratio=1.7),
    "rope": Rope("tie", bodies=["b1", None, "b0", "b3"], points=ALONG),
    "rope on drums": Rope("tie", bodies=["b1", None], points=ALONG[:2], drums=["j2", "j3"], radii=[0.3, -0.2]),
    "plane": Generic("tie", body_a="b1", body_b="b3", point_a=(0.3, 0.2, 0.1), locked=("y",)),
    "cross": Generic("tie", body_a="b1", body_b="b3", point_a=(0.3, 0.2, 0.1), locked=("x", "turn x")),
    "curve": Curve("tie", body="b1", point=(0.35, 0.5, 0.1), points=CURVE),
    "closed curve": Curve("tie", body="b1", point=(0.35, 0.5, 0.1), points=CURVE, closed=True),
    "curve of a body": Curve("tie", body="b1", to="b3", point=(0.35, 0.5, 0.1), points=CURVE),
    "cam": Curve("tie", body="b1", point=(-0.3, 0.6, 0.2), points=CURVE, closed=True, one_sided="inside", radius=0.1),
    "cam of a body": Curve(
        "tie", body="b1", to="b3", point=(-0.3, 0.6, 0.2), points=CURVE, one_sided="left", axis=(0.2, -0.9, 1.0)
    ),
    "along a curve": Curve("tie", body="b1", point=(0.35, 0.5, 0.1), points=CURVE, align="tangent"),
    "upright on the curve of a body": Curve(
        "tie", body="b1", to="b3", point=(0.35, 0.5, 0.1), points=CURVE, align="up", up=RISING
    ),
    "coupling": Gear("tie", joint_a="j2", joint_b="j3", ratio=-1.5),
    **{kind: closing(kind) for kind in ("revolute", "cylindrical", "prismatic", "screw", "planar")},
}


@pytest.mark.parametrize("name", TIES)
def test_every_kind_of_tie(name):
    counted = {"coupling": ("revolute", "screw"), "rope on drums": ("revolute", "revolute")}
    kinds = ("spherical", "spherical", *counted.get(name, ("spherical", "spherical")))
    (linkage,) = [each for each in differentiated(figure(TIES[name], kinds=kinds), aside=0.1) if each.model.closing]
    assert linkage.model.closing
    assert np.abs(linkage.scratch.rows.multiplier[: linkage.model.closing]).max() > 0.1
    assert worst_error(linkage) < EXACT


@pytest.mark.parametrize("name", ["distance", "pulley", "revolute", "curve", "upright on the curve of a body"])
def test_multipliers_change_too(name):
    linkages = differentiated(figure(TIES[name], kinds=("spherical",) * 4), aside=0.1)
    (linkage,) = [each for each in linkages if each.model.closing]
    dq, du, none = *np.random.default_rng(3).normal(size=(2, linkage.axes)), np.zeros(linkage.axes)

    def multipliers(h: float) -> np.ndarray:
        linkage.accelerations(linkage.q + h * dq, linkage.u + h * du)
        return linkage.scratch.rows.multiplier[: linkage.model.closing].copy()

    expected = extrapolated(multipliers)
    linkage.product(dq, du, none)
    assert np.abs(linkage.changes.rows.multiplier - expected).max() < EXACT * max(1.0, np.abs(expected).max())


@some(40)
@given(tied_mechanisms(most=8, ties=5))
def test_random_graphs(mechanism):
    """Aside from where they are met: where a curve is drawn to be met its third derivative jumps."""
    for linkage in differentiated(without_kinks(mechanism), aside=0.05):
        assert worst_error(linkage) < EXACT


@some(25)
@given(planar_mechanisms(most=8, ties=4))
def test_redundant_rows(mechanism):
    """Along the coordinates that keep them redundant, at speeds that they allow; along others accelerations jump."""
    for linkage in differentiated(without_kinks(mechanism)):
        linkage.meet_rows()
        assert worst_error(linkage) < EXACT


@some(25)
@given(tied_mechanisms(most=8, ties=5))
def test_the_answer_does_not_depend_on_the_method(mechanism):
    expected = differentiated(mechanism, AUTO)
    for method in METHODS:
        for one, other in zip(expected, differentiated(mechanism, method), strict=True):
            for name in ("by_coordinates", "by_speeds", "by_efforts"):
                a, b = getattr(one, name), getattr(other, name)
                assert np.abs(a - b).max(initial=0.0) < EXACT * max(1.0, np.abs(a).max(initial=0.0))


def test_by_efforts_of_a_closed_linkage():
    """Against the efforts of motors, in which accelerations are linear."""
    (linkage,) = differentiated(figure(TIES["revolute"]), aside=0.1)
    pushed = np.flatnonzero(linkage.model.motor_mode == MotorMode.FORCE)  # the closing joint has none
    assert len(pushed) == linkage.axes - 1
    for axis in pushed:
        ends = []
        for effort in (-5.0, 5.0):
            linkage.scratch.parameters[axis * AXIS_PARAMETERS + MOTOR_VALUE] = effort
            ends.append(linkage.accelerations())
        linkage.scratch.parameters[axis * AXIS_PARAMETERS + MOTOR_VALUE] = 0.3
        slope = (ends[1] - ends[0]) / 10.0
        assert np.abs(slope - linkage.by_efforts[:, axis]).max() < EXACT * max(1.0, np.abs(slope).max())


def test_what_gives_way_is_refused():
    (compiled,) = compile_linkages(figure(TIES["revolute"]))
    compiled.model.closures.gives_way[0] = 1
    with pytest.raises(ValueError, match="closures that give way"):
        new_changes(compiled.model, room(compiled.model))


def test_bodies_without_a_tie_are_left_alone():
    bodies = [Body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in ("one", "two")]
    linkages = differentiated(Mechanism(bodies=bodies), aside=0.1)
    assert len(linkages) == 2
    assert all(isinstance(each, Differentiated) and worst_error(each) < EXACT for each in linkages)
