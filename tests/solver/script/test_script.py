# SPDX-License-Identifier: GPL-3.0-or-later
"""The command language of the thesis (Schroeder 1990, 6.6): what scripts say, and what wrong ones are told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Mechanism, MechanismError, Script
from solver.__main__ import main
from solver.mechanism import Brake, Damping, Gravity, Motor, Nail, Orientation, Rubber, Support
from solver.mechanism import Path as ToldPath
from solver.script import LARGEST_FILE, parse
from solver.script.commands import ACCURACY, BODY, COMMANDS, LINK
from solver.script.forces import OPTIONS

ROOT = Path(__file__).resolve().parents[3]
TENSEGRITY = ROOT / "examples" / "tensegrity.ves"
CAR = ROOT / "examples" / "skidding_car.ves"

pytestmark = pytest.mark.fallback


def problems(text: str) -> list[str]:
    """The problems that a wrong script is told."""
    with pytest.raises(MechanismError) as refusal:
        parse(text, "t.ves")
    return refusal.value.problems


def test_a_body_is_generic_until_it_is_set():
    (body,) = parse("ib a").mechanism.bodies
    assert (body.mass, body.inertia, body.position, body.orientation) == (1, (1, 1, 1), (0, 0, 0), (1, 0, 0, 0))
    assert body.linear_velocity is body.angular_velocity is None
    assert parse("ib a").mechanism.gravity == (0, 0, 0)


def test_a_body_is_set_and_a_quaternion_has_any_length():
    (body,) = parse("ib a\nsb a -m 2 -in 1 2 2.5 -t -1 .5 1e2 -E .5 0 .5 0").mechanism.bodies
    assert (body.mass, body.inertia, body.position) == (2, (1, 2, 2.5), (-1, 0.5, 100))
    assert body.orientation == pytest.approx((0.5**0.5, 0, 0.5**0.5, 0))


def test_velocities_are_along_the_bodys_own_axes():
    """The body turned by 90 degrees about Y: its X points down, its Z along the world's X."""
    (body,) = parse("ib a\nsb a -vl 1 2 3 -vr 4 5 6 -E 1 0 1 0").mechanism.bodies
    assert body.linear_velocity == pytest.approx((3, 2, -1))
    assert body.angular_velocity == pytest.approx((6, 5, -4))


def test_comments_blank_lines_and_windows_line_ends():
    script = parse("; all of it\r\n\r\n  ib a;and more\r\n\tib  b ; ib c\r\n;")
    assert [body.name for body in script.mechanism.bodies] == ["a", "b"]


def test_every_type_of_force():
    text = """
        ib a
        sb a -t 1 0 0 -E 1 0 0 1
        ib b
        sb a -if gravity g -if motor m -if damping d -if support s -if brake b
        sf a g -g 1.6
        sf a m -f 1 2 3 4 5 6 -t 1 0 0 -E 1 0 1 0
        sf a d -d 3
        sf a s -d 4 -k 5 -s 0 1 0
        sf a b -d 6 -t 0 0 1
        ir r a b -k 7 -l 8 -e .9 -lone 0 1 0 -ltwo 1 2 3"""
    gravity, motor, damping, support, brake, rubber = parse(text).mechanism.forces
    assert gravity == Gravity("a g", body="a", acceleration=(0, 0, -1.6))
    assert isinstance(motor, Motor)
    assert motor.force == (1, 2, 3), "a spatial force begins with the force"
    assert motor.torque == (4, 5, 6)
    assert motor.point == pytest.approx((1, 1, 0)), "X of the body is Y of the world"
    assert motor.orientation == pytest.approx((0.5, -0.5, 0.5, 0.5))
    assert damping == Damping("a d", body="a", linear=3, angular=3)
    assert isinstance(support, Support)
    assert (support.damping, support.stiffness) == (4, 5)
    assert support.point == pytest.approx((0, 0, 0))
    assert isinstance(brake, Brake)
    assert brake.damping == 6
    assert brake.point == pytest.approx((1, 0, 1))
    assert isinstance(rubber, Rubber)
    assert (rubber.name, rubber.body_a, rubber.body_b) == ("r", "a", "b")
    assert (rubber.stiffness, rubber.rest_length, rubber.restitution) == (7, 8, 0.9)
    assert rubber.point_a == pytest.approx((0, 0, 0))
    assert rubber.point_b == pytest.approx((1, 2, 3))


