# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of Inspect in the Graph Editor, and its tables: neither changes anything else."""

import csv

import bpy
import numpy as np
import pytest
from virtual_erector_set import panels
from virtual_erector_set.scene.bake.state import compare_now, state_of
from virtual_erector_set.scene.quantities.plots import PREFIX, plotted

from tests.blender.inspecting import frames, swinging_bar, values
from tests.blender.linkages import body, chain, keys_of
from tests.blender.making import reports, select
from tests.blender.test_panels import draw


def curves(owner) -> dict[tuple[str, int], np.ndarray]:
    """All keys (frame, value) of the owner's plots."""
    if owner.animation_data is None or owner.animation_data.action is None:
        return {}
    bag = owner.animation_data.action.layers[0].strips[0].channelbag(owner.animation_data.action_slot)
    found = {}
    for curve in bag.fcurves:
        if PREFIX in curve.data_path:
            found[curve.data_path, curve.array_index] = np.array([point.co for point in curve.keyframe_points])
    return found


def test_a_plot_is_an_f_curve_of_a_custom_property_and_moves_nothing():
    bar, hinge = swinging_bar()
    bpy.ops.ves.bake()
    keys = keys_of(bar)
    select(bar)
    bpy.ops.ves.plot(quantity="Velocity")
    name = f"{PREFIX}Velocity (m/s)"
    found = curves(bar)
    assert set(found) == {(f'["{name}"]', i) for i in range(3)}
    for i in range(3):
        np.testing.assert_array_equal(found[f'["{name}"]', i][:, 0], np.arange(1, 25))
        np.testing.assert_allclose(found[f'["{name}"]', i][:, 1], values(bar)["Velocity"][:, i], rtol=1e-6, atol=1e-6)
    assert {path: key for path, key in keys_of(bar).items() if PREFIX not in path[0]} == keys
    bpy.context.scene.frame_set(13)
    np.testing.assert_allclose(bar[name], values(bar)["Velocity"][12], rtol=1e-6, atol=1e-6)
    bpy.ops.ves.plot(quantity="Velocity")
    assert len(curves(bar)) == 3
    select(hinge)
    bpy.ops.ves.plot(quantity="Reaction Force")
    np.testing.assert_allclose(
        curves(hinge)[f'["{PREFIX}Reaction Force (N)"]', 0][:, 1], values(hinge)["Reaction Force"][:, 0], rtol=1e-6
    )
    bpy.ops.ves.plot(quantity="Total Energy", of_scene=True)
    assert len(curves(bpy.context.scene)) == 1


def test_a_new_bake_draws_the_plots_anew_and_clear_bake_takes_them_away(capfd):
    bar, hinge = swinging_bar()
    scene = bpy.context.scene
    hinge.ves.motor_mode = "FORCE"
    hinge.ves.motor_value[0] = 1.0
    hinge.keyframe_insert("ves.motor_value", index=0, frame=1)
    own = hinge.animation_data.action
    bpy.ops.ves.bake()
    for owner, label in ((bar, "Speed"), (hinge, "Angle"), (hinge, "Axis Torque")):
        select(owner)
        bpy.ops.ves.plot(quantity=label)
    bpy.ops.ves.plot(quantity="Kinetic Energy", of_scene=True)
    hinge.ves.damping[0] = 3.0
    frames(1, 30)
    bpy.ops.ves.bake()
    for owner, label, unit in ((bar, "Speed", "m/s"), (hinge, "Angle", "°"), (scene, "Kinetic Energy", "J")):
        keys = curves(owner)[f'["{PREFIX}{label} ({unit})"]', 0]
        assert len(keys) == 30
        np.testing.assert_allclose(keys[:, 1], values(owner)[label][:, 0], rtol=1e-6, atol=1e-6)
    assert hinge.animation_data.action == own
    reports(capfd)
    bpy.ops.ves.clear_bake()
    assert "Cleared 1 body and 4 plots" in reports(capfd)
    assert [plotted(owner) for owner in (bar, hinge, scene)] == [[], [], []]
    assert curves(hinge) == {}
    assert hinge.animation_data.action == own
    bag = own.layers[0].strips[0].channelbags[0]
    assert [curve.data_path for curve in bag.fcurves] == ["ves.motor_value"]
    assert scene.animation_data is None
    assert sorted(action.name for action in bpy.data.actions) == [own.name]


def test_remove_plots_takes_away_only_what_plot_has_made():
    bar, hinge = swinging_bar()
    hinge["mine"] = 1.0
    bpy.ops.ves.bake()
    select(hinge)
    bpy.ops.ves.plot(quantity="Angle")
    bpy.ops.ves.plot(quantity="Reaction Force XYZ")
    action = hinge.animation_data.action.name
    assert any(name == "ves.remove_plots" for _, name in draw(panels.inspect.VES_PT_inspect))
    bpy.ops.ves.remove_plots()
    assert hinge.animation_data is None
    assert action not in bpy.data.actions
    assert hinge["mine"] == 1.0
    assert plotted(hinge) == []
    select(bar)
    keys = keys_of(bar)
    bpy.ops.ves.plot(quantity="Speed")
    bpy.ops.ves.remove_plots()
    assert keys_of(bar) == keys


