# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that neither the quasi-static nor the adaptive integrator takes, each with what it is and a remedy."""

from collections.abc import Iterator

from ...mechanism.bodies import Body
from ...mechanism.forces import Force, Support, Tyre
from ...mechanism.joints import Joint
from ...mechanism.table import Number, Table

Refused = tuple[str, str]  # what it is, and what to do instead
DRAWN_TOGETHER = "what is drawn together", "set tau to none, with its ends together"


def of_joint(joint: Joint, friction: Refused) -> Iterator[Refused]:
    """Dry friction, as the integrator words it, rides, and what is drawn together."""
    if any(each != 0.0 for each in (*(joint.friction or ()), *(joint.static_friction or ()))):
        yield friction
    if joint.type == "contact":
        yield "surfaces that ride on each other", "disable it"
    if joint.tau is not None:
        yield DRAWN_TOGETHER


def of_force(force: Force, friction: Refused) -> Iterator[Refused]:
    """Dry friction of supports, and tyres."""
    if isinstance(force, Support) and (_is_ever(force.friction) or _is_ever(force.static_friction)):
        yield friction
    if isinstance(force, Tyre):
        yield "tyres, which grip by their slip", "take supports"


def of_body(body: Body) -> Iterator[Refused]:
    """A body that follows its keys."""
    if body.follow is not None:
        yield "what follows its keys by forces", "set its motion to keyed"


def _is_ever(number: Number | bool | None) -> bool:
    """True if a number is not zero, or not always."""
    return any(number.values) if isinstance(number, Table) else bool(number)
