# SPDX-License-Identifier: GPL-3.0-or-later
"""The hanging chain: twenty-four painted iron links between two poles, drawn up to one side and let go.

After Schroeder (1990), chapter 2, where hanging a chain between two poles shows what constraints are for. Neighbours
are joined by universal joints, which bend both ways and do not twist, as real links do; a nail holds each end. The
chain falls, swings through, and comes to rest as a catenary; the air takes its swing away.
"""

from __future__ import annotations

import math
from itertools import pairwise

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import add_bodies, nail, select
from .camera import add_camera
from .landscape import make_meadow
from .shapes import chain_link, joined, lathe, make_object, moved, rod, superellipsoid
from .workbench import set_frames

FRAMES = 144
LINKS, PITCH, HALF_WIDTH, WIRE = 24, 0.14, 0.033, 0.014
SPAN, HEIGHT = 2.4, 1.7  # between the nails, and of the nails above the ground
POLE_RADIUS = 0.07
LIFT = math.radians(105.0)  # how far the plane of the chain is turned up from where it comes to rest
SKEW = 1.1  # how far the drawn-up shape leans towards one pole
FRICTION = 0.05  # N m s/rad, between two links
AIR_DRAG = 2.5  # N s/m, of a link: far more than iron meets, so that the chain comes to rest within the shot


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    links = lay_links(drawn_up_shape())
    connect(links)
    for side in (-1.0, 1.0):
        make_pole(side)
    make_meadow(seed=1)
    add_camera((2.3, -4.1, 1.15), (0.07, 0.0, 1.02), 34.0, f_stop=1.0)
    select(*links)


def drawn_up_shape() -> np.ndarray:
    """The ends of the links (LINKS + 1, 3): a skewed arc whose chords are all as long as a link."""
    low, high = 0.0, 3.0
    for _ in range(60):  # the higher the arc, the less far do the links reach
        height = 0.5 * (low + high)
        low, high = (height, high) if _chords(height)[-1] > 1.0 else (low, height)
    points = np.array([_arc(height, share) for share in _chords(height)])
    across = np.array([0.0, math.sin(LIFT), -math.cos(LIFT)])
    return np.array([-0.5 * SPAN, 0.0, HEIGHT]) + points[:, :1] * (1.0, 0.0, 0.0) + points[:, 1:] * across


def _arc(height: float, share: float) -> np.ndarray:
    """A point of the arc in its own plane: how far along, and how far across."""
    return np.array([SPAN * share, 4.0 * height * share * (1.0 - share) * (1.0 + SKEW * (share - 0.5))])


def _chords(height: float) -> list[float]:
    """The end of each link along the arc, as a share of the span."""
    shares = [0.0]
    for _ in range(LINKS):
        start = _arc(height, shares[-1])
        low, high = shares[-1], shares[-1] + PITCH / SPAN
        for _ in range(50):
            middle = 0.5 * (low + high)
            is_near = np.linalg.norm(_arc(height, middle) - start) < PITCH
            low, high = (middle, high) if is_near else (low, middle)
        shares.append(high)
    return shares


def lay_links(points: np.ndarray) -> list[bpy.types.Object]:
    """A link from each point to the next, every other one turned by a quarter; origins are where links begin."""
    shapes = [chain_link(PITCH, HALF_WIDTH, WIRE, paint) for paint in ("car", "line")]
    normal = Vector(np.cross(points[LINKS // 2] - points[0], points[-1] - points[0])).normalized()
    links = []
    for i, (start, end) in enumerate(pairwise(points)):
        x = Vector(end - start).normalized()
        axes = Matrix((x, normal.cross(x), normal)).transposed().to_4x4()
        link = make_object(f"Link {i + 1}", shapes[i % 2])
        link.matrix_world = Matrix.Translation(start) @ axes @ Matrix.Rotation((i % 2) * math.pi / 2.0, 4, "X")
        links.append(link)
    return links


def connect(links: list[bpy.types.Object]) -> None:
    """A person's work in the sidebar: a chain of universal joints, the drag of the air, and a nail at each end."""
    add_bodies(links, "STEEL")
    select(*links)
    bpy.ops.ves.chain(type="UNIVERSAL", at="ORIGIN", axis="LINE")
    for joint in bpy.context.selected_objects:
        joint.ves.damping = FRICTION, FRICTION, 0.0
    select(*links)
    bpy.ops.ves.add_force(type="DAMPING")
    for force in bpy.context.selected_objects:
        force.ves.linear = AIR_DRAG
    for link, side in ((links[0], -1.0), (links[-1], 1.0)):
        nail(link, (side * 0.5 * SPAN, 0.0, HEIGHT))


def make_pole(side: float) -> None:
    """A pole with a knob, a foot, and an eye that holds the chain's end."""
    profile = [(0.20, 0.0), (0.20, 0.08), (0.11, 0.10), (0.10, 0.22), (POLE_RADIUS, 0.26), (POLE_RADIUS, HEIGHT + 0.18)]
    post = lathe(profile, ["iron", "iron", "iron", "brass", "iron"], 32)
    knob = moved(superellipsoid((0.10, 0.10, 0.10), "brass"), (0.0, 0.0, HEIGHT + 0.25))
    reach = 0.26
    eye = moved(chain_link(PITCH, HALF_WIDTH, WIRE, "iron"), (reach - PITCH, 0.0, HEIGHT))
    shank = rod((0.0, 0.0, HEIGHT), (reach - PITCH, 0.0, HEIGHT), 1.2 * WIRE, "iron")
    pole = make_object("Pole Left" if side < 0.0 else "Pole Right", joined(post, knob, eye, shank))
    pole.location.x = side * (0.5 * SPAN + reach)
    pole.rotation_euler.z = 0.0 if side < 0.0 else math.pi
