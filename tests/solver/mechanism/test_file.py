# SPDX-License-Identifier: GPL-3.0-or-later
"""The file: what is no mechanism file is said in one line, what is one is written so that it reads back the same."""

from __future__ import annotations

import json
import os
import random
import stat
import time
from pathlib import Path

import pytest

from solver.mechanism import Body, Mechanism, MechanismError

EVERYTHING = Path(__file__).with_name("everything.json")
REFERENCES = sorted((Path(__file__).parents[2] / "reference").glob("*.json"))

HEAD = '{"format": "ves-mechanism", "version": 1, '
MEGABYTE = 1_000_000


def problems_of(path: Path) -> list[str]:
    with pytest.raises(MechanismError) as caught:
        Mechanism.load(path)
    return caught.value.problems


NO_MECHANISM = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\t\n", "is empty"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00", "is not text: byte 0 is not UTF-8"),
    "zeros": (bytes(1000), "is not JSON: line 1, column 1: "),
    "words": (b"hello", "is not JSON: line 1, column 1: "),
    "cut": (b'{"format": "ves-mechanism",\n "vers', "is not JSON: line 2, column 2: "),
    "list": (b"[1, 2]", "must hold a JSON object, holds a list of 2"),
    "number": (b"3", "must hold a JSON object, holds 3"),
    "null": (b"null", "must hold a JSON object, holds null"),
    "not a number": (b"NaN", "must hold a JSON object, holds nan"),
    "digits": (b"1" * 5000, "cannot be read: "),
    "deep list": (b"[" * 100_000, "is nested too deeply to be a mechanism"),
    "deep object": (b'{"a":' * 100_000, "is nested too deeply to be a mechanism"),
}


@pytest.mark.parametrize(("content", "problem"), NO_MECHANISM.values(), ids=NO_MECHANISM.keys())
def test_what_is_no_mechanism_file_is_said_in_one_line(content, problem, tmp_path):
    path = tmp_path / "wrong.json"
    path.write_bytes(content)
    (line,) = problems_of(path)
    assert line.startswith(f"file '{path}' {problem}")
    assert line.isprintable()
    assert len(line) <= 300


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    assert problems_of(tmp_path / "none.json") == [
        f"file '{tmp_path}/none.json' cannot be read: No such file or directory"
    ]
    assert problems_of(tmp_path) == [f"file '{tmp_path}' cannot be read: Is a directory"]
    (line,) = problems_of(Path("a\0b\n.json"))
    assert line.isprintable()


@pytest.mark.parametrize("depth", [2, 50, 400, 900, 3000])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"bodies": ', ""),
        ('"gravity": ', ""),
        ('"contact": ', ""),
        ('"bodies": [{"name": "b", "motion": "fixed", "shape": ', "}]"),
        ('"forces": [{"name": "f", "type": "damping", "body": "b", "linear": ', "}]"),
        ('"constraints": [{"name": "n", "body": "b", "enabled": ', "}]"),
        ('"actions": [{"time": 0, "target": "n", "set": {"enabled": ', "}}]"),
    ],
)
def test_depth_breaks_nothing(before, after, depth, tmp_path):
    path = tmp_path / "deep.json"
    path.write_text(HEAD + before + "[" * depth + "]" * depth + after + "}")
    assert all(line.isprintable() and len(line) <= 300 for line in problems_of(path))


def ten_megabytes(kind: str) -> bytes:
    chance = random.Random(1)
    match kind:
        case "bytes":
            return chance.randbytes(10 * MEGABYTE)
        case "letters":
            return bytes(chance.choices(range(32, 127), k=10 * MEGABYTE))
        case "brackets":
            return b"[" * 10 * MEGABYTE
        case "numbers for bodies":
            return (HEAD + '"bodies": [' + "1," * 5 * MEGABYTE + "1]}").encode()
        case "objects for bodies":
            return (HEAD + '"bodies": [' + "{}," * 3 * MEGABYTE + "{}]}").encode()
        case "keys":
            return ("{" + ",".join(f'"k{i}": {i}' for i in range(600_000)) + "}").encode()
        case "one name":
            return (HEAD + '"bodies": [{"name": "' + "x" * 10 * MEGABYTE + '"}]}').encode()
        case _:
            return (HEAD + '"gravity": [' + "0," * 5 * MEGABYTE + "0]}").encode()


@pytest.mark.parametrize(
    "kind",
    ["bytes", "letters", "brackets", "numbers for bodies", "objects for bodies", "keys", "one name", "long vector"],
)
def test_ten_megabytes_of_garbage_end_soon_and_shortly(kind, tmp_path):
    path = tmp_path / "garbage.json"
    path.write_bytes(ten_megabytes(kind))
    start = time.process_time()
    problems = problems_of(path)
    assert time.process_time() - start < 15  # a few seconds for Python's JSON reader, next to nothing for ours
    assert len(problems) <= 101
    assert all(line.isprintable() and len(line) <= 300 for line in problems)


def test_numbers_that_json_does_not_have_are_named_where_they_stand(tmp_path):
    path = tmp_path / "wrong.json"
    path.write_text(HEAD + '"gravity": [NaN, -Infinity, 1e999]}')
    assert problems_of(path) == [
        "mechanism: gravity[0] must be finite, is nan",
        "mechanism: gravity[1] must be finite, is -inf",
        "mechanism: gravity[2] must be finite, is inf",
    ]


