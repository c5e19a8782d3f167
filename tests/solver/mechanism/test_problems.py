# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of wrong value is found, in the file as in Python, and its problem names the item and the key."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest

from solver.mechanism import Action, Balance, Body, Joint, Mechanism, MechanismError, Motor, Spring, Table

VALID = json.loads(Path(__file__).with_name("everything.json").read_text(encoding="utf-8"))

NAN, INFINITY = math.nan, math.inf
BODY, KEYED, PLATE = ("bodies", 0), ("bodies", 1), ("bodies", 3)
HINGE, THREAD, BALL = ("joints", 0), ("joints", 1), ("joints", 2)
REMOVE = object()

# Where to put which value in the valid mechanism, and the problem that is the only one then.
WRONG = [
    # the head
    (("format",), REMOVE, 'mechanism: format is missing, must be "ves-mechanism"'),
    (("format",), "urdf", "mechanism: format must be \"ves-mechanism\", is 'urdf'"),
    (("version",), 2, "mechanism: version must be 1, is 2"),
    (("version",), True, "mechanism: version must be 1, is true"),
    (("name",), 5, "mechanism: name must be a text, is 5"),
    (("gravity",), [0, 0], "mechanism: gravity must have 3 entries, has 2"),
    (("gravity",), [0, 0, NAN], "mechanism: gravity[2] must be finite, is nan"),
    (("gravity",), None, "mechanism: gravity must not be null; leave it out if there is none"),
    (("bodys",), [], "mechanism: bodys is not a key of a mechanism; its keys are name, gravity, bodies, joints, "),
    (("forces",), {}, "mechanism: forces must be a list, is an object"),
    (("actions",), "none", "mechanism: actions must be a list, is 'none'"),
    # bodies
    ((*BODY, "name"), "", "bodies[0]: name must not be empty"),
    ((*BODY, "motion"), "free", "body 'can': motion must be one of dynamic, fixed, keyed, is 'free'"),
    ((*BODY, "motion"), ["fixed"], "body 'can': motion must be one of dynamic, fixed, keyed, is a list of 1"),
    ((*BODY, "mass"), REMOVE, "body 'can': mass is missing; a dynamic body needs it"),
    ((*BODY, "mass"), 0, "body 'can': mass must be greater than 0, is 0"),
    ((*BODY, "mass"), -1, "body 'can': mass must be greater than 0, is -1"),
    ((*BODY, "mass"), NAN, "body 'can': mass must be finite, is nan"),
    ((*BODY, "mass"), INFINITY, "body 'can': mass must be finite, is inf"),
    ((*BODY, "mass"), 1e300, "body 'can': mass must be between -1e+30 and 1e+30, is 1e+300"),
    ((*BODY, "mass"), 1e-300, "body 'can': mass must be at least 1e-30, is 1e-300"),
    ((*BODY, "position"), [0, -1e300, 0], "body 'can': position[1] must be between -1e+30 and 1e+30, is -1e+300"),
    ((*BODY, "mass"), 10**400, "body 'can': mass must be finite, is a number of more than 20 digits"),
    ((*BODY, "mass"), True, "body 'can': mass must be a number, is true"),
    ((*BODY, "mass"), "1", "body 'can': mass must be a number, is '1'"),
    ((*BODY, "mass"), None, "body 'can': mass must not be null; leave it out if there is none"),
    ((*BODY, "mass"), {"times": [0], "values": [1]}, "body 'can': mass must be a number, is an object"),
    ((*BODY, "inertia"), REMOVE, "body 'can': inertia is missing; a dynamic body needs it"),
    ((*BODY, "inertia"), 1, "body 'can': inertia must be 3 numbers, or 3 rows of 3 numbers, is 1"),
    ((*BODY, "inertia"), [1, 1], "body 'can': inertia must have 3 entries, has 2"),
    ((*BODY, "inertia"), [], "body 'can': inertia must have 3 entries, has 0"),
    ((*BODY, "inertia"), [1, -1, 1], "body 'can': inertia[1] must be greater than 0, is -1"),
    ((*BODY, "inertia"), [1, NAN, 1], "body 'can': inertia[1] must be finite, is nan"),
    ((*BODY, "inertia"), [1, 1e-300, 1], "body 'can': inertia[1] must be at least 1e-30, is 1e-300"),
    ((*BODY, "inertia"), [1, 2, 3.1], "body 'can': inertia is impossible: its moment 3.1 is above the sum of the oth"),
    ((*BODY, "inertia"), [[1, 0, 0], [0, 1, 0]], "body 'can': inertia must have 3 entries, has 2"),
    ((*BODY, "inertia"), [[1, 0, 0], [0, 1, 0], [0, 1]], "body 'can': inertia[2] must have 3 entries, has 2"),
    ((*BODY, "inertia"), [[1, 0, 0], 1, [0, 0, 1]], "body 'can': inertia[1] must be a list of 3 numbers, is 1"),
    (
        (*BODY, "inertia"),
        [[1, 0, 0.1], [0, 1, 0], [0.2, 0, 1]],
        "body 'can': inertia must be symmetric, but [0][2] is 0.1 and [2][0] is 0.2",
    ),
    (
        (*BODY, "inertia"),
        [[1, 2, 0], [2, 1, 0], [0, 0, 1]],
        "body 'can': inertia must be positive definite, but a principal moment is -1",
    ),
    ((*BODY, "inertia"), [[2, 0, 0], [0, 2, 0], [0, 0, 4.1]], "body 'can': inertia is impossible: its moment 4.1"),
    ((*BODY, "inertia"), [[2, 1, 0], [1, 2, 0], [0, 0, 0.5]], "body 'can': inertia is impossible: its moment 3 is"),
    ((*BODY, "center_of_mass"), [0, 0, 0, 0], "body 'can': center_of_mass must have 3 entries, has 4"),
    ((*BODY, "position"), "here", "body 'can': position must be a list of 3 numbers, is 'here'"),
    ((*BODY, "position"), {"x": 0}, "body 'can': position must be a list of 3 numbers, is an object"),
    ((*BODY, "position"), [0, 0, "0"], "body 'can': position[2] must be a number, is '0'"),
    ((*BODY, "position"), [0, 0, None], "body 'can': position[2] must be a number, is null"),
    ((*BODY, "orientation"), [1, 0, 0], "body 'can': orientation must have 4 entries, has 3"),
    ((*BODY, "orientation"), [1.002, 0, 0, 0], "body 'can': orientation must be a unit quaternion [w, x, y, z], has"),
    ((*BODY, "orientation"), [0, 0, 0, 0], "body 'can': orientation must be a unit quaternion [w, x, y, z], has leng"),
    ((*BODY, "orientation"), [1e30, 1e30, 1e30, 1e30], "body 'can': orientation must be a unit quaternion [w, x"),
    ((*BODY, "linear_velocity"), [NAN, 0, 0], "body 'can': linear_velocity[0] must be finite, is nan"),
    ((*BODY, "angular_velocity"), 3, "body 'can': angular_velocity must be a list of 3 numbers, is 3"),
    ((*BODY, "colour"), "red", "body 'can': colour is not a key of a body; its keys are name, motion, mass, "),
    ((*BODY, "two words"), 1, "body 'can': 'two words' is not a key of a body"),
    ((*BODY, "material", "friction"), -0.1, "body 'can': material.friction must be at least 0, is -0.1"),
    ((*BODY, "material", "colour"), 1, "body 'can': material.colour is not a key of a material"),
    ((*BODY, "material"), 1, "body 'can': material must be a material, is 1"),
    (("bodies", 1, "keys"), REMOVE, "body 'car': keys is missing; a keyed body needs it"),
    (("bodies", 2, "keys"), VALID["bodies"][1]["keys"], "body 'post': keys belongs to a keyed body, but motion is fi"),
    ((*KEYED, "keys", "times"), REMOVE, "body 'car': keys.times is missing"),
    ((*KEYED, "keys", "times"), [0, 1, 1], "body 'car': keys.times[2] must be later than the one before it, 1, is 1"),
    ((*KEYED, "keys", "positions", 1), [1, 2], "body 'car': keys.positions[1] must have 3 entries, has 2"),
    ((*KEYED, "keys", "positions"), [[1, 2, 3]], "body 'car': keys.positions must have 3 entries, one per time, has 1"),
    ((*KEYED, "keys", "orientations"), [], "body 'car': keys.orientations must have 3 entries, one per time, has 0"),
    ((*KEYED, "keys", "orientations", 2), [1, 1, 0, 0], "body 'car': keys.orientations[2] must be a unit quaternion"),
    # shapes
    ((*BODY, "shape", "type"), "cone", "body 'can': shape.type must be one of sphere, box, capsule, cylinder, hull, "),
    ((*BODY, "shape", "type"), REMOVE, "body 'can': shape.type must be one of sphere, box, capsule, cylinder, hull, "),
    ((*BODY, "shape", "type"), ["box"], "body 'can': shape.type must be one of sphere, box, capsule, cylinder, hull"),
    ((*BODY, "shape", "radius"), 0, "body 'can': shape.radius must be greater than 0, is 0"),
    ((*BODY, "shape", "half_length"), REMOVE, "body 'can': shape.half_length is missing"),
    ((*BODY, "shape"), [], "body 'can': shape must have at least 1 entry, has 0"),
    ((*BODY, "shape"), 5, "body 'can': shape must be a shape, is 5"),
    ((*KEYED, "shape", 0, "half_size"), [1, 0, 1], "body 'car': shape[0].half_size[1] must be greater than 0, is 0"),
    ((*KEYED, "shape", 1, "triangles"), [[0, 1, 3]], "body 'car': shape[1].triangles[0] names point 3, but there are"),
    ((*KEYED, "shape", 1, "triangles"), [[0, 1, -1]], "body 'car': shape[1].triangles[0][2] must be a whole number,"),
    ((*KEYED, "shape", 1, "triangles"), [[0, 1]], "body 'car': shape[1].triangles[0] must have 3 entries, has 2"),
    ((*PLATE, "shape", "points"), [[0, 0, 0]] * 3, "body 'plate': shape.points must have at least 4 entries, has 3"),
    ((*BODY, "shape"), VALID["bodies"][1]["shape"][1], "body 'can': shape must not be a mesh on a dynamic body"),
    # names
    ((*BODY, "name"), "plate", "body 'plate': name must be unique, but 2 bodies have it"),
    ((*BALL, "name"), "thread", "joint 'thread': name must be unique, but 2 joints have it"),
    (("forces", 1, "name"), "moon", "force 'moon': name must be unique, but 2 forces have it"),
    (("constraints", 1, "name"), "nail", "constraint 'nail': name must be unique, but 2 constraints have it"),
    ((*HINGE, "parent"), "Car", "joint 'hinge': parent names the body 'Car', which there is not; is 'car' meant?"),
    ((*HINGE, "child"), "zzz", "joint 'hinge': child names the body 'zzz', which there is not"),
    ((*HINGE, "child"), None, "joint 'hinge': child must not be null"),
    ((*HINGE, "child"), REMOVE, "joint 'hinge': child is missing"),
    ((*HINGE, "parent"), REMOVE, "joint 'hinge': parent is missing"),
    ((*HINGE, "parent"), "can", "joint 'hinge' joins a body to itself: parent and child are the same"),
    (("forces", 0, "body"), "zzz", "force 'thruster': body names the body 'zzz', which there is not"),
    (("forces", 4, "body_b"), "zzz", "force 'spring': body_b names the body 'zzz', which there is not"),
    (("forces", 4, "body_b"), "can", "force 'spring' joins a body to itself: body_a and body_b are the same"),
    (("constraints", 2, "body_b"), "can", "constraint 'pin' joins a body to itself: body_a and body_b are the same"),
    (("constraints", 0, "body"), "zzz", "constraint 'nail': body names the body 'zzz', which there is not"),
    (("contact", "ignore", 0, 1), "zzz", "mechanism: contact.ignore[0][1] names the body 'zzz', which there is not"),
    # joints
    ((*HINGE, "type"), "hinge", "joint 'hinge': type must be one of revolute, prismatic, screw, cylindrical, unive"),
    ((*HINGE, "type"), REMOVE, "joint 'hinge': type is missing"),
    ((*HINGE, "position"), REMOVE, "joint 'hinge': position is missing"),
    ((*HINGE, "orientation"), [2, 0, 0, 0], "joint 'hinge': orientation must be a unit quaternion [w, x, y, z], has "),
    ((*HINGE, "coordinates"), [0, 0], "joint 'hinge': coordinates must have 1 entry, one per coordinate of a revolu"),
    ((*HINGE, "speeds"), [], "joint 'hinge': speeds must have 1 entry, one per coordinate of a revolute joint, has 0"),
    ((*BALL, "damping"), [1, 1], "joint 'ball': damping must have 3 entries, one per coordinate of a spherical joi"),
    ((*HINGE, "stiffness"), [-1], "joint 'hinge': stiffness[0] must be at least 0, is -1"),
    ((*HINGE, "damping"), [-1], "joint 'hinge': damping[0] must be at least 0, is -1"),
    ((*HINGE, "friction"), [-1], "joint 'hinge': friction[0] must be at least 0, is -1"),
    ((*HINGE, "armature"), [-1], "joint 'hinge': armature[0] must be at least 0, is -1"),
    ((*HINGE, "rest"), [NAN], "joint 'hinge': rest[0] must be finite, is nan"),
    ((*HINGE, "limits"), [[1, 1]], "joint 'hinge': limits[0] must be [lower, upper] with lower below upper, is [1, "),
    ((*HINGE, "limits"), [[1, 2], None], "joint 'hinge': limits must have 1 entry, one per coordinate of a revolute"),
    ((*HINGE, "limits"), [[1]], "joint 'hinge': limits[0] must have 2 entries, has 1"),
    ((*HINGE, "limits"), [3], "joint 'hinge': limits[0] must be a pair [lower, upper], or null, is 3"),
    ((*HINGE, "limits"), [[NAN, 1]], "joint 'hinge': limits[0][0] must be finite, is nan"),
    ((*HINGE, "pitch"), 1, "joint 'hinge': pitch belongs to a screw joint, but type is revolute"),
    ((*THREAD, "pitch"), REMOVE, "joint 'thread': pitch is missing; a screw joint needs it"),
    ((*THREAD, "pitch"), INFINITY, "joint 'thread': pitch must be finite, is inf"),
    ((*THREAD, "enabled"), True, "joint 'thread': enabled is not a key of a joint"),
    # motors in joints
    ((*HINGE, "motor"), "on", "joint 'hinge': motor must be a joint motor, is 'on'"),
    (
        (*HINGE, "motor", "mode"),
        "torque",
        "joint 'hinge': motor.mode must be one of force, speed, position, keyed, is 'to",
    ),
    ((*HINGE, "motor", "mode"), REMOVE, "joint 'hinge': motor.mode is missing"),
    ((*HINGE, "motor", "target"), REMOVE, "joint 'hinge': motor.target is missing; a motor of mode position needs it"),
    ((*HINGE, "motor", "stiffness"), REMOVE, "joint 'hinge': motor.stiffness is missing; a motor of mode position "),
    ((*HINGE, "motor", "value"), 1, "joint 'hinge': motor.value has no meaning for a motor of mode position"),
    ((*HINGE, "motor", "max_force"), -1, "joint 'hinge': motor.max_force must be at least 0, is -1"),
    ((*HINGE, "motor", "target"), [1, 2], "joint 'hinge': motor.target must have 1 entry, one per coordinate of a re"),
    ((*BALL, "motor", "value"), 1, "joint 'ball': motor.value must have 3 entries, one per coordinate of a spherical"),
    ((*BALL, "motor", "value", 1, "values"), [INFINITY], "joint 'ball': motor.value[1].values[0] must be finite, is "),
    # tables
    ((*THREAD, "motor", "target", "times"), [1, 0], "joint 'thread': motor.target.times[1] must be later than the on"),
    ((*THREAD, "motor", "target", "times"), [0, 0], "joint 'thread': motor.target.times[1] must be later than the on"),
    ((*THREAD, "motor", "target", "values"), [0], "joint 'thread': motor.target.values must have 2 entries, one per "),
    ((*THREAD, "motor", "target", "values"), REMOVE, "joint 'thread': motor.target.values is missing"),
    ((*THREAD, "motor", "target"), {"times": [0], "values": [0], "x": 0}, "joint 'thread': motor.target.x is not a ke"),
    (("forces", 1, "linear"), {"times": [0, 1], "values": [1, -2]}, "force 'air': linear.values[1] must be at least 0"),
    (("forces", 1, "linear"), {"times": 0, "values": [1]}, "force 'air': linear.times must be a list, is 0"),
    # forces
    (("forces", 0), 7, "forces[0] must be a force, is 7"),
    (("forces", 0, "type"), "magnet", "force 'thruster': type must be one of motor, damping, brake, support, spring, "),
    (("forces", 0, "type"), REMOVE, "force 'thruster': type must be one of motor, damping, brake, support, spring, "),
    (("forces", 0, "name"), REMOVE, "forces[0]: name is missing"),
    (("forces", 0, "point"), REMOVE, "force 'thruster': point is missing"),
    (("forces", 0, "force"), 1, "force 'thruster': force must be a list of 3 numbers, is 1"),
    (("forces", 0, "force", 1, "values"), [1], "force 'thruster': force[1].values must have 2 entries, one per time"),
    (("forces", 1, "enabled"), 1, "force 'air': enabled must be true or false, is 1"),
    (("forces", 1, "angular"), -1, "force 'air': angular must be at least 0, is -1"),
    (("forces", 2, "damping"), [1, 2], "force 'brake fl': damping must have 3 entries, has 2"),
    (("forces", 2, "damping"), REMOVE, "force 'brake fl': damping is missing"),
    (("forces", 3, "stiffness"), -1, "force 'wheel': stiffness must be at least 0, is -1"),
    (("forces", 4, "restitution"), 1, "force 'spring': restitution is not a key of a spring force"),
    (("forces", 4, "rest_length"), -1, "force 'spring': rest_length must be at least 0, is -1"),
    (("forces", 5, "restitution"), -1, "force 'rubber': restitution must be at least 0, is -1"),
    (("forces", 6, "coefficient"), 1, "force 'wind' needs either area or coefficient, not both"),
    (("forces", 6, "area"), REMOVE, "force 'wind' needs either area or coefficient, has neither"),
    (("forces", 7, "acceleration"), [0, 0, NAN], "force 'moon': acceleration[2] must be finite, is nan"),
    # constraints
    (("constraints", 0, "type"), "glue", "constraint 'nail': type must be one of nail, orientation, point_to_point, "),
    (("constraints", 0, "point"), [0], "constraint 'nail': point must have 3 entries, has 1"),
    (("constraints", 1, "enabled"), "yes", "constraint 'upright': enabled must be true or false, is 'yes'"),
    (("constraints", 3, "distance"), 0, "constraint 'rod': distance must be greater than 0, is 0"),
    (("constraints", 3, "point_a"), [0, 0, 1], "constraint 'rod': distance must be greater than 0, but point_a and p"),
    (("constraints", 4, "times"), [1, 0], "constraint 'way': times[1] must be later than the one before it, 1, is 0"),
    (("constraints", 4, "positions"), [[0, 0, 0]], "constraint 'way': positions must have 2 entries, one per time, "),
    (("constraints", 4, "orientations"), [], "constraint 'way': orientations must have 2 entries, one per time, has "),
    (("constraints", 5, "points"), [[0, 0, 0]], "constraint 'bead': points must have at least 2 entries, has 1"),
    (("constraints", 5, "closed"), 0, "constraint 'bead': closed must be true or false, is 0"),
    (("constraints", 6, "joint_a"), "hinges", "constraint 'worm': joint_a names the joint 'hinges', which there is "),
    (("constraints", 6, "joint_b"), "hinge", "constraint 'worm' couples a joint to itself: joint_a and joint_b are "),
    (("constraints", 6, "joint_b"), "ball", "constraint 'worm': joint_b must be a revolute, prismatic or screw join"),
    (("constraints", 6, "ratio"), 0, "constraint 'worm': ratio must not be 0: joint_b would stand still"),
    (("constraints", 6, "ratio"), 1e300, "constraint 'worm': ratio must be between -1e+30 and 1e+30, is 1e+300"),
    (("constraints", 6, "ratio"), REMOVE, "constraint 'worm': ratio is missing"),
    (("constraints", 7, "joint_b"), "thread", "constraint 'rack': joint_b must be a prismatic joint, but 'thread' i"),
    (("constraints", 7, "radius"), 1e300, "constraint 'rack': radius must be between -1e+30 and 1e+30, is 1e+300"),
    (("constraints", 7, "radius"), 0, "constraint 'rack': radius must not be 0: the rack would stand still"),
    (("constraints", 8, "wheel_body_b"), "plate", "constraint 'rope' ties a body to its own wheel: body_b and wheel"),
    (("constraints", 8, "point_a"), [0, 0, 1], "constraint 'rope': point_a is the same point as wheel_a, so that the "),
    (("constraints", 8, "ratio"), -1, "constraint 'rope': ratio must be greater than 0, is -1"),
    (("constraints", 8, "length"), 0, "constraint 'rope': length must be greater than 0, is 0"),
    (("constraints", 9, "locked"), [], "constraint 'slot': locked must name an axis: with all six free it holds"),
    (("constraints", 9, "locked"), ["x", "x"], "constraint 'slot': locked[1] repeats x"),
    (("constraints", 10, "times"), [1, 0], "constraint 'lead': times[1] must be later than the one before it, 1, is 0"),
    # actions
    (("actions", 0, "time"), -1, "actions[0]: time must be at least 0, is -1"),
    (("actions", 0, "time"), REMOVE, "actions[0]: time is missing"),
    (
        ("actions", 0, "target"),
        "brake",
        "actions[0]: target names the joint, constraint, force or body 'brake', ",
    ),
    (("actions", 0, "target"), 3, "actions[0]: target must be a text, is 3"),
    (("actions", 0, "set"), {}, "actions[0]: set must not be empty"),
    (("actions", 0, "set"), [], "actions[0]: set must be an object of keys and values, is a list of 0"),
    (("actions", 0, "set", "body"), "plate", "actions[0]: set.body cannot be set in a brake force; what can is enabl"),
    (("actions", 0, "set", "enabled"), "no", "actions[0]: set.enabled must be true or false, is 'no'"),
    (("actions", 0, "set", "damping"), -1, "actions[0]: set.damping must be at least 0, is -1"),
    (("actions", 1, "set", "pitch"), 1, "actions[1]: set.pitch cannot be set in a joint; what can is stiffness, rest"),
    (("actions", 1, "set", "stiffness"), [1, 2], "actions[1]: set.stiffness must have 1 entry, one per coordinate of"),
    (("actions", 1, "set", "motor"), {"mode": "speed"}, "actions[1]: set.motor.target is missing; a motor of mode "),
    (("forces", 0, "name"), "hinge", "actions[1]: target is ambiguous: 2 parts are named 'hinge' (joint, force)"),
    # contact
    (("contact",), [], "mechanism: contact must be a contact description, is a list of 0"),
    (("contact", "enabled"), None, "mechanism: contact.enabled must not be null"),
    (("contact", "ground", "friction"), -1, "mechanism: contact.ground.friction must be at least 0, is -1"),
    (("contact", "ground", "slope"), 0, "mechanism: contact.ground.slope is not a key of a ground"),
    (
        ("contact", "ignore"),
        [["can", "can"]],
        "mechanism: contact.ignore[0] names 'can' twice; a body",
    ),
    (("contact", "ignore"), [["can"]], "mechanism: contact.ignore[0] must have 2 entries, has 1"),
    (("contact", "ignore"), ["can"], "mechanism: contact.ignore[0] must be a pair of names, is 'can'"),
]


