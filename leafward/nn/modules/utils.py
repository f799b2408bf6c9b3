"""Small helpers that several layers share."""
from leafward.nn.ntuple import _list_with_default, _pair, _quadruple, _single, _triple  # noqa: F401  (PyTorch's place)
from leafward.nn.ntuple import ntuple

_ntuple = ntuple


def _reverse_repeat_tuple(t, n):
    """``(1, 2), 2`` -> ``(2, 2, 1, 1)``: paddings per axis, in the order that ``pad`` reads them."""
    return tuple(x for x in reversed(t) for _ in range(n))


def typename(value):
    """The name by which error texts call a value: a tensor's type, or its class with its module."""
    from leafward.tensor.tensor import Tensor

    if isinstance(value, Tensor):
        return value.type()
    kind = type(value)
    module = kind.__module__
    return kind.__qualname__ if module in ("builtins", None) else f"{module}.{kind.__qualname__}"


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Take ``prefix`` off the keys of ``state_dict`` that begin with it, in place: what ``DataParallel`` put there.

    >>> state = {"module.weight": 1}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> state
    {'weight': 1}
    """
    for key in [key for key in state_dict if key.startswith(prefix)]:
        state_dict[key.removeprefix(prefix)] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    for key in list(metadata or ()):
        if key and (key == prefix.rstrip(".") or key.startswith(prefix)):
            metadata[key.removeprefix(prefix) if key.startswith(prefix) else ""] = metadata.pop(key)


def add_indent(text, spaces):
    """Indent every line but the first."""
    return text.replace("\n", "\n" + " " * spaces)
