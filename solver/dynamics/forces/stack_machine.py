# SPDX-License-Identifier: GPL-3.0-or-later
"""A stack machine for arithmetic that a person has written: values, and their changes along a direction.

Programs are those of `mechanism.arithmetic`. A change goes along with each value (forward mode of automatic
differentiation, with dual numbers), so derivatives are exact. Nothing here raises: what has no value, as the root of
-1, is not a number, and so is all that is computed from it; a comparison with it too, and a choice by that.
"""

import math

from ...kernel import kernel
from ...mechanism.arithmetic import NAMES, Step

_NAMES = len(NAMES)
_NUMBER, _NAME, _CHOOSE, _FIRST_OF_TWO = int(Step.NUMBER), int(Step.NAME), int(Step.CHOOSE), int(Step.ADD)
_NEGATE, _NOT, _SIN, _COS, _TAN = int(Step.NEGATE), int(Step.NOT), int(Step.SIN), int(Step.COS), int(Step.TAN)
_ASIN, _ACOS, _ATAN, _TANH, _SQRT = int(Step.ASIN), int(Step.ACOS), int(Step.ATAN), int(Step.TANH), int(Step.SQRT)
_EXP, _LOG, _ABS, _FLOOR, _SIGN = int(Step.EXP), int(Step.LOG), int(Step.ABS), int(Step.FLOOR), int(Step.SIGN)
_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE = int(Step.ADD), int(Step.SUBTRACT), int(Step.MULTIPLY), int(Step.DIVIDE)
_POWER, _MODULO, _ATAN2, _HYPOT = int(Step.POWER), int(Step.MODULO), int(Step.ATAN2), int(Step.HYPOT)
_MIN, _MAX, _AND, _OR = int(Step.MIN), int(Step.MAX), int(Step.AND), int(Step.OR)
_LESS, _LESS_EQUAL, _GREATER = int(Step.LESS), int(Step.LESS_EQUAL), int(Step.GREATER)
_GREATER_EQUAL, _EQUAL, _NOT_EQUAL = int(Step.GREATER_EQUAL), int(Step.EQUAL), int(Step.NOT_EQUAL)
_LARGEST_EXPONENT = 709.78  # of e, that a float can hold
_WHOLE = 4503599627370496.0  # 2^52: from here on all floats are whole
_LINEAR, _FLAT = 0.01, 20.0  # tanh is a series below, and 1 above
_NAN, _INFINITE = math.nan, math.inf


@kernel
def run_program(programs, first, last, machine, with_changes):
    """(value, change) that the steps from `first` up to `last` leave.

    machine (3, .): values of the names, then the stack; their changes, which are looked at on demand; and of each step
    that jumps or bends how far it is from where it does (`margin_of_kink`), by its place in the program.
    """
    top = _NAMES - 1
    for k in range(first, last):
        step = programs[k].step
        if step == _NUMBER:
            top += 1
            machine[0, top], machine[1, top] = programs[k].number, 0.0
        elif step == _NAME:
            top += 1
            name = int(programs[k].number)
            machine[0, top], machine[1, top] = machine[0, name], machine[1, name]
        elif step == _CHOOSE:
            top -= 2
            condition = float(machine[0, top])
            taken = top + 1 if condition != 0.0 else top + 2
            is_known = condition == condition
            machine[0, top] = machine[0, taken] if is_known else _NAN
            machine[1, top] = machine[1, taken]
        elif step >= _FIRST_OF_TWO:
            top -= 1
            a, b = float(machine[0, top]), float(machine[0, top + 1])
            value = value_of_two(step, a, b)
            if has_kink_of_two(step):
                machine[2, k - first] = margin_of_kink(step, a, b)
            if with_changes:
                da, db = float(machine[1, top]), float(machine[1, top + 1])
                by_a, by_b = _slopes_of_two(step, a, b, value)
                machine[1, top] = _part(by_a, da) + _part(by_b, db)
            machine[0, top] = value
        else:
            a = float(machine[0, top])
            value = value_of_one(step, a)
            if has_kink_of_one(step):
                machine[2, k - first] = margin_of_kink(step, a, 1.0)
            if with_changes:
                machine[1, top] = _part(_slope_of_one(step, a, value), float(machine[1, top]))
            machine[0, top] = value
    return machine[0, top], machine[1, top]


