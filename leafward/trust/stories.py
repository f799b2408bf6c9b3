"""What the errors tell after PyTorch's sentence: what was needed, by whom, who spoiled it, and what to type instead."""
import ast

from leafward.core.cuts import cuts_of
from leafward.core.node import Node, behind
from leafward.core.runtime import runtime
from leafward.trust import syntax
from leafward.trust.facts import Kept, describe_link, is_untracked, links_between, op_of, suffixed, with_suffix
from leafward.trust.flow import begins_as_none, common_block
from leafward.trust.layout import Line, Row, edit, fixes, list_of, sentence, table
from leafward.trust.repairs import is_step, kept_copies, out_of_place, shows_write, ways_out, written_anew
from leafward.trust.scene import MISSING, Scene, library
from leafward.trust.source import enclosing_loop, function_around, lines_of, parsed, place, stands_alone


def read_only(error):
    """Where it was frozen, and the way out."""
    at, written = place(error.frozen), place(error.site)
    if error.came_by is not None:
        call = None if at is None or not isinstance(at.expression, ast.Call) else at.expression
        code = None if call is None else with_suffix(at, call, ".clone()")
        rows = [Row("refused", written), Row("came by", at, f"{error.came_by}() does not copy: what it was given is read-only")]
        advice = [(at.where(), code, "memory of its own, which may be written")] if code is not None else [
            ("", "x.clone()", "a copy that may be written")]
        return f"{table(rows)}\n\n{fixes(advice)}"
    rows = [Row("refused", written), Row("frozen in", at)]
    advice = [("", "x.clone()", "a copy that may be written"),
              ("", f"{library(written)}.freeze_(x, False)", "allows writes again")]
    return f"{table(rows)}\n\n{fixes(advice)}"


# -- a kept value was overwritten ------------------------------------------------------------------------------

def inplace_gradient(error):
    """Needed by, changed by, through, found in, fix."""
    scene = Scene(error.__traceback__)
    kept = Kept(error.node, error.saved, scene)
    writes = [w for w in error.writes if not is_untracked(w)] or error.writes
    found = place(error.site)
    rows = [Row("needed by", None, text=kept.note()) if kept.place is None else Row("needed by", kept.place, kept.note())]
    choices = []
    if writes:
        write = writes[0]
        written = place(write.site)
        through, shared = through_rows(write, error.saved, written)
        rows.append(Row("changed by", written, "; ".join([what_was_done(write, written, scene, kept), *shared])))
        rows += more_rows(writes, written)
        rows += through
        choices = ways_out(kept, write, written, found, scene, error.roots)
    else:
        rows.append(forgotten(error.saved))
        choices = kept_copies(kept, scene, error.roots)
    rows.append(Row("found in", found))
    subject = f"`{kept.name}`" if kept.name else "it"
    story = sentence(f"The gradient of {kept.op} needs {kept.value()}, and {subject} was overwritten.") + f"\n\n{table(rows)}"
    advice = fixes(choices)
    if writes and is_step(writes[0]):
        advice += f"\n{ORDER}"
    return f"{story}\n\n{advice}" if advice else story


#: What is right for every training loop.
ORDER = """\
  order   each turn: zero_grad(), forward, backward(), step(). A step() changes the weights: no backward() after it can
          use what was computed before it"""


def what_was_done(write, written, scene, kept):
    """``changed once since it was saved``, and whose write it was."""
    times = kept.saved.counter.version - kept.saved.version
    changes = "changed once since it was saved" if times < 2 else f"the first of {times} changes since it was saved"
    if is_step(write):
        count, owner = updated(written, scene)
        if count:
            return f"{write.op}() updated {count} parameter{'s' if count > 1 else ''}{owner}; {changes}"
        return f"{write.op}(); {changes}"
    if kept.member is not None and kept.member[0] == "buffer":
        return f"writes the buffer {kept.member[1]}; {changes}"
    return changes if written is None or shows_write(written, write) else f"{write.op}(), called in here; {changes}"


def updated(written, scene):
    """How many parameters the optimizer at ``written`` updates, and `` of D`` if a network has just these."""
    name = syntax.receiver(written.expression) if written is not None and written.expression is not None else None
    if not isinstance(name, ast.Name):
        return 0, ""
    optimizer = scene.value(written, name.id)
    if optimizer is MISSING or not hasattr(optimizer, "param_groups"):
        return 0, ""
    network = scene.network_of(optimizer)
    return sum(len(group["params"]) for group in optimizer.param_groups), f" of {network}" if network else ""


def more_rows(writes, written):
    """What is said of the writes after the first, if they came from elsewhere."""
    last = place(writes[-1].site)
    if last is None or written is None or last.same_line(written):
        return []
    others = len(writes) - 1
    return [Row("", last, f"and {others} more write{'s' if others > 1 else ''}, the last one here")]


