"""What will not learn, and why: a model and its optimizer looked through after a backward."""
from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from leafward.core.cuts import cuts_of, places
from leafward.core.history import wants_grad
from leafward.core.node import Node, behind
from leafward.core.pending import calls as backward_calls
from leafward.core.provenance import made_at
from leafward.core.runtime import runtime
from leafward.errors import MissingGradientWarning, warn
from leafward.trust.cuts import Told, cuts_before, names_of
from leafward.trust.cuts import behind as behind_cut
from leafward.trust.layout import Row, list_of
from leafward.trust.scene import Scene
from leafward.trust.source import place

if TYPE_CHECKING:
    from leafward.core.handle import RemovableHandle
    from leafward.nn.modules.module import Module
    from leafward.optim.optimizer import Optimizer
    from leafward.tensor.tensor import Tensor


def audit(model: Module, optimizer: Optimizer | None = None, loss: Tensor | None = None, *,
          every: int | None = None) -> str | RemovableHandle:
    """Tell which parameters of ``model`` will not learn, and why: no gradient, the optimizer lacks them, they are frozen.

    It looks at the ``.grad`` of the last ``backward()``, or at the graph of ``loss``, which stays as it is. It changes nothing.

    model: whose parameters should learn
    optimizer: what should update them; None: only the gradients are looked at
    loss: a loss before its ``backward()``; None: ``backward()`` was called, and the gradients are there
    every: look in the first step of ``optimizer``, and then in every so many: what is found is warned of, once. The result is
        a handle, whose ``remove()`` ends it; None: tell now

    >>> import leafward as lw
    >>> net = lw.nn.Sequential(lw.nn.Linear(2, 3), lw.nn.Linear(3, 1))
    >>> opt = lw.optim.SGD(net[1].parameters(), lr=0.1)
    >>> net(lw.ones(4, 2)).mean().backward()
    >>> print(lw.audit(net, opt))
    4 parameters: 2 learn, 2 do not
      0.weight, 0.bias   the optimizer does not have them: give it model.parameters()
    """
    if every is not None:
        return audit_steps(model, optimizer, loss, every)
    return found_in(model, optimizer, loss)[0]


def audit_steps(model, optimizer, loss, every):
    """Look before every so many steps of ``optimizer``; the handle of that."""
    if optimizer is None or loss is not None:
        raise TypeError("audit(every=...) looks at the steps of an optimizer, and takes no loss")
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise ValueError(f"every should be a number of steps, 1 at least, but got {every!r}")
    steps, told = count(), set()

    def look(optimizer, *_):
        step = next(steps)
        if step % every:
            return
        text, what = found_in(model, optimizer, None)
        new = [one for one in what if one not in told]
        told.update(what)
        if new:
            warn(f"audit at step {step + 1}: {text}", MissingGradientWarning)
    return optimizer.register_step_pre_hook(look)


def found_in(model, optimizer, loss):
    """What :func:`audit` tells, and the rows of it, to be told once."""
    named = dict(model.named_parameters())
    reached, records = reached_by(loss)
    held = None if optimizer is None else {id(p): p for group in optimizer.param_groups for p in group["params"]}
    reasons = {}
    old = [] if held is None else [p for p in held.values() if all(p is not other for other in named.values())]
    for name, p in named.items():
        why = reason(p, reached, records, held) or (None if held is None or id(p) in held else left_out(p, old, optimizer))
        if why is not None:
            reasons.setdefault(why, []).append(name)
    stuck = sum(map(len, reasons.values()))
    lines = [f"{len(named)} parameter{'s' if len(named) != 1 else ''}: {len(named) - stuck} learn, {stuck} do not"]
    rows = [Row(shortened(names), None, text=why) for why, names in reasons.items()]
    rows += of_the_optimizer(model, optimizer, held, named) if optimizer is not None else []
    what = [(row.label, row.text) for row in rows]
    rows += added_together(named.values())                  # (often meant: nobody is warned of it alone)
    return "\n".join([*lines, *([list_of(rows)] if rows else [])]), what