@kernel
def has_kink(step):
    """True of a step that jumps or bends somewhere."""
    return has_kink_of_one(step) or has_kink_of_two(step)


@kernel
def has_kink_of_one(step):
    """True of such a step that takes one."""
    return step == _SIGN or step == _FLOOR or step == _ABS


@kernel
def has_kink_of_two(step):
    """True of such a step that takes two."""
    return step == _MODULO or step == _MIN or step == _MAX or _LESS <= step <= _NOT_EQUAL


@kernel
def margin_of_kink(step, a, b):
    """Changes its sign where a step jumps or bends: the distance from there, or a sine of it where there are many."""
    if step == _SIGN or step == _ABS:
        return a
    if step == _FLOOR or step == _MODULO:
        return value_of_one(_SIN, math.pi * _quotient(a, b))
    return a - b


@kernel
def _part(slope, change):
    """The part that a change adds; none, where it is none, however steep it is there."""
    return slope * change if change != 0.0 else 0.0


@kernel
def value_of_one(step, a):
    """The value of a step that takes one."""
    if step == _NEGATE:
        return -a
    if step == _ABS:
        return abs(a)
    if step == _SQRT:
        return math.sqrt(a) if a >= 0.0 else _NAN
    if step == _SIGN:
        return 1.0 if a > 0.0 else (-1.0 if a < 0.0 else a)
    if step == _NOT:
        return (1.0 if a == 0.0 else 0.0) if a == a else a
    if step == _EXP:
        return _exponential(a)
    if step == _TANH:
        return _tanh(a)
    if step == _LOG:
        return math.log(a) if a > 0.0 else (-_INFINITE if a == 0.0 else _NAN)
    if step == _ATAN:
        return math.atan(a)
    if step == _ASIN or step == _ACOS:
        if not abs(a) <= 1.0:
            return _NAN
        return math.asin(a) if step == _ASIN else math.acos(a)
    if step == _FLOOR:
        return float(math.floor(a)) if abs(a) < _WHOLE else a
    if not abs(a) < _INFINITE:
        return _NAN
    if step == _SIN:
        return math.sin(a)
    return math.cos(a) if step == _COS else math.tan(a)


@kernel
def _exponential(a):
    if a < _LARGEST_EXPONENT:
        return math.exp(a)
    return _INFINITE if a >= _LARGEST_EXPONENT else _NAN


@kernel
def _tanh(a):
    """Of functions that are the same on all platforms (`docs/how/machine-code.md`)."""
    if abs(a) < _LINEAR:
        s = a * a
        return a * (1.0 - s * (1.0 / 3.0 - s * (2.0 / 15.0 - s * (17.0 / 315.0 - s * 62.0 / 2835.0))))
    if not abs(a) < _FLAT:
        return 1.0 if a > 0.0 else (-1.0 if a < 0.0 else a)
    e = math.exp(2.0 * a)
    return (e - 1.0) / (e + 1.0)


@kernel
def _slope_of_one(step, a, value):
    """The derivative of a step that takes one, and has this value."""
    if step == _NEGATE:
        return -1.0
    if step == _ABS:
        return 1.0 if a > 0.0 else (-1.0 if a < 0.0 else 0.0)
    if step == _SQRT:
        return _quotient(0.5, value)
    if step == _EXP:
        return value
    if step == _TANH:
        return 1.0 - value * value
    if step == _LOG:
        return _quotient(1.0, a)
    if step == _ATAN:
        return 1.0 / (1.0 + a * a)
    if step == _ASIN or step == _ACOS:
        slope = _quotient(1.0, math.sqrt(1.0 - a * a)) if abs(a) <= 1.0 else _NAN
        return slope if step == _ASIN else -slope
    if step == _NOT or step == _FLOOR or step == _SIGN:
        return 0.0
    if not abs(a) < _INFINITE:
        return _NAN
    if step == _SIN:
        return math.cos(a)
    return -math.sin(a) if step == _COS else 1.0 + value * value


