# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of docs/how/integrators.md: each feature by each integrator runs as by Adams, or is refused by name."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how" / "integrators.md"
COLUMNS = ("adams", "runge-kutta", "implicit", "variational", "impulse", "quasi-static", "adaptive")
DURATION = 0.2  # s
NEAR = 4e-3  # m, of bars of a metre: as far as steps of one length may be off
ABOUT_Y = [0.7071067811865476, -0.7071067811865476, 0.0, 0.0]
ALONG_X = [0.7071067811865476, 0.0, 0.7071067811865476, 0.0]
QUARTER_TURN = [0.7071067811865476, 0.0, 0.0, 0.7071067811865476]  # about Z
END = [1.0, 0.0, -1.0]  # of the second bar
DIGRESSIVE = {"rates": [0, 0.1, 1], "forces": [0, 0.4, 1]}
OVER = [0.5, 0.0, 0.0], [0.5, 0.0, 1.0]  # the middle of the first bar, and a wheel above it
BOX = {"type": "box", "half_size": [0.5, 0.05, 0.05]}


def bar(name: str, x: float, **more: object) -> dict:
    """A bar of a metre along X, whose middle is there."""
    return {"name": name, "mass": 1.0, "inertia": [0.002, 0.084, 0.084], "position": [x, 0.0, 0.0], **more}


def hinge(name: str, parent: str | None, child: str, x: float, **more: object) -> dict:
    joint = {"name": name, "type": "revolute", "parent": parent, "child": child, "position": [x, 0.0, 0.0]}
    return {**joint, "orientation": ABOUT_Y, **more}


def two_bars(first: dict | None = None, **parts: list) -> dict:
    """A bar along X on the world's hinge `a`, which may have more, and one that hangs down from its end."""
    joints = [hinge("a", None, "one", 0.0, **(first or {})), hinge("b", "one", "two", 1.0)]
    joints += parts.pop("joints", [])
    two = {"name": "two", "mass": 1.0, "inertia": [0.084, 0.084, 0.002], "position": [1.0, 0.0, -0.5]}
    return {"bodies": [bar("one", 0.5), two], "joints": joints, **parts}


def other_joint(kind: str, **more: object) -> dict:
    """The second bar on a joint of another type; its Z is along X."""
    made = two_bars()
    made["joints"][1] |= {"type": kind, "orientation": ALONG_X, **more}
    return made


def held(**constraint: object) -> dict:
    return two_bars(constraints=[{"name": "held", **constraint}])


def pulled(**force: object) -> dict:
    return two_bars(forces=[{"name": "force", **force}])


def with_motor(**motor: object) -> dict:
    return two_bars({"motor": motor})


def keyed_body() -> dict:
    """The second bar hangs on one that is keyed."""
    made = two_bars()
    times = [0.0, 0.1, 0.2, 0.3]
    keys = {"times": times, "positions": [[0.5 + t * t, 0.0, 0.0] for t in times], "orientations": [[1, 0, 0, 0]] * 4}
    made["bodies"][0] = {"name": "one", "motion": "keyed", "keys": keys}
    made["joints"].pop(0)
    return made


def following(**more: object) -> dict:
    made = two_bars()
    keys = {"times": [0.0, 1.0], "positions": [[0.5, 0.0, 0.0]] * 2, "orientations": [[1, 0, 0, 0]] * 2}
    made["bodies"][0] |= {"keys": keys, "follow": {"frequency": 2.0, "relative_to": "world"}, **more}
    return made


def steered() -> dict:
    """The second bar is turned, about an upright hinge, by how the first one leans as it falls."""
    made = other_joint("revolute", orientation=[1.0, 0.0, 0.0, 0.0], position=[0.8, 0.0, 0.0])
    rider = {"name": "force", "type": "steering", "body": "one", "fork": "two", "orientation": QUARTER_TURN}
    arms = {"stiffness": 10.0, "damping": 0.5, "wheelbase": 1.0, "center_height": 1.0}
    return {**made, "forces": [rider | arms]}


def falling_box(**contact: object) -> dict:
    """A box that falls 1 cm."""
    body = bar("one", 0.5, shape=BOX) | {"position": [0.0, 0.0, 0.06]}
    return {"bodies": [body], "contact": {"enabled": True, "ground": {"height": 0.0}, **contact}}


def ride() -> dict:
    plane = {"type": "plane"}
    ball = {"name": "ball", "mass": 1.0, "inertia": [0.1, 0.1, 0.1], "position": [0.0, 0.0, 0.5]}
    joint = {"name": "ride", "type": "contact", "parent": None, "child": "ball", "position": [0.0, 0.0, 0.0]}
    joint |= {"surface_parent": plane, "surface_child": {"type": "sphere", "radius": 0.5}}
    return {"bodies": [ball], "joints": [joint], "gravity": [1.0, 0.0, -9.81]}


