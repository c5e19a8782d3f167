# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a file holds, loading it gives a mechanism or a MechanismError; whatever is valid survives its file."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from solver.mechanism import COORDINATES, Mechanism, MechanismError
from tests.solver.random_mechanisms import TYPES

EVERYTHING = Path(__file__).with_name("everything.json")
VALID = json.loads(EVERYTHING.read_text(encoding="utf-8"))


def paths_in(value: object, path: tuple = ()) -> list[tuple]:
    """The paths to all values inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [deeper for step, entry in inner for deeper in paths_in(entry, (*path, step))]


PATHS = paths_in(VALID)
KEYS = sorted({step for path in PATHS for step in path if isinstance(step, str)})

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "can", "car", "hinge", "revolute", "dynamic", "motor", 10**400, -0.0, 1e-320, 1e308])
    | st.text(max_size=5)
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=8,
)
pieces_of_the_valid = st.sampled_from(PATHS).map(lambda path: at(VALID, path))
changes = st.lists(
    st.tuples(
        st.sampled_from(PATHS),
        st.sampled_from(["replace", "remove", "add", "repeat"]),
        json_values | pieces_of_the_valid,
    ),
    min_size=1,
    max_size=4,
)


def at(value: object, path: tuple) -> object:
    for step in path:
        value = value[step]
    return value


def change(data: dict, path: tuple, how: str, value: object) -> None:
    """One change at a place that an earlier one may have taken away."""
    try:
        inner = at(data, path[:-1])
        entry = inner[path[-1]]
    except (LookupError, TypeError):
        return
    if isinstance(inner, str):
        return
    match how:
        case "replace":
            inner[path[-1]] = copy.deepcopy(value)
        case "remove":
            del inner[path[-1]]
        case "add" if isinstance(entry, dict):
            entry[value if isinstance(value, str) else "mass"] = copy.deepcopy(value)
        case "add" | "repeat" if isinstance(entry, list):
            entry.append(copy.deepcopy(entry[-1] if how == "repeat" and entry else value))


def load_or_problems(content: bytes) -> Mechanism | list[str]:
    """The result of loading a file with this content. Anything but a MechanismError goes through."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.json"
        path.write_bytes(content)
        try:
            return Mechanism.load(path)
        except MechanismError as error:
            problems = error.problems
    assert problems
    assert len(problems) <= 101
    assert all(line.isprintable() and len(line) <= 300 for line in problems)
    return problems


def assert_survives_its_file(mechanism: Mechanism) -> None:
    assert mechanism.problems() == []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.json"
        mechanism.save(path)
        assert Mechanism.load(path) == mechanism


@given(changes)
@settings(max_examples=200, deadline=2000)
def test_a_changed_file_loads_or_is_refused(changes):
    data = copy.deepcopy(VALID)
    for path, how, value in changes:
        change(data, path, how, value)
    result = load_or_problems(json.dumps(data).encode())
    if isinstance(result, Mechanism):
        assert_survives_its_file(result)


@given(json_values)
@settings(max_examples=100, deadline=2000)
def test_any_json_is_refused(value):
    assert isinstance(load_or_problems(json.dumps(value).encode()), list)


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=2000)
def test_any_bytes_are_refused(content):
    assert isinstance(load_or_problems(content), list)


@given(st.lists(st.tuples(st.integers(min_value=0), st.binary(max_size=4), st.integers(0, 4)), min_size=1, max_size=3))
@settings(max_examples=200, deadline=2000)
def test_a_damaged_file_loads_or_is_refused(damages):
    content = EVERYTHING.read_bytes()
    for position, new, length in damages:
        position %= len(content)
        content = content[:position] + new + content[position + length :]
    result = load_or_problems(content)
    if isinstance(result, Mechanism):
        assert_survives_its_file(result)


