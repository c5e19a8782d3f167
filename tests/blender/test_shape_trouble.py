# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that nothing can touch: what is said of them helps."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.scene.findings import SceneError

from tests.blender.linkages import body
from tests.blender.making import mesh_object
from tests.blender.shapes import reading


@pytest.mark.parametrize("motion", ["FIXED", "KEYED"])
@pytest.mark.parametrize("flat", [False, True])
def test_a_mesh_without_faces_is_not_asked_for_a_thickness(motion: str, flat: bool) -> None:
    if flat:
        wire = body("wire", (0, 0, 5), motion=motion)
        wire.scale = (0, 0, 0)
    else:
        wire = mesh_object("wire", [(0, 0, 5), (1, 0, 5), (0, 1, 5)], edges=[(0, 1), (1, 2)])
        wire.ves.role, wire.ves.motion = "BODY", motion
    bpy.context.scene.ves.use_contact = True
    with pytest.raises(SceneError) as caught:
        reading()
    assert [str(finding) for finding in caught.value.findings] == [
        "wire: has no faces with an area that others could touch: give it some, or turn Collide off"
    ]


@pytest.mark.parametrize(
    ("inwards", "margin", "is_left"),
    [(False, -0.4, True), (False, -1.2, False), (True, 0.4, True), (True, 1.2, False)],
)
def test_a_margin_that_turns_a_mesh_inside_out_leaves_nothing(inwards: bool, margin: float, is_left: bool) -> None:
    room = body("room", (0, 0, 5), (1, 1, 1), "FIXED")
    room.ves.contact_shape, room.ves.contact_margin = "MESH", margin
    if inwards:
        room.data.flip_normals()
    bpy.context.scene.ves.use_contact = True
    if is_left:
        assert reading().warnings == []
    else:
        with pytest.raises(SceneError, match="leaves nothing of its shape"):
            reading()
