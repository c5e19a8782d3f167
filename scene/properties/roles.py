# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles of objects in the mechanism: the values of `Object.ves.role`, and all that tells constraints apart.

The page docs/how/new-parts.md names the files that a new constraint takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...solver.mechanism.constraints import TRAVELS, TURNS


def _has_mark(settings: Any) -> bool:
    return settings.anchor_b is not None


def _shows_both_sides(settings: Any) -> bool:
    return _has_mark(settings) or (settings.path_object is not None and not settings.path_keep_offset)


def locked_axes(settings: Any) -> list[str]:
    """The axes that a generic constraint locks, by their names in the mechanism file."""
    flags = (*settings.lock_travel, *settings.lock_turn)
    return [name for name, flag in zip((*TRAVELS, *TURNS), flags, strict=True) if flag]


def _has_length(settings: Any) -> bool:
    return settings.use_distance


class ConstraintRole(NamedTuple):
    """A type of constraint, as Empties have it."""

    number: int  # by which .blend files know it
    label: str
    description: str
    operator: str  # that makes one
    icon: str
    # Or a body HELD to another, one on a CARRIED curve, TWO bodies of which the second may be the world,
    # JOINTS, a ROPE over two wheels, one STRUNG over many.
    ends: str = "BODY"
    copied: tuple[str, ...] = ()  # settings that Copy Settings gives on, besides being switched on
    changed: tuple[str, ...] = ()  # numbers of the mechanism's part that an action can set
    carriers: tuple[str, ...] = ()  # settings with objects on whose bodies it hangs as well
    drawn: tuple[str, ...] = ()  # settings that its panel shows as they are, besides its ends and a length
    stands_open: Callable[[Any], bool] = _has_mark  # whether its Empty shows it where its two sides are apart
    # Of one whose Empty is the frame that its body is held to: which axes of that are locked.
    locked: Callable[[Any], list[str]] | None = None


CONSTRAINTS = {
    "NAIL": ConstraintRole(
        3, "Nail", "A point of a body stays where it is, in the world or on another body", "ves.add_nail", "PINNED",
        "HELD", ("catch_time", "catch_force"),
    ),
    "PATH": ConstraintRole(
        4, "Follow Path", "A point of a body follows a curve or another object", "ves.add_path", "CURVE_PATH",
        copied=(
            "path_curve", "path_object", "path_orientation", "path_frame_start", "path_frame_end", "path_time",
            "path_keep_offset",
        ),
        stands_open=lambda settings: not settings.path_keep_offset,
    ),
    "ORIENTATION": ConstraintRole(
        6, "Keep Orientation", "A body keeps its orientation, in the world or to another body", "ves.add_orientation",
        "ORIENTATION_GLOBAL", "HELD", ("catch_time", "catch_force"),
    ),
    "GENERIC": ConstraintRole(
        13, "Generic", "A body is held along and about some of six axes, in the world, to another body, or to a frame "
        "that an object leads", "ves.add_generic", "EMPTY_AXIS",
        "HELD", ("lock_travel", "lock_turn", "path_object", "path_keep_offset", "catch_time", "catch_force"),
        stands_open=_shows_both_sides, locked=locked_axes,
    ),
    "POINT_TO_POINT": ConstraintRole(
        7, "Point to Point", "A point of a body and one of another, or of the world, stay together",
        "ves.add_point_to_point", "SNAP_ON", "TWO", ("catch_time", "catch_within", "catch_force"),
    ),
    "DISTANCE": ConstraintRole(
        8, "Distance", "A point of a body and one of another, or of the world, keep their distance",
        "ves.add_distance", "DRIVER_DISTANCE", "TWO",
        ("use_distance", "distance", "slack", "catch_time", "catch_within", "catch_force"), ("distance",),
        stands_open=_has_length,
    ),
    "BEAD": ConstraintRole(
        9, "Bead on Curve", "A point of a body slides along a curve, which may be that of another body, or follows "
        "a cam",
        "ves.add_bead", "HANDLE_FREE", "CARRIED",
        ("path_curve", "curve_align", "one_sided", "roller_radius", "cam_bounciness"), drawn=("path_curve",),
        stands_open=lambda settings: True,
    ),
    "GEAR": ConstraintRole(
        10, "Gear", "Two joints turn or slide in a fixed ratio", "ves.add_gear", "PREFERENCES", "JOINTS",
        ("gear_ratio", "backlash", "backlash_travel", "tooth_bounciness"), ("ratio", "backlash", "restitution"),
        drawn=("gear_ratio",), stands_open=lambda settings: True,
    ),
    "RACK": ConstraintRole(
        11, "Rack and Pinion", "A slider goes along with a hinge that turns", "ves.add_rack", "ARROW_LEFTRIGHT",
        "JOINTS", ("pinion_radius", "backlash_travel", "tooth_bounciness"), ("radius", "backlash", "restitution"),
        drawn=("pinion_radius",), stands_open=lambda settings: True,
    ),
    "PULLEY": ConstraintRole(
        12, "Pulley", "A rope runs from one body over two wheels to another", "ves.add_pulley", "TRACKING_BACKWARDS",
        "ROPE", ("rope_ratio", "use_distance", "distance", "slack"), ("length", "ratio"),
        carriers=("wheel_a", "wheel_b"), stands_open=_has_length,
    ),
    "ROPE": ConstraintRole(
        14, "Rope", "A rope runs from point to point, over wheels and through blocks, and drums wind it up",
        "ves.add_rope", "OUTLINER_OB_CURVE", "STRUNG", ("use_distance", "distance", "slack"), ("length",),
        stands_open=_has_length,
    ),
}  # fmt: skip

