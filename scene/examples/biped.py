# SPDX-License-Identifier: GPL-3.0-or-later
"""A biped on a platform that shifts and tilts, after Wendlandt (1997, section 4.3): ready for Bake and Play.

It stands on the middle of the platform and looks along -Y. Each leg has six axes: a ball at the hip, a hinge at the
knee, two at the ankle with a small body between. Lengths are in metres and masses in kilograms at a scale of 1; times
grow with the root of the scale, as those of pendulums do.
"""

import math

import bpy
import numpy as np
from mathutils import Matrix

from ..parts.bodies import make_body
from ..parts.empties import add_empty, set_up_force
from ..parts.feet import set_feet
from ..properties.joint import set_limits
from .linkages import Links, Solid, ball, together, tube
from .many_links import add_links, mesh_of

TOP = 0.4  # of the platform at rest
HALF_SIZE = (0.8, 0.6, 0.06)  # of the platform
ANKLE, SHIN, THIGH = 0.08, 0.40, 0.42  # height of the ankles, lengths
LEAN = 0.35  # rad: of the shins
LEG, SHOULDER, HAND = 0.11, 0.20, 0.32  # how far beside the middle
SHIFT, SHIFT_PULSE = (0.10, 0.06, 0.04), (2.0, 1.5, 2.5)  # m, rad/s: how the platform goes to and fro,
TILT, TILT_PULSE = (0.10, 0.10), (1.7, 1.3)  # rad, rad/s: and tilts about X and Y
SETS_OFF = 1.0  # s: in which that grows to its full size
KEYS_PER_SECOND = 6.0
FRICTION = 0.8
FREQUENCY, TORQUE = 1.0, 200.0  # Hz, N m: of the balance
BLUE, RED, DARK, SKIN = (0.05, 0.13, 0.5), (0.6, 0.05, 0.03), (0.03, 0.03, 0.035), (0.65, 0.4, 0.25)


def add_biped(context: bpy.types.Context, origin: np.ndarray, scale: float = 1.0) -> list[bpy.types.Object]:
    """The figure, its platform with keys over the frames of the scene, and the balance; switches contact on.

    Returns the bodies, the trunk as the first one and the platform as the last.
    """
    links, masses = biped()
    bodies = add_links(links, context, origin, scale)
    for body, mass in zip(bodies, masses, strict=True):
        body.ves.mass_source, body.ves.mass = "GIVEN", mass * scale**3
        body.ves.collide = "Ankle" not in body.name
        body.ves.contact_friction, body.ves.contact_restitution = FRICTION, 0.0
    context.view_layer.update()
    for body in bodies:
        for joint in body.children:
            _set_up(joint, scale)
    home = bodies[0].users_collection[0]
    _add_balance(bodies[0], [body for body in bodies if "Foot" in body.name], home, masses[0] * scale**3, scale)
    context.scene.ves.use_contact = True
    return [*bodies, _add_platform(context.scene, home, origin, scale)]


def _set_up(joint: bpy.types.Object, scale: float) -> None:
    """Arms hang on soft shoulders; knees do not bend forwards; and all joints have some friction in their fluid."""
    settings = joint.ves
    settings.damping = (scale**4.5,) * 3
    if "Arm" in settings.body_b.name:
        settings.stiffness = (2.0 * scale**4,) * 3
    if "Shin" in settings.body_b.name:
        set_limits(settings, [(-0.9 * _bend(), 1.6)])


def _add_balance(
    trunk: bpy.types.Object,
    feet: list[bpy.types.Object],
    home: bpy.types.Collection,
    mass: float,
    scale: float,
) -> None:
    matrix = Matrix.Translation(trunk.matrix_world.translation)
    empty = add_empty(f"Balance {trunk.name}", "FORCE", matrix, (trunk, None), 0.3 * scale, home)
    set_up_force(empty, "BALANCE", mass, scale, 0.0)
    settings = empty.ves
    set_feet(settings, feet)
    settings.balance_frequency = settings.balance_turn_frequency = FREQUENCY / math.sqrt(scale)
    settings.balance_max_torque = TORQUE * scale**4


