# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command ves ...`: the function behind it, called as Blender calls it."""

import bpy
import pytest
from virtual_erector_set.operators import command_line
from virtual_erector_set.scene.bake import bake as bake_module
from virtual_erector_set.solver import SimulationFailed

from tests.blender.linkages import body, chain


@pytest.fixture
def file(tmp_path):
    chain(2, 24)
    path = tmp_path / "chain.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_bake_saves_where_it_is_told(file, tmp_path):
    before = file.read_bytes()
    target = tmp_path / "baked.blend"
    arguments = ["bake", str(file), "--save-as", str(target), "--start", "5", "--end", "12"]
    assert command_line.run(arguments) == command_line.DONE
    assert file.read_bytes() == before
    bpy.ops.wm.open_mainfile(filepath=str(target))
    assert tuple(bpy.data.objects["rod 1"].animation_data.action.frame_range) == (5, 12)


def test_bake_saves_in_place(file, capfd):
    assert command_line.run(["bake", str(file)]) == command_line.DONE
    assert "Baked 2 bodies, frames 1 to 24" in capfd.readouterr().out
    bpy.ops.wm.open_mainfile(filepath=str(file))
    assert bpy.data.objects["rod 1"].ves.is_baked


@pytest.mark.parametrize("arguments", [[], ["bake"], ["fly", "x.blend"], ["bake", "x.blend", "--start", "soon"]])
def test_wrong_usage(arguments):
    assert command_line.run(arguments) == command_line.WRONG_USAGE


def test_help_is_no_error(capsys):
    assert command_line.run(["--help"]) == command_line.DONE
    assert "bake" in capsys.readouterr().out


def test_a_missing_file_and_a_file_of_another_kind(tmp_path, capfd):
    assert command_line.run(["bake", str(tmp_path / "missing.blend")]) == command_line.WRONG_SCENE
    assert "missing.blend" in capfd.readouterr().err
    (tmp_path / "text.blend").write_text("this is no Blender file")
    assert command_line.run(["bake", str(tmp_path / "text.blend")]) == command_line.WRONG_SCENE


def test_a_wrong_scene_is_named_and_not_saved(tmp_path, capfd):
    body("sheet").data.clear_geometry()
    path = tmp_path / "wrong.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    before = path.read_bytes()
    assert command_line.run(["bake", str(path)]) == command_line.WRONG_SCENE
    assert "sheet" in capfd.readouterr().err
    assert path.read_bytes() == before


def test_a_simulation_that_stops_has_a_status_of_its_own(file, monkeypatch, capfd):
    class Stopping(bake_module.Simulation):
        def run(self):
            yield from super().run()
            raise SimulationFailed(0.4, "it ran away", ["rod 1"], self.recording.up_to(10))

    monkeypatch.setattr(bake_module, "Simulation", Stopping)
    assert command_line.run(["bake", str(file)]) == command_line.STOPPED_EARLY
    assert "it ran away" in capfd.readouterr().err
    bpy.ops.wm.open_mainfile(filepath=str(file))
    assert tuple(bpy.data.objects["rod 1"].animation_data.action.frame_range) == (1, 10)
