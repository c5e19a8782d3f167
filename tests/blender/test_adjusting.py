# SPDX-License-Identifier: GPL-3.0-or-later
"""Adjust Last Operation: what makes joints, constraints and forces can be adjusted, though their Empties are selected.

Blender asks poll with what the operator left selected, before it shows the box and before it undoes the operation.
`tests/gui/test_sidebar_window.py` opens the box in a window.
"""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import pytest
from virtual_erector_set import operators

from tests.blender.making import box, curve_object, reports, select

MAKING = (
    "add_joint", "chain", "add_nail", "add_orientation", "add_point_to_point", "add_distance",
    "add_path", "add_bead", "add_generic", "add_gear", "add_rack", "add_pulley", "add_rope", "add_force",
)  # fmt: skip


def after(*done: str) -> SimpleNamespace:
    """The context of a window in which these operators have run."""
    real = bpy.context
    return SimpleNamespace(
        mode=real.mode,
        selected_objects=real.selected_objects,
        active_object=real.active_object,
        scene=real.scene,
        window_manager=SimpleNamespace(operators=[SimpleNamespace(bl_idname=name) for name in done]),
    )


def class_of(name: str) -> type:
    return next(
        cls
        for module in operators.MODULES
        for cls in getattr(module, "CLASSES", ())
        if getattr(cls, "bl_idname", "") == f"ves.{name}"
    )


@pytest.mark.parametrize("name", MAKING)
def test_the_last_operation_can_be_adjusted_with_its_empties_selected(name: str) -> None:
    kind = class_of(name)
    select()
    assert not kind.poll(after())
    assert kind.poll(after(kind.__name__))
    assert not kind.poll(after(kind.__name__, "VES_OT_check"))


def test_all_operators_that_make_things_are_looked_at() -> None:
    """Those that leave another selection than they found."""
    from virtual_erector_set.operators.parts import along_curve, anchor, force, generic, joint, rope, tie, transmission

    modules = along_curve, anchor, force, generic, joint, rope, tie, transmission
    found = {cls.bl_idname for module in modules for cls in module.CLASSES}
    found -= {f"ves.{name}_rope_point" for name in ("add", "remove", "move")}  # which leave the rope selected
    assert sorted(found) == sorted(f"ves.{name}" for name in MAKING)


def test_a_second_press_without_bodies_says_so(monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    """The button is not greyed while the operation can be adjusted, so it may be pressed."""
    from virtual_erector_set.operators import selection

    monkeypatch.setattr(selection, "was_last", lambda *_: True)
    select(curve_object("Wire", [(0, 0, 0), (1, 0, 0)]))
    for name in MAKING:
        assert getattr(bpy.ops.ves, name)() == {"CANCELLED"}
        assert "select the bodies first" in reports(capfd)
    select(box("A"))
    assert bpy.ops.ves.add_nail() == {"FINISHED"}
