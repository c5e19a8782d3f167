# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person describes: a mechanism as dataclasses, its file, and what can be wrong with it."""

from __future__ import annotations

from .bodies import Body, Box, Capsule, Cylinder, Hull, Keys, Material, Mesh, Shape, Sphere
from .constraints import Constraint, Curve, Distance, Nail, Orientation, Path, PointToPoint
from .description import Action, Contact, Ground, Mechanism
from .error import MechanismError
from .forces import Brake, Damping, Drag, Force, Gravity, Motor, Rubber, Spring, Support
from .joints import COORDINATES, Joint, JointMotor
from .table import Table

__all__ = [
    "COORDINATES",
    "Action",
    "Body",
    "Box",
    "Brake",
    "Capsule",
    "Constraint",
    "Contact",
    "Curve",
    "Cylinder",
    "Damping",
    "Distance",
    "Drag",
    "Force",
    "Gravity",
    "Ground",
    "Hull",
    "Joint",
    "JointMotor",
    "Keys",
    "Material",
    "Mechanism",
    "MechanismError",
    "Mesh",
    "Motor",
    "Nail",
    "Orientation",
    "Path",
    "PointToPoint",
    "Rubber",
    "Shape",
    "Sphere",
    "Spring",
    "Support",
    "Table",
]
