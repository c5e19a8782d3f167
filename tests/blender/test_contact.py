# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact as a person meets it: the operators, copies, undo, files that were made before, and what the solver gets."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.scene.bake import bake as bake_module
from virtual_erector_set.scene.parts.ignored_pairs import ignored_by, ignored_with
from virtual_erector_set.scene.play import play as play_module
from virtual_erector_set.scene.properties import materials
from virtual_erector_set.scene.properties.contact import solver_options

from tests.blender.linkages import body
from tests.blender.making import box, reports, select


def three() -> list[bpy.types.Object]:
    return [body(name, (2 * i, 0, 5)) for i, name in enumerate("abc")]


def pairs(*bodies: bpy.types.Object) -> set[str]:
    return {"".join(sorted((one.name, other.name))) for one in bodies for other in ignored_with(one, bodies)}


def test_bodies_collide_once_contact_is_on() -> None:
    select(box("a"))
    bpy.ops.ves.add_body()
    assert bpy.data.objects["a"].ves.collide
    assert not bpy.context.scene.ves.use_contact, "as in all scenes that were made before there was contact"


def test_choosing_a_material_fills_friction_and_bounciness() -> None:
    settings = body("a").ves
    for material in materials.MATERIALS:
        settings.material = material.identifier
        found = settings.density, settings.contact_friction, settings.contact_restitution
        assert found == pytest.approx((material.density, material.friction, material.restitution))
        assert settings.material == material.identifier


def test_a_new_body_has_the_surface_of_its_material() -> None:
    settings, plastic = body("a").ves, materials.BY_IDENTIFIER[materials.DEFAULT]
    assert (settings.contact_friction, settings.contact_restitution) == pytest.approx(
        (plastic.friction, plastic.restitution)
    )


def test_selected_bodies_pass_through_each_other_and_touch_again(capfd: pytest.CaptureFixture) -> None:
    a, b, c = three()
    select(a, b)
    assert bpy.ops.ves.dont_collide() == {"FINISHED"}
    assert "1 pair no longer touches" in reports(capfd)
    select(a, b, c)
    bpy.ops.ves.dont_collide()
    assert "2 pairs no longer touch " in reports(capfd)
    assert pairs(a, b, c) == {"ab", "ac", "bc"}
    assert len(a.ves.contact_ignored) == 2, "none is named twice"
    select(b, c)
    assert bpy.ops.ves.collide_again() == {"FINISHED"}
    assert pairs(a, b, c) == {"ab", "ac"}
    select(a)
    bpy.ops.ves.collide_again()
    assert pairs(a, b, c) == set()
    assert bpy.ops.ves.collide_again() == {"CANCELLED"}
    assert "None of these" in reports(capfd)


def test_a_single_body_can_not_ignore() -> None:
    select(three()[0], box("no body"))
    with pytest.raises(RuntimeError, match="Select two or more bodies"):
        bpy.ops.ves.dont_collide()
    select(box("no body either"))
    with pytest.raises(RuntimeError, match="Select one or more bodies"):
        bpy.ops.ves.collide_again()


def test_undo_takes_a_pair_back() -> None:
    a, b, _ = three()
    select(a, b)
    bpy.ops.ed.undo_push(message="start")
    bpy.ops.ves.dont_collide("EXEC_DEFAULT", True)
    assert ignored_by(bpy.data.objects["a"]) == {bpy.data.objects["b"]}
    bpy.ops.ed.undo()
    assert ignored_by(bpy.data.objects["a"]) == set()
    bpy.ops.ed.redo()
    assert ignored_by(bpy.data.objects["b"]) == {bpy.data.objects["a"]}


def test_pairs_survive_renaming_saving_and_deleting(tmp_path) -> None:
    a, b, c = three()
    select(a, b, c)
    bpy.ops.ves.dont_collide()
    a.name = "z"
    path = str(tmp_path / "pairs.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    z, b, c = (bpy.data.objects[name] for name in "zbc")
    assert ignored_by(z) == {b, c}
    bpy.data.objects.remove(c)
    assert ignored_by(z) == {b}
    select(z, b)
    bpy.ops.ves.dont_collide()
    assert len(z.ves.contact_ignored) == 1, "what is gone is forgotten"


def test_copies_ignore_each_other_as_the_originals_do() -> None:
    a, b, _ = three()
    select(a, b)
    bpy.ops.ves.dont_collide()
    bpy.ops.object.duplicate()
    copies = {ob.name: ob for ob in bpy.context.selected_objects}
    assert ignored_by(copies["a.001"]) == {copies["b.001"]}


def test_contact_settings_are_copied_to_the_selected_but_not_whom_they_ignore() -> None:
    a, b, c = three()
    select(a, c)
    bpy.ops.ves.dont_collide()
    settings = a.ves
    settings.material, settings.contact_friction, settings.contact_restitution = "ICE", 0.5, 0.25
    settings.contact_shape, settings.contact_margin, settings.collide = "CAPSULE", 0.01, False
    settings.contact_layers = [i % 2 == 0 for i in range(20)]
    settings.mass_source, settings.use_inertia, settings.inertia_moments = "GIVEN", True, (1, 2, 2.5)
    select(a, b)
    assert bpy.ops.ves.copy_settings() == {"FINISHED"}
    copied = b.ves
    assert (copied.material, copied.contact_friction, copied.contact_restitution) == ("ICE", 0.5, 0.25)
    assert (copied.contact_shape, copied.contact_margin, copied.collide) == ("CAPSULE", pytest.approx(0.01), False)
    assert list(copied.contact_layers) == [i % 2 == 0 for i in range(20)]
    assert (copied.use_inertia, tuple(copied.inertia_moments)) == (True, (1, 2, 2.5))
    assert ignored_by(b) == set()


def test_substeps_are_passed_on_only_if_somebody_chose_them() -> None:
    scene = bpy.context.scene
    assert solver_options(scene) == {}
    scene.ves.use_contact = True
    assert solver_options(scene) == {}
    scene.ves.substeps = 20
    assert solver_options(scene) == {"substeps": 20}
    scene.ves.use_contact = False
    assert solver_options(scene) == {}


@pytest.mark.parametrize("where", ["bake", "play"])
def test_bake_and_play_pass_them_on(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Called(Exception):
        pass

    def call(*_: object, **options: object) -> None:
        raise Called(options.get("substeps"))

    monkeypatch.setattr(bake_module, "Simulation", call)
    monkeypatch.setattr(bake_module, "LiveRun", call)
    body("a", (0, 0, 5))
    settings, scene = bpy.context.scene.ves, bpy.context.scene
    settings.use_contact, settings.substeps = True, 12
    layer = bpy.context.view_layer
    steps = bake_module.bake(scene, layer) if where == "bake" else play_module.Play(scene, layer, 5).steps()
    with pytest.raises(Called, match="12"):
        bake_module.run_to_end(steps)


def test_snapping_takes_no_notice_of_contact() -> None:
    a, b, _ = three()
    select(a, b)
    bpy.ops.ves.add_joint(type="SPHERICAL", location="LOOSE")
    bpy.context.scene.ves.use_contact = True
    select(a, b)
    bpy.ops.ves.dont_collide()
    a.ves.contact_shape = "MESH"
    assert bpy.ops.ves.snap_together(mode="INSTANT") == {"FINISHED"}
