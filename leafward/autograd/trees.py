"""Nested containers of tensors: taken apart into their leaves, and put together again.

What counts as a container stands in ``CONTAINERS``; programs add types of their own
(``torch.utils._pytree.register_pytree_node``).
"""
from collections import OrderedDict, defaultdict, deque
from typing import Any, Callable, NamedTuple


class SequenceKey(NamedTuple):
    """The place of a part in a list or tuple: ``[0]``."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, container):
        """That part of ``container``."""
        return container[self.idx]


class MappingKey(NamedTuple):
    """The place of a part in a dict: ``['weight']``."""

    key: Any

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, container):
        """That part of ``container``."""
        return container[self.key]


class GetAttrKey(NamedTuple):
    """The place of a part in an object with fields: ``.values``."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, container):
        """That part of ``container``."""
        return getattr(container, self.name)


class Container(NamedTuple):
    """How the containers of one type are taken apart, and put together again."""

    flatten: Callable       # container -> (parts, context): what is needed besides the parts
    unflatten: Callable     # (parts, context) -> container
    with_keys: Callable | None = None       # container -> ([(key, part), ...], context)

    flatten_fn = property(lambda self: self.flatten)        # PyTorch's name, which programs read


def numbered(parts):
    return [(SequenceKey(i), part) for i, part in enumerate(parts)]


def named_by(context_of):
    """``with_keys`` of a dict whose keys are ``context_of(context)``."""
    def with_keys(container):
        parts, context = parts_of(container)
        return [(MappingKey(key), part) for key, part in zip(context_of(context), parts, strict=True)], context
    return with_keys


def whole(context):
    return context


#: By the very type: a subclass of a list is a leaf.
CONTAINERS = {
    tuple: Container(lambda x: (list(x), None), lambda parts, _: tuple(parts), lambda x: (numbered(x), None)),
    list: Container(lambda x: (x[:], None), lambda parts, _: list(parts), lambda x: (numbered(x), None)),
    dict: Container(lambda x: (list(x.values()), list(x)), lambda parts, keys: dict(zip(keys, parts, strict=True)),
                    named_by(whole)),
    OrderedDict: Container(lambda x: (list(x.values()), list(x)),
                           lambda parts, keys: OrderedDict(zip(keys, parts, strict=True)), named_by(whole)),
    defaultdict: Container(lambda x: (list(x.values()), [x.default_factory, list(x)]),
                           lambda parts, made: defaultdict(made[0], zip(made[1], parts, strict=True)),
                           named_by(lambda context: context[1])),
    deque: Container(lambda x: (list(x), x.maxlen), deque, lambda x: (numbered(x), x.maxlen)),
}
#: Every named tuple, whatever its class.
NAMED_TUPLE = Container(
    lambda x: (list(x), type(x)), lambda parts, cls: cls._make(parts),
    lambda x: ([(GetAttrKey(name), part) for name, part in zip(x._fields, x, strict=True)], type(x)))


class Spec:
    """The shape of nested containers: what :func:`flatten` leaves behind."""

    def __init__(self, type, context, children):
        self.type, self.context, self._children = type, context, children
        self.num_children = len(children)
        self.num_leaves = 1 if type is None else sum(child.num_leaves for child in children)
        self.num_nodes = 1 + sum(child.num_nodes for child in children)

    def __eq__(self, other):
        if not isinstance(other, Spec):
            return NotImplemented
        return (self.type, self.context, self._children) == (other.type, other.context, other._children)

    def __hash__(self):
        return hash((self.type, self.num_leaves, tuple(self._children)))

    def is_leaf(self):
        """Whether there is no container at all."""
        return self.type is None

    def children(self):
        """The specs of the container's parts."""
        return list(self._children)

    def child(self, index):
        """The spec of one part."""
        return self._children[index]

    def unflatten(self, leaves):
        """The containers around ``leaves``."""
        return unflatten(leaves, self)

    def flatten_up_to(self, tree):
        """What stands in ``tree`` where this shape has its leaves; ValueError where ``tree`` has another shape above them.

        >>> flatten([1, (2, 3)])[1].flatten_up_to([["a"], ("b", "c")])
        [['a'], 'b', 'c']
        """
        found = []
        collect(self, tree, found)
        return found

    def __repr__(self):
        return written(self, 0)


