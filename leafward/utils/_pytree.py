"""``torch.utils._pytree``: nested tuples, lists, dicts and registered containers taken apart and put together.

>>> leaves, spec = tree_flatten({"a": [1, 2], "b": 3})
>>> leaves, tree_unflatten([10 * leaf for leaf in leaves], spec)
([1, 2, 3], {'a': [10, 20], 'b': 30})
"""
from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any

from leafward.autograd import trees
from leafward.autograd.trees import GetAttrKey, MappingKey, SequenceKey, Spec as TreeSpec  # noqa: F401  (users ask for them here)
from leafward.tensor.missing import names_missing_from

PyTree = Any
Context = Any
KeyEntry = Any
KeyPath = tuple[KeyEntry, ...]
#: The registered types, by their class.
SUPPORTED_NODES = trees.CONTAINERS


def LeafSpec() -> TreeSpec:
    """The spec of what is no container."""
    return trees.LEAF


def _get_node_type(tree: Any) -> Any:
    """The type under which a container is registered: ``namedtuple`` for each named tuple."""
    return namedtuple if is_namedtuple(type(tree)) else type(tree)


def register_pytree_node(
        cls: type, flatten_fn: Callable, unflatten_fn: Callable, *, serialized_type_name: str | None = None,
        to_dumpable_context: Callable | None = None, from_dumpable_context: Callable | None = None,
        flatten_with_keys_fn: Callable | None = None) -> None:
    """Let objects of a class be containers, for this module and for the transforms of ``torch.func``.

    ``flatten_fn(x)`` gives ``(parts, context)``, ``unflatten_fn(parts, context)`` an object again, and
    ``flatten_with_keys_fn(x)`` ``([(key, part), ...], context)``. The other options name the class in files, of which there
    are none here.

    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> register_pytree_node(Pair, lambda x: ([x.a, x.b], None), lambda parts, context: Pair(*parts))
    >>> tree_leaves([Pair(1, (2, 3))])
    [1, 2, 3]
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls!r} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = trees.Container(
        flatten_fn, lambda parts, context: unflatten_fn(parts, context), flatten_with_keys_fn)


def _register_pytree_node(cls: type, flatten_fn: Callable, unflatten_fn: Callable, **options: Any) -> None:
    """The older name of :func:`register_pytree_node`, which lets a class be registered again."""
    SUPPORTED_NODES.pop(cls, None)
    register_pytree_node(cls, flatten_fn, unflatten_fn, **options)


def tree_is_leaf(tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether ``tree`` is no container."""
    return (is_leaf is not None and is_leaf(tree)) or trees.kind_of(tree) is None


def tree_flatten(tree: Any, is_leaf: Callable | None = None) -> tuple[list[Any], TreeSpec]:
    """``(leaves, spec)``: what is no container is a leaf, and so is whatever ``is_leaf`` says is one."""
    return trees.flatten(tree, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The containers that ``treespec`` describes, around ``leaves``."""
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                         f"holds {treespec.num_leaves} items ({treespec}).")
    return trees.unflatten(leaves, treespec)


def tree_leaves(tree: Any, is_leaf: Callable | None = None) -> list[Any]:
    """The leaves, in order."""
    return trees.flatten(tree, is_leaf)[0]


def tree_iter(tree: Any, is_leaf: Callable | None = None) -> Iterable[Any]:
    """The leaves, one after the other."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: Callable | None = None) -> TreeSpec:
    """The shape of the containers."""
    return trees.flatten(tree, is_leaf)[1]


def tree_map(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """``func`` of every leaf, and of what stands in its place in ``rests``.

    >>> tree_map(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    leaves, spec = trees.flatten(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return trees.unflatten([func(*together) for together in zip(leaves, *others, strict=True)], spec)


def tree_map_(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """Call ``func`` on every leaf, and return ``tree`` itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def choice(wanted):
    """A predicate of leaves from a type, several, or a predicate."""
    if callable(wanted) and not isinstance(wanted, type):
        return wanted
    return lambda leaf: isinstance(leaf, wanted)


def tree_map_only(type_or_types_or_pred: Any, func: Callable, tree: Any, is_leaf: Callable | None = None) -> Any:
    """``func`` of the leaves of a type, or of those that a predicate accepts; the others as they are.

    >>> tree_map_only(int, lambda x: -x, [1, "a"])
    [-1, 'a']
    """
    chosen = choice(type_or_types_or_pred)
    return tree_map(lambda leaf: func(leaf) if chosen(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred: Any, func: Callable, tree: Any, is_leaf: Callable | None = None) -> Any:
    """Call ``func`` on the leaves of a type, and return ``tree`` itself."""
    tree_map_only(type_or_types_or_pred, func, tree, is_leaf)
    return tree


def tree_any(pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether ``pred`` holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all(pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether ``pred`` holds for every leaf."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any_only(type_or_types: Any, pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether ``pred`` holds for a leaf of a type."""
    chosen = choice(type_or_types)
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if chosen(leaf))


def tree_all_only(type_or_types: Any, pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether ``pred`` holds for every leaf of a type."""
    chosen = choice(type_or_types)
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if chosen(leaf))


def tree_flatten_with_path(tree: Any, is_leaf: Callable | None = None) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """``([(path, leaf), ...], spec)``; a path has a key for each container on the way.

    >>> [(keystr(path), leaf) for path, leaf in tree_flatten_with_path({"a": [1, 2]})[0]]
    [("['a'][0]", 1), ("['a'][1]", 2)]
    """
    found = []
    follow((), tree, is_leaf, found)
    return found, tree_structure(tree, is_leaf)


def follow(path, tree, is_leaf, found):
    """Append the leaves of ``tree`` with their paths to ``found``."""
    if tree_is_leaf(tree, is_leaf):
        found.append((path, tree))
        return
    kind = trees.kind_of(tree)
    with_keys = trees.container(kind).with_keys
    if with_keys is None:
        raise ValueError(f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn argument "
                         "to register_pytree_node.")
    for key, part in with_keys(tree)[0]:
        follow((*path, key), part, is_leaf, found)


def tree_leaves_with_path(tree: Any, is_leaf: Callable | None = None) -> list[tuple[KeyPath, Any]]:
    """The leaves with their paths."""
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_map_with_path(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """``func`` of every path and leaf, and of what stands in its place in ``rests``."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return trees.unflatten([func(*leaf, *more) for leaf, *more in zip(found, *others, strict=True)], spec)


def keystr(kp: KeyPath) -> str:
    """A path as Python would write it: ``"['a'][0]"``."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """What stands at a path."""
    for key in kp:
        obj = key.get(obj)
    return obj


def is_namedtuple(obj: Any) -> bool:
    """Whether an object, or a class, is a named tuple."""
    return issubclass(obj if isinstance(obj, type) else type(obj), tuple) and hasattr(obj, "_make")


def _dict_flatten(d: dict) -> tuple[list[Any], list[Any]]:
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d: dict) -> tuple[list[tuple[KeyEntry, Any]], list[Any]]:
    return [(MappingKey(key), part) for key, part in d.items()], list(d)


def _dict_unflatten(values: Iterable[Any], context: list[Any]) -> dict:
    return dict(zip(context, values, strict=True))


__getattr__ = names_missing_from("torch.utils._pytree", globals())
