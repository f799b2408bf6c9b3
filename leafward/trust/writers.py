"""Statements that write to some memory through NumPy: found by what the user's names hold now, and by how they hand it on.

Nothing of this ran while leafward looked on. So a statement is named where it is the only one in sight that writes there:
by a name that holds the memory, or by a parameter of a function that was handed it.
"""
import ast
import itertools
from functools import partial
from types import FunctionType, MethodType, ModuleType

from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.trust import syntax
from leafward.trust.memory import parts_of
from leafward.trust.scene import MISSING, is_hidden
from leafward.trust.flow import is_within, loops_in
from leafward.trust.source import Place, characters, function_around, place, source_lines

#: NumPy's methods that write, and functions that write to their first argument. Tensors' methods that do end in ``_``.
WRITING_METHODS = {"fill", "sort", "put", "partition", "itemset", "setfield", "byteswap", "resize", "__setitem__"}
WRITING_FUNCTIONS = {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "shuffle", "readinto",
                     "readinto1", "recv_into", "pack_into", "at"}
#: What gives the memory of its first argument, or of what it is a method or an attribute of, once more.
SHARING = {"numpy", "detach", "cpu", "view", "reshape", "ravel", "squeeze", "transpose", "swapaxes", "asarray", "asanyarray",
           "ascontiguousarray", "from_dlpack", "memoryview", "frombuffer", "cast", "T", "flat",
           "real", "data", "base", "mT", "setdefault"}
#: How many values are looked at for one frame, how deep in containers, and how far from function to function.
LOOKED_AT, DEPTH, CALLS = 2000, 4, 4
INNER = (ast.stmt, ast.excepthandler, ast.match_case)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Names:
    """Which expressions stand for the memory in one scope: ``held`` by what they hold, ``handed`` as the text tells, and
    ``seen``, the very calls that gave it."""

    def __init__(self, held=(), handed=(), namespaces=(), seen=()):
        self.held, self.handed, self.namespaces, self.seen = set(held), set(handed), namespaces, list(seen)

    def stands_for(self, node):
        """Whether the value of ``node`` is on the memory, as far as names and calls tell."""
        while True:
            text = ast.unparse(node)
            if text in self.held or text in self.handed or any(node is call for call in self.seen):
                return True
            if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant) and self.has_parts(node.value):
                return True                                 # one of several: `arrays[i]`
            if isinstance(node, (ast.Subscript, ast.Starred)):
                node = node.value
            elif isinstance(node, ast.Attribute) and node.attr in SHARING:
                node = node.value
            elif isinstance(node, ast.NamedExpr):
                node = node.value
            elif isinstance(node, ast.Call) and syntax.called(node) in SHARING:
                method = isinstance(node.func, ast.Attribute) and not isinstance(self.value(node.func.value), ModuleType)
                if not method and not node.args:
                    return False
                node = node.func.value if method else node.args[0]
            else:
                return False

    def value(self, node):
        """What a plain name, or an attribute or item of one, holds; nothing of the user's is run to see it."""
        if isinstance(node, ast.Name):
            return next((space[node.id] for space in self.namespaces if node.id in space), MISSING)
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value)
            if owner is MISSING:
                return MISSING
            if isinstance(owner, ModuleType):
                return vars(owner).get(node.attr, MISSING)
            fields = getattr(owner, "__dict__", None)
            inside = [fields, *[fields.get(kind) for kind in ("_modules", "_buffers")]] if type(fields) is dict else []
            found = next((space[node.attr] for space in inside if type(space) is dict and node.attr in space), MISSING)
            method = getattr(owner if isinstance(owner, type) else type(owner), node.attr, None)
            return MethodType(method, owner) if found is MISSING and type(method) is FunctionType \
                and not isinstance(owner, type) else found if found is not MISSING else MISSING if method is None else method
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            owner = self.value(node.value)
            if type(owner) in (dict, list, tuple):
                try:
                    return owner[node.slice.value]
                except (LookupError, TypeError):
                    return MISSING
        return MISSING

    def follow(self, statements):
        """Take in the names that statements give to what stands for the memory."""
        for _ in range(2):                                  # (a loop may come back to an earlier line)
            for statement in statements:
                for target, value in bindings(statement):
                    if syntax.is_simple(target) and not isinstance(self.value(target), (TensorBase, runtime.ndarray)) \
                            and (self.stands_for(value) or is_loop(statement) and self.has_parts(value)):
                        self.handed.add(ast.unparse(target))

    def has_parts(self, node):
        """Whether what ``node`` stands for is a container with something on the memory in it."""
        return syntax.is_simple(node) and any(part.startswith("[") for part in self.handed_to(ast.unparse(node)))

    def handed_to(self, text):
        """What of the memory's names begins with ``text``: ``.last`` of ``m.last`` where ``m`` is handed on."""
        return {name[len(text):] for name in self.held | self.handed if name.startswith((text + ".", text + "["))}


