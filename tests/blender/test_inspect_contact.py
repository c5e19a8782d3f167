# SPDX-License-Identifier: GPL-3.0-or-later
"""Inspect on what contacts exert: weights at rest, blows, what fixed things bear, plots and tables."""

from __future__ import annotations

import csv

import bpy
import numpy as np
import pytest
from virtual_erector_set import panels
from virtual_erector_set.scene.quantities.impacts import impacts
from virtual_erector_set.scene.quantities.plots import plotted
from virtual_erector_set.scene.quantities.recorded import record_of

from tests.blender.inspecting import bouncing_ball, frames, shown_by, values
from tests.blender.linkages import body
from tests.blender.making import select
from tests.blender.test_check import assert_only, findings

G = 9.81


def crate_over(table: bool) -> tuple[bpy.types.Object, bpy.types.Object | None]:
    """A crate of 3 kg that falls by half a metre onto the ground, or onto a fixed table, and stays there."""
    settings = bpy.context.scene.ves
    settings.use_contact, settings.use_ground, settings.ground_height = True, not table, 0.0
    settings.ground_restitution = 0.0
    crate = body("crate", (0, 0, 1.0))
    crate.ves.mass_source, crate.ves.mass, crate.ves.contact_restitution = "GIVEN", 3.0, 0.0
    top = body("table", (0.25, 0, -0.5), (4, 4, 1), motion="FIXED") if table else None
    frames(1, 30)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    return crate, top


@pytest.mark.parametrize("on_table", [False, True])
def test_a_crate_lands_with_its_momentum_and_stands_with_its_weight(on_table):
    crate, table = crate_over(on_table)
    found = values(crate)
    landing = int(np.ceil(np.sqrt(1.0 / G) * 24.0))  # after a fall of half a metre
    blow = np.zeros(30)
    blow[landing] = 3.0 * np.sqrt(G)
    np.testing.assert_allclose(found["Blow"][:, 0], blow, atol=1e-3)
    force = found["Contact Force XYZ"]
    np.testing.assert_array_equal(force[:landing], 0.0)
    np.testing.assert_allclose(force[landing + 2 :], np.tile([0, 0, 3.0 * G], (28 - landing, 1)), atol=1e-3)
    np.testing.assert_allclose(found["Contact Force"][:, 0], np.linalg.norm(force, axis=1))
    # what came down was stopped within that frame: all that gravity has given since the start
    assert force[: landing + 1, 2].sum() / 24.0 == pytest.approx(3.0 * G * landing / 24.0, rel=1e-4)
    if table:
        of_table = values(table)
        assert set(of_table) == {"Contact Force", "Contact Force XYZ", "Blow"}
        np.testing.assert_allclose(of_table["Contact Force XYZ"], -force, atol=1e-9)
        np.testing.assert_array_equal(of_table["Blow"], found["Blow"])
        select(table)
        bpy.context.scene.frame_set(30)
        shown = shown_by(panels.inspect.VES_PT_inspect)
        assert shown[shown.index("Contact Force") + 1] == "29.43 N"
        assert shown[shown.index("Blow") + 1] == "0 N s"
        bpy.ops.ves.clear_bake()
        assert record_of(table, bpy.context.scene) is None
        assert "Bake first" in shown_by(panels.inspect.VES_PT_inspect)[0]


def test_units_are_those_of_a_unit_scale_of_one():
    """Whatever the scene's Unit Scale: a unit of length is a metre, in the motion and in what is shown of it."""
    crate, _ = crate_over(False)
    before = values(crate)
    bpy.context.scene.unit_settings.scale_length = 0.01
    bpy.ops.ves.bake()
    after = values(crate)
    assert before.keys() == after.keys()
    for label in before:
        np.testing.assert_array_equal(before[label], after[label])
    select(crate)
    bpy.context.scene.frame_set(30)
    shown = shown_by(panels.inspect.VES_PT_inspect)
    assert shown[shown.index("Contact Force") + 1] == "29.43 N"
    assert_only("INFO", None, "Unit Scale is 0.01", "counts as a metre", "set it to 1")
    bpy.context.scene.unit_settings.system = "NONE"
    assert not [text for _, _, text in findings() if "Unit Scale" in text]


