# SPDX-License-Identifier: GPL-3.0-or-later
"""A piston and an excavator arm become live linkages by clicks, and are moved by the handles of their drives."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator

import pytest

from tests.gui.conftest import Blender
from tests.gui.walking import IN_THE_VIEW, SCENE, SIZE, Walk
from tests.gui.window import TO_REACT, Window, opened_window

DIAL, ARROW = 55, 90  # pixels from a joint to its handle


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "live_at_the_end", SIZE) as opened:
        opened.ask(f"{SCENE}\nbuild_piston()")
        opened.open_tab("Erector Set")
        opened.find_button("ves.make_live", in_header=True)
        yield opened


class Linkage(Walk):
    """A walk that makes joints."""

    def __init__(self, window: Window, scene: str) -> None:
        super().__init__(window, scene)
        self.began, self.joints = time.monotonic(), 0

    def bodies(self, fixed: str) -> None:
        """All become bodies, one of them Fixed, and axes are to point along Y."""
        self.all_then(fixed)
        self.press("ves.add_body", "len(seen()['motions']) == len(bpy.context.scene.objects)")
        self.pick(fixed)
        self.set_fixed()
        self.type_in("bpy.context.scene.ves.connect_axis = 'Y'")

    def hinge(self, *names: str) -> None:
        self.pick(*names)
        self.joints += 1
        self.press("ves.add_joint(type='REVOLUTE'", f"len(seen()['joints']) == {self.joints}")

    def slider(self, *names: str, axis: str) -> None:
        """By the menu Joint: two clicks; the axis is another choice."""
        self.pick(*names)
        self.joints += 1
        self.type_in(f"bpy.ops.ves.add_joint(type='PRISMATIC', location='NEAREST', axis='{axis}')")

    def drive(self) -> None:
        """The joint that was made last leads: its sub-panel, and the button in it."""
        self.type_in("bpy.ops.ves.set_drive()")

    def make_live(self) -> dict:
        self.window.ask("bpy.ops.object.select_all(action='DESELECT')")
        self.press("ves.make_live", "bpy.context.scene.ves.live_stamp", in_header=True)
        minutes = (time.monotonic() - self.began) / 60
        sys.stdout.write(f"{self.name}: {self.clicks} clicks, {minutes:.1f} minutes of this machine\n")
        return self.state()

    def state(self) -> dict:
        return self.window.ask(f"{SCENE}\nanswer = live()")


def drag(window: Window, start: tuple[float, float], end: tuple[float, float]) -> None:
    """With the left button, as one drags a handle: it has to be under the mouse before."""
    window.lead(*start)
    time.sleep(0.5)
    window._run("xdotool", "mousedown", "1", "sleep", "0.2")
    for share in (0.1, 0.3, 0.6, 1.0):
        window.lead(start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
        time.sleep(0.2)
    window.let_go()


def test_a_piston_is_turned_by_its_dial(window: Window) -> None:
    walk = Linkage(window, "piston")
    walk.bodies("Block")
    walk.hinge("Crank", "Block")
    walk.drive()
    walk.hinge("Rod", "Crank")
    walk.hinge("Piston", "Rod")
    walk.type_in("bpy.context.scene.ves.connect_axis = 'X'")
    walk.slider("Piston", "Block", axis="X")
    found = walk.make_live()
    assert found["mobility"] == "1 linkage of 3 moving bodies: 1 freedom, driven by 1 joint"
    window.photograph("live_piston")
    (crank,) = found["angles"]
    (x, y), *_ = window.ask(f"{SCENE}\nanswer = joint_on_screen({crank!r}, {SIZE[1]})")
    before = found["places"]["Piston"][0]
    drag(window, (x + DIAL, y), (x, y - DIAL))
    window.wait_until(lambda: abs(walk.state()["angles"][crank]) > 0.5, TO_REACT, "the dial turned nothing")
    window.photograph("live_piston_turned")
    after = walk.state()
    assert abs(abs(after["angles"][crank]) - math.pi / 2) < 0.4
    assert abs(after["places"]["Piston"][0] - before) > 0.05
    window.ask(f"{SCENE}\nchoose('Rod')\nbpy.ops.ves.draw_path(point='ORIGIN')")
    time.sleep(2.0)
    window.photograph("live_piston_plots")
    window.press("ctrl+z", *IN_THE_VIEW)
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: walk.state()["angles"][crank] == 0.0, TO_REACT, "one undo did not turn it back")
    assert abs(walk.state()["places"]["Piston"][0] - before) < 1e-5


def test_an_excavator_is_moved_by_the_arrows_of_its_cylinders(window: Window) -> None:
    walk = Linkage(window, "excavator")
    walk.bodies("Cab")
    for pair in (("Boom", "Cab"), ("Stick", "Boom"), ("Bucket", "Stick")):
        walk.hinge(*pair)
    for name, low, high in (("Lift", "Cab", "Boom"), ("Reach", "Boom", "Stick"), ("Curl", "Stick", "Bucket")):
        walk.hinge(f"{name} Barrel", low)
        walk.hinge(f"{name} Rod", high)
        walk.slider(f"{name} Rod", f"{name} Barrel", axis="LINE")
        walk.drive()
    found = walk.make_live()
    assert found["mobility"] == "1 linkage of 9 moving bodies: 3 freedoms, driven by 3 joints"
    window.photograph("live_excavator")
    for name, sign, pixels in (("Lift", 1.0, 40.0), ("Curl", -1.0, 12.0)):  # further, the bucket is in line
        before = walk.state()
        drive = next(drive for drive in before["travels"] if name in drive)
        start, *axes = window.ask(f"{SCENE}\nanswer = joint_on_screen({drive!r}, {SIZE[1]})")
        way = [sign * (end - begin) for begin, end in zip(start, axes[2], strict=True)]
        way = [part / math.hypot(*way) for part in way]
        head = [begin + sign * ARROW * part for begin, part in zip(start, way, strict=True)]
        drag(window, head, [begin + pixels * part for begin, part in zip(head, way, strict=True)])
        window.wait_until(
            lambda drive=drive: abs(walk.state()["travels"][drive]) > 0.02, TO_REACT, f"{name} was not moved"
        )
        window.photograph(f"live_excavator_{name.lower()}")
        after = walk.state()
        assert after["travels"][drive] * sign > 0.0
        others = [other for other in before["travels"] if other != drive]
        assert all(after["travels"][other] == before["travels"][other] for other in others)
        assert math.dist(after["places"]["Bucket"], before["places"]["Bucket"]) > 0.01
        assert after["status"] == ""