def on_rails() -> dict:
    """A bar that slides through the bottom of a dip, and turns with it."""
    points = [[-0.5, 0.0, 0.2], [0.5, 0.0, 0.0], [1.5, 0.0, 0.2]]
    rails = {"name": "rails", "type": "curve", "body": "one", "point": [0.5, 0.0, 0.0], "points": points}
    return {"bodies": [bar("one", 0.5, linear_velocity=[1.0, 0.0, 0.0])], "constraints": [rails | {"align": "tangent"}]}


POINTS = [[1.5, 0.0, -1.2], END, [0.5, 0.0, -1.0], [0.0, 0.0, -0.8]]
BOWL = [[-0.5, 0.0, -0.9], [0.5, 0.0, -1.04], [1.0, 0.0, -1.05], [1.5, 0.0, -1.04], [2.5, 0.0, -0.9]]
LENGTH_1_IN_1_S = {"times": [0.0, 1.0], "values": [1.0, 1.2]}
WAVES = {
    "terrains": [
        {
            "name": "ground",
            "origin": [-1.0, -1.0, 0.0],
            "spacing": [0.5, 0.5],
            "heights": [[0.02 * (i % 3) + 0.01 * j for i in range(9)] for j in range(5)],
        }
    ]
}
TYRE = {
    "type": "tyre",
    "body": "two",
    "point": END,
    "radius": 0.1,
    "stiffness": 500.0,
    "damping": 5.0,
    "friction": 0.5,
    "slip_stiffness": 20.0,
    "cornering_stiffness": 20.0,
    "rolling_resistance": 0.01,
}
FEATURES = {
    "trees": two_bars(),
    "loops": held(type="nail", body="two", point=END) | {"gravity": [0.0, 0.0, 0.0]},
    "`prismatic`": other_joint("prismatic"),
    "`cylindrical`": other_joint("cylindrical"),
    "`universal`": other_joint("universal"),
    "`spherical`": other_joint("spherical"),
    "`screw`": other_joint("screw", pitch=0.1),
    "`planar`": other_joint("planar"),
    "`generic` joint": other_joint("generic", free=["x", "turn y"]),
    "`contact` joint: rides": ride(),
    "joint springs": two_bars({"stiffness": [20.0], "damping": [1.0]}),
    "joint springs, dampers by tables": two_bars(
        {"pull": {"coordinates": [-1, 0, 1], "forces": [-40, 0, 10]}, "damper": DIGRESSIVE}
    ),
    "joint friction": two_bars({"friction": [2.0]}),
    "joint friction, static": two_bars({"friction": [2.0], "static_friction": [6.0], "stribeck_speed": [0.5]}),
    "armature": two_bars({"armature": [0.5]}),
    "limits": two_bars({"limits": [[-0.05, 0.05]]}),
    "limits that give way (`stops`)": two_bars(
        {"limits": [[-0.05, 0.05]], "stops": {"depths": [0, 0.05, 0.1], "forces": [0, 20, 80], "dissipation": 0.2}}
    ),
    "motor `force`": with_motor(mode="force", value=5.0),
    "motor `speed`": with_motor(mode="speed", target=1.0),
    "motor `speed` with a maximum": with_motor(mode="speed", target=1.0, max_force=5.0),
    "motor `position`": with_motor(mode="position", target=0.3, stiffness=50.0, damping=5.0),
    "motor `keyed`": with_motor(mode="keyed", target={"times": [0.0, 1.0], "values": [0.0, 1.0]}),
    "`orientation`": held(type="orientation", body="two"),
    "`point_to_point`": held(type="point_to_point", body_a="two", point_a=END, point_b=END),
    "`distance`": held(type="distance", body_a="two", point_a=END, point_b=[1.0, 0.0, -2.0], distance=1.0),
    "`distance`, keyed": held(
        type="distance", body_a="two", point_a=END, point_b=[1.0, 0.0, -2.0], distance=LENGTH_1_IN_1_S
    ),
    "`distance`, `slack`": held(
        type="distance", body_a="two", point_a=END, point_b=[1.0, 0.0, -1.9], distance=1.0, slack=True
    ),
    "`path`": held(
        type="path", body="two", point=END, times=[0.0, 0.5, 1.0], positions=[[1, 0, -1], [0.9, 0, -1], [0.7, 0, -1]]
    ),
    "`curve`": held(type="curve", body="two", point=END, points=POINTS),
    "`curve` on a body": held(type="curve", body="two", point=END, points=POINTS, to="one"),
    "`curve` with `align`": on_rails(),
    "`curve` that pushes: a cam": held(
        type="curve", body="two", point=END, points=BOWL, one_sided="left", axis=[0, -1, 0], radius=0.02
    ),
    "`generic` constraint": held(type="generic", body_a="two", point_a=END, point_b=END, locked=["x"]),
    "`gear`": held(type="gear", joint_a="a", joint_b="b", ratio=-0.5),
    "`gear`, `backlash`": held(type="gear", joint_a="a", joint_b="b", ratio=-0.5, backlash=0.05),
    "`rack`": {
        **other_joint("prismatic"),
        "constraints": [{"name": "held", "type": "rack", "joint_a": "a", "joint_b": "b", "radius": 0.2}],
    },
    "`rack`, `backlash`": {
        **other_joint("prismatic"),
        "constraints": [
            {"name": "held", "type": "rack", "joint_a": "a", "joint_b": "b", "radius": 0.2, "backlash": 0.02}
        ],
    },
    "`pulley`": held(
        type="pulley",
        body_a="one",
        point_a=[0.5, 0.0, 0.0],
        wheel_a=[0.5, 0.0, 1.0],
        body_b="two",
        point_b=END,
        wheel_b=[1.5, 0.0, 0.0],
    ),
    "`pulley`, `slack`": held(
        type="pulley",
        body_a="one",
        point_a=[0.5, 0.0, 0.0],
        wheel_a=[0.5, 0.0, 1.0],
        body_b="two",
        point_b=END,
        wheel_b=[1.5, 0.0, 0.0],
        length=2.2,
        slack=True,
    ),
    "`rope`": held(type="rope", bodies=["one", None, "two", None], points=[*OVER, END, [2.0, 0.0, 0.5]]),
    "`rope` on a drum": held(type="rope", bodies=["two", None], points=[END, OVER[1]], drums=["a"], radii=[0.1]),
    "`rope`, friction": held(
        type="rope", bodies=["one", None, "two"], points=[*OVER, END], slack=True, friction=[0.0, 0.1, 0.0]
    ),
    "`rope`, `slack`": held(type="rope", bodies=["two", None], points=[END, OVER[1]], slack=True),
    "drawn together (`tau`)": held(type="point_to_point", body_a="two", point_a=END, point_b=[1.0, 0.0, -1.2], tau=0.1),
    "`motor`": pulled(type="motor", body="two", point=END, force=[0.0, 0.0, 20.0]),
    "`damping`": pulled(type="damping", body="two", linear=2.0),
    "`brake`": pulled(type="brake", body="two", point=END, damping=3.0, max_force=2.0),
    "`support`": pulled(type="support", body="two", point=END, stiffness=500.0, damping=5.0, height=-1.01),
    "`support` by tables": pulled(
        type="support",
        body="two",
        point=END,
        height=-1.01,
        damper=DIGRESSIVE,
        push={"depths": [0, 0.01, 0.05], "forces": [0, 3, 40]},
    ),
    "`support`, friction": pulled(
        type="support", body="two", point=END, stiffness=500.0, damping=5.0, height=-1.0, friction=0.5
    ),
    "`support`, static friction": pulled(
        type="support",
        body="two",
        point=END,
        stiffness=500.0,
        damping=5.0,
        height=-1.0,
        friction=0.5,
        static_friction=0.7,
    ),
    "`support` on a `terrain`": pulled(
        type="support", body="two", point=END, stiffness=500.0, damping=5.0, height=-1.01, terrain="ground"
    )
    | WAVES,
    "`tyre`": pulled(**TYRE, height=-1.11),
    "`tyre` on a `terrain`": pulled(**TYRE, height=-1.11, terrain="ground") | WAVES,
    "`spring`": pulled(
        type="spring", body_a="two", point_a=END, point_b=[1.0, 0.0, -2.0], stiffness=20.0, rest_length=0.5
    ),
    "`rubber`": pulled(
        type="rubber", body_a="two", point_a=END, point_b=[1.0, 0.0, -2.0], stiffness=20.0, rest_length=0.5
    ),
    "`spring`, `rubber` by tables": two_bars(
        forces=[
            {
                "type": kind,
                "name": kind,
                "body_a": "two",
                "point_a": END,
                "point_b": [1.0, 0.0, -2.0],
                "pull": {"lengths": [0.8, 1.0, 1.4], "forces": [0, 3, 30]},
                "damper": DIGRESSIVE,
            }
            for kind in ("spring", "rubber")
        ]
    ),
    "`drag`": pulled(type="drag", body="two", area=0.5),
    "`gravity` of a body": pulled(type="gravity", body="two", acceleration=[0.0, 0.0, 2.0]),
    "`expression`": pulled(type="expression", body="two", force=["-2*vx", "0", "3*sin(5*t)"]),
    "`expression` that jumps": pulled(type="expression", body="two", force=["0", "0", "5 if t < 0.1 else 0"]),
    "`steering`": steered(),
    "keyed bodies": keyed_body(),
    "`follow`": following(),
    "`follow`, `released`": following(released=True),
    "actions": two_bars(actions=[{"time": 0.1, "target": "b", "set": {"damping": [1.0]}}]),
    "what is cut": two_bars(actions=[{"time": 0.1, "target": "b", "set": {"enabled": False}}]),
    "bodies that touch": falling_box(),
    "bodies that touch, static friction": falling_box(ground={"height": 0.0, "friction": 0.5, "static_friction": 0.7}),
}