def changed(path: tuple, value: object) -> dict:
    """The valid mechanism's data with `value` at `path`."""
    data = copy.deepcopy(VALID)
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    if value is REMOVE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return data


def problems_of(data: dict) -> list[str]:
    with pytest.raises(MechanismError) as caught:
        Mechanism.from_dict(data)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return caught.value.problems


def test_the_valid_mechanism_is_valid():
    assert Mechanism.from_dict(VALID).problems() == []


@pytest.mark.parametrize(
    ("path", "value", "problem"), WRONG, ids=[str(i) + ":" + wrong[2][:70] for i, wrong in enumerate(WRONG)]
)
def test_a_wrong_value_is_the_one_problem(path, value, problem):
    found = problems_of(changed(path, value))
    about_it = [line for line in found if line.startswith(problem)]
    assert about_it, found
    # A part that loses its name, or a body that does, is then also missed by those that speak of it.
    others = [line for line in found if line not in about_it and "which there is not" not in line]
    assert others == []
    assert all(line.isprintable() and len(line) <= 300 for line in found)


@pytest.mark.parametrize(
    ("path", "value", "problem"), WRONG, ids=[str(i) + ":" + wrong[2][:70] for i, wrong in enumerate(WRONG)]
)
def test_the_file_says_the_same(path, value, problem, tmp_path):
    data = changed(path, value)
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(data))
    with pytest.raises(MechanismError) as caught:
        Mechanism.load(file)
    assert caught.value.problems == problems_of(data)