@kernel
def value_of_two(step, a, b):
    """The value of a step that takes two."""
    if step == _ADD:
        return a + b
    if step == _SUBTRACT:
        return a - b
    if step == _MULTIPLY:
        return a * b
    if step == _DIVIDE:
        return _quotient(a, b)
    if step == _POWER:
        return _power(a, b)
    if step == _MIN:
        return b if b < a or b != b else a
    if step == _MAX:
        return b if b > a or b != b else a
    if step == _HYPOT:
        return math.sqrt(a * a + b * b)
    if step == _ATAN2:
        return math.atan2(a + 0.0, b + 0.0)  # a zero has no sign: -0.0 * x would be half a turn away
    if step == _MODULO:
        return _remainder(a, b)
    if step == _AND:
        if a == 0.0 or b == 0.0:
            return 0.0
        return 1.0 if a == a and b == b else _NAN
    if step == _OR:
        if (a == a and a != 0.0) or (b == b and b != 0.0):
            return 1.0
        return 0.0 if a == a and b == b else _NAN
    if a != a or b != b:
        return _NAN
    return 1.0 if _holds(step, a, b) else 0.0


@kernel
def _holds(step, a, b):
    if step == _LESS:
        return a < b
    if step == _LESS_EQUAL:
        return a <= b
    if step == _GREATER:
        return a > b
    if step == _GREATER_EQUAL:
        return a >= b
    return a == b if step == _EQUAL else a != b


@kernel
def _quotient(a, b):
    if b != 0.0:
        return a / b
    return a * _INFINITE


@kernel
def _remainder(a, b):
    """With the sign of b."""
    if not abs(a) < _INFINITE or not abs(b) < _INFINITE or b == 0.0:
        return _NAN
    return a % b


@kernel
def _power(a, b):
    """A power of reals; NaN where it has no real value, and for what is infinite."""
    if not abs(a) < _INFINITE or not abs(b) < _INFINITE:
        return _NAN
    if b == 2.0:
        return a * a
    if a == 0.0:
        return 0.0 if b > 0.0 else (1.0 if b == 0.0 else _INFINITE)
    size = abs(a)
    if a < 0.0 and value_of_one(_FLOOR, b) != b:
        return _NAN
    negative = a < 0.0 and b % 2.0 != 0.0
    power = _INFINITE if b * math.log(size) >= _LARGEST_EXPONENT else size**b
    return -power if negative else power


@kernel
def _slopes_of_two(step, a, b, value):
    """The derivatives of a step that takes two, by the first and by the second, and has this value."""
    if step == _ADD:
        return 1.0, 1.0
    if step == _SUBTRACT:
        return 1.0, -1.0
    if step == _MULTIPLY:
        return b, a
    if step == _DIVIDE:
        return _quotient(1.0, b), -_quotient(value, b)
    if step == _POWER:
        return b * _power(a, b - 1.0), value * math.log(a) if a > 0.0 else 0.0
    if step == _MIN:
        return (0.0, 1.0) if b < a else (1.0, 0.0)
    if step == _MAX:
        return (0.0, 1.0) if b > a else (1.0, 0.0)
    if step == _HYPOT:
        return _quotient(a, value), _quotient(b, value)
    if step == _ATAN2:
        square = a * a + b * b
        return _quotient(b, square), -_quotient(a, square)
    if step == _MODULO:
        return 1.0, -value_of_one(_FLOOR, _quotient(a, b))
    return 0.0, 0.0
