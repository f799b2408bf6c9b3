"""Functions of functions: gradients, Jacobians, Hessians, products with them, and batches.

>>> import leafward as lw
>>> lw.func.grad(lambda x: (x ** 2).sum())(lw.tensor([1.0, 2.0]))
tensor([2., 4.])
>>> lw.func.vmap(lw.func.grad(lambda x, w: (x * w).sum() ** 2), (0, None))(lw.eye(2), lw.tensor([1.0, 2.0]))
tensor([[2., 4.],
        [4., 8.]])
"""
from ..autograd.batching import vmap
from .derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from .modules import functional_call, stack_module_state

__all__ = ["functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize",
           "stack_module_state", "vjp", "vmap"]
