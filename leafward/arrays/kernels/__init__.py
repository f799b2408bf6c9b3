"""Kernels: array functions that NumPy lacks, a topic a file, reached as ``xp.kernels.<name>``.

A topic is imported when one of its kernels is first asked for, so that a program pays only for what it uses.
"""
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

TOPICS = {
    "attention": ("attend", "attend_backward"),
    "convolution": ("convolve", "convolve_transposed", "convolve_weight_gradient"),
    "elimination": ("least_squares", "least_squares_by_rows", "lu", "partial_cholesky", "permutation_matrix", "unpack"),
    "embedding": ("gather_rows", "largest_rows", "scatter_rows"),
    "factorization": ("adjugate", "cholesky", "determinant", "exponential", "invert", "not_positive_at", "sign_and_log",
                      "solve", "solve_triangle"),
    "fft": ("transform", "transform_real", "transform_to_real"),
    "loss": ("class_gather", "class_scatter", "negative_pick"),
    "normalization": ("normalize_groups", "normalize_groups_backward"),
    "pooling": ("pool_gather", "pool_max", "pool_max_at", "pool_max_bins", "pool_max_drawn", "pool_mean",
                "pool_mean_adjoint", "pool_put", "pool_scatter"),
    "products": ("affine", "dot", "matmul"),
    "recurrent": ("gru_steps", "gru_steps_backward", "lstm_steps", "lstm_steps_backward"),
    "reflections": ("factorized", "leading_columns", "reflected", "reflections_of"),
    "resampling": ("adaptive_mean", "adaptive_mean_adjoint", "interpolate", "interpolate_adjoint", "interpolate_bytes"),
    "sampling": ("sample_grid", "sample_grid_backward"),
    "selection": ("first_places", "kth_smallest", "place_of_kth", "tied_kth", "tied_top"),
    "sorting": ("TIED_UP_TO", "tied_places"),
    "spectra": ("eigenvalues", "eigenvectors", "general_eigenvalues", "general_eigenvectors", "singular_values", "svd"),
    "symmetric": ("ldl", "solve_ldl"),
    "unfolding": ("fold", "unfold"),
}

TOPIC_OF = {name: topic for topic, names in TOPICS.items() for name in names}


def __getattr__(name):
    topic = TOPIC_OF.get(name)
    if topic is None:
        raise AttributeError(f"there is no kernel {name!r}")
    module = import_module(f"{__name__}.{topic}")
    for kernel in TOPICS[topic]:
        globals()[kernel] = getattr(module, kernel)
    return globals()[name]


def compiled_kernels():
    """Kernels by name: the functions of what is called ``small*`` (for small arrays), ``rows_*`` or ``places_*`` (for any).

    A declaration's ``kernel="mul"`` is the one called ``mul``. Where nothing is compiled there are none.
    """
    found = {}
    for file in iter_modules(__path__):
        path = f"{__name__}.{file.name}"
        # find_spec says None of what is compiled and to be passed over.
        if file.name.startswith(("small", "rows_", "places_")) and find_spec(path) is not None:
            module = import_module(path)
            found.update((name, f) for name, f in vars(module).items()
                         if callable(f) and not name.startswith("_") and f.__module__ == path)
    return found
