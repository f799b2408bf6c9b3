"""The call of a module that has hooks.

Forward hooks are plain calls around ``forward``. Full backward hooks need two gates in the graph, identity functions
that pass gradients through: one around the inputs, where ``grad_input`` comes out, and one around the outputs, where
``grad_output`` goes in.
"""

import leafward as lw
from leafward.autograd import Function
from leafward.errors import warn
from leafward.nn.modules import hooks


class HookedCall:
    """The part of :class:`Module` that calls ``forward`` and its hooks."""

    def _call_impl(self, *args, **kwargs):
        called = set()
        try:
            return self._call_with_hooks(args, kwargs, called)
        except Exception:
            self._call_remaining_always_hooks(args, kwargs, called)
            raise

    def _call_with_hooks(self, args, kwargs, called):
        full, older = self._get_backward_hooks()
        before = self._get_backward_pre_hooks()
        for hook, with_kwargs in self._forward_pre_hooks_in_order():
            args, kwargs = self._after_pre_hook(hook, with_kwargs, args, kwargs)
        gates = BackwardGates(self, full, before) if full or before else None
        if gates is not None:
            args = gates.around_inputs(args)
        result = self.forward(*args, **kwargs)
        for key, hook, with_kwargs in self._forward_hooks_in_order():
            called.add(key)
            hook_result = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            if hook_result is not None:
                result = hook_result
        if gates is not None:
            if not isinstance(result, (lw.Tensor, tuple)):
                warn("For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                     f"but received {type(result)}")
            result = gates.around_outputs(result)
        if older:
            self._attach_older_hooks(older, args, result)
        return result

    def _forward_pre_hooks_in_order(self):
        for hook in list(hooks.forward_pre.values()):
            yield hook, False
        for key, hook in list(self._forward_pre_hooks.items()):
            yield hook, key in self._forward_pre_hooks_with_kwargs

    def _after_pre_hook(self, hook, with_kwargs, args, kwargs):
        if with_kwargs:
            hook_result = hook(self, args, kwargs)
            if hook_result is None:
                return args, kwargs
            if isinstance(hook_result, tuple) and len(hook_result) == 2:
                return hook_result
            raise RuntimeError("forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                               f"but got {hook_result}.")
        hook_result = hook(self, args)
        if hook_result is None:
            return args, kwargs
        return hook_result if isinstance(hook_result, tuple) else (hook_result,), kwargs

    def _forward_hooks_in_order(self):
        for key, hook in list(hooks.forward.items()):
            yield ("global", key), hook, key in hooks.forward_with_kwargs
        for key, hook in list(self._forward_hooks.items()):
            yield ("own", key), hook, key in self._forward_hooks_with_kwargs

    def _call_remaining_always_hooks(self, args, kwargs, called):
        for key, hook, with_kwargs in self._forward_hooks_in_order():
            marked = hooks.forward_always_called if key[0] == "global" else self._forward_hooks_always_called
            if key in called or key[1] not in marked:
                continue
            try:
                hook(self, args, kwargs, None) if with_kwargs else hook(self, args, None)
            except Exception as e:
                where = "global module" if key[0] == "global" else "module"
                warn(f"{where} forward hook with ``always_call=True`` raised an exception that was silenced "
                     f"as another error was raised in forward: {e}")

    def _attach_older_hooks(self, older, args, result):
        tensor = result
        while not isinstance(tensor, lw.Tensor):
            if isinstance(tensor, dict):
                tensor = next(v for v in tensor.values() if isinstance(v, lw.Tensor))
            else:
                tensor = tensor[0]
        node = tensor.grad_fn
        if node is None:
            return
        for hook in older:
            node.register_hook(lambda grad_inputs, grad_outputs, hook=hook: hook(self, grad_inputs, grad_outputs))
        self._maybe_warn_non_full_backward_hook(args, result, node)

    def _maybe_warn_non_full_backward_hook(self, inputs, result, grad_fn):
        """Say what an older backward hook will not see in this call."""
        outputs = (result,) if isinstance(result, lw.Tensor) else result
        inputs = (inputs,) if isinstance(inputs, lw.Tensor) else inputs
        instead = "Please use register_full_backward_hook to get the documented behavior."
        removed = "is deprecated and will be removed in future versions. This hook will be missing"
        if not (isinstance(outputs, tuple) and all(isinstance(r, lw.Tensor) for r in outputs)):
            text = ("Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of "
                    f"Tensors {removed} some of the grad_output. {instead}")
        elif not (isinstance(inputs, tuple) and all(isinstance(i, lw.Tensor) for i in inputs)):
            text = ("Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple "
                    f"of Tensors {removed} some of the grad_input. {instead}")
        elif len({r.grad_fn for r in outputs if r.grad_fn is not None}) > 1:
            text = ("Using a non-full backward hook when outputs are generated by different autograd Nodes "
                    f"{removed} some grad_output. {instead}")
        elif {n for n, _ in grad_fn.next_functions} != {i.grad_fn for i in inputs if i.grad_fn is not None}:
            text = ("Using a non-full backward hook when the forward contains multiple autograd Nodes "
                    f"{removed} some grad_input. {instead}")
        else:
            return
        warn(text, FutureWarning)


class BackwardHookFunction(Function):
    """The gate: identity on every tensor, so that a node stands there for hooks to be put on."""

    @staticmethod
    def forward(ctx, *tensors):
        ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx, *grads):
        return grads


class BackwardGates:
    """The two gates of one call, and what passes between them."""

    def __init__(self, module, after, before):
        self.module = module
        self.after = after                  # full backward hooks: see both ends
        self.before = before                # full backward pre-hooks: see and replace the output's end
        self.grad_outputs = None            # what came in at the outputs, kept until the inputs' end is reached
        self.input_count = -1
        self.input_at = None                # where the tensors stood; None if no input wants a gradient
        self.output_count = -1
        self.output_at = None

    def around_inputs(self, args):
        """Send the tensors among ``args`` through a gate."""
        def attach(node):
            node.register_hook(self.leave_module)
        args, self.input_at = self.pass_gate(args, attach)
        self.input_count = len(args)
        return args

    def around_outputs(self, result):
        """Send the tensors among the outputs through a gate."""
        def attach(node):
            node.register_prehook(self.enter_module)
        is_tuple = isinstance(result, tuple)
        values, self.output_at = self.pass_gate(result if is_tuple else (result,), attach)
        self.output_count = len(values)
        return values if is_tuple else values[0]

    def pass_gate(self, values, attach):
        at = [i for i, v in enumerate(values) if isinstance(v, lw.Tensor)]
        if not (lw.is_grad_enabled() and any(values[i].requires_grad for i in at)):
            return values, None
        passed = BackwardHookFunction.apply(*[values[i] for i in at])
        node = next(t.grad_fn for t in passed if t.grad_fn is not None)
        attach(node)
        through = list(values)
        for i, t in zip(at, passed, strict=True):
            through[i] = t
        if type(values) is tuple:
            return tuple(through), at
        return type(values)(*through), at     # a namedtuple

    @staticmethod
    def unpack(grads, at, count):
        """The gradients that stand at ``at`` of ``count`` places; None elsewhere."""
        full = [None] * count
        for i, g in zip(at, grads, strict=True):
            full[i] = g
        return tuple(full)

    def enter_module(self, grads):
        """Backward reached the outputs: run the pre-hooks, keep ``grad_output``."""
        outputs = self.unpack(grads, self.output_at, self.output_count)
        for hook in self.before:
            hook_result = hook(self.module, outputs)
            if hook_result is None:
                continue
            hook_result = as_tuple(hook_result)
            if len(hook_result) != len(outputs):
                raise RuntimeError("Backward pre hook returned an invalid number of grad_output, "
                                   f"got {len(hook_result)}, but expected {len(outputs)}")
            outputs = hook_result
        self.grad_outputs = outputs
        if self.input_at is None:
            self.run_after_hooks((None,) * self.input_count, inputs_want=False)
        return tuple(outputs[i] for i in self.output_at)

    def leave_module(self, grad_inputs, _):
        """Backward reached the inputs: run the hooks."""
        if self.grad_outputs is None:
            return None                       # the outputs took no part in this backward
        inputs = self.run_after_hooks(self.unpack(grad_inputs, self.input_at, self.input_count), inputs_want=True)
        return tuple(inputs[i] for i in self.input_at)

    def run_after_hooks(self, inputs, inputs_want):
        for hook in self.after:
            if not inputs_want:
                warn(
                    "Full backward hook is firing when gradients are computed with respect to module outputs since no "
                    "inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                    "#torch.nn.Module.register_full_backward_hook for more details.")
            hook_result = hook(self.module, inputs, self.grad_outputs)
            if hook_result is None:
                continue
            if not inputs_want:
                if any(g is not None for g in as_tuple(hook_result)):
                    raise RuntimeError("Backward hook for Modules where no input requires gradient should always "
                                       "return None or None for all gradients.")
                continue
            if isinstance(hook_result, lw.Tensor):
                hook_result = (hook_result,)
            if len(hook_result) != len(inputs):
                raise RuntimeError("Backward hook returned an invalid number of grad_input, "
                                   f"got {len(hook_result)}, but expected {len(inputs)}")
            inputs = hook_result
        self.grad_outputs = None
        return inputs


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)
