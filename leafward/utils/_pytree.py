"""``torch.utils._pytree``: nested tuples, lists and dicts taken apart and put together.

>>> leaves, spec = tree_flatten({"a": [1, 2], "b": 3})
>>> leaves, tree_unflatten([10 * leaf for leaf in leaves], spec)
([1, 2, 3], {'a': [10, 20], 'b': 30})
"""
from leafward.autograd.trees import Spec as TreeSpec, flatten, unflatten  # noqa: F401  (for annotations)
from leafward.tensor.missing import names_missing_from

PyTree = object


def tree_flatten(tree, is_leaf=None):
    """``(leaves, spec)``: anything that is no tuple, list or dict is a leaf."""
    if is_leaf is not None:
        raise NotImplementedError("tree_flatten has no is_leaf here: leaves are what is no tuple, list or dict")
    return flatten(tree)


def tree_unflatten(leaves, treespec):
    """The containers that ``treespec`` describes, around ``leaves``."""
    leaves = list(leaves)
    if len(leaves) != treespec.count:
        raise ValueError(f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                         f"holds {treespec.count} items ({treespec}).")
    return unflatten(leaves, treespec)


def tree_leaves(tree):
    """The leaves, in order."""
    return flatten(tree)[0]


def tree_structure(tree):
    """The shape of the containers."""
    return flatten(tree)[1]


def tree_map(func, tree, *rests):
    """``func`` of every leaf, and of the leaves in its place in ``rests``.

    >>> tree_map(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    leaves, spec = flatten(tree)
    others = []
    for rest in rests:
        there, other = flatten(rest)
        if other != spec:
            raise ValueError(f"Node type mismatch: {spec} and {other} are no trees of one shape")
        others.append(there)
    return unflatten([func(*together) for together in zip(leaves, *others, strict=True)], spec)


def tree_map_(func, tree, *rests):
    """Call ``func`` on every leaf, and return ``tree`` itself."""
    tree_map(func, tree, *rests)
    return tree


def tree_map_only(type_or_types, func, tree):
    """``func`` of the leaves of a type, or of those that a predicate accepts; the others as they are.

    >>> tree_map_only(int, lambda x: -x, [1, "a"])
    [-1, 'a']
    """
    chosen = type_or_types if callable(type_or_types) and not isinstance(type_or_types, type) else (
        lambda leaf: isinstance(leaf, type_or_types))
    return tree_map(lambda leaf: func(leaf) if chosen(leaf) else leaf, tree)


def tree_any(pred, tree):
    """Whether ``pred`` holds for a leaf."""
    return any(map(pred, tree_leaves(tree)))


def tree_all(pred, tree):
    """Whether ``pred`` holds for every leaf."""
    return all(map(pred, tree_leaves(tree)))


__getattr__ = names_missing_from("torch.utils._pytree", globals())
