# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of a force, joint or constraint that actions can set, their present values, and its frame turned.

Keys are those of the mechanism file. A number of a joint's motor is called `motor.value`, `motor.target` and so on.
"""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...solver import mechanism as solver
from ...solver.mechanism.record import Record, fields_of, plain
from ...solver.mechanism.table import vector_over_time
from ..animation.keys_of_mechanism import at_start
from ..geometry import poses
from .force_types import FORCES, PARTS
from .joint import coordinate_kinds
from .roles import CONSTRAINTS

NOT_NUMBERS = {
    *("enabled", "orientation", "point", "point_a", "point_b", "limits", "motor", "tau", "within", "stribeck_speed"),
    "target",
    *("pull", "damper", "push", "stops"),
}
OF_CATCHING = "force"  # of a joint, and no number that an action sets: forces have one of that name
OF_FEET = "weights", "lifts"  # numbers of each foot of a balance
MOTOR = "motor."
MOST = 3  # numbers that one action of a list sets


def changeable_numbers(target: bpy.types.Object | None) -> dict[str, int]:
    """The numbers of an Empty that an action can set, and how many components each has."""
    if target is None:
        return {}
    settings = target.ves
    if settings.role == "FORCE":
        part = PARTS.get(settings.force_type)
        if part is None:
            return {}
        feet = len(settings.balance_feet)
        of_feet = dict.fromkeys(OF_FEET, feet if settings.use_balance_weights and feet <= MOST else 0)
        counts = {name: of_feet.get(name, _components(part, name)) for name in _changeable(part)}
        return {name: count for name, count in counts.items() if count}
    if settings.role in CONSTRAINTS:
        return dict.fromkeys(CONSTRAINTS[settings.role].changed, 1)
    if settings.role != "JOINT":
        return {}
    count, is_generic = len(coordinate_kinds(settings)), settings.joint_type == "GENERIC"
    if not count or count > MOST:
        return {}
    names = [name for name in _changeable(solver.Joint) if name != OF_CATCHING]
    if settings.motor_mode != "NONE" and not is_generic:
        needed, optional = solver.JointMotor.KEYS_OF_MODE[settings.motor_mode.lower()]
        names += [MOTOR + name for name in (*needed, *optional)]
    return dict.fromkeys(names, count)


def can_be_steered(target: bpy.types.Object | None) -> bool:
    """True if the part has a frame that can be turned."""
    if target is None or target.ves.role != "FORCE":
        return False
    return target.ves.force_type in FORCES and FORCES[target.ves.force_type].can_be_steered


def present_value(part: Record, key: str) -> Any:
    """The value of a part under a key, as the mechanism file writes it."""
    if key.startswith(MOTOR):
        key = "motor"
    return plain(getattr(part, key))


def value_settings(part: Record, key: str, values: Sequence[float]) -> dict[str, Any]:
    """The settings that give the number `key` of a part these components."""
    numbers = [float(value) for value in values]
    is_joint = isinstance(part, solver.Joint)
    value = numbers if is_joint or len(numbers) > 1 else numbers[0]
    if not key.startswith(MOTOR):
        return {key: value}
    motor = plain(part.motor) if part.motor else {}
    return {"motor": motor | {key.removeprefix(MOTOR): value}}


def steered(part: Record, body: solver.Body, axis: str, angle: float) -> dict[str, Any]:
    """The settings that turn the frame of a motor or brake from where it is at the start.

    The axis ("BODY_Z", "OWN_X", ...) is one of the body's or of the frame's own; all in world coordinates at the start.
    """
    whose, letter = axis.split("_")
    frame = np.array(at_start(part.orientation), dtype=np.float64)
    frame /= np.linalg.norm(frame)
    carrier = np.array(body.orientation, dtype=np.float64) if whose == "BODY" else frame
    direction = poses.rotations(carrier)[:, "XYZ".index(letter)]
    turn = np.append(np.cos(0.5 * angle), np.sin(0.5 * angle) * direction)
    return {"orientation": poses.product(turn, frame).tolist()}


def _changeable(part: type[Record]) -> list[str]:
    fields = fields_of(part).items()
    texts = {"force"} if part is solver.Expression else set()
    return [name for name, field in fields if field.metadata["changeable"] and name not in NOT_NUMBERS | texts]


def _components(part: type[Record], name: str) -> int:
    return 3 if fields_of(part)[name].metadata["rule"] is vector_over_time else 1
