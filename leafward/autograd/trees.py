"""Nested containers of tensors: taken apart into their leaves, and put together again."""
from collections import OrderedDict, defaultdict


class Spec:
    """The shape of nested tuples, lists and dicts: what :func:`flatten` leaves behind."""

    def __init__(self, kind, context, children):
        self.kind, self.context, self.children = kind, context, children
        self.count = 1 if kind is None else sum(child.count for child in children)

    def __eq__(self, other):
        return (self.kind, self.context, self.children) == (other.kind, other.context, other.children)

    __hash__ = None

    @property
    def num_leaves(self):
        return self.count

    def __repr__(self):
        if self.kind is None:
            return "*"
        return f"TreeSpec({self.kind.__name__}, {self.context}, {self.children})"


LEAF = Spec(None, None, [])


def is_named_tuple(value):
    return isinstance(value, tuple) and hasattr(value, "_make")


def parts_of(value):
    """``(kind, context, parts)`` of a container; None for a leaf."""
    if isinstance(value, (dict, OrderedDict, defaultdict)) and type(value) in (dict, OrderedDict, defaultdict):
        return type(value), list(value), list(value.values())
    if is_named_tuple(value):
        return type(value), type(value)._fields, list(value)
    if type(value) in (tuple, list):
        return type(value), None, list(value)
    return None


def flatten(value):
    """``(leaves, spec)``: anything that is no tuple, list or dict is a leaf."""
    found = parts_of(value)
    if found is None:
        return [value], LEAF
    kind, context, parts = found
    leaves, children = [], []
    for part in parts:
        below, spec = flatten(part)
        leaves.extend(below)
        children.append(spec)
    return leaves, Spec(kind, context, children)


def unflatten(leaves, spec):
    """The containers that ``spec`` describes, around ``leaves``."""
    return rebuild(iter(leaves), spec)


def rebuild(leaves, spec):
    if spec.kind is None:
        return next(leaves)
    parts = [rebuild(leaves, child) for child in spec.children]
    if issubclass(spec.kind, dict):
        pairs = zip(spec.context, parts, strict=True)
        return defaultdict(None, pairs) if spec.kind is defaultdict else spec.kind(pairs)
    return spec.kind._make(parts) if spec.context is not None else spec.kind(parts)


def tree_map(function, value):
    """``function`` of every leaf."""
    leaves, spec = flatten(value)
    return unflatten([function(leaf) for leaf in leaves], spec)


def broadcast(value, spec):
    """The leaves of ``value``, one for each leaf of ``spec``, where a leaf may stand for a whole container.

    None if the two do not fit.
    """
    if spec.kind is None:
        return [value] if parts_of(value) is None else None
    found = parts_of(value)
    if found is None:
        return [value] * spec.count
    kind, context, parts = found
    if kind is not spec.kind or context != spec.context or len(parts) != len(spec.children):
        return None
    leaves = []
    for part, child in zip(parts, spec.children, strict=True):
        below = broadcast(part, child)
        if below is None:
            return None
        leaves.extend(below)
    return leaves
