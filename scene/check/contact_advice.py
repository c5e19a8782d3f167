# SPDX-License-Identifier: GPL-3.0-or-later
"""Advice on contact that runs, but is perhaps not meant."""

from collections.abc import Iterator, Sequence

import bpy

from ..findings import TURN_CONTACT_ON, Finding
from ..read.stepped import collides_ever, contact_ever, ground_ever

MOST_FRICTION = 1.5
"""Rubber on rubber has about 1.2; only glue has more."""
FOREVER = 0.95
"""Bounciness above which a ball bounces on and on: 0.95 still has half its height after 7 bounces."""


def notes_on_contact(scene: bpy.types.Scene, bodies: Sequence[bpy.types.Object]) -> Iterator[Finding]:
    """Contact that nothing takes part in, and surfaces that no material has."""
    settings = scene.ves
    colliding = [body for body in bodies if collides_ever(body)]
    if not contact_ever(scene):
        if any(map(_is_set_up, colliding)):
            yield Finding(
                None,
                "Contact is off in this scene, so bodies go through each other: turn it on in the panel Contact",
                cure=TURN_CONTACT_ON,
            )
        return
    if bodies and not colliding:
        yield Finding(None, "Contact is on, but no body collides: turn Collide on for some, or Contact off")
    elif len(colliding) == 1 and not ground_ever(scene):
        yield Finding(colliding[0], "collides, but there is nothing that it could touch: turn the Ground on")
    for body in colliding:
        yield from _notes_on_surface(body)
    if settings.use_ground and settings.ground_friction > MOST_FRICTION:
        yield Finding(None, f"the ground has a friction of {settings.ground_friction:.2g}: dry asphalt has 0.8")


def _notes_on_surface(body: bpy.types.Object) -> Iterator[Finding]:
    settings = body.ves
    if settings.contact_friction > MOST_FRICTION:
        yield Finding(body, f"has a friction of {settings.contact_friction:.2g}, more than rubber (0.9): give it less")
    if settings.contact_restitution > FOREVER:
        yield Finding(
            body, f"has a bounciness of {settings.contact_restitution:.2g} and will bounce for very long: give it less"
        )
    if not any(settings.contact_layers):
        yield Finding(body, "is on no layer, so it touches nothing but the ground: choose a layer, or turn Collide off")


def _is_set_up(body: bpy.types.Object) -> bool:
    """True if a person has chosen something about how the body touches others."""
    settings = body.ves
    return settings.contact_shape != "AUTOMATIC" or settings.contact_margin != 0.0 or len(settings.contact_ignored) > 0
