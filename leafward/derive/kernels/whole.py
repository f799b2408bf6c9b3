"""A run for integers, which wrap around, and for bools: what symbols of floats do otherwise.

Arithmetic is that of NumPy, on which the paragraph runs otherwise: two bools added are ``or``, multiplied ``and``; a number
among integers has to be one of their dtype; what gives floats is left to NumPy.
"""
from leafward import dtypes
from leafward.core.runtime import runtime
from leafward.derive.kernels.symbols import LOGIC, Run, Untranslatable

#: The dtypes that loops of their own are derived for.
WHOLE = (dtypes.bool, dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
#: What ``whole_math.h`` has, by NumPy's names.
FUNCTIONS = frozenset({"abs", "sign", "sgn", "maximum", "minimum", "fmax", "fmin", "bitwise_left_shift", "bitwise_right_shift",
                       "gcd", "lcm"})
#: What NumPy's operations do to bools.
OF_BOOLS = {"add": "or_", "mul": "and_", "maximum": "or_", "fmax": "or_", "minimum": "and_", "fmin": "and_"}


class WholeRun(Run):
    """One run of a forward for a dtype of integers, or for bools: each array of these is a truth."""

    is_whole = True

    def given(self, name, kind, value=None):
        if kind == "number":
            raise Untranslatable("a number is among its options")
        return super().given(name, "truth" if self.dtype is dtypes.bool else kind, value)

    def node_of(self, value):
        if isinstance(value, float) or type(value) is int and not 0 <= value < 128:      # of any of the dtypes
            raise Untranslatable(f"it computes integers with {value!r}")
        return super().node_of(value)

    def apply(self, name, *values):
        args = [self.node_of(value) for value in values]
        kinds = {node.kind for node in args}
        if name in ("pow", "truediv"):
            raise Untranslatable("C has no powers and quotients of integers")
        if "truth" in kinds and kinds <= {"truth", "flag"} and name in OF_BOOLS:
            name = OF_BOOLS[name]
        if (name in LOGIC or name == "invert") and "element" in kinds:
            if kinds != {"element"}:
                raise Untranslatable("it computes with bits of integers and bools")
            return self.wrap(self.node(name, tuple(args), "element"))
        return super().apply(name, *values)

    def function(self, name, *values):
        kinds = {self.node_of(value).kind for value in values}
        if kinds <= {"truth", "flag"} and name in OF_BOOLS:
            return self.apply(name, *values)
        if name not in FUNCTIONS or "element" not in kinds or "truth" in kinds:
            raise Untranslatable(f"C has no {name} of {'bools' if 'truth' in kinds else 'integers'}")
        return super().function(name, *values)

    def __getattr__(self, name):
        if name in FUNCTIONS:
            return lambda *args, out=None: self.function(name, *args)
        return super().__getattr__(name)

    def where(self, condition, x, y):
        if self.dtype is dtypes.bool:
            condition, x, y = [self.node_of(value) for value in (condition, x, y)]
            if not {node.kind for node in (condition, x, y)} <= {"truth", "flag"}:
                raise Untranslatable("it chooses between numbers")
            return self.wrap(self.node("where", (condition, x, y), "truth"))
        return super().where(condition, x, y)

    def kind_for(self, dtype):
        if dtype is dtypes.bool or dtype == runtime.array_dtype[dtypes.bool]:
            return "truth"
        if self.dtype is dtypes.bool:
            raise Untranslatable(f"it casts to {dtype}")
        return super().kind_for(dtype)
