"""Whether a difference is what a rounding makes: PyTorch's own numbers moved by one, or computed with more digits."""
import numpy as np

import leafward
from tests.fuzz.comparing import disagreeing, values_of
from tests.fuzz.sides import replay
from tests.oracle import torch
from torch.utils._python_dispatch import TorchDispatchMode


def is_rounding(lines, difference, ours):
    """Whether PyTorch's own result moves as much when a program's numbers move by a rounding, or have more digits."""
    if ".view(t." in lines[-1] or "hash_tensor(" in lines[-1]:
        return True                     # the bits of a number show its last digit
    plain = at_place(replay(lines, torch), difference.where)
    mine = at_place(ours, difference.where)
    if plain is None or mine is None or plain.shape != mine.shape:
        return False
    moved = [m for m in (at_place(replayed_with_noise(lines, k), difference.where) for k in range(8)) if m is not None]
    moved = [m for m in moved if m.shape == plain.shape]
    if not moved:
        return False
    bad = disagreeing(mine, plain, str(plain.dtype))
    if plain.dtype.kind in "biu":
        moved, plain, mine = (x.astype("float64")[..., bad] for x in (np.stack(moved), plain, mine))
        many = np.abs(moved - plain).max(axis=0) < 1e-3 * np.abs(plain)         # a number, not a choice or a place
        return all((moved == mine).any(axis=0) | (many & (np.abs(mine - plain) <= 10 * np.abs(moved - plain).max(axis=0))))
    with np.errstate(all="ignore"):
        wide = "complex128" if plain.dtype.kind == "c" else "float64"
        plain, mine, moved = plain.astype(wide), mine.astype(wide), np.stack(moved).astype(wide)
        spread = np.abs(moved - plain)[:, bad]
        spread = np.where(np.isnan(spread), np.inf, spread).max(axis=0)
        exact = at_place(replayed_in_float64(lines), difference.where)
        if exact is not None and exact.shape == plain.shape and exact.dtype.kind == plain.dtype.kind:
            off = np.abs(exact.astype(wide) - plain)[bad]
            spread = np.fmax(spread, np.where(np.isfinite(off), off, 0))
        error = np.abs(mine - plain)[bad]
        return bool((np.where(np.isnan(error), np.inf, error) <= 10 * spread).all())


def replayed_with_noise(lines, seed):
    noise = Noise(seed)
    with noise:
        return replay(lines, Program(noise.moved))


def replayed_in_float64(lines):
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return replay(lines, Program(widened))
    finally:
        torch.set_default_dtype(before)


def at_place(side, where):
    """The values of ``v3``, ``v3[1]``, ``v3.grad``."""
    try:
        value = eval(where, dict(side))     # noqa: S307  our own text
    except Exception:                       # it is not there, then
        return None
    if isinstance(value, (torch.Tensor, leafward.Tensor)):
        return values_of(value)
    return np.asarray(value) if isinstance(value, (float, complex)) else None


# --- other numbers --------------------------------------------------------------------------------------------------

class Program:
    """PyTorch, but for the numbers that a program begins with: ``begin`` makes others of them."""

    def __init__(self, begin):
        self._begin = begin

    def __getattr__(self, name):
        return getattr(torch, name)

    def tensor(self, *args, **kwargs):
        made = torch.tensor(*args, **kwargs)
        if made.dtype in Noise.EPS:
            made = self._begin(made.detach())
        return made.requires_grad_(kwargs.get("requires_grad", False))


class Noise(TorchDispatchMode):
    """Moves each number that PyTorch computes by about a rounding: in functions, methods, writes and derivatives.

    Small whole numbers are exact, and so are numbers that a call was given: it only chose among them.
    """

    EPS = {torch.float16: 1e-3, torch.bfloat16: 8e-3, torch.float32: 2.4e-7, torch.float64: 4e-16,
           torch.complex64: 2.4e-7, torch.complex128: 4e-16}

    def __init__(self, seed):
        super().__init__()
        self._rng = np.random.default_rng(seed)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = torch.cat([torch.zeros(0, dtype=torch.complex128), *map(numbers, tensors_in([args, kwargs]))])
        schema = function._schema
        if "linalg_" in schema.name:
            args = [self.moved_together(x) if isinstance(x, torch.Tensor) and x.dtype in self.EPS else x for x in args]
        made = function(*args, **kwargs)
        named = dict(zip((a.name for a in schema.arguments), args), **kwargs)
        computed = [named.get(a.name) for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]
        returned = made if isinstance(made, tuple) and len(schema.returns) > 1 else (made,)
        computed += [value for told, value in zip(schema.returns, returned) if told.alias_info is None]
        for tensor in tensors_in(computed):
            if tensor.dtype in self.EPS and not tensor._is_zerotensor():       # those have no memory
                exact = torch.isin(torch.view_as_real(numbers(tensor)), torch.view_as_real(given)).all(-1).view(tensor.shape)
                tensor.copy_(torch.where(exact, tensor, self.moved(tensor)))
        return made

    def moved(self, tensor):
        """A tensor of other numbers, each some 1e-7 of it away (float32), whole ones of up to three digits as they were."""
        wide = torch.view_as_real(tensor.detach().to(torch.complex128))
        noise = torch.from_numpy(1 + self.EPS[tensor.dtype] * self._rng.uniform(-1, 1, tuple(wide.shape)))
        wide = torch.view_as_complex(torch.where((wide == wide.round()) & (wide.abs() < 1000), wide, wide * noise))
        return (wide if tensor.is_complex() else wide.real).to(tensor.dtype)

    def moved_together(self, tensor):
        """Each number moved by a rounding of the largest: as exact as factors of a matrix are.

        Source: Higham, 2002, Accuracy and Stability of Numerical Algorithms, chapter 1.5
        """
        wide = torch.view_as_real(tensor.detach().to(torch.complex128))
        size = wide[wide.isfinite()].abs().max() if wide.isfinite().any() else 0
        noise = torch.from_numpy(self._rng.uniform(-1, 1, tuple(wide.shape))) * self.EPS[tensor.dtype] * size
        wide = torch.view_as_complex(wide + noise)
        return (wide if tensor.is_complex() else wide.real).to(tensor.dtype)


def tensors_in(values):
    """The strided tensors in nested lists, tuples and dicts."""
    if isinstance(values, torch.Tensor):
        return [values] if values.layout == torch.strided else []
    if isinstance(values, dict):
        values = values.values()
    return [x for value in values for x in tensors_in(value)] if isinstance(values, (list, tuple, type({}.values()))) else []


def numbers(tensor):
    return tensor.detach().to(torch.complex128).reshape(-1)


def widened(tensor):
    """The same numbers with 64 bits; complex ones with 128."""
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)
