# SPDX-License-Identifier: GPL-3.0-or-later
"""A spring's table in Blender: its rows, what is read of them, and how a file comes back."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.parts.tables import points_of, set_points
from virtual_erector_set.solver.mechanism import Body, Mechanism, Spring

from tests.blender.linkages import baked_result, body
from tests.blender.making import select
from tests.blender.shapes import reading

ROWS = [(0.5, -80.0), (0.9, -5.0), (1.0, 0.0), (1.1, 4.0), (1.5, 200.0)]


def spring() -> bpy.types.Object:
    """From the world down to a cube a metre and a half below."""
    select(body("cube", (0.0, 0.0, 0.0)))
    bpy.context.scene.cursor.location = (0.0, 0.0, 1.5)
    bpy.ops.ves.add_force(type="SPRING")
    empty = bpy.context.active_object
    empty.location, empty.ves.point_b, empty.ves.to_world = (0.0, 0.0, 0.0), (0.0, 0.0, 1.5), True
    bpy.context.view_layer.update()
    return empty


def test_an_empty_table_begins_as_the_straight_spring_and_rows_go_straight_on():
    settings = spring().ves
    settings.rest_length, settings.spring_stiffness = 2.0, 10.0
    assert bpy.ops.ves.add_pull_row() == {"FINISHED"}
    assert settings.use_pull_table
    assert points_of(settings, "PULL") == [(1.0, -10.0), (2.0, 0.0), (3.0, 10.0)]
    bpy.ops.ves.add_pull_row()
    assert points_of(settings, "PULL")[-1] == (4.0, 20.0)
    bpy.ops.ves.remove_pull_row(row=1)
    assert points_of(settings, "PULL") == [(1.0, -10.0), (3.0, 10.0), (4.0, 20.0)]
    assert bpy.ops.ves.remove_pull_row(row=3) == {"CANCELLED"}


def test_rows_are_read_in_the_order_of_their_lengths():
    settings = spring().ves
    set_points(settings, "PULL", reversed(ROWS))
    (plain,) = reading().mechanism.forces
    assert plain.pull is None, "until By Table is on"
    settings.use_pull_table = True
    (force,) = reading().mechanism.forces
    assert (force.stiffness, force.rest_length) == (None, None)
    assert force.pull.lengths == pytest.approx([length for length, _ in ROWS])
    assert force.pull.forces == pytest.approx([pull for _, pull in ROWS])
    settings.force_type = "RUBBER"
    with pytest.raises(SceneError, match="must be 0 at the first length"):
        reading()
    set_points(settings, "PULL", [(1.0, 0.0), (1.5, 20.0)])
    (rubber,) = reading().mechanism.forces
    assert rubber.pull.forces == pytest.approx((0.0, 20.0))


@pytest.mark.parametrize(
    ("rows", "said"),
    [(ROWS[:1], "has 1 rows in its table of its spring, and two are the least: press Add Row"),
     ([*ROWS, (1.0, 3.0)], "has two rows for 1 m in its table of its spring, which is no curve then: remove")],
)  # fmt: skip
def test_a_table_that_is_none_is_said(rows, said):
    settings = spring().ves
    settings.use_pull_table = True
    set_points(settings, "PULL", rows)
    with pytest.raises(SceneError, match=said):
        reading()


def test_it_comes_back_from_a_file(tmp_path):
    table = {"lengths": [length for length, _ in ROWS], "forces": [pull for _, pull in ROWS]}
    ball = Body(name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    force = Spring("hanger", body_a="ball", point_a=(0, 0, 0), point_b=(0, 0, 1.5), pull=table, damping=2.0)
    Mechanism(bodies=[ball], forces=[force]).save(tmp_path / "spring.json")
    bpy.ops.ves.import_mechanism(filepath=str(tmp_path / "spring.json"))
    empty = bpy.data.objects["hanger"]
    assert points_of(empty.ves, "PULL") == [pytest.approx(row) for row in ROWS]
    (read,) = reading().mechanism.forces
    assert read.pull.forces == pytest.approx(table["forces"])
    assert (read.damping, read.stiffness) == (2.0, None)


def test_copying_settings_copies_the_rows():
    source, target = spring(), spring()
    set_points(source.ves, "PULL", ROWS)
    source.ves.use_pull_table = True
    select(target, source)
    bpy.context.view_layer.objects.active = source
    bpy.ops.ves.copy_settings()
    assert target.ves.use_pull_table
    assert points_of(target.ves, "PULL") == points_of(source.ves, "PULL")


def test_a_weight_hangs_in_a_bake_where_the_table_bears_it():
    """9.81 kg m/s2 of a cube lie on its curve between the rows for 4 N and 200 N."""
    empty = spring()
    empty.ves.use_pull_table, empty.ves.spring_damping = True, 30.0
    set_points(empty.ves, "PULL", ROWS)
    cube = bpy.data.objects["cube"]
    cube.ves.mass_source, cube.ves.mass = "GIVEN", 2.0
    bpy.context.scene.frame_end = 240
    baked_result()
    bpy.context.scene.frame_set(240)
    from scipy.interpolate import PchipInterpolator

    length = 1.5 - cube.matrix_world.translation.z
    bears = float(PchipInterpolator(*np.transpose(ROWS))(length))
    assert bears == pytest.approx(2.0 * 9.81, abs=0.05)
