"""``@functional_datapipe("name")``: a class of pipes as a method of those before it."""
from leafward.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe


class functional_datapipe:  # noqa: N801  (PyTorch's name)
    """Register the decorated class as the method ``name`` of its kind of pipes.

    name: of the method
    enable_df_api_tracing: accepted, without effect

    >>> from leafward.utils.data.datapipes.iter import IterableWrapper
    >>> @functional_datapipe("doubled")
    ... class Doubled(IterDataPipe):
    ...     def __init__(self, datapipe):
    ...         self.datapipe = datapipe
    ...     def __iter__(self):
    ...         for item in self.datapipe:
    ...             yield 2 * item
    >>> list(IterableWrapper([1, 2]).doubled())
    [2, 4]
    """

    def __init__(self, name, enable_df_api_tracing=False):
        self.name = name

    def __call__(self, cls):
        for kind in (IterDataPipe, MapDataPipe):
            if isinstance(cls, type) and issubclass(cls, kind):
                kind.register_datapipe_as_function(self.name, cls)
                return cls
        raise TypeError("`functional_datapipe` can only decorate IterDataPipe or MapDataPipe")
