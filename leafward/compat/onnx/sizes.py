"""Sizes that may be others when the exported program runs: ints that remember how they were computed.

While a model is traced it has an example of everything: a size is the example's, and its ``second`` is the one of the second
example. Arithmetic goes on in the exported graph. What Python decides by a size is decided by the example; where the second
one would decide otherwise, that is noted.
"""
import operator


class TracedSize(int):
    """The size of a dim, or what was computed of such: ``second`` is what the second example has in its place."""

    def __new__(cls, value, second, graph, name):
        size = int.__new__(cls, value)
        size.second, size.graph, size.make = second, graph, name
        size.made = None
        return size

    def name(self):
        """The value of the graph that holds it: a vector of one element."""
        if self.made is None:
            self.made = self.make()
        return self.made

    __hash__ = int.__hash__

    def __floor__(self):
        return self

    __ceil__ = __trunc__ = __round__ = __pos__ = __floor__

    def __neg__(self):
        return 0 - self


class Repeated(tuple):
    """``(n,) * t`` for a traced ``t``, or of a traced ``n``: ``second`` is what the second example makes of it."""

    def __new__(cls, values, second, count):
        found = tuple.__new__(cls, values)
        found.second, found.count = second, count
        return found


def second_of(value):
    """What the second example has in place of a size, or of sizes in tuples and lists."""
    if isinstance(value, (TracedSize, Repeated)):
        return value.second
    if type(value) in (list, tuple):
        return type(value)([second_of(part) for part in value])
    if isinstance(value, tuple):
        return tuple([second_of(part) for part in value])
    if isinstance(value, slice):
        return slice(second_of(value.start), second_of(value.stop), second_of(value.step))
    return value


def is_traced(value):
    """Whether a size of the example is in ``value``."""
    if isinstance(value, (TracedSize, Repeated)):
        return True
    if isinstance(value, slice):
        return is_traced((value.start, value.stop, value.step))
    return isinstance(value, (list, tuple)) and any([is_traced(part) for part in value])


#: How the graph computes what Python's operators do to whole numbers.
NODES = {"add": "Add", "sub": "Sub", "mul": "Mul"}


def node_for(graph, name, a, b):
    """The graph's value of ``a (name) b``; division rounds down, as Python's does and ONNX's does not."""
    if name in NODES:
        return graph.node(NODES[name], [a, b])
    rest = graph.node("Mod", [a, b])
    return rest if name == "mod" else graph.node("Div", [graph.node("Sub", [a, rest]), b])


def arithmetic(name, reflected):
    function = getattr(operator, name)
    plain = getattr(int, f"__{'r' if reflected else ''}{name}__")

    def method(self, other):
        if name == "mul" and isinstance(other, (tuple, list)):
            return Repeated(function(other, int(self)), tuple(second_of(part) for part in other) * self.second, self)
        if not isinstance(other, int) or isinstance(other, bool):
            return plain(self, other)
        left, right = (other, self) if reflected else (self, other)
        graph = self.graph
        return TracedSize(function(int(left), int(right)), function(second_of(left), second_of(right)), graph,
                          lambda: node_for(graph, name, graph.size(left), graph.size(right)))
    return method


def comparison(name):
    function = getattr(operator, name)

    def method(self, other):
        if not isinstance(other, (int, float)):
            return NotImplemented
        answer = function(int(self), other if isinstance(other, float) else int(other))
        if answer != function(self.second, second_of(other)):
            self.graph.note_decision(f"a comparison of the size {int(self)} decided")
        return answer
    return method


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(TracedSize, f"__{_name}__", arithmetic(_name, False))
    setattr(TracedSize, f"__r{_name}__", arithmetic(_name, True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(TracedSize, f"__{_name}__", comparison(_name))
