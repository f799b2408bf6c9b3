"""``torch.utils._python_dispatch``: there is no ``__torch_dispatch__`` here, so that no class of tensors wraps others by it."""


def is_traceable_wrapper_subclass(t):
    """False."""
    return False


def is_traceable_wrapper_subclass_type(t):
    """False."""
    return False