def test_what_is_not_said_about_a_force_is_zero_but_gravity():
    text = "ib a\nib b\nsb a -if gravity g -if motor m -if damping d -if support s -if brake b\nir r a b"
    gravity, motor, damping, support, brake, rubber = parse(text).mechanism.forces
    assert gravity.acceleration == (0, 0, -9.81)
    assert motor.force == motor.torque == motor.point == (0, 0, 0)
    assert damping.linear == support.damping == support.stiffness == brake.damping == rubber.stiffness == 0
    assert rubber.restitution == 1
    assert all(force.enabled for force in parse(text).mechanism.forces)


def test_points_follow_the_body_wherever_it_is_put_later():
    (motor,) = parse("ib a\nsb a -if motor m\nsf a m -t 1 0 0\nsb a -t 0 0 5").mechanism.forces
    assert motor.point == (1, 0, 5)


def test_a_toggle_before_the_first_step_sets_the_start():
    script = parse("ib a\nsb a -if brake b -f b\nsb a -if brake c -f c -f c")
    assert [force.enabled for force in script.mechanism.forces] == [False, True]
    assert script.mechanism.actions == []


def test_what_comes_after_a_step_becomes_an_action_at_its_time():
    script = parse("""
        ib car
        sb car -t 0 0 1 -if motor motor -if brake brake -f brake
        sf car motor -f 1 0 0 0 0 0
        sstepsize .5
        step 3
        sf car motor -E 1 0 0 1 -t 1 0 0
        sb car -f brake
        step 1
        sb car -f motor
        sf car motor -f 2 0 0 0 0 0
        sf car brake -d 7
        sb car -f brake -f brake
    """)
    motor, brake = script.mechanism.forces
    assert (motor.force, motor.enabled, brake.enabled) == ((1, 0, 0), True, False)
    turn, first, stop, harder = script.mechanism.actions
    assert (turn.time, turn.target) == (1.5, "car motor")
    assert turn.set["orientation"] == pytest.approx((0.5**0.5, 0, 0, 0.5**0.5))
    assert turn.set["point"] == pytest.approx((1, 0, 1)), "in the world, where the body is at the start"
    assert (first.time, first.target, first.set) == (1.5, "car brake", {"enabled": True})
    assert (stop.time, stop.set) == (2, {"enabled": False, "force": (2, 0, 0), "torque": (0, 0, 0)})
    assert (harder.time, harder.set) == (2, {"enabled": True, "damping": 7})
    assert script.duration == 2
    assert script.frame_rate == 2


def test_a_force_instanced_later_is_there_from_the_start_but_off():
    script = parse("ib a\nib b\nstep 24\nsb a -if damping d\nsf a d -d 2\nir r a b -k 5\nstep 24\nsf a d -d 3")
    damping, rubber = script.mechanism.forces
    assert (damping.enabled, damping.linear, rubber.enabled, rubber.stiffness) == (False, 2, False, 5)
    got = [(action.time, action.target, action.set) for action in script.mechanism.actions]
    assert got == [
        (1, "a d", {"enabled": True}),
        (1, "r", {"enabled": True}),
        (2, "a d", {"linear": 3, "angular": 3}),
    ]


def test_a_rubber_string_is_a_force_on_both_of_its_bodies():
    script = parse("ib a\nib b\nir r a b\nstep 24\nsf b r -k 40 -ltwo 1 0 0\nsb a -f r")
    (action,) = script.mechanism.actions
    assert (action.target, action.set) == ("r", {"enabled": False, "stiffness": 40, "point_b": (1, 0, 0)})


