# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be wrong with a body."""

from collections.abc import Iterator, Sequence

import bpy
import numpy as np

from .animation import animated_paths, has_moving_transform, moves_by_itself
from .mass_properties import NoVolumeError, solid_of_object
from .problem import Problem, error, note, warning

TRANSFORM_DRIVERS = ("location", "rotation_", "scale")


def problems(body: bpy.types.Object, context: bpy.types.Context, depsgraph: bpy.types.Depsgraph) -> Iterator[Problem]:
    """All that is wrong with one body."""
    if body.type != "MESH":
        yield error(body, f"{body.name} is no mesh object: only meshes can be bodies")
        return
    if body.name not in context.view_layer.objects:
        yield error(
            body, f"{body.name} is in a collection that is excluded from the view layer: include it, or remove the body"
        )
        return
    if body.ves.motion == "DYNAMIC":
        yield from _dynamic_problems(body)
        yield from _volume_problems(body, depsgraph)
    elif body.ves.motion == "KEYED":
        yield from _keyed_problems(body)
    if body.rigid_body is not None and body.ves.motion != "KEYED":
        yield warning(
            body,
            f"{body.name} is also in Blender's rigid body world, which moves it too: use Object > Rigid Body > Remove",
        )


def _dynamic_problems(body: bpy.types.Object) -> Iterator[Problem]:
    if not body.is_editable:
        yield error(
            body, f"{body.name} is linked from another file and can't get keyframes: make a library override of it"
        )
    drivers = body.animation_data.drivers if body.animation_data else ()
    if any(driver.data_path.startswith(TRANSFORM_DRIVERS) for driver in drivers):
        yield error(
            body, f"{body.name} has drivers on its transforms, which overrule keyframes: remove them or make it Keyed"
        )
    elif has_moving_transform(body) and not body.ves.is_baked and body.ves.velocity_source == "GIVEN":
        yield note(
            body,
            f"{body.name} is dynamic and has an animation of its own: Bake puts that aside and "
            "Clear Bake brings it back. To move as it is animated, it must be Keyed",
        )
    active = [constraint.name for constraint in body.constraints if not constraint.mute]
    if active:
        yield warning(
            body,
            f"{body.name} is dynamic but has the constraint {', '.join(active)}, which will move it as well: "
            "turn the constraint off or make the body Keyed",
        )


def _volume_problems(body: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[Problem]:
    evaluated = body.evaluated_get(depsgraph)
    linear = np.array(evaluated.matrix_world, dtype=float)[:3, :3]
    try:
        solid = solid_of_object(evaluated, linear)
    except NoVolumeError as reason:
        yield error(
            body, f"{body.name} {reason}: give it thickness (a Solidify modifier will do), or make it Fixed or Keyed"
        )
        return
    if not solid.is_closed:
        yield warning(
            body,
            f"{body.name} is not closed, so its convex hull is weighed instead: close its holes, or join its "
            "seams with Merge by Distance",
        )


def _keyed_problems(body: bpy.types.Object) -> Iterator[Problem]:
    ancestor = body.parent
    while ancestor is not None:
        if ancestor.ves.role == "BODY" and ancestor.ves.motion == "DYNAMIC":
            yield error(
                body,
                f"{body.name} is keyed, but it is a child of {ancestor.name}, which is dynamic: clear its parent, "
                "or make it dynamic and weld it to its parent",
            )
        ancestor = ancestor.parent
    if not moves_by_itself(body) and not any(True for _ in animated_paths(body)):
        yield note(body, f"{body.name} is keyed, but nothing moves it: animate it, or make it Fixed")
    if body.hide_viewport:
        yield warning(
            body, f"{body.name} is disabled in viewports, so Blender does not animate it: enable it in the Outliner"
        )


def shared_bakes(bodies: Sequence[bpy.types.Object]) -> Iterator[Problem]:
    """Baked bodies whose baked action is also another's, as after a linked duplicate of the animation."""
    owners = {}
    for body in bodies:
        data = body.animation_data
        if body.ves.is_baked and data is not None and data.action is not None:
            key = (data.action, data.action_slot_handle)
            first = owners.setdefault(key, body)
            if first != body:
                yield warning(
                    body,
                    f"{body.name} plays the baked motion of {first.name}, as a duplicate does: bake to give it its own",
                )
