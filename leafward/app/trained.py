"""What ``leafward check`` sees of who trains what: parameters that nobody updates, updates by hand, steps that never come."""
from __future__ import annotations

import ast
import weakref
from typing import NamedTuple

from leafward.app.edits import beside, clearing
from leafward.app.held import Candidate, given_values, is_parameter, made_anew, name_in_network, plain, reads_grad, unheld
from leafward.app.turns import read_by
from leafward.core import modes
from leafward.core.cuts import cuts_of, places
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.nn.plain_lists import hidden_in, noted_modules
from leafward.optim.watching import all_optimizers
from leafward.trust import syntax
from leafward.trust.cuts import Told, behind, cuts_before, names_of
from leafward.trust.flow import assigned_names, common_block
from leafward.trust.layout import Row
from leafward.trust.scene import Scene
from leafward.trust.source import function_around, key_of, place

#: In how many turns something has to be seen before it is told.
TURNS, DROPPED = 2, 3
#: What makes a number of a tensor.
NUMBERS = ("item", "tolist", "numpy")
#: How close to parallel a change and a gradient are, if the one was made of the other.
PARALLEL = 0.999


class Reached(NamedTuple):
    """A leaf as a backward left it: its gradient and its value then, and the count of nodes and of writes."""

    leaf: weakref.ref
    grad: object
    grad_values: object
    values: object
    storage: object
    writes: int
    sequence: int
    mixed: object                       # the finding, if the gradient holds one that was used before, and is used