def test_holds():
    text = "ib a\nsb a -t 1 2 3\nilc a nail\nib b\nilc b nail\nilc b free\nib c\nilc c move_to_point\nib d\nilc d free"
    nail, still, path = parse(text).mechanism.constraints
    assert (nail, still) == (Nail("nail of a", body="a", point=(1, 2, 3)), Orientation("orientation of a", body="a"))
    assert path == ToldPath("path of c", body="c", point=(0, 0, 0), times=(0,), positions=((0, 0, 0),))


def test_a_body_that_moves_to_a_point_is_led_by_its_translation():
    script = parse("""
        ib a
        sb a -t 0 0 1
        ilc a move_to_point
        step 12
        sb a -t 1 0 1
        sb a -t 2 0 1
        step 12
        sb a -t 2 2 1
        step 24
        ilc a free
    """)
    (path,) = script.mechanism.constraints
    assert path.point == (0, 0, 1)
    assert path.times == (0, 0.5, 1)
    assert path.positions == ((0, 0, 1), (2, 0, 1), (2, 2, 1)), "the last word at a time counts"
    (release,) = script.mechanism.actions
    assert (release.time, release.target, release.set) == (2, "path of a", {"enabled": False})


def test_letting_a_nailed_body_go():
    (nail, turn) = parse("ib a\nilc a nail\nstep 24\nilc a free\nilc a free").mechanism.actions
    assert [(one.time, one.target, one.set) for one in (nail, turn)] == [
        (1, "nail of a", {"enabled": False}),
        (1, "orientation of a", {"enabled": False}),
    ]


def test_the_clock():
    script = parse("stime 10\nib a\nsstepsize .25\nrtime\nstep 4\nrtime\nstime 0\nrtime\nstep 2\nrtime")
    assert [question.clock for question in script.questions] == [10, 11, 0, 0.5]
    assert [question.lines for question in script.questions][:2] == [["stime 10"], ["stime 11"]]
    assert (script.clock, script.duration, script.frame_rate) == (10, 1.5, 4)


def test_what_a_script_says_about_the_run():
    nothing = parse("ib a\nstep 0")
    assert (nothing.duration, nothing.frame_rate, nothing.relative, nothing.absolute) == (None,) * 4
    assert parse("step 240").duration == 10
    assert parse("step 240").frame_rate == 24
    assert parse("sstepsize .04").frame_rate == 25
    exact = parse("sacc -r 1e-3 -a 1e-5\nsacc -r 1e-4")
    assert (exact.relative, exact.absolute) == (1e-4, 1e-5)
    mixed = parse("sstepsize .5\nstep 2\nsstepsize .25\nstep 4\nsstepsize .5\nstep 1")
    assert (mixed.duration, mixed.frame_rate) == (2.5, 4)
    assert len(mixed.notes) == 1
    thirtieths = parse(f"ib a\nsstepsize {1 / 30!r}\n" + "step 1\n" * 300)
    assert thirtieths.duration == pytest.approx(10, rel=1e-15)
    assert np.floor(thirtieths.duration * thirtieths.frame_rate + 1e-9) == 300


@pytest.mark.parametrize("words", ["bolio", "null", "corpus monkey.dat 3"])
def test_draw_is_accepted(words):
    assert parse(f"draw {words}").mechanism.bodies == []


def test_help_names_every_command_and_every_option():
    (question, again) = parse("help\n?").questions
    assert question.lines == again.lines
    for command in COMMANDS:
        assert any(line.startswith(f"; {command}") for line in question.lines), command
    for table in (BODY, LINK, ACCURACY, *OPTIONS.values()):
        for option, takes in table.items():
            assert any(f"[{option} {takes}]" in line for line in question.lines), option


def test_the_page_about_the_language_names_every_command_and_every_option():
    page = (ROOT / "docs" / "command-language.md").read_text(encoding="utf-8")
    for word in [*COMMANDS, *(option for table in (BODY, LINK, ACCURACY, *OPTIONS.values()) for option in table)]:
        assert f"`{word} " in page or f"`{word}`" in page, word