def test_all_problems_are_reported_at_once():
    data = changed((*BODY, "mass"), -1)
    data["bodies"][0]["inertia"] = [1, 1]
    data["bodies"][0]["colour"] = "red"
    data["joints"][0]["speeds"] = [1, 2]
    data["joints"][0]["damping"] = [-1]
    data["joints"][0]["parent"] = "nobody"
    data["forces"][3]["stiffness"] = "soft"
    assert [line.split(" is not a key")[0] for line in problems_of(data)] == [
        "body 'can': colour",
        "body 'can': mass must be greater than 0, is -1",
        "body 'can': inertia must have 3 entries, has 2",
        "joint 'hinge': damping[0] must be at least 0, is -1",
        "joint 'hinge': speeds must have 1 entry, one per coordinate of a revolute joint, has 2",
        "force 'wheel': stiffness must be a number, is 'soft'",
        "joint 'hinge': parent names the body 'nobody', which there is not",
    ]


def test_problems_come_to_an_end():
    data = {"format": "ves-mechanism", "version": 1, "bodies": [{"name": str(i), "mass": 0} for i in range(1000)]}
    found = problems_of(data)
    assert len(found) == 101
    assert found[-1] == "... and more; mend these first"


def test_an_inertia_at_the_bound_is_accepted():
    thin_plate = [0.1 + 0.2, 0.1, 0.2]  # 0.30000000000000004: above the sum by rounding only
    turned = np.array([[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]])
    for inertia in (thin_plate, turned @ np.diag([1e-6, 1.0, 1.000001]) @ turned.T):
        body = Body("plate", mass=1, inertia=inertia)
        assert Mechanism(bodies=[body]).problems() == []


