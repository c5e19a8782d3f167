# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m solver: exit status, what is said and where, and what the files hold (FORMAT.md, command line)."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from solver import Mechanism
from solver.__main__ import main
from solver.kernel import compiles
from solver.mechanism import Contact, Orientation, Sphere
from tests.solver.assembly.test_rigidity import line, polygon
from tests.solver.mechanism.test_doubts import planetary
from tests.solver.simulation.test_simulation import exploding
from tests.solver.simulation.test_structures import wheels_and_rod
from tests.solver.simulation.test_stuck import four_bar

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tests" / "reference"
TOP = str(REFERENCE / "torque_free_top.json")
LINKS = str(REFERENCE / "two_link_motors.json")


def arrays(path: Path) -> dict[str, np.ndarray]:
    """All arrays of a result; refuses pickles."""
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


def test_simulate_writes_formats_arrays(tmp_path, capsys):
    out = tmp_path / "out.npz"
    assert main(["simulate", LINKS, "-o", str(out), "--duration", "0.5", "--frame-rate", "48"]) == 0
    assert capsys.readouterr() == ("", "")
    got, F, B, J, D = arrays(out), 25, 2, 2, 2
    shapes = {
        "times": (F,),
        "body_names": (B,),
        "position": (F, B, 3),
        "orientation": (F, B, 4),
        "linear_velocity": (F, B, 3),
        "angular_velocity": (F, B, 3),
        "joint_names": (J,),
        "joint_force": (F, J, 6),
        "joint_coordinates": (F, D),
        "joint_speeds": (F, D),
        "joint_offsets": (J + 1,),
        "constraint_force": (F, 0, 6),
        "constraint_names": (0,),
        "kinetic_energy": (F,),
        "potential_energy": (F,),
        "constraint_error": (F,),
        "evaluations": (),
        "steps": (),
        "wall_time": (),
    }
    assert {name: got[name].shape for name in shapes} == shapes
    assert set(got) == {*shapes, "notes"}
    for name, array in got.items():
        expected = "U" if name in ("body_names", "joint_names", "constraint_names", "notes") else "f"
        if name in ("joint_offsets", "evaluations", "steps"):
            expected = "i"
        assert array.dtype.kind == expected, name
    assert got["body_names"].tolist() == ["link1", "link2"]
    assert got["joint_offsets"].tolist() == [0, 1, 2]
    with np.load(REFERENCE / "two_link_motors.npz") as truth:
        assert got["position"] == pytest.approx(truth["position"][:F], abs=1e-6)
        assert got["orientation"] == pytest.approx(truth["orientation"][:F], abs=1e-5)
    assert not list(tmp_path.glob("*.part"))


def test_evaluate_writes_formats_arrays(tmp_path):
    out = tmp_path / "out.npz"
    for method in ("auto", "recursive", "composite", "propagation", "lagrange", "divide"):
        assert main(["evaluate", LINKS, "-o", str(out), "--method", method]) == 0
        got = arrays(out)
        assert got["linear_acceleration"].shape == got["angular_acceleration"].shape == (2, 3)
        assert got["joint_acceleration"].shape == (2,)
        assert got["joint_force"].shape == (2, 6)
        assert got["constraint_force"].shape == (0, 6)
        assert {array.dtype.kind for array in got.values()} <= {"f", "U", "i"}


def test_options_reach_the_simulation(tmp_path):
    coarse, fine = tmp_path / "coarse.npz", tmp_path / "fine.npz"
    assert main(["simulate", TOP, "-o", str(coarse), "--duration", "2", "--relative", "1e-3"]) == 0
    options = ["--relative", "1e-9", "--absolute", "1e-10", "--integrator", "runge-kutta", "--method", "composite"]
    assert main(["simulate", TOP, "-o", str(fine), "--duration", "2", *options]) == 0
    assert arrays(fine)["evaluations"] > 2 * arrays(coarse)["evaluations"]
    assert "runge-kutta" in " ".join(arrays(fine)["notes"])
    assert len(arrays(fine)["times"]) == 49  # 24 frames a second if nothing is said