def test_the_scripts_on_the_page_are_right():
    page = (ROOT / "docs" / "command-language.md").read_text(encoding="utf-8")
    scripts = [block for block in page.split("```")[1::2] if block.strip().startswith(("ib", "ilc"))]
    assert len(scripts) == 2
    pendulum = parse(scripts[0])
    assert (pendulum.duration, [action.time for action in pendulum.mechanism.actions]) == (4, [2])
    (path,) = parse("ib car" + scripts[1]).mechanism.constraints
    assert path.positions == ((0, 0, 0), (0.1, 0, 0), (0.4, 0, 0))


WRONG = {
    "dance": "help lists",
    "SB a": "not a command",
    "sbb a": "'sb' meant",
    "ib": "ib <body>",
    "ib c d": "ib <body>",
    "ib a": "already a body",
    "ib -c": "must not begin",
    "ib c\u0007": "printable",
    f"ib {'c' * 300}": "letters",
    "il a": "il <parent> <body>",
    "il nobody c": "no body named 'nobody'",
    "il a b": "already a body",
    "ilc a": "ilc <body>",
    "ilc a glue": "free, nail, move_to_point",
    "ilc c nail": "no body named 'c'",
    "sb": "sb <body>",
    "sb aa -m 1": "'a' meant",
    "sb a -m": "-m takes m, but 0 of 1",
    "sb a -m 0": "greater than 0",
    "sb a -m -1": "greater than 0",
    "sb a -m one": "'one' is not a number",
    "sb a -m nan": "not a number",
    "sb a -m inf": "not a number",
    "sb a -m 0x10": "not a number",
    "sb a -m 1_0": "not a number",
    "sb a -m ٣": "not a number",
    "sb a -m 1e999": "too large",
    "sb a -m __import__('os')": "not a number",
    "sb a -m 1 -m 2": "given twice",
    "sb a -in 1 1 5": "impossible",
    "sb a -in 1 1 0": "greater than 0",
    "sb a -in 1 1": "but 2 of 3",
    "sb a -in 1 1 -m 5": "but 2 of 3",
    "sb a -t 1 2 3 4": "4 is one too many",
    "sb a -E 0 0 0 0": "must not be zero",
    "sb a -x 1": "'-x' is not an option",
    "sb a –t 1 2 3": "the options are -vl, -vr, -t",
    "sb a 1": "'1' is not an option",
    "sb a -if rubber r": "gravity, motor, damping, support, brake",
    "sb a -if wind w": "gravity, motor",
    "sb a -if damping g": "already a force on 'a'",
    "sb a -if gravity g2": "only one",
    "sb a -f h": "no force on 'a' named 'h'",
    "sb child -t 1 2 3": "follows from its parent 'a'",
    "sb child -vl 1 2 3": "follows from its parent 'a'",
    "sl a": "sl <parent>",
    "sl a b -q 1": "'b' is not linked to 'a'",
    "sl b child -q 1": "its parent is 'a'",
    "sl a child -s 0 0 0 0 0 0": "must not be zero",
    "sl a child -s 0 0 1": "but 3 of 6",
    "sl a child -djt 1 2 3 4": "one too many",
    "sl a child -pje 0 0 0 0": "must not be zero",
    "ir r a": "ir <name>",
    "ir r a a": "both ends are on 'a'",
    "ir r a c": "no body named 'c'",
    "ir r a b -k -1": "-k must be at least 0",
    "ir r a b -l -1": "-l must be at least 0",
    "ir s a b": "already a rubber string",
    "ir g a b": "already a force on 'a'",
    "sf a": "sf <body>",
    "sf a h -g 1": "no force on 'a' named 'h'",
    "sf a g -d 1": "the options are -g",
    "sf a d -d -1": "at least 0",
    "sf a s -k 1 2": "one too many",
    "step": "step <number",
    "step 1.5": "whole number",
    "step -1": "whole number",
    "step 99999999": "at most",
    "step 9999999999": "whole number",
    "stime now": "not a number",
    "sstepsize 0": "greater than 0",
    "sstepsize -1": "greater than 0",
    "sacc -r 0": "greater than 0",
    "sacc 1e-3": "not an option",
    "pb c": "no body named 'c'",
    "pb a b": "pb [body]",
    "pf a h": "no force on 'a' named 'h'",
    "rtime 1": "rtime",
    "draw": "draw bolio",
    "draw me": "draw bolio",
    "help me": "help",
}
SETTING = "ib a\nib b\nil a child\nsb a -if gravity g -if damping d\nsf a d -d 1\nsb a -if support s\nir s b child\n"


