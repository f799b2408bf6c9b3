"""What a call keeps, given which inputs want a gradient. Worked out once per op and pattern, then cached."""
from operator import itemgetter

from leafward.core.native import untrack
from leafward.core.runtime import runtime
from leafward.core.saved import keep, meta_of
from leafward.core.slot_codes import (
    ASK_GRAD, ASK_NAMESPACE, ASK_OUTPUT_GRAD, ASK_WANTED, INPUT, INPUT_META, OPTION, OUTPUT, OUTPUT_META, RESIDUAL,
)
from leafward.core.tensor import TensorBase


class Step:
    """One rule to run: the inputs it serves, and for each of its parameters a slot number or a code."""

    def __init__(self, function, serves, joint, asks, kernel, operands):
        self.function = function
        self.kernel = kernel            # a compiled equivalent, which may answer None; or None
        self.operands = operands        # what it gets: those of `asks`
        self.serves = serves            # positions among the op's inputs
        self.joint = joint              # it returns a tuple
        self.asks = asks
        # ASK_NAMESPACE and ASK_GRAD are the last two of what is kept, with these two behind it: most rules ask for no more.
        self.take = itemgetter(*asks) if len(asks) > 1 and min(asks) >= ASK_NAMESPACE else None
        self.first = serves[0]
        # What it came to for gradients and kept values of some kind.
        self.tapes = None if runtime.new_tapes is None else runtime.new_tapes(rule_of(self))


def rule_of(step):
    """The rule of ``step`` as ``call(xp, values)``; ``values`` is what it asks for but for the namespace."""
    def call(xp, values):
        rest = iter(values)
        return step.function(*[xp if ask == ASK_NAMESPACE else next(rest) for ask in step.asks])
    return call


class Plan:
    """The slots to fill at the call, and the steps to run in backward, for one set of wanted inputs."""

    def __init__(self, op, mask):
        self.op = op
        self.mask = mask
        self.slots = []                 # (kind, position)
        self.steps = []
        self.keeps_input = [False] * len(op.inputs)
        self.saves_tensors = False
        # Its rules compute, so on half types they do it in float32. A linear op's, or a view's, move and add.
        self.widens = op.alias is None and (op.elementwise or not op.linear)
        self.variadic_at = op.variadic_at
        self.width = len(op.inputs)
        places = {}
        done = set()
        for position, name in enumerate(op.inputs):
            if not mask >> position & 1 or name not in op.rules or name in done:
                continue
            rule = op.rules[name]
            done.update(rule.serves)
            asks = tuple(self.slot_or_code(op, rule, ask, places) for ask in rule.asks)
            serves = tuple(op.inputs.index(n) for n in rule.serves)
            kernel, operands = runtime.derived.get((op.name, ", ".join(rule.serves))), [a for a in asks if a != ASK_NAMESPACE]
            if kernel is None:
                kernel = runtime.kernels.get(rule.kernel)
            self.steps.append(Step(rule.function, serves, len(serves) > 1, asks, kernel, tuple(operands)))
        self.wanted = tuple(bool(mask >> i & 1) for i in range(len(op.inputs)))

    def slot_or_code(self, op, rule, name, places):
        """The slot in which ``name`` is kept, or its code."""
        if name == "g":
            return ASK_GRAD
        if name == "xp":
            return ASK_NAMESPACE
        if name == "wanted":
            return ASK_WANTED
        if name.startswith("g_") and name[2:] in op.outputs:
            return ASK_OUTPUT_GRAD - op.outputs.index(name[2:])
        slot = self.kind_of(op, rule, name)
        if slot not in places:
            places[slot] = len(self.slots)
            self.slots.append(slot)
            if slot[0] in (INPUT, OUTPUT):
                self.saves_tensors = True
                if slot[0] == INPUT:
                    self.keeps_input[slot[1]] = True
        return places[slot]

    def kind_of(self, op, rule, name):
        meta = name in rule.metas
        if name in op.inputs:
            return (INPUT_META if meta else INPUT), op.inputs.index(name)
        if name in op.options:
            return OPTION, op.options.index(name)
        if name in op.residuals:
            return RESIDUAL, op.residuals.index(name)
        outputs = op.outputs or ("out",)
        return (OUTPUT_META if meta else OUTPUT), (outputs.index(name) if name in outputs else 0)


def plan_for(op, mask):
    """The cached :class:`Plan` of ``op`` for the inputs in the bit mask."""
    plan = op.plans.get(mask)
    if plan is None:
        plan = op.plans[mask] = Plan(op, mask)
    return plan


def save(plan, inputs, options, outputs, residuals, in_place):
    """Fill the plan's slots. ``in_place``: the input at position 0 is the tensor that the output was written into."""
    values = []
    for kind, position in plan.slots:
        if kind == INPUT:
            value = inputs[position]
            if isinstance(value, list):
                values.append([keep(v, False, 0) for v in value])
            elif not isinstance(value, TensorBase):
                values.append(value)                        # an optional input, or a Python scalar
            else:
                values.append(untrack(keep(value, False, 0)))
        elif kind == INPUT_META:
            values.append(meta_of(inputs[position]))
        elif kind == OUTPUT:
            values.append(untrack(keep(outputs[position], True, position)))
        elif kind == OPTION:
            values.append(options[position])
        elif kind == RESIDUAL:
            values.append(residuals[position])
        else:
            values.append(meta_of(outputs[position] if len(plan.op.outputs) != 1 else list(outputs)))
    return untrack(values)
