"""``torch.__future__``: what conversions of modules do with parameters. Here they keep them, and change their data."""
KEPT = ("leafward's modules keep their parameters when they are converted, so that optimizers go on: replace them by hand, "
        "module.weight = torch.nn.Parameter(module.weight.double())")


def get_overwrite_module_params_on_conversion():
    """False."""
    return False


def get_swap_module_params_on_conversion():
    """False."""
    return False


def set_overwrite_module_params_on_conversion(value):
    """Only False can be set."""
    if value:
        raise NotImplementedError(KEPT)


def set_swap_module_params_on_conversion(value):
    """Only False can be set."""
    if value:
        raise NotImplementedError(KEPT)