def test_a_plot_of_what_there_is_not_names_what_there_is():
    _, hinge = swinging_bar()
    select(hinge)
    with pytest.raises(RuntimeError, match="bake first"):
        bpy.ops.ves.plot(quantity="Angle")
    bpy.ops.ves.bake()
    with pytest.raises(RuntimeError, match=r"hinge has no quantity 'Tension'; it has Angle, Angle Speed"):
        bpy.ops.ves.plot(quantity="Tension")


def test_a_plot_is_not_read_as_part_of_the_mechanism():
    """Baking with plots gives the same keys as without."""
    bar, hinge = swinging_bar()
    bpy.ops.ves.bake()
    keys = keys_of(bar)
    select(hinge)
    bpy.ops.ves.plot(quantity="Angle")
    bpy.ops.ves.bake()
    assert keys_of(bar) == keys


def read_table(path) -> tuple[list[str], np.ndarray]:
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = list(csv.reader(stream))
    return header, np.array(rows, dtype=float)


def test_a_table_has_all_quantities_of_the_selected_with_their_units(tmp_path):
    bar, hinge = swinging_bar()
    bpy.context.scene.render.fps = 30
    bpy.ops.ves.bake()
    select(hinge, bar)
    path = tmp_path / "numbers.csv"
    assert bpy.ops.ves.export_table(filepath=str(path)) == {"FINISHED"}
    header, rows = read_table(path)
    assert header[:4] == ["Frame", "Time (s)", "hinge: Angle (°)", "hinge: Angle Speed (°/s)"]
    assert header[-1] == "Scene: Total Energy (J)"
    assert rows.shape == (24, len(header))
    np.testing.assert_array_equal(rows[:, 0], np.arange(1, 25))
    np.testing.assert_allclose(rows[:, 1], np.arange(24) / 30.0, rtol=1e-15)
    np.testing.assert_array_equal(rows[:, header.index("bar: Velocity Z (m/s)")], values(bar)["Velocity"][:, 2])
    np.testing.assert_array_equal(rows[:, header.index("hinge: Axis Torque (N m)")], values(hinge)["Axis Torque"][:, 0])
    bpy.ops.ves.export_table(filepath=str(path), with_scene=False)
    assert not any(name.startswith("Scene") for name in read_table(path)[0])


def test_a_table_that_can_not_be_written_says_so(tmp_path, capfd):
    bar, _ = swinging_bar()
    wall = body("wall", (0, 9, 0), motion="FIXED")
    with pytest.raises(RuntimeError, match="bake first"):
        bpy.ops.ves.export_table(filepath=str(tmp_path / "early.csv"))
    bpy.ops.ves.bake()
    select(bar)
    with pytest.raises(RuntimeError, match="can't be written"):
        bpy.ops.ves.export_table(filepath=str(tmp_path / "no folder" / "numbers.csv"))
    select(wall)
    with pytest.raises(RuntimeError, match="nothing that is selected has values"):
        bpy.ops.ves.export_table(filepath=str(tmp_path / "wall.csv"), with_scene=False)
    select(bar, wall)
    reports(capfd)
    bpy.ops.ves.export_table(filepath=str(tmp_path / "both.csv"))
    assert "left out: wall" in reports(capfd)
    assert list(tmp_path.iterdir()) == [tmp_path / "both.csv"]


def test_takes_of_different_lengths_do_not_go_into_one_table(tmp_path):
    rods = chain(2)
    bpy.ops.ves.bake()
    early = rods[1].animation_data.action
    early.use_fake_user = True
    frames(1, 9)
    bpy.ops.ves.bake()
    rods[1].animation_data.action = early
    rods[1].animation_data.action_slot = early.slots[0]
    assert len(values(rods[1])["Speed"]) == 24
    select(*rods)
    with pytest.raises(RuntimeError, match="rod 1 shows another take"):
        bpy.ops.ves.export_table(filepath=str(tmp_path / "mixed.csv"), with_scene=False)


def test_a_plot_leaves_the_bake_up_to_date():
    """Its curves stand in the object's own action, but move nothing."""
    rods = chain(1, 12)
    hinge = bpy.context.scene.objects["joint 0"]
    bpy.ops.ves.bake()
    for owner, quantity in ((hinge, "Reaction Force"), (rods[0], "Speed")):
        bpy.context.view_layer.objects.active = owner
        assert bpy.ops.ves.plot(quantity=quantity) == {"FINISHED"}
    compare_now(bpy.context.scene)
    assert state_of(bpy.context.scene).text == "Baked, frames 1 to 12"
    bpy.ops.ves.bake()
    compare_now(bpy.context.scene)
    assert state_of(bpy.context.scene).kind == "BAKED"
