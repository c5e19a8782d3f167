# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts in the command language (.ves), imported through File > Import."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Vector
from virtual_erector_set import solver

from tests.blender.making import reports

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

PENDULUM = """
    ib base
    ilc base nail
    il base bob
    sl base bob -dje 1 1 0 0 -pje 1 1 0 0 -pjt 0 0 2 -q .4 -qdot .3
    sb bob -m 3 -in .5 .5 .5 -if gravity g -if damping d
    sf bob g -g 9
    sf bob d -d .5
    ib hand
    sb hand -t 5 0 0 -if motor m
    sf hand m -f 1 0 0 0 .1 0 -t 0 0 .1 -E 1 0 0 1
"""


def test_the_sticks_of_7_2_are_upright_sticks(capfd):
    """The inertia of a bar of 10 x 1 x 0.5 m and 1 kg; the strings reach its corners at 4 m."""
    assert bpy.ops.ves.import_mechanism(filepath=str(EXAMPLES / "tensegrity.ves")) == {"FINISHED"}
    assert "the script runs for 8 s" in reports(capfd)
    sticks = [ob for ob in bpy.context.scene.objects if ob.name.startswith("stick") and ob.ves.role == "BODY"]
    assert len(sticks) == 5
    for stick in sticks:
        assert stick.ves.mass == pytest.approx(1)
        assert tuple(stick.dimensions) == pytest.approx((10, 1, 0.5), rel=1e-4)
        corners = [stick.matrix_world @ Vector(corner) for corner in stick.bound_box]
        assert max(corner.z for corner in corners) == pytest.approx(15, abs=1e-3)
        assert min(corner.z for corner in corners) == pytest.approx(5, abs=1e-3)
    assert tuple(bpy.data.objects["stick2"].location) == (-1, -17, 10)
    assert bpy.data.objects["stick2 damping"].ves.linear == 10
    assert not bpy.context.scene.use_gravity


def test_an_imported_script_bakes_as_it_runs_by_itself(tmp_path):
    path = tmp_path / "pendulum.VES"
    path.write_text(PENDULUM)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 13
    assert bpy.ops.ves.import_mechanism(filepath=str(path)) == {"FINISHED"}
    assert bpy.ops.ves.bake() == {"FINISHED"}
    recording = solver.simulate(solver.Script.load(path).mechanism, 0.5, scene.render.fps / scene.render.fps_base)
    for frame in (1, 7, 13):
        scene.frame_set(frame)
        for i, name in enumerate(recording.body_names):
            shown = bpy.data.objects[str(name)].matrix_world.translation
            np.testing.assert_allclose(shown, recording.position[frame - 1, i], atol=1e-4, err_msg=str(name))


def test_a_wrong_script_is_refused_with_its_line_and_leaves_nothing(tmp_path):
    path = tmp_path / "wrong.ves"
    path.write_text("ib a\nsb a -m 0\n")
    with pytest.raises(RuntimeError, match=r"wrong\.ves:2: sb: -m must be greater than 0"):
        bpy.ops.ves.import_mechanism(filepath=str(path))
    assert len(bpy.data.objects) == 0


def test_the_file_window_offers_scripts():
    filters = bpy.ops.ves.import_mechanism.get_rna_type().properties["filter_glob"].default
    assert filters == "*.json;*.ves"
