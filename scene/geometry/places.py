# SPDX-License-Identifier: GPL-3.0-or-later
"""The choices that a person has for where a new joint goes, and where its axis points; `placement` finds the places."""

LOOSE = (
    "LOOSE",
    "Loose",
    "A bar is held at a free end, another body at its nearest point, until Snap Together brings the two together",
)

LOCATIONS = [
    ("NEAREST", "Nearest Points", "Halfway between the nearest points of the two bodies"),
    ("CURSOR", "3D Cursor", "At the 3D cursor"),
    ("ACTIVE", "Active Origin", "At the origin of the active object"),
    LOOSE,
]

AXES = [
    ("X", "X", "Along the world's X axis"),
    ("Y", "Y", "Along the world's Y axis"),
    ("Z", "Z", "Along the world's Z axis"),
    ("CURSOR", "Cursor", "Along the Z axis of the 3D cursor"),
    ("ACTIVE", "Active", "Along the local Z axis of the active object"),
    ("LINE", "Line", "Along the line from the middle of one body to the middle of the other"),
]
