"""A progress bar around a loop, by tqdm."""
from __future__ import annotations

from typing import Any


def progress(iterable: Any, description: str | None = None, **options: Any) -> Any:
    """``iterable``, with a bar on stderr that says how far the loop is; ``options`` are tqdm's.

    >>> for batch in lw.progress([1, 2, 3], "epoch 1", disable=True):
    ...     pass
    """
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ModuleNotFoundError("leafward.progress draws with tqdm: pip install tqdm", name="tqdm") from error
    return tqdm(iterable, desc=description, **options)
