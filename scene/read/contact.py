# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of a scene: shapes and surfaces of bodies, the ground, and the pairs that ignore each other.

A mechanism knows no layers: bodies without a common one become such pairs. Where the scene's Contact is off, nothing of
this is read.
"""

import itertools
from collections.abc import Iterator

import bpy

from ...solver.mechanism import Contact, Ground, Material
from ..geometry.rounding import as_typed
from ..owner import is_dynamic
from ..parts.ignored_pairs import ignored_by
from .reading import BodyBinding, Reading
from .shapes import ShapeError, shapes_of
from .stepped import CONTACT, collides_ever, contact_ever, settings_now, static_friction, watch_contact


def read_contact(reading: Reading) -> Iterator[None]:
    """Give shapes and materials to the bodies that were read, and the mechanism its contact; pauses after each."""
    if not contact_ever(reading.scene):
        return
    settings = settings_now(reading, reading.scene, CONTACT)
    for binding in reading.bodies:
        if collides_ever(binding.object) and can_be_simulated(binding):
            read_shape(reading, binding)
            yield
    there = {body.name for body in reading.mechanism.bodies}
    touching = [binding for binding in reading.bodies if binding.body.shape is not None and binding.body.name in there]
    ground = None
    if settings.use_ground:
        ground = Ground(settings.ground_height, settings.ground_friction, settings.ground_restitution)
        ground.softness = as_typed(reading.scene.ves.ground_softness)
        ground.static_friction, ground.stribeck_speed = static_friction(reading.scene.ves, "ground", settings)
    reading.mechanism.contact = Contact(settings.use_contact, ground, tuple(_ignored_pairs(touching)))
    watch_contact(reading)


def can_be_simulated(binding: BodyBinding) -> bool:
    """True if the body has a mass, or needs none; what is wrong otherwise has been said."""
    return not is_dynamic(binding.object) or binding.body.mass is not None


def read_shape(reading: Reading, binding: BodyBinding) -> None:
    """Give a body its shape and material, or say why not."""
    owner = binding.object
    try:
        shapes = shapes_of(owner, reading.depsgraph, reading.poses[owner], reading.shapes)
    except ShapeError as error:
        reading.error(owner, str(error))
        return
    binding.body.shape = shapes[0] if len(shapes) == 1 else shapes
    binding.body.collides = settings_now(reading, owner, ("collide",)).collide
    softness = as_typed(owner.ves.contact_softness)
    sticking = static_friction(owner.ves, "contact", owner.ves)
    binding.body.material = Material(owner.ves.contact_friction, owner.ves.contact_restitution, softness, *sticking)


def _ignored_pairs(touching: list[BodyBinding]) -> Iterator[tuple[str, str]]:
    """Pairs of names, in the order of the bodies, that would touch but for what a person has chosen."""
    layers = [layer_mask(binding.object) for binding in touching]
    ignored = [ignored_by(binding.object) for binding in touching]
    moves = [is_dynamic(binding.object) for binding in touching]
    for (i, one), (j, other) in itertools.combinations(enumerate(touching), 2):
        if not (moves[i] or moves[j]):
            continue
        if not layers[i] & layers[j] or other.object in ignored[i] or one.object in ignored[j]:
            yield one.body.name, other.body.name


def layer_mask(owner: bpy.types.Object) -> int:
    """The layers of a body as the bits of a number."""
    return sum(1 << i for i, is_on in enumerate(owner.ves.contact_layers) if is_on)
