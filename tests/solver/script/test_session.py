# SPDX-License-Identifier: GPL-3.0-or-later
"""The command language as it is typed at: each line is answered at once, and all can be changed between steps."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from solver.__main__ import main
from solver.script.session import Session, converse

ROOT = Path(__file__).resolve().parents[3]
PENDULUM = """
ib base
ilc base nail
il base bob
sl base bob -dje 1 1 0 0 -pje 1 1 0 0 -pjt 0 0 2 -q .4
sb bob -m 3 -in .5 .5 .5 -if gravity g
"""


def said(*texts: str) -> list[str]:
    """What is answered; nothing may be wrong."""
    session, answers = Session(), []
    for text in texts:
        for is_wrong, answer in converse(iter(text.splitlines()), session):
            assert not is_wrong, answer
            answers.append(answer)
    return answers


def numbers(answer: str, option: str, count: int) -> np.ndarray:
    words = answer.split()
    at = words.index(option) + 1
    return np.array(words[at : at + count], float)


def test_what_is_typed_moves_as_the_script_does(tmp_path, capsys) -> None:
    """Steps one by one, and as a whole: 1e-6 is asked of either."""
    (tmp_path / "swing.ves").write_text(f"{PENDULUM}\nstep 3\npb bob\n")
    assert main(["simulate", str(tmp_path / "swing.ves"), "-o", str(tmp_path / "out.npz")]) == 0
    whole = capsys.readouterr().out.splitlines()[-1]
    typed = said(PENDULUM, *["step 1"] * 3, "pb bob")[-1]
    for option in ("-q", "-qdot"):
        assert numbers(typed, option, 1) == pytest.approx(numbers(whole, option, 1), abs=1e-5)


def test_a_body_may_come_be_put_and_be_tied_after_a_step() -> None:
    answers = said(
        "sstepsize .5",
        "ib early",
        "sb early -vl 1 0 0",
        "step 2",
        "ib late",
        "sb late -t 0 5 0 -vl 0 0 2 -m 4",
        "sb early -t 7 0 0",
        "ilc early nail",
        "sacc -r 1e-8",
        "step 2",
        "pb",
    )
    early, late = answers
    assert numbers(early, "-t", 3) == pytest.approx((7, 0, 0), abs=1e-9)
    assert numbers(early, "-vl", 3) == pytest.approx((0, 0, 0), abs=1e-9)
    assert numbers(late, "-t", 3) == pytest.approx((0, 5, 2), abs=1e-9)
    assert numbers(late, "-m", 1) == (4,)


def test_a_link_may_be_set_after_a_step() -> None:
    answers = said(PENDULUM, "step 1", "sl base bob -q 1 -qdot 0", "pb bob", "il bob tail", "step 1", "pb tail")
    assert numbers(answers[1], "-q", 1) == pytest.approx(1.0, abs=1e-9)
    assert answers[-1].startswith("sl bob tail -q")


def test_a_body_that_is_led_is_where_it_is_told_at_the_end_of_the_next_step() -> None:
    answers = said(
        "ib car", "ilc car move_to_point", "step 1", "sb car -t .1 0 0", "step 1", "pb car", "sb car -t .4 0 0",
        "step 1", "pb car",
    )  # fmt: skip
    assert numbers(answers[0], "-t", 3) == pytest.approx((0.1, 0, 0), abs=1e-9)
    assert numbers(answers[1], "-t", 3) == pytest.approx((0.4, 0, 0), abs=1e-9)


def test_the_seven_statistics() -> None:
    answers = said(PENDULUM, "sacc -r 1e-7 -a 1e-9", "step 2", "rlsode")
    values = [float(answer.split()[-1] if "since" not in answer else answer.split()[1]) for answer in answers]
    last, coming, steps, calls, order, absolute, relative = values
    assert 0.0 < last <= 2 / 24
    assert coming > 0.0
    assert calls > steps >= 2
    assert 1 <= order <= 12
    assert (absolute, relative) == (1e-9, 1e-7)


def test_a_wrong_line_is_told_and_the_next_one_obeyed() -> None:
    given = "ib a\nfoo\nib a\nsb a -m -1\nsb a -vl 1 0 0\nstep 24\npb a"
    answers = list(converse(iter(given.splitlines()), Session()))
    wrong = [answer for is_wrong, answer in answers if is_wrong]
    assert [answer.split(":")[1] for answer in wrong] == ["2", "3", "4"]
    assert numbers(answers[-1][1], "-t", 3) == pytest.approx((1, 0, 0), abs=1e-9)


def test_standard_input_is_answered_line_by_line() -> None:
    """Each answer is there before the next command is written."""
    command = [sys.executable, "-m", "solver", "script", "-"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, **pipes) as solver:
        for typed, answer in (("rstepsize", "sstepsize 0.0416666667"), ("stime 3\nrtime", "stime 3")):
            solver.stdin.write(typed + "\n")
            solver.stdin.flush()
            assert solver.stdout.readline().strip() == answer
        solver.stdin.write("nonsense\n")
        solver.stdin.close()
        assert "-:4: nonsense: is not a command" in solver.stderr.read()
        assert solver.wait() == 1


def test_main_reads_standard_input(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("sstepsize .5\nrstepsize\n"))
    assert main(["script", "-"]) == 0
    assert capsys.readouterr().out == "sstepsize 0.5\n"