def bindings(statement):
    """``(target, value)`` for what a statement binds: a loop's variable gets parts of what it runs over."""
    if isinstance(statement, ast.Assign):
        return [(target, statement.value) for target in statement.targets]
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return [(statement.target, statement.iter)]
    given = [(statement.target, statement.value)] if isinstance(statement, ast.AnnAssign) and statement.value else []
    return given + [(one.target, one.iter) for one in ast.walk(statement) if isinstance(one, ast.comprehension)]


def is_loop(statement):
    """Whether a statement binds names to the parts of what it runs over."""
    return isinstance(statement, (ast.For, ast.AsyncFor)) or any(isinstance(n, ast.comprehension) for n in ast.walk(statement))


def own_statements(tree):
    """The statements of a function, without those of functions inside it."""
    todo, found = list(tree.body), []
    while todo:
        node = todo.pop(0)
        if not isinstance(node, FUNCTIONS):
            found += [node] if isinstance(node, ast.stmt) else []
            todo[:0] = [child for child in ast.iter_child_nodes(node) if isinstance(child, INNER)]
    return found


def own_parts(statement, names):
    """The expressions of a statement, without those of statements inside it, or of lambdas that mean others by ``names``."""
    todo, found = [statement], []
    roots = {syntax.root(name) for name in names.held | names.handed}
    while todo:
        node = todo.pop()
        found.append(node)
        if not isinstance(node, ast.Lambda) or not roots & {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}:
            todo += [child for child in ast.iter_child_nodes(node) if not isinstance(child, INNER)]
    return found


def is_write(statement, names):
    """Whether a statement writes to what stands for the memory: ``a[0] = 1``, ``a += 1``, ``np.exp(a, out=a)``."""
    for node in own_parts(statement, names):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in (one for t in targets for one in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t])):
                inside = target.value if isinstance(target, ast.Subscript) or isinstance(target, ast.Attribute) \
                    and target.attr in SHARING else target if isinstance(node, ast.AugAssign) else None
                if inside is not None and writes_by(inside, names):
                    return True
        if isinstance(node, ast.Call) and any(writes_by(given, names) for given in written_by_call(node, names)):
            return True
    return False


def writes_by(node, names):
    """Whether a write to ``node`` is one that leafward does not see: to an array, and not to a tensor on the memory."""
    return names.stands_for(node) and not isinstance(names.value(node), TensorBase)


def written_by_call(node, names):
    """The arguments that a call of NumPy's writes to."""
    name = syntax.called(node)
    given = [part for k in node.keywords if k.arg in ("out", "dst")
             for part in (k.value.elts if isinstance(k.value, ast.Tuple) else [k.value])]
    method = node.func.value if isinstance(node.func, ast.Attribute) else None
    if method is not None and name in WRITING_METHODS:
        given.append(method)
    if name in WRITING_FUNCTIONS and node.args:
        given.append(node.args[0])
    inputs = getattr(names.value(node.func), "nin", None)   # `np.add(a, b, a)`
    return given + (node.args[inputs:] if isinstance(inputs, int) else [])