def test_a_key_that_is_given_twice_is_named_where_it_stands(tmp_path):
    path = tmp_path / "wrong.json"
    path.write_text(
        HEAD
        + """ "version": 1, "name": "a", "name": "b",
        "bodies": [
            {"name": "can", "mass": 1, "mass": 2, "inertia": [1, 1, 1], "material": {"friction": 1, "friction": 1}},
            {"type": "x", "name": "post", "motion": "fixed", "motion": "fixed"}
        ],
        "forces": [{"type": "damping", "name": "air", "body": "can", "linear": 1, "linear":
            {"times": [0], "values": [1], "times": [0]}}],
        "actions": [{"time": 1, "target": "air", "set": {"linear": 1, "linear": 2}}]}"""
    )
    assert problems_of(path) == [
        "mechanism: version is given twice",
        "mechanism: name is given twice",
        "body 'can': mass is given twice",
        "body 'can': material.friction is given twice",
        "body 'post': motion is given twice",
        "body 'post': type is not a key of a body; its keys are name, motion, mass, center_of_mass, inertia, position, "
        "orientation, linear_velocity, angular_velocity, keys, follow, released, shape, material, collides",
        "force 'air': linear is given twice",
        "force 'air': linear.times is given twice",
        "actions[0]: set.linear is given twice",
    ]


@pytest.mark.parametrize("path", [EVERYTHING, *REFERENCES], ids=lambda path: path.stem)
def test_a_mechanism_is_saved_and_read_back_the_same(path, tmp_path):
    mechanism = Mechanism.load(path)
    assert mechanism.problems() == []
    copy = tmp_path / "copy.json"
    mechanism.save(copy)
    assert Mechanism.load(copy) == mechanism
    assert Mechanism.from_dict(mechanism.to_dict()) == mechanism
    first = copy.read_bytes()
    Mechanism.load(copy).save(copy)
    assert copy.read_bytes() == first
    assert os.listdir(tmp_path) == ["copy.json"]


def test_the_reference_files_are_there():
    assert len(REFERENCES) >= 20


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.stem)
def test_nothing_of_a_file_is_lost(path, tmp_path):
    """Every value of the file stands in the saved one, except where it is what leaving it out means."""
    copy = tmp_path / "copy.json"
    Mechanism.load(path).save(copy)
    defaults = {"orientation": [1, 0, 0, 0], "center_of_mass": [0, 0, 0], "torque": [0, 0, 0]}
    old, new = json.loads(path.read_text()), json.loads(copy.read_text())
    for kind in ("bodies", "joints", "forces"):
        for before, after in zip(old.get(kind, []), new.get(kind, []), strict=True):
            for key, value in before.items():
                if value != defaults.get(key):
                    assert_equal(after[key], value)


def assert_equal(after: object, before: object) -> None:
    """Equal to the last digit, but for quaternions, which become of unit length."""
    if isinstance(before, list) and len(before) == 4 and all(isinstance(number, (int, float)) for number in before):
        assert after == pytest.approx(before, abs=1e-15)
    elif isinstance(before, list) and before and isinstance(before[0], list):
        for one, other in zip(after, before, strict=True):
            assert_equal(one, other)
    elif isinstance(before, dict):
        assert after.keys() == before.keys()
        for key in before:
            assert_equal(after[key], before[key])
    else:
        assert after == before


def test_a_saved_file_can_be_read_by_a_person(tmp_path):
    path = tmp_path / "can.json"
    Mechanism("Dose (größte)", bodies=[Body("can", mass=0.1, inertia=(1, 1, 1)), Body("post", "fixed")]).save(path)
    assert path.read_text(encoding="utf-8") == (
        "{\n"
        ' "format": "ves-mechanism",\n'
        ' "version": 1,\n'
        ' "name": "Dose (größte)",\n'
        ' "gravity": [0.0, 0.0, -9.81],\n'
        ' "bodies": [\n'
        '  {"name": "can", "mass": 0.1, "inertia": [1.0, 1.0, 1.0]},\n'
        '  {"name": "post", "motion": "fixed"}\n'
        " ]\n"
        "}\n"
    )


def test_saving_replaces_a_file_only_when_all_is_well(tmp_path):
    path = tmp_path / "can.json"
    good = Mechanism("good")
    good.save(path)
    with pytest.raises(MechanismError, match="body 'can': mass is missing"):
        Mechanism("bad", bodies=[Body("can")]).save(path)
    assert Mechanism.load(path) == good
    link = tmp_path / "link.json"
    link.symlink_to(path)
    Mechanism("through a link").save(link)
    assert link.is_symlink()
    assert Mechanism.load(path).name == "through a link"
    assert stat.S_IMODE(path.stat().st_mode) & stat.S_IRUSR


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(MechanismError, match=r"file '.*/none/can.json' cannot be written: No such file or directory"):
        Mechanism().save(tmp_path / "none" / "can.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(MechanismError, match=r"file '.*/folder' cannot be written: "):
        Mechanism().save(tmp_path / "folder")
    assert os.listdir(tmp_path) == ["folder"]


def test_a_file_with_a_byte_order_mark_is_read(tmp_path):
    path = tmp_path / "can.json"
    path.write_bytes(b"\xef\xbb\xbf" + EVERYTHING.read_bytes())
    assert Mechanism.load(str(path)) == Mechanism.load(EVERYTHING)