# what goes on for ever is replaced, for quasi-static, by what comes to an end
ENDING = {
    "`prismatic`": other_joint("prismatic", stiffness=[50.0]),
    "`cylindrical`": other_joint("cylindrical", stiffness=[50.0, 5.0]),
    "`screw`": other_joint("screw", pitch=0.1, stiffness=[20.0]),
    "`planar`": other_joint("planar", stiffness=[50.0, 50.0, 5.0]),
    "`generic` joint": other_joint("generic", free=["x", "turn y"], stiffness=[50.0, 5.0]),
    "`rack`": {
        **other_joint("prismatic", stiffness=[50.0]),
        "constraints": [{"name": "held", "type": "rack", "joint_a": "a", "joint_b": "b", "radius": 0.2}],
    },
    "`expression`": pulled(type="expression", body="two", force=["-2*vx", "0", "3*exp(-5*t)"]),
    "`gravity` of a body": pulled(type="gravity", body="two", acceleration=[0.0, 0.0, -8.0]),
    "`motor`": pulled(type="motor", body="two", point=END, force=[2.0, 0.0, 0.0]),
    "`distance`, keyed": held(
        type="distance", body_a="one", point_a=[0.5, 0.0, 0.0], point_b=[0.5, 0.0, 1.0], distance=LENGTH_1_IN_1_S
    ),
    "what is cut": held(type="point_to_point", body_a="two", point_a=END, point_b=END)
    | {"actions": [{"time": 0.1, "target": "held", "set": {"enabled": False}}]},
}
SETTLED = 12.0  # s: by then what is well damped is at rest
BY_IMPULSES = {"bodies that touch", "bodies that touch, static friction", "`support`, static friction"}  # the reference


