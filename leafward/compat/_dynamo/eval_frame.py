"""What PyTorch's tracer makes of a module, for ``isinstance``."""


def is_dynamo_supported():
    """False: nothing is traced."""
    return False


class OptimizedModule:
    """A module that is compiled when it is called: nothing is one."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("leafward does not have torch._dynamo.eval_frame.OptimizedModule: there is no graph "
                                  "compiler: call the module as it is")