def through_rows(write, saved, written):
    """A row per alias made on a line of its own, and notes for those made where the write is."""
    rows, notes = [], []
    from_write, from_saved = links_between(write, saved)
    for link in [*from_write[:3], *from_saved[:3]]:
        where = place(link.site)
        text = describe_link(link, where)
        if where is not None and written is not None and where.same_line(written):
            if link.kind in ("detach", "data"):
                notes.append(text)
        elif where is not None:
            rows.append(Row("through", where, text))
    return rows, notes


def forgotten(saved):
    """The row for writes that are not remembered one by one."""
    if not runtime.checks:
        return Row("changed by", None, text="not recorded: LEAFWARD_CHECKS=0 switches that off")
    if saved.leaf is not None and saved.leaf._array is not saved.array:
        return Row("changed by", None, text="t_(), set_() or the like: the tensor now has other memory or another shape")
    missing = saved.storage.writes - saved.writes
    if missing and saved.storage.log:
        last = place(saved.storage.log[-1].site)
        return Row("changed by", last, f"the last of {missing} writes since: not all of them are remembered")
    return Row("changed by", None, text="a write that leafward did not see")


# -- a graph was freed -----------------------------------------------------------------------------------------

def graph_freed(error):
    """Freed by, needed by, what both share, fix, careful."""
    node, freed, call = error.node, error.node._freed_by, error.call
    made, freed_at = place(node._site), place(freed.site)
    if call is None:
        rows = [Row("freed by", freed_at)]
        rows.append(Row("read from", made, f"{node.name()} had saved it"))
        rows.append(Row("fix", None, text="read saved tensors before backward(), or call backward(retain_graph=True)"))
        return f"  What was saved for backward was freed by an earlier backward().\n{list_of(rows)}"
    asked = place(call.site)
    one_line = freed_at is not None and asked is not None and freed_at.same_line(asked)
    rows = [Row(label, at, f"call {number}" if one_line else f"call {number} from this line" if number > 1 else "")
            for label, at, number in (("freed by", freed_at, freed.number), ("needed by", asked, call.number))]
    rebuilt = error.root is not None and error.root._sequence >= freed.sequence
    other = error.root is not None and error.root._sequence != freed.root
    root = place(error.root._site) if error.root is not None else None
    if rebuilt:
        again = runs_again(error.root, node, freed.sequence)
        rows += shared_graph(made, error.root, freed_at, asked, again, Scene(error.__traceback__))
    elif other and made is not None:
        rows += shared_part(made, node, freed_at, asked)
    else:
        rows += same_graph(root, freed_at, asked)
    return f"  backward() needs values that an earlier backward() freed.\n{list_of(rows)}"


def same_graph(root, freed, asked):
    """Both calls are made on one loss."""
    rows = []
    fix = "call backward() once, or keep the graph for the next call: backward(retain_graph=True)"
    if root is not None:
        rows.append(Row("shared", root, "the whole graph: nothing was computed anew between the two calls"))
        loop = enclosing_loop(asked) if asked is not None and asked.code is root.code else None
        outside = loop is not None and not loop.lineno <= root.line <= loop.end_lineno
        if outside and not syntax.draws(root.statement):
            fix = f"compute it anew for each call: move {named(root)} into the loop"
        elif freed is not None and isinstance(freed.expression, ast.Call):
            kept = retaining(freed)
            if kept is not None:
                fix = f"{edit(freed.where(), kept)}   {kept}   if both calls are meant; else call backward() once"
    rows.append(Row("fix", None, text=fix))
    return rows


def shared_part(made, node, freed, asked):
    """Two losses were computed, both from one part; the first backward freed it."""
    rows = [Row("shared", made, f"part of both losses: {op_of(node)} kept values for it once")]
    loops = common_block([freed, asked]) if freed is not None and asked is not None else None
    between = [] if loops is None else loops[1][loops[2][0]:loops[2][1]]
    stepped = any(isinstance(n, ast.Call) and syntax.called(n) == "step" for s in between for n in ast.walk(s))
    kept = None if freed is None or not isinstance(freed.expression, ast.Call) else retaining(freed)
    if kept is not None and not stepped:
        rows.append(Row("fix", None, text=f"{edit(freed.where(), kept)}   {kept}   the last backward() may free it"))
        rows.append(Row("", None, text="or add the losses and call backward() once: the gradients are the same"))
    else:
        rows.append(Row("fix", None, text="add the losses and call backward() once, before step(); or compute the second one "
                                          "after it, from the start"))
    return rows