def test_check_says_that_nothing_is_wrong(capsys):
    assert main(["check", LINKS]) == 0
    assert "nothing is wrong" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (polygon(line(5)), "leave no slack"),
        (four_bar((1.0, 0.0, 0.0, 0.0)), "turn the axes of its hinges to Y"),
        (planetary(None), "no body carries both of its wheels"),
        (wheels_and_rod(1e-4).mechanism, "lined up: joint 'C crank C'"),
        (wheels_and_rod(1e-3).mechanism, "a structure, of which nothing can move; free 11 more"),
    ],
)
def test_check_says_what_is_perhaps_not_meant(mechanism, said, tmp_path, capsys):
    file = tmp_path / "mechanism.json"
    mechanism.save(file)
    assert main(["check", str(file)]) == 0
    (doubt,) = [line for line in capsys.readouterr().out.splitlines() if "is perhaps not meant" in line]
    assert said in doubt


@pytest.mark.parametrize("name", ["numpy", "scipy"])
def test_what_is_missing_is_one_sentence(name):
    """Python finds the package while it looks for its __main__, with -m as its first argument."""
    command = f"import sys; sys.modules[{name!r}] = None; sys.argv = ['-m', 'check', {LINKS!r}]; import solver.__main__"
    run = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    (line,) = run.stderr.splitlines()
    assert line.startswith(f"{name} is missing: install it")


def test_without_any_package_the_command_line_says_one_sentence():
    """-S leaves out all installed packages; with -m, as a person calls it."""
    command = [sys.executable, "-S", "-m", "solver", "check", LINKS]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, len(run.stderr.splitlines())) == (2, "", 1)