def test_contact_forces_go_into_plots_and_tables(tmp_path):
    crate, _ = crate_over(False)
    select(crate)
    for quantity in ("Contact Force", "Contact Force XYZ", "Blow"):
        assert bpy.ops.ves.plot(quantity=quantity) == {"FINISHED"}
    names = ["Plot: Contact Force (N)", "Plot: Contact Force XYZ (N)", "Plot: Blow (N s)"]
    assert plotted(crate) == names
    bpy.context.scene.frame_set(30)
    assert crate["Plot: Contact Force (N)"] == pytest.approx(3.0 * G, rel=1e-5)
    path = tmp_path / "forces.csv"
    assert bpy.ops.ves.export_table(filepath=str(path)) == {"FINISHED"}
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    table = np.array(rows, float)
    np.testing.assert_array_equal(
        table[:, header.index("crate: Contact Force XYZ Z (N)")], values(crate)["Contact Force XYZ"][:, 2]
    )
    np.testing.assert_array_equal(table[:, header.index("crate: Blow (N s)")], values(crate)["Blow"][:, 0])


def test_what_does_not_collide_has_no_contact_forces():
    settings = bpy.context.scene.ves
    settings.use_contact, settings.use_ground = True, True
    crate, ghost = body("crate", (0, 0, 2)), body("ghost", (3, 0, 2))
    ghost.ves.collide = False
    frames(1, 3)
    bpy.ops.ves.bake()
    assert "Blow" in values(crate)
    assert "Blow" not in values(ghost)
    settings.use_contact = False
    bpy.ops.ves.bake()
    assert "Blow" not in values(crate)


def test_impacts_go_into_a_table(tmp_path):
    bouncing_ball()
    fall = np.sqrt(2.0 / G)
    landings = fall * np.array([1.0, 2.0, 2.5])
    blows = 2.0 * G * fall * 1.5 * 0.5 ** np.arange(3)
    path = tmp_path / "impacts.csv"
    assert bpy.ops.ves.export_impacts(filepath=str(path)) == {"FINISHED"}
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert [row[2:4] for row in rows[:3]] == [["rubber", "slab"]] * 3
    column = {name: np.array([float(row[k]) for row in rows[:3]]) for k, name in enumerate(header) if k not in (2, 3)}
    np.testing.assert_allclose(column["Time (s)"], landings, atol=1e-4)
    np.testing.assert_allclose(column["Frame"], 11.0 + 24.0 * landings, atol=3e-3)
    np.testing.assert_allclose(column["Impulse (N s)"], blows, rtol=1e-3)
    np.testing.assert_allclose(column["Impulse Z (N s)"], blows, rtol=1e-3)
    np.testing.assert_allclose(column["Speed (m/s)"], blows / 3.0, rtol=1e-3)
    np.testing.assert_allclose(column["Z (m)"], 0.0, atol=1e-3)


def test_impacts_are_saved_and_go_with_their_take(tmp_path):
    bouncing_ball()
    path = str(tmp_path / "impacts.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene = bpy.context.scene
    rubber, slab = scene.objects["rubber"], scene.objects["slab"]
    first = impacts(scene)[0]
    assert (first.body, first.other) == (rubber, slab)
    bpy.data.objects.remove(slab)
    assert impacts(scene)[0].other is None
    bpy.ops.ves.clear_bake()
    assert impacts(scene) == []


def test_without_impacts_there_is_a_word(tmp_path, capfd):
    assert not bpy.ops.ves.mark_impacts.poll()
    assert not bpy.ops.ves.export_impacts.poll()
    bpy.context.scene.ves.use_contact = True
    crate = body("crate", (0, 0, 50))
    frames(1, 3)
    bpy.ops.ves.bake()
    select(crate)
    assert bpy.ops.ves.mark_impacts() == {"FINISHED"}
    assert "Nothing hits crate" in capfd.readouterr().out
    path = tmp_path / "none.csv"
    bpy.ops.ves.export_impacts(filepath=str(path))
    assert len(path.read_text().splitlines()) == 1