def mechanism_in_python() -> Mechanism:
    return Mechanism(
        bodies=[Body("a", mass=1, inertia=(1, 1, 1)), Body("b", mass=1, inertia=np.eye(3))],
        joints=[Joint("j", "revolute", None, "a", (0, 0, 0), speeds=2)],
        forces=[
            Motor("m", body="a", point=np.zeros(3)),
            Spring("s", body_a="a", body_b="b", point_a=(0, 0, 0), point_b=(0, 0, 1), stiffness=1, rest_length=1),
        ],
        actions=[Action(1.0, "s", {"stiffness": 2})],
    )


@pytest.mark.parametrize(
    ("first", "last", "time"),
    [
        (Table([0, 1], [1, -1]), 0.0, "0.5"),
        (Table([0], [0]), 0.0, "0"),
        (Table([0, 2], [1, 0]), 0.0, "2"),
        (Table([0, 1], [1, 1]), 0.0, None),
        (Table([0, 1], [1, -1]), Table([0.4, 0.6], [0, 0.01]), None),
        (Table([0, 1], [1, 0]), Table([0, 1], [0, 1]), None),
    ],
)
def test_an_orientation_over_time_never_comes_to_zero(first, last, time):
    balance = Balance("b", body="a", feet=("b",), orientation=(first, 0, 0, last))
    motor = Motor("m", body="a", point=(0, 0, 0), orientation=(first, 0, 0, last))
    mechanism = dataclasses.replace(mechanism_in_python(), forces=[balance, motor], actions=[])
    said = f"orientation passes through [0, 0, 0, 0] at {time} s, which is no orientation"
    expected = [] if time is None else [f"force 'b': {said}", f"force 'm': {said}"]
    assert [problem.split(";")[0] for problem in mechanism.problems()] == expected


