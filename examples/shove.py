# SPDX-License-Identifier: GPL-3.0-or-later
"""A punchbag swings into the back of a figure that thinks of something else: it catches itself by a step.

The figure is the passenger's, with *Steps* of its Balance switched on. The bag hangs on a ball joint.
"""

from __future__ import annotations

import math

import bpy
from mathutils import Matrix, Vector

from .by_hand import add_bodies, join, select
from .camera import add_camera
from .landscape import add_sky, add_sun
from .passenger import connect, make_passenger
from .shapes import Shape, joined, lathe, make_object, rod, slab
from .workbench import set_frames

FRAMES = 96
PIVOT = (0.0, 0.30, 3.0)  # m: the bag hangs close behind the figure, which stands at the origin and looks along -Y
BAG, HALF_BAG, BAG_MASS = 1.27, 0.45, 18.0  # height of its middle, half its length (m), kg
RAISED = math.radians(44.0)  # from where it is let go
FREQUENCY, TORQUE, STEP_TIME = 1.2, 250.0, 0.2  # Hz of place and upright; N m; s


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    floor = make_object("Floor", slab((-3.0, -3.5, -0.1), (3.0, 3.5, 0.0), "oak"), False)
    gantry = make_object("Gantry", _gantry(), smooth=False)
    add_bodies([floor, gantry], "OAK", "FIXED")
    floor.ves.contact_friction, floor.ves.contact_restitution = 0.9, 0.0
    gantry.ves.collide = False
    parts = make_passenger()
    connect(parts)
    parts["Trunk"].ves.collide, parts["Trunk"].ves.contact_shape = True, "CAPSULE"
    hang_bag(gantry)
    select(parts["Trunk"], parts["Left Foot"], parts["Right Foot"])
    bpy.ops.ves.add_force(type="BALANCE")
    settings = bpy.context.active_object.ves
    settings.balance_frequency = settings.balance_turn_frequency = FREQUENCY
    settings.balance_max_torque = TORQUE
    settings.use_balance_steps, settings.balance_step_time = True, STEP_TIME
    scene = bpy.context.scene
    scene.ves.use_contact, scene.ves.use_ground = True, False
    add_sky()
    add_sun()
    add_camera((4.6, -3.2, 1.7), (0.0, -0.1, 1.05), 38.0)
    select(parts["Trunk"])


def hang_bag(gantry: bpy.types.Object) -> bpy.types.Object:
    """The bag, raised to where it is let go."""
    bag = make_object("Bag", _bag())
    pivot = Vector(PIVOT)
    turn = Matrix.Translation(pivot) @ Matrix.Rotation(RAISED, 4, "X") @ Matrix.Translation(-pivot)
    bag.matrix_world = turn @ bag.matrix_world
    add_bodies([bag], "LEATHER")
    bag.ves.mass_source, bag.ves.mass = "GIVEN", BAG_MASS
    bag.ves.contact_friction, bag.ves.contact_restitution = 0.5, 0.0
    join("SPHERICAL", gantry, bag, PIVOT, "Z")
    return bag


def _gantry() -> Shape:
    """Two posts beside the mat, and a beam."""
    x, _, top = PIVOT
    y = PIVOT[1]
    posts = [rod((x + side, y, 0.0), (x + side, y, top), 0.05, "label blue") for side in (-1.3, 1.3)]
    feet = [
        slab((x + side - 0.08, y - 0.7, 0.0), (x + side + 0.08, y + 0.7, 0.05), "label blue") for side in (-1.3, 1.3)
    ]
    return joined(*posts, *feet, rod((x - 1.3, y, top), (x + 1.3, y, top), 0.05, "label blue"))


def _bag() -> Shape:
    """A stuffed cylinder with bands around it, on a chain that is drawn as a rod."""
    low, high = BAG - HALF_BAG, BAG + HALF_BAG
    profile = [
        (0.05, low),
        (0.15, low + 0.03),
        (0.17, low + 0.10),
        (0.17, high - 0.10),
        (0.15, high - 0.03),
        (0.03, high),
    ]
    shape = lathe([(1e-3, low - 0.005), *profile], ["tyre", "tyre", "tyre", "label red", "tyre", "tyre"], 32)
    shape.points[:, 1] += PIVOT[1]
    return joined(shape, rod((0.0, PIVOT[1], high), PIVOT, 0.012, "iron"))