def described(parts: dict) -> Mechanism:
    return Mechanism.from_dict(copy.deepcopy({"format": "ves-mechanism", "version": 1} | parts))


def outcome(feature: str, integrator: str) -> str:
    """`yes` if it runs as by Adams, `no` if it is refused by name; else the words of what went wrong.

    Quasi-statics is compared with Adams' motion at its end, after all bodies have been damped for long.
    """
    parts, rests = FEATURES[feature], integrator == "quasi-static"
    if rests:
        parts = ENDING.get(feature, parts)
    mechanism = described(parts)
    try:
        options = {"settling": 0.0, "frame_rate": 4.0} if rests else {}
        found = simulate(mechanism, SETTLED if rests else DURATION, integrator=integrator, **options)
    except MechanismError as error:
        named = re.search(r"variational|runge-kutta|adams|implicit|impulse|quasi-static|adaptive|'", str(error))
        return "no" if named else f"refused, but not by name: {error}"
    if rests:
        true = simulate(described(damped(parts)), SETTLED, 1.0, relative=1e-5)
        off = float(np.abs(found.position[-1] - true.position[-1]).max())
        return "yes" if off < NEAR else f"off by {off:.2g} m"
    reference = "impulse" if feature in BY_IMPULSES else "adams"
    true = simulate(mechanism, DURATION, integrator=reference)
    off = float(np.abs(found.position - true.position).max())
    return "yes" if off < NEAR else f"off by {off:.2g} m"


def damped(parts: dict) -> dict:
    """The same with damping of all bodies that move."""
    moving = [body["name"] for body in parts["bodies"] if body.get("motion") != "keyed"]
    forces = [
        {"name": f"damps {name}", "type": "damping", "body": name, "linear": 5.0, "angular": 1.0} for name in moving
    ]
    return parts | {"forces": [*parts.get("forces", []), *forces]}


def table() -> dict[str, dict[str, str]]:
    """The page's table: feature, integrator, and what it says."""
    text = PAGE.read_text(encoding="utf-8").partition("\n| | `adams`")[1:]
    lines = [line.strip("|").split("|") for line in "".join(text).splitlines() if line[:1] == "|"]
    (_, *heads), _, *rows = [[cell.strip() for cell in line] for line in lines]
    return {feature: dict(zip((head.strip("`") for head in heads), cells, strict=True)) for feature, *cells in rows}


def test_the_table_has_all_features() -> None:
    assert list(table()) == list(FEATURES)
    assert all(tuple(row) == COLUMNS for row in table().values())


@pytest.mark.parametrize("feature", FEATURES)
def test_each_cell_is_true(feature: str) -> None:
    assert {integrator: outcome(feature, integrator) for integrator in COLUMNS} == table()[feature]
