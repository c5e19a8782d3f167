# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of Play that are kept, with things that touch: what contacts exert and who hit whom, as of a bake."""

from __future__ import annotations

import csv

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.bake import read_scene, run_to_end
from virtual_erector_set.scene.quantities.impacts import Impact, impacts
from virtual_erector_set.scene.quantities.plots import plotted

from tests.blender.inspecting import frames, values
from tests.blender.linkages import body, joint, keys_of
from tests.blender.making import select
from tests.blender.playing import FRAME, Driver, button, force
from tests.blender.test_rides import ball, half_pipe, ride
from tests.blender.versions import once

G = 9.81


def crate_over_table() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A crate of 3 kg that falls by half a metre onto a fixed table, and bounces a little."""
    settings = bpy.context.scene.ves
    settings.use_contact, settings.use_ground = True, False
    crate, table = body("crate", (0, 0, 1.0)), body("table", (0.25, 0, -0.5), (4, 4, 1), motion="FIXED")
    for ob in (crate, table):
        ob.ves.contact_restitution, ob.ves.contact_friction = 0.3, 0.5
    crate.ves.mass_source, crate.ves.mass = "GIVEN", 3.0
    frames(11, 40)
    return crate, table


def told(impact: Impact) -> tuple:
    return impact.frame, impact.body, impact.other, impact.point.tolist(), impact.impulse.tolist(), impact.speed


def known(*owners: bpy.types.Object) -> list:
    """All that Inspect knows of these and of who hit whom."""
    return [*(values(owner) for owner in (*owners, bpy.context.scene)), list(map(told, impacts(bpy.context.scene)))]


def assert_same(one: list, other: list) -> None:
    for a, b in zip(one[:-1], other[:-1], strict=True):
        assert a.keys() == b.keys()
        for label in a:
            np.testing.assert_array_equal(a[label], b[label], err_msg=label)
    assert one[-1] == other[-1]


def test_a_kept_run_knows_of_its_contacts_what_a_bake_knows():
    crate, table = crate_over_table()
    driver = Driver()
    driver.go_on(29)
    driver.keep()
    kept = known(crate, table)
    assert len(kept[0]["Blow"]) == 30
    assert len(kept[-1]) > 1
    assert kept[-1][0][1:3] == (crate, table)
    assert kept[-1][0][0] == pytest.approx(11 + 24.0 * np.sqrt(1.0 / G), abs=5e-3)
    assert kept[0]["Blow"].max() == pytest.approx(3.0 * 1.3 * np.sqrt(G), rel=1e-3)
    np.testing.assert_allclose(kept[0]["Contact Force XYZ"][-3:], [[0, 0, 3.0 * G]] * 3, atol=1e-2)
    np.testing.assert_allclose(kept[1]["Contact Force XYZ"], -kept[0]["Contact Force XYZ"], atol=1e-9)
    bpy.ops.ves.bake()
    assert_same(known(crate, table), kept)


def test_a_run_with_actions_is_baked_again_with_the_same_contacts():
    """A hook lets go of the crate; linkages end and begin on the way, and their contacts are handed on."""
    crate, table = crate_over_table()
    lamp = body("lamp", (0, 0, 3.0), (0.1, 0.1, 3.0))
    joint("eye", (0, 0, 4.5), None, lamp, "SPHERICAL")
    hook = joint("hook", (0, 0, 1.5), lamp, crate, "SPHERICAL")
    button("Drop", hook, "RELEASE")
    driver = Driver()
    driver.go_on(4)
    driver.play.press("Drop")
    driver.go_on(25)
    result = driver.keep()
    assert result.actions == 1
    kept = known(crate, table, hook)
    hit = 15 + 24.0 * np.sqrt(1.0 / G)
    assert kept[-1][0][0] == pytest.approx(hit, abs=1e-2)
    np.testing.assert_array_equal(kept[0]["Blow"][: int(hit) - 11], 0.0)
    assert kept[0]["Blow"].max() == pytest.approx(3.0 * 1.3 * np.sqrt(G), rel=2e-2)
    assert kept[2]["Reaction Force XYZ"][:4, 2] == pytest.approx([3.0 * G] * 4, rel=1e-3)
    np.testing.assert_array_equal(kept[2]["Reaction Force"][5:], 0.0)
    bpy.ops.ves.bake()
    assert_same(known(crate, table, hook), kept)


def test_a_run_that_is_kept_in_the_midst_of_a_frame_knows_nothing_of_what_comes():
    """The solver had no time for the whole frame in which the crate lands, but for the landing."""
    crate, table = crate_over_table()
    driver = Driver()
    driver.go_on(7)
    run, driver.play._budget = driver.play._run, 0.0
    while not run._timeline.recording().impact_time.size:
        driver.go_on(0.5)
    driver.keep()
    found = known(crate, table)
    assert len(found[0]["Blow"]) == 8
    assert found[-1] == []
    np.testing.assert_array_equal(found[0]["Blow"], 0.0)


def test_a_hand_that_drags_leaves_forces_of_contact_that_balance():
    """Pulled along the table: weight below, friction against the pull; the spring of the hand is nobody's."""
    crate, table = crate_over_table()
    crate.location.z = 0.5
    bpy.context.view_layer.update()
    driver = Driver()
    driver.go_on(2)
    x0 = np.array(crate.matrix_world.translation)
    assert driver.play.grab(crate, x0)
    for frame in range(26):
        driver.play.drag(x0 + (0.03 * frame, 0, 0))
        driver.go_on(1)
    driver.play.let_go()
    result = driver.keep()
    assert result.frames == (11, 39)
    of_crate = values(crate)
    force = of_crate["Contact Force XYZ"]
    np.testing.assert_allclose(values(table)["Contact Force XYZ"], -force, atol=1e-9)
    assert force[-5:, 2] == pytest.approx([3.0 * G] * 5, rel=0.05)
    assert force[-5:, 0] == pytest.approx([-0.5 * 3.0 * G] * 5, rel=0.05)
    assert of_crate["Velocity"][-5:, 0] == pytest.approx([0.03 / FRAME] * 5, rel=0.1)
    # the hand pulls at the middle and along X, so all that is upward besides weight is of contacts
    upward = 3.0 * np.diff(of_crate["Velocity"][:, 2]) / FRAME + 3.0 * G
    assert force[1:, 2] == pytest.approx(upward, abs=1e-3)