@pytest.mark.skipif(not compiles(), reason="nothing is compiled here")
def test_a_cache_that_cannot_be_kept_is_one_sentence(monkeypatch, capsys, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setattr("solver.kernel._cache_folder", tmp_path / "file" / "cache")
    assert main(["check", LINKS]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert str(tmp_path / "file" / "cache") in line
    assert "NUMBA_CACHE_DIR" in line
    monkeypatch.setattr("solver.kernel._cache_folder", tmp_path / "new" / "cache")
    assert main(["check", LINKS]) == 0
    assert capsys.readouterr().err == ""


def with_contact(folder: Path) -> str:
    """A file with bodies that may touch each other."""
    mechanism = Mechanism.load(REFERENCE / "torque_free_top.json")
    (body,) = mechanism.bodies
    body.shape = Sphere(radius=0.1)
    mechanism.bodies.append(dataclasses.replace(body, name="other", position=(1.0, 0.0, 0.0)))
    mechanism.contact = Contact()
    file = folder / "contact.json"
    mechanism.save(file)
    return str(file)


def test_check_says_what_cannot_be_simulated_here(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("solver.simulation.options.unavailable", lambda: "mujoco-core is missing")
    assert main(["check", with_contact(tmp_path)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "cannot be simulated here" in line]
    assert "contact" in line


def test_check_names_every_shape_that_nothing_can_touch(tmp_path, capsys):
    file = Path(with_contact(tmp_path))
    data = json.loads(file.read_text())
    first, other = data["bodies"]
    first["shape"] = {"type": "hull", "points": [[k, 0, 0] for k in range(4)]}
    other["shape"] = [{"type": "sphere", "radius": 0.1}, {"type": "hull", "points": [[0, k, k] for k in range(5)]}]
    floor = {"type": "mesh", "points": [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "triangles": [[0, 1, 2]]}
    data["bodies"].append({"name": "floor", "motion": "fixed", "shape": floor})
    file.write_text(json.dumps(data))
    assert main(["check", str(file)]) == 0
    said = [line.split("here: ")[1] for line in capsys.readouterr().out.splitlines() if "cannot be simulated" in line]
    assert [line.split(";")[0] for line in sorted(said)] == [
        "body 'floor': no triangle of its mesh has an area",
        "body 'other': the points of its hull lie on a line",
        f"body '{first['name']}': the points of its hull lie on a line",
    ]
    assert main(["simulate", str(file), "-o", str(tmp_path / "x.npz"), "--duration", "1"]) == 1
    assert sorted(capsys.readouterr().err.splitlines()) == sorted(said)


@pytest.mark.parametrize(
    "command", [["check"], ["evaluate", "-o", "x.npz"], ["simulate", "-o", "x.npz", "--duration", "1"]]
)
def test_a_wrong_file_is_status_1_and_one_line_per_problem(command, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = json.loads(Path(LINKS).read_text())
    data["bodies"][0]["mass"] = -1
    data["joints"][1]["child"] = "nobody"
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(data))
    assert main([*command, str(file)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 2
    assert any("link1" in line and "mass" in line for line in lines)
    assert any("nobody" in line for line in lines)
    assert not Path("x.npz").exists()


def test_what_cannot_be_simulated_here_is_status_1(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("solver.simulation.options.unavailable", lambda: "mujoco-core is missing")
    out = tmp_path / "x.npz"
    assert main(["simulate", with_contact(tmp_path), "-o", str(out), "--duration", "1"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not out.exists()


def test_a_loop_is_simulated_and_what_is_redundant_is_noted(tmp_path):
    out = tmp_path / "out.npz"
    four_bar = Mechanism.load(REFERENCE / "four_bar.json")
    four_bar.constraints = [Orientation("level", body=four_bar.bodies[0].name, enabled=False)]
    file = tmp_path / "four_bar.json"
    four_bar.save(file)
    assert main(["simulate", str(file), "-o", str(out), "--duration", "0.5"]) == 0
    got = arrays(out)
    assert got["joint_force"].shape == (13, 4, 6)
    assert got["constraint_names"].tolist() == ["level"]
    assert got["constraint_force"].shape == (13, 1, 6)
    assert got["constraint_error"].max() <= 1e-8
    (note,) = [note for note in got["notes"] if note.startswith("redundant: ")]
    assert "joint 'D'" in note
    assert ": 3 of their conditions" in note


def test_an_open_loop_is_status_1_and_names_the_joint_and_the_gap(tmp_path, capsys):
    out, file = tmp_path / "x.npz", tmp_path / "open.json"
    four_bar = Mechanism.load(REFERENCE / "four_bar.json")
    four_bar.joints[0].coordinates = [0.1]
    four_bar.save(file)
    for command in (["simulate", "--duration", "1"], ["evaluate"]):
        assert main([*command, str(file), "-o", str(out)]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert "joint 'D'" in line
        assert " m apart" in line
        assert "assemble" in line
    assert not out.exists()


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir(), lambda path: path.write_text("")])
def test_a_missing_or_empty_file_is_status_1(make, tmp_path, capsys):
    file = tmp_path / "gone.json"
    make(file)
    assert main(["check", str(file)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "gone.json" in line


def test_a_place_that_cannot_be_written_is_status_1(tmp_path, capsys):
    assert main(["evaluate", LINKS, "-o", str(tmp_path / "no" / "folder.npz")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "folder.npz" in line


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["simulate", LINKS],
        ["simulate", LINKS, "-o", "x.npz"],
        ["simulate", LINKS, "-o", "x.npz", "--duration", "long"],
        ["simulate", LINKS, "-o", "x.npz", "--duration", "-1"],
        ["simulate", LINKS, "-o", "x.npz", "--duration", "nan"],
        ["simulate", LINKS, "-o", "x.npz", "--duration", "1", "--frame-rate", "0"],
        ["simulate", LINKS, "-o", "x.npz", "--duration", "1", "--relative", "-1"],
        ["simulate", LINKS, "-o", "x.npz", "--duration", "1", "--method", "magic"],
        ["simulate", LINKS, "-o", "x.npz", "--duration", "1", "--integrator", "euler"],
        ["simulate", LINKS, "-o", "x.npz", "--duration", "1", "--substeps", "0"],
    ],
)
def test_wrong_usage_is_status_2(arguments, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(arguments)
    except SystemExit as exit_:
        status = exit_.code
    assert status == 2
    assert "error" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_failure_is_status_3_and_its_frames_are_written(tmp_path, capsys):
    file, out = tmp_path / "exploding.json", tmp_path / "out.npz"
    exploding().save(file)
    assert main(["simulate", str(file), "-o", str(out), "--duration", "2"]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "stopped at 1" in line
    assert "'victim'" in line
    assert len(arrays(out)["times"]) == len(arrays(out)["position"]) == 25


def test_simulate_tells_what_is_noted_of_the_motion(tmp_path, capsys):
    """A gap of metres stood in the file of results only."""
    file, out = tmp_path / "four_bar.json", tmp_path / "out.npz"
    four_bar((1.0, 0.0, 0.0, 0.0)).save(file)
    main(["simulate", str(file), "-o", str(out), "--duration", "0.5", "--method", "propagation"])
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("note: ")]
    assert any("largest gap" in line for line in told)
    assert told == ["note: " + note for note in arrays(out)["notes"] if not note.startswith("integrator: ")]


def test_as_a_person_runs_it(tmp_path):
    """One run in a process of its own: the module starts, and the status comes through."""
    done = subprocess.run(
        [sys.executable, "-m", "solver", "check", str(tmp_path / "nothing.json")],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "nothing.json" in done.stderr
    assert "Traceback" not in done.stderr