def named(at):
    """``train.py:8`` for a statement that has its line to itself, else what the statement is, and where."""
    if at.statement is None or stands_alone(at, at.statement):
        return at.where() if at.statement is None else lines_of(at, at.statement)
    return f"`{ast.unparse(at.statement)}` ({at.where()})"


def retaining(freed):
    """The freeing line with ``retain_graph=True``."""
    call = freed.expression
    if any(k.arg == "retain_graph" for k in call.keywords):
        return None
    keywords = [*call.keywords, ast.keyword("retain_graph", ast.Constant(True))]
    return freed.edited(call, ast.unparse(ast.Call(call.func, call.args, keywords)))


def runs_again(root, node, sequence):
    """Whether the line that made ``node`` also made a part of the graph of ``root`` since then: it runs in each turn."""
    return any(isinstance(newer, Node) and newer._sequence >= sequence and newer._site is not None
               and place(newer._site).same_line(place(node._site))
               for newer in behind([root], last=lambda older: older._sequence < sequence))


def shared_graph(made, end, freed, asked, again, scene):
    """The second call, at the node ``end``, has a graph of its own, down to something that both have in common."""
    root, recorded = place(end._site), differentiated(freed, end)
    if made is None:
        return [Row("fix", None, text="make anew what both share, or detach() it")]
    rebuilt = f"; the loss was rebuilt at {root.where()}" if root is not None and root.line is not None else ""
    loop = enclosing_loop(asked) if asked is not None and asked.code is made.code else None
    inside = loop is not None and loop.lineno <= made.line <= loop.end_lineno
    cut = detached(made)
    carried = syntax.names_carried(made.statement)
    handed = None if carried else syntax.handed_on(made.statement, function_around(made))
    if again and handed is not None:
        note = f"built in an earlier turn, and carried into this one by {ast.unparse(handed)}{rebuilt}"
        name = handed.value.id
        cut = detached_value(name, carried_value(made, name, scene, handed.targets[0]))
        where, code = made.with_replaced(handed, ast.unparse(handed).removesuffix(name) + (cut or f"{name}.detach()"))
        fix = f"{edit(where, code)}   {code}   gradients then stop at the start of the turn"
    elif again:
        note = f"built in an earlier turn, and carried into this one{rebuilt}"
        cuts = {name: detached_value(name, carried_value(made, name, scene)) for name in carried}
        if cuts and all(cuts.values()) and stands_alone(made, made.statement):
            code = "; ".join(f"{name} = {cut}" + f" if {name} is not None else None" * begins_as_none(made, name)
                             for name, cut in cuts.items())
            fix = f"before {lines_of(made, made.statement)} add   {code}   gradients then stop at the start of the turn"
        else:
            fix = "detach() what is carried, before the next turn uses it: "
            fix += "".join(f"{name} = {cut}; " if cut else f"detach() each tensor in {name}; " for name, cut in cuts.items())
            fix += "gradients then stop at the start of the turn"
    elif loop is not None and not inside and syntax.draws(made.statement):
        # (in the loop, it would draw other numbers in each turn: another gradient, without a word)
        note = f"built once, before the loop{rebuilt}"
        fix = "add up the losses in the loop, and call backward() once, on their sum" + (
            f"; or {cut} if it should not train" if cut else "")
    elif loop is not None and not inside:
        note = f"built once, before the loop{rebuilt}"
        fix = f"move {named(made)} into the loop" + (f", or {cut} if it should not train" if cut else "")
    elif freed is not None and asked is not None and freed.same_line(asked):
        note = f"built once, and part of the graphs of several turns{rebuilt}"
        fix = "compute it anew in each turn" + (f", or {cut} if it should not train" if cut else
                                                ", or detach() it if what made it should not train")
    elif recorded is not None:
        note = f"built once: its gradient was taken first, and is a part of the loss{rebuilt}"
        fix = f"{edit(freed.where(), recorded)}   {recorded}   the gradient then has a history, and the graph stays"
    else:
        note = f"built once, and part of both graphs{rebuilt}"
        name = syntax.target(made)
        name = made.source_of(name) if name is not None else None
        fix = ((f"{name}.detach() in one of them, if it should not train what made {name}" if name else
                "detach() it in one of them, if what made it should not train")
               + "; or add the two losses and call backward() once")
    return [
        Row("shared", made, note),
        Row("fix", None, text=fix),
        Row("careful", None, text="retain_graph=True hides this: the old values are used again, and it breaks "
                                  "after optimizer.step()"),
    ]


