"""Eight 64-bit words as one value: what concerns all columns of a position is one line.

      lane   7       6       5       4       3       2       1       0
         +-------+-------+-------+-------+-------+-------+-------+-------+
         | word  | word  | word  | word  | word  | word  | word  | word  |
         +-------+-------+-------+-------+-------+-------+-------+-------+

Python's operators `& | ^ + - * << >>` work lane by lane and wrap at 64 bits; `>>` fills with zeros, and a shift by 64
or more has no defined result. A single word beside lanes stands for eight equal ones. A comparison gives a *set of
lanes*: a uint64 with bit k for lane k, so that sets of lanes are counted and combined as sets of cards are.

LLVM knows such vectors on every processor: eight lanes are one register with AVX-512, two with AVX2, four without
either. The results are the same.
"""

import operator

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 8

_BIT, _BYTE, _INDEX, _WORD = (ir.IntType(width) for width in (1, 8, 32, 64))
_VECTOR = ir.VectorType(_WORD, LANES)
_SET = ir.VectorType(_BIT, LANES)
_BYTES = ir.VectorType(_BYTE, LANES)
_ADDRESSES = ir.VectorType(_WORD.as_pointer(), LANES)

ALL_LANES = np.uint64((1 << LANES) - 1)
"""The set of all lanes."""


class LanesType(types.Type):
    """Numba's type of eight words."""

    def __init__(self):
        super().__init__(name="Lanes")


lanes = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    """Kept as one LLVM vector."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, _VECTOR)


def is_lanes(kind):
    """Whether a Numba type is that of eight words."""
    return isinstance(kind, LanesType)


def call(builder, name, result, *arguments):
    """Call an LLVM intrinsic by its full name."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def _eight(values):
    return ir.Constant(_VECTOR, [ir.Constant(_WORD, value) for value in values])


_ZERO = _eight([0] * LANES)


def _spread(builder, word, kind=_VECTOR):
    """The same word in each lane."""
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), word, _INDEX(0))
    order = ir.Constant(ir.VectorType(_INDEX, LANES), [_INDEX(0)] * LANES)
    return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), order)


def _as_lanes(builder, value, kind):
    if is_lanes(kind):
        return value
    if kind.bitwidth < _WORD.width:
        value = (builder.sext if kind.signed else builder.zext)(value, _WORD)
    return _spread(builder, value)


def _as_set(builder, chosen):
    """A set of lanes as LLVM keeps it, from the number that kernels see."""
    return builder.bitcast(builder.trunc(chosen, _BYTE), _SET)


def _define_operator(symbol, instruction):
    """Let one of Python's operators work on lanes, and on lanes and a word."""

    @infer_global(symbol)
    class _Signature(AbstractTemplate):
        def generic(self, args, kws):
            fitting = all(is_lanes(kind) or isinstance(kind, types.Integer) for kind in args)
            return signature(lanes, *args) if fitting and any(map(is_lanes, args)) else None

    def lower(context, builder, sig, args):
        return getattr(builder, instruction)(*(_as_lanes(builder, *pair) for pair in zip(args, sig.args, strict=True)))

    for kinds in (LanesType, LanesType), (LanesType, types.Integer), (types.Integer, LanesType):
        lower_builtin(symbol, *kinds)(lower)


for _name, _instruction in {
    "and_": "and_",
    "or_": "or_",
    "xor": "xor",
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "lshift": "shl",
    "rshift": "lshr",
}.items():
    _define_operator(getattr(operator, _name), _instruction)
    _define_operator(getattr(operator, f"i{_name.rstrip('_')}"), _instruction)


def _operand(kind):
    """Type of an argument that may be lanes or a word, signed or not."""
    return kind if is_lanes(kind) or kind == types.int64 else types.uint64


@intrinsic
def numbers(typingctx):
    """Each lane's number."""

    def codegen(context, builder, sig, args):
        return _eight(range(LANES))

    return lanes(), codegen


@intrinsic
def word_at(typingctx, words, lane):
    """The word of one lane; what it is for a lane above 7 is not defined."""

    def codegen(context, builder, sig, args):
        return builder.extract_element(args[0], builder.trunc(args[1], _INDEX))

    return types.uint64(lanes, types.uint64), codegen


@intrinsic
def signed_shift(typingctx, words, count):
    """Shift to the right, filled with the sign."""

    def codegen(context, builder, sig, args):
        return builder.ashr(args[0], _spread(builder, args[1]))

    return lanes(lanes, types.uint64), codegen


def _low_half(builder, words):
    """The lower 32 bits of each lane with their sign, said so that LLVM sees it where it chooses a multiplication."""
    half = ir.VectorType(_INDEX, LANES)
    return builder.sext(builder.trunc(words, half), _VECTOR)


