"""What one call kept for its derivative: the value, at which version it was, and where it was saved."""
from leafward.errors import InplaceGradientError, inference_save_error, silent_gradient
from leafward.core import modes
from leafward.core.history import identity
from leafward.core.transform_levels import tangents_now
from leafward.core.mode_bits import HOOKS, LEVELS
from leafward.core.op import Meta
from leafward.core.native import allocate, call_site
from leafward.core.runtime import runtime
from leafward.core.seals import is_marked, is_restored, seal, written_outside
from leafward.core.packed import Packing, is_users
from leafward.core.storage import Storage, writes_since
from leafward.core.tensor import DEFAULT, allocate_tensor, array_of, requires_grad


class Saved:
    """One kept tensor: its bytes, the counts at the time, and its place in the graph for double backward.

    The value is the one that was used: a tensor that is given other memory later (``x.data = other``) leaves it as it
    is. A node's own output is kept without its ``grad_fn`` (it would be a cycle): the node that unpacks it is that
    ``grad_fn``.
    """

    def check(self, node):
        """Compare the counts: nothing, a :class:`SilentGradientWarning`, or :class:`InplaceGradientError`."""
        writes = writes_since(self.storage, self.writes)
        overlapping = [] if writes is None else [w for w in writes if runtime.overlap(w.region, self.array)]
        counted = self.counter.version != self.version
        touched = writes is None or overlapping or (counted and self.moved())   # not a disjoint row: PyTorch's false alarm
        if touched and counted:
            raise InplaceGradientError(node=node, saved=self, writes=overlapping, site=call_site())
        if not runtime.checks:
            return
        if touched and not is_restored(self, overlapping):
            silent_gradient(node, self, overlapping)
        elif self.storage.escaped is not None and not is_marked(overlapping) and written_outside(self):
            silent_gradient(node, self, None)

    def moved(self):
        """Whether the tensor now looks at other memory (``x.data = other``, ``set_``), or in another order (``x.t_()``)."""
        return (self.leaf is not None and self.leaf._array is not self.array
                and not same_place(self.leaf._array, self.array))

    def unpack(self, node, recorded):
        """The array, or the Tensor with its history when backward is being recorded."""
        if self.packed is not None:
            if self.array is not None and (self.storage.writes != self.writes or self.storage.escaped is not None):
                self.check_packed(node)
            tensor = self.unpacked(node, recorded)
            return self.connected(tensor, node) if recorded else array_of(tensor)
        if (self.counter.version != self.version or self.storage.writes != self.writes
                or self.storage.escaped is not None):
            self.check(node)
        if not recorded:
            return self.array if type(self.array) is runtime.ndarray else runtime.xp.resolved(self.array)
        if self.leaf is not None and not self.moved():
            return self.leaf
        tensor = self.as_tensor(node)
        return tensor if self.leaf is None or not self.leaf._requires_grad else self.connected(tensor, node)

    def keep_levels(self, tensor):
        """Keep the tangents of ``tensor``, or the whole batch that it stands for."""
        level_copy = without_history(tensor)
        if level_copy._tangents is None and level_copy._batch is None:
            return
        self.level_copy = level_copy
        if self.leaf is not None and not self.leaf._requires_grad:
            self.leaf = None                                # it leads nowhere, and may get other tangents

    def pack(self, hooks, tensor):
        """Keep what the hook makes of the value, instead of the value."""
        shown = self.as_tensor(None) if self.leaf is None else tensor
        version = self.counter.version
        packing = Packing(hooks) if runtime.checks and is_users(hooks[0]) and self.level_copy is None else None
        with modes.recording(False):
            packed = hooks[0](shown)
        if self.counter.version != version:
            raise RuntimeError("A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
                               "hook cannot be modified by in-place operations as this can lead to unexpected "
                               "side-effects. Please open an issue if you need to perform in-place operations on the input "
                               "to a pack hook.")
        same = packing is not None and type(self.array) is runtime.ndarray and packing.note(self, packed)
        runtime.cycles = True
        self.packed = (packed, hooks[1], packing)
        if not same:                                        # the memory is the hook's business now, and may go
            self.array = None
            self.storage = self.counter = nowhere
            self.version = self.writes = 0
        if self.leaf is not None and not self.leaf._requires_grad:
            self.leaf = None

    def check_packed(self, node):
        """Tell of writes to memory that a hook packed as it is: no version is compared of what hooks keep."""
        if not runtime.checks:
            return
        writes = writes_since(self.storage, self.writes)
        overlapping = [] if writes is None else [w for w in writes if runtime.overlap(w.region, self.array)]
        if writes is None or overlapping:
            if not is_restored(self, overlapping):
                silent_gradient(node, self, overlapping)
        elif self.storage.escaped is not None and written_outside(self):
            silent_gradient(node, self, None)

    def unpacked(self, node, recorded):
        """What the other hook makes of it again."""
        packed, unpack, packing = self.packed
        watched = packing is not None and self.array is None and runtime.checks
        changed = packing.changed(packed) if watched else None
        written = runtime.written
        if recorded:
            tensor = unpack(packed)
        else:
            with modes.recording(False):
                tensor = unpack(packed)
        if not isinstance(tensor, runtime.tensor):
            raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                            f"{type(tensor).__name__}")
        if watched:
            packing.tell(node, self, tensor, changed, written)
        return tensor

    def connected(self, tensor, node):
        """``tensor``, which a hook brought back, with the history of what was saved."""
        if tensor is self.leaf or (self.leaf is None and self.node is None and not self.is_output):
            return tensor
        if self.leaf is not None:
            return identity(tensor, self.leaf)
        shown = without_history(tensor)
        shown._node = node if self.is_output else self.node
        shown._output_nr = self.output_nr
        return shown

    def shape(self):
        """The shape of the kept value."""
        return (self.array if self.leaf is None else self.leaf._array).shape

    def as_tensor(self, node):
        """The kept value as a Tensor on the same memory."""
        if self.level_copy is not None:
            tensor = without_history(self.level_copy)
            tensor._node = node if self.is_output else self.node
            tensor._output_nr = self.output_nr
            return tensor
        tensor = allocate_tensor(runtime.tensor)
        tensor._array = self.array
        tensor._dtype = self.dtype
        tensor._storage = self.storage
        tensor._counter = self.counter
        tensor._node = node if self.is_output else self.node
        tensor._output_nr = self.output_nr
        return tensor