def _add_platform(
    scene: bpy.types.Scene, home: bpy.types.Collection, origin: np.ndarray, scale: float
) -> bpy.types.Object:
    x, y, z = HALF_SIZE
    corners = [(a, b, c) for a in (-x, x) for b in (-y, y) for c in (-z, z)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    platform = bpy.data.objects.new("Platform", mesh_of(Solid("Platform", np.array(corners), faces, DARK), scale))
    home.objects.link(platform)
    make_body(platform, "KEYED")
    platform.ves.contact_friction, platform.ves.contact_restitution = FRICTION, 0.0
    rate, middle = scene.render.fps / scene.render.fps_base, np.array((0.0, 0.0, TOP - z))
    for frame in range(scene.frame_start, scene.frame_end + 1, max(1, round(rate / KEYS_PER_SECOND))):
        time = (frame - scene.frame_start) / rate / math.sqrt(scale)
        grown = min(1.0, time / SETS_OFF) ** 2 * (3.0 - 2.0 * min(1.0, time / SETS_OFF))
        platform.location = origin + scale * (middle + grown * np.array(SHIFT) * np.sin(np.array(SHIFT_PULSE) * time))
        platform.rotation_euler = (*(grown * np.array(TILT) * np.sin(np.array(TILT_PULSE) * time)).tolist(), 0.0)
        platform.keyframe_insert("location", frame=frame)
        platform.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(scene.frame_current)
    return platform


def _bend() -> float:
    """rad: of the knees."""
    return LEAN + math.asin(SHIN * math.sin(LEAN) / THIGH)


def biped() -> tuple[Links, list[float]]:
    """The figure as it stands, and the masses of its bodies."""
    up = np.array((0.0, 0.0, 1.0))
    ankle = np.array((0.0, 0.0, TOP + ANKLE))
    knee = ankle + SHIN * np.array((0.0, -math.sin(LEAN), math.cos(LEAN)))
    hip = knee + THIGH * np.array((0.0, math.sin(_bend() - LEAN), math.cos(_bend() - LEAN)))
    shoulder, hand = hip + (0.0, 0.0, 0.50), hip + (0.0, -0.03, -0.05)
    hinge, ball_joint = np.array((1.0, 0.0, 0.0)), np.zeros(3)
    solids = [
        Solid("Trunk", *_trunk(), RED),
        Solid("Arm", *_limb(0.045, float(np.linalg.norm(shoulder - hand))), RED),
        Solid("Thigh", *_limb(0.075, THIGH), BLUE),
        Solid("Shin", *_limb(0.05, SHIN, 0.06), BLUE),
        Solid("Ankle", *ball((0.035,) * 3), SKIN),
        Solid("Foot", *_foot(), DARK),
    ]
    trunk = hip + (0.0, 0.0, 0.28)
    rows = [("Trunk", 0, 42.0, trunk, up, -1, trunk, ball_joint)]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        out, arm, end = (sign * np.array((x, 0.0, 0.0)) for x in (LEG, SHOULDER, HAND))
        first = len(rows)
        rows += [
            (f"{side} Arm", 1, 3.5, shoulder + arm, hand + end - shoulder - arm, 0, shoulder + arm, ball_joint),
            (f"{side} Thigh", 2, 8.0, hip + out, knee - hip, 0, hip + out, ball_joint),
            (f"{side} Shin", 3, 3.5, knee + out, ankle - knee, first + 1, knee + out, hinge),
            (f"{side} Ankle", 4, 0.6, ankle + out, up, first + 2, ankle + out, hinge),
            (f"{side} Foot", 5, 1.2, ankle + out, up, first + 3, ankle + out, np.array((0.0, 1.0, 0.0))),
        ]
    labels, solid, masses, place, along, inner, pivot, axis = zip(*rows, strict=True)
    links = Links(
        name="Biped",
        solids=solids,
        solid=np.array(solid),
        place=np.array(place),
        axes=np.array([_axes(direction) for direction in along]),
        inner=np.array(inner),
        pivot=np.array(pivot),
        hinge=np.array(axis),
        labels=list(labels),
    )
    return links, list(masses)


def _axes(direction: np.ndarray) -> np.ndarray:
    """Columns: local axes, Z along the direction, and X across the figure as far as that goes."""
    z = direction / np.linalg.norm(direction)
    y = np.cross(z, (1.0, 0.0, 0.0))
    y /= np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)


def _limb(radius: float, length: float, gap: float = 0.0) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """A capsule along Z from the origin; it ends `gap` before its length, so that it is clear of the foot."""
    middle, half = 0.5 * (length - gap), 0.5 * (length - gap)
    points, faces = ball((radius,) * 3)
    points = points[:, [2, 1, 0]] * (1.0, 1.0, -1.0)  # its poles on Z
    points[:, 2] += np.where(points[:, 2] >= 0.0, half, -half) + middle
    return points, faces


def _trunk() -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """With a head, and a nose that shows where it looks."""
    return together(
        ball((0.18, 0.11, 0.33)),
        tube(0.045, 0.25, 0.40, 16),
        ball((0.085, 0.10, 0.12), (0.0, 0.0, 0.47)),
        ball((0.02, 0.03, 0.02), (0.0, -0.10, 0.46), 8),
    )


def _foot() -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """A flat box from the heel to the toes, below the ankle at the origin."""
    low, high = (-0.05, -0.18, -ANKLE), (0.05, 0.08, -0.02)
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return np.array(corners), faces
