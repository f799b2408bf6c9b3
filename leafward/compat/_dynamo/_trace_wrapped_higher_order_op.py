"""A mode that masks of attention are made in."""


class TransformGetItemToIndex:
    """Inside, ``x[i]`` with a 0-dim tensor ``i`` may be batched by ``vmap``: here it always may.

    >>> x = lw.arange(6).reshape(2, 3)
    >>> with TransformGetItemToIndex():
    ...     lw.vmap(lambda i: x[0, i])(lw.tensor([2, 0]))
    tensor([2, 0])
    """

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False
