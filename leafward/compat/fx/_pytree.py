"""Containers as traced programs take them apart."""


def register_pytree_flatten_spec(cls, flatten_fn_spec, flatten_fn_exact_match_spec=None):
    """Nothing: programs are not traced."""
