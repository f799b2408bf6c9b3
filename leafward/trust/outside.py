"""Writes by other libraries: where the memory was handed out, and the line in sight that may have written to it."""
import ast

from leafward.core.storage import Storage, is_after
from leafward.core.runtime import runtime
from leafward.trust.flow import is_within
from leafward.trust.syntax import is_simple, lines_reading, names_read, target
from leafward.trust.layout import edit
from leafward.trust.memory import tensors_there
from leafward.trust.source import enclosing_loop, function_around, place
from leafward.trust.writers import Search, made_from

#: Where a tensor comes from that lies on foreign memory: how the fix makes a copy of it.
KINDS = {
    "numpy": "numpy() does not copy", "from_numpy": "from_numpy() does not copy", "frombuffer": "frombuffer() does not copy",
    "dlpack": "DLPack does not copy", "from_dlpack": "from_dlpack() does not copy",
}


class Outside:
    """What is known of a write that leafward did not make: between which lines, and through what."""

    def __init__(self, node, saved, found, scene):
        self.saved, self.found = saved, found
        kept_at = place(node._site)
        escapes = saved.storage.escaped
        later = escapes.since(saved.escapes) if saved.seal is None else []
        ways = {handed.site: (handed.kind, place(handed.site)) for handed in later or reversed(escapes.recent)}
        self.ways = list(ways.values())
        self.is_sure = len(self.ways) == 1                  # else a copy made in one of these lines may not help
        self.kind, self.handed = self.ways[0]
        self.since = self.handed if later else kept_at
        self.other = other_tensor(node, saved)
        self.written, self.called_in = self.find_write(scene)

    def span(self):
        """``between a.py:4 and a.py:9``."""
        ends = [end.where() for end in (self.since, self.found) if end is not None]
        return f"between {ends[0]} and {ends[1]}" if len(ends) == 2 else f"before {ends[0]}" if ends else ""

    def find_write(self, scene):
        """The only statement in sight that writes to the memory through NumPy, as a place; None if there are others, or none.

        With it, where the function that it stands in was called. ``kind`` and ``handed`` are then those of the line through
        which it writes, where the statement says so.
        """
        search = Search(scene, self.saved, self.ways, self.since, self.found)
        if len(search.found) != 1:
            return None, None
        ((written, called_in),) = search.found.values()
        for kind, handed in self.ways:
            if handed is not None and written.code is handed.code and names_of(kind, handed) & names_read(written.statement):
                self.kind, self.handed = kind, handed
        return written, called_in

    def fix(self):
        """``y.detach().clone().numpy()``, ``torch.from_numpy(buf).clone()``."""
        if self.handed is None or not isinstance(self.handed.expression, ast.Call):
            return ""
        call = self.handed.expression
        own = "the array" if self.kind in ("numpy", "dlpack") else "the tensor"
        text = ast.unparse(call)
        if self.kind.startswith("from"):
            code = self.handed.edited(call, f"{text}.clone()")
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "numpy":
            code = self.handed.edited(call, f"{text}.copy()")
        else:
            code = self.copied_argument(call)
        return "" if code is None else f"{edit(self.handed.where(), code)}   {code}   {own} then has memory of its own"

    def is_only_a_write(self):
        """Whether the memory is handed out for one write, and by no name: a private copy would be of no use."""
        if self.written is None or self.handed is None or self.written.statement is not self.handed.statement:
            return False
        simple = isinstance(self.written.statement, (ast.Expr, ast.Assign, ast.AugAssign))
        return simple and not names_of(self.kind, self.handed)

    def is_read_on(self, used):
        """Whether what is written there is read as the tensor later on: a copy made in the line above would never see it."""
        if self.written is None or self.handed is None:
            return False
        loop = enclosing_loop(self.written)
        if loop is not None and used is not None and used.file == self.written.file and is_within(loop, used.line) \
                and not (self.handed.file == used.file and is_within(loop, self.handed.line)):
            return True
        named = target(self.handed) if self.kind.startswith("from") and self.handed.code is self.written.code \
            and self.handed.line < self.written.line else None
        read = [] if named is None else lines_reading(function_around(self.written), ast.unparse(named))
        return any(line > self.written.statement.end_lineno for line in read)

    def copied_argument(self, call):
        """``np.asarray(y.detach().clone())``: the tensor in the call, copied."""
        if not call.args or not (is_simple(call.args[0]) or isinstance(call.args[0], ast.Call)):
            return None
        return self.handed.edited(call.args[0], f"{ast.unparse(call.args[0])}.clone()")


def names_of(kind, handed):
    """What the source calls memory that was handed out, or came in, at ``handed``: what it was assigned to, or made from."""
    statement = handed.statement
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {ast.unparse(target) for target in targets if is_simple(target)} | made_from(kind, handed.expression)


def other_tensor(node, saved):
    """The first write, since ``node`` saved it, through another tensor that lies on the same foreign memory; None if none."""
    storages = {id(t._storage): t._storage for t in tensors_there()
                if type(t._storage) is Storage and t._storage is not saved.storage}
    writes = [write for storage in storages.values() for write in storage.log or () if is_after(write, node)
              and runtime.overlap(write.region, saved.array)]
    return min(writes, key=lambda write: write.number, default=None)
