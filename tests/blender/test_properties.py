# SPDX-License-Identifier: GPL-3.0-or-later
"""Every property has its tooltip and its line in the manual."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import pytest

from tests.blender.making import box
from tools import materials_table
from tools.properties_table import PAGE, page

GROUPS = (bpy.types.Object, bpy.types.Scene)


def properties(owner: type) -> Iterator[bpy.types.Property]:
    group = owner.bl_rna.properties["ves"].fixed_type
    own = {name for cls in type(_instance(owner).ves).__mro__ for name in getattr(cls, "__annotations__", {})}
    return (prop for prop in group.properties if prop.identifier in own)


def _instance(owner: type) -> bpy.types.ID:
    return box("Any") if owner is bpy.types.Object else bpy.context.scene


def test_the_page_is_current() -> None:
    """If this fails: python tools/properties_table.py."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_the_page_of_materials_is_current() -> None:
    """If this fails: python tools/materials_table.py."""
    assert materials_table.PAGE.read_text(encoding="utf-8") == materials_table.page()


@pytest.mark.parametrize("owner", GROUPS)
def test_tooltips_end_without_a_period(owner: type) -> None:
    found = list(properties(owner))
    assert len(found) > 10
    for prop in found:
        assert prop.description, prop.identifier
        assert not prop.description.endswith("."), prop.identifier
        assert prop.name[0].isupper(), prop.identifier


def test_settings_survive_saving(tmp_path) -> None:
    a, b = box("A"), box("B")
    a.ves.role = b.ves.role = "BODY"
    a.ves.material = "ICE"
    a.ves.body_a = b
    bpy.context.scene.ves.accuracy = "PRECISE"
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    a = bpy.data.objects["A"]
    assert (a.ves.material, a.ves.body_a) == ("ICE", bpy.data.objects["B"])
    assert bpy.context.scene.ves.accuracy == "PRECISE"


def test_a_deleted_body_leaves_an_empty_end() -> None:
    a, b = box("A"), box("B")
    a.ves.body_a = b
    bpy.data.objects.remove(b)
    assert a.ves.body_a is None


def test_settings_of_a_library_override_can_be_changed_and_are_saved(tmp_path) -> None:
    box("A").ves.role = "BODY"
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["A"]
    override = wanted.objects[0].override_create()
    bpy.context.scene.collection.objects.link(override)
    override.ves.motion = "KEYED"
    override.ves.density = 77.0
    shot = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=shot)
    (override,) = bpy.context.scene.objects
    assert override.override_library is not None
    assert (override.ves.role, override.ves.motion) == ("BODY", "KEYED")
    assert override.ves.density == pytest.approx(77.0)
