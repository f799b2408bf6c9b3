"""Forward mode: one level of dual numbers, and the Jacobian-vector product of every op from its one rule.

* A linear op is its own product, and a view of a dual tensor has the same view of the tangent.
* The rule of an elementwise op multiplies by the derivative: given the tangent in place of a gradient, it is the product.
* The rule of any other op is linear in the gradient ``g``: ``rule(g) = Jᵀ g``. Its own gradient by ``g``, sent back from
  the tangent, is ``J · tangent``.
"""
from leafward.core import modes
from leafward.core.call import apply, apply_inplace, values_at
from leafward.core.history import connect, wants_grad
from leafward.core.transform_levels import Level, has_tangent, in_batches_of, set_tangent, tangent_of
from leafward.core.node import Identity, Node, behind
from leafward.core.op import parameter_names
from leafward.core.recording import OpNode, record, wanted_mask
from leafward.core.runtime import runtime
from leafward.core.saved import Saved, without_history
from leafward.core.slot_codes import RESIDUAL
from leafward.core.tensor import TensorBase
from leafward.core.views import replay
from leafward.derive.functions import fns
from leafward.autograd.function import FunctionNode
from leafward.autograd.grad_mode import set_grad_enabled


class DualLevel(Level):
    """Tensors that carry a tangent: how an operation's outputs get theirs."""

    def tangent_of(self, value):
        if isinstance(value, (list, tuple)):
            found = [tangent_of(x, self) for x in value]
            return found if any(t is not None for t in found) else None
        return tangent_of(value, self)

    def tangent_of_view(self, view):
        with self.around():
            return replay(chain_of(view), view._base._tangents[self])

    def set_tangent_of_view(self, view, tangent):
        base = view._base
        with self.around():
            whole = base._tangents[self].clone() if has_tangent(base, self) else runtime.recorded.zeros_like(base)
            whole = in_batches_of(tangent, whole)
            replay(chain_of(view), whole).copy_(tangent)
        set_tangent(base, self, whole)

    def apply(self, op, values, inputs):
        """``op`` on bound arguments, of which some carry a tangent."""
        tangents = [self.tangent_of(x) for x in inputs]
        if op.writes is not None:
            return self.write(op, values, inputs, tangents)
        if op.alias is not None or op.linear:
            with self.around():
                result = apply(op, values)
                self.attach(result, apply(op, moved(op, values, inputs, tangents)))
            return result
        if op.jvp_rule is not None:
            return self.by_jvp_rule(op, values, inputs, tangents)
        batches = [x._batch for x in inputs if isinstance(x, TensorBase) and x._batch is not None]
        if batches:                                         # where vmap has no one node for the op, there is none to ask
            if op.parts is not None:
                return op.parts(fns, *values)
            if op.residuals:
                return self.each(max(batches, key=lambda level: level.depth), op, values, inputs, tangents)
        mask = wanted_mask(op, inputs) if modes.grad_enabled() else 0
        with self.around():
            probed = placed(op, values, [probe(x, t) for x, t in zip(inputs, tangents, strict=True)])
            with set_grad_enabled(True):
                result = apply(op, probed)
            outputs = as_list(result)
            node = next((o._node for o in outputs if o._node is not None), None)
            if node is not None:
                pushed = self.push(op, node, inputs, tangents, outputs, mask)
        if node is not None:
            numbers = [number for number, o in enumerate(outputs) if o._node is node]
            for output in outputs:
                output._node, output._output_nr = None, 0
            for number, tangent in zip(numbers, pushed, strict=True):
                set_tangent(outputs[number], self, tangent)
            if mask:
                self.record(op, mask, values, inputs, outputs, node, numbers)
        return result

    def each(self, batch, op, values, inputs, tangents):
        """``op`` on one example of a ``vmap`` around this level after the other: its residuals are of one example."""
        from leafward.autograd.batched import restacked, unstacked

        def examples(x, tangent):
            if not isinstance(x, TensorBase):
                return [x] * batch.size
            with self.around():
                parts = unstacked(x, batch)
                moves = [None] * batch.size if tangent is None else unstacked(tangent, batch)
            for part, move in zip(parts, moves, strict=True):
                if move is not None:
                    set_tangent(part, self, move)
            return parts
        rows = zip(*[examples(x, t) for x, t in zip(inputs, tangents, strict=True)], strict=True)
        results = [as_list(apply(op, placed(op, values, row))) for row in rows]
        outputs = []
        for column in zip(*results, strict=True):
            moves = [self.tangent_of(x) for x in column]
            with self.around():
                outputs.append(restacked([untouched(x, self) for x in column], batch))
                if any(m is not None for m in moves):
                    pushed = [fns.zeros_like(x) if m is None else m for m, x in zip(moves, column, strict=True)]
                    tangent = restacked(pushed, batch)
            if any(m is not None for m in moves):
                set_tangent(outputs[-1], self, tangent)
        return op.package(outputs) if op.outputs else outputs[0]

    def by_jvp_rule(self, op, values, inputs, tangents):
        """An op that says itself what its tangent is."""
        with self.around():
            result = apply(op, values)
            known = dict(zip(op.names, values, strict=True))
            known.update({"t_" + name: t for name, t in zip(op.inputs, tangents, strict=True)}, xp=runtime.recorded)
            known.update(zip(op.outputs or ("out",), as_list(result), strict=True))
            self.attach(result, op.jvp_rule(**{name: known[name] for name in parameter_names(op.jvp_rule)}))
        outputs = as_list(result)
        if isinstance(outputs[0]._node, OpNode):
            for value in outputs[0]._node._values:
                if isinstance(value, Saved) and value.is_output:
                    value.keep_levels(outputs[value.output_nr])
        return result

    def attach(self, result, tangents):
        """Give each of several outputs its tangent."""
        for output, tangent in zip(as_list(result), as_list(tangents), strict=True):
            if output._base is None and (output._dtype.is_floating_point or output._dtype.is_complex):
                set_tangent(output, self, tangent)          # a view finds it in its base's

    def record(self, op, mask, values, inputs, outputs, node, numbers):
        """The node of the call as it was made: what it keeps carries its tangents, so that they take part in backward."""
        residuals = [None] * len(op.residuals)
        for (kind, position), value in zip(node._plan.slots, node._values, strict=True):
            if kind == RESIDUAL:
                residuals[position] = value
        again = record(op, mask, inputs, values_at(values, op.option_at), outputs, residuals, False)
        for number in numbers:
            outputs[number]._node, outputs[number]._output_nr = again, number

    def push(self, op, node, inputs, tangents, outputs, mask):
        """The tangents of the outputs that ``node`` made."""
        flat = [t for value, tangent in zip(inputs, tangents, strict=True)
                for t in (spread(value, tangent) if isinstance(value, list) else [tangent])]
        sources = [x for value in inputs for x in (value if isinstance(value, list) else [value])]
        tracked = modes.grad_enabled() and (mask != 0 or any(t is not None and (wants_grad(t) or recorded_outside(t))
                                                             for t in flat) or any(map(recorded_outside, sources)))
        made = [o for o in outputs if o._node is node]
        if op.elementwise and len(outputs) == 1 and not any(is_complex(x) for x in (*inputs, *outputs)):
            with set_grad_enabled(tracked):
                return [by_rule(node, flat, outputs[0])]
        with set_grad_enabled(True):
            gradients = [probe(fns.zeros_like(o), o) for o in made]
            numbered = iter(gradients)
            grads = [next(numbered) if o._node is node else fns.zeros_like(o) for o in outputs]
            pulled = node.pull_back(grads, True, None)
            ends, sent = [], []
            for g, x, t in zip(pulled, sources, flat, strict=True):
                if g is not None and t is not None:
                    matched = runtime.recorded.cast_gradient(runtime.recorded.sum_to(g, tuple(x.shape)), x.dtype)
                    if wants_grad(matched):
                        ends.append(matched)
                        sent.append(t.to(matched.dtype))
        if not ends:
            return [fns.zeros_like(o) for o in made]
        from leafward.autograd import grad
        return list(grad(ends, gradients, sent, create_graph=tracked, allow_unused=True, materialize_grads=True))

    # -- writes ----------------------------------------------------------------------------------------------------

    def apply_inplace(self, op, values, inputs, name):
        """``x.op_(...)``: the tangent of what ``op`` makes becomes that of ``x``."""
        target = inputs[0]
        computed = apply(op, placed(op, values, [target.clone(), *inputs[1:]]))
        tangent = tangent_of(as_list(computed)[0], self)
        with self.around():
            apply_inplace(op, values, name)
        if tangent is not None:
            set_tangent(target, self, tangent)
        return target

    def write(self, op, values, inputs, tangents):
        """An op that is a write (``copy_``): the same write into the tangent; of random numbers the tangent is 0."""
        target = inputs[0]
        with self.around():
            tangent = fns.zeros_like(target) if tangents[0] is None else tangents[0].clone()
            if op.random:
                tangent = fns.zeros_like(target)
            else:
                for t in tangents[1:]:
                    tangent = tangent if t is None else in_batches_of(t, tangent)
                apply(op, moved(op, values, [tangent, *inputs[1:]], [tangent, *tangents[1:]]))
            apply(op, values)
        set_tangent(target, self, tangent)
        return target

    def refuse_out(self, op):
        raise NotImplementedError(f"Trying to use forward AD with {op.name}_out that does not support it because it is an "
                                  "out= function")

    # -- custom functions ------------------------------------------------------------------------------------------

    def apply_function(self, cls, args):
        """A custom function: its ``jvp`` gives the tangents."""
        tangents = [self.tangent_of(x) for x in args]
        with self.around():
            output, ctx = self.run_function(cls, args)
            if not ctx._takes_none:
                tangents = [fns.zeros_like(x) if t is None and isinstance(x, TensorBase) else t
                            for x, t in zip(args, tangents, strict=True)]
            versions = [t._counter.version if isinstance(t, TensorBase) else 0 for t in tangents]
            ctx.in_jvp = True
            found = cls.jvp(ctx, *tangents)
            ctx.in_jvp = False
        outputs, found = as_list(output), as_list(found)
        if len(outputs) != len(found):
            raise RuntimeError("Function's jvp returned an invalid number of forward gradients (expected "
                               f"{len(outputs)} but got {len(found)})")
        for result, tangent in zip(outputs, found, strict=True):
            if tangent is not None and isinstance(result, TensorBase):
                if tangent.shape != result.shape:
                    raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original "
                                       f"Tensor, this is not supported. Tensor is of size {list(result.shape)} while the given "
                                       f"forward gradient is of size {list(tangent.shape)}.")
                self.refuse_apart(result, tangent, args, tangents, versions)
                set_tangent(result, self, tangent)
        node = outputs[0]._node if isinstance(outputs[0], TensorBase) and isinstance(outputs[0]._node, FunctionNode) else ctx
        for value in node._values or ():
            if value is not None and value.is_output:
                value.keep_levels(outputs[value.output_nr])
        return output

    def refuse_apart(self, result, tangent, args, tangents, versions):
        """Raise if forward gave back an input, or a view of one, and ``jvp`` did something else with its tangent."""
        for x, t, version in zip(args, tangents, versions, strict=True):
            if t is None or not isinstance(x, TensorBase) or x._batch is not None or self.tangent_of(x) is None:
                continue
            if result is x and (tangent is not t or t._counter.version == version):
                raise RuntimeError("An inplace custom Function is not modifying the forward mode gradients inplace. If the "
                                   "forward is modifying an input inplace, then the jvp function must modify the "
                                   "corresponding gradient inplace.")
            if (result is not x and result._base is not None and result._base is (x if x._base is None else x._base)
                    and (tangent._base is None or tangent._base is not (t if t._base is None else t._base))):
                raise RuntimeError("A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
                                   "returning a view.")

    def run_function(self, cls, args):
        """``(output, ctx)``; of batches what ``vmap`` makes of them."""
        if not any(isinstance(x, TensorBase) and x._batch is not None for x in args):
            return cls.run(args, {})
        from leafward.autograd.batched_functions import noted
        output = cls.apply(*args)
        return output, noted(cls, args, output, tuple([isinstance(x, TensorBase) and wants_grad(x) for x in args]))


