"""What differs between the two sides: exceptions, and all that the variables are."""
import numpy as np

import leafward
from tests.fuzz.kinds import KINDS
from tests.oracle import TOLERANCE, dtype_name, expected_type, first_sentence, to_numpy, torch


class Difference(Exception):
    """What differs after the last line of a program."""

    def __init__(self, kind, where, text, row=None, raised=None):
        super().__init__(f"{kind}: {where}: {text}")
        self.kind, self.where, self.text = kind, where, text
        #: The row of docs/differences.md that says so.
        self.row = row
        #: What leafward raised where PyTorch raised something else.
        self.raised = raised


# --- exceptions ------------------------------------------------------------------------------------------------------

def compare_errors(ours, theirs):
    if theirs is None and ours is None:
        return
    if theirs is None:
        raise Difference("refuses", type(ours).__name__, f"{type(ours).__name__}: {first_sentence(ours)}")
    if ours is None:
        raise Difference("accepts", type(theirs).__name__, f"PyTorch raises {type(theirs).__name__}: {first_sentence(theirs)}")
    if not isinstance(ours, builtin_type(theirs)):
        raise Difference("exception", f"{type(ours).__name__} for {type(theirs).__name__}",
                         f"{first_sentence(ours)}\n    PyTorch: {first_sentence(theirs)}", raised=ours)
    if first_sentence(ours) != first_sentence(theirs):
        raise Difference("sentence", type(theirs).__name__, f"{first_sentence(ours)}\n    PyTorch: {first_sentence(theirs)}")


def builtin_type(error):
    """The type that both sides have. NotImplementedError is what PyTorch raises for a missing kernel: RuntimeError will do."""
    kind = expected_type(error)
    return next(base for base in kind.__mro__ if base.__module__ == "builtins")


# --- states ----------------------------------------------------------------------------------------------------------

def compare_states(ours, theirs, seen=(), born=None):
    """Every variable: the gravest difference of all of them, but what was ``seen`` already."""
    found = []
    if set(ours) != set(theirs):
        raise Difference("python", "variables", f"{sorted(set(ours) ^ set(theirs))}")
    for name, value in theirs.items():
        found += differences(name, ours[name], value)
    found += relations(ours, theirs)
    found += versions(ours, theirs, {} if born is None else born)
    found = [d for d in found if (d.kind, d.where) not in seen]
    if found:
        raise min(found, key=lambda d: KINDS.index(d.kind))


def differences(name, ours, theirs):
    if isinstance(theirs, torch.Tensor):
        if not isinstance(ours, leafward.Tensor):
            return [Difference("python", name, f"{type(ours)}, PyTorch a tensor")]
        return tensor_differences(name, ours, theirs)
    if isinstance(theirs, (tuple, list)) and not isinstance(theirs, torch.Size):
        kind = tuple if isinstance(theirs, tuple) else list
        if not isinstance(ours, kind) or len(ours) != len(theirs):
            return [Difference("python", name, f"{ours!r}, PyTorch {theirs!r}"[:300])]
        return [d for k, (a, b) in enumerate(zip(ours, theirs)) for d in differences(f"{name}[{k}]", a, b)]
    return plain_differences(name, ours, theirs)


def plain_differences(name, ours, theirs):
    if isinstance(theirs, (float, complex)) and isinstance(ours, type(theirs)):
        return [] if np.isclose(ours, theirs, rtol=1e-4, atol=1e-5, equal_nan=True) else [
            Difference("value", name, f"{ours!r}, PyTorch {theirs!r}")]
    if isinstance(theirs, (bool, int, str, type(None))) or isinstance(theirs, torch.Size):
        same = ours == theirs and (isinstance(ours, bool) == isinstance(theirs, bool))
        return [] if same else [Difference("python", name, f"{ours!r}, PyTorch {theirs!r}"[:300])]
    if isinstance(theirs, torch.dtype):
        return [] if str(ours) == str(theirs) else [Difference("dtype", name, f"{ours}, PyTorch {theirs}")]
    return []


def tensor_differences(name, ours, theirs):
    found = []

    def same(kind, a, b, what=""):
        if a != b:
            found.append(Difference(kind, name + what, f"{a}, PyTorch {b}"))
            return False
        return True
    same("requires_grad", ours.requires_grad, theirs.requires_grad)
    expected, found_leaf = leafness(theirs), leafness(ours)       # (which may bring a view up to date, on both sides)
    if expected is not None:
        same("is_leaf", found_leaf, expected)
    same("python", ours.is_inference(), theirs.is_inference(), ".is_inference()")
    if same("dtype", str(ours.dtype), str(theirs.dtype)) and same("shape", tuple(ours.shape), tuple(theirs.shape)):
        if theirs.numel():
            same("mirror", (ours.is_conj(), ours.is_neg()), (theirs.is_conj(), theirs.is_neg()))
            same("stride", steps(ours), steps(theirs))
        found += value_differences("value", name, ours, theirs)
    if expected not in (None, "refused") and (theirs.is_leaf or theirs.retains_grad):
        found += gradient_differences(name, ours, theirs)
    return found


def leafness(tensor):
    """``is_leaf``; "refused" where a view has lost its history; None where PyTorch cannot say."""
    try:
        return tensor.is_leaf
    except RuntimeError as error:
        return None if "INTERNAL ASSERT" in str(error) else "refused"


def steps(tensor):
    """The strides of the dims that have more than one place."""
    return tuple(s if n > 1 else None for n, s in zip(tensor.shape, tensor.stride()))


