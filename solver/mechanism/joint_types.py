# SPDX-License-Identifier: GPL-3.0-or-later
"""The types of joint, each as an ordered list of axes: the one table that all others follow from.

A joint takes its parent's frame to its child's frame by its axes in their order. A turn or a travel is about or along
an axis of the parent's frame or of the child's. What the kernels do with an axis stands in `dynamics.tree.joints`. The
page docs/how/new-parts.md names the files that a new type takes.
"""

from __future__ import annotations

from typing import NamedTuple

ANGLE, LENGTH = "angle", "length"
TRAVELS, TURNS = ("x", "y", "z"), ("turn x", "turn y", "turn z")
AXES = TRAVELS + TURNS  # the six axes of a frame
GENERIC = "generic"  # the type of joint whose axes are those of the six that it names


class Axis(NamedTuple):
    """One degree of freedom, and the name of its coordinate."""

    name: str
    kind: str  # ANGLE: a turn about the axis, in rad; LENGTH: a travel along it, in m
    axis: int | None  # x, y, z of the frame as 0, 1, 2; None: it moves over both bodies
    side: str = "parent"  # whose frame's: "parent" or "child"


class JointType(NamedTuple):
    """A type of joint. With a thread, the travel along z is the joint's pitch times its angle."""

    name: str
    axes: tuple[Axis, ...]
    is_threaded: bool = False

    @property
    def turns(self) -> tuple[Axis, ...]:
        """The axes that it turns about."""
        return tuple(axis for axis in self.axes if axis.kind == ANGLE)

    @property
    def travels(self) -> tuple[int, ...]:
        """Along which axes of the parent's frame it travels, a thread's not counted."""
        return tuple(axis.axis for axis in self.axes if axis.kind == LENGTH)

    @property
    def held(self) -> tuple[int, ...]:
        """Along which axes of the parent's frame the child's origin stays where it is."""
        return tuple(k for k in range(3) if k not in self.travels and not (self.is_threaded and k == 2))

    @property
    def rides(self) -> bool:
        """True if its axes move over both bodies, as where two surfaces touch."""
        return any(axis.axis is None for axis in self.axes)

    @property
    def turns_on_both(self) -> bool:
        """True if it turns about axes of both frames, so that both bodies define its axes."""
        return {axis.side for axis in self.turns} == {"parent", "child"}

    @property
    def is_charted(self) -> bool:
        """True if it turns about three axes, its last, by a rotation vector; a ride has charts of its own."""
        return len(self.turns) == 3 and not self.rides

    @property
    def endless(self) -> int | None:
        """The coordinate of its only turn, which may go on and on."""
        angles = [k for k, axis in enumerate(self.axes) if axis.kind == ANGLE]
        return angles[0] if len(angles) == 1 else None


_ABOUT_Z = Axis("angle", ANGLE, 2)
_TRAVELS = tuple(Axis(name, LENGTH, k) for k, name in enumerate("xyz"))
_TURNS = tuple(Axis(f"turn {name}", ANGLE, k, "child") for k, name in enumerate("xyz"))
_RIDE = tuple(Axis(name, LENGTH if name in "uv" else ANGLE, None) for name in ("u", "v", "rx", "ry", "rz"))
JOINT_TYPES = {
    joint_type.name: joint_type
    for joint_type in (
        JointType("revolute", (_ABOUT_Z,)),
        JointType("prismatic", (_TRAVELS[2],)),
        JointType("screw", (_ABOUT_Z,), is_threaded=True),
        JointType("cylindrical", (_ABOUT_Z, _TRAVELS[2])),
        JointType("universal", (Axis("first", ANGLE, 0), Axis("second", ANGLE, 1, "child"))),
        JointType("spherical", _TURNS),
        JointType("planar", (*_TRAVELS[:2], _ABOUT_Z)),
        JointType("fixed", ()),
        JointType("contact", _RIDE),
    )
}
FREE = JointType("free", (*_TRAVELS, *_TURNS))  # of a body that hangs on nothing; nobody asks for it by name


def _of_six(free: tuple[bool, ...]) -> JointType:
    """The type whose free axes are some of six: of two turns the first is the parent's, three are the child's."""
    turns = [k for k in range(3) if free[3 + k]]
    axes = [_TRAVELS[k] for k in range(3) if free[k]]
    for place, k in enumerate(turns):
        axes.append(Axis(TURNS[k], ANGLE, k, "child" if len(turns) == 3 or place else "parent"))
    return JointType(f"{GENERIC}_{sum(1 << k for k in range(6) if free[k])}", tuple(axes))


# By the sum of 2 to the power of each free axis, less one: those of generic joints.
GENERIC_TYPES = tuple(_of_six(tuple(bool(mask >> k & 1) for k in range(6))) for mask in range(1, 64))
ALL_TYPES = {each.name: each for each in (*JOINT_TYPES.values(), *GENERIC_TYPES)}
_SAME = {tuple(axis[1:] for axis in each.axes): each for each in JOINT_TYPES.values() if not each.is_threaded}


def generic_type(free: tuple[str, ...]) -> JointType:
    """The type of a generic joint, which is one with a name of its own where that has the same axes in order."""
    found = GENERIC_TYPES[sum(1 << AXES.index(name) for name in free) - 1]
    return _SAME.get(tuple(axis[1:] for axis in found.axes), found)


TYPE_NAMES = (*JOINT_TYPES, GENERIC)  # that a mechanism may give
COORDINATES = {joint_type.name: len(joint_type.axes) for joint_type in JOINT_TYPES.values()}  # how many each has