def chain_of(view):
    """The steps from its base to ``view``, as the base is now."""
    return view._chain if view._base._relocate is None else view._base._relocate(view._base, view)


def by_rule(node, tangents, output):
    """The tangent of an elementwise op: its rule, with the tangent of each input where a gradient would stand."""
    total = None
    for position, t in enumerate(tangents):
        if t is None:
            continue
        t = t.to(output.dtype).expand(tuple(output.shape))
        part = node.pull_back([t], True, [k == position for k in range(len(tangents))])[position]
        if part is not None:
            total = part if total is None else total + part
    if total is None:
        return fns.zeros_like(output)
    total = total.to(output.dtype)
    return total if total.shape == output.shape else total.expand(tuple(output.shape)).clone()


def untouched(x, level):
    """``x`` with its history, and without its tangent at ``level``."""
    found = without_history(x)
    found._node, found._output_nr = x._node, x._output_nr
    found._tangents = {other: t for other, t in (found._tangents or {}).items() if other is not level} or None
    return found


def probe(x, tangent):
    """``x`` as an input that wants a gradient, if it has a tangent: so that the call keeps what the rule asks for."""
    if isinstance(x, list):
        return x if tangent is None else [probe(v, t) for v, t in zip(x, tangent, strict=True)]
    if tangent is None or wants_grad(x):
        return x
    inside = without_history(x)
    inside._node = node = Identity()                        # a leaf would belong outside of a vmap around this level
    connect(node, (x,))
    node._shape, node._dtype = x._array.shape, x._dtype
    return inside


