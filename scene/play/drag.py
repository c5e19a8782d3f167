# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand that drags bodies during Play: which body is under the mouse, how hard it pulls, and the line that shows it.

It is the glove of the thesis (1.5.1): a damped spring without length from a point of the body to the hand.
"""

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ..owner import Owner
from ..properties.force_types import GRAVITY
from ..read.reading import BodyBinding

SAG = 0.05  # of its size, by which a body hangs below the hand that holds it alone, at a grip of 1
MOST_HITS = 100  # things that are looked through in search of a body
DIGITS = 7  # of the hand's coordinates in m: recorded as text, they are the very same
COLOR, SHADOW = (1.0, 0.75, 0.1, 1.0), (0.0, 0.0, 0.0, 0.6)
WIDTH = 2.5  # pixels
PIN_COLOR, PIN_EDGE, PIN_SIZE = (1.0, 0.25, 0.15, 1.0), (0.0, 0.0, 0.0, 1.0), 9.0  # pixels


class Grip(NamedTuple):
    """The spring of a hand: N/m and N s/m."""

    stiffness: float
    damping: float


def grip_on(binding: BodyBinding, scene: bpy.types.Scene, factor: float) -> Grip:
    """A critically damped spring that suits a body's mass and size, `factor` times as stiff."""
    size = binding.owner.size or 1.0
    pull = scene.gravity.length if scene.use_gravity and scene.gravity.length else GRAVITY
    rate = (factor * pull / (SAG * size)) ** 0.5
    return Grip(binding.body.mass * rate * rate, 2.0 * binding.body.mass * rate)


def body_under(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, origin: Vector, direction: Vector
) -> tuple[bpy.types.Object, Vector] | None:
    """The first dynamic body along a ray, and where it is hit; what hangs on a body counts as the body.

    Whatever else is in the way is looked through.
    """
    start, step = Vector(origin), Vector(direction).normalized()
    for _ in range(MOST_HITS):
        is_hit, place, _, _, found, _ = scene.ray_cast(depsgraph, start, step)
        if not is_hit:
            return None
        owner = Owner(found.original)
        body = owner if owner.is_dynamic else owner.dynamic_ancestor()
        if body is not None:
            return body.object, place
        start = place + 1e-5 * max(1e-3, (place - start).length) * step
    return None


def led_under(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, origin: Vector, direction: Vector
) -> bpy.types.Object | None:
    """The nearest thing along a ray, if it is a keyed or fixed body, which no hand moves."""
    is_hit, _, _, _, found, _ = scene.ray_cast(depsgraph, Vector(origin), Vector(direction).normalized())
    owner = Owner(found.original) if is_hit else None
    is_led = owner is not None and owner.settings.role == "BODY" and not owner.is_dynamic
    return owner.object if is_led else None


def rounded(point: Vector) -> tuple[float, float, float]:
    """A place of the hand with as many digits as are recorded."""
    return tuple(round(float(x), DIGITS) for x in point)


def draw_line(start: np.ndarray, end: np.ndarray) -> None:
    """Draw the pull of the hand into a 3D View; called by Blender while it draws."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINES", {"pos": [tuple(map(float, start)), tuple(map(float, end))]})
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("ALPHA")
    for color, width in ((SHADOW, WIDTH + 2.0), (COLOR, WIDTH)):
        shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
        shader.uniform_float("lineWidth", width)
        shader.uniform_float("color", color)
        batch.draw(shader)
    gpu.state.blend_set("NONE")


def draw_pins(places: Sequence[np.ndarray], color: tuple[float, ...] = PIN_COLOR) -> None:
    """Draw where bodies are pinned, or held, into a 3D View; called by Blender while it draws."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "POINTS", {"pos": [tuple(map(float, place)) for place in places]})
    gpu.state.depth_test_set("NONE")
    for shown, size in ((PIN_EDGE, PIN_SIZE + 4.0), (color, PIN_SIZE)):
        gpu.state.point_size_set(size)
        shader.uniform_float("color", shown)
        batch.draw(shader)
    gpu.state.point_size_set(1.0)
