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
        """A reading at a frame, without what kinematics has no use for."""
        mechanism = dataclasses.replace(reading.mechanism, contact=None, forces=[], actions=[])
        mechanism.bodies = [dataclasses.replace(body, shape=None) for body in mechanism.bodies]
        for joint in mechanism.joints:
            joint.coordinates = joint.speeds = None
        bindings = [binding for binding in reading.bodies if binding.body.motion == "dynamic"]
        return cls(frame, mechanism, drives, bindings)

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
    objects = {ob.name_full: ob for ob in scene.objects if ob.ves.is_live}
    described = {body.name: body for body in mechanism.bodies}
    bindings = [
        BodyBinding(
            owner=Owner(objects[name]),
            body=described[name],
            residual=np.array(given["residual"]),
            scale=Owner(objects[name]).scale,
            rotation_mode=given["rotation_mode"],
            rotation_values=np.array(given["rotation_values"]),
        )
        for name, given in bodies.items()
        if name in objects and name in described
    ]
    return Stored(frame, mechanism, drives, bindings)
