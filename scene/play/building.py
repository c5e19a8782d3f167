# SPDX-License-Identifier: GPL-3.0-or-later
"""Building while Play runs: objects that become parts of the mechanism, and parts whose objects go.

New parts are read as those of the first frame were, but where they and all bodies are now; the solver takes them in as
it finds them. Of what is keyed in them the present values count.
"""

import dataclasses
from collections.abc import Iterable

import bpy
import numpy as np

from ...solver.mechanism import Addition, Mechanism
from ..findings import Finding
from ..geometry import poses
from ..owner import Owner
from ..properties.roles import ROLES
from ..read.contact import can_be_simulated, read_shape
from ..read.reading import BodyBinding, Reading
from ..read.scene import READERS

LABELS = {role: label for role, label, *_ in ROLES}
CANNOT = {"GEAR", "RACK", "PULLEY", "ROPE"}
"""Roles that go by joints or wheels as they were drawn at the start."""


@dataclasses.dataclass
class Newcomers:
    """Parts that have come, as they were read. `errors`: what is wrong with them, which keeps all of them out."""

    owners: list[bpy.types.Object]
    addition: Addition
    bodies: list[BodyBinding]
    reading: Reading
    errors: list[Finding]


class BuildingSite:
    """Sees which objects have become parts of the mechanism of a reading, and which have gone."""

    def __init__(self, reading: Reading, view_layer: bpy.types.ViewLayer) -> None:
        self._reading, self._view_layer = reading, view_layer
        self.names = {owner: owner.name_full for owner in reading.poses}
        self._refused = {owner: _look(owner) for owner in self._candidates(reading.scene.objects)}
        self._count = len(reading.scene.objects)

    def come(self, chosen: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
        """The objects that have become parts since the last call; only chosen ones are asked unless there are more."""
        objects = self._reading.scene.objects
        if len(objects) != self._count:
            self._count, chosen = len(objects), objects
        found = self._candidates(chosen)
        new = [owner for owner in found if self._refused.get(owner) != _look(owner)]
        self._refused.update((owner, _look(owner)) for owner in new)
        return new

    def gone(self) -> dict[bpy.types.Object, str]:
        """Parts whose objects are there no more, or are no parts any more, with the names of these."""
        return {owner: name for owner, name in self.names.items() if not _is_part(owner)}

    def _candidates(self, objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
        fresh = (ob for ob in dict.fromkeys(objects) if ob not in self.names and _is_part(ob))
        return [ob for ob in fresh if ob.ves.enabled or _is_body(ob)]

    def read(self, owners: list[bpy.types.Object], mechanism: Mechanism) -> Newcomers:
        """Reads new parts as they stand. mechanism: the bodies as they are now, which the scene must show."""
        now = self._present(owners, mechanism)
        before = len(now.bodies)
        for owner in owners:
            if _is_body(owner):
                self._read_body(now, owner)
        new = now.bodies[before:]
        now.mechanism.bodies.extend(binding.body for binding in new)
        for role, read in READERS.items():
            for owner in owners:
                if owner.ves.role == role and role != "BODY":
                    if role in CANNOT:
                        now.error(owner, f"is a {LABELS[role]}, which can't be put in while Play runs")
                    else:
                        read(now, owner)
        made = now.mechanism
        for joint in made.joints:
            joint.coordinates = joint.speeds = None
        for part in (*made.joints, *made.constraints):
            part.within = None
        addition = Addition(
            bodies=[binding.body for binding in new],
            joints=made.joints,
            constraints=made.constraints,
            forces=made.forces,
        )
        return Newcomers(owners, addition, new, now, now.errors)

    def _present(self, owners: list[bpy.types.Object], mechanism: Mechanism) -> Reading:
        """A reading of the present moment, with nothing in it but the bodies."""
        depsgraph, old = self._view_layer.depsgraph, self._reading
        parts = [*(binding.object for binding in old.bodies), *owners]
        matrices = np.array([Owner(part).world(depsgraph) for part in parts])
        described = Mechanism(name=mechanism.name, gravity=mechanism.gravity, bodies=list(mechanism.bodies))
        now = Reading(old.scene, depsgraph, old.first, old.last, described, bodies=list(old.bodies))
        now.poses = dict(zip(parts, map(poses.Pose, *poses.split(matrices)), strict=True))
        return now

    def _read_body(self, now: Reading, owner: bpy.types.Object) -> None:
        if owner.parent is not None:
            now.error(owner, f"hangs on {owner.parent.name}: clear its parent to put it in while Play runs")
            return
        READERS["BODY"](now, owner)
        binding = now.bodies[-1]
        may_touch = self._reading.mechanism.contact is not None and owner.ves.collide
        if may_touch and can_be_simulated(binding):
            read_shape(now, binding)

    def took(self, newcomers: Newcomers) -> None:
        """They take part from now on: the reading knows their objects, and where they were when they came."""
        self.names.update((owner, owner.name_full) for owner in newcomers.owners)
        self._reading.poses.update((owner, newcomers.reading.poses[owner]) for owner in newcomers.owners)
        self._reading.set_bodies([*self._reading.bodies, *newcomers.bodies])
        for owner in newcomers.owners:
            self._refused.pop(owner, None)

    def forget(self, owner: bpy.types.Object) -> None:
        """One that has gone: what Blender has freed is equal to nothing any more, but is the same."""
        name = next(name for each, name in self.names.items() if each is owner)
        self.names = {each: name for each, name in self.names.items() if each is not owner}
        self._reading.poses = {each: pose for each, pose in self._reading.poses.items() if each is not owner}
        self._reading.set_bodies([binding for binding in self._reading.bodies if binding.body.name != name])


def _is_part(owner: bpy.types.Object) -> bool:
    """True if an object is there and plays a part."""
    try:
        return owner.ves.role != "NONE"
    except ReferenceError:
        return False


def _is_body(owner: bpy.types.Object) -> bool:
    return owner.ves.role == "BODY"


def _look(owner: bpy.types.Object) -> tuple:
    """The settings of a part whose change may let it in after it was refused."""
    settings = owner.ves
    return settings.role, settings.enabled, settings.body_a, settings.body_b, settings.to_world, owner.parent
