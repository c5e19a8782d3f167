# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of force in Blender: made ready, read, shown as curves, built from files, refused; and in Play and bakes."""

from __future__ import annotations

import json
import math

import bpy
import pytest
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.parts.tables import (
    SHAPES,
    is_used,
    kind_of,
    make_table,
    mapping_of,
    points_of,
    problem_of,
    set_points,
    shaped,
    table_of,
)
from virtual_erector_set.solver.mechanism import Body, Damper, Joint, Mechanism, Push, Rubber, Stop, Support

from tests.blender.linkages import baked_result, body, joint
from tests.blender.making import select
from tests.blender.playing import Driver
from tests.blender.shapes import reading

DIGRESSIVE = [(-1.0, -40.0), (-0.1, -15.0), (0.0, 0.0), (0.1, 30.0), (1.0, 80.0)]
FOAM = [(0.0, 0.0), (0.05, 10.0), (0.1, 60.0)]


def hinge(kind: str = "REVOLUTE") -> bpy.types.Object:
    """A block on a joint to the world, which is active."""
    made = joint("hinge", (0, 0, 0), None, body("block", (1.0, 0, 0)), kind)
    select(made)
    return made


def force(kind: str) -> bpy.types.Object:
    select(body("cube", (0.0, 0.0, 0.0)))
    bpy.ops.ves.add_force(type=kind)
    bpy.context.active_object.ves.to_world = True
    return bpy.context.active_object


def only(parts: list) -> object:
    (part,) = parts
    return part


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_ready_made_is_right_wherever_it_is_offered(shape):
    """Of each kind of table, of forces and of joints that turn or slide."""
    spring, support, rubber = (force(kind) for kind in ("SPRING", "SUPPORT", "RUBBER"))
    turning, sliding = hinge(), hinge("PRISMATIC")
    owners = {"PULL": (spring, rubber), "DAMPER": (spring, rubber, support), "PUSH": (support,), "STOP": ()}
    for kind in SHAPES[shape].of:
        for owner in owners[kind]:
            make_table(owner.ves, kind, shaped(owner.ves, kind, shape))
            assert problem_of(owner.ves, kind) is None, (owner.name, kind)
        for owner in (turning, sliding) if kind != "PUSH" else ():
            make_table(owner.ves, f"{kind} 0", shaped(owner.ves, f"{kind} 0", shape))
            assert problem_of(owner.ves, f"{kind} 0") is None, (owner.name, kind)


def test_a_joint_reads_its_tables_in_the_place_of_its_numbers():
    settings = hinge("CYLINDRICAL").ves
    settings.stiffness, settings.damping, settings.rest = (5.0, 6.0, 0.0), (7.0, 8.0, 0.0), (0.1, 0.0, 0.0)
    settings.use_upper_limit, settings.bounciness = (False, True, False), (0.0, 0.5, 0.0)
    make_table(settings, "PULL 0", [(-1.0, -3.0), (1.0, 9.0)])
    make_table(settings, "DAMPER 1", DIGRESSIVE)
    make_table(settings, "STOP 1", FOAM)
    table_of(settings, "STOP 1").dissipation = 0.25
    read = only(reading().mechanism.joints)
    assert (read.stiffness, read.damping, read.rest, read.bounciness) == ((0.0, 6.0), (7.0, 0.0), None, None)
    assert read.pull[0].forces == pytest.approx((-3.0, 9.0))
    assert read.pull[1] is None
    assert read.damper[0] is None
    assert read.damper[1].rates == pytest.approx([rate for rate, _ in DIGRESSIVE])
    assert read.stops[1].dissipation == pytest.approx(0.25)
    assert read.stops[0] is None
    table_of(settings, "DAMPER 1").use = False
    read = only(reading().mechanism.joints)
    assert (read.damper, read.damping) == (None, (7.0, 8.0))


def test_a_generic_joints_tables_are_those_of_its_axes():
    settings = hinge("GENERIC").ves
    settings.lock_travel, settings.lock_turn = (True, True, False), (True, True, False)
    make_table(settings, "DAMPER 5", DIGRESSIVE)
    make_table(settings, "DAMPER 0", FOAM)
    read = only(reading().mechanism.joints)
    assert read.free == ("z", "turn z")
    assert read.damper[0] is None
    assert read.damper[1].forces == pytest.approx([f for _, f in DIGRESSIVE])


@pytest.mark.parametrize(
    ("rows", "said"),
    [([(0.0, 0.0)], "has 1 rows in its table of its damper"),
     ([*DIGRESSIVE, (0.1, 3.0)], "has two rows for 0.1 rad/s in its table of its damper"),
     ([(0.0, 0.0), (1.0, -3.0)], "a damper that pushes with the motion gives energy"),
     ([(0.5, 1.0), (1.0, 3.0)], "rates must have one of 0")],
)  # fmt: skip
def test_what_is_wrong_is_said_by_the_joint(rows, said):
    make_table(hinge().ves, "DAMPER 0", rows)
    with pytest.raises(SceneError, match=said) as error:
        reading()
    assert "hinge" in str(error.value)


