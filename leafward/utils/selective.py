"""Selective checkpointing: operations of a checkpointed function that keep their results instead of running again."""
import enum

from leafward.core.call import apply, apply_inplace, values_at
from leafward.core.recording import may_differ, record, wanted_mask
from leafward.core import modes
from leafward.core.transform_levels import Level
from leafward.derive.overloads import OpOverload, OpOverloadPacket, overload_of
from leafward.core.slot_codes import RESIDUAL
from leafward.core.from_array import tensor_from_array


class CheckpointPolicy(enum.Enum):
    """What becomes of an operation's result: kept until backward, or computed again."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


#: Everything is on the CPU: what would be brought there is kept.
SAVING = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, CheckpointPolicy.MUST_CPU_OFFLOAD,
          CheckpointPolicy.PREFER_CPU_OFFLOAD, True)
#: Operations that no policy is asked about.
SAC_IGNORED_OPS = {OpOverload("detach")}


class SelectiveCheckpointContext:
    """What a policy is told beside the operation and its arguments: the result, in ``op_output``."""

    def __init__(self, *, is_recompute, op_output=None):
        self.is_recompute = is_recompute
        self.op_output = op_output


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """The ``context_fn`` of :func:`checkpoint` for which some operations keep their results.

    A list names them: ``[torch.ops.aten.mm.default]``. A function gets a :class:`SelectiveCheckpointContext`, the operation
    and its arguments, and answers with a :class:`CheckpointPolicy`. An operation is named as PyTorch names its ``grad_fn``.

    >>> import leafward as lw
    >>> from functools import partial
    >>> from leafward.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> products = partial(create_selective_checkpoint_contexts, [lw.ops.aten.mm.default])
    >>> x = lw.eye(2, requires_grad=True)
    >>> checkpoint(lambda x: (x @ x).tanh().sum(), x, use_reentrant=False, context_fn=products).backward()
    """
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not isinstance(op, OpOverload):
                packet = isinstance(op, OpOverloadPacket)
                raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. " + (
                    "Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                    "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`." if packet else ""))

        def policy(context, op, *args, **kwargs):
            return CheckpointPolicy.MUST_SAVE if op in policy_fn_or_list else CheckpointPolicy.PREFER_RECOMPUTE
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    kept = {}
    return Keeping(policy, kept), Recalling(kept, allow_cache_entry_mutation)


class Kept:
    """The arrays that one call gave, and their versions."""

    def __init__(self, outputs):
        self.arrays = [x._array for x in outputs]
        self.counters = [(x._counter, x._counter.version) for x in outputs]
        self.residuals = ()
        node = outputs[0]._node
        if node is not None:
            pairs = zip(node._plan.slots, node._values, strict=True)
            self.residuals = [value for (kind, _), value in pairs if kind == RESIDUAL]

    def is_current(self):
        return all(counter.version == version for counter, version in self.counters)


class Watching(Level):
    """Sees every operation in a ``with`` block, in order."""

    watches = True

    def __enter__(self):
        self.number = -1                                    # of the operation
        return super().__enter__()

    def apply_inplace(self, op, values, inputs, name):
        with self.around():
            return apply_inplace(op, values, name)

    def apply_function(self, cls, args):
        with self.around():
            return cls.run(args, {})[0]

    def refuse_out(self, op):
        raise NotImplementedError(f"out= of {op.name} in a selectively checkpointed function: use what the function returns")


class Keeping(Watching):
    """The first run: results that the policy wants are kept."""

    def __init__(self, policy, kept):
        super().__init__()
        self.policy, self.kept = policy, kept

    def apply(self, op, values, inputs):
        self.number += 1
        with self.around():
            result = apply(op, values)
            name = overload_of(op, inputs, values_at(values, op.option_at))
            if name not in SAC_IGNORED_OPS:
                context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
                # Views cost nothing again, writes have happened, and random numbers must be drawn for those after them.
                if self.policy(context, name, *values) in SAVING and op.alias is None and op.writes is None and not op.random:
                    self.kept[self.number] = Kept(result if isinstance(result, tuple) else [result])
        return result


class Recalling(Watching):
    """The second run: kept results are given again, with a new node."""

    def __init__(self, kept, mutable):
        super().__init__()
        self.kept, self.mutable = kept, mutable
        self.is_used = False

    def __enter__(self):
        if self.is_used:
            raise RuntimeError("Trying to backward an extra time. You are only allowed to backward once on any region computed "
                               "under selective activation checkpoint.")
        self.is_used = True
        return super().__enter__()

    def apply(self, op, values, inputs):
        self.number += 1
        kept = self.kept.pop(self.number, None)
        with self.around():
            if kept is None:
                return apply(op, values)
            if not self.mutable and not kept.is_current():
                raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
            outputs = [tensor_from_array(array) for array in kept.arrays]
            mask = wanted_mask(op, inputs) if modes.grad_enabled() else 0
            if mask:
                node = record(op, mask, inputs, values_at(values, op.option_at), outputs, residuals_for(op, mask, kept), False)
                for number, output in enumerate(outputs):
                    if may_differ(op, number, output):
                        output._node, output._output_nr = node, number
        return op.package(outputs) if op.outputs else outputs[0]


def residuals_for(op, mask, kept):
    """The residuals by position: of those that no rule asks for nothing was kept, and nothing is asked."""
    from leafward.core.plan import plan_for
    positions = [position for kind, position in plan_for(op, mask).slots if kind == RESIDUAL]
    residuals = [None] * len(op.residuals)
    for position, value in zip(positions, kept.residuals, strict=True):
        residuals[position] = value
    return residuals
