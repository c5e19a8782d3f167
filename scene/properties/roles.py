# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles of objects in the mechanism: the values of `Object.ves.role`."""

ROLES = [
    ("NONE", "None", "Not part of a mechanism", 0),
    ("BODY", "Body", "A rigid body", 1),
    ("JOINT", "Joint", "Connects two bodies, or a body and the world", 2),
    ("NAIL", "Nail", "A point of a body stays where it is", 3),
    ("PATH", "Path", "A point of a body follows a curve or another object", 4),
    ("FORCE", "Force", "Acts on a body, or between two", 5),
    ("ORIENTATION", "Orientation", "A body keeps its orientation", 6),
    ("POINT_TO_POINT", "Point to Point", "A point of a body and one of another, or of the world, stay together", 7),
    ("DISTANCE", "Distance", "A point of a body and one of another, or of the world, keep their distance", 8),
    ("BEAD", "Bead on Curve", "A point of a body slides along a curve", 9),
    ("GEAR", "Gear", "Two joints turn or slide in a fixed ratio", 10),
    ("RACK", "Rack and Pinion", "A slider goes along with a hinge that turns", 11),
    ("PULLEY", "Pulley", "A rope runs from one body over two wheels to another", 12),
]

COUPLINGS = {"GEAR", "RACK"}  # of joints; they point at no body
POINTING_ROLES = {role for role, *_ in ROLES} - {"NONE", "BODY"}