def test_a_curve_and_its_rows_are_one():
    """Dragging a point, adding one, drawing it out: what is simulated follows; and rows come back as they are."""
    settings = hinge().ves
    make_table(settings, "DAMPER 0", DIGRESSIVE)
    bpy.ops.ves.show_table_curve(table="DAMPER 0")
    table = table_of(settings, "DAMPER 0")
    assert table.as_curve
    mapping = mapping_of(table)
    drawn = mapping.curves[0].points
    assert len(drawn) == len(DIGRESSIVE)
    assert points_of(settings, "DAMPER 0") == [pytest.approx(row) for row in DIGRESSIVE]
    drawn[3].location = (drawn[3].location[0], 0.5)
    table.curve.update_tag()
    bpy.context.view_layer.update()
    assert points_of(settings, "DAMPER 0")[3] == pytest.approx((0.1, 40.0))
    drawn.new(0.5, 0.8)
    table.curve.update_tag()
    bpy.context.view_layer.update()
    assert only(reading().mechanism.joints).damper[0].rates == pytest.approx((-1.0, -0.1, 0.0, 0.1, 0.5, 1.0))
    table.height *= 2.0
    bpy.context.view_layer.update()
    assert points_of(settings, "DAMPER 0")[-1] == pytest.approx((1.0, 160.0))
    group = table.curve.name
    bpy.ops.ves.show_table_curve(table="DAMPER 0")
    assert group not in bpy.data.node_groups
    assert len(points_of(settings, "DAMPER 0")) == 6


def test_a_springs_table_is_a_curve_too():
    settings = force("SPRING").ves
    bpy.ops.ves.shape_table(table="PULL", shape="PROGRESSIVE")
    before = points_of(settings, "PULL")
    assert settings.use_pull_table
    bpy.ops.ves.show_table_curve(table="PULL")
    table = table_of(settings, "PULL")
    table.curve.update_tag()
    bpy.context.view_layer.update()
    assert points_of(settings, "PULL") == [pytest.approx(row, rel=1e-5, abs=1e-4) for row in before]


def test_operators_on_rows():
    settings = force("SUPPORT").ves
    settings.support_damping = 20.0
    bpy.ops.ves.add_pull_row(table="DAMPER")
    assert is_used(settings, "DAMPER")
    assert points_of(settings, "DAMPER") == [(0.0, 0.0), (0.5, 10.0), (1.0, 20.0)]
    bpy.ops.ves.add_pull_row(table="DAMPER")
    assert points_of(settings, "DAMPER")[-1] == (1.5, 30.0)
    bpy.ops.ves.remove_pull_row(table="DAMPER", row=1)
    assert len(points_of(settings, "DAMPER")) == 3
    assert bpy.ops.ves.remove_pull_row(table="DAMPER", row=7) == {"CANCELLED"}
    bpy.ops.ves.shape_table(table="PUSH", shape="BUMP_STOP")
    bpy.ops.ves.remove_table(table="DAMPER")
    assert not is_used(settings, "DAMPER")
    assert points_of(settings, "DAMPER") == []
    support = only(reading().mechanism.forces)
    assert (support.stiffness, support.damping, support.damper) == (None, pytest.approx(20.0), None)
    assert len(support.push.depths) == len(SHAPES["BUMP_STOP"].points)
    assert kind_of("STOP 3") == "STOP"