def differentiated(freed, end):
    """The freeing line with ``create_graph=True``, where it took a gradient that ``end`` is computed from; else None."""
    call = None if freed is None else freed.expression
    taken = [cut for node in behind([end]) if isinstance(node, Node) for cut in cuts_of(node._cut) if cut.kind == "grad"]
    if not isinstance(call, ast.Call) or not any(place(cut.site).same_line(freed) for cut in taken):
        return None
    keywords = [k for k in call.keywords if k.arg not in ("create_graph", "retain_graph")]
    anew = ast.Call(call.func, call.args, [*keywords, ast.keyword("create_graph", ast.Constant(True))])
    return freed.edited(call, ast.unparse(anew))


def carried_value(made, name, scene, held=None):
    """The value that ``name`` has where ``made`` is: of ``self.h``, in a method that has returned, by whose method it is.

    ``held``: what ``name`` was handed on to, which may still be seen once the method has returned.
    """
    for text in (name, *([] if held is None else [ast.unparse(held)])):
        first, *attributes = text.split(".")
        gone = first in made.code.co_varnames and all(frame.f_code is not made.code for frame in scene.frames)
        found = MISSING if gone else scene.value(made, first)
        if found is MISSING and attributes:
            found = next((value for _, value in scene.variables() if getattr(
                getattr(type(value), made.code.co_name, None), "__code__", None) is made.code), MISSING)
        for attribute in attributes:
            found = getattr(found, "__dict__", {}).get(attribute, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def detached_value(name, value):
    """``h.detach()``, or ``tuple(s.detach() for s in h)`` of a tuple of tensors; None where no short line does it."""
    if type(value) in (tuple, list) and value:
        each = "part" if name == "s" else "s"
        parts = {detached_value(each, part) for part in value}
        if len(parts) != 1 or None in parts:
            return None
        inner = f"{parts.pop()} for {each} in {name}"
        return f"tuple({inner})" if type(value) is tuple else f"[{inner}]"
    return None if isinstance(value, (tuple, list, dict)) else f"{name}.detach()"


def detached(made):
    """``xs = conv(raw).detach()``."""
    statement = made.statement
    if isinstance(statement, ast.Assign) and not isinstance(statement.targets[0], (ast.Tuple, ast.List)):
        cut = suffixed(statement.value, ast.unparse(statement.value), ".detach()")
        return f"{' = '.join(map(ast.unparse, statement.targets))} = {cut}"
    return None


# -- refused before anything was written ------------------------------------------------------------------------

def leaf_overwrite(error):
    """What was refused, why, and the two things that may be meant."""
    at = place(error.site)
    what = "The tensor"
    choices = []
    if at is not None:
        name = written_name(at)
        what = f"`{name}`" if name else what
        if at.text is not None:
            untracked = unrecorded(at)
            if untracked is not None:
                choices.append((at.where(), untracked, "if this sets or updates a parameter"))
            anew = None if error.view else out_of_place(at, Scene(error.__traceback__))
            if anew is not None:
                choices.append((at.where(), anew, "if gradients should flow through it: this makes a new tensor"))
            elif error.view or written_anew(at) is None:
                choices.append(("", "write to a clone() of it", "if gradients should flow through the write"))
    kind = "a view of a leaf" if error.view else "a leaf"
    told = f"{what} is {kind} that requires grad: backward() gives its gradient at the value it has now. Nothing was written."
    story = sentence(told) + "\n\n" + table([Row("refused", at, "" if at is not None and at.text else error.op)])
    return f"{story}\n\n{fixes(choices)}" if choices else story


def unrecorded(at):
    """The line at ``at`` as it is not recorded: under ``no_grad()``, or through ``detach()`` where a block has no room."""
    if is_simple_line(at.text) and (at.statement is None or stands_alone(at, at.statement)):
        return Line(f"with {library(at)}.no_grad(): {at.text}")
    node = written_node(at)
    if node is None:
        return None
    if isinstance(node, ast.Subscript):
        return at.edited(node.value, f"{at.source_of(node.value)}.detach()")
    whole = "[...]" if isinstance(at.statement, ast.AugAssign) else ""
    return at.edited(node, f"{at.source_of(node)}.detach(){whole}")


def is_simple_line(text):
    """Whether a line can stand behind the colon of a block."""
    try:
        statements = parsed(text).body
    except SyntaxError:
        return False
    return all(isinstance(s, (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign)) and not any(
        isinstance(n, ast.Lambda) for n in ast.walk(s)) for s in statements)


def written_node(at):
    """The syntax node of what the line at ``at`` writes to; None if it has no short name."""
    if isinstance(at.statement, ast.AugAssign):
        node = at.statement.target
    elif isinstance(at.expression, ast.Subscript):
        node = at.expression
    else:
        node = syntax.receiver(at.expression) if at.expression is not None else None
    return node if node is not None and syntax.is_simple(node) else None


def written_name(at):
    """The name of what the line at ``at`` writes to."""
    node = written_node(at)
    return None if node is None else at.source_of(node)
