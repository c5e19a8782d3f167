# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces by formulas: made, read, refused beside the field and by Check, baked, typed while Play runs, and copied."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set import panels
from virtual_erector_set.scene.check.check import find_problems
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.properties.action_targets import changeable_numbers
from virtual_erector_set.solver.mechanism import Expression

from tests.blender.linkages import baked_result, body, chain
from tests.blender.making import select
from tests.blender.playing import Driver, force
from tests.blender.shapes import reading
from tests.blender.test_force_bakes import TIMES, cube, places
from tests.blender.test_knobs import positions, replayed
from tests.blender.test_panels import draw

TEXTS = ("expression_x", "expression_y", "expression_z")


def formula(owner: bpy.types.Object, *texts: str, **settings) -> bpy.types.Object:
    empty = force("field", "EXPRESSION", owner, **dict(zip(TEXTS, texts, strict=True)), **settings)
    empty.parent, empty.matrix_parent_inverse = owner, owner.matrix_world.inverted()
    bpy.context.view_layer.update()
    return empty


def problems() -> list[str]:
    return [problem.text for problem in find_problems(bpy.context) if problem.severity == "ERROR"]


def go_on(driver: Driver) -> None:
    """Until what was typed has acted."""
    for _ in range(4):
        driver.go_on(0.5)


def test_a_new_one_moves_its_body_and_check_is_content() -> None:
    select(body("cube"))
    assert bpy.ops.ves.add_force(type="EXPRESSION") == {"FINISHED"}
    empty = bpy.context.active_object
    (read,) = reading().mechanism.forces
    assert isinstance(read, Expression)
    assert read.force == ("0", "0", "a*sin(pi*t)")
    assert read.a == pytest.approx(1000.0 * 9.81, rel=0.06)
    assert problems() == []
    assert empty.empty_display_type == "ARROWS"


def test_its_settings_are_read() -> None:
    empty = formula(body("cube"), " -2*vx ", "", "b*z", expression_axes="OWN", expression_a=1.5, expression_c=-2.0)
    empty.rotation_euler.z = 0.3
    bpy.context.view_layer.update()
    (read,) = reading().mechanism.forces
    assert read.force == ("-2*vx", "0", "b*z")
    assert (read.axes, read.a, read.c) == ("own", 1.5, -2.0)
    assert read.orientation == pytest.approx((np.cos(0.15), 0, 0, np.sin(0.15)), abs=1e-6)
    assert changeable_numbers(empty) == {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [("2*w", "has the unknown name 'w' at letter 3; known are x, y, z, vx"), ("x^2", "write ** for a power"),
     ("__import__('os').getcwd()", "has the unknown function"), ("2*(x", "cannot be read at letter 3"),
     ("x" * 3000, "has 3000 letters, and 1000 are the most")],
)  # fmt: skip
def test_what_is_not_understood_is_said_by_check_and_beneath_the_field(text: str, said: str) -> None:
    empty = formula(body("cube"), "0", text, "0")
    (problem,) = problems()
    assert problem.startswith("field: Force Y ")
    assert said in problem
    with pytest.raises(SceneError):
        reading()
    select(empty)
    bpy.context.view_layer.objects.active = empty
    shown = draw(panels.forces.VES_PT_force)
    at = shown.index(("prop", "expression_y"))
    assert said.lower() in " ".join(str(name) for kind, name in shown[at : at + 3] if kind == "label").lower()


def test_a_charge_goes_round_in_a_magnetic_field() -> None:
    """2 kg at 1 m/s, 6 N s/m: a circle of a third of a metre."""
    charge = cube(velocity=(0, 1, 0))
    formula(charge, "a*vy", "-a*vx", "0", expression_a=6.0)
    found = places(charge)
    circle = np.column_stack([(1 - np.cos(3 * TIMES)) / 3, np.sin(3 * TIMES) / 3, 0 * TIMES])
    assert np.abs(found - circle).max() < 1e-5


def test_a_bake_ends_by_name_where_a_formula_has_no_value() -> None:
    formula(cube(velocity=(1, 0, 0)), "0", "0", "sqrt(0.5 - x)")
    result = baked_result()
    assert result.failure.startswith(
        "It stopped at frame 13.0: force 'field': its force along z is no finite number at 0."
    )
    assert "where x = 0." in result.failure


def test_formulas_and_numbers_act_as_they_are_typed_and_play_again() -> None:
    rods = chain(2, 40)
    empty = formula(rods[1], "0", "a", "0", expression_a=1.0)
    driver = Driver()
    driver.go_on(3)
    empty.ves.expression_y = "0"
    empty.ves.expression_x = "-3*vx + a*sin(9*t)"
    go_on(driver)
    empty.ves.expression_a = 40.0
    go_on(driver)
    assert driver.play.message == ""
    assert [settings for _, _, settings in driver.done] == [
        {"force": ["-3*vx + a*sin(9*t)", "0", "0"]}, {"a": 40.0},
    ]  # fmt: skip
    before = positions(rods)
    empty.ves.expression_x = "-3*vx + q"
    go_on(driver)
    assert "has the unknown name 'q' at letter 9" in driver.play.message
    assert len(driver.done) == 2
    assert not np.array_equal(positions(rods), before), "it goes on by the last one that was understood"
    empty.ves.expression_x = "-3*vx"
    go_on(driver)
    assert driver.done[-1][2] == {"force": ["-3*vx", "0", "0"]}
    replayed(rods, driver)
    entry = bpy.context.scene.ves.recorded_actions[0]
    assert "-3*vx" in entry.settings


def test_axes_stay_while_it_plays() -> None:
    empty = formula(chain(1, 40)[0], "1", "0", "0")
    driver = Driver()
    driver.go_on(2)
    empty.ves.expression_axes = "OWN"
    go_on(driver)
    assert "keeps its axes until Play begins anew" in driver.play.message


def test_copying_settings_copies_formulas() -> None:
    source, target = formula(body("a"), "x", "y", "z", expression_axes="OWN"), formula(body("b"), "1", "2", "3")
    select(target, source)
    bpy.context.view_layer.objects.active = source
    bpy.ops.ves.copy_settings()
    assert [getattr(target.ves, name) for name in TEXTS] == ["x", "y", "z"]
    assert target.ves.expression_axes == "OWN"