class Trained:
    """The part of a :class:`~leafward.app.watch.Watch` that compares what backward reached with what was updated."""

    def __init__(self, watch):
        self.watch = watch
        self.last = {}                  # id(leaf) -> Reached, until a step uses the gradient
        self.mixed = {}                 # id(leaf) -> the finding, if the gradient that holds an old one is used
        self.samples = {}               # where samples behind the loss were drawn (the cut) -> the parameters that they met
        self.sampled = {}               # the key of a finding on these -> (it, the parameters with their gradients)
        self.backward = None, []        # where the last backward was called, and the leaves that it came to
        self.candidates = {}            # id(leaf) -> Candidate: what backward came to, and no optimizer has
        self.turn = 0                   # how many steps there were
        self.stepped, self.times = weakref.WeakSet(), weakref.WeakKeyDictionary()
        self.dropped = {}               # optimizer (its place) -> (itself, how often its gradients were dropped, the finding)
        self.owners = {}                # id(parameter) -> (the module that it is of, weakly)
        self.asked_for = {}             # id(leaf) -> the leaf, weakly: its gradient was asked for by itself
        self.came_to = set()            # the ids of all leaves that some backward came to
        self.unreached = {}             # id(parameter) -> (the parameter, weakly, its finding)
        self.pending = []               # (key, finding, the candidates it is about)
        self.ran, self.idle, self.idle_at = False, 0, None      # whether a layer ran; steps after that, without any backward
        self.never = "", "loss.backward()", "before each step()"

    # -- backward ------------------------------------------------------------------------------------------------------

    def asked(self, inputs):
        """Gradients of these were asked for by themselves: they are data, or somebody uses them by hand."""
        self.idle = None
        for tensor in inputs:
            if getattr(tensor, "_node", 0) is None:
                self.asked_for[id(tensor)] = weakref.ref(tensor)

    def before_backward(self, site, leaves, nodes):
        """Compare the leaves behind a loss with what the last backward left."""
        self.backward = site, leaves
        self.samples = {}
        for node in nodes:
            for cut in cuts_of(node._cut):
                if cut.block is not None and cut.block.kind == "sample":
                    self.samples.setdefault(cut, []).extend(filter(is_parameter, read_by(node)))
        old, unused = [], {}
        for leaf in leaves:
            last = self.last.pop(id(leaf), None)
            if last is None or last.leaf() is not leaf:
                continue
            if leaf._storage is not last.storage or leaf._storage.writes != last.writes:
                written = written_at(leaf, last)
                self.watch.later.changed(leaf, last.sequence, written)
                used = by_gradient(leaf, last, written)
                if used and last.mixed is not None:
                    self.watch.find(*last.mixed)
                if used and leaf._grad is last.grad and is_same(leaf._grad, last.grad_values):
                    old.append((leaf, written))
            elif leaf._grad is not last.grad or not bool(plain(leaf._grad).any()):
                for optimizer in all_optimizers():
                    if optimizer not in self.stepped and any(p is leaf for g in optimizer.param_groups for p in g["params"]):
                        unused[id(optimizer)] = optimizer
        for optimizer in unused.values():
            self.drop(optimizer, site)
        self.mixed = {id(leaf): self.finding_of_old(site, old) for leaf, _ in old} if old and site is not None else {}

    def finding_of_old(self, site, old):
        """Gradients that an update by hand has used already, and that this backward adds to."""
        scene, where, written = Scene(), place(site), place(old[0][1])
        leaves = [leaf for leaf, _ in old]
        code = clearing(leaves, where, scene)
        choice = (where.where(), "set each .grad to None", "in each turn, before backward()") if code is None else beside(
            where, code, "before", "each turn begins without the old gradients")
        return ("old", key_of(site)), "zero_grad() is missing: gradients of earlier steps are added to new ones", [
            Row("adds to", where, f"the .grad of {names_of(leaves, scene)}"),
            Row("used by", written, "this update has used them already")], [choice]

    def after_backward(self):
        """Keep what came to the leaves, until it is used."""
        _, leaves = self.backward
        held = {id(p) for optimizer in all_optimizers() for group in optimizer.param_groups for p in group["params"]}
        for leaf in leaves:
            grad = leaf._grad
            if grad is None or not leaf._requires_grad:
                continue
            ours = id(leaf) in held
            self.came_to.add(id(leaf))
            self.last[id(leaf)] = Reached(
                weakref.ref(leaf), grad, None if ours else plain(grad).clone(), None if ours else leaf.detach().clone(),
                leaf._storage, leaf._storage.writes, runtime.sequence, self.mixed.get(id(leaf)))
            if not ours:
                known = self.candidates.get(id(leaf))
                if known is None or known.leaf() is not leaf:
                    self.candidates[id(leaf)] = Candidate(leaf, self.turn)
                self.candidates[id(leaf)].reached = self.turn
        self.idle = None

    def drop(self, optimizer, site):
        """The gradients of an optimizer were dropped before any step of it."""
        _, times, finding = self.dropped.get(id(optimizer), (None, 0, None))
        if times + 1 == DROPPED:
            where, made = place(site), place(optimizer.__dict__.get("_made_in"))
            scene = Scene()
            name = next((n for n, value in scene.variables() if value is optimizer), None)
            choices = [] if name is None or where is None else [beside(where, f"{name}.step()", "after", "uses the gradients")]
            finding = ("unused", id(optimizer)), "gradients are computed and dropped: step() is never called", [
                Row("backward()", where, "its gradients are set back before any step"),
                Row("optimizer", made, f"{type(optimizer).__name__}, whose step() does not run")], choices
        self.dropped[id(optimizer)] = optimizer, times + 1, finding

    # -- steps -----------------------------------------------------------------------------------------------------------

    def called(self, module):
        """A module runs: note whose its parameters are, and that there was a forward."""
        for p in module._parameters.values():
            if p is not None and id(p) not in self.owners:
                self.owners[id(p)] = weakref.ref(module)
        self.ran = self.ran or module.training and bool(module._parameters) and modes.grad_enabled()

    def after_step(self, optimizer, site):
        """Look which of the leaves that backward came to are nobody's."""
        params = [p for group in optimizer.param_groups for p in group["params"]]
        for p in params:
            self.last.pop(id(p), None)
        self.stepped.add(optimizer)
        self.turn += 1
        if self.idle is not None and self.ran:
            self.ran, self.idle, self.idle_at = False, self.idle + 1, site
            if self.idle == DROPPED:
                self.never = backward_before(place(site), Scene())
        if site is None or all(p._grad is None for p in params):
            return
        self.look_for_numbers(optimizer, params)
        self.look_for_samples(params, site)
        held = {id(p) for other in all_optimizers() for group in other.param_groups for p in group["params"]}
        left = []
        for key, candidate in list(self.candidates.items()):
            leaf = candidate.leaf()
            if key in held or candidate.is_updated():
                candidate.trained = True
            elif any(leaf is p for _, met in self.sampled.values() for p, _ in met):
                candidate.told = True                       # (what was drawn is told)
            elif leaf is not None and candidate.reached == self.turn - 1 and not self.is_excused(candidate, leaf, held):
                candidate.turns += 1
                left.append((candidate, leaf))
        self.look_for_made_anew(site, left)
        self.look_for_unheld(optimizer, site, [pair for pair in left if pair[0].turns >= TURNS and not pair[0].told])

    def look_for_samples(self, params, site):
        """What was drawn from these parameters goes through others, which this step does not update: no gradient comes back."""
        ids = set(map(id, params))
        for key, (_, met) in list(self.sampled.items()):
            if any(id(p) in ids and p._grad is grad for p, grad in met):
                del self.sampled[key]                       # the others train with this loss
        for cut, others in self.samples.items():
            drawn = [leaf for leaf in behind(cut) if id(leaf) in ids]
            met = [(p, p._grad) for p in others if id(p) not in ids and p._grad is not None]
            if drawn and met:
                told, whose = Told(cut), f"{names_of(drawn, Scene())}   (not by this part of the loss)"
                rows = [Row("not trained", None, text=whose), *told.rows(), Row("backward()", place(self.backward[0])),
                        Row("updated in", place(site))]
                finding = ("sample", key_of(cut.site)), ("what was drawn goes into another network, and no gradient comes "
                                                         "back: sample() cuts it off"), rows, told.repairs()
                self.sampled[finding[0]] = finding, met

    def look_for_numbers(self, optimizer, params):
        """Parameters that no backward ever comes to, and that went away as numbers: ``x / temperature.item()``."""
        times = self.times[optimizer] = self.times.get(optimizer, 0) + 1
        missing = [p for p in params if p._requires_grad and id(p) not in self.came_to] if times == TURNS else []
        _, met = modes.current().reached or (None, None)
        for p in missing:
            cuts = [cut for cut in list(places.values()) if cut.kind in NUMBERS and any(leaf is p for leaf in behind(cut))]
            if cuts and not any(cuts_before(record, p) for record in met or ()):
                told, scene = Told(cuts[-1]), Scene()
                self.unreached[id(p)] = weakref.ref(p), (
                    ("number", key_of(cuts[-1].site)), "a parameter gets no gradient: it went into the loss as a number", [
                        Row("not reached", None, text=f"{names_of([p], scene)}   (no backward() came to it)"), *told.rows()],
                    told.repairs())

    def is_excused(self, candidate, leaf, held):
        """Whether a leaf that no optimizer has may well be meant so, or is told elsewhere."""
        if given_values(leaf) or id(leaf) in self.watch.later.exchanged:
            return True
        owner = self.owners.get(id(leaf), lambda: None)()
        if owner is not None and not owner.training:
            return True                                     # it is only evaluated
        for module, names in noted_modules():
            for name in names:
                if any(p is leaf for _, p in hidden_in(module, name)) and any(id(p) in held for p in module.parameters()):
                    return True                             # in a plain list: the step itself says so
        asked = self.asked_for.get(id(leaf), lambda: None)()
        return not is_parameter(leaf) and asked is leaf

    def look_for_made_anew(self, site, left):
        """Parameters of one line, each turn's a new one."""
        by_place = {}
        for candidate, leaf in left:
            if candidate.born is not None and is_parameter(leaf):
                by_place.setdefault(candidate.line, []).append((candidate, leaf))
        for key, ours in by_place.items():
            earlier = [c for c in self.candidates.values() if c.line == key and c.first < min(o.first for o, _ in ours)
                       and not c.trained and c.reached < self.turn - 1]
            if earlier and all(candidate.first == self.turn - 1 for candidate, _ in ours) and not any(c.told for c, _ in ours):
                for candidate in [c for c in self.candidates.values() if c.line == key]:
                    candidate.told = True
                self.pending.append((*made_anew([leaf for _, leaf in ours], ours[0][0].born, self.backward[0]),
                                     [*earlier, *[c for c, _ in ours]]))

    def look_for_unheld(self, optimizer, site, left):
        """Leaves that take part in the loss, turn by turn, and that no optimizer has."""
        scene = Scene()
        for kind in (True, False):
            ours = [(candidate, leaf) for candidate, leaf in left if is_parameter(leaf) is kind]
            if not kind:
                ours = [pair for pair in ours if not is_read(pair[1], scene)]
            if ours:
                for candidate, _ in ours:
                    candidate.told = True
                self.pending.append((*unheld(optimizer, [leaf for _, leaf in ours], self.backward[0], scene),
                                     [candidate for candidate, _ in ours]))

    def ended(self):
        """The program ended: tell what did not turn out otherwise."""
        held = {id(p) for optimizer in all_optimizers() for group in optimizer.param_groups for p in group["params"]}
        for *finding, candidates in self.pending:
            if not any(c.trained or c.is_updated() or (c.leaf() is not None and id(c.leaf()) in held) for c in candidates):
                self.watch.find(*finding)
        for finding, _ in self.sampled.values():
            self.watch.find(*finding)
        for last in self.last.values():
            leaf = last.leaf()
            if leaf is not None and last.mixed is not None and (
                    leaf._storage is not last.storage or leaf._storage.writes != last.writes):
                self.watch.find(*last.mixed)
        if self.idle is not None and self.idle >= DROPPED:
            self.watch.find(("idle",), "steps without gradients: backward() is never called", [
                Row("updated in", place(self.idle_at), "no gradient was computed before it")],
                [self.never])
        for key, (_, finding) in self.unreached.items():
            if key not in self.came_to:
                self.watch.find(*finding)
        for optimizer, _, finding in self.dropped.values():
            if finding is not None and optimizer not in self.stepped:
                self.watch.find(*finding)


