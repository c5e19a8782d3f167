# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script has built becomes a mechanism, as the mechanism file describes it: all points in the world."""

from __future__ import annotations

from typing import Any

from ..mechanism import Action, Body, Joint, Mechanism, Nail, Orientation, Path
from ..mechanism.bodies import ZERO
from ..mechanism.constraints import Constraint
from .links import Pose
from .parts import BodyPart, Change, Parts, Places, joint_name, places, velocities


def mechanism(parts: Parts, name: str) -> Mechanism:
    """The mechanism; gravity acts only where a script instances it."""
    drawn, start = places(parts.bodies, at_zero=True), places(parts.bodies, at_zero=False)
    speeds = velocities(parts.bodies, start)
    result = Mechanism(name, gravity=ZERO)
    holds: dict[str, list[Constraint]] = {}
    for body in parts.bodies.values():
        angular, linear = speeds[body.name]
        result.bodies.append(
            Body(
                body.name,
                mass=body.mass,
                inertia=body.inertia,
                position=drawn[body.name].position,
                orientation=drawn[body.name].orientation,
                linear_velocity=linear if any(linear) else None,
                angular_velocity=angular if any(angular) else None,
            )
        )
        if body.link is not None:
            result.joints.append(_joint(body, drawn[body.name]))
        holds[body.name] = _constraints(body, drawn[body.name], start[body.name])
        result.constraints += holds[body.name]
    result.forces += [force.record(drawn) for force in parts.forces]
    for change in parts.changes:
        if change.body is None:
            result.actions += _of_force(change, drawn)
        else:
            result.actions += [Action(change.time, hold.name, {"enabled": False}) for hold in holds[change.body.name]]
    return result


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
    """What holds a body. One that its links' q move away from where the file draws it is told its place by a path."""
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
