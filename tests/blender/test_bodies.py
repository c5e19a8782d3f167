# SPDX-License-Identifier: GPL-3.0-or-later
"""Making bodies of objects and taking them out again, through the operators."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.scene.geometry import computed_weight, mass_properties

from tests.blender.making import box, empty, reports, select, with_role
from tests.blender.test_panels import draw


def test_selected_meshes_become_bodies() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (4, 0, 0))
    select(a, b)
    assert bpy.ops.ves.add_body(motion="FIXED", material="STEEL") == {"FINISHED"}
    assert [ob.ves.role for ob in (a, b, c)] == ["BODY", "BODY", "NONE"]
    assert (a.ves.motion, a.ves.material) == ("FIXED", "STEEL")
    assert b.ves.density == pytest.approx(7850.0)


@pytest.mark.parametrize(("kind", "is_solid"), [("FONT", True), ("EMPTY", False)])
def test_with_a_text_selected_the_button_says_how_it_becomes_a_mesh(kind: str, is_solid: bool) -> None:
    data = bpy.data.curves.new("Text", "FONT") if kind == "FONT" else None
    ob = bpy.data.objects.new("Text", data)
    bpy.context.scene.collection.objects.link(ob)
    select(ob)
    with pytest.raises(RuntimeError, match="Select one or more mesh objects first") as error:
        bpy.ops.ves.add_body()
    assert ("Object > Convert > Mesh makes one of what is selected" in str(error.value)) is is_solid


def test_objects_that_are_no_meshes_are_left_alone_and_named(capfd: pytest.CaptureFixture) -> None:
    a, lamp = box("A"), empty("Marker")
    select(a, lamp)
    assert bpy.ops.ves.add_body() == {"FINISHED"}
    assert lamp.ves.role == "NONE"
    assert "Marker" in reports(capfd)


def test_without_a_mesh_the_button_is_grey() -> None:
    select(empty("Marker"))
    assert not bpy.ops.ves.add_body.poll()
    with pytest.raises(RuntimeError, match="Select one or more mesh objects"):
        bpy.ops.ves.add_body()


def test_adding_again_keeps_the_material() -> None:
    a = box("A")
    select(a)
    bpy.ops.ves.add_body(material="LEAD")
    bpy.ops.ves.add_body(motion="KEYED")
    assert (a.ves.motion, a.ves.material) == ("KEYED", "LEAD")


def test_material_and_density_agree() -> None:
    settings = box("A").ves
    settings.material = "CORK"
    assert settings.density == pytest.approx(200.0)
    settings.density = 123.0
    assert settings.material == "CUSTOM"
    assert settings.density == pytest.approx(123.0)
    settings.material = "ICE"
    assert settings.density == pytest.approx(917.0)


def test_removed_bodies_leave_their_joints_and_say_so(capfd: pytest.CaptureFixture) -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE")
    select(b)
    assert bpy.ops.ves.remove_body() == {"FINISHED"}
    assert b.ves.role == "NONE"
    assert [joint.name for joint in with_role("JOINT")] == ["Hinge A-B"]
    assert "Hinge A-B" in reports(capfd)


def test_removed_bodies_can_take_their_joints_along() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (4, 0, 0))
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE")
    select(b, c)
    bpy.ops.ves.add_joint(type="SPHERICAL")
    select(a)
    bpy.ops.ves.remove_body(remove_joints=True)
    assert [joint.name for joint in with_role("JOINT")] == ["Ball B-C"]


def test_settings_of_the_active_body_are_copied_but_not_its_bake() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    select(a)
    bpy.ops.ves.add_body(motion="DYNAMIC", material="BRASS")
    a.ves.linear_velocity = (1.0, 2.0, 3.0)
    a.ves.is_baked = True
    select(a, b)
    assert bpy.ops.ves.copy_settings() == {"FINISHED"}
    assert b.ves.role == "BODY"
    assert b.ves.material == "BRASS"
    assert tuple(b.ves.linear_velocity) == (1.0, 2.0, 3.0)
    assert not b.ves.is_baked


def test_settings_of_a_joint_are_copied_but_not_what_it_joins() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (4, 0, 0))
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE")
    first = bpy.context.active_object
    select(b, c)
    bpy.ops.ves.add_joint(type="SPHERICAL")
    second = bpy.context.active_object
    first.ves.stiffness[0] = 12.0
    select(first, second)
    bpy.ops.ves.copy_settings()
    assert (second.ves.joint_type, second.ves.stiffness[0]) == ("REVOLUTE", 12.0)
    assert second.empty_display_type == "SINGLE_ARROW"
    assert (second.ves.body_a, second.ves.body_b) == (b, c)


def test_undo_takes_back_a_body() -> None:
    select(box("A"))
    bpy.ops.ed.undo_push(message="start")
    bpy.ops.ves.add_body("EXEC_DEFAULT", True)
    assert bpy.data.objects["A"].ves.role == "BODY"
    bpy.ops.ed.undo()
    assert bpy.data.objects["A"].ves.role == "NONE"
    bpy.ops.ed.redo()
    assert bpy.data.objects["A"].ves.role == "BODY"


def test_a_given_mass_starts_from_the_computed_one() -> None:
    settings = box("A", size=(2, 1, 0.5)).ves
    settings.role, settings.density = "BODY", 300.0
    settings.mass_source = "GIVEN"
    assert settings.mass == pytest.approx(300.0)
    settings.mass_source = "DENSITY"
    settings.density = 500.0
    settings.mass_source = "GIVEN"
    assert settings.mass == pytest.approx(500.0), "nobody has typed the first one"
    settings.mass = 7.0
    settings.mass_source = "DENSITY"
    settings.mass_source = "GIVEN"
    assert settings.mass == 7.0, "what was typed stays"


def test_a_mass_that_was_given_before_stays() -> None:
    settings = box("A").ves
    settings.mass, settings.mass_source = 3.0, "GIVEN"
    assert settings.mass == 3.0


def test_scale_and_modifiers_count_for_a_given_mass() -> None:
    a = box("A")
    a.ves.role, a.ves.density, a.scale = "BODY", 100.0, (2, 3, 0.01)
    a.modifiers.new("Twice", "ARRAY").relative_offset_displace = (0, 0, 3)
    bpy.context.view_layer.update()
    a.ves.mass_source = "GIVEN"
    assert a.ves.mass == pytest.approx(2 * 100.0 * 0.06, rel=1e-5)


def test_without_a_volume_the_given_mass_is_what_it_was() -> None:
    a = empty("Nothing")
    a.ves.mass_source = "GIVEN"
    assert a.ves.mass == 1.0


def shown() -> list[str]:
    """The words of the panel Bodies."""
    return [text for kind, text in draw(bpy.types.VES_PT_body) if kind == "label"]


def test_the_panel_shows_what_is_computed() -> None:
    a = box("A", (5, 0, 0), (2, 1, 0.5))
    for vertex in a.data.vertices:
        vertex.co.z += 0.25
    select(a)
    bpy.ops.ves.add_body()
    a.ves.density = 300.0
    bpy.context.view_layer.update()
    assert shown() == ["Mass 300 kg", "Centre 0, 0, 0.25 m from the origin"]
    a.ves.mass_source, a.ves.mass = "GIVEN", 50.0
    assert shown()[0] == "Density 50 kg/m³"
    a.scale.z = 2.0
    bpy.context.view_layer.update()
    assert shown() == ["Density 25 kg/m³", "Centre 0, 0, 0.5 m from the origin"]


def test_the_panel_looks_at_a_mesh_again_when_it_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []

    def solid(*arguments: object) -> computed_weight.Solid:
        looked.append(1)
        return mass_properties.solid_of_object(*arguments)

    monkeypatch.setattr(computed_weight, "solid_of_object", solid)
    a = box("A")
    select(a)
    bpy.ops.ves.add_body()
    a.ves.density = 100.0
    bpy.context.view_layer.update()
    for _ in range(5):
        assert shown()[0] == "Mass 100 kg"
    assert len(looked) == 1, "drawing again costs nothing"
    a.rotation_euler = (0.3, 0.4, 0.5)
    bpy.context.view_layer.update()
    assert (shown()[0], len(looked)) == ("Mass 100 kg", 1)
    for vertex in a.data.vertices:
        vertex.co *= 2.0
    a.data.update()
    bpy.context.view_layer.update()
    assert (shown()[0], len(looked)) == ("Mass 800 kg", 2)


def test_the_panel_says_that_a_mesh_is_open_or_has_no_volume() -> None:
    a = box("A")
    select(a)
    bpy.ops.ves.add_body()
    corners, faces = [tuple(v.co) for v in a.data.vertices], [tuple(p.vertices) for p in a.data.polygons]
    for points, left, said in ((corners, faces[:-1], True), (corners[:4], faces[:1], False)):
        a.data.clear_geometry()
        a.data.from_pydata(points, [], left)
        a.data.update()
        bpy.context.view_layer.update()
        assert any("convex hull" in text for text in shown()) is said
