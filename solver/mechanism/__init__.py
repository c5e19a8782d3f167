# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of a mechanism: dataclasses, its file, and what can be wrong with it."""

from __future__ import annotations

from .bodies import Body, Box, Capsule, Cylinder, Hull, Keys, Material, Mesh, Shape, Sphere
from .constraints import (
    Constraint,
    Coupling,
    Curve,
    Distance,
    Gear,
    Nail,
    Orientation,
    Path,
    PointToPoint,
    Pulley,
    Rack,
)
from .description import Action, Contact, Ground, Mechanism
from .error import MechanismError, RunError
from .forces import Balance, Brake, Damping, Drag, Force, Gravity, Motor, Pull, Rubber, Spring, Support
from .joint_types import COORDINATES
from .joints import Joint, JointMotor
from .surfaces import Smooth, SmoothCylinder, SmoothEllipsoid, SmoothPatches, SmoothPlane, SmoothSphere, SmoothTorus
from .table import Table

__all__ = [
    "COORDINATES",
    "Action",
    "Balance",
    "Body",
    "Box",
    "Brake",
    "Capsule",
    "Constraint",
    "Contact",
    "Coupling",
    "Curve",
    "Cylinder",
    "Damping",
    "Distance",
    "Drag",
    "Force",
    "Gear",
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
    "Pull",
    "Pulley",
    "Rack",
    "Rubber",
    "RunError",
    "Shape",
    "Smooth",
    "SmoothCylinder",
    "SmoothEllipsoid",
    "SmoothPatches",
    "SmoothPlane",
    "SmoothSphere",
    "SmoothTorus",
    "Sphere",
    "Spring",
    "Support",
    "Table",
]