def test_they_come_back_from_a_file(tmp_path):
    damper = Damper([x for x, _ in DIGRESSIVE], [f for _, f in DIGRESSIVE])
    foam = [x for x, _ in FOAM], [f for _, f in FOAM]
    ball = Body(name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    guide = Joint(
        "guide", "prismatic", None, "ball", (0, 0, 0), limits=(-1, 1), damper=damper, stops=Stop(*foam, dissipation=0.5)
    )
    forces = [
        Support("foot", body="ball", point=(0, 0, 0), push=Push(*foam), damper=damper),
        Rubber("band", body_a="ball", point_a=(0, 0, 0), point_b=(0, 0, 1), damper=damper,
               pull={"lengths": [1, 2], "forces": [0, 5]}),
    ]  # fmt: skip
    Mechanism(bodies=[ball], joints=[guide], forces=forces).save(tmp_path / "file.json")
    bpy.ops.ves.import_mechanism(filepath=str(tmp_path / "file.json"))
    mechanism = reading().mechanism
    foot, band = sorted(mechanism.forces, key=lambda each: each.name, reverse=True)
    read = only(mechanism.joints)
    for there in (read.damper[0], foot.damper, band.damper):
        assert there.forces == pytest.approx(damper.forces)
        assert there.rates == pytest.approx(damper.rates)
    assert read.stops[0].forces == pytest.approx(foam[1])
    assert read.stops[0].dissipation == pytest.approx(0.5)
    assert (foot.push.depths, foot.stiffness) == (pytest.approx(foam[0]), None)
    assert (band.pull.forces, band.stiffness) == (pytest.approx((0.0, 5.0)), None)


def test_copying_settings_copies_them_with_curves_of_their_own():
    source, target = hinge(), hinge()
    make_table(source.ves, "DAMPER 0", DIGRESSIVE)
    select(source)
    bpy.ops.ves.show_table_curve(table="DAMPER 0")
    select(source, target)
    bpy.context.view_layer.objects.active = source
    bpy.ops.ves.copy_settings()
    assert points_of(target.ves, "DAMPER 0") == [pytest.approx(row) for row in DIGRESSIVE]
    assert table_of(target.ves, "DAMPER 0").curve not in (None, table_of(source.ves, "DAMPER 0").curve)


def test_another_row_makes_a_bake_out_of_date():
    from virtual_erector_set.scene.bake.bake import run_to_end
    from virtual_erector_set.scene.read.fingerprint import changes, fingerprint

    owner = hinge()
    make_table(owner.ves, "DAMPER 0", DIGRESSIVE)
    before = run_to_end(fingerprint(bpy.context.scene))
    set_points(owner.ves, "DAMPER 0", [*DIGRESSIVE[:-1], (1.0, 90.0)])
    assert changes(before, run_to_end(fingerprint(bpy.context.scene))) == ["hinge: settings"]


def test_a_block_slides_down_to_its_soft_limit_and_rests_where_that_bears_it():
    """A bake: 9.81 m/s2 times its mass is the force of the stop there."""
    owner = hinge("PRISMATIC")
    block = bpy.data.objects["block"]
    block.ves.mass_source, block.ves.mass = "GIVEN", 2.0
    settings = owner.ves
    settings.use_lower_limit, settings.lower_limit_travel = (True, False, False), (-0.2, 0.0, 0.0)
    make_table(settings, "STOP 0", FOAM)
    make_table(settings, "DAMPER 0", [(0.0, 0.0), (0.1, 20.0), (1.0, 60.0)])
    bpy.context.scene.frame_end = 120
    baked_result()
    bpy.context.scene.frame_set(120)
    from scipy.interpolate import PchipInterpolator

    depth = -0.2 - block.matrix_world.translation.z
    bears = float(PchipInterpolator([x for x, _ in FOAM], [f for _, f in FOAM])(depth))
    assert bears == pytest.approx(2.0 * 9.81, abs=0.05)


def test_a_table_that_is_placed_elsewhere_counts_from_there():
    owner = hinge()
    owner.ves.placed[0] = math.radians(30.0)
    make_table(owner.ves, "PULL 0", [(-1.0, -3.0), (1.0, 9.0)])
    read = only(reading().mechanism.joints)
    assert read.pull[0].coordinates == pytest.approx((-1.0 - math.radians(30.0), 1.0 - math.radians(30.0)))


def test_an_action_of_a_table_is_taken_from_a_file(tmp_path):
    """It is kept as a text of the list, as any other."""
    ball = Body(name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    data = Mechanism(bodies=[ball], joints=[Joint("guide", "prismatic", None, "ball", (0, 0, 0))]).to_dict()
    change = {"damper": [{"rates": [0, 1], "forces": [0, 5]}]}
    data["actions"] = [{"time": 0.5, "target": "guide", "set": change}]
    (tmp_path / "file.json").write_text(json.dumps(data))
    bpy.ops.ves.import_mechanism(filepath=str(tmp_path / "file.json"))
    (action,) = bpy.context.scene.ves.recorded_actions
    assert json.loads(action.settings) == change


def test_a_row_acts_at_once_in_play_and_comes_back_unless_its_value_is_kept():
    owner = hinge()
    settings = owner.ves
    make_table(settings, "DAMPER 0", [(0.0, 0.0), (1.0, 5.0)])
    run = Driver()
    run.go_on(2)
    set_points(settings, "DAMPER 0", [(0.0, 0.0), (1.0, 50.0)])
    run.go_on(3)
    (change,) = [given for _, target, given in run.done if target == "hinge"]
    assert change["damper"] == [{"rates": [0.0, 1.0], "forces": [0.0, 50.0]}]
    table_of(settings, "DAMPER 0").use = False
    settings.damping[0] = 3.0
    run.go_on(3)
    assert run.done[-1][2] == {"damping": [3.0], "damper": None}
    run.end()
    assert points_of(settings, "DAMPER 0") == [(0.0, 0.0), (1.0, 5.0)]
    assert is_used(settings, "DAMPER 0")
    run = Driver()
    run.go_on(2)
    make_table(settings, "PULL 0", [(-1.0, -10.0), (1.0, 20.0)])
    run.go_on(3)
    assert "pull" in run.done[-1][2]
    run.keep("VALUES")
    assert points_of(settings, "PULL 0") == [(-1.0, -10.0), (1.0, 20.0)]


def test_a_springs_stiffness_and_its_table_take_turns_in_play():
    owner = force("SPRING")
    run = Driver()
    run.go_on(2)
    make_table(owner.ves, "PULL", [(0.5, -10.0), (1.0, 0.0), (1.5, 30.0)])
    run.go_on(3)
    assert {"stiffness", "rest_length", "pull"} == set(run.done[-1][2])
    owner.ves.use_pull_table = False
    run.go_on(3)
    assert run.done[-1][2]["pull"] is None
    assert run.done[-1][2]["stiffness"] == pytest.approx(owner.ves.spring_stiffness)
    assert not run.play.message