def backward_before(stepped, scene):
    """The choice that calls ``backward()`` before a step, on the one loss that the lines above it compute."""
    layout = None if stepped is None else common_block([stepped])
    above = layout[1][:layout[2][0]] if layout is not None else []
    names = {name for statement in above for name in assigned_names(statement)}
    losses = [name for name in names if isinstance(value := scene.value(stepped, name), TensorBase)
              and value._node is not None and value.numel() == 1]
    if len(losses) != 1:
        return "", "loss.backward()", "before each step()"
    return beside(stepped, f"{losses[0]}.backward()", "before", "computes the gradients that the step uses")


# -- updates by hand -------------------------------------------------------------------------------------------------------

def written_at(leaf, last):
    """Where a leaf was written, or given other memory, last."""
    if leaf._storage is not last.storage:
        return None if leaf._alias is None else leaf._alias.site
    log = leaf._storage.log
    return log[-1].site if log else None


def is_same(tensor, values):
    """Whether a gradient is there, is not zero, and has these values."""
    return tensor is not None and values is not None and tensor.shape == values.shape and bool(values.any()) and bool(
        (plain(tensor) == values).all())


def by_gradient(leaf, last, written):
    """Whether a leaf was changed by its gradient: the line of the write shows it, or the change is parallel to it."""
    where = place(written)
    if where is not None and where.statement is not None:
        assigned = [node for node in ast.walk(function_around(where)) if isinstance(node, ast.Assign)]
        names = syntax.names_behind(where.statement, assigned)
        if any(name.endswith(".grad") for name in names):
            return True
    change = None if last.values is None or leaf.shape != last.values.shape else leaf.detach() - last.values
    if change is None or change.numel() < 2:
        return False
    grad = last.grad_values
    lengths = float(change.norm() * grad.norm())
    return lengths > 0 and abs(float((change * grad).sum())) >= PARALLEL * lengths


def is_read(leaf, scene):
    """Whether the program's text reads the ``.grad`` of a leaf by one of its names, or of what a function is given."""
    names = {name for name, value in scene.variables() if value is leaf}
    if not names:
        return name_in_network(leaf, scene) is None         # not known by name: perhaps data
    return any(reads_grad(file, names) for file in {frame.f_code.co_filename for frame in scene.frames})
