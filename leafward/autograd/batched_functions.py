"""Custom functions inside ``vmap``: what they compute of a batch, and their derivatives on both sides of it.

A gradient may be asked for inside, of one example as its function sees it (``vmap(grad(f))``), and outside, of its values
(``jacrev(vmap(f))``). Inside, the call has a node as always, whose ``ctx`` holds batched tensors. Outside it has the history of
what ``vmap`` computed of the values; where that is generated, it is that of a custom function made for it.
"""
from leafward.core import modes
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns
from leafward.autograd.batched import VmapLevel, batched
from leafward.autograd.function import Function, FunctionCtx, finish
from leafward.autograd.grad_mode import no_grad


class Info:
    """What a custom function's ``vmap`` is told."""

    def __init__(self, batch_size, randomness):
        self.batch_size, self.randomness = batch_size, randomness


def apply_function(level, cls, args):
    """``cls.apply(*args)`` where ``level`` is the innermost that one of them is in."""
    refuse(cls)
    values, dims = zip(*[level.lower(x) for x in args], strict=True)
    with level.around():
        if cls.generate_vmap_rule:
            function = generated(cls, level, dims)
            output = function.apply(*values)
            out_dims = function.out_dims
        else:
            output, out_dims = two_returns(cls.vmap(Info(level.size, level.randomness), dims, *values))
    single = not isinstance(output, tuple)
    outputs = (output,) if single else output
    if not isinstance(out_dims, tuple):
        out_dims = (out_dims,) * len(outputs)
    outputs = [x if d is None else batched(x, d, level) for x, d in zip(outputs, out_dims, strict=True)]
    if modes.grad_enabled() and any(level.wants_grad_inside(x) for x in args):
        outputs = with_node(level, cls, args, outputs, single)
    return outputs[0] if single else tuple(outputs)


HELP = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


def refuse(cls):
    if cls.setup_context is Function.setup_context:
        raise RuntimeError("In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it "
                           f"must override the setup_context staticmethod. {HELP}")
    has_vmap = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule and has_vmap:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden "
                           "vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod "
                           f"to avoid ambiguity. {HELP}")
    if not cls.generate_vmap_rule and not has_vmap:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and "
                           f"implement the vmap staticmethod or set generate_vmap_rule=True. {HELP}")


def two_returns(found):
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError("Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
                           f"compatible with the output. Got a {type(found)} instead")
    return found


def with_node(level, cls, args, outputs, single):
    """``outputs`` with the node of the call inside ``level``; what leads outside is the history of their values."""
    needs = tuple([level.wants_grad_inside(x) for x in args])
    ctx = noted(cls, args, outputs[0] if single else tuple(outputs), needs)
    inside = [x if wanted or not isinstance(x, TensorBase) else x.detach() for x, wanted in zip(args, needs, strict=True)]
    return finish(cls, ctx, inside, outputs, True)


def noted(cls, args, output, needs):
    """A ``ctx`` of a call that has been made."""
    ctx = cls._backward_cls.__new__(cls._backward_cls)
    ctx._runs_user_code = True
    ctx.needs_input_grad = needs
    with no_grad():
        cls.setup_context(ctx, args, output)
    return ctx


# -- the generated rule ------------------------------------------------------------------------------------------------


class Context(FunctionCtx):
    """The ``ctx`` of the examples: its saved tensors are given to it for each use."""

    non_differentiable = dirty_tensors = to_save = saved_for_forward = ()
    _takes_none = False


def generated(cls, level, dims):
    """A custom function of the values: ``cls`` on batched tensors, forward, backward and in forward mode."""
    size, randomness = level.size, level.randomness

    def shown(values, dims, level):
        return [x if d is None or x is None else batched(x, d, level) for x, d in zip(values, dims, strict=True)]

    class Generated(Function):
        generate_vmap_rule = True
        out_dims = None

        @staticmethod
        def forward(*values):
            with VmapLevel(size, randomness) as inner:
                output = cls.forward(*shown(values, dims, inner))
                single = not isinstance(output, tuple)
                outputs, Generated.out_dims = zip(*map(inner.lower, (output,) if single else output), strict=True)
            return outputs[0] if single else outputs

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.own = own = Context()
            own.needs_input_grad = ctx.needs_input_grad
            single = not isinstance(output, tuple)
            with VmapLevel(size, randomness) as inner:
                outputs = shown((output,) if single else output, Generated.out_dims, inner)
                cls.setup_context(own, tuple(shown(inputs, dims, inner)), outputs[0] if single else tuple(outputs))
                saved, ctx.saved_dims = lowered(inner, own.to_save)
                ahead, ctx.dims_ahead = lowered(inner, own.saved_for_forward)
                ctx.mark_non_differentiable(*lowered(inner, own.non_differentiable)[0])
            own.to_save = own.saved_for_forward = own.non_differentiable = ()
            ctx.set_materialize_grads(not own._takes_none)
            ctx.save_for_backward(*saved)
            ctx.save_for_forward(*ahead)

        @staticmethod
        def backward(ctx, *grads):
            with VmapLevel(size, randomness) as inner:
                ctx.own.saved_tensors = tuple(shown(ctx.saved_tensors, ctx.saved_dims, inner))
                results = cls.rule_of_backward()(ctx.own, *shown(grads, Generated.out_dims, inner))
                results = results if isinstance(results, tuple) else (results,)
                pairs = [inner.lower(r) for r in results]
            return tuple([batched_in_dim(x, b, d, size) for (x, b), d in zip(pairs, dims, strict=False)])

        @staticmethod
        def jvp(ctx, *tangents):
            with VmapLevel(size, randomness) as inner:
                ctx.own.saved_tensors = tuple(shown(ctx.saved_tensors, ctx.dims_ahead, inner))
                found = cls.jvp(ctx.own, *shown(tangents, dims, inner))
                found = found if isinstance(found, tuple) else (found,)
                pairs = [inner.lower(t) for t in found]
            moved = [batched_in_dim(x, b, d, size) for (x, b), d in zip(pairs, Generated.out_dims, strict=False)]
            return moved[0] if len(moved) == 1 else tuple(moved)

    Generated.__name__ = Generated.__qualname__ = f"Vmapped{cls.__name__}"
    return Generated


def lowered(level, tensors):
    pairs = [level.lower(x) for x in tensors]
    return [x for x, _ in pairs], [d for _, d in pairs]


def batched_in_dim(x, batch, dim, size):
    """``x``, batched in dim ``batch`` or not at all, batched in ``dim``; summed over the batch where that is None."""
    if x is None:
        return None
    if dim is None:
        return x if batch is None else x.sum(batch)
    if batch is None:
        return x.unsqueeze(dim).expand([*x.shape[:dim], size, *x.shape[dim:]])
    return fns.movedim(x, batch, dim)


# A rule that is generated runs in levels of its own: this file is above VmapLevel, and gives it the method.
VmapLevel.apply_function = apply_function