def moved(op, values, inputs, tangents):
    """The arguments of a linear op with each input's tangent in its place, and 0 for inputs that have none."""
    changed = []
    for position, (x, t) in enumerate(zip(inputs, tangents, strict=True)):
        if not op.differentiable[position] or x is None:
            changed.append(x)
        elif isinstance(x, list):
            changed.append([fns.zeros_like(v) if p is None else p for v, p in zip(x, spread(x, t), strict=True)])
        elif isinstance(x, TensorBase):
            changed.append(fns.zeros_like(x) if t is None else t)
        else:
            changed.append(0)
    return placed(op, values, changed)


def placed(op, values, inputs):
    """``values`` with other inputs."""
    values = list(values)
    for position, x in zip(op.input_at, inputs, strict=True):
        values[position] = x
    return values


def spread(x, tangent):
    return [None] * len(x) if tangent is None else tangent


def is_complex(x):
    return isinstance(x, TensorBase) and x._dtype.is_complex


def as_list(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


# -- what lies around a vmap ---------------------------------------------------------------------------------------------

def recorded_outside(x):
    """Whether the values that a batched ``x`` stands for have a history of their own."""
    while isinstance(x, TensorBase) and x._batch is not None:
        x = x._value
        if wants_grad(x):
            return True
    return False


def wanted_outside(x):
    """Whether it leads to something outside of the ``vmap`` that wants a gradient."""
    while isinstance(x, TensorBase) and x._batch is not None:
        sequence = x._batch.sequence
        x = x._value
        if wants_grad(x) and leads_before(x, sequence):
            return True
    return False


def leads_before(x, sequence):
    """Whether the history of ``x`` leads to a leaf, or to a node made before the number ``sequence``."""
    return any(not isinstance(end, Node) or end._sequence < sequence for end in behind([x if x._node is None else x._node]))
