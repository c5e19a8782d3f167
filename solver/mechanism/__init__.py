# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of a mechanism: dataclasses, its file, and what can be wrong with it.

Each part finds its own wrong values (a wrong mass in `bodies`), `validation` what parts say of each other; `messages`
words what is found, and `error` refuses it. What a constraint described in `constraints` or `ropes` holds becomes rows
in `model.closures`, computed in `dynamics.loops` and brought together in `assembly.rows`.
"""

from __future__ import annotations

from . import forces
from .bodies import Body, Box, Capsule, Cylinder, Follow, Hull, Keys, Material, Mesh, Shape, Sphere
from .constraints import (
    Constraint,
    Coupling,
    Curve,
    Distance,
    Gear,
    Generic,
    Nail,
    Orientation,
    Path,
    PointToPoint,
    Rack,
)
from .curves import AxisPull, Stop
from .description import Action, Addition, Contact, Ground, Mechanism
from .error import MechanismError, RunError
from .forces import *  # noqa: F403 (all that `forces` names)
from .joint_types import COORDINATES
from .joints import Joint, JointMotor
from .ropes import Pulley, Rope
from .surfaces import (
    Smooth,
    SmoothCylinder,
    SmoothEllipsoid,
    SmoothPatches,
    SmoothPlane,
    SmoothSphere,
    SmoothSubdivision,
    SmoothTorus,
    Terrain,
)
from .table import Table

__all__ = [
    "COORDINATES",
    "Action",
    "Addition",
    "AxisPull",
    "Body",
    "Box",
    "Capsule",
    "Constraint",
    "Contact",
    "Coupling",
    "Curve",
    "Cylinder",
    "Distance",
    "Follow",
    "Gear",
    "Generic",
    "Ground",
    "Hull",
    "Joint",
    "JointMotor",
    "Keys",
    "Material",
    "Mechanism",
    "MechanismError",
    "Mesh",
    "Nail",
    "Orientation",
    "Path",
    "PointToPoint",
    "Pulley",
    "Rack",
    "Rope",
    "RunError",
    "Shape",
    "Smooth",
    "SmoothCylinder",
    "SmoothEllipsoid",
    "SmoothPatches",
    "SmoothPlane",
    "SmoothSphere",
    "SmoothSubdivision",
    "SmoothTorus",
    "Sphere",
    "Stop",
    "Table",
    "Terrain",
    *forces.__all__,
]
