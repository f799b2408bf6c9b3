"""Errors of PyTorch's tracer, which are never raised here: for programs that catch them."""


class TorchDynamoException(RuntimeError):
    """What the tracer raises."""


class Unsupported(TorchDynamoException):
    """It met something that it cannot trace."""


class UserError(Unsupported):
    """It met a mistake of the program's."""


class TorchRuntimeError(TorchDynamoException):
    """What was traced failed."""


class BackendCompilerFailed(TorchDynamoException):
    """What was traced could not be compiled."""
