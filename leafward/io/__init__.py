"""Files: PyTorch's archives and safetensors. Users call :mod:`leafward.serialization` and :mod:`io.safetensors`."""
