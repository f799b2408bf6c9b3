"""What programs ask PyTorch's tracer about itself."""


def is_compile_supported(device_type):
    """False: nothing is compiled."""
    return False
