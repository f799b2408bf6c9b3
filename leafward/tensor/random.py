"""Generators of random numbers: PyTorch's streams, seeds and states."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Any, TYPE_CHECKING

from leafward import devices
from leafward.core.from_array import new_tensor
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.errors import warn
from leafward.tensor.missing import names_missing_from

if TYPE_CHECKING:
    from collections.abc import Iterator
    from leafward.tensor.annotations import Device
    from leafward.tensor.tensor import Tensor

LOWEST_SEED, HIGHEST_SEED = -0x8000_0000_0000_0000, 0xFFFF_FFFF_FFFF_FFFF


def unsigned(seed):
    """``seed`` in 64 bits: a negative one counts back from 2**64."""
    if not LOWEST_SEED <= seed <= HIGHEST_SEED:
        raise ValueError("Overflow when unpacking long long")
    return seed % (HIGHEST_SEED + 1)


def as_state(array):
    return new_tensor(array, runtime.dtype_of[array.dtype])


class Generator:
    """A stream of random numbers of its own, the same as PyTorch's from the same seed.

    >>> import leafward as lw
    >>> g = lw.Generator().manual_seed(0)
    >>> lw.rand(2, generator=g)
    tensor([0.4963, 0.7682])
    """

    __slots__ = ("__weakref__", "engine")

    def __init__(self, device: Device = "cpu") -> None:
        if devices.device(device).type == "meta":
            raise RuntimeError("META device type not an accelerator.")
        devices.check_device(device, "Generator")
        self.engine = runtime.xp.random.Engine()

    @property
    def device(self) -> device:
        """Where it draws."""
        return devices.cpu

    def manual_seed(self, seed: int) -> Generator:
        """Start again from ``seed``; return the generator."""
        if isinstance(seed, bool) or not isinstance(seed, int):
            if not hasattr(seed, "__index__") or isinstance(seed, bool):
                raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
            seed = seed.__index__()
        self.engine.manual_seed(unsigned(seed))
        return self

    def seed(self) -> int:
        """Start again from a seed that nobody chose; return that seed."""
        return self.engine.seed()

    def initial_seed(self) -> int:
        """The seed that it was last started from."""
        return self.engine.initial_seed

    def get_state(self) -> Tensor:
        """The state as a uint8 tensor of 5,056 elements, byte for byte PyTorch's."""
        return as_state(self.engine.get_state())

    def set_state(self, new_state: Tensor) -> Generator:
        """Continue from a state of :meth:`get_state`, or of PyTorch's."""
        if not isinstance(new_state, TensorBase):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state._array.dtype.name != "uint8":
            raise TypeError("RNG state must be a torch.ByteTensor")
        self.engine.set_state(new_state._array)
        return self

    def clone_state(self) -> Generator:
        """A new generator that will draw what this one will draw."""
        twin = Generator()
        twin.engine = self.engine.clone()
        return twin

    def __deepcopy__(self, memo):
        return self.clone_state()

    def __reduce__(self):
        return restored, (self.engine.get_state().tobytes(),)

    def __setstate__(self, state):
        # What PyTorch's files hold of a generator: its first seed, an offset that only GPUs have, its state.
        self.set_state(state[2])


def restored(state):
    """A generator from the bytes of its state."""
    generator = Generator()
    generator.engine = runtime.xp.random.Engine.from_bytes(state)
    return generator


class DefaultGenerator(Generator):
    """The generator that everything draws from that is given none."""

    __slots__ = ()

    def __init__(self):
        # Nothing to do: the engine is made when it first draws, since importing NumPy's takes 12 ms.
        pass

    @property
    def engine(self):
        return runtime.xp.random.default


default_generator = DefaultGenerator()


def manual_seed(seed: int) -> Generator:
    """Start the default generator from ``seed``; return it.

    >>> import leafward as lw
    >>> _ = lw.manual_seed(0)
    >>> lw.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start the default generator from a seed that nobody chose; return that seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator was last started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Let the default generator continue from a state of :func:`get_rng_state`."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, _caller: str = "fork_rng", _devices_kw: str = "devices",
             device_type: str = "cuda") -> Iterator[None]:
    """Within the ``with`` block draw freely: afterwards the default generator goes on as if nothing had been drawn."""
    if not enabled:
        yield
        return
    if devices:
        warn("fork_rng: there is one device, the CPU; `devices` is ignored")
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


__getattr__ = names_missing_from("torch.random", globals())
