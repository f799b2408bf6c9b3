"""A plugin for opt_einsum's tests: the operands are tensors, where the tests would make NumPy's arrays."""


def pytest_configure():
    import opt_einsum.testing as testing
    import torch

    def build_views(string, dimension_dict=None, array_function=None):
        return tuple(torch.rand(shape, dtype=torch.float64) for shape in testing.build_shapes(string, dimension_dict))
    testing.build_views = build_views
