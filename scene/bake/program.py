# SPDX-License-Identifier: GPL-3.0-or-later
"""A control program: a Python function in a text block that gives the values of motors at each frame.

It is run only after a person has allowed it, or where Blender runs the scripts of files by itself. What it does is
recorded as actions, so that the replay needs no program. Each call has a limit of time, which is kept line by line:
what never ends within a single call into a compiled library is not stopped.
"""

from __future__ import annotations

import dataclasses
import math
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...solver.mechanism import JointMotor, Mechanism
from ...solver.mechanism.record import plain
from ...solver.simulation.live import LiveRun
from ..findings import refuse

FUNCTION = "control"
LIMIT = 1.0  # s of computing that a call may take

_allowed: set[int] = set()  # session_uid of texts: no file can bring them


class ProgramError(Exception):
    """A fault of a program in words, with its name and a line."""


class _TookTooLong(BaseException):
    """No `except Exception` of a program holds it up."""


class JointState(NamedTuple):
    """Coordinates (rad, m) and speeds of a joint: numbers where it has one coordinate, else arrays."""

    position: float | np.ndarray
    speed: float | np.ndarray


class BodyState(NamedTuple):
    """Place (3,), orientation (4,) w x y z, velocity (3,) of the origin and angular velocity (3,), in the world."""

    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


class State(NamedTuple):
    """All that a program is told of a moment: joints and bodies by their names."""

    joints: dict[str, JointState]
    bodies: dict[str, BodyState]


def allow(text: bpy.types.Text) -> None:
    """From now on this text may be run, until Blender is closed or the file opened anew."""
    _allowed.add(text.session_uid)


def is_allowed(text: bpy.types.Text) -> bool:
    """True if somebody has allowed it, or the preferences allow the scripts of this file."""
    preferences, file = bpy.context.preferences, Path(bpy.data.filepath)
    excluded = any(
        file.match(each.path) if each.use_glob else _is_in(file, each.path) for each in preferences.autoexec_paths
    )
    by_itself = preferences.filepaths.use_scripts_auto_execute and not bpy.app.autoexec_fail and not excluded
    return by_itself or text.session_uid in _allowed


def _is_in(file: Path, folder: str) -> bool:
    return bool(folder) and file.is_relative_to(folder)