@pytest.mark.parametrize("command", WRONG)
def test_a_wrong_command_is_told_with_its_line_and_the_reason(command):
    (problem,) = problems(f"{SETTING}{command}\nib last")
    assert problem.startswith("t.ves:8: ")
    assert WRONG[command] in problem


LATER = {
    "ib c": "bodies are there from the start",
    "il a c": "links are there from the start",
    "ilc a nail": "nail it before the first step",
    "ilc b move_to_point": "before the first step",
    "sb a -t 0 0 0": "on its way",
    "sb a -vr 0 0 0": "on its way",
    "sb a -m 2": "on its way",
    "sl a child -q 1": "from the start",
    "sacc -r 1e-3": "for the whole run",
}


@pytest.mark.parametrize("command", LATER)
def test_what_cannot_change_on_the_way_is_told_why(command):
    (problem,) = problems(f"{SETTING}step 1\n{command}")
    assert problem.startswith(f"t.ves:9: {command.split()[0]}: ")
    assert LATER[command] in problem
    assert "before the first step" in problem


def test_a_body_that_was_let_go_is_led_no_more():
    (problem,) = problems("ib a\nilc a move_to_point\nstep 1\nilc a free\nsb a -t 1 0 0")
    assert "t.ves:5: sb: " in problem


def test_every_wrong_line_is_told():
    assert [problem.split(": ")[0] for problem in problems("ib a\nib a\nib b\n\nsb c\n; x\nxx\n")] == [
        "t.ves:2", "t.ves:5", "t.ves:7"
    ]  # fmt: skip
    assert len(problems("nonsense\n" * 100_000)) <= 101


def test_absurd_files(tmp_path):
    assert "longer than" in problems("ib a\n" + "x" * 5000)[0]
    huge = tmp_path / "huge.ves"
    with huge.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    for make, reason in (
        (lambda path: None, "No such file"),
        (lambda path: path.mkdir(), "cannot be read"),
        (lambda path: path.write_bytes(b"ib \xff"), "byte 3 is not UTF-8"),
        (lambda path: huge.rename(path), "larger than 16 MB"),
    ):
        path = tmp_path / f"{reason[:4]}.ves"
        make(path)
        with pytest.raises(MechanismError, match=reason):
            Script.load(path)
    assert "prints at most" in problems(f"{SETTING}" + "help\n" * 10_000)[0]


WORDS = [*COMMANDS, *BODY, *LINK, *ACCURACY, *(option for table in OPTIONS.values() for option in table)]
WORDS += ["a", "b", "c", "gravity", "motor", "brake", "nail", "move_to_point", "free", ";"]
word = st.one_of(
    st.sampled_from(WORDS),
    st.integers(-3, 3).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.text(max_size=5),
)
TEMPLATES = [
    "ib {}", "il a {}", "ilc a {}", "sb a -t {} {} {}", "sb {} -E {} {} {} {} -vl {} {} {}", "sb a -if {} {}",
    "sb a -f {}", "sf a {} -d {}", "sf a {} -E {} {} {} {}", "sl a {} -s {} {} {} {} {} {} -q {} -qdot {}",
    "sl a {} -pje {} {} {} {} -djt {} {} {}", "ir {} a b -k {} -lone {} {} {}", "step {}", "stime {}",
    "sstepsize {}", "pb {}", "pf {} {}", "{} {} {}",
]  # fmt: skip
line = st.sampled_from(TEMPLATES).flatmap(
    lambda template: st.tuples(*[word] * template.count("{}")).map(lambda words: template.format(*words))
)


@settings(max_examples=300, deadline=None)
@given(st.lists(line, max_size=12))
def test_any_text_is_a_mechanism_without_problems_or_a_clear_refusal(text):
    try:
        found = parse("ib a\nib b\n" + "\n".join(text), "fuzz.ves").mechanism.problems()
    except MechanismError as error:
        refusal = error.problems
    else:
        refusal = None
    if refusal is None:
        assert found == []
    else:
        assert refusal
        assert all(problem.startswith("fuzz.ves") and problem.isprintable() for problem in refusal)
        assert all(problem.code for problem in refusal[:100])


