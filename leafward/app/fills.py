"""Which losses filled a gradient since it was cleared: steps by two losses at once, of which one cut off what the other trains.

A discriminator's loss takes ``fake.detach()``; the generator's takes ``fake``, and fills the discriminator's gradients besides.
"""
from __future__ import annotations

from typing import NamedTuple

from leafward.app.edits import beside, called_there
from leafward.app.held import plain
from leafward.app.turns import read_by
from leafward.core.cuts import SHARES
from leafward.core.recording import OpNode
from leafward.core.runtime import runtime
from leafward.optim.watching import all_optimizers
from leafward.trust.cuts import behind, expanded, names_of
from leafward.trust.flow import common_block
from leafward.trust.layout import Row
from leafward.trust.repairs import is_alone
from leafward.trust.scene import Scene
from leafward.trust.source import key_of, place, stands_alone


#: How many backwards and steps are remembered.
LATEST = 16


class Fill(NamedTuple):
    """One backward: where it was called, the ids of the leaves that it filled, and of those that were cut off from its loss."""

    site: object
    leaves: set
    cut: set
    read: dict                          # id(leaf) -> the number of the first node that read it
    sequence: int                       # how many nodes there were when it was called


class Mixture(NamedTuple):
    """What a step found in one gradient: the fills of the step's own losses, one of another loss, and the leaves."""

    fills: list
    own: list
    other: Fill
    leaves: list

    def first_own(self):
        """The own backward before which the other's gradients should have been cleared; None where it is not the last."""
        after = self.fills[self.fills.index(self.other) + 1:]
        return after[0] if after and all(fill in self.own for fill in after) and self.fills[0] not in self.own else None


class Fills:
    """The part of a :class:`~leafward.app.watch.Watch` that keeps who filled a gradient since it was cleared, or used."""

    def __init__(self):
        self.known = {}                 # id(leaf) -> [the gradient, its fills]
        self.going = None               # the backward that is going on, and what the gradients were before it
        self.turn = []                  # the latest fills, and the optimizers that stepped between them

    def before_backward(self, site, ends, leaves):
        """Note what the gradients are."""
        self.going = None
        if site is None or len(list(all_optimizers())) < 2:
            return
        cut, read = set(), {}
        for end in ends:
            for pair in expanded(end._cut):
                if pair[0].kind in SHARES or pair[0].kind == "no_grad" or pair[0].block is not None:
                    cut.update(id(leaf) for leaf in behind(*pair))
            for leaf in read_by(end) if isinstance(end, OpNode) else ():
                read[id(leaf)] = min(end._sequence, read.get(id(leaf), end._sequence))
        before = []
        for leaf in leaves:
            grad = leaf._grad
            if id(leaf) in self.known and (grad is not self.known[id(leaf)][0] or not bool(plain(grad).any())):
                del self.known[id(leaf)]                    # cleared since
            before.append((leaf, None if grad is None else plain(grad).clone()))
        self.going = Fill(site, set(), cut, read, runtime.sequence), before

    def after_backward(self):
        """Note which gradients were filled."""
        if self.going is None:
            return
        fill, before = self.going
        self.going = None
        self.turn = [*self.turn[-LATEST:], fill]
        for leaf, values in before:
            grad = leaf._grad
            if grad is not None and (values is None or bool((plain(grad) != values).any())):
                fill.leaves.add(id(leaf))
                self.known.setdefault(id(leaf), [None, []])[1].append(fill)
            if id(leaf) in self.known:
                self.known[id(leaf)][0] = grad

    def used_by(self, optimizer):
        """The :class:`Mixture` that a step of ``optimizer`` has used; None for gradients of its own losses."""
        params = [p for group in optimizer.param_groups for p in group["params"]]
        ours = {id(p) for p in params}
        others = {id(p) for other in all_optimizers() for group in other.param_groups for p in group["params"]} - ours
        found = None
        for p in params:
            grad, fills = self.known.get(id(p), (None, []))
            if grad is None or p._grad is not grad:
                continue
            own = [fill for fill in fills if fill.leaves <= ours]
            other = [fill for fill in fills if fill.leaves & others and any(
                fill.leaves & others & one.cut and key_of(one.site) != key_of(fill.site) for one in own)]
            if other and found is None:
                found = Mixture(list(fills), own, other[-1], [])
            if other:
                found.leaves.append(p)
            self.known[id(p)][1] = []                       # used
        return found

    def last_own(self, optimizer, leaf):
        """The backward for this step of ``optimizer``, where the one before it was for another optimizer, which has stepped.

        So it is where the last loss fills what the other trains as well: a generator's loss, which goes through the
        discriminator. ``(the fill, the one before it)``; None where that is not sure.
        """
        filled = [number for number, one in enumerate(self.turn) if isinstance(one, Fill) and id(leaf) in one.leaves]
        if len(filled) < 2:
            return None
        first, last = self.turn[filled[-2]], self.turn[filled[-1]]
        for other in self.turn[filled[-2] + 1:filled[-1]]:
            if not isinstance(other, Fill) and other is not optimizer:
                theirs = {id(p) for group in other.param_groups for p in group["params"]}
                if theirs & first.leaves and theirs & last.leaves:
                    return last, first
        return None

    def stepped(self, optimizer):
        """Note that an optimizer has stepped."""
        self.turn.append(optimizer)


def cleared_between(mixture, stepped, optimizer, scene):
    """The choices that keep the gradients of another loss out of a step."""
    first, name = mixture.first_own(), called_there(stepped, optimizer, scene) or "optimizer"
    if first is not None:
        asked, when = place(first.site), "the step then uses its own loss alone"
        if common_block([asked, stepped]) is None:
            return [(asked.where(), f"{name}.zero_grad()", f"before it: {when}")]
        return [beside(asked, f"{name}.zero_grad()", "before", when)]
    own, other = place(mixture.own[-1].site), place(mixture.other.site)
    layout = common_block([own, other, stepped])
    order = None if layout is None else layout[2]
    after = all(mixture.other.read.get(id(p), -1) >= mixture.own[-1].sequence for p in mixture.leaves)
    if order is not None and order[0] < order[1] < order[2] and after and is_alone(layout[1][order[2]]) \
            and stands_alone(stepped, layout[1][order[2]]) and mixture.fills.index(mixture.own[-1]) == 0:
        return [(f"move {stepped.where()}", stepped.text, f"below {own.where()}")]
    return [(stepped.where(), f"{name}.step()", "after its own backward(), before the other loss is computed")]


def finding_of(mixture, stepped, optimizer):
    """The finding on a step that uses gradients of another loss: ``(key, title, rows, choices)``."""
    scene, own = Scene(), mixture.first_own() or mixture.own[-1]
    names = names_of(mixture.leaves, scene)
    rows = [Row("filled by", place(mixture.other.site), f"this loss trains others, and its gradient comes to {names} too"),
            Row("own loss", place(own.site), "what the other loss trains is cut off here: it is meant for this step alone")]
    if mixture.fills.index(own) < mixture.fills.index(mixture.other):
        rows.reverse()
    return (("mixture", key_of(own.site)), "a step uses the gradient of another optimizer's loss too", [
        *rows, Row("used by", stepped, "the sum of both")], cleared_between(mixture, stepped, optimizer, scene))
