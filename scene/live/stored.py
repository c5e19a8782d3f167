# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a live linkage was when it was made live: kept in the .blend as text, so that nothing depends on history.

The pose in any frame follows from this and from where the drives are, whichever frames were shown before, after undo,
in a file that was opened anew, and in a render by command line.
"""

import dataclasses
import json

import bpy
import numpy as np

from ...solver.mechanism import Mechanism
from ..owner import Owner
from ..read.reading import BodyBinding, Reading


@dataclasses.dataclass
class Stored:
    """A mechanism in the pose where it was made live, the frame of that, its drives, and how its bodies are written."""

    frame: float
    mechanism: Mechanism
    drives: list[str]  # names of joints
    bindings: list[BodyBinding]  # of the dynamic bodies that are there, in the mechanism's order

    @classmethod
    def of(cls, reading: Reading, frame: float, drives: list[str]) -> "Stored":
        """A reading at a frame, without what kinematics has no use for, joints that are switched off among it."""
        mechanism = dataclasses.replace(reading.mechanism, contact=None, forces=[], actions=[])
        mechanism.bodies = [dataclasses.replace(body, shape=None) for body in mechanism.bodies]
        for joint in mechanism.joints:
            joint.coordinates = joint.speeds = None
        bindings = [binding for binding in reading.bodies if binding.body.motion == "dynamic"]
        known = {joint.name for joint in mechanism.joints if joint.enabled}
        return cls(frame, mechanism, [name for name in drives if name in known], bindings)

    def text(self) -> str:
        """For the .blend."""
        bodies = {
            binding.body.name: {
                "residual": np.asarray(binding.residual, float).tolist(),
                "rotation_mode": binding.rotation_mode,
                "rotation_values": np.asarray(binding.rotation_values, float).tolist(),
            }
            for binding in self.bindings
        }
        kept = {"frame": self.frame, "drives": self.drives, "bodies": bodies, "mechanism": self.mechanism.to_dict()}
        return json.dumps(kept, separators=(",", ":"))


def stored_in(scene: bpy.types.Scene) -> Stored | None:
    """The contents of a scene; None if that is nothing, or damaged. Bodies that are gone are left out of `bindings`."""
    try:
        kept = json.loads(scene.ves.live_linkages)
        mechanism = Mechanism.from_dict(kept["mechanism"])
        frame, drives, bodies = float(kept["frame"]), list(kept["drives"]), kept["bodies"]
    except (ValueError, KeyError, TypeError):
        return None
    objects = {name: ob for name, ob in known_in(scene).items() if ob.ves.is_live}
    described = {body.name: body for body in mechanism.bodies}
    bindings = [
        BodyBinding(
            owner=Owner(objects[name]),
            body=described[name],
            residual=np.array(given["residual"]),
            scale=Owner(objects[name]).scale,
            **_rotation(objects[name], given),
        )
        for name, given in bodies.items()
        if name in objects and name in described
    ]
    return Stored(frame, mechanism, drives, bindings)


def known_name(ob: bpy.types.Object) -> str:
    """The name that a part had when it was made live; it may have been renamed since."""
    return ob.ves.live_name or ob.name_full


def known_in(scene: bpy.types.Scene) -> dict[str, bpy.types.Object]:
    """The objects of a scene by these names; of a part and its copies the part."""
    found: dict[str, bpy.types.Object] = {}
    for ob in scene.objects:
        name = known_name(ob)
        other = found.get(name)
        if other is None or _rank(ob, name) < _rank(other, name):
            found[name] = ob
    return found


def _rank(ob: bpy.types.Object, name: str) -> tuple[bool, int, str]:
    """Blender gives a copy a longer name."""
    return ob.name_full != name, len(ob.name_full), ob.name_full


def _rotation(ob: bpy.types.Object, given: dict) -> dict:
    """Rotation mode and values as they were, or as they are, if the mode is another."""
    if ob.rotation_mode == given["rotation_mode"]:
        return {"rotation_mode": given["rotation_mode"], "rotation_values": np.array(given["rotation_values"])}
    return {"rotation_mode": ob.rotation_mode, "rotation_values": Owner(ob).rotation_values}