@given(st.data(), json_values | st.builds(object) | st.complex_numbers())
@settings(max_examples=200, deadline=2000)
def test_anything_assigned_in_python_is_borne(data, value):
    mechanism = Mechanism.from_dict(VALID)
    parts = [mechanism, *mechanism.bodies, *mechanism.joints, *mechanism.constraints, *mechanism.forces]
    parts += [*mechanism.actions, mechanism.contact, mechanism.bodies[1].keys, mechanism.joints[0].motor]
    part = data.draw(st.sampled_from(parts))
    name = data.draw(st.sampled_from([field.name for field in dataclasses.fields(part)]))
    setattr(part, name, value)
    problems = mechanism.problems()
    assert all(isinstance(line, str) and line.isprintable() and len(line) <= 300 for line in problems)
    if not problems:
        assert_survives_its_file(mechanism)


numbers = st.floats(-1e30, 1e30)
positive = st.floats(1e-30, 1e30)
vectors = st.lists(numbers, min_size=3, max_size=3)
names = st.text(min_size=1)


@st.composite
def quaternions(draw: st.DrawFn) -> list[float]:
    four = [draw(st.floats(-1, 1)) for _ in range(4)]
    length = math.hypot(*four)
    return [entry / length for entry in four] if length > 1e-3 else [1, 0, 0, 0]


@st.composite
def inertias(draw: st.DrawFn) -> list[float]:
    a, b, c = (draw(st.floats(1e-6, 1e6)) for _ in range(3))
    return [b + c, a + c, a + b]


def number_or_table(values: st.SearchStrategy[float]) -> st.SearchStrategy:
    times = st.lists(numbers, min_size=1, max_size=4, unique=True).map(sorted)
    tables = times.flatmap(
        lambda t: st.fixed_dictionaries(
            {"times": st.just(t), "values": st.lists(values, min_size=len(t), max_size=len(t))}
        )
    )
    return values | tables


@st.composite
def bodies(draw: st.DrawFn, name: str) -> dict:
    body = {"name": name, "mass": draw(positive), "inertia": draw(inertias())}
    optional = {
        "center_of_mass": vectors,
        "position": vectors,
        "orientation": quaternions(),
        "linear_velocity": vectors,
    }
    return body | draw(st.fixed_dictionaries({}, optional=optional))


@st.composite
def joints(draw: st.DrawFn, name: str, parent: str | None, child: str) -> dict:
    kind = draw(st.sampled_from(sorted(TYPES)))
    several = st.lists(numbers, min_size=COORDINATES[kind], max_size=COORDINATES[kind])
    optional = {"coordinates": several, "speeds": several, "rest": several, "orientation": quaternions()}
    joint = {"name": name, "type": kind, "parent": parent, "child": child, "position": draw(vectors)}
    if kind == "screw":
        joint["pitch"] = draw(numbers)
    return joint | draw(st.fixed_dictionaries({}, optional=optional))


@st.composite
def mechanisms(draw: st.DrawFn) -> dict:
    body_names = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    parents = [draw(st.sampled_from([None, *body_names[:i]])) for i in range(len(body_names))]
    damping = number_or_table(st.floats(0, 1e30))
    force = {"type": "damping", "name": "f", "body": body_names[0], "linear": draw(damping)}
    motor = {
        "type": "motor",
        "name": "m",
        "body": body_names[-1],
        "point": draw(vectors),
        "force": draw(st.lists(number_or_table(numbers), min_size=3, max_size=3)),
        "enabled": draw(st.booleans()),
    }
    return {
        "format": "ves-mechanism",
        "version": 1,
        "name": draw(st.text()),
        "gravity": draw(vectors),
        "bodies": [draw(bodies(name)) for name in body_names],
        "joints": [draw(joints(f"j{i}", parents[i], name)) for i, name in enumerate(body_names)],
        "forces": [force, motor],
        "actions": [{"time": draw(st.floats(0, 1e9)), "target": "m", "set": {"enabled": draw(st.booleans())}}],
    }


@given(mechanisms())
@settings(max_examples=100, deadline=2000)
def test_a_valid_mechanism_survives_its_file(data):
    mechanism = Mechanism.from_dict(data)
    assert [body.mass for body in mechanism.bodies] == [body["mass"] for body in data["bodies"]]
    assert [joint.position for joint in mechanism.joints] == [tuple(joint["position"]) for joint in data["joints"]]
    assert_survives_its_file(mechanism)
