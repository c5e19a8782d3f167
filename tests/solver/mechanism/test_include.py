# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-assemblies: what is included moves with its frame, and nothing outside the file's folder is read."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from solver import Mechanism, MechanismError, Script, simulate
from solver.model.poses import rotation_matrices

EVERYTHING = Path(__file__).with_name("everything.json")
HEADER = {"format": "ves-mechanism", "version": 1}
PENDULUM = HEADER | {
    "bodies": [{"name": "bob", "mass": 1.0, "inertia": [0.01, 0.02, 0.02], "position": [1.0, 0.0, 0.0]}],
    "joints": [
        {"name": "pin", "type": "revolute", "parent": None, "child": "bob", "position": [0, 0, 0]}
        | {"orientation": [0.8, -0.6, 0, 0]}
    ],
    "forces": [
        {"type": "spring", "name": "pull", "body_a": "bob", "body_b": None, "stiffness": 3.0, "rest_length": 0.5}
        | {"point_a": [1, 0, 0], "point_b": [1, 1, 0]},
        {"type": "drag", "name": "air", "body": "bob", "coefficient": 0.3, "wind": [2, 0, 0]},
        {"type": "support", "name": "foot", "body": "bob", "point": [1, 0, 0], "stiffness": 50.0, "damping": 1.0}
        | {"height": -0.4},
    ],
    "actions": [{"time": 0.3, "target": "pull", "set": {"point_b": [1, 2, 0]}}],
}


def write(folder: Path, name: str, data: dict) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))
    return path


def test_an_included_pendulum_swings_as_it_does_alone(tmp_path: Path) -> None:
    write(tmp_path, "parts/pendulum.json", PENDULUM)
    turn, place = [np.cos(0.4), 0.0, 0.0, np.sin(0.4)], [3.0, -2.0, 5.0]
    frames = [{"prefix": "a "}, {"prefix": "b ", "position": place, "orientation": turn}]
    both = {"include": [{"file": "parts/pendulum.json"} | frame for frame in frames]}
    mechanism = Mechanism.load(write(tmp_path, "both.json", HEADER | both))
    assert [body.name for body in mechanism.bodies] == ["a bob", "b bob"]
    assert [joint.child for joint in mechanism.joints] == ["a bob", "b bob"]
    assert [action.target for action in mechanism.actions] == ["a pull", "b pull"]
    recording = simulate(mechanism, 0.6, 24.0)
    R = rotation_matrices(np.array(turn))[0]
    assert recording.position[:, 1] == pytest.approx(recording.position[:, 0] @ R.T + place, abs=1e-6)
    alone = simulate(Mechanism.from_dict(PENDULUM), 0.6, 24.0)
    assert recording.position[:, 0] == pytest.approx(alone.position[:, 0], abs=1e-6)