ROLES = sorted(
    [
        ("NONE", "None", "Not part of a mechanism", 0),
        ("BODY", "Body", "A rigid body", 1),
        ("JOINT", "Joint", "Connects two bodies, or a body and the world", 2),
        ("FORCE", "Force", "Acts on a body, or between two", 5),
        *((name, role.label, role.description, role.number) for name, role in CONSTRAINTS.items()),
    ],
    key=lambda role: role[3],
)

CATCHING = {"JOINT"} | {name for name, role in CONSTRAINTS.items() if "catch_time" in role.copied}
"""Roles whose ends are drawn together where they are apart; of two that have no ends of their own only their speeds."""
WAITING = {"JOINT"} | {name for name, role in CONSTRAINTS.items() if "catch_within" in role.copied}
"""And those that may wait for their ends to come near."""
PAIRS = {name for name, role in CONSTRAINTS.items() if role.ends == "TWO"}
RATIOS = {"gear_ratio": "ratio", "pinion_radius": "radius", "rope_ratio": "ratio"}
"""Settings that hold for changes from then on where they change, and their keys in the mechanism file."""
PLAY = {"backlash": "backlash", "backlash_travel": "backlash", "tooth_bounciness": "restitution"}
"""The same of teeth that have play; of both settings of backlash only one counts (`backlash_of`)."""
COUPLINGS = {name for name, role in CONSTRAINTS.items() if role.ends == "JOINTS"}
FRAMES = {name for name, role in CONSTRAINTS.items() if role.locked is not None}
POINTING_ROLES = {role for role, *_ in ROLES} - {"NONE", "BODY"}


def backlash_of(settings: Any) -> str:
    """The setting that has the backlash of a gear or a rack, whose second joint turns or slides."""
    joint = settings.joint_b
    slides = settings.role == "RACK" or (joint is not None and joint.ves.joint_type == "PRISMATIC")
    return "backlash_travel" if slides else "backlash"


def shows_frame(settings: Any) -> bool:
    """True if the Empty shows the frame that a body is held to, which goes with the other body."""
    return settings.role in FRAMES and settings.anchor_b is None