class Search:
    """All statements in sight that write to the memory of ``array``: ``found`` has ``(place, statement)`` of each."""

    def __init__(self, scene, saved, ways, since, found):
        self.array, self.since, self.now = saved.array, since, found
        self.storage, self.ways = saved.storage, ways
        self.found, self.seen = {}, set()
        self.elsewhere = set()                              # ids of what has no part on the memory: frames share much of it
        for frame in scene.frames:
            here = place((frame.f_code, frame.f_lasti))
            self.look(here, self.names_of(frame, here), 0)
        for _, handed in ways:
            if handed is not None and not any(frame.f_code is handed.code for frame in scene.frames):
                spaces = [frame.f_globals for frame in scene.frames if frame.f_code.co_filename == handed.file][:1]
                self.look(handed, Names((), self.texts_in(handed), spaces, self.calls_in(handed)), 0)

    def names_of(self, frame, here):
        """What stands for the memory in a frame that is running."""
        spaces = [frame.f_locals, frame.f_globals]
        held = {path for space in spaces[:1 if frame.f_locals is frame.f_globals else 2] for path in self.paths(space)}
        return Names(held, self.texts_in(here), spaces, self.calls_in(here))

    def calls_in(self, here):
        """The calls in a scope that handed the memory out, or took it in."""
        return [handed.expression for _, handed in self.ways
                if handed is not None and handed.code is here.code and handed.expression is not None]

    def texts_in(self, here):
        """What the source of a scope calls the memory that was taken in there."""
        return {text for kind, handed in self.ways if handed is not None and handed.code is here.code
                and here.code.co_name != "<lambda>" for text in made_from(kind, handed.expression)}

    def holds(self, value):
        """Whether a tensor or an array lies on the memory."""
        if isinstance(value, TensorBase):
            return value._storage is self.storage
        return isinstance(value, runtime.ndarray) and value.size > 0 and runtime.overlap(value, self.array)

    def paths(self, namespace):
        """How variables of ``namespace``, and what they hold, are written where they lie on the memory."""
        if id(namespace) in self.elsewhere:
            return set()
        todo = [(name, value, 0) for name, value in list(namespace.items()) if not name.startswith("__")]
        seen, texts = {id(namespace)} if type(namespace) is dict else set(), set()      # a proxy is made anew each time
        for path, value, depth in itertools.islice(todo, LOOKED_AT):
            if isinstance(value, (TensorBase, runtime.ndarray)):
                if self.holds(value):
                    texts.add(path)
            elif len(todo) < LOOKED_AT and depth < DEPTH and id(value) not in seen and id(value) not in self.elsewhere \
                    and not isinstance(value, (ModuleType, type, FunctionType)):
                seen.add(id(value))
                parts = parts_of(value, LOOKED_AT - len(todo))
                if hasattr(type(value), "named_children"):
                    parts = [(f".{name}", part) for space in (vars(value), vars(value).get("_modules", {}))
                             for name, part in list(space.items()) if not name.startswith("_")]
                todo += [(f"{path}{suffix}", part, depth + 1) for suffix, part in parts]
        if not texts:
            self.elsewhere |= seen
        return texts

    def look(self, here, names, depth, root=None):
        """Go through the statements of a scope, and of functions that are handed the memory in it."""
        key = here.code, frozenset(names.held | names.handed)
        if key in self.seen or depth > CALLS:
            return
        self.seen.add(key)
        if not (names.held or names.handed or names.seen):
            return
        tree = function_around(here)
        statements = own_statements(tree)
        names.follow(statements)
        for statement in statements:
            if depth == 0 and not self.is_in_time(here, statement):
                continue
            if is_write(statement, names):
                self.found.setdefault((here.file, statement.lineno, statement.col_offset), (as_place(here, statement), root))
            for node in own_parts(statement, names):
                if isinstance(node, ast.Call):
                    self.look_into(node, names, depth, root or as_place(here, statement))

    def look_into(self, call, names, depth, root):
        """Go through a function of the user's that is called with what stands for the memory, or with what holds it."""
        function, given = names.value(call.func), list(call.args)
        if not is_users(function):
            for part in [*call.args, *[k.value for k in call.keywords]]:
                if isinstance(part, ast.Name) and is_users(handed := names.value(part)):      # `map(f, arrays)`
                    self.look_into_callee(handed, [one for one in parts_given(call) if one is not part], names, depth, root)
        if type(function) is partial:
            self.look_into_partial(function, depth, root)
            return
        bound = isinstance(function, MethodType)
        if not bound and hasattr(type(function), "forward") and type(function.forward) is MethodType:
            function, bound = function.forward, True
            given.insert(0, call.func)
        elif bound:
            given.insert(0, call.func.value if isinstance(call.func, ast.Attribute) else call.func)
        function = function.__func__ if bound else function
        if is_users(function):
            self.enter(function, given, call.keywords, names, depth, root)

    def look_into_callee(self, function, given, names, depth, root):
        """Go through a function that is handed on with what it will be called with: to ``map``, or to a thread."""
        code = function.__code__
        handed = {p for p, node in zip(code.co_varnames[:code.co_argcount], given, strict=False)
                  if names.stands_for(node) or names.has_parts(node)}
        self.look(place((code, -1)), Names((), handed, [function.__globals__]), depth + 1, root)

    def look_into_partial(self, function, depth, root):
        """Go through the function of a partial one that holds something on the memory."""
        if is_users(function.func):
            code = function.func.__code__
            handed = {p for p, value in [*zip(code.co_varnames, function.args, strict=False), *function.keywords.items()]
                      if self.holds(value)}
            self.look(place((code, -1)), Names((), handed, [function.func.__globals__]), depth + 1, root)

    def enter(self, function, given, keywords, names, depth, root):
        """Go through a function that is called with these arguments."""
        code = function.__code__
        parameters = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        pairs = [*zip(parameters, given, strict=False), *[(k.arg, k.value) for k in keywords if k.arg in parameters]]
        handed = set()
        for parameter, node in pairs:
            if names.stands_for(node):
                handed.add(parameter)
            elif syntax.is_simple(node):
                handed |= {parameter + rest for rest in names.handed_to(ast.unparse(node))}
        inside = place((code, -1))
        if inside.line is not None:
            self.look(inside, Names(self.paths(function.__globals__), handed, [function.__globals__]), depth + 1, root)

    def is_in_time(self, here, statement):
        """Whether a statement can have run after the value was saved and before it was needed, as far as lines tell."""
        line, now = statement.lineno, self.now
        loops = [loop for loop in loops_in(function_around(here)) if is_within(loop, line)]
        if now is not None and now.code is here.code and not line <= now.line \
                and not any(is_within(loop, now.line) for loop in loops):
            return False
        if self.since is None or self.since.code is not here.code:
            return True                                     # a function may be called again
        return self.since.line <= line or any(is_within(loop, self.since.line) for loop in loops)