def gradient_differences(name, ours, theirs):
    mine, expected = ours.grad, theirs.grad
    if (mine is None) != (expected is None):
        return [Difference("gradient", name, f"grad is {'None' if mine is None else 'there'}, PyTorch's "
                                             f"{'None' if expected is None else 'there'}")]
    if expected is None:
        return []
    if str(mine.dtype) != str(expected.dtype):
        return [Difference("dtype", f"{name}.grad", f"{mine.dtype}, PyTorch {expected.dtype}")]
    if tuple(mine.shape) != tuple(expected.shape):
        return [Difference("shape", f"{name}.grad", f"{tuple(mine.shape)}, PyTorch {tuple(expected.shape)}")]
    found = value_differences("gradient", f"{name}.grad", mine, expected)
    if mine.requires_grad != expected.requires_grad:
        found.append(Difference("requires_grad", f"{name}.grad", f"{mine.requires_grad}, PyTorch {expected.requires_grad}"))
    if expected.numel() and steps(mine) != steps(expected):
        found.append(Difference("stride", f"{name}.grad", f"{steps(mine)}, PyTorch {steps(expected)}"))
    return found


#: Programs compute on what they computed, which the tolerances of one op do not cover.
CHAIN = {"float16": (8e-3, 2e-3), "bfloat16": (6e-2, 2e-2), "float32": (1e-4, 2e-5), "float64": (1e-6, 1e-7),
         "complex64": (1e-4, 2e-5), "complex128": (1e-6, 1e-7)}
assert set(CHAIN) == set(TOLERANCE)


def value_differences(kind, name, ours, theirs):
    if has_memory(theirs) and ours.detach().tolist() == theirs.detach().tolist():
        return []                                   # nearly always, and soon told
    a, b = values_of(ours), values_of(theirs)
    bad = disagreeing(a, b, dtype_name(theirs))
    if not bad.any():
        return []
    at = tuple(int(k) for k in np.argwhere(bad)[0])
    return [Difference(kind, name, f"{list(at)}: {a[at]}, PyTorch {b[at]} ({int(bad.sum())} of {bad.size} differ)")]


def has_memory(tensor):
    """Whether a tensor of PyTorch's lies in memory by strides: sparse ones do not, nor its "zero tensors"."""
    return tensor.layout is torch.strided and not tensor._is_zerotensor()


def values_of(tensor):
    """Of a copy: to look at PyTorch's own memory through NumPy forbids to resize it from then on."""
    tensor = tensor.detach()
    return to_numpy(tensor.to_dense() if str(tensor.layout) == "torch.sparse_coo" else tensor.clone())


def disagreeing(a, b, dtype):
    if dtype not in CHAIN:
        return a != b
    rtol, atol = CHAIN[dtype]
    with np.errstate(all="ignore"):
        parts = [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a, b)]
        scale = np.abs(b)
        good = True
        for p, q in parts:
            p, q = p.astype("float64"), q.astype("float64")
            near = np.abs(p - q) <= atol + rtol * np.where(np.isfinite(scale), scale, 0)
            good &= near | (p == q) | (np.isnan(p) & np.isnan(q))
    return ~good


def relations(ours, theirs):
    """Which variable is the base of which; which share a storage.

    A base that no variable holds is nobody's business: PyTorch reshapes many a result last, and the new tensor is a view then.
    """
    names = [n for n, v in theirs.items() if isinstance(v, torch.Tensor) and isinstance(ours.get(n), leafward.Tensor)]
    found = []
    for name in names:
        a, b = base_of(ours, name, names), base_of(theirs, name, names)
        if a != b:
            found.append(Difference("view", f"{name}._base", f"{a}, PyTorch {b}"))
    full = [(n, address(ours[n]), address(theirs[n])) for n in names if theirs[n].numel() and ours[n].numel()]
    for k, (name, mine, expected) in enumerate(full):
        for other, a, b in full[:k]:
            if (mine == a) != (expected == b):
                said = f"{'share' if mine == a else 'do not share'} their memory, not so in PyTorch"
                found.append(Difference("view", f"{name}, {other}", said))
                return found
    return found


def address(tensor):
    """Where its memory begins; of PyTorch's zero tensors, which have none, something else each time."""
    try:
        return tensor.untyped_storage().data_ptr()
    except RuntimeError:
        return object()


def versions(ours, theirs, born):
    """How often each variable was written since it is there."""
    found = []
    for name, value in theirs.items():
        if not isinstance(value, torch.Tensor) or not isinstance(ours[name], leafward.Tensor):
            continue
        if not value.is_inference() and not ours[name].is_inference():
            try:
                now = ours[name]._version, value._version
            except RuntimeError:                # nobody counts them: what it holds now was made in inference mode
                continue
            if name not in born or born[name][0] is not value:
                base = value._base      # a view counts with its base, from where that is
                family = next((born[n][1] for n in born if born[n][0] is base), now) if base is not None else now
                born[name] = value, family
            first = born[name][1]
            if now[0] - first[0] != now[1] - first[1]:
                found.append(Difference("version", name, f"{now[0] - first[0]} writes, PyTorch {now[1] - first[1]}"))
    return found


def base_of(side, name, names):
    """The first variable of the family that the view ``name`` belongs to, unless it is that one itself."""
    if side[name]._base is None:
        return None
    root = side[name]._base
    first = next((n for n in names if side[n] is root or side[n]._base is root), name)
    return None if first == name else first
