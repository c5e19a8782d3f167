# SPDX-License-Identifier: GPL-3.0-or-later
"""From a script's parts to a mechanism, as the mechanism file describes it: all points in the world."""

from __future__ import annotations

from typing import Any

from ..mechanism import Action, Body, Joint, Mechanism, Nail, Orientation, Path
from ..mechanism.bodies import ZERO
from ..mechanism.constraints import Constraint
from .links import Pose, Velocity
from .parts import BodyPart, Change, Parts, Places, joint_name, places, velocities


def mechanism(parts: Parts, name: str) -> Mechanism:
    """The mechanism; gravity acts only where a script instances it."""
    drawn, start = places(parts.bodies, at_zero=True), places(parts.bodies, at_zero=False)
    speeds = velocities(parts.bodies, start)
    bodies = parts.bodies.values()
    holds = {body.name: _constraints(body, drawn[body.name], start[body.name]) for body in bodies}
    actions: list[Action] = []
    for change in parts.changes:
        if change.body is None:
            actions += _of_force(change, drawn)
        else:
            actions += [Action(change.time, hold.name, {"enabled": False}) for hold in holds[change.body.name]]
    return Mechanism(
        name,
        gravity=ZERO,
        bodies=[_body(body, drawn[body.name], speeds[body.name]) for body in bodies],
        joints=[_joint(body, drawn[body.name]) for body in bodies if body.link is not None],
        constraints=[constraint for several in holds.values() for constraint in several],
        forces=[force.record(drawn) for force in parts.forces],
        actions=actions,
    )


def _body(body: BodyPart, drawn: Pose, speed: Velocity) -> Body:
    return Body(
        body.name,
        mass=body.mass,
        inertia=body.inertia,
        position=drawn.position,
        orientation=drawn.orientation,
        linear_velocity=speed.linear if any(speed.linear) else None,
        angular_velocity=speed.angular if any(speed.angular) else None,
    )


def _joint(body: BodyPart, drawn: Pose) -> Joint:
    link, axis = body.link, body.link.axis
    frame = drawn @ axis.frame
    return Joint(
        joint_name(body.name),
        axis.type,
        link.parent,
        body.name,
        frame.position,
        frame.orientation,
        pitch=axis.pitch if axis.type == "screw" else None,
        coordinates=(axis.unit * link.q,) if link.q else None,
        speeds=(axis.unit * link.qdot,) if link.qdot else None,
    )


def _constraints(body: BodyPart, drawn: Pose, start: Pose) -> list[Constraint]:
    """Constraints on a body. One that its links' q move away from where the file draws it is placed by a path."""
    name, point = body.name, drawn.position
    if body.hold == "move_to_point":
        times, positions = zip((0.0, start.position), *body.path, strict=True)
        return [Path(f"path of {name}", body=name, point=point, times=times, positions=positions)]
    if body.hold == "nail" and start == drawn:
        return [Nail(f"nail of {name}", body=name, point=point), Orientation(f"orientation of {name}", body=name)]
    if body.hold == "nail":
        told = {"times": (0.0,), "positions": (start.position,), "orientations": (start.orientation,)}
        return [Path(f"nail of {name}", body=name, point=point, **told)]
    return []


def _of_force(change: Change, drawn: Places) -> list[Action]:
    settings: dict[str, Any] = {} if change.is_on is None else {"enabled": change.is_on}
    settings |= change.force.settings(change.options, drawn)
    return [Action(change.time, change.force.full_name, settings)] if settings else []
