# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of eight numbers that stay in a processor's vector registers, as `spatial` keeps its tuples in scalar ones.

Matrices of the posing engine are six rows of eight: six columns for the six components of a handle's force, one for
what is there without forces, and one that is not used. A row is loaded from and stored to a flat array at an index.
Without numba a row is a numpy array, and the same kernels run as plain Python.
"""

import numpy as np

from ..kernel import compiles

WIDTH = 8
CONSTANT = 6  # the column of what is there without forces


def _load(array, at):
    return array[at : at + WIDTH].copy()


def _store(array, at, row):
    array[at : at + WIDTH] = row


def _scaled(k, row):
    return k * row


def _add(a, b):
    return a + b


def _multiply(a, b):
    return a * b


def _add_scaled(a, k, b):
    return a + k * b


def _add_multiple(a, array, at, b):
    return a + array[at] * b


def _add_product(a, b, c):
    return a + b * c


def _less_product(a, b, c):
    return a - b * c


def _magnitude(row):
    return np.abs(row)


def _total(row):
    return ((row[0] + row[4]) + (row[2] + row[6])) + ((row[1] + row[5]) + (row[3] + row[7]))


def _totals(a, b, c, d, e):
    return np.array([_total(a), _total(b), _total(c), _total(d), _total(e), 0.0, 0.0, 0.0])


def _pairs_swapped(row):
    return row[[1, 0, 3, 2, 5, 4, 7, 6]]


def _with_constant(row, value):
    row = row.copy()
    row[CONSTANT] = value
    return row


def _with_constant_of(row, other):
    return _with_constant(row, other[CONSTANT])


def _only_constant(row):
    row = row.copy()
    row[:CONSTANT], row[CONSTANT + 1 :] = 0.0, 0.0
    return row


def _constant_row(value):
    row = np.zeros(WIDTH)
    row[CONSTANT] = value
    return row


def _turn(c, s):
    return np.array([c, c, c, c, 1.0, 1.0, 1.0, 1.0]), np.array([-s, s, -s, s, 0.0, 0.0, 0.0, 0.0])


if compiles():
    from llvmlite import ir
    from numba.core import types
    from numba.core.datamodel import models
    from numba.extending import intrinsic, register_model

    _DOUBLE, _INDEX = ir.DoubleType(), ir.IntType(32)
    _VECTOR = ir.VectorType(_DOUBLE, WIDTH)

    class _RowType(types.Type):
        def __init__(self):
            super().__init__(name="RowOfEight")

    _row = _RowType()

    @register_model(_RowType)
    class _RowModel(models.PrimitiveModel):
        def __init__(self, manager, row_type):
            super().__init__(manager, row_type, _VECTOR)

    def _address(context, builder, signature, arguments):
        array_type = signature.args[0]
        array = context.make_array(array_type)(context, builder, arguments[0])
        start = builder.gep(array.data, [arguments[1]])
        return builder.bitcast(start, _VECTOR.as_pointer())

    def _splat(builder, value):
        single = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(_INDEX, 0))
        return builder.shuffle_vector(single, ir.Constant(_VECTOR, ir.Undefined), _lanes([0] * WIDTH))

    def _lanes(numbers):
        return ir.Constant(ir.VectorType(_INDEX, len(numbers)), numbers)

    @intrinsic
    def load(typing, array, at):
        """The eight numbers of a flat array from an index on."""

        def generate(context, builder, signature, arguments):
            return builder.load(_address(context, builder, signature, arguments), align=8)

        return _row(array, types.intp), generate

    @intrinsic
    def store(typing, array, at, row):
        """Puts a row into a flat array from an index on."""

        def generate(context, builder, signature, arguments):
            builder.store(arguments[2], _address(context, builder, signature, arguments), align=8)
            return context.get_dummy_value()

        return types.void(array, types.intp, row), generate

    @intrinsic
    def scaled(typing, k, row):
        """k row"""

        def generate(context, builder, signature, arguments):
            return builder.fmul(_splat(builder, arguments[0]), arguments[1])

        return _row(types.float64, row), generate

    @intrinsic
    def add(typing, a, b):
        """a + b"""
        return _row(a, b), lambda context, builder, signature, arguments: builder.fadd(*arguments)

    @intrinsic
    def multiply(typing, a, b):
        """Each number of a times that of b."""
        return _row(a, b), lambda context, builder, signature, arguments: builder.fmul(*arguments)

    @intrinsic
    def add_scaled(typing, a, k, b):
        """a + k b"""

        def generate(context, builder, signature, arguments):
            a, k, b = arguments
            return builder.fadd(a, builder.fmul(_splat(builder, k), b))

        return _row(a, types.float64, b), generate

    @intrinsic
    def add_multiple(typing, a, array, at, b):
        """a + array[at] b"""

        def generate(context, builder, signature, arguments):
            a, array, at, b = arguments
            array = context.make_array(signature.args[1])(context, builder, array)
            k = builder.load(builder.gep(array.data, [at]))
            return builder.fadd(a, builder.fmul(_splat(builder, k), b))

        return _row(a, array, types.intp, b), generate

    @intrinsic
    def add_product(typing, a, b, c):
        """a + b c, number by number"""

        def generate(context, builder, signature, arguments):
            a, b, c = arguments
            return builder.fadd(a, builder.fmul(b, c))

        return _row(a, b, c), generate

    @intrinsic
    def less_product(typing, a, b, c):
        """a - b c of three numbers"""

        def generate(context, builder, signature, arguments):
            a, b, c = arguments
            return builder.fsub(a, builder.fmul(b, c))

        return types.float64(types.float64, types.float64, types.float64), generate

    @intrinsic
    def magnitude(typing, row):
        """Each number without its sign."""

        def generate(context, builder, signature, arguments):
            bits = ir.VectorType(ir.IntType(64), WIDTH)
            sign_off = ir.Constant(bits, [2**63 - 1] * WIDTH)
            return builder.bitcast(builder.and_(builder.bitcast(arguments[0], bits), sign_off), _VECTOR)

        return _row(row), generate

    @intrinsic
    def total(typing, row):
        """The sum of the eight numbers."""

        def generate(context, builder, signature, arguments):
            (row,) = arguments
            for half in (4, 2, 1):
                undefined = ir.Constant(row.type, ir.Undefined)
                low = builder.shuffle_vector(row, undefined, _lanes(list(range(half))))
                high = builder.shuffle_vector(row, undefined, _lanes(list(range(half, 2 * half))))
                row = builder.fadd(low, high)
            return builder.extract_element(row, ir.Constant(_INDEX, 0))

        return types.float64(row), generate

    @intrinsic
    def totals(typing, a, b, c, d, e):
        """The row of the sums of five rows' numbers, then zeros."""

        def generate(context, builder, signature, arguments):
            zeros = ir.Constant(_VECTOR, [0.0] * WIDTH)

            def folded(first, second, low, high):
                return builder.fadd(
                    builder.shuffle_vector(first, second, _lanes(low)),
                    builder.shuffle_vector(first, second, _lanes(high)),
                )

            def folded_pairs(first, second):
                return folded(first, second, [0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15])

            def folded_fours(first, second):
                return folded(first, second, [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15])

            a, b, c, d, e = arguments
            four = folded_fours(folded_pairs(a, b), folded_pairs(c, d))
            last = folded_fours(folded_pairs(e, zeros), zeros)
            return folded(four, last, [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15])

        return _row(a, b, c, d, e), generate

    @intrinsic
    def pairs_swapped(typing, row):
        """Numbers 0 and 1, 2 and 3, and so on exchanged."""

        def generate(context, builder, signature, arguments):
            undefined = ir.Constant(_VECTOR, ir.Undefined)
            return builder.shuffle_vector(arguments[0], undefined, _lanes([1, 0, 3, 2, 5, 4, 7, 6]))

        return _row(row), generate

    @intrinsic
    def with_constant(typing, row, value):
        """The row with another number in the column of constants."""

        def generate(context, builder, signature, arguments):
            return builder.insert_element(arguments[0], arguments[1], ir.Constant(_INDEX, CONSTANT))

        return _row(row, types.float64), generate

    @intrinsic
    def with_constant_of(typing, row, other):
        """The row with the number that another has in the column of constants."""

        def generate(context, builder, signature, arguments):
            return builder.shuffle_vector(*arguments, _lanes([0, 1, 2, 3, 4, 5, WIDTH + CONSTANT, 7]))

        return _row(row, other), generate

    @intrinsic
    def only_constant(typing, row):
        """The row with zeros in all columns but that of constants."""

        def generate(context, builder, signature, arguments):
            zeros = ir.Constant(_VECTOR, [0.0] * WIDTH)
            return builder.shuffle_vector(zeros, arguments[0], _lanes([0, 1, 2, 3, 4, 5, WIDTH + CONSTANT, 7]))

        return _row(row), generate

    @intrinsic
    def constant_row(typing, value):
        """The row with a number in the column of constants, and zeros."""

        def generate(context, builder, signature, arguments):
            zeros = ir.Constant(_VECTOR, [0.0] * WIDTH)
            return builder.insert_element(zeros, arguments[0], ir.Constant(_INDEX, CONSTANT))

        return _row(types.float64), generate

    @intrinsic
    def turn(typing, c, s):
        """(C, S): row C + pairs_swapped(row) S has columns 0, 1 and 2, 3 turned by the angle of cosine c, sine s."""

        def generate(context, builder, signature, arguments):
            c, s = arguments
            one, zero = ir.Constant(_DOUBLE, 1.0), ir.Constant(_DOUBLE, 0.0)
            minus = builder.fsub(zero, s)
            rows = []
            for numbers in ((c, c, c, c, one, one, one, one), (minus, s, minus, s, zero, zero, zero, zero)):
                row = ir.Constant(_VECTOR, ir.Undefined)
                for k, number in enumerate(numbers):
                    row = builder.insert_element(row, number, ir.Constant(_INDEX, k))
                rows.append(row)
            return context.make_tuple(builder, signature.return_type, rows)

        return types.UniTuple(_row, 2)(types.float64, types.float64), generate

else:
    load, store, scaled, add, multiply, add_scaled = _load, _store, _scaled, _add, _multiply, _add_scaled
    add_multiple, magnitude, total, pairs_swapped, turn = _add_multiple, _magnitude, _total, _pairs_swapped, _turn
    add_product, less_product, totals, with_constant, with_constant_of, only_constant, constant_row = (
        _add_product, _less_product, _totals, _with_constant, _with_constant_of, _only_constant, _constant_row,
    )  # fmt: skip