def added_together(parameters):
    """A row where several calls of backward() have added to gradients since these were last cleared."""
    most, last = max(map(calls_since_cleared, parameters), key=lambda counted: counted[0], default=(0, None))
    if most < 2:
        return []
    text = f"{most} backward() calls since zero_grad(), the last at {place(last).where()}: gradients are sums (intended?)"
    return [Row("note", None, text=text)]


def calls_since_cleared(p):
    """``(how many calls of backward() the gradient is the sum of, the site of the last)``, as its memory tells."""
    count, last = 1, None                                   # the call that made `.grad` wrote into nothing
    for write in [] if p._grad is None else p._grad._storage.log or ():
        if "zero" in write.op:
            count = 0
        elif write.site is not None and (id(write.site[0]), write.site[1]) in backward_calls:
            count, last = count + 1, write.site
    return count, last


def shortened(names):
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def reached_by(loss):
    """The leaves behind ``loss``, and the cuts beside the way; ``(None, ...)`` where there is no loss to ask."""
    if loss is None:
        return None, []
    if not wants_grad(loss):
        return set(), list(cuts_of(loss._cut))
    found, records = set(), []
    for end in behind([loss._node]) if loss._node is not None else [loss]:
        if not isinstance(end, Node):
            found.add(id(end))
        if end._cut is not None:
            records.append(end._cut)
    return found, records


def reason(p, reached, records, held):
    """Why a parameter does not learn; None where it does."""
    if not p._requires_grad:
        return "frozen: requires_grad is off"
    missing = p._grad is None if reached is None else id(p) not in reached
    if missing:
        pairs = [pair for record in records for pair in cuts_before(record, p)]
        pairs = pairs or [(cut, None) for cut in list(places.values()) if any(leaf is p for leaf in behind_cut(cut))][-1:]
        if pairs:
            told = Told(*pairs[0])
            row = told.rows()[0]
            return f"no gradient comes to it: {row.note}   {row.where}"
        return "no gradient comes to it: the loss is not computed from it"
    if reached is None and (held is None or id(p) in held) and not p._grad._array.any():
        why = "several backward() calls cancel out, or " if calls_since_cleared(p)[0] > 1 else ""
        return f"its gradient is exactly zero: {why}what follows is flat where it is used (a dead relu, a clamp, a zero weight)"
    return None


def left_out(p, old, optimizer):
    """Why the optimizer does not have a parameter: it has an older one of its shape, or none."""
    here, theirs = place(made_at(p)), place(optimizer.__dict__.get("_made_in"))
    if here is None or theirs is None or not any(other._array.shape == p._array.shape and other._grad is None for other in old):
        return "the optimizer does not have them: give it model.parameters()"
    return (f"made anew at {here.where()}: the optimizer of {theirs.where()} has the old one. Make the optimizer after it, "
            "or fill the old one: p.data.copy_(...)")


def of_the_optimizer(model, optimizer, held, named):
    """Rows on what the optimizer has and the model has not, on one memory under two parameters, on learning rates of zero."""
    rows, ours = [], {id(p) for p in named.values()}
    strangers = [p for p in held.values() if id(p) not in ours]
    made = optimizer.__dict__.get("_made_in")
    where = "" if made is None else f"   optimizer made at {place(made).where()}"
    if strangers:
        scene = Scene()
        shown = names_of(strangers, scene)
        rows.append(Row("note", None, text=f"the optimizer has {len(strangers)} that the model has not: "
                                           f"{shown}{where}"))
    seen = {}
    for p in held.values():
        other = seen.setdefault(id(p._storage), p)
        if other is not p and runtime.overlap(p._array, other._array):
            rows.append(Row("note", None, text=f"two parameters of shape {list(p.shape)} are different leaves over one memory: "
                                               "each gets only a part of the gradient"))
            break
    idle = [group for group in optimizer.param_groups if group.get("lr") is not None and float(group["lr"]) == 0]
    if idle:
        count = sum(len(group["params"]) for group in idle)
        rows.append(Row("note", None, text=f"the learning rate of {count} parameter{'s' if count > 1 else ''} is 0"))
    return rows