def test_the_listing_of_7_2_is_the_structure_that_the_thesis_describes():
    """Five sticks of 10 m along their X, upright; fifteen strings between them; damping on each stick."""
    script = Script.load(TENSEGRITY)
    mechanism = script.mechanism
    assert (script.duration, script.frame_rate, script.relative, script.absolute) == (8, 24, 1e-6, 1e-7)
    assert mechanism.name == "tensegrity"
    assert [body.name for body in mechanism.bodies] == [f"stick{i}" for i in range(5)]
    rubbers = {force.name: force for force in mechanism.forces if isinstance(force, Rubber)}
    assert sorted(rubbers) == sorted(f"string{row}{i}" for row in "BMT" for i in range(1, 6))
    dampers = [force for force in mechanism.forces if isinstance(force, Damping)]
    assert [(one.name, one.linear, one.angular) for one in dampers] == [(f"stick{i} damping", 10, 10) for i in range(5)]
    for body in mechanism.bodies:
        assert body.mass == 1
        assert body.orientation == pytest.approx((0.5**0.5, 0, 0.5**0.5, 0))
    heights = {"B": (14, 14), "M": (14, 6), "T": (6, 6)}
    for name, rubber in rubbers.items():
        assert (rubber.point_a[2], rubber.point_b[2]) == pytest.approx(heights[name[6]]), "7.2 says top, middle, bottom"
        assert (rubber.stiffness, rubber.rest_length, rubber.restitution) == (20, 4, 0.1)
    assert rubbers["stringB1"].point_a == pytest.approx((6, -15.5, 14))
    assert rubbers["stringM1"].point_b == pytest.approx((4, -18.5, 6))


def test_the_car_of_the_examples():
    script = Script.load(CAR)
    kinds = [force.type for force in script.mechanism.forces]
    assert {kind: kinds.count(kind) for kind in kinds} == {"gravity": 1, "support": 4, "motor": 2, "brake": 4}
    assert [action.time for action in script.mechanism.actions] == [3, 3, 3.5, 3.5] + [3.625] * 6
    assert script.duration == 9


@pytest.mark.parametrize("path", [TENSEGRITY, CAR], ids=["tensegrity", "car"])
def test_a_script_becomes_a_mechanism_file_and_back(path, tmp_path):
    mechanism = Script.load(path).mechanism
    mechanism.save(tmp_path / "out.json")
    again = Mechanism.load(tmp_path / "out.json")
    assert again.to_dict() == json.loads(json.dumps(mechanism.to_dict()))


def test_check_and_wrong_scripts_on_the_command_line(tmp_path, capsys):
    assert main(["check", str(TENSEGRITY)]) == 0
    assert "nothing is wrong" in capsys.readouterr().out
    wrong = tmp_path / "wrong.VES"
    wrong.write_text("ib a\nsb a -m heavy\nstep x\n")
    for command in (["check"], ["evaluate", "-o", "x"], ["assemble", "-o", "x"], ["simulate", "-o", "x"]):
        assert main([*command, str(wrong)]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.splitlines() == [
            f"{wrong}:2: sb: 'heavy' is not a number",
            f"{wrong}:3: step: must be a whole number, is 'x'",
        ]
    wrong.write_text("ib a")
    assert main(["simulate", str(wrong), "-o", "x"]) == 2
    assert "--duration" in capsys.readouterr().err


def test_assemble_writes_a_script_as_a_mechanism_file(tmp_path):
    source, out = tmp_path / "two.ves", tmp_path / "two.json"
    source.write_text("ib a\nil a b\nsl a b -djt 1 0 0 -pjt -1 0 0\nilc a nail\n")
    assert main(["assemble", str(source), "-o", str(out)]) == 0
    assert [body.position for body in Mechanism.load(out).bodies] == [(0, 0, 0), (2, 0, 0)]
