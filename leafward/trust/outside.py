"""Writes by other libraries: where the memory was handed out, and the line in sight that may have written to it."""
import ast

from leafward.core.storage import Storage, is_after
from leafward.core.runtime import runtime
from leafward.trust import syntax
from leafward.trust.layout import edit
from leafward.trust.memory import tensors_there
from leafward.trust.source import Place, function_around, line_of, place

#: NumPy's methods that write, and functions that write to their first argument. Tensors' methods that do end in ``_``.
WRITING_METHODS = {"fill", "sort", "put", "partition", "itemset", "setfield", "byteswap", "resize", "__setitem__"}
WRITING_FUNCTIONS = {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "shuffle", "readinto",
                     "readinto1", "recv_into", "pack_into"}
#: Where a tensor comes from that lies on foreign memory: how the fix makes a copy of it.
KINDS = {
    "numpy": "numpy() does not copy", "from_numpy": "from_numpy() does not copy", "frombuffer": "frombuffer() does not copy",
    "dlpack": "DLPack does not copy", "from_dlpack": "from_dlpack() does not copy",
}


class Outside:
    """What is known of a write that leafward did not make: between which lines, and through what."""

    def __init__(self, node, saved, found):
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
        self.written = self.find_write()

    def span(self):
        """``between a.py:4 and a.py:9``."""
        ends = [end.where() for end in (self.since, self.found) if end is not None]
        return f"between {ends[0]} and {ends[1]}" if len(ends) == 2 else f"before {ends[0]}" if ends else ""

    def names(self):
        """What the source calls the foreign memory: what it was assigned to, or made from."""
        if self.handed is None or self.handed.statement is None:
            return set()
        found = set()
        statement, call = self.handed.statement, self.handed.expression
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            found.add(statement.targets[0].id)
        if self.kind.startswith("from") and isinstance(call, ast.Call):
            found |= {ast.unparse(n) for arg in call.args for n in ast.walk(arg) if syntax.is_simple(n)
                      and not isinstance(n, ast.Subscript)}
        return found

    def find_write(self):
        """The place of the only statement in sight that writes to the foreign memory; None if that is not sure.

        ``kind`` and ``handed`` are then those of the line through which it does.
        """
        first, found = (self.kind, self.handed), {}
        for kind, handed in self.ways:
            self.kind, self.handed = kind, handed
            for write in self.writes_through():
                found.setdefault((handed.code, write.lineno), (write, kind, handed))
        if len(found) != 1:
            self.kind, self.handed = first
            return None
        ((written, self.kind, self.handed),) = found.values()
        return written

    def writes_through(self):
        """The statements in sight that write through what was handed out at ``handed``."""
        if self.handed is None or self.handed.statement is None:
            return []
        writes = foreign_writes(function_around(self.handed), self.names())
        if is_foreign_write(self.handed.statement, self.names()) and self.kind in ("numpy", "dlpack"):
            writes = [self.handed.statement]
        return [write for write in writes if self.is_in_time(write)]

    def is_in_time(self, write):
        """Whether a statement can have run after the value was saved and before it was needed, as far as lines tell."""
        if None in (self.since, self.found) or not self.since.code is self.found.code is self.handed.code:
            return True                                     # a function may be called again
        loops = [loop for loop in loops_in(function_around(self.handed)) if is_within(loop, write.lineno)]
        return ((self.since.line <= write.lineno or any(is_within(loop, self.since.line) for loop in loops))
                and (write.lineno <= self.found.line or any(is_within(loop, self.found.line) for loop in loops)))

    def written_line(self):
        return None if self.written is None else line_of(self.handed, self.written)

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
        return self.written is not None and self.handed is not None and self.written is self.handed.statement \
            and not self.names() and isinstance(self.written, (ast.Expr, ast.Assign, ast.AugAssign))

    def copied_argument(self, call):
        """``np.asarray(y.detach().clone())``: the tensor in the call, copied."""
        if not call.args or not (syntax.is_simple(call.args[0]) or isinstance(call.args[0], ast.Call)):
            return None
        return self.handed.edited(call.args[0], f"{ast.unparse(call.args[0])}.clone()")


def is_foreign_write(statement, names):
    """Whether a statement writes to what is called one of ``names``, or to what it makes itself: ``y.numpy()[:] = 0``."""
    for node in ast.walk(statement):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                written = target
                while isinstance(written, (ast.Subscript, ast.Attribute)) and ast.unparse(written) not in names:
                    written = written.value
                if written is target and not isinstance(node, ast.AugAssign):
                    continue
                if ast.unparse(written) in names or isinstance(written, ast.Call):
                    return True
        if isinstance(node, ast.Call):
            name = syntax.called(node)
            method = node.func.value if isinstance(node.func, ast.Attribute) else None
            given = [k.value for k in node.keywords if k.arg in ("out", "dst")]
            if method is not None and name is not None and (name in WRITING_METHODS or name.endswith("_")):
                given.append(method)
            if name in WRITING_FUNCTIONS and node.args:
                given.append(node.args[0])
            if any(isinstance(n, ast.Call) and not names or ast.unparse(n) in names for g in given for n in ast.walk(g)):
                return True
    return False


def foreign_writes(tree, names):
    """The simple statements in ``tree`` that write to what is called one of ``names``."""
    simple = (ast.Assign, ast.AugAssign, ast.Expr)
    return [node for node in ast.walk(tree) if names and isinstance(node, simple) and is_foreign_write(node, names)]


def loops_in(tree):
    """The loops in a function, comprehensions among them."""
    return [node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While, ast.AsyncFor, ast.ListComp, ast.SetComp,
                                                                 ast.DictComp, ast.GeneratorExp))]


def is_within(node, line):
    return node.lineno <= line <= node.end_lineno


def other_tensor(node, saved):
    """The first write, since ``node`` saved it, through another tensor that lies on the same foreign memory; None if none."""
    storages = {id(t._storage): t._storage for t in tensors_there()
                if type(t._storage) is Storage and t._storage is not saved.storage}
    writes = [write for storage in storages.values() for write in storage.log or () if is_after(write, node)
              and runtime.overlap(write.region, saved.array)]
    return min(writes, key=lambda write: write.number, default=None)


def as_place(base, statement):
    """The :class:`Place` of a statement of the same code as ``base``."""
    made = Place.__new__(Place)
    made.__dict__.update(vars(base))
    made.line, made.text = statement.lineno, ast.unparse(statement).partition("\n")[0]
    made.start, made.end = 0, len(made.text)
    made.statement, made.expression = statement, None
    return made