def test_plots_and_tables_are_of_the_run_that_was_kept(tmp_path):
    crate, _ = crate_over_table()
    bpy.ops.ves.bake()
    select(crate)
    for quantity in ("Contact Force XYZ", "Blow"):
        assert bpy.ops.ves.plot(quantity=quantity) == {"FINISHED"}
    crate.ves.mass = 6.0
    driver = Driver()
    driver.go_on(20)
    driver.keep()
    assert plotted(crate) == ["Plot: Contact Force XYZ (N)", "Plot: Blow (N s)"]
    found = values(crate)
    assert found["Blow"].max() == pytest.approx(6.0 * 1.3 * np.sqrt(G), rel=1e-3)
    for row in (8, 9, 20):
        bpy.context.scene.frame_set(11 + row)
        assert crate["Plot: Blow (N s)"] == pytest.approx(found["Blow"][row, 0], rel=1e-5)
    path = tmp_path / "impacts.csv"
    assert bpy.ops.ves.export_impacts(filepath=str(path)) == {"FINISHED"}
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert float(rows[0][header.index("Impulse (N s)")]) == pytest.approx(found["Blow"].max(), rel=1e-9)


@once
@pytest.mark.parametrize("with_contact", [False, True])
def test_a_hand_rolls_a_marble_up_its_channel_and_lifts_it_out(with_contact):
    """By Adams and by impulses: it stays on until it is pulled up, and a bake repeats that to the last bit."""
    settings = bpy.context.scene.ves
    settings.use_contact, settings.use_ground, settings.ground_height = with_contact, True, -9.0
    pipe, marble = half_pipe(), ball("marble", (0, 0, 0.2))
    marble.ves.mass_source, marble.ves.mass = "GIVEN", 2.0
    empty = ride(marble, pipe)
    bpy.ops.ves.snap_together()
    frames(1, 29)
    driver = Driver()
    driver.go_on(1)
    start = np.array(marble.matrix_world.translation)
    assert driver.play.grab(marble, start)
    for frame in range(12):
        driver.play.drag(start + (0, 0.04 * frame, 0))
        driver.go_on(1)
    along = np.array(marble.matrix_world.translation)
    assert along[1] - start[1] > 0.3
    assert along[2] == pytest.approx(start[2], abs=1e-4)
    for frame in range(12):
        driver.play.drag(along + (0, 0, 0.05 * frame))
        driver.go_on(1)
    lifted = np.array(marble.matrix_world.translation)
    assert lifted[2] > along[2] + 0.3
    assert driver.play.message == ""
    driver.play.let_go()
    driver.go_on(3)
    result = driver.keep()
    assert (result.failure, result.frames) == ("", (1, 29))
    (finding,) = result.warnings
    assert "ends at" in finding.text
    keys = keys_of(marble)
    reaction = values(empty)
    assert reaction["Reaction Force XYZ"][1, 2] == pytest.approx(2.0 * G, rel=1e-2)
    np.testing.assert_array_equal(reaction["Reaction Force"][-5:], 0.0)
    bpy.ops.ves.bake()
    assert keys_of(marble) == keys