@intrinsic
def product(typingctx, words, others):
    """The product in each lane of two numbers that fit into 32 bits with their sign; others count as cut to that.

    One instruction, where `*` takes several on most processors: few multiply 64 bits in lanes.
    """

    def codegen(context, builder, sig, args):
        values = (_as_lanes(builder, *pair) for pair in zip(args, sig.args, strict=True))
        return builder.mul(*(_low_half(builder, value) for value in values))

    return lanes(_operand(words), _operand(others)), codegen


@intrinsic
def smaller(typingctx, words, others):
    """The smaller of two words in each lane, without a sign."""

    def codegen(context, builder, sig, args):
        return builder.select(builder.icmp_unsigned("<", *args), *args)

    return lanes(lanes, lanes), codegen


@intrinsic
def where(typingctx, chosen, words, others):
    """The words of a set of lanes, and others in the other lanes; either may be one word for all."""

    def codegen(context, builder, sig, args):
        values = (_as_lanes(builder, *pair) for pair in zip(args[1:], sig.args[1:], strict=True))
        return builder.select(_as_set(builder, args[0]), *values)

    return lanes(types.uint64, _operand(words), _operand(others)), codegen


def _comparison(compare):
    """An intrinsic from two operands to the set of lanes where LLVM's comparison holds."""

    @intrinsic
    def function(typingctx, words, others):
        def codegen(context, builder, sig, args):
            values = (_as_lanes(builder, *pair) for pair in zip(args, sig.args, strict=True))
            return builder.zext(builder.bitcast(compare(builder, *values), _BYTE), _WORD)

        return types.uint64(_operand(words), _operand(others)), codegen

    return function


met = _comparison(lambda builder, x, y: builder.icmp_unsigned("!=", builder.and_(x, y), _ZERO))
"""The lanes in which two operands have a bit in common."""

differing = _comparison(lambda builder, x, y: builder.icmp_unsigned("!=", x, y))
"""The lanes in which two operands differ; those that are not zero, where one of them is 0."""

at_most = _comparison(lambda builder, x, y: builder.icmp_signed("<=", x, y))
"""The lanes in which the first operand is at most the second; both count as signed."""


def _reduction(name):
    """An intrinsic from lanes to one word."""

    @intrinsic
    def function(typingctx, words):
        def codegen(context, builder, sig, args):
            return call(builder, f"llvm.vector.reduce.{name}.v8i64", _WORD, args[0])

        return types.uint64(lanes), codegen

    return function


total = _reduction("add")
"""The sum of all lanes."""

union = _reduction("or")
"""The bits that are set in any lane."""

least = _reduction("umin")
"""The least of the lanes, without a sign."""


def _address(context, builder, sig, args, kind):
    data = context.make_array(sig.args[0])(context, builder, args[0]).data
    return builder.bitcast(builder.gep(data, [args[1]]), kind.as_pointer())


@intrinsic
def load(typingctx, array, index):
    """Eight neighbours in an array of words, from a flat index on."""

    def codegen(context, builder, sig, args):
        return builder.load(_address(context, builder, sig, args, _VECTOR), align=8)

    return lanes(array, types.uint64), codegen


@intrinsic
def store(typingctx, array, index, words):
    """Put lanes into an array of words, from a flat index on."""

    def codegen(context, builder, sig, args):
        builder.store(args[2], _address(context, builder, sig, args, _VECTOR), align=8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, lanes), codegen


@intrinsic
def load_bytes(typingctx, array, index, chosen):
    """A set of eight neighbours in an array of bytes, from a flat index on; 0 in other lanes, which are not read."""

    def codegen(context, builder, sig, args):
        place = _address(context, builder, sig, args[:2], _BYTES)
        nothing = ir.Constant(_BYTES, [_BYTE(0)] * LANES)
        some = call(builder, "llvm.masked.load.v8i8.p0", _BYTES, place, _INDEX(1), _as_set(builder, args[2]), nothing)
        return builder.zext(some, _VECTOR)

    return lanes(array, types.uint64, types.uint64), codegen


@intrinsic
def gather(typingctx, array, indices):
    """For each lane the entry of an array of words."""

    def codegen(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        start = _spread(builder, builder.ptrtoint(data, _WORD))
        places = builder.inttoptr(builder.add(start, builder.shl(args[1], _eight([3] * LANES))), _ADDRESSES)
        everywhere = ir.Constant(_SET, [_BIT(1)] * LANES)
        return call(builder, "llvm.masked.gather.v8i64.v8p0", _VECTOR, places, _INDEX(8), everywhere, _ZERO)

    return lanes(array, lanes), codegen


@intrinsic
def in_bytes(typingctx, chosen):
    """A set of lanes as a word with a byte for each: 1 for those in the set."""

    def codegen(context, builder, sig, args):
        return builder.bitcast(builder.zext(_as_set(builder, args[0]), _BYTES), _WORD)

    return types.uint64(types.uint64), codegen
