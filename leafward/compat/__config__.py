"""``torch.__config__``: what leafward runs on."""
from leafward.arrays.threads import get_num_threads
from leafward.compat.version import __version__


def show():
    """A text about the versions in use."""
    return f"leafward {__version__.partition('leafward.')[2]}, on NumPy"


def parallel_info():
    """A text about the threads in use."""
    return f"threads: {get_num_threads()}"
