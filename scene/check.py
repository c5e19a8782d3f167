# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a set-up, in words that say what to do about it, before anything is simulated.

Looks at the scene as it stands on the present frame and changes nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

import bpy

from . import check_bodies, check_links
from .bodies import POINTING_ROLES, is_body
from .problem import Problem, error, note, warning
from .scene_properties import frame_range

SEVERITY_ORDER = {"ERROR": 0, "WARNING": 1, "INFO": 2}


class Parts(NamedTuple):
    """The objects of a scene that make up its mechanism."""

    bodies: list[bpy.types.Object]
    links: list[bpy.types.Object]


def parts_of(scene: bpy.types.Scene) -> Parts:
    """Bodies, and whatever is fastened to them, in the scene's order."""
    objects = scene.objects
    return Parts([ob for ob in objects if is_body(ob)], [ob for ob in objects if ob.ves.role in POINTING_ROLES])


def find_problems(context: bpy.types.Context) -> list[Problem]:
    """All problems of the scene, the worst first."""
    context.view_layer.update()
    parts = parts_of(context.scene)
    found = list(_scene_problems(context.scene, parts))
    depsgraph = context.evaluated_depsgraph_get()
    for body in parts.bodies:
        found += check_bodies.problems(body, context, depsgraph)
    found += check_bodies.shared_bakes(parts.bodies)
    for link in parts.links:
        found += check_links.problems(link, context)
    found += check_links.loops(parts.links)
    return sorted(found, key=lambda problem: SEVERITY_ORDER[problem.severity])


def _scene_problems(scene: bpy.types.Scene, parts: Parts) -> Iterator[Problem]:
    first, last = frame_range(scene)
    if last <= first:
        yield error(None, f"The frame range {first} to {last} is empty: the last frame must come after the first")
    if not parts.bodies:
        yield note(None, "There are no bodies yet: select mesh objects and press Add Body")
    elif not any(body.ves.motion == "DYNAMIC" for body in parts.bodies):
        yield warning(None, "No body is dynamic, so nothing will move: set the motion of those that should to Dynamic")