if __file__.endswith(".py"):            # interpreted; compiled, saved.pxd gives the layout
    for field in ("array", "leaf", "level_copy", "counter", "storage", "node", "dtype", "packed", "alias", "seal"):
        setattr(Saved, field, None)
    for field in ("version", "writes", "output_nr", "creation", "escapes"):
        setattr(Saved, field, 0)
    Saved.is_output = False


def same_place(a, b):
    """Whether two arrays are the same elements of the same memory."""
    return (a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype
            and a.__array_interface__["data"] == b.__array_interface__["data"])


#: The storage of values that hooks keep elsewhere.
nowhere = Storage()


def keep(tensor, is_output, output_nr):
    """Save ``tensor`` for a node; ``is_output``: it is that node's own output number ``output_nr``."""
    if tensor._inference:
        raise inference_save_error()
    saved = allocate(Saved)
    saved.counter = tensor._counter
    saved.storage = tensor._storage
    saved.version = saved.counter.version
    saved.writes = saved.storage.writes
    saved.dtype = tensor._dtype
    saved.array = tensor._array
    saved.alias = tensor._alias
    saved.storage.kept = True
    if saved.storage.escaped is not None:
        seal(saved)
    if is_output:
        saved.is_output = True
        saved.output_nr = output_nr
    elif tensor._node is None and (tensor._base is None or tensor._requires_grad):
        saved.leaf = tensor                                 # not a plain view: its base may come to depend on this node
        if tensor._creation != DEFAULT and requires_grad(tensor):
            saved.creation = tensor._creation
    else:
        saved.node = tensor._node
        saved.creation = tensor._creation
        saved.output_nr = tensor._output_nr
    word = modes.word()
    if word & (HOOKS | LEVELS):
        if word & LEVELS:
            saved.keep_levels(tensor)
        if word & HOOKS:
            saved.pack(modes.current().saved_hooks[-1], tensor)
    return saved


def without_history(tensor):
    """The same tensor once more, without its history and no view: of its class, with its tangents or its batch."""
    copy = allocate_tensor(runtime.tensor if type(tensor) is runtime.parameter else type(tensor))
    copy._array, copy._dtype = tensor._array, tensor._dtype
    copy._storage, copy._counter = tensor._storage, tensor._counter
    copy._alias, copy._inference = tensor._alias, tensor._inference
    for name in BATCH_FIELDS:
        if name in tensor.__dict__:
            setattr(copy, name, tensor.__dict__[name])
    if (tangents := tangents_now(tensor)) is not None:      # those of a view are in its base
        copy._tangents = tangents
    return copy


#: What a tensor of a vmap level carries beside its fields.
BATCH_FIELDS = ("_batch", "_value", "_bdim")


def meta_of(value):
    """Shape and dtype of a tensor; a Python scalar counts as 0-dim."""
    if value is None:
        return None
    if isinstance(value, list):
        return [meta_of(v) for v in value]
    if isinstance(value, runtime.tensor):
        return Meta(value._array.shape, value._dtype)
    return Meta((), None)
