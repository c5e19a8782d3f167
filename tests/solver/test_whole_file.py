# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are written as a whole or not at all, and nothing that lies about where they are made is followed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from solver import whole_file as module
from solver.mechanism import Body, Mechanism, MechanismError
from solver.simulation.simulation import evaluate
from solver.whole_file import whole_file

pytestmark = pytest.mark.fallback
POSIX = pytest.mark.skipif(os.name != "posix", reason="links and devices as on Linux")
BALL = Mechanism(bodies=[Body(name="ball", mass=1.0, inertia=(1.0, 1.0, 1.0))])


def test_the_file_is_there_at_the_end_only(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("before")
    with whole_file(target, "w", encoding="utf-8") as stream:
        stream.write("after")
        assert target.read_text() == "before"
        assert len(list(tmp_path.iterdir())) == 2
    assert target.read_text() == "after"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt])
def test_after_a_failure_all_is_as_it_was(tmp_path, error):
    target = tmp_path / "out.txt"
    target.write_text("before")

    def fail_half_way():
        with whole_file(target, "w") as stream:
            stream.write("half")
            raise error

    with pytest.raises(error):
        fail_half_way()
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


@POSIX
@pytest.mark.parametrize("save", [BALL.save, lambda path: evaluate(BALL).save(path)])
def test_links_at_the_draft_are_not_followed(tmp_path, save, monkeypatch):
    victim, target = tmp_path / "victim", tmp_path / "out"
    victim.write_text("mine")
    for name in ("out.part", ".out.part", f".out.{os.getpid()}.draft", ".00.part"):
        (tmp_path / name).symlink_to(victim)
    save(target)
    assert victim.read_text() == "mine"
    before = target.read_bytes()
    monkeypatch.setattr(module.secrets, "token_hex", lambda count: "00")  # even if somebody could foresee the name
    with pytest.raises((OSError, MechanismError)):
        save(target)
    assert victim.read_text() == "mine"
    assert (tmp_path / ".00.part").is_symlink()
    assert target.read_bytes() == before


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    for target, kind in ((tmp_path / "nowhere" / "out", FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(kind) as error, whole_file(target) as stream:
            stream.write(b"")
        assert error.value.filename == str(target)
    assert list(tmp_path.iterdir()) == []


@POSIX
def test_rights_and_devices_are_as_of_any_file(tmp_path):
    with whole_file(tmp_path / "out") as stream:
        stream.write(b"x")
    (tmp_path / "plain").write_bytes(b"x")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("out", "plain")]
    assert modes[0] == modes[1]
    evaluate(BALL).save(os.devnull)
    assert not Path(os.devnull).is_file()