LEAF = Spec(None, None, [])


def written(spec, indent):
    """A spec as text, a container a line below its outer one."""
    if spec.type is None:
        return "*"
    inner = indent + 2
    children = f",\n{' ' * inner}".join(written(child, inner) for child in spec._children)
    return f"TreeSpec({name_of(spec.type)}, {spec.context}, [{children}])"


def name_of(kind):
    return "namedtuple" if kind is NAMED_TUPLE else kind.__name__


def collect(spec, tree, found):
    """Append to ``found`` what stands in ``tree`` at the leaves of ``spec``."""
    if spec.type is None:
        found.append(tree)
        return
    kind = kind_of(tree)
    if kind is not spec.type:
        given, expected = type(tree), spec.type if isinstance(spec.type, type) else tuple
        raise ValueError(f"Node type mismatch; expected {expected!r}, but got {given!r}.")
    parts, context = parts_of(tree)
    if len(parts) != spec.num_children:
        raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {len(parts)}.")
    if isinstance(tree, dict):                              # in whatever order the keys are
        expected = spec.context[1] if kind is defaultdict else spec.context
        if missing := set(expected) - set(tree):
            raise ValueError(f"Node keys mismatch; missing key(s): {missing}; extra key(s): {set(tree) - set(expected)}.")
        parts = [tree[key] for key in expected]
    elif context != spec.context:
        raise ValueError(f"Node context mismatch for custom node type {name_of(kind)}: expected {spec.context!r}, but got "
                         f"{context!r}.")
    for child, part in zip(spec._children, parts, strict=True):
        collect(child, part, found)


def kind_of(value):
    """Under what ``value`` stands in ``CONTAINERS``: its type, or ``NAMED_TUPLE``; None for a leaf."""
    if type(value) in CONTAINERS:
        return type(value)
    return NAMED_TUPLE if isinstance(value, tuple) and hasattr(value, "_make") else None


def container(kind):
    """How containers of a kind are taken apart."""
    return NAMED_TUPLE if kind is NAMED_TUPLE else CONTAINERS[kind]


def parts_of(value):
    """``(parts, context)`` of a container."""
    return container(kind_of(value)).flatten(value)


def flatten(value, is_leaf=None):
    """``(leaves, spec)``: what is no container is a leaf, and whatever ``is_leaf`` says is one."""
    leaves = []
    return leaves, take_apart(value, is_leaf, leaves)


def take_apart(value, is_leaf, leaves):
    kind = None if is_leaf is not None and is_leaf(value) else kind_of(value)
    if kind is None:
        leaves.append(value)
        return LEAF
    parts, context = container(kind).flatten(value)
    return Spec(kind, context, [take_apart(part, is_leaf, leaves) for part in parts])


def unflatten(leaves, spec):
    """The containers that ``spec`` describes, around ``leaves``."""
    return rebuild(iter(leaves), spec)


def rebuild(leaves, spec):
    if spec.type is None:
        return next(leaves)
    return container(spec.type).unflatten([rebuild(leaves, child) for child in spec._children], spec.context)


def tree_map(function, value):
    """``function`` of every leaf."""
    leaves, spec = flatten(value)
    return unflatten([function(leaf) for leaf in leaves], spec)


def broadcast(value, spec):
    """The leaves of ``value``, one for each leaf of ``spec``, where a leaf may stand for a whole container.

    None if the two do not fit.
    """
    kind = kind_of(value)
    if spec.type is None:
        return [value] if kind is None else None
    if kind is None:
        return [value] * spec.num_leaves
    parts, context = parts_of(value)
    if kind is not spec.type or context != spec.context or len(parts) != spec.num_children:
        return None
    leaves = []
    for part, child in zip(parts, spec._children, strict=True):
        below = broadcast(part, child)
        if below is None:
            return None
        leaves.extend(below)
    return leaves