def numbers_of(value: object) -> list[float]:
    if isinstance(value, dict):
        return [number for entry in value.values() for number in numbers_of(entry)]
    if isinstance(value, list | tuple):
        return [number for entry in value for number in numbers_of(entry)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


def test_there_and_back_is_the_same_for_all_that_a_file_can_hold(tmp_path: Path) -> None:
    """In a frame, and then in the one that undoes it; what is forgotten comes back moved."""
    turn, place = np.array([np.cos(0.4), 0.0, 0.0, np.sin(0.4)]), np.array([1.0, 2.0, 3.0])
    back = turn * (1, -1, -1, -1)
    R = rotation_matrices(back)[0]
    write(tmp_path, "everything.json", json.loads(EVERYTHING.read_text()))
    frame = {"position": place.tolist(), "orientation": turn.tolist(), "prefix": "x"}
    write(tmp_path, "moved.json", HEADER | {"include": [{"file": "everything.json"} | frame]})
    frame = {"position": (-R @ place).tolist(), "orientation": back.tolist(), "prefix": "y"}
    again = Mechanism.load(write(tmp_path, "again.json", HEADER | {"include": [{"file": "moved.json"} | frame]}))
    write(tmp_path, "plain.json", HEADER | {"include": [{"file": "everything.json"}]})
    first, moved = (dataclasses.asdict(Mechanism.load(tmp_path / name)) for name in ("plain.json", "moved.json"))
    last = dataclasses.asdict(again)
    for name in ("bodies", "joints", "constraints", "forces"):
        assert numbers_of(last[name]) == pytest.approx(numbers_of(first[name]), abs=1e-12), name
        assert numbers_of(moved[name]) != pytest.approx(numbers_of(first[name]), abs=1e-6), name
        assert all(part["name"].startswith("yx") for part in last[name])
    assert numbers_of(last["actions"]) == pytest.approx(numbers_of(first["actions"]), abs=1e-12)


@pytest.mark.parametrize(
    "name", ["../outside.json", "/etc/passwd", "parts/../../outside.json", "..\\outside.json", "C:outside.json"]
)
def test_nothing_outside_the_folder_is_read(tmp_path: Path, name: str) -> None:
    write(tmp_path, "outside.json", PENDULUM)
    path = write(tmp_path, "inner/main.json", HEADER | {"include": [{"file": name}]})
    with pytest.raises(MechanismError, match="must be a path within the folder of the file"):
        Mechanism.load(path)


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    outside = write(tmp_path, "outside.json", PENDULUM)
    path = write(tmp_path, "inner/main.json", HEADER | {"include": [{"file": "link.json"}]})
    (tmp_path / "inner" / "link.json").symlink_to(outside)
    with pytest.raises(MechanismError, match="leads out of the folder of the file by a link"):
        Mechanism.load(path)


def test_circles_and_bombs_end(tmp_path: Path) -> None:
    for name, other in (("a.json", "b.json"), ("b.json", "a.json")):
        write(tmp_path, name, HEADER | {"include": [{"file": other}]})
    with pytest.raises(MechanismError, match=r"include 'b\.json': include 'a\.json': includes itself"):
        Mechanism.load(tmp_path / "a.json")
    for k in range(6):
        eight = [{"file": f"bomb{k + 1}.json", "prefix": f"{i} "} for i in range(8)]
        write(tmp_path, f"bomb{k}.json", HEADER | {"include": eight})
    write(tmp_path, "bomb6.json", HEADER)
    with pytest.raises(MechanismError, match="more than 1000 files are included"):
        Mechanism.load(tmp_path / "bomb0.json")
    for k in range(10):
        write(tmp_path, f"deep{k}.json", HEADER | {"include": [{"file": f"deep{k + 1}.json"}]})
    with pytest.raises(MechanismError, match="more than 8 deep"):
        Mechanism.load(tmp_path / "deep0.json")


@pytest.mark.parametrize(
    ("include", "said"),
    [
        ("wheel.json", "include must be a list, is 'wheel.json'"),
        (["wheel.json"], "include[0] must be an object, is 'wheel.json'"),
        ([{"prefix": "a"}], "include[0]: file is missing"),
        ([{"file": "none.json"}], "include 'none.json': file "),
        ([{"file": "wrong.json"}], "include 'wrong.json': body 'bob': mass is missing"),
        ([{"file": "fine.json"}, {"file": "fine.json"}], "name must be unique"),
        ([{"file": "fine.json", "scale": 2}], "scale is not a key of an include"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(tmp_path: Path, include, said: str) -> None:
    write(tmp_path, "fine.json", PENDULUM)
    write(tmp_path, "wrong.json", HEADER | {"bodies": [{"name": "bob"}]})
    with pytest.raises(MechanismError) as refusal:
        Mechanism.load(write(tmp_path, "main.json", HEADER | {"include": include}))
    assert said in str(refusal.value)


def test_inertias_of_included_files_are_mended_too(tmp_path: Path) -> None:
    wrong = json.loads(json.dumps(PENDULUM))
    wrong["bodies"][0]["inertia"] = [1, 1, 3]
    write(tmp_path, "wrong.json", wrong)
    path = write(tmp_path, "main.json", HEADER | {"include": [{"file": "wrong.json", "prefix": "a "}]})
    with pytest.raises(MechanismError, match="inertia is impossible"):
        Script.load(path)
    script = Script.load(path, mends=True)
    assert script.notes
    assert max(script.mechanism.bodies[0].inertia) < 3.0