class Controller:
    """The program of a scene, for a run of a mechanism."""

    def __init__(self, text: bpy.types.Text, mechanism: Mechanism) -> None:
        """Raises SceneError if nobody has allowed it."""
        if not is_allowed(text):
            refuse(
                None,
                f"the control program {text.name} may not run yet: read it and press Allow Program in the panel Play, "
                "or choose none",
            )
        self._text, self.name = text, text.name
        self._motors = {joint.name: joint.motor for joint in mechanism.joints}
        self._function: Callable | None = None
        self._line, self.frame = 0, -1
        self._to_come = sorted(mechanism.actions, key=lambda action: action.time)
        self._seen = 0  # of the run's actions

    def changes(self, run: LiveRun) -> list[tuple[str, dict[str, Any]]]:
        """The wishes at the frame that is done: joints and their motors, where these are new.

        Raises ProgramError; the next call begins with the text as it is then.
        """
        try:
            if self._function is None:
                self._function = self._compiled()
            state = state_of(run)
            wanted = self._called(lambda: self._function(run.time, state))
            found = self._read({} if wanted is None else wanted, run)
        except ProgramError:
            self._function = None
            raise
        self.frame = run.frame
        return found

    def _compiled(self) -> Callable:
        try:
            source = self._text.as_string()
        except ReferenceError:
            raise ProgramError(f"Program {self.name} was deleted") from None
        try:
            code = compile(source, self.name, "exec")
        except (SyntaxError, ValueError) as error:
            raise ProgramError(
                f"Program {self.name}, line {getattr(error, 'lineno', 1)}: {getattr(error, 'msg', error)}"
            ) from error
        names: dict[str, Any] = {"__name__": self.name}
        self._called(lambda: _run(code, names))
        function = names.get(FUNCTION)
        if not callable(function):
            raise ProgramError(f"Program {self.name} has no function {FUNCTION}(time, state)")
        return function

    def _called(self, call: Callable[[], Any]) -> Any:
        """The result of a call; all that can go wrong becomes a ProgramError with its line."""
        before, deadline = sys.gettrace(), time.thread_time() + LIMIT
        sys.settrace(self._tracer(deadline))
        try:
            return call()
        except _TookTooLong:
            raise ProgramError(
                f"Program {self.name}, line {self._line}: it was stopped, since it took more than {LIMIT:g} s"
            ) from None
        except (Exception, SystemExit) as error:
            raise ProgramError(f"Program {self.name}, line {self._line_of(error)}: {_told(error)}") from error
        finally:
            sys.settrace(before)

    def _tracer(self, deadline: float) -> Callable:
        """Notes the program's line, and stops it at the deadline: at a line of its own, or a call of a function."""

        def trace(frame: FrameType, _event: str, _argument: Any) -> Callable | None:
            is_own = frame.f_code.co_filename == self.name
            if is_own:
                self._line = frame.f_lineno
            if time.thread_time() > deadline:
                raise _TookTooLong
            return trace if is_own else None

        return trace

    def _line_of(self, error: BaseException) -> int:
        lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == self.name]
        return lines[-1] if lines else self._line

    def _read(self, wanted: Any, run: LiveRun) -> list[tuple[str, dict[str, Any]]]:
        if not isinstance(wanted, dict):
            raise self._wrong(f"{FUNCTION} returns {type(wanted).__name__}, but must return values by names of joints")
        self._note_motors(run)
        found = []
        for joint, value in wanted.items():
            if self._motors.get(joint) is None:
                known = "has no motor" if joint in self._motors else "is no joint of the run"
                raise self._wrong(f"{joint} {known}")
            present = self._motors[joint]
            if isinstance(present, tuple):
                motor = self._of_axes(joint, present, value)
            else:
                motor = _with_value(present, self._numbers(joint, value))
            if motor != present:
                found.append((joint, {"motor": plain(motor)}))
        return found

    def _note_motors(self, run: LiveRun) -> None:
        """Motors are as the latest actions have set them, given or done; those of a moment in the order of a replay."""
        due = [action for action in self._to_come if action.time <= run.time]
        self._to_come = self._to_come[len(due) :]
        due += run.actions[self._seen :]
        self._seen = len(run.actions)
        for action in sorted(due, key=lambda action: action.time):
            if action.target in self._motors and action.set is not None and "motor" in action.set:
                self._motors[action.target] = _motor_of(action.set["motor"])

    def _numbers(self, joint: str, value: Any) -> float | tuple[float, ...]:
        try:
            numbers = tuple(float(each) for each in np.ravel(value))
        except (TypeError, ValueError):
            raise self._wrong(f"the value for {joint} is no number: {value!r}") from None
        if not numbers or not all(map(math.isfinite, numbers)):
            raise self._wrong(f"the value for {joint} is no finite number: {value!r}")
        return numbers[0] if len(numbers) == 1 else numbers

    def _of_axes(self, joint: str, present: tuple[JointMotor | None, ...], value: Any) -> tuple[JointMotor | None, ...]:
        """The motors of a generic joint by a list with a number for each free axis, None for those without a motor."""
        if not isinstance(value, list | tuple | np.ndarray) or len(value) != len(present):
            raise self._wrong(f"{joint} is generic: its value is a list of {len(present)}, one for each free axis")
        found: list[JointMotor | None] = []
        for motor, each in zip(present, value, strict=True):
            if motor is None and each is not None:
                raise self._wrong(f"the value for {joint} must have None for each free axis without a motor")
            found.append(motor if motor is None else _with_value(motor, self._numbers(joint, each)))
        return tuple(found)

    def _wrong(self, text: str) -> ProgramError:
        return ProgramError(f"Program {self.name}, line {self._line}: {text}")


def _with_value(motor: JointMotor, value: float | tuple[float, ...]) -> JointMotor:
    return dataclasses.replace(motor, **{"value" if motor.mode == "force" else "target": value})


def _motor_of(given: Any) -> JointMotor | tuple[JointMotor | None, ...] | None:
    """A joint's motor, or the motors of its axes, as an action sets it."""
    if isinstance(given, list | tuple):
        return tuple(map(_motor_of, given))
    return JointMotor.from_dict(given) if isinstance(given, dict) else given


def control(controller: Controller, run: LiveRun) -> None:
    """Let a program act at the frame that is done. Raises ProgramError, MechanismError, SimulationFailed."""
    for joint, settings in controller.changes(run):
        run.act(joint, **settings)


def controller_of(scene: bpy.types.Scene, mechanism: Mechanism) -> Controller | None:
    """The scene's program for a run; None if it has none. Raises SceneError if it may not run."""
    text = scene.ves.control_program
    return None if text is None else Controller(text, mechanism)


def is_controlled(scene: bpy.types.Scene) -> bool:
    """True if bakes run the scene's program."""
    return scene.ves.use_program_in_bake and scene.ves.control_program is not None


def state_of(run: LiveRun) -> State:
    """All joints and bodies of a run at its last frame."""
    now, frame = run.motion(), run.frame
    joints = {}
    for number, name in enumerate(now.joint_names):
        part = slice(now.joint_offsets[number], now.joint_offsets[number + 1])
        values = now.joint_coordinates[frame, part], now.joint_speeds[frame, part]
        joints[str(name)] = JointState(*(float(each[0]) if len(each) == 1 else each.copy() for each in values))
    arrays = now.position, now.orientation, now.linear_velocity, now.angular_velocity
    bodies = {
        str(name): BodyState(*(each[frame, number].copy() for each in arrays))
        for number, name in enumerate(now.body_names)
    }
    return State(joints, bodies)


def _run(code: CodeType, names: dict[str, Any]) -> None:
    exec(code, names)


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
