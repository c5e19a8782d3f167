# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that operators act on: the selected meshes, the active one first, and how a list of names is said."""

import functools
from collections.abc import Iterable, Sequence

import bpy

from ..scene.parts.bodies import make_bodies
from ..scene.parts.placement import Outline, outline
from ..scene.visible.visible import is_shape
from .polls import cancelled, needs_selected


class OnMeshes:
    """Mixed into operators that need at least one selected mesh object in Object Mode."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Says in the tooltip of a greyed button what is missing."""
        is_mesh, solid = (lambda ob: ob.type == "MESH"), {"CURVE", "SURFACE", "FONT", "META"}
        convert = ": Object > Convert > Mesh makes one of what is selected"
        is_solid = any(ob.type in solid for ob in context.selected_objects)
        return needs_selected(
            cls, context, is_mesh, f"Select one or more mesh objects first{convert if is_solid else ''}"
        )


def adjustable(operator: type) -> type:
    """Class decorator: its box Adjust Last Operation stays, though what it has made is selected now, not its bodies.

    Blender asks the operator's poll before it shows the box and before it does the operation again, in both cases
    with the selection that the operator left; only then does it undo the operation, and with it the selection.
    """
    needs, act = operator.poll.__func__, operator.execute

    @functools.wraps(needs)
    def poll(cls: type, context: bpy.types.Context) -> bool:
        return (was_last(cls, context) and context.mode == "OBJECT") or needs(cls, context)

    @functools.wraps(act)
    def execute(self: bpy.types.Operator, context: bpy.types.Context) -> set[str]:
        if not needs(type(self), context):
            return cancelled(self, f"{self.bl_label}: select the bodies first", "WARNING")
        return act(self, context)

    operator.poll, operator.execute = classmethod(poll), execute
    return operator


def was_last(operator: type, context: bpy.types.Context) -> bool:
    """True if nothing that can be adjusted has been done since this operator."""
    done = context.window_manager.operators
    return len(done) > 0 and done[-1].bl_idname == operator.__name__


def selected_meshes(context: bpy.types.Context, operator: bpy.types.Operator) -> list[bpy.types.Object]:
    """Selected mesh objects that can be edited, the active one first; the others are named in a warning."""
    active = context.active_object
    selected = sorted(context.selected_objects, key=lambda ob: ob != active)
    meshes = [ob for ob in selected if ob.type == "MESH" and not is_shape(ob)]
    linked = [ob for ob in meshes if not ob.is_editable]
    if linked:
        warn(operator, f"Linked from another file, make a library override first: {names(linked)}")
    return [ob for ob in meshes if ob.is_editable]


def skip_others(context: bpy.types.Context, operator: bpy.types.Operator) -> None:
    """Name the selected objects that are no meshes."""
    others = [ob for ob in context.selected_objects if ob.type != "MESH"]
    if others:
        warn(operator, f"Only mesh objects can be bodies, skipped: {names(others)}")


def become_bodies(
    objects: Sequence[bpy.types.Object], operator: bpy.types.Operator, leader: bpy.types.Object | None = None
) -> None:
    """Turn plain meshes into bodies and say so."""
    made = make_bodies(objects, leader)
    if made:
        operator.report({"INFO"}, f"Made bodies of {names(made)}")


def outlined(
    bodies: Sequence[bpy.types.Object],
    context: bpy.types.Context,
    operator: bpy.types.Operator,
    leader: bpy.types.Object | None = None,
) -> dict[bpy.types.Object, Outline]:
    """These meshes, which become bodies if they are none, each with its outline."""
    become_bodies(bodies, operator, leader)
    context.view_layer.update()
    depsgraph = context.evaluated_depsgraph_get()
    return {ob: outline(ob, depsgraph) for ob in bodies}


def chosen_bodies(
    context: bpy.types.Context, operator: bpy.types.Operator, name_others: bool = True
) -> dict[bpy.types.Object, Outline]:
    """The selected meshes, the active one first, which become bodies, each with its outline; others are named."""
    if name_others:
        skip_others(context, operator)
    return outlined(selected_meshes(context, operator), context, operator)


def warn(operator: bpy.types.Operator, text: str) -> None:
    """Report without stopping a script."""
    operator.report({"WARNING"}, text)


def names(objects: Iterable[bpy.types.Object], most: int = 6) -> str:
    """The names in a row, the first few if there are many."""
    listed = [ob.name for ob in objects]
    more = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {more} more" if more > 0 else "")


def count(number: int, noun: str) -> str:
    """`1 joint`, `3 joints`, `2 bodies`, `2 axes`."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("is"):
        return f"{number} {noun[:-2]}es"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def select_visible(context: bpy.types.Context, objects: Sequence[bpy.types.Object]) -> None:
    """Select just those of the objects that can be seen, the first one active; if there are none, change nothing."""
    seen = [ob for ob in objects if ob.name in context.view_layer.objects and ob.visible_get()]
    if seen:
        select_only(context, seen)
        context.view_layer.objects.active = seen[0]


def select_only(context: bpy.types.Context, objects: Sequence[bpy.types.Object]) -> None:
    """Select just these and make the last one active, as Blender does with what it has added."""
    for ob in context.selected_objects:
        ob.select_set(False)
    for ob in objects:
        if ob.name in context.view_layer.objects:
            ob.select_set(True)
            context.view_layer.objects.active = ob
