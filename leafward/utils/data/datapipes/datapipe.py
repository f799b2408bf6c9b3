"""``IterDataPipe`` and ``MapDataPipe``: datasets with the pipes that may follow as methods."""
import functools

from leafward.utils.data.dataset import Dataset, IterableDataset


class Chained:
    """What both kinds share: ``pipe.name(...)`` makes the pipe that was registered under ``name``."""

    functions = {}

    def __getattr__(self, name):
        if name in type(self).functions:
            return functools.partial(type(self).functions[name], self)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'\nleafward has the pipes "
                             f"{', '.join(sorted(type(self).functions))}: others are generators, or classes with "
                             "@functional_datapipe")

    @classmethod
    def register_datapipe_as_function(cls, function_name, cls_to_register, enable_df_api_tracing=False):
        """Make ``cls_to_register`` the method ``function_name`` of all pipes."""
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")
        cls.functions[function_name] = cls_to_register

    @classmethod
    def register_function(cls, function_name, function):
        """Make ``function(pipe, ...)`` a method of all pipes."""
        cls.functions[function_name] = function

    def __repr__(self):
        return type(self).__qualname__


class IterDataPipe(Chained, IterableDataset):
    """A dataset that is read from the front: a subclass writes ``__iter__``. ``reset`` runs before each iteration.

    >>> from leafward.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).map(lambda x: x * x).batch(2))
    [[0, 1], [4, 9], [16]]
    """

    functions = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "__iter__" in cls.__dict__:
            cls.__iter__ = after_reset(cls.__iter__)

    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} is read from the front: it has no items by index")

    def reset(self):
        """Back to the first item."""


def after_reset(iterate):
    @functools.wraps(iterate)
    def iterate_anew(self):
        self.reset()
        yield from iterate(self)
    return iterate_anew


class MapDataPipe(Chained, Dataset):
    """A dataset whose items have an index or a key: a subclass writes ``__getitem__`` and ``__len__``.

    >>> from leafward.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper([1, 2, 3]).map(lambda x: x * x)[2]
    9
    """

    functions = {}


class DataChunk(list):
    """A batch of items, as a list.

    items: an iterable

    >>> DataChunk([1, 2])
    [1, 2]
    """

    def __init__(self, items):
        items = list(items)
        super().__init__(items)
        self.items = items

    def raw_iterator(self):
        """The items one by one."""
        yield from self.items

    def as_str(self, indent=""):
        """``[a, b]``, after ``indent``."""
        return f"{indent}[{', '.join(map(str, self))}]"