def test_a_joint_has_one_largest_torque():
    twice = (("j", 1.0), ("k", 2.0), ("j", 3.0))
    balance = Balance("b", body="a", feet=("b",), joint_max_torque=twice)
    mechanism = dataclasses.replace(mechanism_in_python(), forces=[balance], actions=[])
    assert mechanism.problems() == ["force 'b': joint_max_torque[2] must name another joint than before, is 'j' again"]


def test_a_mechanism_built_in_python_is_checked_alike():
    mechanism = mechanism_in_python()
    assert mechanism.problems() == []
    mechanism.bodies[0].mass = np.float32(-1)
    mechanism.joints[0].parent = "c"
    mechanism.forces[0].force = [1, 2, Table([0, 1], [0, math.nan])]
    mechanism.actions.append(Action(2.0, "x", {"enabled": True}))
    assert mechanism.problems() == [
        "body 'a': mass must be greater than 0, is -1",
        "force 'm': force[2].values[1] must be finite, is nan",
        "joint 'j': parent names the body 'c', which there is not",
        "actions[1]: target names the joint, constraint, force or body 'x', which there is not",
    ]


class Strange:
    """An object of a script, with nothing that a mechanism knows."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


STRANGE = [None, True, 3, 3j, "x", b"x", [], {}, set(), object(), Strange(), range(2), np.zeros(()), np.zeros((2, 2))]


@pytest.mark.parametrize(
    "value", [*STRANGE, [Strange()], {"type": Strange()}, {1: 2}, [[[]]], float], ids=lambda v: type(v).__name__
)
def test_any_value_in_python_is_reported_and_nothing_raises(value):
    mechanism = mechanism_in_python()
    for part in (mechanism, *mechanism.bodies, *mechanism.joints, *mechanism.forces, *mechanism.actions):
        for name in vars(part):
            if name.startswith("_"):
                continue
            good = getattr(part, name)
            setattr(part, name, value)
            assert all(isinstance(line, str) and line.isprintable() for line in mechanism.problems())
            setattr(part, name, good)
    assert mechanism.problems() == []


def test_what_is_appended_as_data_becomes_a_part():
    mechanism = mechanism_in_python()
    mechanism.bodies.append({"name": "c", "mass": 2, "inertia": [1, 1, 1]})
    mechanism.bodies.append(5)
    assert mechanism.problems() == ["bodies[3] must be a body, is 5"]
    assert mechanism.bodies[2] == Body("c", mass=2, inertia=(1, 1, 1))


def test_a_misspelt_attribute_is_refused_at_once():
    with pytest.raises(AttributeError, match="possition is not a key of a body"):
        Body("a").possition = (0, 0, 0)