@pytest.mark.parametrize("budget", [0.0, 1e-4, 2e-3])
def test_a_run_in_which_the_hand_moves_in_the_midst_of_frames_is_baked_again(budget):
    """The solver has no time for whole frames, and the mouse knows of none: the same mechanism, and the same motion."""
    settings = bpy.context.scene.ves
    settings.use_contact, settings.use_ground = True, True
    crates = [body(f"crate {k}", (0, 0, 0.5 + k), (1, 1, 1)) for k in range(3)]
    rammer = body("rammer", (2.5, 0.1, 0.5), (0.8, 0.8, 0.8))
    button("Jet", force("jet", "MOTOR", crates[2], force=(0, 3.0, 0)))
    frames(11, 60)
    driver = Driver()
    driver.go_on(3)
    play, run = driver.play, driver.play._run
    play._budget = budget
    rng, ticks, in_the_midst = np.random.default_rng(1), 0, set()
    start = None
    while run.frame < 30:
        driver.go_on(0.5)
        ticks += 1
        if not run.is_on_frame:
            in_the_midst.add(run.frame)
        if start is None and (not run.is_on_frame or budget > 1e-3):
            start = np.array(rammer.matrix_world.translation)
            assert play.grab(rammer, start)
        elif start is not None and rng.random() < 0.8:
            play.drag(start + rng.uniform((-2.0, -0.1, 0.0), (-1.0, 0.1, 0.4)))
        if ticks % 17 == 0:
            play.press("Jet")
    assert play.message == ""
    assert in_the_midst or budget > 0.0
    play.let_go()
    mechanism = run.mechanism.to_dict()
    assert driver.keep().failure == ""
    kept = known(*crates, rammer)
    moved = [keys_of(each) for each in (*crates, rammer)]
    again = run_to_end(read_scene(bpy.context.scene, bpy.context.view_layer)).mechanism.to_dict()
    for told in (mechanism, again):
        told["actions"].sort(key=lambda action: (action["time"], action["target"]))  # a drag is one entry
    for part in ("bodies", "forces", "actions"):
        assert again[part] == mechanism[part], part
    bpy.context.scene.frame_end = 11 + run.frame
    bpy.ops.ves.bake()
    assert [keys_of(each) for each in (*crates, rammer)] == moved
    assert_same(known(*crates, rammer), kept)