def is_users(function):
    """Whether a value is a function that the user wrote."""
    return type(function) is FunctionType and not is_hidden(function.__code__)


def parts_given(call):
    """The arguments of a call, those in a tuple or a list each by itself."""
    given = [*call.args, *[k.value for k in call.keywords]]
    return [part for node in given for part in (node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node])]


def made_from(kind, call):
    """The names of the foreign memory that ``call`` takes; none where it hands out memory."""
    if not kind.startswith("from") or not isinstance(call, ast.Call):
        return set()
    return {ast.unparse(n) for arg in call.args for n in ast.walk(arg)
            if syntax.is_simple(n) and not isinstance(n, ast.Subscript)}


def assigned_before(at, name):
    """The :class:`Place` of the last assignment to ``name`` above ``at`` in its function; None if it shows none."""
    found = [] if at.text is None else [
        node for node in own_statements(function_around(at)) if isinstance(node, ast.Assign) and node.lineno < at.line
        and [ast.unparse(target) for target in node.targets] == [name]]
    return as_place(at, max(found, key=lambda node: node.lineno)) if found else None


def as_place(base, statement):
    """The :class:`Place` of a statement of the same code as ``base``."""
    made = Place.__new__(Place)
    made.__dict__.update(vars(base))
    made.line = statement.lineno
    line = source_lines(base.file)[statement.lineno - 1]
    last = line if statement.end_lineno != statement.lineno else line[:characters(line, statement.end_col_offset)]
    made.text = last[characters(line, statement.col_offset):].rstrip()
    made.start, made.end = 0, len(made.text)
    made.statement, made.expression = statement, None
    return made
