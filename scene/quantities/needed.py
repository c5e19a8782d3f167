# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of Find Torques: kept in the .blend beside the records of bakes, and told as quantities of Inspect.

Each joint, and each body that leads, has in its `Object.ves`, under `KEY`, a group as records are: `values` by frames,
and of a joint with a drive `peaks` too. A joint of which the motion asks something without that it has a drive has
that as `unmet`, and so has a body that floats.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import bpy
import numpy as np

from ...solver.mechanism.joint_types import ALL_TYPES
from ..properties.joint import ANGLE, COORDINATE_KINDS
from .recorded import Record, is_record

KEY = "ves_torques"
XYZ = ("X", "Y", "Z")


class Peak(NamedTuple):
    """The most of one coordinate of a joint: N m or N, rad/s or m/s, W and J; `frame`: of the largest effort."""

    effort: float
    frame: float
    rms: float
    speed: float
    power: float
    braking: float
    work: float


def keep_needed(
    owner: bpy.types.Object, first: int, rate: float, frames: int, values: Mapping, peaks: list[Peak]
) -> None:
    """Put what is found in the place of what was found before."""
    owner.ves[KEY] = {
        "take": "",
        "first": first,
        "frames": frames,
        "frame_rate": rate,
        "values": {name: np.ravel(each) if isinstance(each, np.ndarray) else each for name, each in values.items()},
        "peaks": {str(k): list(map(float, peak)) for k, peak in enumerate(peaks)},
    }


def forget_needed(scene: bpy.types.Scene) -> int:
    """Throw all of it away; returns of how many things."""
    owners = [owner for owner in scene.objects if KEY in owner.ves]
    for owner in owners:
        del owner.ves[KEY]
    return len(owners)


def is_needed(group: object) -> bool:
    """True for a group that `keep_needed` has stored, as it comes from a file."""
    if not is_record(group) or "peaks" not in group or not hasattr(group["peaks"], "keys"):
        return False
    peaks = [group["peaks"][name] for name in group["peaks"].keys()]  # noqa: SIM118 - no dictionary
    return all(hasattr(peak, "typecode") and len(peak) == len(Peak._fields) for peak in peaks)


def needed_of(owner: bpy.types.ID) -> Record | None:
    """The findings about an object; None if there are none."""
    if not isinstance(owner, bpy.types.Object) or KEY not in owner.ves:
        return None
    group = owner.ves[KEY]
    if not len(group["values"]):
        return None  # a body that leads, and asks for nothing
    return Record(group["first"], group["frame_rate"], group["values"], group["frames"], 0, group["frames"])


def peaks_of(joint: bpy.types.Object) -> list[Peak]:
    """Of the coordinates of a joint with a drive."""
    peaks = joint.ves[KEY]["peaks"] if KEY in joint.ves else {}
    return [Peak(*peaks[str(k)]) for k in range(len(peaks))]


def joints_found(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The joints whose drives have torques, by name."""
    found = (ob for ob in scene.objects if KEY in ob.ves and ob.ves.role == "JOINT" and len(ob.ves[KEY]["peaks"]))
    return sorted(found, key=lambda ob: ob.name)


def bodies_found(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The bodies that have led the motion."""
    return [ob for ob in scene.objects if KEY in ob.ves and ob.ves.role == "BODY"]


def needed_parts(record: Record) -> Iterator[tuple[str, str, np.ndarray, tuple[str, ...]]]:
    """(label, unit, values, parts) of each quantity."""
    if "unmet_force" in record:
        yield "Unmet Force", "N", record["unmet_force"], XYZ
        yield "Unmet Moment", "N m", record["unmet_moment"], XYZ
    if "joint_type" not in record:
        return
    kinds = COORDINATE_KINDS[record.constant("joint_type")]
    axes = ALL_TYPES[record.constant("joint_type").lower()].axes
    for kind in dict.fromkeys(kinds):
        columns = [i for i, each in enumerate(kinds) if each == kind]
        parts = tuple(XYZ[axes[i].axis] for i in columns) if len(columns) > 1 else ()
        word, unit = ("Torque", "N m") if kind == ANGLE else ("Force", "N")
        if "needed" in record:
            yield f"Needed {word}", unit, record["needed"][:, columns], parts
            power = "Needed Power" if len(set(kinds)) == 1 else f"Needed {word} Power"
            yield power, "W", record["power"][:, columns], parts
        if "unmet" in record:
            yield f"Unmet {word}", unit, record["unmet"][:, columns], parts
